/* "auto" bins become those that the rule (auto_bins.c) finds for a number of rows and epsilon. They
 * are written into the schema's JSON, so that a model holds what was used. */
#include <math.h>

#include "base/json_text.h"
#include "base/sized.h"
#include "dperm/bins.h"
#include "schema/auto_bins.h"
#include "schema/schema_bins.h"

static const sized_struct resolve_struct = SIZED_STRUCT(dperm_resolve_options, reserved);
/* What numeric columns without "bins" get is decided here alone: command and Python ask. */
static const dperm_resolve_options resolve_defaults = {.epsilon = (double)NAN};

void dperm_resolve_options_init_sized(dperm_resolve_options *options, size_t size) {
  sized_init(&resolve_struct, &resolve_defaults, options, size);
}

static bool wants_bins(const schema_column *column, bool all_numeric) {
  return column->type == COLUMN_NUMERIC && !column->binned &&
         (column->bins_auto || (all_numeric && !auto_bins_standardized(column)));
}

bool dperm_schema_unresolved(const dperm_schema *schema, bool all_numeric) {
  for (size_t i = 0; i < schema->column_count; i++) {
    if (wants_bins(&schema->columns[i], all_numeric)) {
      return true;
    }
  }
  return false;
}

/* ---- the rule, as JSON */

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

static dperm_status check_numbers(const dperm_resolve_options *how, dperm_error *err) {
  if (!isnan(how->epsilon) && !(how->epsilon > 0 && isfinite(how->epsilon))) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "epsilon = %g; it must be positive and finite", how->epsilon);
  }
  return DPERM_OK;
}

dperm_status dperm_schema_resolve(const dperm_schema *schema, const dperm_resolve_options *given,
                                  dperm_schema **out, dperm_error *err) {
  dperm_resolve_options how = resolve_defaults;
  TRY(sized_take(&resolve_struct, given, &how, err));
  TRY(check_numbers(&how, err));
  if (!dperm_schema_unresolved(schema, how.all_numeric)) {
    *out = schema_share(schema);
    return DPERM_OK;
  }
  const bin_numbers paid = auto_bins_paid(how.rows, how.epsilon, schema_encoded_columns(schema));
  json_auto_t *json = json_deep_copy(schema->json);
  json_t *list = json_object_get(json, "columns");
  for (size_t i = 0; i < schema->column_count; i++) {
    const schema_column *column = &schema->columns[i];
    if (wants_bins(column, how.all_numeric) &&
        json_object_set_new(json_array_get(list, i), "bins", bins_of(column, paid)) != 0) {
      FAIL(err, DPERM_OUT_OF_MEMORY, "out of memory while resolving the schema");
    }
  }
  return schema_from_json(json, "schema", out, err);
}
