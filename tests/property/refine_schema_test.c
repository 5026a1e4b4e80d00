/* Refinement over random schemas and records: every schema has cells; replacing one record moves at
 * most two counts of a column, by one each; and whatever the noisy counts are, the schema that is
 * made of them is sound, keeps its columns in their places, can be read again, and goes with the
 * table of the same records. */
#include <math.h>
#include <stdlib.h>

#include "random_layout.h"
#include "refine/refine_counts.h"

enum { RECORDS = 12 };

static dperm_data *records_in(const dperm_schema *schema, const text_buffer *csv) {
  auto_file *path = file_with(csv->bytes, csv->length);
  const dperm_source source = {.path = path, .format = DPERM_FORMAT_CSV, .schema = schema};
  dperm_data *data = NULL;
  assert_ok(dperm_data_read(&source, NULL, &data, err));
  return data;
}

static void write_records(const layout *l, layout_cell (*cells)[LAYOUT_COLUMNS], text_buffer *out) {
  layout_header(l, out);
  for (size_t i = 0; i < RECORDS; i++) {
    layout_line(l, cells[i], i % 2, out);
  }
}

static refine_counts counts_in(const dperm_data *data, const refine_numbers *numbers) {
  refine_counts counts = {0};
  record_tally tally = {0};
  dperm_data view = {0};
  auto_schema *cells = NULL;
  assert_ok(refine_cell_schema(data->schema, false, &cells, err));
  assert_ok(data_view_open(data, cells, &view, err));
  assert_ok(refine_counts_new(data->schema, cells, numbers, &counts, err));
  assert_ok(record_tally_of(&view, NULL, 0, NULL, &tally, err));
  refine_counts_add(&tally, &counts);
  record_tally_clear(&tally);
  data_view_close(&view);
  return counts;
}

/* How far two tables of counts are apart, in each column. */
static void check_near(const refine_counts *a, const refine_counts *b) {
  assert_int_equal(a->count, b->count);
  for (size_t i = 0; i < a->count; i++) {
    int64_t apart = 0;
    assert_int_equal(a->columns[i].cells, b->columns[i].cells);
    for (size_t c = 0; c < a->columns[i].cells; c++) {
      apart += llabs(a->columns[i].counts[c] - b->columns[i].counts[c]);
    }
    assert_true(apart <= 2);
  }
}

/* The same rows of the table that is there as of the records read again. */
static void check_rows(const dperm_data *data, const dperm_schema *made, const text_buffer *csv) {
  dperm_data view = {0}, *read = records_in(made, csv);
  assert_ok(data_view_open(data, made, &view, err));
  assert_int_equal(view.x->cols, made->dims);
  assert_same_rows(&view, read);
  data_view_close(&view);
  dperm_data_free(read);
}

static void any_counts_make_a_sound_schema(const dperm_data *data, refine_counts *counts,
                                           const refine_numbers *numbers, const text_buffer *csv,
                                           random_source *r) {
  const schema_refined cost = {.epsilon = 0.5, .rows_per_person = 1, .is_private = true};
  const dperm_schema *wide = data->schema;
  auto_schema *bare = NULL, *made = NULL, *again = NULL;
  for (size_t i = 0; i < counts->count; i++) {
    for (size_t c = 0; c < counts->columns[i].cells; c++) {
      double size = exp(12 * random_unit(r));
      counts->columns[i].counts[c] =
          random_bits(r) % 3 == 0 ? 0 : (int64_t)(random_bits(r) % 4 ? size : -size);
    }
  }
  assert_ok(refine_schema_make(wide, counts, numbers, &bare, err));
  json_t *stated = json_deep_copy(bare->json);
  (void)json_object_set_new(stated, "refined", schema_refined_json(&cost));
  assert_ok(schema_from_json(stated, "refined", &made, err));
  json_decref(stated);
  assert_ok(schema_from_json(made->json, "again", &again, err));
  assert_int_equal(made->column_count, wide->column_count);
  for (size_t c = 0; c < wide->column_count; c++) {
    assert_string_equal(made->columns[c].name, wide->columns[c].name);
    assert_int_equal(made->columns[c].type, wide->columns[c].type);
    assert_false(made->columns[c].bins_auto);
  }
  assert_int_equal(made->cross_count, wide->cross_count);
  assert_true(again->dims == made->dims && again->refined.epsilon == 0.5);
  check_rows(data, made, csv);
}

TEST(neighbours_and_schemas) {
  random_source r;
  assert_ok(random_seeded(21, &r, err));
  for (size_t trial = 0; trial < repetitions(150, 3000); trial++) {
    const layout l = layout_draw(&r);
    text_buffer text = {0}, before = {0}, after = {0};
    layout_cell cells[RECORDS][LAYOUT_COLUMNS];
    dperm_schema *wide = NULL;
    layout_schema(&l, &text);
    assert_ok(dperm_schema_parse(text.bytes, text.length, "schema", &wide, err));
    for (size_t i = 0; i < RECORDS; i++) {
      layout_record(&l, &r, cells[i]);
    }
    write_records(&l, cells, &before);
    layout_record(&l, &r, cells[random_bits(&r) % RECORDS]);
    write_records(&l, cells, &after);
    refine_numbers numbers =
        refine_numbers_of(wide, false, 10 + (size_t)(random_bits(&r) % 100000), 1);
    numbers.scale = 1 + 500 * random_unit(&r);
    dperm_data *data = records_in(wide, &before), *neighbour = records_in(wide, &after);
    refine_counts a = counts_in(data, &numbers), b = counts_in(neighbour, &numbers);
    check_near(&a, &b);
    any_counts_make_a_sound_schema(data, &a, &numbers, &before, &r);
    refine_counts_clear(&a);
    refine_counts_clear(&b);
    dperm_data_free(data);
    dperm_data_free(neighbour);
    dperm_schema_free(wide);
    free(text.bytes);
    free(before.bytes);
    free(after.bytes);
  }
}
