/* Inputs whose records are columns: a table of numbers and codes of texts, or an Arrow stream. */
#include <stdlib.h>

#include "arrow_made.h"
#include "column_inputs.h"
#include "seen_records.h"

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

void table_cells_open(const input *d, const record_set *set, table_cells *t) {
  *t = (table_cells){.numbers = calloc(set->count, sizeof *t->numbers)};
  assert_non_null(t->numbers);
  for (size_t i = 0; i < set->count; i++) {
    t->numbers[i] = set->at[i].number;
  }
  t->columns[0] = (dperm_column){.numbers = t->numbers};
  for (size_t c = 0; c < RECORD_CELLS; c++) {
    const coded *cell = &t->cells[c];
    t->cells[c] = code_cells(set, c, d->how & COPIED);
    t->columns[c + 1] =
        (dperm_column){.codes = cell->codes, .texts = cell->texts, .text_count = cell->count};
  }
}

void table_cells_close(table_cells *t) {
  for (size_t c = 0; c < RECORD_CELLS; c++) {
    free(t->cells[c].texts);
    free(t->cells[c].codes);
  }
  free(t->numbers);
}

void pass_table(const input *d, const record_set *set, seen *out) {
  table_cells t;
  dperm_schema *schema = schema_of(set), *other = other_schema(d, schema, set->count);
  dperm_data *data = NULL;
  table_cells_open(d, set, &t);
  dperm_status status = dperm_data_from_table(schema, set->count, t.columns,
                                              &t.columns[RECORD_CELLS], &data, &out->why);
  look(status, data, other, out);
  table_cells_close(&t);
  dperm_schema_free(schema);
  dperm_schema_free(other);
}

/* The same cells as columns of an Arrow stream: strings and doubles in one batch, or, COPIED, in
 * small ones behind offsets, as dictionaries and views, or, QUOTED, with labels beside them. */
void pass_arrow(const input *d, const record_set *set, seen *out) {
  const bool other_types = d->how & COPIED, beside = d->how & QUOTED;
  const char *texts[RECORD_CELLS][LARGE];
  double *numbers = calloc(set->count, sizeof *numbers);
  dperm_schema *schema = schema_of(set), *other = other_schema(d, schema, set->count);
  coded labels = code_cells(set, RECORD_CELLS - 1, false);
  assert_non_null(numbers);
  for (size_t i = 0; i < set->count; i++) {
    numbers[i] = set->at[i].number;
    for (size_t c = 0; c < RECORD_CELLS; c++) {
      texts[c][i] = set->at[i].cells[c];
    }
  }
  const made_column columns[] = {
      {.name = "a", .format = "g", .numbers = numbers},
      {.name = "b",
       .format = other_types ? "S" : "u",
       .entries = other_types ? "vu" : NULL,
       .texts = texts[0]},
      {.name = "c", .format = other_types ? "vu" : "U", .texts = texts[1]},
      {.name = "y",
       .format = other_types ? "S" : "u",
       .entries = other_types ? "u" : NULL,
       .texts = texts[2]}};
  const size_t count = sizeof columns / sizeof *columns;
  const made_table table = {.columns = columns,
                            .column_count = beside ? count - 1 : count,
                            .rows = set->count,
                            .batch = other_types ? 5 : 0,
                            .pad = other_types ? 3 : 0,
                            .first = other_types ? 2 : 0};
  struct ArrowArrayStream stream = arrow_made(&table);
  const dperm_column label = {
      .codes = labels.codes, .texts = labels.texts, .text_count = labels.count};
  const dperm_arrow arrow = {
      .stream = &stream, .labels = beside ? &label : NULL, .label_count = beside ? set->count : 0};
  const dperm_source source = {.arrow = &arrow, .schema = schema};
  dperm_data *data = NULL;
  dperm_status status = dperm_data_read(&source, NULL, &data, &out->why);
  assert_int_equal(arrow_live(), 0);
  look(status, data, other, out);
  free(labels.texts);
  free(labels.codes);
  free(numbers);
  dperm_schema_free(schema);
  dperm_schema_free(other);
}
