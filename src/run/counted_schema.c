/* See counted_schema.h. */
#include "run/counted_schema.h"

#include "random/discrete_sampling.h"
#include "run/fit_plan.h"

void counted_clear(counted_schema *c) {
  refine_counts_clear(&c->counts);
  dperm_schema_free(c->cells);
  *c = (counted_schema){0};
}

/* ---- before a charge */

/* Whether the records can be counted, and their number is public. */
static dperm_status check_data(const dperm_data *data, dperm_neighbours neighbours,
                               dperm_error *err) {
  if (!data->table) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "refine counts records that a schema describes, and these rows have none");
  }
  TRY(neighbours == DPERM_NEIGHBOURS_REPLACE ? data_check_any(data, err) : DPERM_OK);
  return check_rows_public(data->schema, data->doubts, err);
}

static dperm_status open_counts(const dperm_data *data, const count_terms *terms,
                                counted_schema *out, dperm_error *err) {
  const dperm_schema *wide = data->schema;
  TRY(check_data(data, terms->neighbours, err));
  TRY(refine_cell_schema(wide, &out->cells, err));
  out->data = data;
  out->numbers =
      refine_numbers_of(wide, terms->rows, terms->whole / (double)terms->rows_per_person);
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
  return refine_counts_new(wide, out->cells, &out->numbers, &out->counts, err);
}

dperm_status counted_prepare(const dperm_data *data, const count_terms *terms, counted_schema *out,
                             dperm_error *err) {
  OWNED(data_view_close) dperm_data view = {0};
  TRY(ranks_agree(data->x->spread, open_counts(data, terms, out, err), err));
  TRY(data_view_open(data, out->cells, &view, err));
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

/* ---- behind it */

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
