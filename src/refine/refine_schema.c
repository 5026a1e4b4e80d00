/* From noisy counts to a schema: the wide one with other columns. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "refine/refine_counts.h"

/* ---- a numeric column */

/* The column with these bins. Where the rule finds none it is a straight line, and where a cross
 * needs bins one of them, which the end of the range is. */
static dperm_status refine_numeric(const schema_column *wide, const cell_counts *counts,
                                   const refine_numbers *numbers, json_t *column,
                                   dperm_error *err) {
  OWNED_MEMORY bool *cut = NULL;
  json_auto_t *bins = NULL;
  TRY(memory_new(counts->cells, sizeof *cut, &cut, err));
  memcpy(cut, counts->auto_cuts, counts->cells * sizeof *cut);
  refine_rule_cuts(numbers, counts->counts, counts->cells, cut);
  TRY(json_made(json_array(), &bins, err));
  for (size_t i = 0; i + 1 < counts->cells; i++) {
    if (cut[i]) {
      json_append(&bins, json_real(counts->edges[i]));
    }
  }
  if (bins && json_array_size(bins) == 0 && wide->crossed) {
    json_append(&bins, json_real(wide->max));
  }
  TRY(json_made(bins, &bins, err));
  (void)json_object_del(column, "line");
  (void)json_object_del(column, "bins");
  return json_array_size(bins) == 0 ? DPERM_OK : json_put(column, "bins", json_incref(bins), err);
}

/* ---- a categorical column */

/* A name for the group of merged categories that no other category has. */
static void name_group(const schema_column *column, const bool *merged, char name[32]) {
  bool taken = true;
  (void)snprintf(name, 32, "other");
  for (int i = 2; taken; i++) {
    taken = false;
    for (size_t c = 0; c < column->categories.count; c++) {
      taken = taken || (!merged[c] && strcmp(column->categories.names[c], name) == 0);
    }
    if (taken) {
      (void)snprintf(name, 32, "other %d", i);
    }
  }
}

/* The values of category c: its own group's, or its name alone; a text is "*", all others. */
static json_t *values_of(const json_t *given, const schema_column *column, size_t c) {
  json_t *group = json_object_get(json_object_get(given, "groups"), column->categories.names[c]);
  return group ? json_incref(group) : json_pack("[s]", column->categories.names[c]);
}

/* Adds the values of one category to those of the group; "*" has the others in it. */
static void join_values(json_t **group, json_t *values) {
  bool all = json_is_string(values), failed = !values;
  if (!all && !json_is_string(*group)) {
    failed = json_array_extend(*group, values) != 0;
  }
  if (all || failed) {
    json_decref(*group);
    *group = all ? json_incref(values) : NULL;
  }
  json_decref(values);
}

/* NULL for want of memory. */
static json_t *make_groups(const json_t *given, const schema_column *column, const bool *merged) {
  char name[32];
  json_t *groups = json_object(), *rest = json_array();
  for (size_t c = 0; c < column->categories.count; c++) {
    json_t *values = values_of(given, column, c);
    if (merged[c]) {
      join_values(&rest, values);
    } else {
      json_set(&groups, column->categories.names[c], values);
    }
  }
  name_group(column, merged, name);
  json_set(&groups, name, rest);
  return groups;
}

static dperm_status refine_categories(const schema_column *wide, const cell_counts *counts,
                                      const refine_numbers *numbers, json_t *column,
                                      dperm_error *err) {
  OWNED_MEMORY bool *merged = NULL;
  TRY(memory_new(counts->cells, sizeof *merged, &merged, err));
  refine_rule_merge(numbers, counts->counts, counts->cells, merged);
  if (memchr(merged, true, counts->cells)) {
    TRY(json_put(column, "groups", make_groups(column, wide, merged), err));
    (void)json_object_del(column, "values");
  }
  return DPERM_OK;
}

/* ---- all of it */

dperm_status refine_schema_make(const dperm_schema *wide, const refine_counts *noisy,
                                const refine_numbers *numbers, dperm_schema **out,
                                dperm_error *err) {
  json_auto_t *json = json_deep_copy(wide->json);
  json_t *columns = json_object_get(json, "columns");
  if (!json_equal(json, wide->json)) {
    FAIL(err, DPERM_OUT_OF_MEMORY, "out of memory while making a schema");
  }
  for (size_t i = 0; i < noisy->count; i++) {
    const cell_counts *counts = &noisy->columns[i];
    const schema_column *column = &wide->columns[counts->column];
    json_t *made = json_array_get(columns, counts->column);
    TRY(column->type == COLUMN_NUMERIC ? refine_numeric(column, counts, numbers, made, err)
                                       : refine_categories(column, counts, numbers, made, err));
  }
  return schema_from_json(json, "the refined schema", out, err);
}
