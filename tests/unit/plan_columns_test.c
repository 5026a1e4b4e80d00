/* Advice on a schema: each column's share of the noise is what draws have there. Schemas have ' for
 * ". */
#include <math.h>
#include <stdlib.h>

#include "dperm/plan.h"
#include "random/noise.h"
#include "run/options.h"
#include "schema/schema.h"
#include "support.h"
#include "text_buffer.h"

enum { ROWS = 1000, DIMS = 40 };

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
#define CROSS ", 'crosses': [['age', 'job']]"
#define FOUR "'a', 'b', 'c', 'd'"

static const char whole[] =
    BEGIN "'columns': [" AGE("[10, 20, 50]") ", " JOB(FOUR) ", " PAY "]" CROSS "}";

static dperm_options some_options(dperm_noise noise) {
  dperm_options o = options_for(0.5);
  o.delta = noise == DPERM_NOISE_GAUSSIAN ? 1e-5 : 0;
  o.noise = noise;
  return o;
}

static json_t *advice(const dperm_schema *schema, const dperm_options *options) {
  const dperm_plan_rows of = {.rows = ROWS, .schema = schema};
  OWNED_MEMORY char *text = NULL;
  assert_ok(dperm_plan_report(&of, options, &text, err));
  json_auto_t *report = json_loads(text, 0, NULL);
  return json_incref(json_object_get(report, "columns"));
}

/* NaN for null. */
static double number(const json_t *columns, size_t i, const char *key) {
  const json_t *value = json_object_get(json_array_get(columns, i), key);
  assert_non_null(value);
  return json_is_null(value) ? (double)NAN : json_number_value(value);
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
    json_auto_t *columns = advice(schema, &options);
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
    assert_int_equal(json_array_size(columns), 4);
    for (size_t i = 0; i < 4; i++) {
      size_t first = i < 3 ? schema->columns[i].first : schema->crosses[0].first;
      size_t width = i < 3 ? schema->columns[i].width : schema->crosses[0].width;
      double drawn = part_of(squares, first, width) / all;
      double share = number(columns, i, "noise_share");
      assert_true(fabs(share / drawn - 1) < 0.05);
      sum += share;
    }
    double rest = squares[schema->dims - 1] / all; /* the intercept */
    assert_true(fabs(sum + rest - 1) < 0.01);
    assert_true(sum < 1);
  }
}

TEST(bins_are_advised_with_and_without_noise) {
  const struct {
    dperm_mechanism mechanism;
    dperm_kernel kernel;
    double bins[4];
  } cases[] = {{DPERM_MECHANISM_OBJECTIVE, {0}, {4, NAN, 4, NAN}}, /* epsilon 0.5, three columns */
               {DPERM_MECHANISM_NONE, {0}, {16, NAN, 8, NAN}},     /* pay is wide */
               {DPERM_MECHANISM_OBJECTIVE,
                {.kind = DPERM_KERNEL_GAUSSIAN, .gamma = 1, .features = 10},
                {4, NAN, 4, NAN}}};
  auto_schema *schema = parsed(whole);
  for (int i = 0; i < 3; i++) {
    dperm_options options = some_options(DPERM_NOISE_AUTO);
    options.mechanism = cases[i].mechanism;
    options.kernel = cases[i].kernel;
    json_auto_t *columns = advice(schema, &options);
    for (size_t c = 0; c < 4; c++) {
      double bins = number(columns, c, "bins");
      assert_true(isnan(cases[i].bins[c]) ? isnan(bins) : bins == cases[i].bins[c]);
      assert_int_equal(isnan(number(columns, c, "noise_share")), i > 0);
    }
  }
}

/* What a fit will have in their place. */
TEST(bins_that_are_not_chosen_yet_are_those_of_the_fit) {
  auto_schema *open = parsed(BEGIN "'columns': [" AGE("'auto'") "]}");
  auto_schema *settled = parsed(BEGIN "'columns': [" AGE("4") "]}");
  const dperm_options options = some_options(DPERM_NOISE_AUTO);
  json_auto_t *f = advice(open, &options), *g = advice(settled, &options);
  assert_true(json_array_size(f) == 1 && number(f, 0, "bins") == 4);
  assert_true(json_equal(f, g));
}
