/* See train_binned.h. The records are read as lines and with the finest bins, before the charge,
 * and under the schema that they chose, behind it. */
#include "pipeline/train_binned.h"

#include <math.h>
#include <string.h>

#include "dperm/bins.h"
#include "pipeline/options.h"
#include "refine/bins_evidence.h"
#include "schema/schema_refined.h"

/* The evidence has n·ε₁ = 360 at least, at which its noise does not drown it on the sets that the
 * rule was chosen on, and three hundredths of epsilon where that is more. Where n·ε is
 * below 2600 the answer would cost more than it brings. */
static const double evidence_least = 360, share_least = 0.03, share_most = 360.0 / 2600;

typedef struct binned_way {
  refinement_terms terms;
  bins_evidence evidence;
} binned_way;

/* ---- schemas */

/* With `all`, or without, bins in place of those that wait for numbers; rows of 0: the finest. */
static dperm_status resolved(const dperm_schema *wide, bool all, size_t rows, double epsilon,
                             dperm_schema **out, dperm_error *err) {
  dperm_resolve_options how;
  dperm_resolve_options_init(&how);
  how.rows = rows;
  how.epsilon = epsilon;
  how.all_numeric = all;
  return dperm_schema_resolve(wide, &how, out, err);
}

/* Without bins where none are given. */
static dperm_status lines_schema(const dperm_schema *wide, dperm_schema **out, dperm_error *err) {
  return resolved(wide, false, 0, (double)NAN, out, err);
}

dperm_status train_binned_share(const dperm_schema *wide, size_t rows, const dperm_options *options,
                                bool all_numeric, double *out, dperm_error *err) {
  OWNED(dperm_schema_free_at) dperm_schema *lines = NULL, *bins = NULL;
  double work = (double)rows * options->epsilon / (double)options->rows_per_person;
  TRY(lines_schema(wide, &lines, err));
  TRY(resolved(wide, all_numeric, 0, (double)NAN, &bins, err));
  bool asks = !json_equal(lines->json, bins->json) && wide->refined.epsilon == 0;
  bool pays = work * share_most >= evidence_least;
  *out = asks && pays && wide->classes.count == 2 ? fmax(share_least, evidence_least / work) : 0;
  return DPERM_OK;
}

/* ---- before the charge */

/* The plan of the fit under the schema that the answer leads to. */
static dperm_status plan_under(const refined_run *run, bool bins, fit_plan *out, dperm_error *err) {
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  TRY(resolved(run->from->wide, bins, options_rows(run->options, run->seen), run->claim.epsilon_row,
               &schema, err));
  return refined_run_plan(run, schema, out, err);
}

/* There are two schemas that may come: the charge is for either, and for the answer. */
static dperm_status price(refined_run *run, const refinement_terms *terms, dperm_error *err) {
  fit_plan lines, bins;
  TRY(plan_under(run, false, &lines, err));
  TRY(plan_under(run, true, &bins, err));
  run->curve = curve_of_both(&lines.curve, &bins.curve);
  run->curve.pure = terms->epsilon + options_calibrated(run->options);
  run->spends_delta = plan_spends_delta(&lines.privacy) || plan_spends_delta(&bins.privacy);
  return DPERM_OK;
}

/* A figure stands for the number of records where that is private, and the sums must hold for any
 * number that the claim is about. */
static evidence_scope scope_of(const refinement_terms *terms) {
  bool adding = terms->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  return (evidence_scope){adding, adding ? add_remove_rows_most(terms->rows) : terms->rows};
}

static dperm_status prepare(refined_run *run, const refinement_terms *terms, dperm_error *err) {
  binned_way *way = run->way;
  const dperm_schema *plain = run->seen->schema;
  OWNED(dperm_schema_free_at) dperm_schema *fine = NULL, *coarse = NULL;
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  class_distance lines, bins;
  fullest_bins fullest = {0};
  const evidence_scope scope = scope_of(terms);
  way->terms = *terms;
  TRY(price(run, terms, err));
  TRY(class_distance_of(run->seen, &scope, &lines, err));
  TRY(resolved(run->from->wide, true, 0, (double)NAN, &fine, err));
  TRY(resolved(run->from->wide, true, 1, 1, &coarse, err));
  TRY(refined_run_read(run, fine, &data, err));
  TRY(fullest_bins_add(data, plain, false, &fullest, err));
  TRY(dperm_data_merge_bins(data, coarse, err));
  TRY(fullest_bins_add(data, plain, true, &fullest, err));
  TRY(class_distance_of(data, &scope, &bins, err));
  way->evidence = bins_evidence_of(&fullest, rows_in_all(data->x), &scope, &lines, &bins);
  return DPERM_OK;
}

/* ---- behind it */

/* The leader asks for all processes. */
static dperm_status ask(const refined_run *run, bool *bins, dperm_error *err) {
  const binned_way *way = run->way;
  ranks *spread = run->seen->x->spread;
  double epsilon = epsilon_share(way->terms.epsilon, way->terms.rows_per_person);
  dperm_status status = DPERM_OK;
  *bins = false;
  if (ranks_lead(spread)) {
    *bins = bins_wanted(&way->evidence, epsilon, run->source);
    status = random_check(run->source, err);
  }
  return ranks_share(spread, status, bins, sizeof *bins, err);
}

static dperm_status release(refined_run *run, dperm_schema **out, dperm_error *err) {
  const binned_way *way = run->way;
  const guarantee claim =
      guarantee_with(guarantee_of_counts(way->terms.epsilon, way->terms.rows_per_person, false,
                                         way->terms.neighbours),
                     way->terms.reasons);
  OWNED(dperm_schema_free_at) dperm_schema *chosen = NULL;
  schema_refined cost = {.epsilon = way->terms.epsilon,
                         .rows_per_person = way->terms.rows_per_person,
                         .neighbours = way->terms.neighbours,
                         .is_private = guarantee_is_private(&claim)};
  struct {
    uint64_t entry;
    char receipt[DPERM_DIGEST_SIZE];
  } paid = {.entry = run->charge.entry};
  bool bins = false;
  memcpy(paid.receipt, run->charge.digest, sizeof paid.receipt);
  TRY(ask(run, &bins, err));
  TRY(ranks_share(run->seen->x->spread, DPERM_OK, &paid, sizeof paid, err)); /* the leader paid */
  cost.entry = paid.entry;
  memcpy(cost.receipt, paid.receipt, sizeof cost.receipt);
  TRY(resolved(run->from->wide, bins, way->terms.rows, run->claim.epsilon_row, &chosen, err));
  json_auto_t *json = json_deep_copy(chosen->json);
  if (!json || json_object_set_new(json, "refined", schema_refined_json(&cost)) != 0) {
    FAIL(err, DPERM_OUT_OF_MEMORY, "out of memory while making a schema");
  }
  return schema_from_json(json, "the refined schema", out, err);
}

/* ---- the run */

dperm_status train_binned(refined_run *run, const dperm_options *given, bool all_numeric,
                          dperm_model **out, dperm_error *err) {
  OWNED(dperm_schema_free_at) dperm_schema *plain = NULL, *settled = NULL;
  OWNED(dperm_data_free_at) dperm_data *lines = NULL;
  const dperm_options *o = run->options;
  const dperm_schema *wide = run->from->wide;
  binned_way way = {0};
  size_t fit_rows = 0;
  double fit_epsilon = 0, share = 0;
  TRY(lines_schema(wide, &plain, err));
  TRY(refined_run_read(run, plain, &lines, err));
  TRY(train_binned_share(wide, options_rows(o, lines), o, all_numeric, &share, err));
  if (share > 0 && lines->x->kind->entries) {
    run->prepare = prepare;
    run->release = release;
    run->asks = true;
    run->way = &way;
    run->seen = lines;
    return refined_run_train(run, share, out, err);
  }
  TRY(dperm_train_share(rows_in_all(lines->x), data_class_count(lines), o, &fit_rows, &fit_epsilon,
                        err));
  TRY(resolved(wide, false, fit_rows, fit_epsilon, &settled, err));
  if (dperm_schema_unresolved(wide, 0)) {
    TRY(dperm_data_merge_bins(lines, settled, err));
  }
  return dperm_train(lines, given, out, err);
}
