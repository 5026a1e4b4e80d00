/* Crosses that were added after a fit (docs/proofs/pairs.md): for random schemas and records the
 * row is what it was without them, and beside it each pair has the entry of its parts. */
#include <math.h>

#include "data/dataset.h"
#include "random_layout.h"
#include "table/rows.h"

enum { RECORDS = 40 };

/* Level by level: as a category of its own, a quarter of a range, a quarter of many values. */
static size_t expected_part(const dperm_schema *schema, const schema_column *column, double cell) {
  const bool number = column->type == COLUMN_NUMERIC;
  if (number ? isnan(cell) : cell == CELL_MISSING) {
    return schema->on_missing == MISSING_CATEGORY ? column_parts(column) - 1 : PART_NONE;
  }
  const double x = fmin(fmax(cell, column->min), column->max),
               low = column_transformed(column, column->min),
               high = column_transformed(column, column->max);
  size_t level = 0;
  while (number && column->binned && level < column->cut_count && column->cuts[level] <= x) {
    level++;
  }
  if (number && !column->binned) {
    level = (size_t)fmin(3, 4 * ((column_transformed(column, x) - low) / (high - low)));
    return level;
  }
  if (!number) {
    level = (size_t)cell - CELL_CATEGORY;
    if (cell == CELL_UNKNOWN) {
      return PART_NONE;
    }
  }
  const size_t missing = schema->on_missing == MISSING_CATEGORY;
  return column->levels <= 5 ? level : level * 4 / (column->levels - missing);
}

/* All pairs of columns of a schema, of which no category has another meaning than in the table. */
static dperm_schema *all_pairs(const dperm_schema *schema) {
  column_pair pairs[LAYOUT_COLUMNS * LAYOUT_COLUMNS];
  dperm_schema *out = NULL;
  size_t count = 0;
  for (size_t a = 0; a < schema->column_count; a++) {
    for (size_t b = 0; b < a; b++) {
      const schema_column *one = &schema->columns[a], *other = &schema->columns[b];
      if (one->type <= COLUMN_CATEGORICAL && other->type <= COLUMN_CATEGORICAL) {
        pairs[count++] = (column_pair){a, b};
      }
    }
  }
  assert_ok(schema_with_pairs(schema, pairs, count, &out, err));
  return out;
}

/* The row is what it was, bit by bit, and beside it each pair has one entry, of 1, if both of its
 * columns have a part. */
TEST(crosses_after_the_fit_stand_beside_the_row) {
  static double row[LAYOUT_DIMS], with[LAYOUT_DIMS];
  random_source r;
  size_t rounds = repetitions(300, 3000), pairs = 0, none = 0;
  assert_ok(random_seeded(29, &r, err));
  for (size_t round = 0; round < rounds; round++) {
    static text_buffer text;
    const layout l = layout_draw(&r);
    auto_schema *schema = NULL;
    dperm_data view;
    layout_schema(&l, &text);
    assert_ok(dperm_schema_parse(text.bytes, text.length, "schema", &schema, err));
    auto_data *data = layout_data(&l, &r, RECORDS, schema);
    auto_schema *other = all_pairs(schema);
    const size_t first = schema_after_fit_first(other), dims = schema->dims;
    if (other->dims > LAYOUT_DIMS || other->after_fit == 0) {
      continue;
    }
    assert_ok(data_view_open(data, other, &view, err));
    assert_int_equal(other->dims, dims + other->after_fit);
    assert_true(view.bounds.norm1 == data->bounds.norm1);
    for (size_t i = 0; i < data->x->rows; i++) {
      assert_ok(dperm_data_row(data, i, row, err));
      assert_ok(dperm_data_row(&view, i, with, err));
      assert_memory_equal(row, with, first * sizeof *row);
      assert_memory_equal(row + first, with + first + other->after_fit,
                          (dims - first) * sizeof *row);
      for (size_t c = other->cross_count - 1; other->crosses[c].after_fit; c--) {
        const schema_cross *cross = &other->crosses[c];
        size_t part[2], at[2] = {0, 0}, entries = 0;
        for (size_t k = 0; k < 2; k++) {
          for (size_t p = 0; data->table->layout.places[p] != cross->columns[k]; p++) {
            at[k] = p + 1;
          }
          part[k] = expected_part(other, &other->columns[cross->columns[k]],
                                  table_cell(data->table, i, at[k]));
        }
        const bool both = part[0] != PART_NONE && part[1] != PART_NONE;
        const size_t place = part[0] * column_parts(&other->columns[cross->columns[1]]) + part[1];
        for (size_t j = 0; j < cross->width; j++) {
          entries += with[cross->first + j] != 0;
        }
        assert_int_equal(entries, both);
        assert_true(!both || with[cross->first + place] == 1);
        pairs += both;
        none += !both;
        if (c == 0) {
          break;
        }
      }
    }
    data_view_close(&view);
  }
  assert_true(pairs > rounds && none > rounds);
}
