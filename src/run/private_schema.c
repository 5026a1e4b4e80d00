/* See private_schema.h. */
#include "run/private_schema.h"

#include <math.h>

#include "base/memory.h"
#include "random/discrete_sampling.h"
#include "schema/resolve_bins.h"

/* ---- SCHEMA_ASKED, before the charge */

/* A figure stands for the number of records where that is private, and the sums must hold for any
 * number that the claim is about. */
static evidence_scope scope_of(const run *r) {
  bool adding = r->options->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  return (evidence_scope){adding, adding ? add_remove_rows_most(r->rows) : r->rows};
}

/* The records that are asked; NULL for all of them. The leader draws. */
static dperm_status draw_sample(const dperm_data *data, const evidence_sample *sample,
                                random_source *source, size_t **out, size_t *count,
                                dperm_error *err) {
  ranks *spread = data->x->spread;
  const size_t all = rows_in_all(data->x);
  if (sample->halvings == 0) {
    return DPERM_OK;
  }
  dperm_status status = ranks_lead(spread) ? evidence_draw(sample, all, source, out, count, err)
                                           : memory_raw(all, sizeof **out, out, err);
  TRY(ranks_share(spread, status, count, sizeof *count, err));
  return ranks_share(spread, DPERM_OK, *out, *count * sizeof **out, err);
}

static dperm_status sums_under(const dperm_data *data, const size_t *drawn, size_t count,
                               const dperm_schema *schema, evidence_sums *out, dperm_error *err) {
  OWNED(data_view_close) dperm_data view = {0};
  TRY(data_view_open(data, schema, &view, err));
  return evidence_sums_of(&view, drawn, count, out, err);
}

/* The schema of each answer. */
static dperm_status answer(const run *r, const dperm_schema *schema, bool bins, dperm_schema **out,
                           dperm_error *err) {
  return schema_resolve(schema, bins, r->rows, r->claim.epsilon_row, out, err);
}

dperm_status asked_prepare(const run *r, const dperm_data *data, random_source *source,
                           asked_schema *out, dperm_error *err) {
  const dperm_schema *given = data->schema;
  OWNED_MEMORY size_t *drawn = NULL;
  size_t count = 0;
  OWNED(dperm_schema_free_at) dperm_schema *plain = NULL, *fine = NULL, *coarse = NULL;
  OWNED(evidence_sums_clear) evidence_sums lines = {0}, finest = {0}, coarsest = {0};
  const evidence_scope scope = scope_of(r);
  class_distance without, with;
  fullest_bins fullest = {0};
  for (int bins = 0; bins < 2; bins++) {
    OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
    TRY(answer(r, given, bins, &schema, err));
    TRY(representation_plan(r, schema, &out->plans[bins], err));
  }
  TRY(schema_resolve(given, false, 0, (double)NAN, &plain, err));
  TRY(schema_resolve(given, true, 0, (double)NAN, &fine, err));
  TRY(schema_resolve(given, true, 1, 1, &coarse, err));
  out->sample =
      evidence_sample_for(r->rows, epsilon_share(r->how.epsilon, r->options->rows_per_person));
  TRY(draw_sample(data, &out->sample, source, &drawn, &count, err));
  TRY(sums_under(data, drawn, count, plain, &lines, err));
  TRY(sums_under(data, drawn, count, fine, &finest, err));
  TRY(sums_under(data, drawn, count, coarse, &coarsest, err));
  TRY(class_distance_of(&lines, &scope, &without, err));
  TRY(class_distance_of(&coarsest, &scope, &with, err));
  fullest_bins_add(&finest, plain, false, &fullest);
  fullest_bins_add(&coarsest, plain, true, &fullest);
  out->evidence = bins_evidence_of(&fullest, lines.rows, &scope, &without, &with);
  return DPERM_OK;
}

/* ---- behind it */

dperm_status asked_release(const asked_schema *a, const run *r, const dperm_data *data,
                           random_source *source, dperm_schema **out, dperm_error *err) {
  ranks *spread = data->x->spread;
  dperm_status status = DPERM_OK;
  bool bins = false;
  if (ranks_lead(spread)) { /* for all processes */
    bins = bins_wanted(&a->evidence, a->sample.epsilon, source);
    status = random_check(source, err);
  }
  TRY(ranks_share(spread, status, &bins, sizeof bins, err));
  return answer(r, data->schema, bins, out, err);
}

/* ---- SCHEMA_COUNTED */

void counted_clear(counted_schema *c) {
  refine_counts_clear(&c->counts);
  dperm_schema_free(c->cells);
  *c = (counted_schema){0};
}

/* Whether the records can be counted, and their number is public. */
static dperm_status check_data(const dperm_data *data, dperm_neighbours neighbours,
                               dperm_error *err) {
  FAIL_IF(!data->table, err, DPERM_INVALID_ARGUMENT,
          "refine counts records that a schema describes, and these rows have none");
  TRY(neighbours == DPERM_NEIGHBOURS_REPLACE ? data_check_any(data, err) : DPERM_OK);
  return check_rows_public(data, err);
}

static dperm_status open_counts(const counts_request *q, counted_schema *out, dperm_error *err) {
  const dperm_schema *wide = q->data->schema;
  TRY(check_data(q->data, q->neighbours, err));
  TRY(refine_cell_schema(wide, &out->cells, err));
  out->data = q->data;
  out->numbers = refine_numbers_of(wide, q->rows, q->whole / (double)q->rows_per_person);
  out->claim = guarantee_with(
      guarantee_of_histograms(q->epsilon, q->rows_per_person, out->numbers.counted, q->neighbours),
      q->reasons);
  double rate = ratio_value(ratio_below(out->claim.epsilon_class));
  FAIL_IF(
      !(q->epsilon > 0 && q->epsilon < 1e6) || !(rate >= 1e-12), err, DPERM_INVALID_ARGUMENT,
      "refine has an epsilon of %g; it must be below 1e6 and have at least 1e-12 for each count: "
      "give it a larger share",
      q->epsilon);
  out->numbers.scale = 1 / rate;
  return refine_counts_new(wide, out->cells, &out->numbers, &out->counts, err);
}

dperm_status counted_prepare(const counts_request *q, counted_schema *out, dperm_error *err) {
  OWNED(data_view_close) dperm_data view = {0};
  TRY(ranks_agree(q->data->x->spread, open_counts(q, out, err), err));
  TRY(data_view_open(q->data, out->cells, &view, err));
  return refine_counts_add(&view, &out->counts, err);
}

/* Bins and categories that are empty are merged, all of them; what is full is never. */
dperm_status counted_extreme(const counted_schema *c, bool finest, dperm_schema **out,
                             dperm_error *err) {
  OWNED(refine_counts_clear) refine_counts made_up = {0};
  TRY(refine_counts_new(c->data->schema, c->cells, &c->numbers, &made_up, err));
  for (size_t i = 0; finest && i < made_up.count; i++) {
    for (size_t k = 0; k < made_up.columns[i].cells; k++) {
      made_up.columns[i].counts[k] = INT64_C(1) << 50;
    }
  }
  return refine_schema_make(c->data->schema, &made_up, &c->numbers, out, err);
}

dperm_status counted_release(counted_schema *c, random_source *source, dperm_schema **out,
                             dperm_error *err) {
  ranks *spread = c->data->x->spread;
  dperm_status status = DPERM_OK;
  if (ranks_lead(spread)) {
    refine_blur(&c->counts, &c->claim, source);
    status = random_check(source, err); /* after the last draw, before anything leaves */
  }
  for (size_t i = 0; i < c->counts.count; i++) {
    cell_counts *column = &c->counts.columns[i];
    TRY(ranks_share(spread, status, column->counts, column->cells * sizeof *column->counts, err));
  }
  TRY(status);
  return refine_schema_make(c->data->schema, &c->counts, &c->numbers, out, err);
}
