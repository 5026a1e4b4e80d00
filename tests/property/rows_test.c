/* Rows as a view of a table: the cells that were read under one schema, seen through another, are
 * the rows that reading the records under that other gives, to the bit, with the same bounds and
 * depths. For random schemas and records: other bins, lines beside them, crosses, groups, a
 * reference, missing values as a category, narrower ranges, columns left out, rows fixed or
 * clipped, an intercept, crosses that were added after a fit. Some of the others do not go with the
 * table, and then no row is made: whatever rows_check_schema lets through is the same. */
#include <math.h>

#include "data/dataset.h"
#include "random_layout.h"
#include "schema/resolve_bins.h"
#include "table/rows.h"

enum { RECORDS = 40 };

static size_t below(random_source *r, size_t count) {
  return (size_t)(random_bits(r) % count);
}

/* ---- another schema, as JSON */

static void set(json_t *object, const char *key, json_t *value) {
  assert_int_equal(json_object_set_new(object, key, value), 0);
}

/* Bins of some sort, or none; a range within the one before, or, if `wrong`, beyond it. */
static void change_number(random_source *r, bool wrong, json_t *column) {
  double low = json_number_value(json_object_get(column, "min"));
  double high = json_number_value(json_object_get(column, "max")), width = high - low;
  if (below(r, 3) == 0) {
    low = wrong ? nextafter(low, -(double)INFINITY) : low + width * random_unit(r) / 4;
    high -= width * random_unit(r) / 4;
  }
  set(column, "min", json_real(low));
  set(column, "max", json_real(high));
  set(column, "weight", json_real(0.1 + random_unit(r)));
  set(column, "scale", json_string(below(r, 2) ? "center" : "max"));
  (void)json_object_del(column, "bins");
  (void)json_object_del(column, "line");
  (void)json_object_del(column, "transform");
  if (low > -1 && below(r, 2)) {
    set(column, "transform", json_string("log1p"));
  }
  switch (below(r, 4)) {
  case 0:
    return;
  case 1:
    set(column, "bins", json_string("auto"));
    break;
  case 2:
    set(column, "bins", json_integer(2 + (json_int_t)below(r, 9)));
    break;
  default:
    set(column, "bins", json_pack("[f, f]", low + (high - low) * 0.3, low + (high - low) * 0.55));
  }
  if (below(r, 2)) {
    set(column, "line", json_real(0.1 + random_unit(r)));
  }
}

/* The texts of a category, or NULL for all that are not listed. */
static json_t *texts_of(const json_t *column, const char *name) {
  json_t *groups = json_object_get(column, "groups");
  json_t *texts = json_object_get(groups, name);
  return !groups ? json_pack("[s]", name) : json_is_array(texts) ? json_incref(texts) : NULL;
}

/* Groups of the categories; some are listed no more. If `wrong`, one that the table has among all
 * others is told apart. */
static void change_groups(random_source *r, bool wrong, const schema_column *from, json_t *column) {
  json_t *made[3] = {json_array(), json_array(), json_array()}, *groups = json_object();
  const char *names[] = {"one", "two", "three"};
  bool any[3] = {false, false, false};
  for (size_t c = 0; c < from->categories.count; c++) {
    json_auto_t *texts = texts_of(column, from->categories.names[c]);
    size_t to = below(r, 4);
    if (texts && to < 3) {
      assert_int_equal(json_array_extend(made[to], texts), 0);
      any[to] = true;
    }
  }
  if (wrong) {
    assert_int_equal(json_array_append_new(made[0], json_string("w")), 0);
    any[0] = true;
  }
  for (size_t g = 0; g < 3; g++) {
    if (any[g]) {
      set(groups, names[g], made[g]);
    } else {
      json_decref(made[g]);
    }
  }
  if (json_object_size(groups) == 0) { /* nothing is left: as it was */
    json_decref(groups);
    return;
  }
  if (below(r, 2)) {
    set(groups, "rest", json_string("*"));
  }
  (void)json_object_del(column, "values");
  (void)json_object_del(column, "reference");
  if (json_object_size(groups) > 1 && below(r, 2)) {
    const char *last = NULL, *name;
    json_t *value;
    json_object_foreach(groups, name, value) {
      last = last && below(r, 2) ? last : name;
    }
    set(column, "reference", json_string(last));
  }
  set(column, "groups", groups);
}

static bool able(const json_t *column) {
  const char *type = json_string_value(json_object_get(column, "type"));
  json_t *bins = json_object_get(column, "bins");
  return strcmp(type, "categorical") == 0 || (bins && !json_is_string(bins));
}

/* Of any two columns that are used. */
static void add_after_fit(random_source *r, const json_t *columns, json_t *crosses) {
  for (size_t a = 0; a < json_array_size(columns); a++) {
    for (size_t b = 0; b < a; b++) {
      const json_t *first = json_array_get(columns, a), *second = json_array_get(columns, b);
      const char *one = json_string_value(json_object_get(first, "type")),
                 *other = json_string_value(json_object_get(second, "type"));
      bool used = (strcmp(one, "numeric") == 0 || able(first)) &&
                  (strcmp(other, "numeric") == 0 || able(second));
      if (used && below(r, 6) == 0) {
        json_t *pair = json_pack("{s:[O, O], s:b}", "columns", json_object_get(first, "name"),
                                 json_object_get(second, "name"), "after_fit", true);
        assert_int_equal(json_array_append_new(crosses, pair), 0);
      }
    }
  }
}

static void change_crosses(random_source *r, json_t *schema) {
  json_t *columns = json_object_get(schema, "columns"), *crosses = json_array();
  (void)json_object_del(schema, "crosses");
  for (size_t a = 0; a < json_array_size(columns) && json_array_size(crosses) < 3; a++) {
    for (size_t b = 0; b < a && json_array_size(crosses) < 3; b++) {
      const json_t *first = json_array_get(columns, a), *second = json_array_get(columns, b);
      if (able(first) && able(second) && below(r, 3) == 0) {
        json_t *pair =
            json_pack("[O, O]", json_object_get(first, "name"), json_object_get(second, "name"));
        assert_int_equal(json_array_append_new(crosses, pair), 0);
      }
    }
  }
  add_after_fit(r, columns, crosses);
  if (json_array_size(crosses) > 0) {
    set(schema, "crosses", crosses);
  } else {
    json_decref(crosses);
  }
}

/* What else must not change. */
static void change_meaning(random_source *r, json_t *schema) {
  json_t *label = json_object_get(schema, "label");
  json_t *first = json_array_get(json_object_get(schema, "columns"), 0);
  switch (below(r, 6)) {
  case 0:
    set(schema, "missing", json_pack("[s, s]", "", "-1e999"));
    break;
  case 1:
    set(label, "positive", json_pack("[s]", "0"));
    set(label, "negative", json_pack("[s]", "1"));
    break;
  case 2:
    set(label, "negative", json_string("*"));
    break;
  case 3:
    set(schema, "label", json_pack("{s:s, s:[s, s]}", "column", "y", "classes", "0", "1"));
    break;
  case 4: /* the same values in another column of the file */
    set(label, "column", json_string("z"));
    break;
  default:
    set(first, "name", json_string("d"));
  }
}

/* Another schema over the same columns; if `wrong` perhaps one that does not go with the table. */
static dperm_schema *changed(random_source *r, const dperm_schema *from, bool wrong) {
  json_t *json = json_deep_copy(from->json), *column;
  dperm_schema *made = NULL, *out = NULL;
  bool drops = from->on_missing == MISSING_DROP;
  size_t i, meaning = below(r, 2), used = 0;
  json_array_foreach(json_object_get(json, "columns"), i, column) {
    const schema_column *was = &from->columns[i];
    bool odd = wrong && below(r, 8) == 0;
    if (was->type == COLUMN_IGNORE) {
      continue;
    }
    used++;
    if ((!drops || wrong) && used > 1 && below(r, 8) == 0) {
      json_t *name = json_incref(json_object_get(column, "name"));
      (void)json_object_clear(column);
      set(column, "name", name);
      set(column, "type", json_string("ignore"));
    } else if (was->type == COLUMN_NUMERIC) {
      change_number(r, odd, column);
    } else if (below(r, 4)) {
      change_groups(r, odd, was, column);
    }
  }
  set(json, "intercept", json_boolean(below(r, 2)));
  set(json, "rows", json_string(below(r, 2) ? "fixed" : "clip"));
  if (!drops || (wrong && below(r, 2))) {
    set(json, "on_missing", json_string(below(r, 2) ? "zero" : "category"));
  }
  if (wrong && meaning) {
    change_meaning(r, json);
  }
  change_crosses(r, json);
  assert_ok(schema_from_json(json, "other", &made, err));
  if (below(r, 2)) { /* as a run has it */
    assert_ok(schema_resolve(made, false, 1000 * below(r, 6), 1, &out, err));
  } else {
    out = schema_share(made);
  }
  dperm_schema_free(made);
  json_decref(json);
  return out;
}

/* ---- the same rows */

static void same_data(const dperm_data *a, const dperm_data *b) {
  assert_same_rows(a, b);
  assert_true(a->bounds.norm1 == b->bounds.norm1 && a->bounds.norm2 == b->bounds.norm2);
  assert_int_equal(body_count(&a->bounds.body), body_count(&b->bounds.body));
  for (size_t i = 0; i < body_count(&a->bounds.body); i++) {
    const body_run *run = body_at(&a->bounds.body, i), *with = body_at(&b->bounds.body, i);
    assert_true(run->groups == with->groups && run->width == with->width &&
                run->radius == with->radius);
  }
  assert_int_equal(a->x->row_entries, b->x->row_entries);
  assert_int_equal(a->x->sum_depth, b->x->sum_depth);
  assert_true(json_equal(a->schema->json, b->schema->json));
}

static dperm_data *read_under(const dperm_schema *schema, const char *path) {
  const dperm_source source = {
      .path = path, .format = DPERM_FORMAT_CSV, .schema = schema, .may_be_empty = 1};
  dperm_data *data = NULL;
  assert_ok(dperm_data_read(&source, NULL, &data, err));
  return data;
}

/* Records under a random schema: `z` says the opposite of the label. */
typedef struct trial {
  dperm_schema *schema;
  char *path;
} trial;

static trial trial_draw(random_source *r) {
  static text_buffer text;
  trial t = {NULL, NULL};
  layout l = layout_draw(r);
  layout_cell cells[LAYOUT_COLUMNS];
  json_error_t trouble;
  layout_schema(&l, &text);
  json_t *json = json_loadb(text.bytes, text.length, 0, &trouble);
  if (below(r, 4) == 0) {
    set(json, "on_missing", json_string("drop"));
  }
  assert_ok(schema_from_json(json, "schema", &t.schema, err));
  json_decref(json);
  text.length = 0;
  put(&text, "z,d,");
  for (size_t i = 0; i < l.count; i++) {
    put(&text, "c%zu,", i);
  }
  put(&text, "y\n");
  for (size_t i = 0; i < RECORDS; i++) {
    bool positive = below(r, 2);
    layout_record(&l, r, cells);
    put(&text, "%d,%zu,", !positive, below(r, 2));
    layout_line(&l, cells, positive, &text);
  }
  t.path = file_with(text.bytes, text.length);
  return t;
}

static void trial_clear(trial *t) {
  dperm_schema_free(t->schema);
  file_remove(t->path);
}

/* ---- tests */

static bool has(const dperm_schema *schema, bool line) {
  bool any = schema->cross_count > 0 && !line;
  for (size_t c = 0; c < schema->column_count; c++) {
    any = any || (line && schema->columns[c].binned && schema->columns[c].line > 0);
  }
  return any;
}

/* Seen through a view, out of an encoded file, and as a selection of them all. */
TEST(a_view_is_what_reading_under_its_schema_gives) {
  random_source r;
  size_t crosses = 0, lines = 0, rounds = repetitions(400, 4000);
  assert_ok(random_seeded(22, &r, err));
  for (size_t round = 0; round < rounds; round++) {
    trial t = trial_draw(&r);
    dperm_data *data = read_under(t.schema, t.path), view, again;
    for (size_t i = 0; i < 3; i++) {
      auto_schema *other = changed(&r, t.schema, false);
      auto_data *expected = read_under(other, t.path);
      assert_ok(data_view_open(data, other, &view, err));
      same_data(&view, expected);
      assert_ok(data_view_open(&view, t.schema, &again, err)); /* nothing was lost */
      same_data(&again, data);
      data_view_close(&again);
      data_view_close(&view);
      crosses += has(other, false);
      lines += has(other, true);
      if (i == 0 && round % 20 == 0) { /* which is flushed and takes its time */
        auto_file *path = file_with_text("");
        dperm_source from = {
            .path = t.path, .format = DPERM_FORMAT_CSV, .schema = t.schema, .may_be_empty = 1};
        auto_data *mapped = NULL;
        assert_ok(dperm_encode_file(&from, path, NULL, NULL, err));
        from = (dperm_source){.path = path, .schema = other, .may_be_empty = 1};
        assert_ok(dperm_data_read(&from, NULL, &mapped, err));
        same_data(mapped, expected);
      }
    }
    dperm_data_free(data);
    trial_clear(&t);
  }
  assert_true(crosses > rounds / 2 && lines > rounds / 2); /* all were tried */
}

/* Whether two records share a row; each is compared, bit by bit, with what it is on its own. */
static bool compare_repeated(const matrix *rows, const matrix *alone, const size_t *picks) {
  OWNED_MEMORY double *work = malloc((rows->work_size + alone->work_size) * sizeof *work);
  bool shared = false;
  assert_non_null(work);
  for (size_t from = 0; from < rows->rows; from += MATRIX_BLOCK) {
    const size_t left = rows->rows - from, count = left < MATRIX_BLOCK ? left : MATRIX_BLOCK;
    row_view block[MATRIX_BLOCK], own;
    rows->kind->views(rows, from, count, work, block);
    for (size_t i = 0; i < count; i++) {
      alone->kind->views(alone, picks[from + i], 1, work + rows->work_size, &own);
      assert_int_equal(block[i].count, own.count);
      assert_memory_equal(block[i].columns, own.columns, own.count * sizeof *own.columns);
      assert_memory_equal(block[i].values, own.values, own.count * sizeof *own.values);
      shared = shared || (i > 0 && block[i].values == block[0].values);
    }
  }
  return shared;
}

/* Equal records become one row of their block (matrix/equal_rows.h), and each record has its own
 * row all the same: as it is alone. */
TEST(records_that_repeat_have_their_own_rows) {
  enum { REPEATED = 2 * MATRIX_BLOCK + 77, KINDS = 9 };
  random_source r;
  size_t folded = 0, rounds = repetitions(200, 2000);
  assert_ok(random_seeded(23, &r, err));
  for (size_t round = 0; round < rounds; round++) {
    trial t = trial_draw(&r);
    dperm_data *data = read_under(t.schema, t.path);
    auto_schema *other = changed(&r, t.schema, false);
    record_table *many = NULL;
    matrix *rows = NULL, *alone = NULL;
    size_t picks[REPEATED];
    for (size_t i = 0; i < REPEATED && data->x->rows > 0; i++) {
      picks[i] = below(&r, data->x->rows < KINDS ? data->x->rows : KINDS);
    }
    if (data->x->rows > 0) {
      assert_ok(table_select(data->table, NULL, data->x->rows, picks, REPEATED, &many, err));
      assert_ok(rows_of_table(many, other, &rows, err));
      assert_ok(rows_of_table(data->table, other, &alone, err));
      folded += compare_repeated(rows, alone, picks);
    }
    matrix_free(rows);
    matrix_free(alone);
    table_free(many);
    dperm_data_free(data);
    trial_clear(&t);
  }
  assert_true(folded > rounds / 2);
}

TEST(what_goes_with_a_table_gives_the_rows_of_reading) {
  random_source r;
  size_t taken = 0, refused = 0, rounds = repetitions(1500, 20000);
  assert_ok(random_seeded(23, &r, err));
  for (size_t round = 0; round < rounds; round++) {
    trial t = trial_draw(&r);
    dperm_schema *other = changed(&r, t.schema, true);
    dperm_data *data = read_under(t.schema, t.path), view;
    if (rows_check_schema(data->table, other, NULL) == DPERM_OK) {
      dperm_data *expected = read_under(other, t.path);
      assert_ok(data_view_open(data, other, &view, err));
      same_data(&view, expected);
      dperm_data_free(expected);
      taken++;
    } else {
      assert_fails(data_view_open(data, other, &view, err), DPERM_INVALID_SCHEMA,
                   "under a schema with other columns, ranges, values or labels");
      assert_null(view.x);
      refused++;
    }
    data_view_close(&view);
    dperm_data_free(data);
    dperm_schema_free(other);
    trial_clear(&t);
  }
  assert_true(taken > rounds / 10 && refused > rounds / 4);
}
