/* Data sets from files, by one process or among those of a job: of an encoded file each maps and
 * checks its own rows; a file of records each reads whole, and keeps its own rows of it. */

#include "base/memory.h"
#include "data/dataset.h"
#include "read/row_reader.h"

/* All that a reader gives: cells, or rows. */
typedef struct gathering {
  table_builder records;
  growing_rows rows;
  row_fingerprint *prints; /* of records that a ledger knows by their values */
  size_t print_capacity;
} gathering;

static void gathering_close(gathering *g) {
  table_builder_close(&g->records);
  rows_clear(&g->rows);
  free(g->prints);
}

static dperm_status gather(void *context, const record_batch *records, size_t count,
                           const growing_rows *rows, dperm_error *err) {
  gathering *g = context;
  size_t at = g->records.table ? g->records.table->rows : 0;
  for (size_t b = 0; b < count && records[b].prints; at += records[b++].count) {
    const size_t rows_now = records[b].count;
    TRY(memory_reserve(&g->prints, &g->print_capacity, at + rows_now, sizeof *g->prints, err));
    memcpy(g->prints + at, records[b].prints, rows_now * sizeof *g->prints);
  }
  return g->records.table ? table_builder_add(&g->records, records, count, err)
                          : rows_append(&g->rows, rows, 0, rows->count, err);
}

/* The records of a file that is read, or those of this process among them (`r` may be NULL). */
static dperm_status read_all(row_reader *reader, const ranks *r, size_t *total, dperm_data **out,
                             dperm_error *err) {
  OWNED(gathering_close) gathering g = {.records = {0}};
  OWNED(rows_clear) growing_rows own = {0};
  OWNED(table_free_at) record_table *records = NULL;
  if (reader->cells) {
    TRY(table_builder_open(reader->cells, NULL, NULL, &g.records, err));
  }
  TRY(reader->kind->read(reader, gather, &g, err));
  if (reader->cells) {
    TRY(table_builder_finish(&g.records, &records, err));
  }
  size_t first = 0, count = *total = records ? records->rows : g.rows.count;
  RETURN_IF(*total == 0 && !reader->may_be_empty, fail_no_rows(reader->path, err));
  if (r) {
    stripes_of_rank(*total, r, &first, &count);
  }
  if (records) {
    if (count < *total) {
      table_keep(records, first, count);
    }
    TRY(data_of_table(records, reader->schema, out, err));
    (*out)->prints = TAKE(g.prints);
    (*out)->unlabelled = !reader->need_labels;
    if (!reader->need_labels) {
      memset((*out)->labels, 0, records->rows * sizeof *(*out)->labels);
    }
    return DPERM_OK;
  }
  if (count < *total) {
    TRY(rows_append(&own, &g.rows, first, count, err));
  }
  return data_of_rows(count < *total ? &own : &g.rows, reader->dims, NULL, out, err);
}

dperm_status data_of_encoded(encoded_file *file, const dperm_schema *schema, size_t from,
                             size_t rows, const dperm_progress *progress, dperm_data **out,
                             dperm_error *err) {
  OWNED(table_free_at) record_table *records = NULL;
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  if (schema) {
    TRY(encoded_table(file, from, rows, progress, &records, err));
    dperm_status made = data_of_table(records, schema, out, err);
    FAIL_IF(made == DPERM_INVALID_SCHEMA, err, made,
            "%s: the records were encoded under a schema with other columns, ranges, values or "
            "labels than the one given, or the model's; encode them under that one",
            file->path);
    return made;
  }
  TRY(memory_new(1, sizeof *data, &data, err));
  TRY(memory_new(rows, sizeof *data->labels, &data->labels, err));
  TRY(encoded_rows(file, from, rows, progress, &data->x, data->labels, err));
  data->bounds = row_bounds_of_norm(data->x->cols, 1.0);
  data->origin = ORIGIN_SVMLIGHT;
  *out = TAKE(data);
  return DPERM_OK;
}

/* The records of a mapped file, or those of this process among them, where they stand in it. */
static dperm_status map_rows(row_reader *reader, const ranks *r, size_t *total, dperm_data **out,
                             dperm_error *err) {
  size_t from = 0, rows = *total = (size_t)reader->file->trailer->rows;
  if (r) {
    stripes_of_rank(*total, r, &from, &rows);
  }
  return data_of_encoded(reader->file, reader->schema, from, rows, reader->progress, out, err);
}

static dperm_status read_file(const dperm_source *source, const ranks *r,
                              const dperm_progress *progress, size_t *total, dperm_data **out,
                              dperm_error *err) {
  OWNED(row_reader_close_at) row_reader *reader = NULL;
  TRY(row_reader_open(source, true, progress, &reader, err));
  TRY((reader->file ? map_rows : read_all)(reader, r, total, out, err));
  /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
  (*out)->from_file = row_reader_digested(reader, (*out)->file_digest);
  if (source->arrow && !source->no_identity && !(*out)->prints) { /* of no records at all */
    TRY(memory_new(0, sizeof *(*out)->prints, &(*out)->prints, err));
  }
  (*out)->doubts = reader->kind->doubts(reader);
  if ((*out)->doubts) {
    TRY(memory_copy_text(reader->path, strlen(reader->path), &(*out)->doubted, err));
  }
  (*out)->encoded = encoded_share(reader->file);
  if (reader->counts && !r) {
    (*out)->counts = TAKE(*reader->counts);
  }
  return DPERM_OK;
}

dperm_status dperm_data_read(const dperm_source *source, const dperm_progress *progress,
                             dperm_data **out, dperm_error *err) {
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  size_t total = 0;
  TRY(read_file(source, NULL, progress, &total, &data, err));
  TRY(data->unlabelled ? DPERM_OK : data_find_persons(data, err));
  *out = TAKE(data);
  return DPERM_OK;
}

/* ---- several processes */

/* All processes must have the same file before them: the same rows of the same bytes. */
static dperm_status check_same(ranks *r, dperm_status status, const dperm_data *data, size_t total,
                               dperm_error *err) {
  struct {
    uint64_t total, dims;
    unsigned char digest[FILE_DIGEST_SIZE];
  } here = {total, 0, {0}}, leader;
  if (data) { /* as it is where status is DPERM_OK */
    here.dims = data->x->cols;
    memcpy(here.digest, data->file_digest, FILE_DIGEST_SIZE);
  }
  leader = here;
  TRY(ranks_share(r, status, &leader, sizeof leader, err));
  if (memcmp(&here, &leader, sizeof here) != 0) {
    status = error_set(err, DPERM_INVALID_DATA,
                       "the processes of this job see different files under one name; copy the "
                       "same file to every machine");
  }
  return ranks_agree(r, status, err);
}

dperm_status dperm_data_read_spread(const dperm_source *source, dperm_ranks *r,
                                    const dperm_progress *progress, dperm_data **out,
                                    dperm_error *err) {
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  size_t total = 0;
  if (!r) {
    return dperm_data_read(source, progress, out, err);
  }
  FAIL_IF(source->arrow, err, DPERM_UNSUPPORTED,
          "an Arrow stream is one process's; encode it into a file, and give that to all of them");
  dperm_source identified = *source; /* the digests are compared */
  identified.no_identity = false;
  dperm_status status = read_file(&identified, r, progress, &total, &data, err);
  TRY(check_same(r, status, data, total, err));
  if (data) { /* it is: that was agreed on */
    data->from_file = data->encoded || !source->no_identity;
    TRY(matrix_sparse_spread(data->x, r, total, err));
    TRY(ranks_agree(r, data_find_persons(data, err), err));
  }
  *out = TAKE(data);
  return DPERM_OK;
}
