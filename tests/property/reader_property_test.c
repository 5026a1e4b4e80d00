/* Random schemas and random tables, written as CSV in many spellings and encoded through the
 * files, against a plain encoder written here from the documented rule alone. The two must agree
 * to the last bit, in rows, labels and counts, with and without a header. */
#include "dperm/unsafe.h"
#include "support.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "text_buffer.h"

enum { COLUMNS = 9, VALUES = 6, ROWS = 120 };

typedef enum { NUMERIC, CATEGORICAL, IGNORED } kind;

typedef struct plain_column {
  kind kind;
  char name[16];
  double weight, min, max;
  bool log, center;
  int values;            /* categorical: how many texts are listed */
  int category[VALUES];  /* which category each of them is */
  int categories, other; /* `other` is −1 without a "*" group */
} plain_column;

typedef struct plain_schema {
  plain_column columns[COLUMNS];
  int count, label_at; /* where the label stands among the columns listed */
  bool header, intercept, fixed;
  int on_missing; /* 0 zero, 1 category, 2 drop */
  char separator;
} plain_schema;

static size_t below(random_source *source, size_t limit) {
  return (size_t)(random_bits(source) % limit);
}

/* ---- a random schema, as a value and as JSON */

static const char *const texts[VALUES] = {"red", "light green", "x;y,z", "say \"no\"", "0", "é\n?"};

static void draw_column(random_source *source, int index, plain_column *c) {
  static const double weights[] = {1, 1, 1, 2, 0.5, 0.3};
  *c = (plain_column){.kind = (kind)below(source, 3), .weight = weights[below(source, 6)]};
  (void)snprintf(c->name, sizeof c->name, "col %d", index);
  c->min = (double)below(source, 200) - 100;
  c->max = c->min + 1 + 50 * random_unit(source);
  c->log = c->min > -1 && below(source, 2);
  c->center = below(source, 2);
  c->values = 1 + (int)below(source, VALUES);
  c->other = -1;
  bool grouped = below(source, 2);
  c->categories = grouped ? 1 + (int)below(source, (size_t)c->values) : c->values;
  for (int v = 0; v < c->values; v++) {
    c->category[v] = v < c->categories ? v : (int)below(source, (size_t)c->categories);
  }
  if (grouped && below(source, 2)) {
    c->other = c->categories++;
  }
}

static void draw_schema(random_source *source, plain_schema *s) {
  *s = (plain_schema){.count = 1 + (int)below(source, COLUMNS),
                      .header = below(source, 2),
                      .intercept = below(source, 2),
                      .fixed = below(source, 2),
                      .on_missing = (int)below(source, 3),
                      .separator = ",;\t"[below(source, 3)]};
  s->label_at = (int)below(source, (size_t)s->count + 1);
  for (int c = 0; c < s->count; c++) {
    draw_column(source, c, &s->columns[c]);
  }
  s->columns[0].kind = s->columns[0].kind == IGNORED ? NUMERIC : s->columns[0].kind;
}

/* A text as a JSON string. */
static void put_json(text_buffer *out, const char *text) {
  put(out, "\"");
  for (; *text; text++) {
    if (*text == '"') {
      put(out, "\\\"");
    } else if (*text == '\n') {
      put(out, "\\n");
    } else {
      put(out, "%c", *text);
    }
  }
  put(out, "\"");
}

static void put_categories(text_buffer *out, const plain_column *c) {
  bool grouped = c->categories != c->values || c->other >= 0;
  put(out, grouped ? ", \"groups\": {" : ", \"values\": [");
  for (int k = 0; k < c->categories; k++) {
    put(out, k ? ", " : "");
    if (grouped) {
      put(out, "\"group %d\": ", k);
    }
    if (k == c->other) {
      put(out, "\"*\"");
      continue;
    }
    put(out, grouped ? "[" : "");
    bool any = false;
    for (int v = 0; v < c->values; v++) {
      if (c->category[v] == k) {
        put(out, any ? ", " : "");
        put_json(out, texts[v]);
        any = true;
      }
    }
    put(out, grouped ? "]" : "");
  }
  put(out, grouped ? "}" : "]");
}

static void put_column(text_buffer *out, const plain_column *c) {
  static const char *const kinds[] = {"numeric", "categorical", "ignore"};
  put(out, "{\"name\": \"%s\", \"type\": \"%s\"", c->name, kinds[c->kind]);
  if (c->kind != IGNORED) {
    put(out, ", \"weight\": %.17g", c->weight);
  }
  if (c->kind == NUMERIC) {
    put(out, ", \"min\": %.17g, \"max\": %.17g%s%s", c->min, c->max,
        c->log ? ", \"transform\": \"log1p\"" : "", c->center ? ", \"scale\": \"center\"" : "");
  } else if (c->kind == CATEGORICAL) {
    put_categories(out, c);
  }
  put(out, "}");
}

static void put_schema(text_buffer *out, const plain_schema *s) {
  static const char *const rules[] = {"zero", "category", "drop"};
  put(out, "{\"header\": %s, \"intercept\": %s, \"rows\": \"%s\", \"on_missing\": \"%s\",",
      s->header ? "true" : "false", s->intercept ? "true" : "false", s->fixed ? "fixed" : "clip",
      rules[s->on_missing]);
  put(out, "\"separator\": \"%s\", \"comment\": \"#\", \"missing\": [\"?\", \"\"],",
      s->separator == '\t'  ? "\\t"
      : s->separator == ';' ? ";"
                            : ",");
  put(out, "\"label\": {\"column\": \"the label\", \"positive\": [\"yes\", \"Y\"], "
           "\"negative\": [\"no\"]}, \"columns\": [");
  for (int c = 0; c <= s->count; c++) {
    if (c == s->label_at && !s->header) {
      put(out, "%s{\"name\": \"the label\", \"type\": \"label\"}", c ? ", " : "");
    }
    if (c < s->count) {
      put(out, "%s", c || (s->label_at == 0 && !s->header) ? ", " : "");
      put_column(out, &s->columns[c]);
    }
  }
  put(out, "]}");
}

/* ---- a random table, as cells and as CSV */

typedef enum { MISSING, NUMBER, LISTED, OTHER } cell_kind;

typedef struct cell {
  cell_kind kind;
  double number;
  int value; /* which of the listed texts */
  char text[40];
} cell;

static cell draw_cell(random_source *source, const plain_column *c) {
  cell out = {.kind = MISSING};
  if (below(source, 12) == 0) {
    (void)snprintf(out.text, sizeof out.text, "%s", below(source, 2) ? "?" : "");
  } else if (c->kind == NUMERIC) {
    double span = c->max - c->min, x = c->min + span * (1.4 * random_unit(source) - 0.2);
    out.kind = NUMBER;
    x = below(source, 10) ? x : below(source, 2) ? c->min : c->max;
    (void)snprintf(out.text, sizeof out.text, below(source, 2) ? "%.*f" : "%.*e",
                   (int)below(source, 22), x);
    out.number = strtod(out.text, NULL);
  } else {
    out.value = (int)below(source, (size_t)c->values + 1);
    out.kind = out.value < c->values ? LISTED : OTHER;
    (void)snprintf(out.text, sizeof out.text, "%s",
                   out.kind == LISTED ? texts[out.value]
                   : below(source, 2) ? "pink"
                                      : "Red");
  }
  return out;
}

static void put_field(random_source *source, text_buffer *out, const char *text) {
  bool quoted = strpbrk(text, ",;\"\n\t ") || below(source, 4) == 0;
  put(out, "%s%s", below(source, 6) ? "" : " ", quoted ? "\"" : "");
  for (; *text; text++) {
    put(out, *text == '"' ? "\"\"" : "%c", *text);
  }
  put(out, "%s%s", quoted ? "\"" : "", below(source, 6) ? "" : "  ");
}

/* One line; `order` says which column stands at each place, the label's number being s->count. */
static void put_record(random_source *source, text_buffer *out, const plain_schema *s,
                       const int *order, const char *const *fields) {
  for (int i = 0; i <= s->count; i++) {
    if (i > 0) {
      put(out, "%c", s->separator);
    }
    put_field(source, out, fields[order[i]]);
  }
  put(out, below(source, 3) ? "\n" : "\r\n");
  while (below(source, 15) == 0) {
    put(out, below(source, 2) ? "# skipped \"\n" : " \r\n");
  }
}

static void draw_order(random_source *source, const plain_schema *s, int *order) {
  int at = 0;
  for (int c = 0; c <= s->count; c++) {
    if (c == s->label_at) {
      order[at++] = s->count;
    }
    if (c < s->count) {
      order[at++] = c;
    }
  }
  for (int i = s->count; s->header && i > 0; i--) { /* a header allows any order */
    int j = (int)below(source, (size_t)i + 1), other = order[i];
    order[i] = order[j];
    order[j] = other;
  }
}

/* ---- the plain encoder */

typedef struct plain_data {
  size_t dims, rows;
  double x[ROWS][COLUMNS * (VALUES + 2) + 1], labels[ROWS];
  dperm_unsafe_column_counts counts[COLUMNS];
} plain_data;

static double norm_of(const double *values, size_t count) {
  double sum = 0, only = 0;
  size_t nonzero = 0;
  for (size_t i = 0; i < count; i++) {
    if (values[i] != 0) {
      sum += values[i] * values[i];
      only = fabs(values[i]);
      nonzero++;
    }
  }
  return nonzero <= 1 ? only : sqrt(sum) * (1 + ((double)nonzero + 16) / 0x1p53);
}

static size_t width_of(const plain_schema *s, const plain_column *c) {
  size_t width = c->kind == NUMERIC ? 1 : c->kind == CATEGORICAL ? (size_t)c->categories : 0;
  return c->kind == IGNORED ? 0 : width + (s->on_missing == 1);
}

static double plain_number(const plain_column *c, double x, dperm_unsafe_column_counts *counts) {
  counts->clamped += x < c->min || x > c->max;
  x = x < c->min ? c->min : x > c->max ? c->max : x;
  double low = c->log ? log1p(c->min) : c->min, high = c->log ? log1p(c->max) : c->max;
  double t = c->log ? log1p(x) : x;
  double q = c->center ? (t - (low / 2 + high / 2)) / (high / 2 - low / 2)
                       : t / fmax(fabs(low), fabs(high));
  return c->weight * (q < -1 ? -1 : q > 1 ? 1 : q);
}

/* max(1, ρ), or the largest norm that the schema allows. */
static double least_divisor(const plain_schema *s) {
  double weights[COLUMNS + 1];
  size_t count = 0;
  for (int c = 0; c < s->count; c++) {
    if (s->columns[c].kind == CATEGORICAL) {
      weights[count++] = s->columns[c].weight;
    }
  }
  if (s->intercept) {
    weights[count++] = 1;
  }
  for (int c = 0; s->fixed && c < s->count; c++) {
    if (s->columns[c].kind == NUMERIC) {
      weights[count++] = s->columns[c].weight;
    }
  }
  double norm = norm_of(weights, count);
  return s->fixed ? norm : fmax(1, norm);
}

static void plain_encode(const plain_schema *s, const cell *cells, bool label_missing, double label,
                         plain_data *out) {
  double *x = out->x[out->rows];
  size_t at = 0;
  bool drop = label_missing;
  memset(x, 0, sizeof out->x[0]);
  for (int i = 0; i < s->count; i++) {
    const plain_column *c = &s->columns[i];
    size_t width = width_of(s, c);
    dperm_unsafe_column_counts *counts = &out->counts[i];
    if (c->kind != IGNORED && cells[i].kind == MISSING) {
      counts->missing++;
      drop = drop || s->on_missing == 2;
      if (s->on_missing == 1) {
        x[at + width - 1] = c->weight;
      }
    } else if (c->kind == NUMERIC) {
      x[at] = plain_number(c, cells[i].number, counts);
    } else if (c->kind == CATEGORICAL) {
      int category = cells[i].kind == LISTED ? c->category[cells[i].value] : c->other;
      counts->unknown += category < 0;
      if (category >= 0) {
        x[at + (size_t)category] = c->weight;
      }
    }
    at += width;
  }
  if (s->intercept) {
    x[at++] = 1;
  }
  out->dims = at;
  if (drop) {
    return;
  }
  double divisor = least_divisor(s);
  divisor = s->fixed ? divisor : fmax(divisor, norm_of(x, at));
  for (size_t j = 0; j < at && divisor != 1; j++) {
    x[j] *= 1 / divisor * (1 - 0x1p-51);
  }
  out->labels[out->rows++] = label;
}

/* ---- the comparison */

static void draw_table(random_source *source, const plain_schema *s, text_buffer *csv,
                       plain_data *expected) {
  int order[COLUMNS + 1];
  const char *fields[COLUMNS + 1];
  cell cells[COLUMNS];
  draw_order(source, s, order);
  if (s->header) {
    for (int c = 0; c < s->count; c++) {
      fields[c] = s->columns[c].name;
    }
    fields[s->count] = "the label";
    put_record(source, csv, s, order, fields);
  }
  for (int row = 0; row < ROWS; row++) {
    for (int c = 0; c < s->count; c++) {
      cells[c] = draw_cell(source, &s->columns[c]);
      fields[c] = cells[c].text;
    }
    static const char *const labels[] = {"no", "yes", "Y", "?"};
    size_t label = below(source, s->on_missing == 2 ? 4 : 3);
    fields[s->count] = labels[label];
    put_record(source, csv, s, order, fields);
    plain_encode(s, cells, label == 3, label ? 1 : -1, expected);
  }
}

static void compare(const dperm_data *data, const plain_schema *s, const plain_data *expected) {
  double row[sizeof expected->x[0] / sizeof(double)];
  assert_int_equal(dperm_data_dims(data), expected->dims);
  assert_int_equal(dperm_data_rows(data), expected->rows);
  assert_memory_equal(dperm_data_labels(data), expected->labels, expected->rows * sizeof(double));
  for (size_t i = 0; i < expected->rows; i++) {
    assert_ok(dperm_data_row(data, i, row, err));
    for (size_t j = 0; j < expected->dims; j++) {
      if (row[j] != expected->x[i][j]) {
        fail_msg("entry %zu of row %zu is %.17g, not %.17g", j, i, row[j], expected->x[i][j]);
      }
    }
  }
  for (int c = 0; c < s->count; c++) {
    size_t at = (size_t)c + (!s->header && c >= s->label_at);
    dperm_unsafe_column_counts counts;
    assert_ok(dperm_unsafe_data_counts(data, at, &counts, err));
    assert_memory_equal(&counts, &expected->counts[c], sizeof counts);
  }
}

static void files_encode_as_the_documented_rule(void **state) {
  (void)state;
  random_source source;
  assert_ok(random_seeded(21, &source, err));
  static plain_data expected;
  size_t compared = 0;
  for (int round = 0; round < 400; round++) {
    plain_schema s;
    text_buffer json = {0}, csv = {0};
    memset(&expected, 0, sizeof expected);
    draw_schema(&source, &s);
    put_schema(&json, &s);
    draw_table(&source, &s, &csv, &expected);
    dperm_schema *schema = NULL;
    assert_ok(dperm_schema_parse(json.bytes, json.length, "s.json", &schema, err));
    char *path = file_with(csv.bytes, csv.length);
    dperm_source from = {.path = path, .schema = schema};
    dperm_data *data = NULL;
    if (expected.rows > 0) {
      assert_ok(dperm_data_read(&from, NULL, &data, err));
      compare(data, &s, &expected);
      compared += expected.rows;
    } else {
      assert_fails(dperm_data_read(&from, NULL, &data, err), DPERM_INVALID_DATA, "no rows");
    }
    dperm_data_free(data);
    dperm_schema_free(schema);
    file_remove(path);
    free(json.bytes);
    free(csv.bytes);
  }
  assert_true(compared > 10000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(files_encode_as_the_documented_rule)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
