/* Data sets: rows in memory, what is done to them. Files: dataset_read.c; tables: table.c. */
#include "data/dataset.h"

#include <math.h>

#include "base/memory.h"
#include "schema/row_norm.h"

dperm_status data_of_rows(growing_rows *rows, size_t dims, const dperm_schema *schema,
                          dperm_data **out, dperm_error *err) {
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  TRY(memory_new(1, sizeof *data, &data, err));
  TRY(matrix_sparse_take(rows, dims, &data->x, err));
  data->labels = rows->labels;
  data->bounds = schema ? schema->bounds : row_bounds_of_norm(dims, 1.0);
  data->origin = schema ? ORIGIN_SCHEMA : ORIGIN_SVMLIGHT;
  data->schema = schema_share(schema);
  *rows = (growing_rows){0};
  *out = TAKE(data);
  return DPERM_OK;
}

dperm_status data_of_table(record_table *t, const dperm_schema *schema, dperm_data **out,
                           dperm_error *err) {
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  TRY(memory_new(1, sizeof *data, &data, err));
  TRY(rows_check_schema(t, schema, err));
  TRY(rows_of_table(t, schema, &data->x, err));
  TRY(memory_new(t->rows, sizeof *data->labels, &data->labels, err));
  labels_of_table(t, data->labels);
  data->table = table_share(t);
  data->bounds = schema->bounds;
  data->origin = ORIGIN_SCHEMA;
  data->schema = schema_share(schema);
  *out = TAKE(data);
  return DPERM_OK;
}

dperm_status data_view_open(const dperm_data *data, const dperm_schema *schema, dperm_data *out,
                            dperm_error *err) {
  const matrix *x = data->x;
  matrix *rows = NULL;
  dperm_status status = rows_check_schema(data->table, schema, err);
  status = status == DPERM_OK ? rows_of_table(data->table, schema, &rows, err) : status;
  *out = *data;
  out->x = rows;
  out->schema = schema_share(schema);
  out->bounds = schema->bounds;
  TRY(ranks_agree(x->spread, status, err));
  return x->spread ? matrix_sparse_spread(rows, x->spread, x->total, err) : DPERM_OK;
}

void data_view_close(dperm_data *view) {
  matrix_free(view->x);
  dperm_schema_free(view->schema);
  *view = (dperm_data){0};
}

dperm_status data_unchanged(const dperm_data *data, dperm_error *err) {
  return data->encoded ? encoded_unchanged(data->encoded, err) : DPERM_OK;
}

/* ---- from memory */

/* Data without their matrix yet, but with space for a print of each row. */
static dperm_status data_of_memory(size_t rows, size_t dims, const double *labels, double norm,
                                   dperm_data **out, dperm_error *err) {
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  FAIL_IF(dims == 0 || dims > INT32_MAX, err, DPERM_INVALID_ARGUMENT,
          "%zu rows of %zu columns; give at least one column", rows, dims);
  FAIL_IF(!(norm >= 1e-100 && norm <= 1e100), err, DPERM_INVALID_ARGUMENT,
          "norm bound %g; give one between 1e-100 and 1e100", norm);
  for (size_t i = 0; labels && i < rows; i++) {
    FAIL_IF(labels[i] != 1.0 && labels[i] != -1.0, err, DPERM_INVALID_DATA,
            "the label of row %zu is not -1 or +1", i);
  }
  TRY(memory_new(1, sizeof *data, &data, err));
  TRY(memory_new(rows, sizeof *data->labels, &data->labels, err));
  TRY(memory_new(rows, sizeof *data->prints, &data->prints, err));
  if (labels) {
    memcpy(data->labels, labels, rows * sizeof *labels);
  }
  data->unlabelled = labels == NULL;
  data->bounds = row_bounds_of_norm(dims, norm);
  data->origin = ORIGIN_MEMORY;
  *out = TAKE(data);
  return DPERM_OK;
}

static dperm_status clip_finite(double *values, size_t count, double norm, size_t row,
                                dperm_error *err) {
  for (size_t j = 0; j < count; j++) {
    FAIL_IF(!isfinite(values[j]), err, DPERM_INVALID_DATA,
            "row %zu holds NaN or infinity; mend the data", row);
  }
  row_clip(values, count, norm);
  return DPERM_OK;
}

dperm_status dperm_data_from_dense(size_t rows, size_t dims, const double *row_major,
                                   const double *labels, double norm, dperm_data **out,
                                   dperm_error *err) {
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  OWNED(row_fingerprinter_close) row_fingerprinter printer = {0};
  OWNED_MEMORY double *values = NULL;
  FAIL_IF(dims > 0 && rows > SIZE_MAX / sizeof *values / dims, err, DPERM_OUT_OF_MEMORY,
          "%zu rows of %zu columns do not fit in memory", rows, dims);
  TRY(data_of_memory(rows, dims, labels, norm, &data, err));
  TRY(memory_new(rows * dims, sizeof *values, &values, err));
  TRY(row_fingerprinter_open(dims, &printer, err));
  memcpy(values, row_major, rows * dims * sizeof *values);
  for (size_t i = 0; i < rows; i++) {
    data->prints[i] = row_fingerprint_of(&printer, NULL, values + i * dims, dims);
    TRY(clip_finite(values + i * dims, dims, norm, i, err));
  }
  TRY(matrix_dense_new(rows, dims, values, &data->x, err));
  values = NULL;
  *out = TAKE(data);
  return DPERM_OK;
}

static dperm_status copy_csr_row(growing_rows *rows, size_t dims, const uint32_t *columns,
                                 const double *values, size_t count, double norm,
                                 dperm_error *err) {
  TRY(rows_reserve(rows, count, err));
  size_t before = rows->entries;
  for (size_t e = 0; e < count; e++) {
    FAIL_IF(columns[e] >= dims || (e > 0 && columns[e] <= columns[e - 1]), err, DPERM_INVALID_DATA,
            "the columns of row %zu are not ascending, or not below %zu", rows->count, dims);
  }
  rows_copy(rows, (row_view){count, columns, values});
  TRY(clip_finite(rows->values + before, count, norm, rows->count, err));
  rows_end(rows, 0);
  return DPERM_OK;
}

dperm_status dperm_data_from_csr(size_t rows, size_t dims, const size_t *row_starts,
                                 const uint32_t *columns, const double *values,
                                 const double *labels, double norm, dperm_data **out,
                                 dperm_error *err) {
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  OWNED(row_fingerprinter_close) row_fingerprinter printer = {0};
  OWNED(rows_clear) growing_rows copy = {0};
  size_t most = 0;
  TRY(data_of_memory(rows, dims, labels, norm, &data, err));
  for (size_t i = 0; i < rows; i++) {
    FAIL_IF(row_starts[i + 1] < row_starts[i] || row_starts[i + 1] - row_starts[i] > dims, err,
            DPERM_INVALID_DATA, "the start of row %zu lies after its end", i);
    most = row_starts[i + 1] - row_starts[i] > most ? row_starts[i + 1] - row_starts[i] : most;
  }
  TRY(row_fingerprinter_open(most, &printer, err));
  TRY(rows_reserve_many(&copy, rows, row_starts[rows] - row_starts[0], err)); /* once for all */
  for (size_t i = 0; i < rows; i++) {
    size_t from = row_starts[i], count = row_starts[i + 1] - from;
    TRY(copy_csr_row(&copy, dims, columns + from, values + from, count, norm, err));
    data->prints[i] = row_fingerprint_of(&printer, columns + from, values + from, count);
  }
  TRY(matrix_sparse_take(&copy, dims, &data->x, err));
  *out = TAKE(data);
  return DPERM_OK;
}

/* The rows of a matrix with a column more. */
static dperm_status widen_dense(const matrix *x, double last, matrix **out, dperm_error *err) {
  const size_t wide = x->cols + 1;
  OWNED_MEMORY double *values = NULL;
  TRY(memory_new(x->rows * wide, sizeof *values, &values, err));
  for (size_t i = 0; i < x->rows; i++) {
    x->kind->row(x, i, values + i * wide);
    values[i * wide + x->cols] = last;
  }
  TRY(matrix_dense_new(x->rows, wide, values, out, err));
  values = NULL;
  return DPERM_OK;
}

static dperm_status widen_sparse(const matrix *x, double last, matrix **out, dperm_error *err) {
  OWNED(rows_clear) growing_rows rows = {0};
  for (size_t i = 0; i < x->rows; i++) {
    row_view row;
    x->kind->views(x, i, 1, NULL, &row); /* stored: they were given */
    TRY(rows_reserve(&rows, row.count + 1, err));
    rows_copy(&rows, row);
    rows_push(&rows, x->cols, last);
    rows_end(&rows, 0);
  }
  return matrix_sparse_take(&rows, x->cols + 1, out, err);
}

dperm_status dperm_data_add_intercept(dperm_data *data, double value, dperm_error *err) {
  const double ends[2] = {data->bounds.norm2, value};
  matrix *wide = NULL;
  FAIL_IF(data->origin != ORIGIN_MEMORY || data->intercept != 0, err, DPERM_INVALID_ARGUMENT,
          "only rows from memory, and only once, get a constant column; a schema has its own");
  FAIL_IF(!(fabs(value) >= 1e-100 && fabs(value) <= 1e100) || data->x->cols >= INT32_MAX, err,
          DPERM_INVALID_ARGUMENT, "a constant column of %g; give a value between 1e-100 and 1e100",
          value);
  TRY(data->x->kind->views ? widen_sparse(data->x, value, &wide, err)
                           : widen_dense(data->x, value, &wide, err));
  matrix_free(data->x);
  data->x = wide;
  data->intercept = value;
  data->bounds = row_bounds_of_norm(wide->cols, row_norm_upper(ends, 2));
  return DPERM_OK;
}

dperm_status dperm_data_target(dperm_data *data, const double *labels, double min, double max,
                               dperm_error *err) {
  const label_range range = {min, max};
  FAIL_IF(data->origin != ORIGIN_MEMORY, err, DPERM_INVALID_ARGUMENT,
          "rows of a file have the file's labels; read it anew");
  TRY(label_range_check(range, err));
  for (size_t i = 0; i < data->x->rows; i++) {
    FAIL_IF(!isfinite(labels[i]), err, DPERM_INVALID_DATA,
            "the label of row %zu is not a finite number; mend the data", i);
  }
  for (size_t i = 0; i < data->x->rows; i++) {
    data->labels[i] = label_scaled(range, labels[i]);
  }
  class_list_clear(&data->classes);
  data->range = range;
  data->unlabelled = false;
  return DPERM_OK;
}

dperm_status dperm_data_label(dperm_data *data, const uint32_t *labels, size_t classes,
                              const char *const *names, dperm_error *err) {
  OWNED(class_list_clear) class_list list = {0};
  FAIL_IF(data->origin != ORIGIN_MEMORY, err, DPERM_INVALID_ARGUMENT,
          "rows of a file have the file's labels; read it anew");
  for (size_t i = 0; i < data->x->rows; i++) {
    FAIL_IF(labels[i] >= classes, err, DPERM_INVALID_DATA,
            "the label of row %zu is none of the %zu classes", i, classes);
  }
  TRY(class_list_of(names, classes, &list, err));
  FAIL_IF(class_list_repeated(&list) < classes, err, DPERM_INVALID_ARGUMENT,
          "two classes have the same name; give each its own");
  for (size_t i = 0; i < data->x->rows; i++) {
    data->labels[i] = class_label(classes, labels[i]);
  }
  class_list_clear(&data->classes);
  data->classes = list;
  list = (class_list){0};
  data->range = (label_range){0, 0};
  data->unlabelled = false;
  return DPERM_OK;
}

label_range data_label_range(const dperm_data *data) {
  return data->schema ? schema_label_range(data->schema) : data->range;
}

size_t data_class_count(const dperm_data *data) {
  if (label_range_known(data_label_range(data))) {
    return 0;
  }
  size_t of_schema = data->schema ? data->schema->classes.count : 2;
  return data->classes.count ? data->classes.count : of_schema;
}

dperm_status data_class_names(const dperm_data *data, class_list *out, dperm_error *err) {
  if (data_class_count(data) == 0) {
    *out = (class_list){0};
    return DPERM_OK;
  }
  if (data->classes.count || data->schema) {
    return class_list_copy(data->classes.count ? &data->classes : &data->schema->classes, out, err);
  }
  return class_list_of(NULL, 2, out, err);
}

dperm_status data_check_any(const dperm_data *data, dperm_error *err) {
  FAIL_IF(rows_in_all(data->x) == 0, err, DPERM_INVALID_DATA, "no rows; give data with records");
  return DPERM_OK;
}

dperm_status data_check_labelled(const dperm_data *data, dperm_error *err) {
  FAIL_IF(data->unlabelled, err, DPERM_INVALID_DATA,
          "the rows have no labels; give them with dperm_data_label or dperm_data_target");
  return DPERM_OK;
}

dperm_status data_check_labels(const dperm_data *data, size_t classes, dperm_error *err) {
  const size_t own = data_class_count(data);
  TRY(data_check_labelled(data, err));
  FAIL_IF(own != classes && own * classes == 0, err, DPERM_INVALID_DATA,
          own == 0 ? "the labels are numbers, and classes are expected"
                   : "the labels are classes, and numbers are expected");
  FAIL_IF(own != classes, err, DPERM_INVALID_DATA,
          "the data have %zu classes where %zu are expected", own, classes);
  return DPERM_OK;
}

static dperm_status select_rows(const dperm_data *data, const size_t *rows, size_t count,
                                dperm_data **out, dperm_error *err) {
  TRY(memory_new(1, sizeof **out, out, err));
  TRY(memory_new(count, sizeof *(*out)->labels, &(*out)->labels, err));
  TRY(tall_select(data->x, data->labels, rows, count, (*out)->labels, err));
  return data->x->kind->select(data->x, rows, count, &(*out)->x, err);
}

/* A table of their own, so that the part can be trained on as the whole can. */
static dperm_status select_records(const dperm_data *data, const size_t *rows, size_t count,
                                   dperm_data **out, dperm_error *err) {
  OWNED(table_free_at) record_table *chosen = NULL;
  ranks *spread = data->x->spread;
  TRY(table_select(data->table, spread, data->x->total, rows, count, &chosen, err));
  dperm_status made = data_of_table(chosen, data->schema, out, err);
  TRY(ranks_agree(spread, made, err));
  TRY(made);
  return spread ? matrix_sparse_spread((*out)->x, spread, count, err) : DPERM_OK;
}

dperm_status dperm_data_select(const dperm_data *data, const size_t *row_indices, size_t count,
                               dperm_data **out, dperm_error *err) {
  OWNED(dperm_data_free_at) dperm_data *part = NULL;
  OWNED_MEMORY bool *seen = NULL;
  const size_t rows = rows_in_all(data->x);
  for (size_t i = 0; i < count; i++) {
    FAIL_IF(row_indices[i] >= rows, err, DPERM_INVALID_ARGUMENT,
            "row index %zu is beyond the last row, %zu", row_indices[i], rows - 1);
  }
  TRY(data->table ? select_records(data, row_indices, count, &part, err)
                  : select_rows(data, row_indices, count, &part, err));
  if (data->from_file || data->prints) {
    TRY(memory_new(count, sizeof *part->prints, &part->prints, err));
  }
  if (data->classes.count) {
    TRY(class_list_copy(&data->classes, &part->classes, err));
  }
  TRY(memory_new(rows, sizeof *seen, &seen, err));
  part->repeated = data->repeated;
  for (size_t i = 0; i < count; i++) {
    const size_t row = row_indices[i];
    if (data->from_file) { /* known by their places: the same people under another schema */
      part->prints[i] = row_fingerprint_of_place(data->file_digest, row);
    } else if (data->prints) {
      part->prints[i] = data->prints[row];
    }
    part->repeated = part->repeated || seen[row];
    seen[row] = true;
  }
  TRY(ranks_agree(data->x->spread, data_select_persons(data, row_indices, count, part, err), err));
  part->unlabelled = data->unlabelled;
  part->bounds = data->bounds;
  part->origin = data->origin;
  part->intercept = data->intercept;
  part->range = data->range;
  part->taken = data->taken;
  part->doubts = data->doubts;
  if (!data->table) {
    part->schema = schema_share(data->schema);
  }
  /* what was checked is what was copied, which nobody asks again */
  TRY(ranks_agree(data->x->spread, data_unchanged(data, err), err));
  *out = TAKE(part);
  return DPERM_OK;
}

dperm_status dperm_data_taken(dperm_data *data, unsigned taken, dperm_error *err) {
  const unsigned known = 2 * DPERM_TAKEN_WEIGHTS - 1; /* up to the last */
  FAIL_IF(taken & ~known, err, DPERM_INVALID_ARGUMENT, "flags %#x are none of dperm_taken",
          taken & ~known);
  data->taken |= taken;
  return DPERM_OK;
}

void dperm_data_free(dperm_data *data) {
  if (data) {
    matrix_free(data->x);
    table_free(data->table);
    free(data->labels);
    encoded_close(data->encoded);
    free(data->counts);
    free(data->doubted);
    free(data->prints);
    free(data->identity);
    person_list_free(data->persons);
    class_list_clear(&data->classes);
    dperm_schema_free(data->schema);
    free(data);
  }
}

/* ---- what a caller may ask */

size_t dperm_data_units(const dperm_data *data) {
  return data_units(data);
}

size_t dperm_data_rows(const dperm_data *data) {
  return rows_in_all(data->x);
}

size_t dperm_data_dims(const dperm_data *data) {
  return data->x->cols;
}

const double *dperm_data_labels(const dperm_data *data) {
  return data->labels;
}

dperm_status dperm_data_row(const dperm_data *data, size_t row, double *values, dperm_error *err) {
  FAIL_IF(row >= data->x->rows, err, DPERM_INVALID_ARGUMENT, "row %zu is beyond the last row, %zu",
          row, data->x->rows - 1);
  data->x->kind->row(data->x, row, values);
  return DPERM_OK;
}

dperm_status dperm_unsafe_data_counts(const dperm_data *data, size_t column,
                                      dperm_unsafe_column_counts *out, dperm_error *err) {
  FAIL_IF(!data->counts, err, DPERM_INVALID_ARGUMENT,
          "there are no counts: encoded and selected records have none");
  FAIL_IF(column >= data->schema->column_count, err, DPERM_INVALID_ARGUMENT,
          "there are no counts for column %zu", column);
  *out = data->counts[column];
  return DPERM_OK;
}
