/* See resolve_bins.h. */
#include "schema/resolve_bins.h"

#include "schema/auto_bins.h"

static bool wants_bins(const schema_column *column, bool all) {
  return column->bins_auto ||
         (all && schema_column_asks(column) && !auto_bins_standardized(column));
}

bool schema_unresolved(const dperm_schema *schema, bool all) {
  for (size_t i = 0; i < schema->column_count; i++) {
    if (wants_bins(&schema->columns[i], all)) {
      return true;
    }
  }
  return false;
}

bool schema_ranges_bin(const dperm_schema *schema) {
  bool whole = true;
  for (size_t i = 0; i < schema->column_count; i++) {
    const schema_column *column = &schema->columns[i];
    whole = whole && (!schema_column_asks(column) || wants_bins(column, true));
  }
  return whole;
}

static json_t *list_of(const double *cuts, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) {
    json_append(&list, json_real(cuts[i]));
  }
  return list;
}

/* Equal widths, fewer where doubles cannot tell so many apart; one bin where they cannot tell any,
 * since a cross may want its values. */
static json_t *equal_widths(const schema_column *column, size_t bins) {
  double cuts[AUTO_BINS_MOST];
  while (bins > 1 && !bins_cut_equally(column, bins, cuts)) {
    bins /= 2;
  }
  return bins > 1 ? json_integer((json_int_t)bins) : list_of(&column->max, 1);
}

static json_t *bins_of(const schema_column *column, bin_numbers paid) {
  double cuts[AUTO_BINS_MOST];
  size_t bins = auto_bins_of(column, paid), count = auto_bins_cuts(column, bins, cuts);
  return count > 0 ? list_of(cuts, count) : equal_widths(column, bins);
}

dperm_status schema_resolve(const dperm_schema *schema, bool all, size_t rows, double epsilon,
                            dperm_schema **out, dperm_error *err) {
  if (!schema_unresolved(schema, all)) {
    *out = schema_share(schema);
    return DPERM_OK;
  }
  const bin_numbers paid = auto_bins_paid(rows, epsilon, schema_encoded_columns(schema));
  json_auto_t *json = json_deep_copy(schema->json);
  json_t *list = json_object_get(json, "columns");
  for (size_t i = 0; i < schema->column_count; i++) {
    const schema_column *column = &schema->columns[i];
    if (wants_bins(column, all)) {
      TRY(json_put(json_array_get(list, i), "bins", bins_of(column, paid), err));
    }
  }
  return schema_from_json(json, "schema", out, err);
}
