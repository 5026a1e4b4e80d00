/* Two schemas: that of the cells in which records are counted, from the wide one alone, and that
 * which noisy counts lead to. A numeric range has 256 cells of equal width, of which coarser
 * grids are made by leaving out cuts; and where amounts of very different sizes may stand, cuts at
 * ±range/2^5, …, ±range/2^16 and at zero besides, or at ±range/2^30 where the range begins or ends
 * at zero, which has then a cell of its own. A categorical column's cells are its categories.
 * Values that are missing, or that no category lists, are in no cell; values beyond the range are
 * in its first or last one. */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "refine/refine_counts.h"
#include "schema/auto_bins.h"

enum {
  NEAR_FIRST = 5,
  NEAR_LAST = 16,
  NEAR_GRID = 128, /* the coarsest grid with all of these cuts; coarser ones have every other */
  NEAREST = 30,
  CUTS_MOST = REFINE_CELLS_MOST + 2 * NEAR_LAST + 4 + 2 * AUTO_BINS_MOST
};

/* ---- cuts */

static int compare_cuts(const void *a, const void *b) {
  const cell_cut *first = a, *second = b;
  return (first->at > second->at) - (first->at < second->at);
}

/* The smallest grid that has cut i of the finest. */
static size_t grid_of(size_t i) {
  size_t grid = REFINE_CELLS_MOST;
  for (; i % 2 == 0 && grid > REFINE_CELLS_LEAST; i /= 2) {
    grid /= 2;
  }
  return grid;
}

/* The cuts of all numbers of "auto" bins, each with the smallest that has it. */
static size_t add_auto_cuts(const schema_column *column, cell_cut *out) {
  size_t made = 0;
  double cuts[AUTO_BINS_MOST];
  for (size_t bins = AUTO_BINS_LEAST; bins <= AUTO_BINS_MOST; bins *= 2) {
    size_t count = auto_bins_cuts(column, bins, cuts);
    count = count == 0 && bins_cut_equally(column, bins, cuts) ? bins - 1 : count;
    for (size_t i = 0; i < count; i++) {
      out[made++] = (cell_cut){cuts[i], REFINE_CELLS_LEAST, bins};
    }
  }
  return made;
}

/* One cut for two so close that they mean the same: "auto" bins have theirs by another formula. */
static cell_cut same_cut(cell_cut a, cell_cut b) {
  bool takes = b.auto_bins > 0 && (a.auto_bins == 0 || b.auto_bins < a.auto_bins);
  return (cell_cut){takes ? b.at : a.at, a.grid < b.grid ? a.grid : b.grid,
                    takes ? b.auto_bins : a.auto_bins};
}

dperm_status refine_cell_cuts(const schema_column *column, cell_cut **out, size_t *count,
                              dperm_error *err) {
  OWNED_MEMORY cell_cut *cuts = NULL;
  size_t made = 0, kept = 0;
  const double finest = REFINE_CELLS_MOST;
  double width = column->max / finest - column->min / finest; /* their difference may be infinite */
  TRY(memory_new(CUTS_MOST, sizeof *cuts, &cuts, err));
  for (size_t i = 1; i < REFINE_CELLS_MOST; i++) {
    cuts[made++] = (cell_cut){column->min + width * (double)i, grid_of(i), 0};
  }
  for (int sign = -1; refine_rule_near_zero(column) && sign <= 1; sign++) {
    for (int m = NEAR_FIRST; m <= (sign ? NEAR_LAST : NEAR_FIRST); m++) {
      size_t grid = (m - NEAR_FIRST) % 2 ? NEAR_GRID : REFINE_CELLS_LEAST;
      cuts[made++] = (cell_cut){sign * ldexp(width, 8 - m), grid, 0};
    }
  }
  for (int sign = -1; (column->min == 0 || column->max == 0) && sign <= 1; sign += 2) {
    cuts[made++] = (cell_cut){sign * ldexp(width, 8 - NEAREST), REFINE_CELLS_LEAST, 0};
  }
  made += add_auto_cuts(column, cuts + made);
  qsort(cuts, made, sizeof *cuts, compare_cuts);
  for (size_t i = 0; i < made; i++) { /* each once, in the coarsest grid that has it */
    if (kept > 0 && cuts[i].at - cuts[kept - 1].at <= width * 1e-8) {
      cuts[kept - 1] = same_cut(cuts[kept - 1], cuts[i]);
    } else if (cuts[i].at > column->min && cuts[i].at < column->max) {
      cuts[kept++] = cuts[i];
    }
  }
  *count = kept;
  *out = TAKE(cuts);
  return DPERM_OK;
}

/* ---- the schema of cells */

/* The column as it is counted: the member "bins" has all cuts, and its own ones are left out. Where
 * numbers alone are counted, its line stands beside them, as long as it is without. */
static dperm_status numeric_cells(const schema_column *column, const json_t *given, bool numbers,
                                  json_t **out, dperm_error *err) {
  OWNED_MEMORY cell_cut *cuts = NULL;
  size_t count = 0;
  TRY(refine_cell_cuts(column, &cuts, &count, err));
  json_t *bins = json_array();
  for (size_t i = 0; i < count; i++) {
    json_append(&bins, json_real(cuts[i].at));
  }
  if (count == 0) { /* a range too short to be cut is one cell: its end adds nothing */
    json_append(&bins, json_incref(json_object_get(given, "max")));
  }
  TRY(json_made(json_copy((json_t *)given), out, err));
  (void)json_object_del(*out, "line");
  (void)json_object_del(*out, "weight");
  if (numbers) {
    TRY(json_put(*out, "line", json_real(column->weight), err));
  }
  return json_put(*out, "bins", bins, err);
}

/* Columns none of which could hold more than one entry, and no weight so small that it would be
 * lost. Where numbers alone are counted, categories are not looked at. */
static dperm_status cell_columns(const dperm_schema *wide, bool numbers, json_t **out,
                                 dperm_error *err) {
  const json_t *list = json_object_get(wide->json, "columns");
  TRY(json_made(json_array(), out, err));
  for (size_t c = 0; c < wide->column_count; c++) {
    const schema_column *column = &wide->columns[c];
    json_t *cells = NULL, *given = json_array_get(list, c);
    if (column->type == COLUMN_GROUP || (numbers && column->type == COLUMN_CATEGORICAL)) {
      cells = json_pack("{s:s, s:s}", "name", column->name, "type", "ignore");
    } else if (!refine_rule_counts(column, numbers)) {
      cells = json_incref(given);
    } else if (column->type == COLUMN_CATEGORICAL) {
      cells = json_copy(given);
      (void)json_object_del(cells, "weight");
    } else {
      TRY(numeric_cells(column, given, numbers, &cells, err));
    }
    json_append(out, cells);
  }
  return json_made(*out, out, err);
}

dperm_status refine_cell_schema(const dperm_schema *wide, bool numbers, dperm_schema **out,
                                dperm_error *err) {
  json_auto_t *columns = NULL, *json = NULL;
  FAIL_IF(
      wide->on_missing == MISSING_DROP, err, DPERM_INVALID_SCHEMA,
      "the schema drops rows with missing values, so the number of rows depends on the records "
      "and nothing private can be made of them; set \"on_missing\" to \"zero\" or \"category\"");
  FAIL_IF(wide->refined.epsilon > 0, err, DPERM_INVALID_SCHEMA,
          "the schema was refined already; refine the wide one that it was made from");
  TRY(schema_check_fit(wide, err));
  TRY(cell_columns(wide, numbers, &columns, err));
  TRY(json_made(json_copy(wide->json), &json, err));
  TRY(json_put(json, "columns", json_incref(columns), err));
  TRY(json_put(json, "rows", json_string("fixed"), err));
  TRY(json_put(json, "on_missing", json_string("zero"), err));
  (void)json_object_del(json, "crosses");
  (void)json_object_del(json, "group");
  return schema_from_json(json, "the schema of cells", out, err);
}

/* ---- from noisy counts to a schema: the wide one with other columns */

/* Whether the column's numbers are closer together than its cells can tell: most of them are in one
 * that is as wide as those of equal width. */
static bool cells_are_coarse(const schema_column *column, const cell_counts *counts) {
  size_t i = 0;
  if (!refine_rule_coarse(counts->counts, counts->cells, &i)) {
    return false;
  }
  const double from = i > 0 ? counts->edges[i - 1] : column->min,
               to = i + 1 < counts->cells ? counts->edges[i] : column->max;
  const double width = column_transformed(column, to) - column_transformed(column, from);
  const double all =
      column_transformed(column, column->max) - column_transformed(column, column->min);
  return width * REFINE_CELLS_MOST >= all * 0.999;
}

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
  if (json_array_size(bins) == 0) {
    return DPERM_OK;
  }
  TRY(json_put(column, "bins", json_incref(bins), err));
  return cells_are_coarse(wide, counts) ? json_put(column, "line", json_real(wide->weight), err)
                                        : DPERM_OK;
}

/* The values of category c: its own group's, or its name alone; a text is "*", all others. */
static json_t *values_of(const json_t *given, const schema_column *column, size_t c) {
  json_t *group = json_object_get(json_object_get(given, "groups"), column->categories.names[c]);
  return group ? json_incref(group) : json_pack("[s]", column->categories.names[c]);
}

/* The merged categories are a group with a name that no other has; "*" has all others in it. NULL
 * for want of memory. */
static json_t *make_groups(const json_t *given, const schema_column *column, const bool *merged) {
  char name[32] = "other";
  json_t *groups = json_object(), *rest = json_array();
  bool all = false;
  for (size_t c = 0; c < column->categories.count; c++) {
    json_t *values = values_of(given, column, c);
    if (!merged[c]) {
      json_set(&groups, column->categories.names[c], values);
      continue;
    }
    all = all || json_is_string(values);
    if (!json_is_string(values) && json_array_extend(rest, values) != 0) {
      json_decref(rest);
      rest = NULL;
    }
    json_decref(values);
  }
  for (int i = 2; json_object_get(groups, name); i++) {
    (void)snprintf(name, sizeof name, "other %d", i);
  }
  if (rest && all) {
    json_decref(rest);
    rest = json_string("*");
  }
  json_set(&groups, name, rest);
  return groups;
}

static dperm_status refine_categories(const schema_column *wide, const cell_counts *counts,
                                      const refine_numbers *numbers, bool grouped, json_t *column,
                                      dperm_error *err) {
  OWNED_MEMORY bool *merged = NULL;
  TRY(memory_new(counts->cells, sizeof *merged, &merged, err));
  refine_rule_merge(numbers, counts->counts, counts->cells, merged);
  if (memchr(merged, true, counts->cells) && !grouped) { /* its rates are asked for one by one */
    TRY(json_put(column, "groups", make_groups(column, wide, merged), err));
    (void)json_object_del(column, "values");
  }
  return DPERM_OK;
}

dperm_status refine_schema_make(const dperm_schema *wide, const refine_counts *noisy,
                                const refine_numbers *numbers, dperm_schema **out,
                                dperm_error *err) {
  json_auto_t *json = json_deep_copy(wide->json);
  json_t *columns = json_object_get(json, "columns");
  FAIL_IF(!json_equal(json, wide->json), err, DPERM_OUT_OF_MEMORY,
          "out of memory while making a schema");
  for (size_t i = 0; i < noisy->count; i++) {
    const cell_counts *counts = &noisy->columns[i];
    const schema_column *column = &wide->columns[counts->column];
    json_t *made = json_array_get(columns, counts->column);
    TRY(column->type == COLUMN_NUMERIC
            ? refine_numeric(column, counts, numbers, made, err)
            : refine_categories(column, counts, numbers, counts->column == wide->group, made, err));
  }
  return schema_from_json(json, "the refined schema", out, err);
}
