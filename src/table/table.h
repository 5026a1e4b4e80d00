/* Records as typed columns, read once: the table in the middle. A cell_value is a double: a number
 * within its range, NaN if it is missing, or the code of a category or class (cell.h). What a
 * schema says of bins, crosses, scales and norms is not in it: rows are a view of the table through
 * a schema (rows.h), and another schema is another view.
 *
 * Columns are packed in pages of TABLE_PAGE records, each with its different numbers once and an
 * index of one or two bytes a record: most columns of most tables hold few different values, so a
 * table takes a few bytes where an encoded row takes hundreds. An encoded file is the same pages
 * (read/encoded_file.h), mapped. */
#pragma once

#include <stdatomic.h>

#include "base/owned.h"
#include "base/ranks.h"
#include "schema/schema.h"
#include "table/row_fingerprint.h"

enum { TABLE_PAGE = 1 << 14 };

/* A column of a page. */
typedef struct packed_column {
  uint32_t distinct; /* different numbers; as many as records where each has its own place */
  uint32_t width;    /* bytes of an index: 0 where all records have the same, 1, 2; 8 where `values`
                        has a number for each record and there is no index */
  const double *values;
  const void *indexes;
} packed_column;

static inline double packed_value(const packed_column *p, size_t i) {
  switch (p->width) {
  case 0:
    return p->values[0];
  case 1:
    return p->values[((const uint8_t *)p->indexes)[i]];
  case 2:
    return p->values[((const uint16_t *)p->indexes)[i]];
  default:
    return p->values[i];
  }
}

/* Packs the cells of a column's page as they come. */
typedef struct column_packer column_packer;
dperm_status packer_new(column_packer **out, dperm_error *err);
void packer_free(column_packer *p);
/* More cells, TABLE_PAGE in all at most. */
dperm_status packer_add(column_packer *p, const double *cells, size_t count, dperm_error *err);
/* All of them in one piece of memory, at `values`, to be freed; the next page begins. */
dperm_status packer_end(column_packer *p, packed_column *out, dperm_error *err);

/* Which columns of a schema a table has: those that are numeric or categorical, in their order,
 * then whose record it is, if the schema knows persons, and last the label's. */
typedef struct table_layout {
  size_t count;   /* with the label's */
  size_t person;  /* where the person's is: a number for each person; NO_PERSON without */
  size_t *places; /* of each in the schema; its column_count for the label */
} table_layout;
dperm_status table_layout_of(const dperm_schema *schema, table_layout *out, dperm_error *err);
void table_layout_clear(table_layout *layout);

typedef struct record_table {
  atomic_int owners;
  dperm_schema *schema; /* that the cells are of */
  table_layout layout;
  size_t rows;
  size_t skipped;       /* records of the first page that are not the table's: another process's */
  packed_column *pages; /* page_count × layout.count, page by page */
  size_t page_count, page_capacity;
  bool mapped; /* the packed columns are parts of `file` */
  void *file;  /* whatever else lives as long as the table, */
  void (*release)(void *file);
} record_table;

record_table *table_share(const record_table *t);
void table_free(record_table *t);
OWNED_HANDLE(record_table, table_free)

dperm_status table_new(const dperm_schema *schema, record_table **out, dperm_error *err);

static inline const packed_column *table_column(const record_table *t, size_t page, size_t column) {
  return &t->pages[page * t->layout.count + column];
}

static inline double table_cell(const record_table *t, size_t row, size_t column) {
  size_t at = t->skipped + row;
  return packed_value(table_column(t, at / TABLE_PAGE, column), at % TABLE_PAGE);
}

/* Records on their way from a reader: columns of cells in the table's layout, the label's last. The
 * person's cell is where their name begins in `names`, until a table numbers the names; without any
 * it is such a number already. */
typedef struct record_batch {
  size_t columns, count, capacity;
  double *cells; /* of column c from c·capacity on */
  char *names;   /* each with a NUL behind it */
  size_t names_used, names_capacity;
  const row_fingerprint *prints; /* one a record, the reader's, where a ledger shall know them by
                                    their values; NULL in files, which it knows by their bytes */
} record_batch;
/* A person's name, and its cell. */
dperm_status batch_name(record_batch *batch, slice name, double *cell, dperm_error *err);
/* Empty, with space for so many records of this layout; what it had is forgotten. */
dperm_status batch_reserve(record_batch *batch, size_t columns, size_t capacity, dperm_error *err);
void batch_clear(record_batch *batch);

/* A table that grows. Pages are kept, or handed on, as they are full. */
typedef struct table_builder table_builder;
/* What becomes of a full page, or the last: its columns are freed afterwards. */
typedef dperm_status page_taker(void *context, const packed_column *columns, size_t rows,
                                dperm_error *err);
struct table_builder {
  record_table *table;
  size_t columns;
  column_packer **packers; /* one each, of the page that is being filled, */
  size_t filled;           /* with so many records */
  lookup persons;          /* name → number, in the order in which they came */
  page_taker *take;        /* NULL: the table keeps them */
  void *context;
};
dperm_status table_builder_open(const dperm_schema *schema, page_taker *take, void *context,
                                table_builder *out, dperm_error *err);
void table_builder_close(table_builder *b);
/* Adds the records of some batches, in their order; columns are packed side by side. */
dperm_status table_builder_add(table_builder *b, const record_batch *batches, size_t count,
                               dperm_error *err);
/* The last page. The table is the caller's; it has its rows even where others took the pages. */
dperm_status table_builder_finish(table_builder *b, record_table **out, dperm_error *err);

/* Leaves records first, …, first + count − 1 of those alone; the table is not mapped. */
void table_keep(record_table *t, size_t first, size_t count);
/* Some records of a table in place of what the batch had: those listed from place `first` on, or,
 * without a list, from record `first` on. */
dperm_status batch_copy(const record_table *t, const size_t *rows, size_t first, size_t count,
                        record_batch *out, dperm_error *err);
/* A table of some of the records, in the order given. Among the processes of a job (`r` may be
 * NULL), `rows` are numbered among all `total` of them, of which each process has those in `t` that
 * stripes_of_rank gives it, and each record goes to where its new place is. */
dperm_status table_select(const record_table *t, ranks *r, size_t total, const size_t *rows,
                          size_t count, record_table **out, dperm_error *err);
