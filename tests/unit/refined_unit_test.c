/* A schema that was refined for one unit, a person's rows and a kind of neighbours, goes with runs
 * for the same unit only: epsilons of two cannot be added. One table walks every function that is
 * given such a schema and options, so that none states a sum which the others refuse. */
#include <math.h>

#include "dperm/plan.h"
#include "dperm/sweep.h"
#include "dperm/tune.h"
#include "model/model.h"
#include "wide_records.h"

/* The refined schema and the records under it. */
typedef struct refined {
  dperm_schema *schema;
  dperm_data *data;
} refined;

static dperm_status freed(dperm_status status, dperm_model *model) {
  dperm_model_free(model);
  return status;
}

static size_t rows_of(const dperm_options *o) {
  return o->rows_about ? 0 : PEOPLE;
}

/* ---- the functions */

static dperm_status train(const refined *r, const dperm_options *o, dperm_error *error) {
  dperm_model *model = NULL;
  dperm_status status = dperm_train(r->data, o, &model, error);
  return freed(status, model);
}

static dperm_status train_with_bins(const refined *r, const dperm_options *o, dperm_error *error) {
  dperm_options bins = *o;
  bins.bins = DPERM_BINS_AUTO;
  return train(r, &bins, error);
}

static dperm_status tune(const refined *r, const dperm_options *o, dperm_error *error) {
  const dperm_options both[] = {*o, *o};
  dperm_tune_options how = USUAL(dperm_tune_options);
  dperm_model *model = NULL;
  dperm_status status = dperm_tune(r->data, both, 2, &how, &model, error);
  return freed(status, model);
}

static void ignore_cell(void *context, const dperm_sweep_cell *cell) {
  assert_null(cell->impossible);
}

static dperm_status sweep(const refined *r, const dperm_options *o, dperm_error *error) {
  dperm_sweep_options how = USUAL(dperm_sweep_options);
  how.folds = 2;
  how.draws = 1;
  return dperm_sweep(r->data, o, 1, &how, ignore_cell, NULL, error);
}

static dperm_status plan(const refined *r, const dperm_options *o, dperm_error *error) {
  dperm_plan made;
  return dperm_plan_for_schema(rows_of(o), r->schema, o, &made, error);
}

static dperm_status plan_report(const refined *r, const dperm_options *o, dperm_error *error) {
  const dperm_plan_rows of = {.rows = rows_of(o), .schema = r->schema};
  char *report = NULL;
  dperm_status status = dperm_plan_report(&of, o, &report, error);
  dperm_text_free(report);
  return status;
}

static const struct {
  dperm_status (*call)(const refined *r, const dperm_options *o, dperm_error *error);
  bool needs_noise;
} functions[] = {{train, false}, {train_with_bins, false}, {tune, true}, {sweep, false},
                 {plan, false},  {plan_report, false}};

/* ---- units */

static dperm_options asking(dperm_mechanism mechanism, size_t rows_per_person,
                            dperm_neighbours neighbours) {
  dperm_options o = options_for(mechanism == DPERM_MECHANISM_NONE ? (double)NAN : 1);
  o.mechanism = mechanism;
  o.threads = 1;
  o.rows_per_person = rows_per_person;
  o.neighbours = neighbours;
  o.rows_about = neighbours == DPERM_NEIGHBOURS_ADD_REMOVE ? PEOPLE : 0;
  return o;
}

static refined refined_for(const wide_home *s, size_t rows_per_person,
                           dperm_neighbours neighbours) {
  dperm_refine_options o = refine_options_of(0.5);
  o.rows_per_person = rows_per_person;
  o.neighbours = neighbours;
  o.rows_about = neighbours == DPERM_NEIGHBOURS_ADD_REMOVE ? PEOPLE : 0;
  refined r = {.schema = people_refined(s, o)};
  assert_true(r.schema->refined.epsilon == 0.5);
  r.data = people_encoded(&s->p, r.schema);
  return r;
}

static void check_all(const refined *r, const dperm_options *o, const char *refusal) {
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    bool noisy = o->mechanism != DPERM_MECHANISM_NONE;
    if (!noisy && functions[i].needs_noise) {
      continue;
    }
    if (refusal) {
      assert_fails(functions[i].call(r, o, err), DPERM_INVALID_ARGUMENT, refusal);
    } else {
      assert_ok(functions[i].call(r, o, err));
    }
  }
}

WIDE_TEST(every_function_takes_one_unit_and_refuses_another) {
  static const struct {
    size_t rows_per_person;
    dperm_neighbours neighbours;
  } units[] = {{1, DPERM_NEIGHBOURS_REPLACE},
               {2, DPERM_NEIGHBOURS_REPLACE},
               {1, DPERM_NEIGHBOURS_ADD_REMOVE}};
  enum { UNITS = sizeof units / sizeof *units };
  for (size_t i = 0; i < UNITS; i++) {
    refined r = refined_for(s, units[i].rows_per_person, units[i].neighbours);
    for (size_t j = 0; j < UNITS; j++) {
      const dperm_options o =
          asking(DPERM_MECHANISM_OBJECTIVE, units[j].rows_per_person, units[j].neighbours);
      check_all(&r, &o, i == j ? NULL : "was refined for");
    }
    const dperm_options bare = asking(DPERM_MECHANISM_NONE, 1, DPERM_NEIGHBOURS_REPLACE);
    check_all(&r, &bare, NULL); /* nothing is added up */
    dperm_data_free(r.data);
    dperm_schema_free(r.schema);
  }
}

/* Its epsilon would be counted once where two are spent. */
WIDE_TEST(none_is_refined_twice) {
  refined r = refined_for(s, 1, DPERM_NEIGHBOURS_REPLACE);
  const dperm_refine_options again = refine_options_of(0.5);
  dperm_options o = asking(DPERM_MECHANISM_OBJECTIVE, 1, DPERM_NEIGHBOURS_REPLACE);
  dperm_schema *made = NULL;
  o.refine = 0.5;
  assert_fails(dperm_refine(r.data, &again, &made, err), DPERM_INVALID_SCHEMA, "refined already");
  assert_fails(train(&r, &o, err), DPERM_INVALID_SCHEMA, "refined already");
  assert_fails(plan(&r, &o, err), DPERM_INVALID_SCHEMA, "refined already");
  o.refine = 0; /* asking would be another cost: it is left out */
  dperm_model *model = NULL;
  dperm_guarantee g;
  assert_ok(dperm_train(r.data, &o, &model, err));
  dperm_model_guarantee(model, &g);
  assert_true(g.epsilon == 1.5 && model->schema->refined.epsilon == 0.5);
  dperm_model_free(model);
  dperm_data_free(r.data);
  dperm_schema_free(r.schema);
}

/* What a plan says that the schema costs is what a run spends on it, and the fit has the rest. */
WIDE_TEST(a_plan_says_what_the_schema_will_cost) {
  refined before = refined_for(s, 1, DPERM_NEIGHBOURS_REPLACE);
  const refined wide = {.schema = s->wide, .data = s->data};
  const struct {
    const refined *of;
    dperm_bins bins;
    double refine, epsilon;
    const char *cost;
  } cases[] = {{&wide, DPERM_BINS_ASK, 0, 1, "answer"},
               {&wide, DPERM_BINS_ASK, 0, 0.11, NULL}, /* 396: it would not pay */
               {&wide, DPERM_BINS_NONE, 0, 1, NULL},
               {&wide, DPERM_BINS_AUTO, 0, 1, NULL},
               {&wide, DPERM_BINS_ASK, 0.25, 1, "counts"},
               {&wide, DPERM_BINS_ASK, (double)NAN, 1, "counts"},
               {&before, DPERM_BINS_ASK, 0, 1, "schema"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    dperm_options o = asking(DPERM_MECHANISM_OBJECTIVE, 1, DPERM_NEIGHBOURS_REPLACE);
    auto_model *model = NULL;
    dperm_plan plan;
    o.bins = cases[i].bins;
    o.refine = cases[i].refine;
    o.epsilon = cases[i].epsilon;
    assert_ok(dperm_plan_for_schema(PEOPLE, cases[i].of->schema, &o, &plan, err));
    assert_ok(dperm_train(cases[i].of->data, &o, &model, err));
    assert_true(plan.schema_cost ? cases[i].cost && strcmp(plan.schema_cost, cases[i].cost) == 0
                                 : !cases[i].cost);
    assert_true((plan.epsilon_schema > 0) == (cases[i].cost != NULL));
    /* where a column has a shape, 5 percent ask about ranges, which save the weight; counts have 5
     */
    double more = model->claim.shares[SHARE_SCHEMA] - plan.epsilon_schema;
    bool asked = plan.schema_cost && strcmp(plan.schema_cost, "answer") == 0;
    assert_true(more == 0 || (asked && (fabs(more - 0.1 * o.epsilon) < 1e-12 ||
                                        fabs(more - 0.05 * o.epsilon + 40.0 / PEOPLE) < 1e-12)));
    assert_true(plan.epsilon == model->claim.epsilon);
    assert_true(more != 0 || plan.epsilon_row == model->claim.epsilon_row);
    if (!cases[i].cost || cases[i].of == &before) { /* else the records decide the columns */
      assert_true(plan.dims == model->dims && plan.beta == model->plan.noise.beta);
    }
  }
  dperm_data_free(before.data);
  dperm_schema_free(before.schema);
}
