/* Bins that are merged when rows are there already. Bins that "auto" leads to follow from the
 * number of rows, which is known when the last one is read: so records are encoded with the finest
 * bins that any number leads to, and these are merged in place. A row becomes what encoding it
 * under the coarser schema gives, to the bit: no weight and no bound of an entry changes, so
 * neither does its divisor, and a block has one entry at most before and after. */
#include "base/defect.h"
#include "base/memory.h"
#include "base/ranks.h"
#include "data/dataset.h"
#include "dperm/bins.h"

/* ---- which bin becomes which */

/* The bin of `coarse` that begins at or below the beginning of this one of `fine`. */
static size_t bin_around(const schema_column *fine, size_t bin, const schema_column *coarse) {
  size_t at = 0;
  while (bin > 0 && at < coarse->cut_count && coarse->cuts[at] <= fine->cuts[bin - 1]) {
    at++;
  }
  return at;
}

/* A value that a cross tells apart; "missing", the last, stays that. */
static size_t level_around(const schema_column *fine, size_t level, const schema_column *coarse) {
  if (!fine->binned) {
    return level;
  }
  return level < column_bins(fine) ? bin_around(fine, level, coarse)
                                   : level - column_bins(fine) + column_bins(coarse);
}

static bool cuts_among(const schema_column *coarse, const schema_column *fine) {
  size_t f = 0;
  for (size_t i = 0; i < coarse->cut_count; i++, f++) {
    while (f < fine->cut_count && fine->cuts[f] < coarse->cuts[i]) {
      f++;
    }
    if (f == fine->cut_count || fine->cuts[f] != coarse->cuts[i]) {
      return false;
    }
  }
  return coarse->binned == fine->binned;
}

/* All but "bins". */
static json_t *rest_of(const dperm_schema *schema) {
  json_t *copy = json_deep_copy(schema->json), *column;
  size_t i;
  json_array_foreach(json_object_get(copy, "columns"), i, column) {
    (void)json_object_del(column, "bins");
  }
  return copy;
}

static dperm_status check_merge(const dperm_data *data, const dperm_schema *coarse,
                                dperm_error *err) {
  const dperm_schema *fine = data->schema;
  if (!fine || data->origin != ORIGIN_SCHEMA || data->encoded) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "only rows that were read under a schema have bins to merge; those of an encoded file are "
         "settled");
  }
  TRY(schema_check_resolved(coarse, err));
  json_auto_t *rest = rest_of(fine), *other = rest_of(coarse);
  bool among = rest && other && json_equal(rest, other) && fine->min_divisor == coarse->min_divisor;
  for (size_t i = 0; among && i < fine->column_count; i++) {
    among = cuts_among(&coarse->columns[i], &fine->columns[i]);
  }
  if (!among) {
    FAIL(err, DPERM_INVALID_SCHEMA,
         "the schema is not that of the rows with fewer cuts; read the records under it");
  }
  return DPERM_OK;
}

/* Where each encoded column of `fine` goes. */
static void map_columns(const dperm_schema *fine, const dperm_schema *coarse, uint32_t *map) {
  for (size_t i = 0; i < fine->column_count; i++) {
    const schema_column *from = &fine->columns[i], *to = &coarse->columns[i];
    for (size_t j = 0; j < from->width; j++) {
      size_t line = from->block - from->first;
      size_t at = j < line ? to->first : to->block + level_around(from, j - line, to);
      map[from->first + j] = (uint32_t)at;
    }
  }
  for (size_t i = 0; i < fine->cross_count; i++) {
    const schema_cross *from = &fine->crosses[i], *to = &coarse->crosses[i];
    const schema_column *a = &fine->columns[from->columns[0]],
                        *b = &fine->columns[from->columns[1]];
    const schema_column *c = &coarse->columns[to->columns[0]],
                        *d = &coarse->columns[to->columns[1]];
    for (size_t pair = 0; pair < from->width; pair++) {
      size_t first = level_around(a, pair / b->levels, c);
      size_t second = level_around(b, pair % b->levels, d);
      map[from->first + pair] = (uint32_t)(to->first + first * d->levels + second);
    }
  }
  if (fine->intercept) {
    map[fine->dims - 1] = (uint32_t)(coarse->dims - 1);
  }
}

/* Of a defect: the first encoded column that no record has goes, as if that were known in public.
 */
static void leave_empty(const dperm_data *data, const dperm_schema *coarse, uint32_t *map) {
  size_t column = 0;
  for (bool used = true; used && column < coarse->dims; column += used) {
    used = false;
    for (size_t i = 0; i < data->x->rows; i++) {
      const uint32_t *columns = NULL;
      const double *values = NULL;
      size_t count = data->x->kind->entries(data->x, i, &columns, &values);
      for (size_t e = 0; e < count; e++) {
        used = used || map[columns[e]] == column;
      }
    }
  }
  for (size_t j = 0; j < data->x->cols; j++) {
    map[j] -= map[j] > column;
  }
}

static dperm_status make_map(const dperm_data *data, const dperm_schema *coarse, uint32_t **map,
                             dperm_error *err) {
  TRY(check_merge(data, coarse, err));
  TRY(memory_new(data->x->cols, sizeof **map, map, err));
  map_columns(data->schema, coarse, *map);
  if (DEFECT("bins-left")) {
    leave_empty(data, coarse, *map);
  }
  return DPERM_OK;
}

dperm_status dperm_data_merge_bins(dperm_data *data, const dperm_schema *schema, dperm_error *err) {
  OWNED_MEMORY uint32_t *map = NULL;
  TRY(ranks_agree(data->x->spread, make_map(data, schema, &map, err), err));
  TRY(matrix_sparse_rename(data->x, map, schema->dims, err));
  data->bounds = schema->bounds;
  dperm_schema_free(data->schema);
  data->schema = schema_share(schema);
  return DPERM_OK;
}
