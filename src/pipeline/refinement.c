/* See refinement.h. */
#include "pipeline/refinement.h"

#include <math.h>
#include <string.h>

#include "pipeline/fit_check.h"
#include "random/discrete_sampling.h"

void refinement_clear(refinement *r) {
  refine_counts_clear(&r->counts);
}

/* ---- before a charge */

dperm_status refinement_check_data(const dperm_schema *wide, const dperm_data *data,
                                   dperm_neighbours neighbours, dperm_error *err) {
  OWNED(dperm_schema_free_at) dperm_schema *cells = NULL;
  TRY(neighbours == DPERM_NEIGHBOURS_REPLACE ? data_check_any(data, err) : DPERM_OK);
  TRY(refine_cell_schema(wide, &cells, err));
  if (!data->schema || !json_equal(data->schema->json, cells->json)) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "the rows were not encoded under the schema of cells; read the records with the one that "
         "dperm_refine_cells makes");
  }
  return check_rows_public(wide, data->doubts, err);
}

refine_numbers refinement_numbers(const dperm_schema *wide, size_t rows, double whole,
                                  size_t rows_per_person) {
  return refine_numbers_of(wide, rows, whole / (double)rows_per_person);
}

dperm_status refinement_prepare(const dperm_schema *wide, const dperm_data *data,
                                const refinement_terms *terms, refinement *out, dperm_error *err) {
  out->wide = wide;
  out->data = data;
  out->numbers = refinement_numbers(wide, terms->rows, terms->whole, terms->rows_per_person);
  out->claim = guarantee_with(guarantee_of_histograms(terms->epsilon, terms->rows_per_person,
                                                      out->numbers.counted, terms->neighbours),
                              terms->reasons);
  double rate = ratio_value(ratio_below(out->claim.epsilon_class));
  if (!(terms->epsilon > 0 && terms->epsilon < 1e6) || !(rate >= 1e-12)) {
    FAIL(
        err, DPERM_INVALID_ARGUMENT,
        "refine has an epsilon of %g; it must be below 1e6 and have at least 1e-12 for each count: "
        "give it a larger share",
        terms->epsilon);
  }
  out->numbers.scale = 1 / rate;
  TRY(refine_counts_new(wide, data->schema, &out->numbers, &out->counts, err));
  return refine_counts_add(data, &out->counts, err);
}

/* What the schema says of itself. */
static schema_refined cost_of(const refinement *r) {
  return (schema_refined){.epsilon = r->claim.epsilon,
                          .rows_per_person = r->claim.rows_per_person,
                          .neighbours = r->claim.neighbours,
                          .is_private = guarantee_is_private(&r->claim)};
}

/* Bins and categories that are empty are merged, all of them; what is full is never. */
dperm_status refinement_extreme(const refinement *r, bool finest, dperm_schema **out,
                                dperm_error *err) {
  OWNED(refine_counts_clear) refine_counts made_up = {0};
  const schema_refined cost = cost_of(r);
  TRY(refine_counts_new(r->wide, r->data->schema, &r->numbers, &made_up, err));
  for (size_t i = 0; finest && i < made_up.count; i++) {
    for (size_t c = 0; c < made_up.columns[i].cells; c++) {
      made_up.columns[i].counts[c] = INT64_C(1) << 50;
    }
  }
  return refine_schema_make(r->wide, &made_up, &r->numbers, &cost, out, err);
}

/* ---- behind it */

static dperm_status blur(refinement *r, random_source *source, dperm_error *err) {
  ranks *spread = r->data->x->spread;
  dperm_status status = DPERM_OK;
  if (ranks_lead(spread)) {
    refine_blur(&r->counts, &r->claim, source);
    status = random_check(source, err); /* after the last draw, before anything leaves */
  }
  for (size_t i = 0; i < r->counts.count; i++) {
    cell_counts *column = &r->counts.columns[i];
    TRY(ranks_share(spread, status, column->counts, column->cells * sizeof *column->counts, err));
  }
  return status;
}

dperm_status refinement_release(refinement *r, const dperm_charge *charge, random_source *source,
                                dperm_schema **out, dperm_error *err) {
  schema_refined cost = cost_of(r);
  struct {
    uint64_t entry;
    char receipt[DPERM_DIGEST_SIZE];
  } paid = {.entry = charge->entry};
  memcpy(paid.receipt, charge->digest, sizeof paid.receipt);
  TRY(blur(r, source, err));
  TRY(ranks_share(r->data->x->spread, DPERM_OK, &paid, sizeof paid, err)); /* the leader paid */
  cost.entry = paid.entry;
  memcpy(cost.receipt, paid.receipt, sizeof cost.receipt);
  return refine_schema_make(r->wide, &r->counts, &r->numbers, &cost, out, err);
}
