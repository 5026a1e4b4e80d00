/* The cells of a record travel as a row with an entry for each (matrix/matrix_spread.h). */
#include "data/table_spread.h"

#include "matrix/matrix_spread.h"

static dperm_status rows_of_cells(const record_table *t, growing_rows *out, dperm_error *err) {
  TRY(rows_reserve_many(out, t->rows, t->rows * t->layout.count, err));
  for (size_t i = 0; i < t->rows; i++) {
    for (size_t c = 0; c < t->layout.count; c++) {
      rows_push(out, c, table_cell(t, i, c));
    }
    rows_end(out, 0);
  }
  return DPERM_OK;
}

static dperm_status table_of_cells(const dperm_schema *schema, const growing_rows *rows,
                                   record_table **out, dperm_error *err) {
  enum { SOME = 4096 };
  OWNED(table_builder_close) table_builder b = {0};
  OWNED(batch_clear) record_batch batch = {0};
  TRY(table_builder_open(schema, NULL, NULL, &b, err));
  const size_t columns = b.table->layout.count;
  if (rows->entries != rows->count * columns) {
    FAIL(err, DPERM_IO_ERROR, "records were lost between the processes of this job; run it again");
  }
  for (size_t from = 0; from < rows->count; from += SOME) {
    size_t some = rows->count - from < SOME ? rows->count - from : SOME;
    TRY(batch_reserve(&batch, columns, SOME, err));
    for (size_t i = 0; i < some; i++) {
      for (size_t c = 0; c < columns; c++) {
        batch.cells[c * batch.capacity + i] = rows->values[(from + i) * columns + c];
      }
    }
    batch.count = some;
    TRY(table_builder_add(&b, &batch, 1, err));
  }
  return table_builder_finish(&b, out, err);
}

dperm_status table_select_spread(const record_table *here, ranks *r, size_t total,
                                 const size_t *rows, size_t count, record_table **out,
                                 dperm_error *err) {
  OWNED(rows_clear) growing_rows before = {0}, after = {0};
  TRY(ranks_agree(r, rows_of_cells(here, &before, err), err));
  TRY(spread_select(r, &before, total, rows, count, &after, err));
  return ranks_agree(r, table_of_cells(here->schema, &after, out, err), err);
}

dperm_status table_settle(const record_table *here, ranks *r, record_table **out, size_t *total,
                          dperm_error *err) {
  OWNED(rows_clear) growing_rows before = {0}, after = {0};
  TRY(ranks_agree(r, rows_of_cells(here, &before, err), err));
  TRY(spread_settle(r, &before, &after, total, err));
  return ranks_agree(r, table_of_cells(here->schema, &after, out, err), err);
}
