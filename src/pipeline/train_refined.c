/* dperm_train_refined: a refinement and a fit as one run, for one charge. The records are read
 * twice: in cells, before the charge, and under the refined schema, behind it. Where counts do not
 * pay, or with a share of 0, the records choose between lines and bins (train_binned.h). */
#include <math.h>

#include "mechanism/given_options.h"
#include "pipeline/options.h"
#include "pipeline/refined_run.h"
#include "pipeline/train_binned.h"

/* ---- the histograms' way to make a schema */

static dperm_status plan_extreme(const refined_run *run, bool finest, fit_plan *out,
                                 dperm_error *err) {
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  dperm_error reason = {0};
  dperm_status status = refinement_extreme(run->way, finest, &schema, &reason);
  status = status == DPERM_OK ? refined_run_plan(run, schema, out, &reason) : status;
  if (status != DPERM_OK) {
    FAIL(err, status, "counts may leave %s, and then %s",
         finest ? "very many bins" : "straight lines instead of bins", reason.message);
  }
  return DPERM_OK;
}

/* Which schema will come nobody knows. It lies between two that are known: groups of columns stay
 * groups, or become straight lines, and crosses have at most the pairs of all cells. A kind of
 * noise that both can have all can. */
static dperm_status prepare_counts(refined_run *run, const refinement_terms *terms,
                                   dperm_error *err) {
  fit_plan coarsest, finest;
  TRY(refinement_prepare(run->from->wide, run->seen, terms, run->way, err));
  TRY(plan_extreme(run, false, &coarsest, err));
  TRY(plan_extreme(run, true, &finest, err));
  run->spends_delta = run->options->noise == DPERM_NOISE_AUTO
                          ? run->options->delta > 0
                          : plan_spends_delta(&coarsest.privacy);
  return DPERM_OK;
}

static dperm_status release_counts(refined_run *run, dperm_schema **out, dperm_error *err) {
  return refinement_release(run->way, &run->charge, run->source, out, err);
}

static dperm_status train_by_counts(refined_run *run, const dperm_options *given, double share,
                                    bool all_numeric, dperm_model **out, dperm_error *err) {
  OWNED(refinement_clear) refinement first = {0};
  OWNED(dperm_schema_free_at) dperm_schema *cells = NULL;
  OWNED(dperm_data_free_at) dperm_data *counted = NULL;
  const records *from = run->from;
  TRY(refine_cell_schema(from->wide, &cells, err));
  TRY(refined_run_read(run, cells, &counted, err));
  const dperm_options *o = run->options;
  dperm_status status = refinement_check_data(from->wide, counted, o->neighbours, err);
  TRY(ranks_agree(counted->x->spread, status, err));
  const refine_numbers numbers =
      refinement_numbers(from->wide, options_rows(o, counted), o->epsilon, o->rows_per_person);
  const double usual = refine_rule_share(&numbers);
  if (usual > 0) {
    run->prepare = prepare_counts;
    run->release = release_counts;
    run->way = &first;
    run->seen = counted;
    return refined_run_train(run, isnan(share) ? usual : share, out, err);
  }
  dperm_data_free(counted); /* counts would not pay; asking may */
  counted = NULL;
  return train_binned(run, given, all_numeric, out, err);
}

static dperm_status check_share(double share, dperm_error *err) {
  if (!isnan(share) && !(share >= 0 && share < 1)) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "a share of %g for the refinement; give one above 0 and below 1, or 0 to ask for bins",
         share);
  }
  return DPERM_OK;
}

dperm_status dperm_train_refined_cost(const dperm_schema *wide, size_t rows,
                                      const dperm_options *given, double share, bool all_numeric,
                                      double *counts, double *answer, dperm_error *err) {
  dperm_options o;
  TRY(given_options(given, &o, err));
  TRY(refined_run_check(&o, wide, err));
  TRY(check_share(share, err));
  rows = o.neighbours == DPERM_NEIGHBOURS_ADD_REMOVE ? o.rows_about : rows;
  OWNED(dperm_schema_free_at) dperm_schema *cells = NULL;
  if (share != 0) { /* what cannot be counted is refused now, as then */
    TRY(refine_cell_schema(wide, &cells, err));
  }
  const refine_numbers numbers =
      refine_numbers_of(wide, rows, o.epsilon / (double)o.rows_per_person);
  const double usual = share == 0 ? 0 : refine_rule_share(&numbers);
  double asked = 0;
  if (usual == 0) {
    TRY(train_binned_share(wide, rows, &o, all_numeric, &asked, err));
  }
  const double counted = usual > 0 && !isnan(share) ? share : usual;
  TRY(refined_run_check_rest(&o, (counted + asked) * o.epsilon, asked > 0, err));
  *counts = counted * o.epsilon;
  *answer = asked * o.epsilon;
  return DPERM_OK;
}

dperm_status dperm_train_refined(const dperm_schema *wide, dperm_record_reader *read, void *context,
                                 const dperm_options *given, double share, bool all_numeric,
                                 dperm_model **out, dperm_error *err) {
  dperm_options options;
  const records from = {wide, read, context};
  refined_run run = {.from = &from, .options = &options};
  TRY(given_options(given, &options, err));
  TRY(refined_run_check(&options, wide, err));
  TRY(check_share(share, err));
  return share == 0 ? train_binned(&run, given, all_numeric, out, err)
                    : train_by_counts(&run, given, share, all_numeric, out, err);
}

/* ---- tables */

typedef struct given_table {
  size_t rows;
  const dperm_column *columns, *labels;
  unsigned taken;
} given_table;

/* dperm_record_reader: a refinement leaves columns in their places. */
static dperm_status read_table(void *context, const dperm_schema *schema, dperm_data **out,
                               dperm_error *err) {
  const given_table *t = context;
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  TRY(dperm_data_from_table(schema, t->rows, t->columns, t->labels, &data, err));
  TRY(dperm_data_taken(data, t->taken, err));
  *out = data;
  data = NULL;
  return DPERM_OK;
}

dperm_status dperm_train_refined_table(const dperm_schema *wide, size_t rows,
                                       const dperm_column *columns, const dperm_column *labels,
                                       unsigned taken, const dperm_options *options, double share,
                                       bool all_numeric, dperm_model **out, dperm_error *err) {
  given_table table = {rows, columns, labels, taken};
  return dperm_train_refined(wide, read_table, &table, options, share, all_numeric, out, err);
}
