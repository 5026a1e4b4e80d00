/* Passing records through each input. */
#include "input_paths.h"
#include "column_inputs.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "refine/refine_counts.h"
#include "schema/resolve_bins.h"
#include "seen_records.h"
#include "thread_ranks.h"

enum { PROCESSES = 3 };

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
  const dperm_source *source;
  const dperm_schema *view;
  seen *out;
  dperm_data *data[PROCESSES];
  dperm_status read[PROCESSES], fit[PROCESSES];
  dperm_error why[PROCESSES];
} shares;

/* At what this process has, where reading succeeded. */
static void look_at_share(shares *s, ranks *r) {
  size_t p = r->rank;
  dperm_data view = {0};
  const dperm_schema *other = s->view;
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

static void pass_share(ranks *r, void *context) {
  shares *s = context;
  size_t p = r->rank;
  s->read[p] = dperm_data_read_spread(s->source, r, NULL, &s->data[p], &s->why[p]);
  look_at_share(s, r);
}

/* All processes are of one opinion. */
static void close_shares(shares *s) {
  s->out->read = s->read[0];
  s->out->fit = s->fit[0];
  s->out->why = s->why[0];
  for (size_t p = 0; p < PROCESSES; p++) {
    assert_int_equal(s->read[p], s->out->read);
    assert_int_equal(s->fit[p], s->out->fit);
    dperm_data_free(s->data[p]);
  }
}

static void pass_processes(const input *d, const record_set *set, seen *out) {
  opened o = open_records(d, set, &out->why);
  shares s = {.source = &o.source, .view = o.view, .out = out};
  out->read = o.status;
  if (o.status == DPERM_OK) {
    thread_ranks_run(PROCESSES, pass_share, &s);
    close_shares(&s);
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

/* Each process gives its own records, from a container that holds them alone; the leader has none.
 */
typedef struct own_shares {
  shares s; /* without a source */
  const input *input;
  const record_set *set;
  const dperm_schema *schema;
} own_shares;

static void pass_own_records(ranks *r, void *context) {
  own_shares *own = context;
  const size_t p = r->rank, parts = PROCESSES - 1, count = own->set->count;
  size_t first = p ? dperm_ranks_first_row(parts, p - 1, count) : 0;
  record_set here = *own->set;
  table_cells t;
  here.at += first;
  here.count = p ? dperm_ranks_first_row(parts, p, count) - first : 0;
  table_cells_open(own->input, &here, &t);
  dperm_status status =
      dperm_data_from_table(own->schema, here.count, t.columns, &t.columns[RECORD_CELLS],
                            &own->s.data[p], &own->s.why[p]);
  status = ranks_agree(r, status, &own->s.why[p]);
  if (status == DPERM_OK) {
    status = dperm_data_spread(own->s.data[p], r, &own->s.why[p]);
  }
  own->s.read[p] = status;
  look_at_share(&own->s, r);
  table_cells_close(&t);
}

static void pass_own_tables(const input *d, const record_set *set, seen *out) {
  dperm_schema *schema = schema_of(set), *other = other_schema(d, schema, set->count);
  own_shares own = {.s = {.view = other, .out = out}, .input = d, .set = set, .schema = schema};
  thread_ranks_run_from(1, PROCESSES, pass_own_records, &own);
  close_shares(&own.s);
  dperm_schema_free(schema);
  dperm_schema_free(other);
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
    {"tables, one in each process", RECORDS_CELLS, pass_own_tables, 0, SMALL, 0},
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
    {"tables, one in each process, in pairs", RECORDS_CELLS, pass_own_tables, CROSSED, SMALL, 0},
};
const size_t input_count = sizeof inputs / sizeof *inputs;
