/* Passing records through each input. */
#include "input_paths.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "data/dataset.h"
#include "dperm/bins.h"
#include "dperm/refine.h"
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
  options.account.dry_run = true;
  return dperm_train(data, &options, &model, err);
}

/* A row that is too wide to be looked at whole: where its entries stand, and what they are. */
static void look_at_entries(const matrix *x, size_t row, double out[DIMS_MOST]) {
  const uint32_t *columns = NULL;
  const double *values = NULL;
  size_t count = x->kind->entries(x, row, &columns, &values);
  for (size_t e = 0; e < count; e++) {
    assert_true(2 * e + 1 < DIMS_MOST);
    out[2 * e] = 1 + columns[e];
    out[2 * e + 1] = values[e];
  }
}

static void look_at_rows(const dperm_data *data, seen *out) {
  for (size_t i = 0; i < data->x->rows; i++) {
    size_t row = data->x->first + i;
    if (row < out->work) {
      if (data->x->cols <= DIMS_MOST) {
        data->x->kind->row(data->x, i, out->x[row]);
      } else {
        look_at_entries(data->x, i, out->x[row]);
      }
      out->labels[row] = data->labels[i];
    }
  }
}

/* Takes over the data; none where they could not be read. */
static void look(dperm_status status, dperm_data *data, seen *out) {
  out->read = status;
  if (data) {
    out->fit = ask_for_fit(data, &out->why);
    out->rows = dperm_data_rows(data);
    out->dims = dperm_data_dims(data);
    out->norm = dperm_data_norm_bound(data);
    assert_ok(data_class_names(data, &out->classes, err));
    look_at_rows(data, out);
  }
  dperm_data_free(data);
}

seen seen_new(size_t rows) {
  seen s = {.work = rows + 1};
  s.x = calloc(s.work, sizeof *s.x);
  s.labels = calloc(s.work, sizeof *s.labels);
  assert_true(s.x && s.labels);
  return s;
}

void seen_free(seen *s) {
  free(s->x);
  free(s->labels);
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

/* The schema of the records, or that of the cells that a refinement counts them in. */
static dperm_schema *schema_of(const input *d, const record_set *set) {
  const char *text = set->layout->schema;
  dperm_schema *schema = NULL, *cells = NULL;
  assert_ok(dperm_schema_parse(text, strlen(text), "schema", &schema, err));
  if (!(d->how & CELLS)) {
    return schema;
  }
  assert_ok(dperm_refine_cells(schema, &cells, err));
  dperm_schema_free(schema);
  return cells;
}

typedef struct opened {
  dperm_schema *schema, *given; /* records are read under; as it was given, if bins are merged */
  dperm_source source;
  int input; /* what standard input was */
  char *path;
} opened;

/* With bins in all numeric columns: the finest for 0 rows. */
static dperm_schema *with_bins(const dperm_schema *given, size_t rows) {
  dperm_schema *out = NULL;
  dperm_resolve_options how;
  dperm_resolve_options_init(&how);
  how.rows = rows;
  how.epsilon = 1;
  how.all_numeric = true;
  assert_ok(dperm_schema_resolve(given, &how, &out, err));
  return out;
}

/* The rows as they are once their number is known. */
static dperm_status merge_bins(const opened *o, dperm_data *data, dperm_error *why) {
  if (!o->given || !data) {
    return DPERM_OK;
  }
  dperm_schema *schema = with_bins(o->given, dperm_data_rows(data));
  dperm_status status = dperm_data_merge_bins(data, schema, why);
  dperm_schema_free(schema);
  return status;
}

static opened open_records(const input *d, const record_set *set) {
  opened o = {.path = write_records(d, set), .input = -1};
  o.source = (dperm_source){.path = o.path, .format = DPERM_FORMAT_SVMLIGHT, .dims = RECORD_DIMS};
  if (set->family == RECORDS_CSV) {
    o.schema = schema_of(d, set);
    if (d->how & MERGED) {
      o.given = o.schema;
      o.schema = with_bins(o.given, 0);
    }
    o.source = (dperm_source){.path = o.path, .format = DPERM_FORMAT_CSV, .schema = o.schema};
  }
  if (d->how & STANDARD_INPUT) {
    int file = open(o.path, O_RDONLY);
    o.input = dup(STDIN_FILENO);
    assert_true(file >= 0 && o.input >= 0 && dup2(file, STDIN_FILENO) >= 0);
    (void)close(file);
    o.source.path = "-";
  }
  return o;
}

static void close_records(opened *o) {
  if (o->input >= 0) {
    assert_true(dup2(o->input, STDIN_FILENO) >= 0);
    (void)close(o->input);
  }
  dperm_schema_free(o->schema);
  dperm_schema_free(o->given);
  file_remove(o->path);
}

static void pass_file(const input *d, const record_set *set, seen *out) {
  opened o = open_records(d, set);
  dperm_data *data = NULL;
  dperm_status status = dperm_data_read(&o.source, NULL, &data, &out->why);
  status = status == DPERM_OK ? merge_bins(&o, data, &out->why) : status;
  if (data && (d->how & COPIED)) {
    size_t *all = malloc(dperm_data_rows(data) * sizeof *all);
    dperm_data *whole = data;
    assert_non_null(all);
    for (size_t i = 0; i < dperm_data_rows(data); i++) {
      all[i] = i;
    }
    status = dperm_data_select(whole, all, dperm_data_rows(whole), &data, &out->why);
    dperm_data_free(whole);
    free(all);
  }
  look(status, data, out);
  close_records(&o);
}

static void pass_encoded(const input *d, const record_set *set, seen *out) {
  opened o = open_records(d, set);
  char *path = file_with_text("");
  dperm_data *data = NULL;
  dperm_status status = dperm_encode_file(&o.source, path, NULL, NULL, &out->why);
  if (status == DPERM_OK) {
    const dperm_source encoded = {.path = path, .format = DPERM_FORMAT_ENCODED};
    status = dperm_data_read(&encoded, NULL, &data, &out->why);
  }
  look(status, data, out);
  file_remove(path);
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
  s->read[p] = dperm_data_read_spread(&s->from->source, r, NULL, &s->data[p], &s->why[p]);
  if (s->read[p] == DPERM_OK) {
    s->read[p] = merge_bins(s->from, s->data[p], &s->why[p]);
  }
  if (s->read[p] == DPERM_OK) {
    s->fit[p] = ask_for_fit(s->data[p], &s->why[p]);
    look_at_rows(s->data[p], s->out);
  }
}

static void pass_processes(const input *d, const record_set *set, seen *out) {
  opened o = open_records(d, set);
  shares s = {.from = &o, .out = out};
  thread_ranks_run(PROCESSES, pass_share, &s);
  out->read = s.read[0];
  out->fit = s.fit[0];
  out->why = s.why[0];
  if (s.data[0]) {
    out->rows = dperm_data_rows(s.data[0]);
    out->dims = dperm_data_dims(s.data[0]);
    out->norm = dperm_data_norm_bound(s.data[0]);
    assert_ok(data_class_names(s.data[0], &out->classes, err));
  }
  for (size_t p = 0; p < PROCESSES; p++) {
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
  look(status, data, out);
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
  look(status, data, out);
  free(starts);
  free(columns);
  free(classes);
  free(values);
}

/* A column of texts: each text once, in the order in which they come, or a text for each record. */
typedef struct coded {
  const char **texts;
  int32_t *codes;
  size_t count;
} coded;

static coded code_cells(const record_set *set, size_t cell, bool each) {
  coded c = {calloc(set->count, sizeof *c.texts), calloc(set->count, sizeof *c.codes), 0};
  assert_true(c.texts && c.codes);
  for (size_t i = 0; i < set->count; i++) {
    const char *text = set->at[i].cells[cell];
    size_t at = each ? c.count : 0;
    while (text && at < c.count && strcmp(c.texts[at], text) != 0) {
      at++;
    }
    if (text && at == c.count) {
      c.texts[c.count++] = text;
    }
    c.codes[i] = text ? (int32_t)at : -1;
  }
  return c;
}

static void pass_table(const input *d, const record_set *set, seen *out) {
  coded cells[RECORD_CELLS];
  double *numbers = calloc(set->count, sizeof *numbers);
  dperm_column columns[RECORD_CELLS + 1] = {{.numbers = numbers}};
  dperm_schema *schema = schema_of(d, set);
  dperm_data *data = NULL;
  assert_non_null(numbers);
  for (size_t i = 0; i < set->count; i++) {
    numbers[i] = set->at[i].number;
  }
  for (size_t c = 0; c < RECORD_CELLS; c++) {
    cells[c] = code_cells(set, c, d->how & COPIED);
    columns[c + 1] = (dperm_column){
        .codes = cells[c].codes, .texts = cells[c].texts, .text_count = cells[c].count};
  }
  dperm_status status =
      dperm_data_from_table(schema, set->count, columns, &columns[RECORD_CELLS], &data, &out->why);
  look(status, data, out);
  for (size_t c = 0; c < RECORD_CELLS; c++) {
    free(cells[c].texts);
    free(cells[c].codes);
  }
  free(numbers);
  dperm_schema_free(schema);
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
    {"CSV whose bins are merged", RECORDS_CSV, pass_file, MERGED, SMALL, 0},
    {"CSV whose bins are merged, among processes", RECORDS_CSV, pass_processes, MERGED, SMALL, 0},
    {"rows of a CSV file, selected", RECORDS_CSV, pass_file, COPIED, SMALL, 0},
    {"svmlight", RECORDS_SVMLIGHT, pass_file, 0, SMALL, 0},
    {"svmlight with CRLF", RECORDS_SVMLIGHT, pass_file, CRLF, SMALL, 0},
    {"svmlight in gzip", RECORDS_SVMLIGHT, pass_file, PACKED, SMALL, 0},
    {"svmlight from standard input", RECORDS_SVMLIGHT, pass_file, STANDARD_INPUT, SMALL, 0},
    {"svmlight among processes", RECORDS_SVMLIGHT, pass_processes, 0, SMALL, 0},
    {"encoded from CSV", RECORDS_CSV, pass_encoded, 0, SMALL, 0},
    {"encoded from CSV in quotes", RECORDS_CSV, pass_encoded, QUOTED, SMALL, 0},
    {"encoded from CSV by several threads", RECORDS_CSV, pass_encoded, 0, LARGE, 3},
    {"encoded from svmlight", RECORDS_SVMLIGHT, pass_encoded, 0, SMALL, 0},
    {"encoded from svmlight in gzip", RECORDS_SVMLIGHT, pass_encoded, PACKED, SMALL, 3},
    {"dense rows", RECORDS_NUMBERS, pass_dense, 0, SMALL, 0},
    {"dense rows with a constant column", RECORDS_NUMBERS, pass_dense, COPIED, SMALL, 0},
    {"sparse rows", RECORDS_NUMBERS, pass_sparse, 0, SMALL, 0},
    {"a table, each text once", RECORDS_CELLS, pass_table, 0, SMALL, 0},
    {"a table, a text for each record", RECORDS_CELLS, pass_table, COPIED, SMALL, 0},
    {"CSV, in cells", RECORDS_CSV, pass_file, CELLS, SMALL, 0},
    {"CSV in quotes, in cells", RECORDS_CSV, pass_file, CELLS | QUOTED, SMALL, 0},
    {"CSV by several threads, in cells", RECORDS_CSV, pass_file, CELLS, LARGE, 3},
    {"CSV among processes, in cells", RECORDS_CSV, pass_processes, CELLS, SMALL, 0},
    {"a table, in cells", RECORDS_CELLS, pass_table, CELLS, SMALL, 0},
};
const size_t input_count = sizeof inputs / sizeof *inputs;

bool input_is_slow(const input *d) {
  return d->records == LARGE || d->pass == pass_encoded;
}
