/* Advice on a schema: each column's share of the noise is what draws have there, and what leaving a
 * column out or halving it brings is what a plan for that schema says. Schemas have ' for ". */
#include <math.h>
#include <stdlib.h>

#include "plan/planned.h"
#include "random/noise.h"
#include "run/options.h"
#include "schema/schema.h"
#include "support.h"
#include "text_buffer.h"

enum { ROWS = 1000, MOST = 8, DIMS = 40 };

static dperm_schema *parsed(const char *text) {
  static text_buffer json;
  dperm_schema *schema = NULL;
  json.length = 0;
  put(&json, "%s", text);
  for (char *c = json.bytes; (c = strchr(c, '\'')) != NULL;) {
    *c = '"';
  }
  assert_ok(dperm_schema_parse(json.bytes, json.length, "s.json", &schema, err));
  return schema;
}

#define BEGIN "{'intercept': true, 'label': {'column': 'y', 'positive': ['1'], 'negative': ['0']}, "
#define AGE(bins)                                                                                  \
  "{'name': 'age', 'type': 'numeric', 'min': 0, 'max': 100, 'line': 0.5, 'bins': " bins "}"
#define JOB(values) "{'name': 'job', 'type': 'categorical', 'weight': 2, 'values': [" values "]}"
#define PAY "{'name': 'pay', 'type': 'numeric', 'min': 0, 'max': 9999}"
#define NONE(name) "{'name': '" name "', 'type': 'ignore'}"
#define CROSS ", 'crosses': [['age', 'job']]"
#define FOUR "'a', 'b', 'c', 'd'"

static const char whole[] =
    BEGIN "'columns': [" AGE("[10, 20, 50]") ", " JOB(FOUR) ", " PAY "]" CROSS "}";

typedef struct found {
  column_plan columns[MOST];
  size_t count;
} found;

static dperm_options some_options(dperm_noise noise) {
  dperm_options o = options_for(0.5);
  o.delta = noise == DPERM_NOISE_GAUSSIAN ? 1e-5 : 0;
  o.noise = noise;
  return o;
}

static found advice(const dperm_schema *schema, const dperm_options *options) {
  const dperm_plan_rows of = {.rows = ROWS, .schema = schema};
  found f = {.count = 0};
  planned_schema planned = {0};
  column_plan *list = NULL;
  dperm_plan plan;
  assert_ok(plan_make(&of, options, &planned, &plan, err));
  assert_ok(plan_columns(options, &planned, ROWS, &list, &f.count, err));
  assert_true(f.count <= MOST);
  memcpy(f.columns, list, f.count * sizeof *list);
  free(list);
  planned_schema_clear(&planned);
  return f;
}

/* ---- shares */

static double part_of(const double *squares, size_t first, size_t width) {
  double sum = 0;
  for (size_t j = first; j < first + width; j++) {
    sum += squares[j];
  }
  return sum;
}

TEST(shares_are_those_of_draws) {
  enum { DRAWS = 20000 };
  auto_schema *schema = parsed(whole);
  for (int kind = DPERM_NOISE_L2; dperm_noise_name((dperm_noise)kind); kind++) {
    const dperm_options options = some_options((dperm_noise)kind);
    const found f = advice(schema, &options);
    const guarantee claim = {.epsilon_class = 0.5, .delta_class = options.delta};
    const public_numbers given =
        fit_numbers(&options, &options.loss, &claim, ROWS, schema->dims, &schema->bounds);
    privacy_plan plan;
    double b[DIMS], squares[DIMS] = {0};
    random_source r = seeded(5);
    assert_true(schema->dims <= DIMS);
    assert_ok(privacy_plan_make(&given, &plan, err));
    for (size_t draw = 0; draw < DRAWS; draw++) {
      noise_draw(&plan.noise, &r, b);
      for (size_t j = 0; j < schema->dims; j++) {
        squares[j] += b[j] * b[j];
      }
    }
    double all = part_of(squares, 0, schema->dims), sum = 0;
    assert_int_equal(f.count, 4);
    for (size_t i = 0; i < 4; i++) {
      size_t first = i < 3 ? schema->columns[i].first : schema->crosses[0].first;
      size_t width = i < 3 ? schema->columns[i].width : schema->crosses[0].width;
      double drawn = part_of(squares, first, width) / all;
      assert_true(fabs(f.columns[i].noise_share / drawn - 1) < 0.05);
      sum += f.columns[i].noise_share;
    }
    double rest = squares[schema->dims - 1] / all; /* the intercept */
    assert_true(fabs(sum + rest - 1) < 0.01);
    assert_true(sum < 1);
  }
}

/* ---- other schemas */

static double rms(const char *text, const dperm_options *options) {
  auto_schema *schema = parsed(text);
  dperm_plan plan;
  assert_ok(dperm_plan_for_schema(ROWS, schema, options, &plan, err));
  return plan.rms_noise_norm;
}

static void near(double x, double y) {
  assert_true(fabs(x / y - 1) < 1e-9);
}

TEST(changes_are_those_of_other_schemas) {
  auto_schema *schema = parsed(whole);
  dperm_options options = some_options(DPERM_NOISE_AUTO);
  dperm_plan plan;
  const found f = advice(schema, &options);
  assert_ok(dperm_plan_for_schema(ROWS, schema, &options, &plan, err));
  options.lambda = plan.lambda;
  options.delta_reg = plan.delta_reg;
  double all = plan.rms_noise_norm;
  const column_plan *age = &f.columns[0], *job = &f.columns[1], *pay = &f.columns[2];
  near(age->without * all,
       rms(BEGIN "'columns': [" NONE("age") ", " JOB(FOUR) ", " PAY "]}", &options));
  near(age->halved * all,
       rms(BEGIN "'columns': [" AGE("[20]") ", " JOB(FOUR) ", " PAY "]" CROSS "}", &options));
  near(job->halved * all,
       rms(BEGIN "'columns': [" AGE("[10, 20, 50]") ", " JOB("'a', 'b'") ", " PAY "]" CROSS "}",
           &options));
  near(pay->without * all,
       rms(BEGIN "'columns': [" AGE("[10, 20, 50]") ", " JOB(FOUR) ", " NONE("pay") "]" CROSS "}",
           &options));
  assert_true(isnan(pay->halved) && isnan(f.columns[3].halved));
  near(f.columns[3].without * all,
       rms(BEGIN "'columns': [" AGE("[10, 20, 50]") ", " JOB(FOUR) ", " PAY "]}", &options));
  assert_int_equal(f.columns[3].column, 3);
  assert_int_equal(f.columns[3].cross, 0);
  assert_int_equal(age->bins, 4); /* 1000 rows, epsilon 0.5, three columns */
  assert_int_equal(job->bins, 0);
}

TEST(without_noise_there_are_only_bins) {
  auto_schema *schema = parsed(whole), *one = parsed(BEGIN "'columns': [" PAY "]}");
  dperm_options options = some_options(DPERM_NOISE_AUTO);
  options.mechanism = DPERM_MECHANISM_NONE;
  found f = advice(schema, &options);
  assert_true(isnan(f.columns[0].noise_share) && isnan(f.columns[0].without));
  assert_int_equal(f.columns[0].bins, 16);
  assert_int_equal(f.columns[2].bins, 8); /* it is wide */
  options = some_options(DPERM_NOISE_AUTO);
  options.kernel = (dperm_kernel){.kind = DPERM_KERNEL_GAUSSIAN, .gamma = 1, .features = 10};
  f = advice(schema, &options);
  assert_true(isnan(f.columns[0].noise_share));
  options = some_options(DPERM_NOISE_AUTO);
  f = advice(one, &options); /* the intercept is left */
  assert_true(f.count == 1 && f.columns[0].noise_share > 0 && f.columns[0].without > 0);
}

/* What a fit will have in their place. */
TEST(bins_that_are_not_chosen_yet_are_those_of_the_fit) {
  auto_schema *open = parsed(BEGIN "'columns': [" AGE("'auto'") "]}");
  auto_schema *settled = parsed(BEGIN "'columns': [" AGE("4") "]}");
  const dperm_options options = some_options(DPERM_NOISE_AUTO);
  const found f = advice(open, &options), g = advice(settled, &options);
  assert_true(f.count == 1 && f.columns[0].bins == 4);
  assert_true(f.columns[0].noise_share == g.columns[0].noise_share);
  assert_true(f.columns[0].halved == g.columns[0].halved && f.columns[0].halved < 1);
}
