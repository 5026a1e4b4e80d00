/* See rows.h. */
#include "table/rows.h"

#include <math.h>
#include <xxhash.h>

#include "base/defect.h"
#include "base/memory.h"
#include "matrix/equal_rows.h"
#include "schema/row_norm.h"
#include "schema/schema.h"
#include "table/cell.h"

/* What a cell becomes: flags, and the entry if there is one. */
enum {
  ENTRY = 1, /* there is one: not for zeros and for the category left out */
  LINE = 2,  /* `value` is the entry of the line; that of the block is the weight */
  LEVEL = 4  /* times 1 + the level of a column that is crossed; none is unknown */
};

typedef struct entry {
  double value;
  uint32_t at, flags; /* the encoded column */
} entry;

/* A column of the schema over a column of the table. */
typedef struct viewed {
  const schema_column *column;
  size_t of;         /* in the table's layout */
  entry *categories; /* what each of the table's codes becomes; NULL of numbers */
} viewed;

/* One of them in one page. */
typedef struct page_view {
  const viewed *of;
  const packed_column *packed;
  entry *entries;         /* of each different number, where there are few, */
  uint16_t *codes;        /* with the same code for the same key; */
  const uint8_t *indexes; /* and which of them record i has, at i & mask, */
  size_t mask;
  const uint16_t *wide; /* or here; else NULL */
} page_view;

typedef struct table_view {
  row_maker maker;
  record_table *table;
  dperm_schema *schema;
  viewed *columns;
  size_t count;
  page_view *pages; /* page by page, room for `count` each; of these */
  size_t *live;     /* the first so many: the others have no entry in that page */
} table_view;

/* ---- one cell */

static entry entry_at(size_t at, double value, uint32_t flags) {
  bool any = at != SIZE_MAX && value != 0.0;
  return (entry){value, (uint32_t)at, flags | (any ? ENTRY : 0)};
}

/* The entry of a value that crosses tell apart. */
static entry entry_of_level(const schema_column *column, size_t level, size_t at) {
  return entry_at(at, column->weight, column->crossed ? LEVEL * (uint32_t)(level + 1) : 0);
}

static entry entry_of_missing(const schema_column *column) {
  return column->missing_at == SIZE_MAX
             ? (entry){0, 0, 0}
             : entry_of_level(column, column->levels - 1, column->missing_at);
}

static entry entry_of_category(const schema_column *column, int32_t category) {
  if (category == LOOKUP_NONE) {
    return (entry){0, 0, 0};
  }
  bool after = column->reference != LOOKUP_NONE && category > column->reference;
  size_t at = category == column->reference ? SIZE_MAX : column->first + (size_t)category - after;
  return entry_of_level(column, (size_t)category, at);
}

/* In [−1, 1]. */
static double scaled(const schema_column *column, double x) {
  double s = (column_transformed(column, x) - column->middle) / column->half;
  return s < -1.0 ? -1.0 : s > 1.0 ? 1.0 : s;
}

/* How many of the cuts are at most x. */
static size_t bin_of(const schema_column *column, double x) {
  size_t low = 0, high = column->cut_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (column->cuts[middle] <= x) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* Which part of its range a number is in. */
static size_t part_of(const schema_column *column, double x) {
  const double low = column_transformed(column, column->min) / 2, /* halves do not overflow */
      high = column_transformed(column, column->max) / 2,
               part = PARTS_OF_MANY * ((column_transformed(column, x) / 2 - low) / (high - low));
  return part >= PARTS_OF_MANY ? PARTS_OF_MANY - 1 : part > 0 ? (size_t)part : 0;
}

/* Clamped to a range within the table's; then its bin, or transformed, scaled, weighted. */
static entry entry_of_number(const schema_column *column, double x) {
  if (isnan(x)) {
    return entry_of_missing(column);
  }
  x = cell_of_number(column, x).value;
  if (!column->binned) {
    return entry_at(column->first, column->weight * scaled(column, x),
                    column->crossed && !column->bins_auto /* which wait for a level */
                        ? LEVEL * (uint32_t)(part_of(column, x) + 1)
                        : 0);
  }
  size_t bin = bin_of(column, x);
  entry e = entry_of_level(column, bin, column->block + bin);
  if (column->block > column->first) {
    e.value = column->line * scaled(column, x);
    e.flags |= LINE;
  }
  return e;
}

static entry entry_of_cell(const viewed *v, double value) {
  return v->categories ? v->categories[(size_t)value] : entry_of_number(v->column, value);
}

/* Which of a page's entries record i has. */
static inline size_t page_index(const page_view *p, size_t i) {
  return p->wide ? p->wide[i] : p->indexes[i & p->mask];
}

static inline entry entry_of_record(const page_view *p, size_t i) {
  return p->entries ? p->entries[page_index(p, i)]
                    : entry_of_cell(p->of, packed_value(p->packed, i));
}

/* ---- one row */

/* A pair has an entry if both columns have a level; 0 if it is after the fit. */
static size_t add_crosses(const dperm_schema *schema, const uint32_t *levels, uint32_t *columns,
                          double *values) {
  size_t used = 0;
  for (size_t i = 0; i < schema->cross_count; i++) {
    const schema_cross *cross = &schema->crosses[i];
    const schema_column *second = &schema->columns[cross->columns[1]];
    size_t a = levels[schema->columns[cross->columns[0]].level], b = levels[second->level];
    if (a > 0 && b > 0 && cross->after_fit) {
      a = column_part(&schema->columns[cross->columns[0]], a - 1);
      b = column_part(second, b - 1);
      columns[used] = (uint32_t)(cross->first + a * column_parts(second) + b);
      values[used++] = 0;
    } else if (a > 0 && b > 0) {
      columns[used] = (uint32_t)(cross->first + (a - 1) * second->levels + b - 1);
      values[used++] = cross->weight;
    }
  }
  return used;
}

/* privacy.md 5: clip divides by max(1, ‖x‖, ρ), fixed by the largest norm the schema allows. */
static void bound_row(const dperm_schema *schema, double *values, size_t count) {
  double divisor = schema->min_divisor;
  if (schema->rows == ROWS_CLIP) {
    divisor = fmax(divisor, row_norm_upper(values, count));
  }
  if (divisor != 1.0) {
    row_scale_down(values, count, 1.0, divisor);
  }
}

/* The entries of crosses after the fit have no part in the row's norm, and are 1. */
static void set_after_fit(const dperm_schema *schema, const uint32_t *columns, double *values,
                          size_t count) {
  const size_t first = schema_after_fit_first(schema);
  for (size_t e = 0; e < count; e++) {
    values[e] = columns[e] - first < schema->after_fit ? 1 : values[e];
  }
}

/* The levels of columns that are crossed, those of the row that is being made. */
typedef uint32_t level_list[2 * CROSSES_MOST];

/* No row may know what the one before it had. */
static inline void note_level(const viewed *v, entry e, uint32_t *levels) {
  if (e.flags >= LEVEL || !DEFECT("level-kept")) {
    levels[v->column->level] = e.flags / LEVEL;
  }
}

/* Record `at` of the table's pages. Returns the number of entries. What is no entry is written too,
 * and over it what comes next: a processor cannot foresee which records have one. */
static size_t make_row(const table_view *t, size_t at, uint32_t *levels, uint32_t *columns,
                       double *values) {
  const size_t page = at / TABLE_PAGE, i = at % TABLE_PAGE;
  const page_view *p = t->pages + page * t->count, *end = p + t->live[page];
  size_t used = 0;
  for (; p < end; p++) {
    const viewed *v = p->of;
    entry e = entry_of_record(p, i);
    if (e.flags & LINE) {
      columns[used] = (uint32_t)v->column->first;
      values[used] = e.value;
      used += e.value != 0.0;
      e.value = v->column->weight;
    }
    columns[used] = e.at;
    values[used] = e.value;
    used += e.flags & ENTRY;
    if (v->column->crossed) {
      note_level(v, e, levels);
    }
  }
  used += add_crosses(t->schema, levels, columns + used, values + used);
  if (t->schema->intercept) {
    columns[used] = (uint32_t)t->schema->dims - 1;
    values[used++] = 1.0;
  }
  bound_row(t->schema, values, used);
  if (t->schema->after_fit > 0) {
    set_after_fit(t->schema, columns, values, used);
  }
  return used;
}

/* ---- records whose rows are equal (matrix/equal_rows.h) */

/* Cells of one key have the same entries: a number's own, or its bin where that is all. */
static uint64_t key_of_cell(const viewed *v, double value) {
  uint64_t key = UINT64_MAX; /* of what is missing: no number has these bits */
  if (v->categories) {
    const entry e = v->categories[(size_t)value];
    key = (uint64_t)e.at << 32 | e.flags;
  } else if (!isnan(value)) {
    const schema_column *column = v->column;
    const double x = cell_of_number(column, value).value;
    memcpy(&key, &x, sizeof key);
    key = column->binned && column->block == column->first ? bin_of(column, x) : key;
  }
  return key;
}

static uint64_t key_hash(const void *context, size_t i) {
  const uint64_t key = ((const uint64_t *)context)[i];
  return (key ^ key >> 32) * UINT64_C(0x9e3779b97f4a7c15) >> 40;
}

static bool key_same(const void *context, size_t i, size_t j) {
  return ((const uint64_t *)context)[i] == ((const uint64_t *)context)[j];
}

/* The records of a block: what tells them apart, column by column, `size` bytes each. */
typedef struct record_codes {
  uint8_t *bytes;
  size_t size;
} record_codes;

static uint64_t codes_hash(const void *context, size_t i) {
  const record_codes *codes = context;
  return XXH3_64bits(codes->bytes + i * codes->size, codes->size);
}

static bool codes_same(const void *context, size_t i, size_t j) {
  const record_codes *codes = context;
  return memcmp(codes->bytes + i * codes->size, codes->bytes + j * codes->size, codes->size) == 0;
}

/* Codes, where the page has them, or keys; nothing where all records of the page have the same. */
static size_t code_size(const page_view *p) {
  return !p->entries ? sizeof(uint64_t) : p->wide || p->mask ? sizeof *p->codes : 0;
}

static void write_codes(const page_view *pages, size_t count, size_t first, size_t from, size_t to,
                        const record_codes *codes) {
  uint8_t *at = codes->bytes;
  for (const page_view *p = pages; p < pages + count; at += code_size(p++)) {
    for (size_t i = from; i < to && code_size(p) > 0; i++) {
      if (p->entries) {
        memcpy(at + i * codes->size, &p->codes[page_index(p, first + i)], sizeof *p->codes);
      } else {
        const uint64_t key = key_of_cell(p->of, packed_value(p->packed, first + i));
        memcpy(at + i * codes->size, &key, sizeof key);
      }
    }
  }
}

/* equal_places of the block of records from place `first` of a page on, with as many bytes to work
 * in as the values of their entries have. Not of records of which the first few all differ. */
static size_t equal_records(const table_view *t, size_t page, size_t first, size_t *places,
                            double *work) {
  const page_view *pages = t->pages + page * t->count;
  const size_t live = t->live[page], count = live - (DEFECT("column-untold") && live > 0);
  record_codes codes = {.bytes = (uint8_t *)work};
  const equal_items items = {&codes, codes_hash, codes_same};
  for (size_t c = 0; c < count; c++) {
    codes.size += code_size(&pages[c]);
  }
  write_codes(pages, count, first, 0, EQUAL_TRIED, &codes);
  if (equal_places(&items, EQUAL_TRIED, places) == EQUAL_TRIED) {
    return MATRIX_BLOCK;
  }
  write_codes(pages, count, first, EQUAL_TRIED, MATRIX_BLOCK, &codes);
  return equal_places(&items, MATRIX_BLOCK, places);
}

/* ---- some rows (row_maker) */

static size_t make_rows(const row_maker *maker, size_t from, size_t count, size_t *places,
                        size_t *starts, uint32_t *columns, double *values) {
  const table_view *t = (const table_view *)maker;
  const size_t first = t->table->skipped + from, place = first % TABLE_PAGE;
  size_t used = 0, made = 0;
  level_list levels;
  memset(levels, 0, t->schema->crossed_count * sizeof *levels);
  /* Stripes, and so blocks, begin at multiples of theirs in a page; keys have room by the schema */
  const bool fold = places && place + count <= TABLE_PAGE && t->count <= maker->most_entries &&
                    equal_records(t, first / TABLE_PAGE, place, places, values) < count;
  for (size_t i = 0; i < count; i++) {
    if (!fold || places[i] == made) {
      starts[made++] = used;
      used += make_row(t, first + i, levels, columns + used, values + used);
    }
  }
  starts[made] = used;
  return made;
}

/* ---- the view */

static void view_free(row_maker *maker) {
  table_view *t = (table_view *)maker;
  for (size_t c = 0; t->columns && c < t->count; c++) {
    free(t->columns[c].categories);
  }
  for (size_t p = 0; t->pages && p < t->table->page_count * t->count; p++) {
    free(t->pages[p].entries);
  }
  free(t->columns);
  free(t->pages);
  free(t->live);
  dperm_schema_free(t->schema);
  table_free(t->table);
  free(t);
}

static void view_free_at(table_view **t) {
  if (*t) {
    view_free(&(*t)->maker);
  }
}

/* Which category of the schema each code of the table is. A category of the table is one of its
 * texts, any of them (rows_check_schema). */
static dperm_status view_categories(const schema_column *from, viewed *v, dperm_error *err) {
  const schema_column *to = v->column;
  const size_t codes = from->categories.count + CELL_CATEGORY;
  TRY(memory_new(codes, sizeof *v->categories, &v->categories, err));
  v->categories[CELL_MISSING] = entry_of_missing(to);
  v->categories[CELL_UNKNOWN] = entry_of_category(to, to->other);
  if (from->other != LOOKUP_NONE) {
    v->categories[from->other + CELL_CATEGORY] = entry_of_category(to, to->other);
  }
  for (size_t p = 0; p < from->values.capacity; p++) {
    const lookup_entry *value = &from->values.places[p];
    if (value->text) {
      int32_t category = category_of(to, (slice){value->text, value->length});
      v->categories[value->value + CELL_CATEGORY] = entry_of_category(to, category);
    }
  }
  return DPERM_OK;
}

static dperm_status view_columns(table_view *t, dperm_error *err) {
  const table_layout *layout = &t->table->layout;
  TRY(memory_new(layout->count, sizeof *t->columns, &t->columns, err));
  for (size_t k = 0; k + 1 < layout->count; k++) {
    const size_t place = layout->places[k];
    const schema_column *column = &t->schema->columns[place];
    if (column->type == COLUMN_IGNORE || column->type == COLUMN_GROUP) {
      continue;
    }
    viewed *v = &t->columns[t->count++];
    *v = (viewed){.column = column, .of = k};
    if (column->type == COLUMN_CATEGORICAL) {
      TRY(view_categories(&t->table->schema->columns[place], v, err));
    }
  }
  return DPERM_OK;
}

static const uint8_t first_entry = 0; /* of all records, where they have the same */

/* What the different cells of a column's page become. */
static dperm_status view_entries(page_view *p, dperm_error *err) {
  const packed_column *packed = p->packed;
  uint64_t keys[EQUAL_ITEMS_MOST];
  size_t codes[EQUAL_ITEMS_MOST];
  TRY(memory_raw(packed->distinct, sizeof *p->entries + sizeof *p->codes, &p->entries, err));
  p->codes = (uint16_t *)(void *)(p->entries + packed->distinct);
  for (size_t i = 0; i < packed->distinct; i++) {
    p->entries[i] = entry_of_cell(p->of, packed->values[i]);
    keys[i] = key_of_cell(p->of, packed->values[i]);
  }
  equal_places(&(equal_items){keys, key_hash, key_same}, packed->distinct, codes);
  for (size_t i = 0; i < packed->distinct; i++) {
    p->codes[i] = (uint16_t)codes[i];
  }
  p->indexes = packed->width ? packed->indexes : &first_entry;
  p->mask = packed->width ? SIZE_MAX : 0;
  p->wide = packed->width == 2 ? packed->indexes : NULL;
  return DPERM_OK;
}

/* Entries of numbers are looked up where they are few; the others are computed when they come. */
static dperm_status view_page(table_view *t, size_t page, dperm_error *err) {
  for (size_t c = 0; c < t->count; c++) {
    const viewed *v = &t->columns[c];
    page_view *p = &t->pages[page * t->count + t->live[page]++];
    *p = (page_view){.of = v, .packed = table_column(t->table, page, v->of)};
    if (p->packed->width <= 2 && p->packed->distinct <= EQUAL_ITEMS_MOST) {
      TRY(view_entries(p, err));
    }
    if (p->entries && !p->packed->width && !p->entries->flags && !v->column->crossed) {
      free(p->entries);
      p->entries = NULL;
      t->live[page]--;
    }
  }
  return DPERM_OK;
}

dperm_status parts_of_table(const record_table *given, const dperm_schema *schema, row_maker **out,
                            dperm_error *err) {
  OWNED(view_free_at) table_view *t = NULL;
  TRY(memory_new(1, sizeof *t, &t, err));
  t->maker = (row_maker){.most_entries = schema->most_entries,
                         .entries = given->rows * schema->most_entries, /* as far as is public */
                         .make = make_rows,
                         .free = view_free};
  t->table = table_share(given);
  t->schema = schema_share(schema);
  TRY(view_columns(t, err));
  TRY(memory_new(t->table->page_count * t->count, sizeof *t->pages, &t->pages, err));
  TRY(memory_new(t->table->page_count, sizeof *t->live, &t->live, err));
  for (size_t page = 0; page < t->table->page_count; page++) {
    TRY(view_page(t, page, err));
  }
  *out = &t->maker;
  t = NULL;
  return DPERM_OK;
}

void parts_of_record(const row_maker *view, size_t record, uint8_t *parts) {
  const table_view *t = (const table_view *)view;
  const size_t at = t->table->skipped + record, page = at / TABLE_PAGE;
  const page_view *p = t->pages + page * t->count, *end = p + t->live[page];
  for (; p < end; p++) {
    const schema_column *column = p->of->column;
    if (column->crossed) {
      const uint32_t level = entry_of_record(p, at % TABLE_PAGE).flags / LEVEL;
      parts[column - t->schema->columns] =
          level > 0 ? (uint8_t)column_part(column, level - 1) : PART_NONE;
    }
  }
}

dperm_status rows_of_table(const record_table *given, const dperm_schema *schema, matrix **out,
                           dperm_error *err) {
  row_maker *made = NULL;
  TRY(parts_of_table(given, schema, &made, err));
  dperm_status status = matrix_made_new(made, given->rows, schema->dims, out, err);
  if (status != DPERM_OK) {
    made->free(made);
  }
  return status;
}

void labels_of_table(const record_table *t, double *labels) {
  const size_t label = t->layout.count - 1, classes = t->schema->classes.count;
  const label_range range = schema_label_range(t->schema);
  for (size_t i = 0; i < t->rows; i++) {
    const double cell = table_cell(t, i, label);
    labels[i] = t->schema->target ? label_scaled(range, cell) : class_label(classes, (size_t)cell);
  }
}
