/* The attack on fits of persons (docs/proofs/persons.md): one has several records, all alike and as
 * long as rows can be, whose label is the other one in the second data set, or who is not in that;
 * the records of all others are zero. If they count together as one, that is the worst pair of
 * single records; if each counts, noise and outcome are as many times farther apart. */
#include <math.h>

#include "audit/attack.h"
#include "data/dataset.h"
#include "run/fit.h"
#include "run/options.h"

enum { RECORDS = 8, OTHERS = 3, ALL = RECORDS + OTHERS, USUAL_DRAWS = 40000 };

typedef struct person_target {
  dperm_data *data[2];
  dperm_options options;
  double beta, lambda;
} person_target;

static void free_target(person_target *t) {
  dperm_data_free(t->data[0]);
  dperm_data_free(t->data[1]);
}

static dperm_status make_data(int side, bool absent, dperm_data **out, dperm_error *err) {
  static const char text[] =
      "{\"label\": {\"column\": \"y\", \"positive\": [\"1\"], \"negative\": [\"-1\"]},"
      " \"person\": \"id\", \"rows_per_person\": 8, \"columns\": ["
      "{\"name\": \"x\", \"type\": \"numeric\", \"min\": -1, \"max\": 1},"
      " {\"name\": \"id\", \"type\": \"ignore\"}]}";
  static const char *const labels[] = {"-1", "1"};
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  double x[ALL] = {0}, id[ALL];
  int32_t y[ALL];
  for (size_t i = 0; i < ALL; i++) {
    const bool own = i < RECORDS;
    x[i] = own ? 1 : 0;
    id[i] = own ? 0 : (double)i;
    y[i] = own ? side == 0 : i % 2 == 0;
  }
  TRY(dperm_schema_parse(text, sizeof text - 1, "the audit's schema", &schema, err));
  const size_t from = absent ? RECORDS : 0;
  const dperm_column columns[] = {{.numbers = x + from}, {.numbers = id + from}};
  const dperm_column label = {.codes = y + from, .texts = labels, .text_count = 2};
  return dperm_data_from_table(schema, ALL - from, columns, &label, out, err);
}

/* |b| of the noise that leads to this weight from the first side's records or the second's. */
static double noise_for(const person_target *t, int side, bool absent, double f) {
  const double y = side == 0 ? 1 : -1, z = y * f;
  double slope = 0;
  t->options.loss.eval(&t->options.loss, 1, &z, NULL, &slope, NULL);
  return fabs((absent ? 0 : -slope * y) - t->lambda * f);
}

static dperm_status draw_model(const attack *a, int side, random_source *source, double *score,
                               dperm_error *err) {
  const person_target *t = a->context;
  OWNED(dperm_model_free_at) dperm_model *model = NULL;
  const bool adding = t->options.neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  TRY(fit_model(t->data[side], &t->options, NULL, source, &model, err));
  const double f = model->weights[0];
  *score = t->beta * (noise_for(t, 1, adding, f) - noise_for(t, 0, false, f));
  return DPERM_OK;
}

dperm_status audit_persons(const dperm_audit_options *options, int neighbours,
                           dperm_audit_result *out, dperm_error *err) {
  const bool adding = neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  OWNED(free_target) person_target t = {.lambda = 200 / fmin(1, options->epsilon)};
  fit_plan plan;
  for (int side = 0; side < 2; side++) {
    TRY(make_data(side, adding && side == 1, &t.data[side], err));
  }
  dperm_options_init(&t.options);
  TRY(dperm_loss_by_name("huber", 0.5, &t.options.loss, err));
  t.options.epsilon = options->epsilon;
  t.options.lambda = t.lambda / (1 + OTHERS);
  t.options.delta_reg = 0;
  t.options.pairs = 0;
  t.options.neighbours = (dperm_neighbours)neighbours;
  t.options.rows_about = adding ? 1 + OTHERS : 0;
  t.options.threads = 1;
  TRY(fit_plan_check(t.data[0], options_rows(&t.options, t.data[0]), &t.options, NULL, &plan, err));
  t.beta = plan.privacy.noise.beta;
  const attack a = {.context = &t,
                    .delta = plan.claim.delta,
                    .usual_draws = USUAL_DRAWS,
                    .block = 64,
                    .draw = draw_model};
  return attack_run(&a, options, out, err);
}
