/* See seen_records.h. */
#include "seen_records.h"

#include <stdlib.h>

#include "table/group_column.h"

dperm_status ask_for_fit(const dperm_data *data, dperm_error *err) {
  dperm_options options;
  dperm_model *model = NULL;
  dperm_options_init(&options);
  options.epsilon = 1;
  options.lambda = 0.1;
  options.loss = (dperm_loss){.name = NULL}; /* the usual one of these labels */
  options.mechanism =
      DPERM_MECHANISM_OUTPUT; /* rows are judged as for any, and it is priced sooner */
  options.account.dry_run = 1;
  return dperm_train(data, &options, &model, err);
}

/* Whole, or, where it is too wide, where its entries stand and what they are. */
static void look_at_row(const row_view *row, size_t cols, double out[DIMS_MOST]) {
  for (size_t e = 0; e < row->count; e++) {
    if (cols <= DIMS_MOST) {
      out[row->columns[e]] = row->values[e];
    } else {
      assert_true(2 * e + 1 < DIMS_MOST);
      out[2 * e] = 1 + row->columns[e];
      out[2 * e + 1] = row->values[e];
    }
  }
}

/* As the records are counted under the schema that they are looked at through. */
static void look_at_groups(const dperm_data *data, seen *out) {
  if (data->table && data->schema->group != NO_GROUP) {
    uint32_t *groups = malloc((data->table->rows + 1) * sizeof *groups);
    assert_non_null(groups);
    assert_ok(groups_of_records(data->table, data->schema, groups, err));
    for (size_t i = 0; i < data->x->rows && data->x->first + i < out->work; i++) {
      out->groups[data->x->first + i] = groups[i];
    }
    free(groups);
  }
}

void look_at_rows(const dperm_data *data, seen *out) {
  const matrix *x = data->x;
  double *work = malloc((x->work_size + 1) * sizeof *work);
  row_view rows[MATRIX_BLOCK];
  assert_non_null(work);
  for (size_t i = 0; i < x->rows; i++) {
    size_t row = x->first + i, left = x->rows - i;
    if (x->kind->views && i % MATRIX_BLOCK == 0) {
      x->kind->views(x, i, left < MATRIX_BLOCK ? left : MATRIX_BLOCK, work, rows);
    }
    if (row < out->work) {
      if (x->kind->views) {
        look_at_row(&rows[i % MATRIX_BLOCK], x->cols, out->x[row]);
      } else {
        x->kind->row(x, i, out->x[row]);
      }
      out->labels[row] = data->labels[i];
    }
  }
  free(work);
  look_at_groups(data, out);
}

void look_at(const dperm_data *data, seen *out) {
  out->rows = dperm_data_rows(data);
  out->dims = dperm_data_dims(data);
  out->norm = data->bounds.norm2;
  assert_ok(data_class_names(data, &out->classes, err));
}

void look(dperm_status status, dperm_data *data, const dperm_schema *other, seen *out) {
  dperm_data view = {0};
  if (status == DPERM_OK && other) {
    status = data_view_open(data, other, &view, &out->why);
  }
  out->read = status;
  if (status == DPERM_OK) {
    const dperm_data *shown = other ? &view : data;
    out->fit = ask_for_fit(shown, &out->why);
    look_at(shown, out);
    look_at_rows(shown, out);
  }
  data_view_close(&view);
  dperm_data_free(data);
}

seen seen_new(size_t rows) {
  seen s = {.work = rows + 1};
  s.x = calloc(s.work, sizeof *s.x);
  s.labels = calloc(s.work, sizeof *s.labels);
  s.groups = calloc(s.work, sizeof *s.groups);
  assert_true(s.x && s.labels && s.groups);
  return s;
}

void seen_free(seen *s) {
  free(s->x);
  free(s->labels);
  free(s->groups);
  class_list_clear(&s->classes);
}

bool refused(const seen *s) {
  return s->read != DPERM_OK || s->fit != DPERM_OK;
}
