/* Rows whose bins were merged are those that reading under the coarser schema gives, to the bit,
 * and so are their bounds: over random schemas and records. And the cuts of "auto" are sound for
 * any range: they rise inside of it, and those of fewer bins are among those of more. */
#include <math.h>

#include "data/dataset.h"
#include "dperm/bins.h"
#include "random_layout.h"
#include "schema/auto_bins.h"
#include "statistics.h"

enum { RECORDS = 30 };

static size_t below(random_source *r, size_t count) {
  return (size_t)(random_bits(r) % count);
}

/* ---- merging */

/* Some of the numbers of bins become "auto", also where crosses have the column. */
static dperm_schema *with_auto(random_source *r, const text_buffer *text) {
  dperm_schema *plain = NULL, *out = NULL;
  assert_ok(dperm_schema_parse(text->bytes, text->length, "s.json", &plain, err));
  json_t *json = json_deep_copy(plain->json), *column;
  size_t i;
  json_array_foreach(json_object_get(json, "columns"), i, column) {
    if (json_object_get(column, "bins") && below(r, 2)) {
      assert_int_equal(json_object_set_new(column, "bins", json_string("auto")), 0);
    }
  }
  assert_ok(schema_from_json(json, "s.json", &out, err));
  json_decref(json);
  dperm_schema_free(plain);
  return out;
}

static dperm_schema *resolved(const dperm_schema *schema, size_t rows) {
  dperm_schema *out = NULL;
  dperm_resolve_options how;
  dperm_resolve_options_init(&how);
  how.rows = rows;
  how.epsilon = 1;
  how.all_numeric = rows % 2;
  assert_ok(dperm_schema_resolve(schema, &how, &out, err));
  return out;
}

static dperm_data *read_under(const dperm_schema *schema, const char *path) {
  const dperm_source source = {.path = path, .format = DPERM_FORMAT_CSV, .schema = schema};
  dperm_data *data = NULL;
  assert_ok(dperm_data_read(&source, NULL, &data, err));
  return data;
}

static void same_data(const dperm_data *a, const dperm_data *b) {
  static double row[LAYOUT_DIMS], other[LAYOUT_DIMS];
  assert_int_equal(dperm_data_rows(a), dperm_data_rows(b));
  assert_int_equal(dperm_data_dims(a), dperm_data_dims(b));
  assert_true(dperm_data_dims(a) <= LAYOUT_DIMS);
  for (size_t i = 0; i < dperm_data_rows(a); i++) {
    assert_ok(dperm_data_row(a, i, row, err));
    assert_ok(dperm_data_row(b, i, other, err));
    assert_memory_equal(row, other, dperm_data_dims(a) * sizeof *row);
  }
  assert_memory_equal(a->labels, b->labels, dperm_data_rows(a) * sizeof *a->labels);
  assert_true(a->bounds.norm1 == b->bounds.norm1 && a->bounds.norm2 == b->bounds.norm2);
  assert_int_equal(body_count(&a->bounds.body), body_count(&b->bounds.body));
  for (size_t i = 0; i < body_count(&a->bounds.body); i++) {
    const body_run *run = body_at(&a->bounds.body, i), *with = body_at(&b->bounds.body, i);
    assert_true(run->groups == with->groups && run->width == with->width &&
                run->radius == with->radius);
  }
  assert_int_equal(a->x->sum_depth, b->x->sum_depth);
  assert_true(json_equal(a->schema->json, b->schema->json));
}

static void merged_rows_are_those_of_the_coarser_schema(void **state) {
  (void)state;
  static const size_t numbers[] = {4, 400, 4000, 100000};
  static text_buffer text;
  random_source r;
  size_t merged = 0, crossed = 0, rounds = repetitions(150, 3000);
  assert_ok(random_seeded(22, &r, err));
  for (size_t round = 0; round < rounds; round++) {
    layout l = layout_draw(&r);
    layout_cell cells[LAYOUT_COLUMNS];
    layout_schema(&l, &text);
    dperm_schema *schema = with_auto(&r, &text);
    size_t all = below(&r, 2), rows = numbers[below(&r, 4)] + all;
    layout_header(&l, &text);
    for (size_t i = 0; i < RECORDS; i++) {
      layout_record(&l, &r, cells);
      layout_line(&l, cells, below(&r, 2), &text);
    }
    char *path = file_with(text.bytes, text.length);
    dperm_resolve_options how;
    dperm_resolve_options_init(&how);
    how.all_numeric = all;
    dperm_schema *fine = NULL, *coarse = resolved(schema, rows);
    assert_ok(dperm_schema_resolve(schema, &how, &fine, err));
    dperm_data *data = read_under(fine, path), *expected = read_under(coarse, path);
    merged += dperm_data_dims(data) > dperm_data_dims(expected);
    crossed += dperm_data_dims(data) > dperm_data_dims(expected) && l.cross_count > 0;
    assert_ok(dperm_data_merge_bins(data, coarse, err));
    same_data(data, expected);
    dperm_data_free(data);
    dperm_data_free(expected);
    dperm_schema_free(fine);
    dperm_schema_free(coarse);
    dperm_schema_free(schema);
    file_remove(path);
  }
  assert_true(merged > rounds / 3 && crossed > rounds / 10); /* all were tried */
}

#define TEXT(bins, more)                                                                           \
  "{\"label\": {\"column\": \"y\", \"positive\": [\"1\"], \"negative\": [\"0\"]}" more             \
  ", \"columns\": [{\"name\": \"a\", \"type\": \"numeric\", \"min\": 0, \"max\": 8" bins "}]}"

static dperm_schema *parsed(const char *text) {
  dperm_schema *schema = NULL;
  assert_ok(dperm_schema_parse(text, strlen(text), "s.json", &schema, err));
  return schema;
}

static void other_schemas_are_refused_and_change_nothing(void **state) {
  (void)state;
  static const char *const others[] = {
      TEXT(", \"bins\": [2, 3]", ""),
      TEXT(", \"bins\": [1, 2, 4, 6]", ""),
      TEXT("", ""),
      TEXT(", \"bins\": [2], \"weight\": 2", ""),
      TEXT(", \"bins\": [2], \"line\": 1", ""),
      TEXT(", \"bins\": [2]", ", \"intercept\": true"),
      TEXT(", \"bins\": [2]", ", \"rows\": \"fixed\""),
      TEXT(", \"bins\": [2]", ", \"on_missing\": \"category\""),
  };
  char *path = file_with_text("a,y\n1,0\n7,1\n3,1\n");
  dperm_schema *schema = parsed(TEXT(", \"bins\": 4", ""));
  dperm_schema *fewer = parsed(TEXT(", \"bins\": [2]", ""));
  dperm_schema *open = parsed(TEXT(", \"bins\": \"auto\"", ""));
  dperm_data *data = read_under(schema, path), *same = read_under(schema, path);
  dperm_data *expected = read_under(fewer, path);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    dperm_schema *other = parsed(others[i]);
    assert_fails(dperm_data_merge_bins(data, other, err), DPERM_INVALID_SCHEMA,
                 "not that of the rows with fewer cuts");
    dperm_schema_free(other);
  }
  assert_fails(dperm_data_merge_bins(data, open, err), DPERM_INVALID_SCHEMA, "\"auto\"");
  same_data(data, same);
  assert_ok(dperm_data_merge_bins(data, schema, err));
  same_data(data, same);
  assert_ok(dperm_data_merge_bins(data, fewer, err));
  same_data(data, expected);
  const double numbers[] = {1, 2}, labels[] = {1, -1};
  dperm_data *dense = NULL;
  assert_ok(dperm_data_from_dense(2, 1, numbers, labels, 1, &dense, err));
  assert_fails(dperm_data_merge_bins(dense, schema, err), DPERM_INVALID_ARGUMENT, "schema");
  dperm_data_free(dense);
  dperm_data_free(data);
  dperm_data_free(same);
  dperm_data_free(expected);
  dperm_schema_free(schema);
  dperm_schema_free(fewer);
  dperm_schema_free(open);
  file_remove(path);
}

/* ---- cuts of any range */

static double any_end(random_source *r) {
  static const double odd[] = {0, 1, -1, 5e-324, -5e-324, 1e308, -1e308, 250, 99999, 1e-300};
  double size = ldexp(random_unit(r), (int)below(r, 2000) - 1000);
  return below(r, 3) == 0 ? odd[below(r, 10)] : below(r, 2) ? size : -size;
}

static void cuts_of_any_range_rise_inside_of_it(void **state) {
  (void)state;
  static const size_t rows[] = {1, 200, 750, 900, 3000};
  static text_buffer text;
  random_source r;
  size_t wide = 0, whole = 0, tried = 0;
  assert_ok(random_seeded(23, &r, err));
  while (tried < 2000) {
    double a = any_end(&r), b = below(&r, 4) ? any_end(&r) : nextafter(a, (double)INFINITY);
    if (tried % 5 == 0) {
      a = (double)below(&r, 20) - 10;
      b = a + (double)below(&r, 20);
    }
    double low = fmin(a, b), high = fmax(a, b);
    dperm_schema *schema = NULL, *before = NULL;
    text.length = 0;
    put(&text,
        "{\"label\": {\"column\": \"y\", \"positive\": [\"1\"], \"negative\": [\"0\"]}, "
        "\"columns\": [{\"name\": \"a\", \"type\": \"numeric\", \"min\": %.17g, \"max\": %.17g, "
        "\"bins\": \"auto\"%s}]}",
        low, high, low > -1 && below(&r, 2) ? ", \"transform\": \"log1p\"" : "");
    if (dperm_schema_parse(text.bytes, text.length, "s.json", &schema, NULL) != DPERM_OK) {
      continue; /* no range at all */
    }
    tried++;
    wide += auto_bins_wide(&schema->columns[0]);
    whole += auto_bins_whole(&schema->columns[0]);
    for (size_t i = 0; i < sizeof rows / sizeof *rows;
         i++) { /* parsing checks that they rise inside */
      dperm_schema *more = resolved(schema, 2 * rows[i]);
      const schema_column *column = &more->columns[0];
      size_t found = 0;
      for (size_t c = 0; before && c < before->columns[0].cut_count; c++) {
        while (found < column->cut_count && column->cuts[found] < before->columns[0].cuts[c]) {
          found++;
        }
        assert_true(found < column->cut_count && column->cuts[found] == before->columns[0].cuts[c]);
      }
      assert_true(column->cut_count < AUTO_BINS_MOST);
      dperm_schema_free(before);
      before = more;
    }
    dperm_schema_free(before);
    dperm_schema_free(schema);
  }
  assert_true(wide > 200 && whole > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(merged_rows_are_those_of_the_coarser_schema),
      cmocka_unit_test(other_schemas_are_refused_and_change_nothing),
      cmocka_unit_test(cuts_of_any_range_rise_inside_of_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
