/* See weight_parts.h. */
#include "report/weight_parts.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "schema/auto_bins.h"

void weight_parts_free(weight_parts *parts) {
  free(parts->list);
  *parts = (weight_parts){0};
}

static void add(weight_parts *parts, weight_part part) {
  if (part.count > 0) {
    parts->list[parts->count++] = part;
    parts->lines += part.kind == PART_LINE;
    parts->blocks += part_is_block(&part);
  }
}

static void add_column(const dperm_schema *schema, size_t c, weight_parts *out) {
  const schema_column *column = &schema->columns[c];
  const size_t missing = column->missing_at != SIZE_MAX, end = column->first + column->width,
               levels = end - missing - column->block;
  const bool line = column->type == COLUMN_NUMERIC && !column->binned,
             centred = auto_bins_standardized(column);
  const double entry = schema_entry_bound(schema, column->weight);
  add(out, (weight_part){.kind = PART_LINE,
                         .source = c,
                         .first = column->first,
                         .count = line ? 1 : column->block - column->first,
                         .entry = line ? entry : schema_entry_bound(schema, column->line),
                         .centred = centred});
  add(out, (weight_part){.kind = column->binned ? PART_CELLS : PART_CATEGORIES,
                         .source = c,
                         .first = column->block,
                         .count = line ? 0 : levels,
                         .entry = entry,
                         .compared = levels > 1 && column->reference == LOOKUP_NONE});
  add(out, (weight_part){.kind = PART_MISSING,
                         .source = c,
                         .first = column->missing_at,
                         .count = missing,
                         .entry = entry});
}

static void add_schema(const dperm_schema *schema, weight_parts *out) {
  for (size_t c = 0; c < schema->column_count; c++) {
    const column_type type = schema->columns[c].type;
    if (type == COLUMN_NUMERIC || type == COLUMN_CATEGORICAL) {
      add_column(schema, c, out);
    }
  }
  for (size_t i = 0; i < schema->cross_count; i++) {
    const schema_cross *cross = &schema->crosses[i];
    add(out,
        (weight_part){.kind = cross->after_fit ? PART_AFTER_FIT : PART_PAIRS,
                      .source = i,
                      .first = cross->first,
                      .count = cross->width,
                      .entry = cross->after_fit ? 1 : schema_entry_bound(schema, cross->weight),
                      .compared = !cross->after_fit && cross->width > 1});
  }
  add(out, (weight_part){.kind = PART_INTERCEPT,
                         .first = schema->dims - 1,
                         .count = schema->intercept,
                         .entry = schema_entry_bound(schema, 1)});
}

/* Rows without a schema: numbers within ± their norm, of which most may be far shorter. */
static void add_rows(const dperm_model *model, weight_parts *out) {
  const bool intercept = model->intercept != 0;
  for (size_t j = 0; j + intercept < model->inputs; j++) {
    add(out,
        (weight_part){
            .kind = PART_LINE, .source = j, .first = j, .count = 1, .entry = model->norm_bound});
  }
  add(out, (weight_part){.kind = PART_INTERCEPT,
                         .first = model->inputs - 1,
                         .count = intercept,
                         .entry = fabs(model->intercept)});
}

dperm_status weight_parts_of(const dperm_model *model, weight_parts *out, dperm_error *err) {
  const dperm_schema *schema = model->schema;
  const size_t most = schema ? 3 * schema->column_count + schema->cross_count + 1 : model->inputs;
  TRY(memory_new(most, sizeof *out->list, &out->list, err));
  if (schema) {
    add_schema(schema, out);
  } else {
    add_rows(model, out);
  }
  return DPERM_OK;
}
