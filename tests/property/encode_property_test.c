/* The encoder against the rule in docs/formats.md, written again as plainly as it can be: random
 * schemas with every kind of column, bins, lines and crosses; records with values at cuts and one
 * step beside them, beyond the range, missing and unknown. Each way in gives the rows of the rule
 * to the last bit: CSV by one thread and by three, with quotes, an encoded file, and a table of
 * numbers or of texts. */
#include <math.h>
#include <stdlib.h>

#include "base/functions.h"
#include "base/thread_pool.h"
#include "data/dataset.h"
#include "random_layout.h"
#include "schema/row_norm.h"

enum { RECORDS = 30 };

static size_t below(random_source *r, size_t count) {
  return (size_t)(random_bits(r) % count);
}

/* ---- the rule */

/* The cuts as the schema has them; those of equal bins are near to where they should be. */
static const double *cuts_of(const layout_column *c, const schema_column *made) {
  assert_int_equal(made->cut_count, c->cut_count);
  for (size_t i = 0; i < c->cut_count; i++) {
    long double wanted = c->equal ? layout_equal_cut(c, i) : (long double)c->cuts[i];
    long double size =
        fabsl(wanted) + fmaxl(fabsl((long double)c->min), fabsl((long double)c->max));
    assert_true(fabsl(made->cuts[i] - wanted) <= (c->equal ? 1e-14L * (1 + size) : 0));
  }
  return made->cuts;
}

static double clamped(const layout_column *c, double x) {
  return fmin(fmax(x, c->min), c->max);
}

static double scaled(const layout_column *c, double x) {
  double low = c->log ? math_log1p(c->min) : c->min, high = c->log ? math_log1p(c->max) : c->max;
  double middle = c->center ? low / 2 + high / 2 : 0;
  double half = c->center ? high / 2 - low / 2 : fmax(fabs(low), fabs(high));
  return fmin(fmax(((c->log ? math_log1p(x) : x) - middle) / half, -1), 1);
}

/* Which of its values the column has, "missing" last; SIZE_MAX for none. */
static size_t level_of(const layout *l, size_t column, const layout_cell *cell,
                       const dperm_schema *schema) {
  const layout_column *c = &l->columns[column];
  if (cell->kind == CELL_MISSING) {
    return l->category ? layout_values(c) : SIZE_MAX;
  }
  if (c->kind != LAYOUT_BINS) {
    return cell->kind == CELL_UNKNOWN ? SIZE_MAX : cell->category;
  }
  const double *cuts = cuts_of(c, &schema->columns[column]);
  size_t bin = 0;
  for (size_t i = 0; i < c->cut_count; i++) {
    bin += cuts[i] <= clamped(c, cell->x);
  }
  return bin;
}

/* Before the row is divided; returns how many columns there are. */
static size_t encode_plainly(const layout *l, const layout_cell *cells, const dperm_schema *schema,
                             double *row) {
  size_t at = 0;
  memset(row, 0, LAYOUT_DIMS * sizeof *row);
  for (size_t i = 0; i < l->count; i++) {
    const layout_column *c = &l->columns[i];
    bool number = cells[i].kind == CELL_NUMBER, missing = cells[i].kind == CELL_MISSING;
    if (c->kind == LAYOUT_IGNORED) {
      continue;
    }
    if (c->kind == LAYOUT_NUMBER) {
      row[at] = number ? c->weight * scaled(c, clamped(c, cells[i].x)) : 0;
      row[at + 1] = l->category && missing ? c->weight : 0;
      at += 1 + l->category;
      continue;
    }
    if (c->line > 0) {
      row[at++] = number ? c->line * scaled(c, clamped(c, cells[i].x)) : 0;
    }
    size_t level = level_of(l, i, &cells[i], schema), values = 0;
    for (size_t v = 0; v < layout_levels(l, c); v++) {
      if (v != c->reference) {
        row[at + values++] = v == level ? c->weight : 0;
      }
    }
    at += values;
  }
  for (size_t i = 0; i < l->cross_count; i++) {
    const size_t *pair = l->crosses[i].columns;
    size_t a = level_of(l, pair[0], &cells[pair[0]], schema);
    size_t b = level_of(l, pair[1], &cells[pair[1]], schema);
    for (size_t u = 0; u < layout_levels(l, &l->columns[pair[0]]); u++) {
      for (size_t v = 0; v < layout_levels(l, &l->columns[pair[1]]); v++) {
        row[at++] = u == a && v == b ? l->crosses[i].weight : 0;
      }
    }
  }
  row[at] = l->intercept;
  return at + l->intercept;
}

/* row_bounds_test.c has what min_divisor must be. */
static void divide(const layout *l, const dperm_schema *schema, double *row, size_t dims) {
  double norm = row_norm_upper(row, dims);
  double divisor = l->fixed ? schema->min_divisor : fmax(schema->min_divisor, norm);
  for (size_t j = 0; divisor != 1 && j < dims; j++) {
    row[j] *= 1 / divisor * (1 - 0x1p-51);
  }
}

/* ---- ways in */

typedef struct trial {
  layout l;
  dperm_schema *schema;
  layout_cell cells[RECORDS][LAYOUT_COLUMNS];
  bool labels[RECORDS];
} trial;

static void check_rows(const trial *t, dperm_data *data, const char *way) {
  static double expected[LAYOUT_DIMS], row[LAYOUT_DIMS];
  assert_int_equal(dperm_data_rows(data), RECORDS);
  for (size_t i = 0; i < RECORDS; i++) {
    size_t dims = encode_plainly(&t->l, t->cells[i], t->schema, expected);
    assert_int_equal(dims, dperm_data_dims(data));
    divide(&t->l, t->schema, expected, dims);
    assert_ok(dperm_data_row(data, i, row, err));
    for (size_t j = 0; j < dims; j++) {
      if (row[j] != expected[j]) {
        char name[100];
        (void)dperm_schema_feature_name(t->schema, j, name, sizeof name);
        fail_msg("%s: %s of row %zu is %a, not %a", way, name, i, row[j], expected[j]);
      }
    }
    assert_true(dperm_data_labels(data)[i] == (t->labels[i] ? 1 : -1));
  }
  dperm_data_free(data);
}

/* If `quoted`, some fields are in quotes, some lines end with CRLF or are blank, and the columns
 * stand in another order, one that the schema does not name among them. */
static char *write_file(const trial *t, bool quoted) {
  static text_buffer text;
  const size_t count = t->l.count, shift = quoted ? 1 + count / 2 : 0;
  text.length = 0;
  for (size_t c = 0; c < count; c++) {
    put(&text, "%sc%zu,", quoted && c == 1 ? "\"not, named\"," : "", (c + shift) % count);
  }
  put(&text, "y\n");
  for (size_t i = 0; i < RECORDS; i++) {
    for (size_t c = 0; c < count; c++) {
      const char *quote = quoted && (i + c) % 3 == 0 ? "\"" : "";
      put(&text, "%s%s", quoted && c == 1 ? " x ," : "", quote);
      layout_cell_text(&t->cells[i][(c + shift) % count], &text);
      put(&text, "%s,", quote);
    }
    put(&text, "%d%s", t->labels[i], quoted && i % 5 == 0 ? "\r\n \n" : "\n");
  }
  return file_with(text.bytes, text.length);
}

/* With `encode`, by way of an encoded file too, which is flushed and takes its time. */
static void by_file(const trial *t, bool quoted, int threads, bool encode) {
  auto_file *path = write_file(t, quoted), *encoded = file_with_text("");
  const dperm_source from = {.path = path, .format = DPERM_FORMAT_CSV, .schema = t->schema};
  const dperm_source again = {.path = encoded, .format = DPERM_FORMAT_ENCODED};
  thread_scope scope = threads_enter(threads);
  dperm_data *data = NULL;
  assert_ok(dperm_data_read(&from, NULL, &data, err));
  check_rows(t, data, quoted ? "CSV with quotes" : threads > 1 ? "CSV by threads" : "CSV");
  if (encode) {
    assert_ok(dperm_encode_file(&from, encoded, NULL, NULL, err));
    assert_ok(dperm_data_read(&again, NULL, &data, err));
    check_rows(t, data, "encoded file");
  }
  threads_leave(&scope);
}

static bool has_infinity(const trial *t, size_t column) {
  bool any = false;
  for (size_t i = 0; i < RECORDS; i++) {
    any = any || (t->cells[i][column].kind == CELL_NUMBER && isinf(t->cells[i][column].x));
  }
  return any;
}

/* A column as numbers, where NaN is missing, if they are all finite; else as texts, where no code
 * is missing. */
static void by_table(const trial *t, bool numbers) {
  static double values[LAYOUT_COLUMNS][RECORDS];
  static int32_t codes[LAYOUT_COLUMNS + 1][RECORDS];
  static char texts[LAYOUT_COLUMNS][RECORDS][32];
  static const char *pointers[LAYOUT_COLUMNS][RECORDS];
  static const char *const labels[] = {"0", "1"};
  static text_buffer text;
  dperm_column columns[LAYOUT_COLUMNS] = {{0}};
  dperm_data *data = NULL;
  for (size_t c = 0; c < t->l.count; c++) {
    layout_kind kind = t->l.columns[c].kind;
    bool as_number = numbers && (kind == LAYOUT_NUMBER || kind == LAYOUT_BINS);
    for (size_t i = 0; i < RECORDS; i++) {
      const layout_cell *cell = &t->cells[i][c];
      values[c][i] = cell->kind == CELL_NUMBER ? cell->x : (double)NAN;
      codes[c][i] = cell->kind == CELL_MISSING ? -1 : (int32_t)i;
      text.length = 0;
      layout_cell_text(cell, &text);
      memcpy(texts[c][i], text.bytes ? text.bytes : "", text.length + 1);
      pointers[c][i] = cell->kind == CELL_MISSING ? "" : texts[c][i];
    }
    columns[c] =
        as_number && !has_infinity(t, c)
            ? (dperm_column){.numbers = values[c]}
            : (dperm_column){.codes = codes[c], .texts = pointers[c], .text_count = RECORDS};
  }
  for (size_t i = 0; i < RECORDS; i++) {
    codes[LAYOUT_COLUMNS][i] = t->labels[i];
  }
  const dperm_column label = {.codes = codes[LAYOUT_COLUMNS], .texts = labels, .text_count = 2};
  assert_ok(dperm_data_from_table(t->schema, RECORDS, columns, &label, &data, err));
  check_rows(t, data, numbers ? "table of numbers" : "table of texts");
}

TEST(every_way_in_gives_the_rows_of_the_rule) {
  static text_buffer text;
  static trial t;
  random_source r;
  size_t cut_hit = 0, crosses = 0, lines = 0, rounds = repetitions(400, 4000);
  assert_ok(random_seeded(21, &r, err));
  for (size_t round = 0; round < rounds; round++) {
    t.l = layout_draw(&r);
    layout_schema(&t.l, &text);
    assert_ok(dperm_schema_parse(text.bytes, text.length, "s.json", &t.schema, err));
    for (size_t i = 0; i < RECORDS; i++) {
      layout_record(&t.l, &r, t.cells[i]);
      t.labels[i] = below(&r, 2);
    }
    by_file(&t, false, 1, false);
    by_file(&t, false, 3, round % 20 == 0);
    by_file(&t, true, 1, false);
    by_table(&t, true);
    by_table(&t, false);
    crosses += t.l.cross_count;
    for (size_t c = 0; c < t.l.count; c++) {
      lines += t.l.columns[c].line > 0;
      for (size_t i = 0; i < RECORDS; i++) {
        for (size_t k = 0; k < t.l.columns[c].cut_count; k++) {
          cut_hit +=
              t.cells[i][c].kind == CELL_NUMBER && t.cells[i][c].x == t.schema->columns[c].cuts[k];
        }
      }
    }
    dperm_schema_free(t.schema);
  }
  assert_true(cut_hit > 3 * rounds && crosses > rounds / 4 &&
              lines > rounds / 2); /* all were tried */
}
