/* Cells, from the schema alone. A numeric range has 256 cells of equal width, of which coarser
 * grids are made by leaving out cuts; and where amounts of very different sizes may stand, cuts at
 * ±range/2^5, …, ±range/2^16 and at zero besides. A categorical column's cells are its categories.
 * Values that are missing, or that no category lists, are in no cell; values beyond the range are
 * in its first or last one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "refine/refine_counts.h"
#include "schema/auto_bins.h"

enum {
  NEAR_FIRST = 5,
  NEAR_LAST = 16,
  CUTS_MOST = REFINE_CELLS_MOST + 2 * NEAR_LAST + 2 + 2 * AUTO_BINS_MOST
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

/* One cut for two that are so close that they mean the same: "auto" bins have theirs by another
 * formula. */
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
      cuts[made++] = (cell_cut){sign * ldexp(width, 8 - m), REFINE_CELLS_LEAST, 0};
    }
  }
  made += add_auto_cuts(column, cuts + made);
  qsort(cuts, made, sizeof *cuts, compare_cuts);
  for (size_t i = 0; i < made; i++) { /* each once, in the coarsest grid that has it */
    if (kept > 0 && cuts[i].at - cuts[kept - 1].at <= width * 1e-6) {
      cuts[kept - 1] = same_cut(cuts[kept - 1], cuts[i]);
    } else if (cuts[i].at > column->min && cuts[i].at < column->max) {
      cuts[kept++] = cuts[i];
    }
  }
  *count = kept;
  *out = cuts;
  cuts = NULL;
  return DPERM_OK;
}

/* ---- the schema of cells */

/* The column as it is counted: the member "bins" has all cuts, and its own ones are left out. */
static dperm_status numeric_cells(const schema_column *column, const json_t *given, json_t **out,
                                  dperm_error *err) {
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
  return json_made(json_pack("{s:O, s:O, s:O, s:O, s:o}", "name", json_object_get(given, "name"),
                             "type", json_object_get(given, "type"), "min",
                             json_object_get(given, "min"), "max", json_object_get(given, "max"),
                             "bins", bins),
                   out, err);
}

/* Columns none of which could hold more than one entry, and no weight so small that it would be
 * lost; those that are not counted stay what they are, so that a record that cannot be encoded is
 * found now. */
static dperm_status cell_columns(const dperm_schema *wide, json_t **out, dperm_error *err) {
  const json_t *list = json_object_get(wide->json, "columns");
  TRY(json_made(json_array(), out, err));
  for (size_t c = 0; c < wide->column_count; c++) {
    const schema_column *column = &wide->columns[c];
    json_t *cells = NULL, *given = json_array_get(list, c);
    if (!refine_rule_counts(column)) {
      cells = json_incref(given);
    } else if (column->type == COLUMN_CATEGORICAL) {
      cells = json_copy(given);
      (void)json_object_del(cells, "weight");
    } else {
      TRY(numeric_cells(column, given, &cells, err));
    }
    json_append(out, cells);
  }
  return json_made(*out, out, err);
}

dperm_status refine_cell_schema(const dperm_schema *wide, dperm_schema **out, dperm_error *err) {
  json_auto_t *columns = NULL, *json = NULL;
  if (wide->on_missing == MISSING_DROP) {
    FAIL(err, DPERM_INVALID_SCHEMA,
         "the schema drops rows with missing values, so the number of rows depends on the records "
         "and nothing private can be made of them; set \"on_missing\" to \"zero\" or \"category\"");
  }
  if (wide->refined.epsilon > 0) {
    FAIL(err, DPERM_INVALID_SCHEMA,
         "the schema was refined already; refine the wide one that it was made from");
  }
  TRY(cell_columns(wide, &columns, err));
  TRY(json_made(json_copy(wide->json), &json, err));
  TRY(json_put(json, "columns", json_incref(columns), err));
  TRY(json_put(json, "rows", json_string("fixed"), err));
  TRY(json_put(json, "on_missing", json_string("zero"), err));
  (void)json_object_del(json, "crosses");
  return schema_from_json(json, "the schema of cells", out, err);
}
