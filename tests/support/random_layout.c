/* See random_layout.h. */
#include "random_layout.h"

#include <math.h>
#include <stdlib.h>

#include "statistics.h"

static size_t below(random_source *r, size_t count) {
  return (size_t)(random_bits(r) % count);
}

static double random_weight(random_source *r) {
  static const double weights[] = {1, 1, 1, 2, 0.1, 1e-6, 1e6, 3};
  return below(r, 2) ? weights[below(r, 8)] : random_scale(r, 0.05, 20);
}

/* ---- columns */

static int by_size(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* Cuts inside of the range, some of them neighbours among the doubles. */
static void draw_cuts(random_source *r, layout_column *c) {
  size_t count = 1 + below(r, LAYOUT_CUTS);
  double made[LAYOUT_CUTS];
  for (size_t i = 0; i < count; i++) {
    made[i] = c->min + random_unit(r) * (c->max - c->min);
    made[i] = below(r, 4) == 0 ? round(made[i]) : made[i];
    made[i] = i > 0 && below(r, 4) == 0 ? nextafter(made[i - 1], c->max) : made[i];
  }
  qsort(made, count, sizeof *made, by_size);
  for (size_t i = 0; i < count; i++) {
    bool inside = made[i] > c->min && made[i] < c->max;
    if (inside && (c->cut_count == 0 || made[i] > c->cuts[c->cut_count - 1])) {
      c->cuts[c->cut_count++] = made[i];
    }
  }
}

static layout_column draw_column(random_source *r, bool plain, bool first) {
  layout_column c = {.kind = (layout_kind)below(r, first ? 4 : 5),
                     .weight = plain ? 1 : random_weight(r),
                     .categories = 1 + below(r, 5),
                     .reference = SIZE_MAX};
  bool category = c.kind == LAYOUT_VALUES || c.kind == LAYOUT_GROUPS;
  if (category && c.categories > 1 && below(r, 2)) {
    c.reference = below(r, c.categories);
  }
  c.rest = c.kind == LAYOUT_GROUPS && c.categories > 1 && below(r, 4);
  c.min = below(r, 2) ? 0 : random_scale(r, 0.1, 100) * (below(r, 2) ? 1 : -1);
  c.max = c.min + random_scale(r, 1e-3, 1e6);
  c.center = below(r, 2);
  c.log = c.min > -1 && below(r, 2);
  if (c.kind == LAYOUT_BINS) {
    c.line = below(r, 2) ? 0 : plain ? 1 : random_weight(r);
    c.equal = below(r, 2) ? 2 + below(r, LAYOUT_CUTS) : 0;
    c.cut_count = c.equal ? c.equal - 1 : 0;
    if (!c.equal) {
      c.ends = below(r, 2);
      draw_cuts(r, &c);
      c.ends = c.ends || c.cut_count == 0;
    }
  }
  return c;
}

static void draw_crosses(random_source *r, bool plain, layout *l) {
  size_t able[LAYOUT_COLUMNS], count = 0;
  for (size_t i = 0; i < l->count; i++) {
    layout_kind kind = l->columns[i].kind;
    if (kind != LAYOUT_NUMBER && kind != LAYOUT_IGNORED) {
      able[count++] = i;
    }
  }
  while (count > 1 && l->cross_count < LAYOUT_CROSSES && below(r, 2)) {
    size_t a = able[below(r, count)], b = able[below(r, count)];
    bool fine = a != b;
    for (size_t i = 0; i < l->cross_count; i++) {
      const size_t *other = l->crosses[i].columns;
      fine = fine && !(other[0] == a && other[1] == b) && !(other[0] == b && other[1] == a);
    }
    if (fine) {
      l->crosses[l->cross_count++] = (layout_cross){{a, b}, plain ? 1 : random_weight(r)};
    }
  }
}

layout layout_draw(random_source *r) {
  layout l = {.intercept = below(r, 2), .fixed = below(r, 2), .category = below(r, 2)};
  l.count = 1 + below(r, LAYOUT_COLUMNS);
  bool plain = below(r, 2); /* weights of 1 */
  for (size_t c = 0; c < l.count; c++) {
    l.columns[c] = draw_column(r, plain, c == 0);
  }
  draw_crosses(r, plain, &l);
  return l;
}

long double layout_equal_cut(const layout_column *c, size_t i) {
  long double low = c->min, high = c->max;
  low = c->log ? log1pl(low) : low;
  high = c->log ? log1pl(high) : high;
  long double t = low + (high - low) * (long double)(i + 1) / (long double)c->equal;
  return c->log ? expm1l(t) : t;
}

size_t layout_values(const layout_column *c) {
  return c->kind == LAYOUT_BINS ? c->cut_count + 1 : c->categories;
}

size_t layout_levels(const layout *l, const layout_column *c) {
  return layout_values(c) + l->category;
}

/* ---- the schema */

static void put_bins(const layout_column *c, text_buffer *out) {
  if (c->line > 0) {
    put(out, ", \"line\": %.17g", c->line);
  }
  if (c->equal) {
    put(out, ", \"bins\": %zu", c->equal);
    return;
  }
  const char *comma = "";
  put(out, ", \"bins\": [");
  if (c->ends) {
    put(out, "%.17g", c->min);
    comma = ", ";
  }
  for (size_t i = 0; i < c->cut_count; i++) {
    put(out, "%s%.17g", comma, c->cuts[i]);
    comma = ", ";
  }
  if (c->ends) {
    put(out, ", %.17g", c->max);
  }
  put(out, "]");
}

static void put_categories(const layout_column *c, text_buffer *out) {
  bool list = c->kind == LAYOUT_VALUES;
  put(out, "\"type\": \"categorical\", \"%s\": %c", list ? "values" : "groups", list ? '[' : '{');
  for (size_t v = 0; v < c->categories; v++) {
    put(out, "%s\"v%zu\"", v ? ", " : "", v);
    if (!list && c->rest && v + 1 == c->categories) {
      put(out, ": \"*\"");
    } else if (!list) {
      put(out, ": [\"v%zu\"]", v);
    }
  }
  put(out, "%c", list ? ']' : '}');
  if (c->reference != SIZE_MAX) {
    put(out, ", \"reference\": \"v%zu\"", c->reference);
  }
}

void layout_schema(const layout *l, text_buffer *out) {
  out->length = 0;
  put(out,
      "{\"intercept\": %s, \"rows\": \"%s\", \"on_missing\": \"%s\", \"label\": {\"column\": "
      "\"y\", \"positive\": [\"1\"], \"negative\": [\"0\"]}, \"columns\": [",
      l->intercept ? "true" : "false", l->fixed ? "fixed" : "clip",
      l->category ? "category" : "zero");
  for (size_t i = 0; i < l->count; i++) {
    const layout_column *c = &l->columns[i];
    put(out, "%s{\"name\": \"c%zu\", ", i ? ", " : "", i);
    if (c->kind == LAYOUT_IGNORED) {
      put(out, "\"type\": \"ignore\"}");
      continue;
    }
    put(out, "\"weight\": %.17g, ", c->weight);
    if (c->kind == LAYOUT_VALUES || c->kind == LAYOUT_GROUPS) {
      put_categories(c, out);
    } else {
      put(out, "\"type\": \"numeric\", \"min\": %.17g, \"max\": %.17g, \"scale\": \"%s\"%s", c->min,
          c->max, c->center ? "center" : "max", c->log ? ", \"transform\": \"log1p\"" : "");
    }
    if (c->kind == LAYOUT_BINS) {
      put_bins(c, out);
    }
    put(out, "}");
  }
  put(out, "]%s", l->cross_count > 0 ? ", \"crosses\": [" : "");
  for (size_t i = 0; i < l->cross_count; i++) {
    const layout_cross *x = &l->crosses[i];
    put(out, i ? ", " : "");
    if (x->weight == 1) {
      put(out, "[\"c%zu\", \"c%zu\"]", x->columns[0], x->columns[1]);
    } else {
      put(out, "{\"columns\": [\"c%zu\", \"c%zu\"], \"weight\": %.17g}", x->columns[0],
          x->columns[1], x->weight);
    }
  }
  put(out, l->cross_count > 0 ? "]}" : "}");
}

/* ---- records */

/* Missing, unknown, tiny, huge, at the ends and at the cuts: and whole rows of one sort. */
static double hostile_number(const layout_column *c, random_source *r) {
  static const double hostile[] = {1e308, -1e308, 0, 5e-324, -0.0, 1e-17, 0.1};
  double at = c->cut_count > 0 && below(r, 4)
                  ? (c->equal ? (double)layout_equal_cut(c, below(r, c->cut_count))
                              : c->cuts[below(r, c->cut_count)])
                  : (below(r, 2) ? c->min : c->max);
  switch (below(r, 6)) {
  case 0:
    return hostile[below(r, 7)];
  case 1:
    return below(r, 2) ? (double)INFINITY : -(double)INFINITY;
  case 2:
    return nextafter(at, (double)INFINITY);
  case 3:
    return nextafter(at, -(double)INFINITY);
  default:
    return at;
  }
}

void layout_record(const layout *l, random_source *r, layout_cell *cells) {
  size_t alone = below(r, l->count), sort = below(r, 4);
  for (size_t i = 0; i < l->count; i++) {
    const layout_column *c = &l->columns[i];
    cells[i] = (layout_cell){.kind = CELL_MISSING};
    if (sort == 0 ? i != alone : sort == 1 && below(r, 3) == 0) {
      continue;
    }
    if (c->kind == LAYOUT_NUMBER || c->kind == LAYOUT_BINS) {
      double inside = c->min + random_unit(r) * (c->max - c->min);
      cells[i].kind = CELL_NUMBER;
      cells[i].x = below(r, 2) ? hostile_number(c, r) : below(r, 4) ? inside : 3 * inside;
    } else {
      cells[i].category = below(r, c->categories + (sort == 1));
      cells[i].kind = cells[i].category < c->categories ? CELL_CATEGORY : CELL_UNKNOWN;
    }
    if (c->rest && cells[i].kind == CELL_UNKNOWN) { /* the last group takes it */
      cells[i] = (layout_cell){.kind = CELL_CATEGORY, .category = c->categories - 1};
    }
  }
}

void layout_cell_text(const layout_cell *cell, text_buffer *out) {
  if (cell->kind == CELL_NUMBER && isinf(cell->x)) {
    put(out, cell->x > 0 ? "1e999" : "-1e999");
  } else if (cell->kind == CELL_NUMBER) {
    put(out, "%.17g", cell->x);
  } else {
    put(out, cell->kind == CELL_MISSING ? "%s" : cell->kind == CELL_UNKNOWN ? "w%s" : "v%s", "");
    if (cell->kind == CELL_CATEGORY) {
      put(out, "%zu", cell->category);
    }
  }
}

void layout_header(const layout *l, text_buffer *out) {
  out->length = 0;
  for (size_t i = 0; i < l->count; i++) {
    put(out, "c%zu,", i);
  }
  put(out, "y\n");
}

void layout_line(const layout *l, const layout_cell *cells, bool positive, text_buffer *out) {
  for (size_t i = 0; i < l->count; i++) {
    layout_cell_text(&cells[i], out);
    put(out, ",");
  }
  put(out, "%d\n", positive);
}

dperm_data *layout_data(const layout *l, random_source *r, size_t records,
                        const dperm_schema *schema) {
  static text_buffer table;
  layout_header(l, &table);
  for (size_t i = 0; i < records; i++) {
    layout_cell cells[LAYOUT_COLUMNS];
    layout_record(l, r, cells);
    layout_line(l, cells, i % 2, &table);
  }
  auto_file *path = file_with(table.bytes, table.length);
  const dperm_source from = {.path = path, .format = DPERM_FORMAT_CSV, .schema = schema};
  dperm_data *data = NULL;
  assert_ok(dperm_data_read(&from, NULL, &data, err));
  return data;
}
