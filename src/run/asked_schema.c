/* See representation.h. */
#include "run/representation.h"

#include <math.h>

#include "schema/auto_bins.h"

/* ---- before the charge */

/* A figure stands for the number of records where that is private, and the sums must hold for any
 * number that the claim is about. */
static evidence_scope scope_of(const schema_request *q) {
  bool adding = q->options->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  return (evidence_scope){adding, adding ? add_remove_rows_most(q->rows) : q->rows};
}

static dperm_status sums_under(const schema_request *q, const dperm_schema *schema,
                               evidence_sums *out, dperm_error *err) {
  OWNED(data_view_close) dperm_data view = {0};
  TRY(data_view_open(q->data, schema, &view, err));
  return evidence_sums_of(&view, out, err);
}

/* The schema of each answer. */
static dperm_status answer(const schema_request *q, bool bins, dperm_schema **out,
                           dperm_error *err) {
  return schema_resolve(q->data->schema, bins, q->rows, q->claim.epsilon_row, out, err);
}

dperm_status asked_prepare(const schema_request *q, asked_schema *out, dperm_error *err) {
  const dperm_schema *given = q->data->schema;
  OWNED(dperm_schema_free_at) dperm_schema *plain = NULL, *fine = NULL, *coarse = NULL;
  OWNED(evidence_sums_clear) evidence_sums lines = {0}, finest = {0}, coarsest = {0};
  const evidence_scope scope = scope_of(q);
  class_distance without, with;
  fullest_bins fullest = {0};
  for (int bins = 0; bins < 2; bins++) {
    OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
    TRY(answer(q, bins, &schema, err));
    TRY(representation_plan(q, schema, &out->plans[bins], err));
  }
  TRY(schema_resolve(given, false, 0, (double)NAN, &plain, err));
  TRY(schema_resolve(given, true, 0, (double)NAN, &fine, err));
  TRY(schema_resolve(given, true, 1, 1, &coarse, err));
  TRY(sums_under(q, plain, &lines, err));
  TRY(sums_under(q, fine, &finest, err));
  TRY(sums_under(q, coarse, &coarsest, err));
  TRY(class_distance_of(&lines, &scope, &without, err));
  TRY(class_distance_of(&coarsest, &scope, &with, err));
  fullest_bins_add(&finest, plain, false, &fullest);
  fullest_bins_add(&coarsest, plain, true, &fullest);
  out->evidence = bins_evidence_of(&fullest, lines.rows, &scope, &without, &with);
  return DPERM_OK;
}

/* ---- behind it */

dperm_status asked_release(const asked_schema *a, const schema_request *q, random_source *source,
                           dperm_schema **out, dperm_error *err) {
  ranks *spread = q->data->x->spread;
  double epsilon = epsilon_share(q->epsilon, q->options->rows_per_person);
  dperm_status status = DPERM_OK;
  bool bins = false;
  if (ranks_lead(spread)) { /* for all processes */
    bins = bins_wanted(&a->evidence, epsilon, source);
    status = random_check(source, err);
  }
  TRY(ranks_share(spread, status, &bins, sizeof bins, err));
  return answer(q, bins, out, err);
}
