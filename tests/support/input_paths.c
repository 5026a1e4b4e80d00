/* Passing records through each input. */
#include "input_paths.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "data/dataset.h"
#include "refine/refine_counts.h"
#include "schema/resolve_bins.h"
#include "table/group_column.h"
#include "thread_ranks.h"

enum { PROCESSES = 3 };

/* ---- looking at data */

/* Asks for a private fit and stops before it is charged: nothing is drawn, nothing leaves. */
static dperm_status ask_for_fit(const dperm_data *data, dperm_error *err) {
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

/* Some rows at a time, as a fit has them: what is left of one must not get into the next. */
static void look_at_rows(const dperm_data *data, seen *out) {
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

static void look_at(const dperm_data *data, seen *out) {
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

/* ---- files */

char *write_records(const input *d, const record_set *set) {
  const char *end = d->how & CRLF ? "\r\n" : "\n";
  size_t length = 1024, used = 0;
  for (size_t i = 0; i < set->count; i++) {
    length += set->at[i].length + 2;
  }
  char *bytes = malloc(length);
  assert_non_null(bytes);
  if (set->family == RECORDS_CSV && set->layout->header) {
    used = (size_t)sprintf(bytes, "%s%s", set->layout->header, end);
  }
  for (size_t i = 0; i < set->count; i++) {
    bool last = i + 1 == set->count && (d->how & UNENDED);
    memcpy(bytes + used, set->at[i].line, set->at[i].length);
    used += set->at[i].length;
    used += (size_t)sprintf(bytes + used, "%s", last ? "" : end);
  }
  char *path = file_with(bytes, d->how & PACKED ? 0 : used);
  if (d->how & PACKED) { /* as two members: the first holds half of the bytes */
    for (size_t half = 0; half < 2; half++) {
      gzFile file = gzopen(path, half ? "ab1" : "wb1");
      size_t from = half ? used / 2 : 0, count = half ? used - used / 2 : used / 2;
      assert_true(file && gzwrite(file, bytes + from, (unsigned)count) == (int)count);
      assert_int_equal(gzclose(file), Z_OK);
    }
  }
  free(bytes);
  return path;
}

dperm_schema *schema_of(const record_set *set) {
  const char *text = set->layout->schema;
  dperm_schema *schema = NULL;
  assert_ok(dperm_schema_parse(text, strlen(text), "schema", &schema, err));
  return schema;
}

/* All pairs of columns that can be crossed. */
static dperm_schema *with_crosses(const dperm_schema *given) {
  json_t *json = json_deep_copy(given->json), *crosses = json_array();
  dperm_schema *out = NULL;
  for (size_t a = 0; a < given->column_count; a++) {
    for (size_t b = 0; b < a; b++) {
      const schema_column *first = &given->columns[a], *second = &given->columns[b];
      bool able = (first->binned || first->type == COLUMN_CATEGORICAL) &&
                  (second->binned || second->type == COLUMN_CATEGORICAL);
      if (able) {
        assert_int_equal(
            json_array_append_new(crosses, json_pack("[s, s]", first->name, second->name)), 0);
      }
    }
  }
  if (json_array_size(crosses) > 0) {
    assert_int_equal(json_object_set(json, "crosses", crosses), 0);
  }
  assert_ok(schema_from_json(json, "schema", &out, err));
  json_decref(crosses);
  json_decref(json);
  return out;
}

dperm_schema *other_schema(const input *d, const dperm_schema *given, size_t rows) {
  dperm_schema *bins = NULL, *out = NULL;
  if (d->how & CELLS) {
    assert_ok(refine_cell_schema(given, d->how & QUOTED, &out, err));
  } else if (d->how & (BINNED | CROSSED)) {
    assert_ok(schema_resolve(given, true, rows, 1, &bins, err));
    out = d->how & CROSSED ? with_crosses(bins) : schema_share(bins);
    dperm_schema_free(bins);
  }
  return out;
}

typedef struct opened {
  dperm_schema *schema, *other;
  const dperm_schema *view; /* to look through; NULL where the file is read under `other` itself */
  dperm_source source;
  dperm_status status; /* of encoding */
  int input;           /* what standard input was */
  char *path, *encoded;
} opened;

/* By way of an encoded file, which any schema goes with whose cells are the same. */
static void encode_records(opened *o, dperm_error *why) {
  o->encoded = file_with_text("");
  o->status = dperm_encode_file(&o->source, o->encoded, NULL, NULL, why);
  o->source = (dperm_source){.path = o->encoded, .format = DPERM_FORMAT_ENCODED};
  o->source.schema = o->other;
  o->view = NULL;
}

static opened open_records(const input *d, const record_set *set, dperm_error *why) {
  opened o = {.path = write_records(d, set), .input = -1};
  o.source = (dperm_source){.path = o.path, .format = DPERM_FORMAT_SVMLIGHT, .dims = RECORD_DIMS};
  if (set->family == RECORDS_CSV) {
    o.schema = schema_of(set);
    o.view = o.other = other_schema(d, o.schema, set->count);
    o.source = (dperm_source){.path = o.path, .format = DPERM_FORMAT_CSV, .schema = o.schema};
  }
  if (d->how & STANDARD_INPUT) {
    int file = open(o.path, O_RDONLY);
    o.input = dup(STDIN_FILENO);
    assert_true(file >= 0 && o.input >= 0 && dup2(file, STDIN_FILENO) >= 0);
    (void)close(file);
    o.source.path = "-";
  }
  if (d->how & ENCODED) {
    encode_records(&o, why);
  }
  return o;
}

static void close_records(opened *o) {
  if (o->input >= 0) {
    assert_true(dup2(o->input, STDIN_FILENO) >= 0);
    (void)close(o->input);
  }
  dperm_schema_free(o->schema);
  dperm_schema_free(o->other);
  file_remove(o->path);
  if (o->encoded) {
    file_remove(o->encoded);
  }
}

static dperm_status select_all(dperm_data **data, dperm_error *why) {
  dperm_data *whole = *data;
  size_t rows = dperm_data_rows(whole), *all = malloc(rows * sizeof *all);
  assert_non_null(all);
  for (size_t i = 0; i < rows; i++) {
    all[i] = i;
  }
  *data = NULL;
  dperm_status status = dperm_data_select(whole, all, rows, data, why);
  dperm_data_free(whole);
  free(all);
  return status;
}

static void pass_file(const input *d, const record_set *set, seen *out) {
  opened o = open_records(d, set, &out->why);
  dperm_data *data = NULL;
  dperm_status status = o.status;
  if (status == DPERM_OK) {
    status = dperm_data_read(&o.source, NULL, &data, &out->why);
  }
  if (status == DPERM_OK && (d->how & COPIED)) {
    status = select_all(&data, &out->why);
  }
  look(status, data, o.view, out);
  close_records(&o);
}

/* ---- several processes, each with its share of the rows */

typedef struct shares {
  const opened *from;
  seen *out;
  dperm_data *data[PROCESSES];
  dperm_status read[PROCESSES], fit[PROCESSES];
  dperm_error why[PROCESSES];
} shares;

static void pass_share(ranks *r, void *context) {
  shares *s = context;
  size_t p = r->rank;
  dperm_data view = {0};
  const dperm_schema *other = s->from->view;
  s->read[p] = dperm_data_read_spread(&s->from->source, r, NULL, &s->data[p], &s->why[p]);
  if (s->read[p] == DPERM_OK && other) {
    s->read[p] = data_view_open(s->data[p], other, &view, &s->why[p]);
  }
  if (s->read[p] == DPERM_OK) {
    const dperm_data *shown = other ? &view : s->data[p];
    s->fit[p] = ask_for_fit(shown, &s->why[p]);
    look_at_rows(shown, s->out);
    if (p == 0) {
      look_at(shown, s->out);
    }
  }
  data_view_close(&view);
}

static void pass_processes(const input *d, const record_set *set, seen *out) {
  opened o = open_records(d, set, &out->why);
  shares s = {.from = &o, .out = out};
  out->read = o.status;
  if (o.status == DPERM_OK) {
    thread_ranks_run(PROCESSES, pass_share, &s);
    out->read = s.read[0];
    out->fit = s.fit[0];
    out->why = s.why[0];
  }
  for (size_t p = 0; o.status == DPERM_OK && p < PROCESSES; p++) {
    assert_int_equal(s.read[p], out->read);
    assert_int_equal(s.fit[p], out->fit);
    dperm_data_free(s.data[p]);
  }
  close_records(&o);
}

/* ---- memory */

static void pass_dense(const input *d, const record_set *set, seen *out) {
  double *values = calloc(set->count * RECORD_DIMS, sizeof *values);
  double *labels = calloc(set->count, sizeof *labels);
  dperm_data *data = NULL;
  assert_true(values && labels);
  for (size_t i = 0; i < set->count; i++) {
    const record *one = &set->at[i];
    labels[i] = one->label;
    for (size_t e = 0; e < one->entries; e++) {
      values[i * RECORD_DIMS + (one->columns[e] < RECORD_DIMS ? one->columns[e] : 0)] =
          one->values[e];
    }
  }
  dperm_status status =
      dperm_data_from_dense(set->count, RECORD_DIMS, values, labels, 1.5, &data, &out->why);
  if (data && (d->how & COPIED)) {
    status = dperm_data_add_intercept(data, 0.5, &out->why);
  }
  look(status, data, NULL, out);
  free(values);
  free(labels);
}

/* With labels of three classes, so that these come by their own way too. */
static void pass_sparse(const input *d, const record_set *set, seen *out) {
  static const char *const names[] = {"one", "two", "three"};
  size_t *starts = calloc(set->count + 1, sizeof *starts);
  uint32_t *columns = calloc(set->count * RECORD_DIMS, sizeof *columns);
  uint32_t *classes = calloc(set->count, sizeof *classes);
  double *values = calloc(set->count * RECORD_DIMS, sizeof *values);
  dperm_data *data = NULL;
  (void)d;
  assert_true(starts && columns && classes && values);
  for (size_t i = 0; i < set->count; i++) {
    const record *one = &set->at[i];
    starts[i + 1] = starts[i] + one->entries;
    memcpy(columns + starts[i], one->columns, one->entries * sizeof *columns);
    memcpy(values + starts[i], one->values, one->entries * sizeof *values);
    classes[i] = one->label == 1 ? 2 : one->label == -1 ? 0 : 7;
  }
  dperm_status status = dperm_data_from_csr(set->count, RECORD_DIMS, starts, columns, values, NULL,
                                            1.0, &data, &out->why);
  if (data) {
    status = dperm_data_label(data, classes, 3, names, &out->why);
  }
  look(status, data, NULL, out);
  free(starts);
  free(columns);
  free(classes);
  free(values);
}

/* ---- the inputs */

const input inputs[] = {
    {"CSV", RECORDS_CSV, pass_file, 0, SMALL, 0},
    {"CSV with CRLF", RECORDS_CSV, pass_file, CRLF, SMALL, 0},
    {"CSV in quotes", RECORDS_CSV, pass_file, QUOTED, SMALL, 0},
    {"CSV without its last line end", RECORDS_CSV, pass_file, UNENDED, SMALL, 0},
    {"CSV in gzip", RECORDS_CSV, pass_file, PACKED, SMALL, 0},
    {"CSV from standard input", RECORDS_CSV, pass_file, STANDARD_INPUT, SMALL, 0},
    {"CSV by several threads", RECORDS_CSV, pass_file, 0, LARGE, 3},
    {"CSV in gzip by several threads", RECORDS_CSV, pass_file, PACKED, LARGE, 3},
    {"CSV among processes", RECORDS_CSV, pass_processes, 0, SMALL, 0},
    {"CSV in gzip among processes", RECORDS_CSV, pass_processes, PACKED, SMALL, 0},
    {"rows of a CSV file, selected", RECORDS_CSV, pass_file, COPIED, SMALL, 0},
    {"svmlight", RECORDS_SVMLIGHT, pass_file, 0, SMALL, 0},
    {"svmlight with CRLF", RECORDS_SVMLIGHT, pass_file, CRLF, SMALL, 0},
    {"svmlight in gzip", RECORDS_SVMLIGHT, pass_file, PACKED, SMALL, 0},
    {"svmlight from standard input", RECORDS_SVMLIGHT, pass_file, STANDARD_INPUT, SMALL, 0},
    {"svmlight among processes", RECORDS_SVMLIGHT, pass_processes, 0, SMALL, 0},
    {"rows of an svmlight file, selected", RECORDS_SVMLIGHT, pass_file, COPIED, SMALL, 0},
    {"encoded from CSV", RECORDS_CSV, pass_file, ENCODED, SMALL, 0},
    {"encoded from CSV in quotes", RECORDS_CSV, pass_file, ENCODED | QUOTED, SMALL, 0},
    {"encoded from CSV by several threads", RECORDS_CSV, pass_file, ENCODED, LARGE, 3},
    {"encoded from CSV, selected", RECORDS_CSV, pass_file, ENCODED | COPIED, SMALL, 0},
    {"encoded from CSV, among processes", RECORDS_CSV, pass_processes, ENCODED, SMALL, 0},
    {"encoded from svmlight", RECORDS_SVMLIGHT, pass_file, ENCODED, SMALL, 0},
    {"encoded from svmlight in gzip", RECORDS_SVMLIGHT, pass_file, ENCODED | PACKED, SMALL, 3},
    {"encoded from svmlight, selected", RECORDS_SVMLIGHT, pass_file, ENCODED | COPIED, SMALL, 0},
    {"dense rows", RECORDS_NUMBERS, pass_dense, 0, SMALL, 0},
    {"dense rows with a constant column", RECORDS_NUMBERS, pass_dense, COPIED, SMALL, 0},
    {"sparse rows", RECORDS_NUMBERS, pass_sparse, 0, SMALL, 0},
    {"a table, each text once", RECORDS_CELLS, pass_table, 0, SMALL, 0},
    {"a table, a text for each record", RECORDS_CELLS, pass_table, COPIED, SMALL, 0},
    {"an Arrow stream", RECORDS_CELLS, pass_arrow, 0, SMALL, 0},
    {"an Arrow stream in batches of other types", RECORDS_CELLS, pass_arrow, COPIED, SMALL, 0},
    {"an Arrow stream by several threads", RECORDS_CELLS, pass_arrow, 0, LARGE, 3},
    {"an Arrow stream with labels beside it", RECORDS_CELLS, pass_arrow, QUOTED, SMALL, 0},
    /* the same cells under other schemas */
    {"CSV, in bins", RECORDS_CSV, pass_file, BINNED, SMALL, 0},
    {"CSV, in bins, among processes", RECORDS_CSV, pass_processes, BINNED, SMALL, 0},
    {"CSV, in pairs", RECORDS_CSV, pass_file, CROSSED, SMALL, 0},
    {"CSV by several threads, in pairs", RECORDS_CSV, pass_file, CROSSED, LARGE, 3},
    {"CSV, selected, in pairs", RECORDS_CSV, pass_file, CROSSED | COPIED, SMALL, 0},
    {"CSV, in cells", RECORDS_CSV, pass_file, CELLS, SMALL, 0},
    {"CSV in quotes, in cells and lines of numbers", RECORDS_CSV, pass_file, CELLS | QUOTED, SMALL,
     0},
    {"CSV among processes, in cells", RECORDS_CSV, pass_processes, CELLS, SMALL, 0},
    {"encoded, in bins", RECORDS_CSV, pass_file, ENCODED | BINNED, SMALL, 0},
    {"encoded, in pairs, among processes", RECORDS_CSV, pass_processes, ENCODED | CROSSED, SMALL,
     0},
    {"encoded, in cells", RECORDS_CSV, pass_file, ENCODED | CELLS, SMALL, 0},
    {"a table, in pairs", RECORDS_CELLS, pass_table, CROSSED, SMALL, 0},
    {"a table, in cells", RECORDS_CELLS, pass_table, CELLS, SMALL, 0},
};
const size_t input_count = sizeof inputs / sizeof *inputs;
