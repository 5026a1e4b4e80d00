/* Data sets from files, by one process or among those of a job. Of an encoded file each process
 * maps, checks and keeps its own rows. Of a file of records each reads the lines of its share of
 * the bytes, and the rows then go to where they belong. A file that cannot be cut (packed, with
 * quotes, a stream) or has anything wrong with it is read whole by all, as one process would, with
 * the same message. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_read.h"
#include "base/memory.h"
#include "data/dataset.h"
#include "data/table_spread.h"
#include "matrix/matrix_spread.h"
#include "read/row_reader.h"

/* ---- one process */

/* All that a reader gives: cells, or rows. */
typedef struct gathering {
  table_builder records;
  growing_rows rows;
} gathering;

static void gathering_close(gathering *g) {
  table_builder_close(&g->records);
  rows_clear(&g->rows);
}

static dperm_status gather(void *context, const read_batch *batches, size_t count,
                           dperm_error *err) {
  gathering *g = context;
  enum { AT_ONCE = 64 };
  record_batch records[AT_ONCE];
  for (size_t i = 0; i < count; i++) {
    TRY(rows_append(&g->rows, &batches[i].rows, err));
  }
  for (size_t from = 0; g->records.table && from < count; from += AT_ONCE) {
    size_t some = count - from < AT_ONCE ? count - from : AT_ONCE;
    for (size_t i = 0; i < some; i++) {
      records[i] = batches[from + i].records;
    }
    TRY(table_builder_add(&g->records, records, some, err));
  }
  return DPERM_OK;
}

/* All that is left in the reader, as a table or as rows: one of the two stays empty. */
static dperm_status read_rest(row_reader *reader, record_table **records, growing_rows *rows,
                              dperm_error *err) {
  OWNED(gathering_close) gathering g = {.records = {0}};
  if (reader->cells) {
    TRY(table_builder_open(reader->cells, NULL, NULL, &g.records, err));
  }
  TRY(row_reader_rest(reader, gather, &g, err));
  if (reader->cells) {
    TRY(table_builder_finish(&g.records, records, err));
  }
  *rows = g.rows;
  g.rows = (growing_rows){0};
  return DPERM_OK;
}

/* What was read as data, once `reader` has read all that it will read. */
static dperm_status data_of_rest(const row_reader *reader, record_table *records,
                                 growing_rows *rows, dperm_data **out, dperm_error *err) {
  TRY(records ? data_of_table(records, reader->schema, out, err)
              : data_of_rows(rows, reader->dims, NULL, out, err));
  (*out)->from_file = row_reader_digested(reader, (*out)->file_digest);
  (*out)->doubts = reader->kind->doubts(reader);
  return DPERM_OK;
}

/* The records of a file that is read, or those of this process among them (`r` may be NULL). */
static dperm_status read_all(row_reader *reader, const ranks *r, size_t *total, dperm_data **out,
                             dperm_error *err) {
  OWNED(rows_clear) growing_rows rows = {0};
  OWNED(table_free_at) record_table *records = NULL;
  TRY(read_rest(reader, &records, &rows, err));
  *total = records ? records->rows : rows.count;
  if (*total == 0 && !reader->may_be_empty) {
    return fail_no_rows(reader->path, err);
  }
  if (r) {
    size_t first = 0, count = 0;
    stripes_of_rank(*total, r, &first, &count);
    if (records) {
      table_keep(records, first, count);
    } else {
      TRY(rows_reserve(&rows, 0, err)); /* also where no row came */
      rows_keep(&rows, first, count);
    }
  }
  return data_of_rest(reader, records, &rows, out, err);
}

/* Of svmlight: rows where they stand in their file. */
static dperm_status data_of_mapped_rows(encoded_file *file, size_t from, size_t rows,
                                        const dperm_progress *progress, dperm_data **out,
                                        dperm_error *err) {
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  TRY(memory_new(1, sizeof *data, &data, err));
  TRY(memory_new(rows, sizeof *data->labels, &data->labels, err));
  TRY(encoded_rows(file, from, rows, progress, &data->x, data->labels, err));
  data->bounds = row_bounds_of_norm(data->x->cols, 1.0);
  data->origin = ORIGIN_SVMLIGHT;
  *out = data;
  data = NULL;
  return DPERM_OK;
}

/* The records of a mapped file, or those of this process among them, where they stand in it. */
static dperm_status map_rows(row_reader *reader, const ranks *r, size_t *total, dperm_data **out,
                             dperm_error *err) {
  encoded_file *file = reader->file;
  OWNED(table_free_at) record_table *records = NULL;
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  size_t from = 0, rows = *total = (size_t)file->trailer->rows;
  if (r) {
    stripes_of_rank(*total, r, &from, &rows);
  }
  if (reader->cells) {
    TRY(encoded_table(file, from, rows, reader->progress, &records, err));
    TRY(data_of_table(records, reader->schema, &data, err));
  } else {
    TRY(data_of_mapped_rows(file, from, rows, reader->progress, &data, err));
  }
  data->doubts = reader->kind->doubts(reader);
  data->from_file = row_reader_digested(reader, data->file_digest);
  data->encoded = encoded_share(file);
  *out = data;
  data = NULL;
  return DPERM_OK;
}

static dperm_status read_file(const dperm_source *source, const ranks *r,
                              const dperm_progress *progress, size_t *total, dperm_data **out,
                              dperm_error *err) {
  OWNED(row_reader_close_at) row_reader *reader = NULL;
  TRY(row_reader_open(source, true, progress, &reader, err));
  TRY((reader->kind->mapped ? map_rows : read_all)(reader, r, total, out, err));
  if (reader->counts && !r) {
    (*out)->counts = *reader->counts;
    *reader->counts = NULL;
  }
  return DPERM_OK;
}

dperm_status dperm_data_read(const dperm_source *source, const dperm_progress *progress,
                             dperm_data **out, dperm_error *err) {
  size_t total = 0;
  return read_file(source, NULL, progress, &total, out, err);
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

/* ---- records: each process reads the lines of its share */

/* What came of reading a share. */
typedef struct share {
  row_reader *reader;    /* NULL where it could not be opened */
  record_table *records; /* or */
  growing_rows rows;
  struct stat about; /* the file as it was before */
  unsigned doubts, labels_seen;
} share;

/* Where the line begins that holds byte `at`, or the next one if that is not its first. */
static bool line_start(int fd, uint64_t at, uint64_t size, uint64_t *start) {
  char bytes[1 << 16];
  for (uint64_t from = at > 0 ? at - 1 : 0; at > 0 && from < size; from += sizeof bytes) {
    ssize_t got = pread(fd, bytes, sizeof bytes, (off_t)from);
    const char *end = got > 0 ? memchr(bytes, '\n', (size_t)got) : NULL;
    if (got <= 0) {
      return false;
    }
    if (end) {
      *start = from + (uint64_t)(end - bytes) + 1;
      return true;
    }
  }
  *start = at > 0 ? size : 0;
  return true;
}

static void close_file(const int *fd) {
  if (*fd >= 0) {
    (void)close(*fd);
  }
}

/* The lines of this process's share of what stands behind byte `begin`; false if they cannot be
 * told without the others. */
static bool find_lines(const char *path, const ranks *r, uint64_t begin, uint64_t *from,
                       uint64_t *to) {
  struct stat about;
  OWNED(close_file) const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) {
    return false;
  }
  uint64_t size = (uint64_t)about.st_size, length = size > begin ? size - begin : 0;
  uint64_t each = length / r->count + 1, at = begin + each * r->rank;
  if (!line_start(fd, at < size ? at : size, size, from) ||
      !line_start(fd, at + each < size ? at + each : size, size, to)) {
    return false;
  }
  *from = r->rank == 0 ? begin : *from;
  *to = r->rank + 1 == r->count ? size : *to;
  return *from <= *to;
}

/* After the header. */
static dperm_status read_lines(const ranks *r, const dperm_progress *progress, share *out,
                               dperm_error *err) {
  row_reader *reader = out->reader;
  window *w = reader->text;
  uint64_t begin = byte_source_at(w->source) - (w->end - w->begin), from = 0, to = 0;
  if (!find_lines(reader->path, r, begin, &from, &to)) {
    FAIL(err, DPERM_UNSUPPORTED, "%s: cannot be shared", path_for_people(reader->path));
  }
  window_close(w);
  TRY(window_open_part(reader->path, from, to, progress, w, err));
  TRY(read_rest(reader, &out->records, &out->rows, err));
  if (reader->quotes) { /* the share may begin or end within them */
    FAIL(err, DPERM_UNSUPPORTED, "%s: cannot be shared", path_for_people(reader->path));
  }
  out->labels_seen = reader->labels_seen;
  out->doubts = reader->kind->doubts(reader);
  return DPERM_OK;
}

/* The flags that anybody has, of the first `count`. */
static dperm_status any_flags(ranks *r, unsigned count, unsigned *flags, dperm_error *err) {
  uint64_t seen[DOUBT_KINDS] = {0};
  for (unsigned f = 0; f < count; f++) {
    seen[f] = *flags >> f & 1;
  }
  TRY(ranks_add(r, DPERM_OK, seen, count, err));
  *flags = 0;
  for (unsigned f = 0; f < count; f++) {
    *flags |= (unsigned)(seen[f] > 0) << f;
  }
  return DPERM_OK;
}

static bool still_same(const char *path, const struct stat *before) {
  struct stat now;
  return stat(path, &now) == 0 && file_same(before, &now);
}

/* *shared is false, and nothing else happened, where the file cannot be cut or anything is wrong
 * with it: reading it whole then tells. */
static dperm_status read_own_lines(const dperm_source *source, ranks *r,
                                   const dperm_progress *progress, bool *shared, share *out,
                                   dperm_error *err) {
  unsigned trouble = strcmp(source->path, "-") == 0 || stat(source->path, &out->about) != 0 ||
                     row_reader_open(source, true, NULL, &out->reader, NULL) != DPERM_OK ||
                     read_lines(r, progress, out, NULL) != DPERM_OK ||
                     !still_same(source->path, &out->about);
  TRY(any_flags(r, 1, &trouble, err));
  TRY(any_flags(r, 2, &out->labels_seen, err));
  TRY(any_flags(r, DOUBT_KINDS, &out->doubts, err));
  *shared = !trouble && out->labels_seen != (LABELS_ZERO | LABELS_MINUS);
  return DPERM_OK;
}

/* The leader digests the whole file, since it pays. */
static dperm_status digest_whole(const dperm_source *source, const ranks *r,
                                 const struct stat *before, unsigned char *digest,
                                 dperm_error *err) {
  if (r->rank > 0 || source->no_identity) {
    return DPERM_OK;
  }
  TRY(file_digest(source->path, digest, err));
  if (!still_same(source->path, before)) {
    FAIL(err, DPERM_INVALID_DATA, "%s: was changed while it was read; run again and leave it alone",
         source->path);
  }
  return DPERM_OK;
}

static dperm_status settle_rows(const dperm_source *source, ranks *r, const share *mine,
                                size_t *total, dperm_data **out, dperm_error *err) {
  OWNED(rows_clear) growing_rows settled = {0};
  OWNED(table_free_at) record_table *records = NULL;
  unsigned char digest[FILE_DIGEST_SIZE] = {0};
  dperm_status status = digest_whole(source, r, &mine->about, digest, err);
  TRY(ranks_share(r, status, digest, sizeof digest, err));
  TRY(mine->records ? table_settle(mine->records, r, &records, total, err)
                    : spread_settle(r, &mine->rows, &settled, total, err));
  if (*total == 0 && !source->may_be_empty) {
    return fail_no_rows(source->path, err);
  }
  TRY(data_of_rest(mine->reader, records, &settled, out, err));
  (*out)->doubts = mine->doubts;
  (*out)->from_file = !source->no_identity;
  memcpy((*out)->file_digest, digest, sizeof digest);
  return DPERM_OK;
}

static void share_close(share *s) {
  table_free(s->records);
  rows_clear(&s->rows);
  row_reader_close(s->reader);
}

/* The lines of the file are shared; where that cannot be, each process reads all. */
static dperm_status read_records(const dperm_source *source, ranks *r,
                                 const dperm_progress *progress, size_t *total, dperm_data **out,
                                 dperm_error *err) {
  OWNED(share_close) share mine = {.doubts = 0};
  bool shared = false;
  TRY(read_own_lines(source, r, progress, &shared, &mine, err));
  if (shared) {
    return settle_rows(source, r, &mine, total, out, err);
  }
  dperm_source identified = *source; /* check_same compares the digests */
  identified.no_identity = false;
  return read_file(&identified, r, progress, total, out, err);
}

dperm_status dperm_data_read_spread(const dperm_source *source, dperm_ranks *r,
                                    const dperm_progress *progress, dperm_data **out,
                                    dperm_error *err) {
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  const row_reader_kind *kind = NULL;
  size_t total = 0;
  if (!r) {
    return dperm_data_read(source, progress, out, err);
  }
  dperm_status status = row_reader_find(source, &kind, err);
  if (status == DPERM_OK) {
    status = kind->mapped ? read_file(source, r, progress, &total, &data, err)
                          : read_records(source, r, progress, &total, &data, err);
  }
  TRY(check_same(r, status, data, total, err));
  if (data) { /* it is: that was agreed on */
    TRY(matrix_sparse_spread(data->x, r, total, err));
  }
  *out = data;
  data = NULL;
  return DPERM_OK;
}
