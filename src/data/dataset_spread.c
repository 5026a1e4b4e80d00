/* Data among the processes of a job. Of an encoded file each process maps, checks and keeps its own
 * rows. Of a file of records each reads the lines of its share of the bytes, and the rows then go
 * to where they belong. A file that cannot be cut (packed, with quotes, a stream) or has anything
 * wrong with it is read whole by all, as one process would, with the same message. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_stamp.h"
#include "base/memory.h"
#include "data/dataset.h"
#include "matrix/matrix_spread.h"
#include "read/row_reader.h"

static dperm_status read_share(const dperm_source *source, ranks *r, const dperm_progress *progress,
                               size_t *total, dperm_data **out, dperm_error *err) {
  encoded_file *file = NULL;
  size_t first = 0, rows = 0;
  TRY(encoded_open_for(source, &file, err));
  *total = (size_t)file->trailer.rows;
  stripes_of_rank(*total, r, &first, &rows);
  return data_from_encoded(file, first, rows, progress, out, err);
}

/* All processes must have the same file before them: the same rows of the same bytes. */
static dperm_status check_same(ranks *r, dperm_status status, const dperm_data *data, size_t total,
                               dperm_error *err) {
  struct {
    uint64_t total, dims;
    unsigned char digest[FILE_DIGEST_SIZE];
  } here = {total, 0, {0}}, leader;
  if (status == DPERM_OK) {
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

/* Only the rows of this process's share, from all. */
static dperm_status keep_share(const dperm_data *all, ranks *r, dperm_data **out,
                               dperm_error *err) {
  dperm_status status = DPERM_OK;
  size_t first = 0, count = 0;
  growing_rows kept = {0};
  stripes_of_rank(all->x->rows, r, &first, &count);
  TRY_OR_DONE(rows_reserve(&kept, 0, err)); /* also where no row comes */
  for (size_t i = first; i < first + count; i++) {
    const uint32_t *columns = NULL;
    const double *values = NULL;
    size_t entries = all->x->kind->entries(all->x, i, &columns, &values);
    TRY_OR_DONE(rows_reserve(&kept, entries, err));
    for (size_t e = 0; e < entries; e++) {
      rows_push(&kept, columns[e], values[e]);
    }
    rows_end(&kept, all->labels[i]);
  }
  TRY_OR_DONE(data_from_rows(&kept, all->x->cols, all->origin, all->schema, out, err));
  (*out)->doubts = all->doubts;
  (*out)->from_file = all->from_file;
  memcpy((*out)->file_digest, all->file_digest, FILE_DIGEST_SIZE);
done:
  rows_clear(&kept);
  return status;
}

static dperm_status read_all(const dperm_source *source, ranks *r, const dperm_progress *progress,
                             size_t *total, dperm_data **out, dperm_error *err) {
  dperm_data *all = NULL;
  dperm_source identified = *source; /* check_same compares the digests */
  identified.no_identity = 0;
  TRY(dperm_data_read(&identified, progress, &all, err));
  *total = all->x->rows;
  dperm_status status = keep_share(all, r, out, err);
  dperm_data_free(all);
  return status;
}

/* ---- records: each process reads the lines of its share */

/* What came of reading a share. */
typedef struct share {
  growing_rows rows;
  struct stat about; /* the file as it was before */
  unsigned doubts;
  bool zeros, minuses; /* labels of svmlight, which must not be mixed */
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

/* Inside quotes a line end ends nothing; then the file cannot be cut. */
static bool has_quotes(int fd, uint64_t from, uint64_t to) {
  char bytes[1 << 16];
  while (from < to) {
    size_t want = to - from < sizeof bytes ? (size_t)(to - from) : sizeof bytes;
    ssize_t got = pread(fd, bytes, want, (off_t)from);
    if (got <= 0 || memchr(bytes, '"', (size_t)got)) {
      return true;
    }
    from += (uint64_t)got;
  }
  return false;
}

/* The lines of this process's share of what stands behind byte `begin`; false if they cannot be
 * told without the others. */
static bool find_lines(const char *path, const ranks *r, uint64_t begin, uint64_t *from,
                       uint64_t *to) {
  struct stat about;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  bool found = fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
  if (found) {
    uint64_t size = (uint64_t)about.st_size, length = size > begin ? size - begin : 0;
    uint64_t each = length / r->count + 1, at = begin + each * r->rank;
    found = line_start(fd, at < size ? at : size, size, from) &&
            line_start(fd, at + each < size ? at + each : size, size, to);
    *from = r->rank == 0 ? begin : *from;
    *to = r->rank + 1 == r->count ? size : *to;
    found = found && *from <= *to && !has_quotes(fd, *from, *to);
  }
  if (fd >= 0) {
    (void)close(fd);
  }
  return found;
}

static window *window_of(row_reader *reader) {
  return reader->format == DPERM_FORMAT_CSV ? &reader->csv.window : &reader->svmlight.window;
}

/* After the header, or the first record where there is none, which is the leader's. */
static dperm_status read_lines(row_reader *reader, const ranks *r, const dperm_progress *progress,
                               share *out, dperm_error *err) {
  window *w = window_of(reader);
  bool waiting = reader->format == DPERM_FORMAT_CSV && reader->record_waiting;
  if (waiting && r->rank == 0) {
    TRY(row_reader_next(reader, 1, &out->rows, err));
  }
  reader->record_waiting = false;
  uint64_t begin = byte_source_at(w->source) - (w->end - w->begin), from = 0, to = 0;
  if (!find_lines(reader->path, r, begin, &from, &to)) {
    FAIL(err, DPERM_UNSUPPORTED, "%s: cannot be shared", path_for_people(reader->path));
  }
  window_close(w);
  TRY(window_open_part(reader->path, from, to, progress, w, err));
  TRY(row_reader_next(reader, SIZE_MAX, &out->rows, err));
  out->zeros = reader->format == DPERM_FORMAT_SVMLIGHT && reader->svmlight.seen_zero;
  out->minuses = reader->format == DPERM_FORMAT_SVMLIGHT && reader->svmlight.seen_minus;
  out->doubts = row_reader_doubts(reader);
  return DPERM_OK;
}

/* Whether anybody says yes. */
static dperm_status any(ranks *r, bool here, bool *out, dperm_error *err) {
  uint64_t number = here;
  TRY(ranks_most(r, DPERM_OK, &number, err));
  *out = number > 0;
  return DPERM_OK;
}

/* What anybody doubts. */
static dperm_status all_doubts(ranks *r, unsigned *doubts, dperm_error *err) {
  unsigned all = 0;
  for (unsigned kind = 0; kind < DOUBT_KINDS; kind++) {
    bool doubted = *doubts >> kind & 1;
    TRY(any(r, doubted, &doubted, err));
    all |= (unsigned)doubted << kind;
  }
  *doubts = all;
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
  row_reader reader;
  bool trouble = strcmp(source->path, "-") == 0 || stat(source->path, &out->about) != 0;
  if (!trouble) {
    trouble = row_reader_open(source, true, NULL, &reader, NULL) != DPERM_OK;
    if (!trouble) {
      trouble = read_lines(&reader, r, progress, out, NULL) != DPERM_OK ||
                !still_same(source->path, &out->about);
      row_reader_close(&reader);
    }
  }
  TRY(any(r, trouble, &trouble, err));
  TRY(any(r, out->zeros, &out->zeros, err));
  TRY(any(r, out->minuses, &out->minuses, err));
  TRY(all_doubts(r, &out->doubts, err));
  *shared = !trouble && !(out->zeros && out->minuses);
  return DPERM_OK;
}

/* The leader digests the whole file, since it pays. */
static dperm_status digest_file(const char *path, unsigned char out[FILE_DIGEST_SIZE],
                                dperm_error *err) {
  window w;
  TRY(window_open(path, NULL, true, &w, err));
  dperm_status status = DPERM_OK;
  while (status == DPERM_OK && !w.at_end) {
    w.begin = w.end;
    status = window_more(&w, err);
  }
  (void)byte_source_digested(w.source, out);
  window_close(&w);
  return status;
}

static dperm_status settle_rows(const dperm_source *source, ranks *r, const share *mine,
                                size_t *total, dperm_data **out, dperm_error *err) {
  dperm_status status = DPERM_OK;
  growing_rows settled = {0};
  unsigned char digest[FILE_DIGEST_SIZE] = {0};
  if (r->rank == 0 && !source->no_identity) {
    status = digest_file(source->path, digest, err);
    if (status == DPERM_OK && !still_same(source->path, &mine->about)) {
      status = error_set(err, DPERM_INVALID_DATA,
                         "%s: was changed while it was read; run again and leave it alone",
                         source->path);
    }
  }
  TRY(ranks_share(r, status, digest, sizeof digest, err));
  TRY_OR_DONE(spread_settle(r, DPERM_OK, &mine->rows, &settled, total, err));
  if (*total == 0) {
    FAIL_AND_DONE(err, DPERM_INVALID_DATA, "%s: no rows; give a file with records", source->path);
  }
  TRY_OR_DONE(rows_reserve(&settled, 0, err)); /* also where no row came */
  TRY_OR_DONE(data_from_rows(&settled, source->schema ? source->schema->dims : source->dims,
                             source->schema ? ORIGIN_SCHEMA : ORIGIN_SVMLIGHT, source->schema, out,
                             err));
  (*out)->doubts = mine->doubts;
  (*out)->from_file = !source->no_identity;
  memcpy((*out)->file_digest, digest, sizeof digest);
done:
  rows_clear(&settled);
  return status;
}

static dperm_status read_records(const dperm_source *source, ranks *r,
                                 const dperm_progress *progress, size_t *total, dperm_data **out,
                                 dperm_error *err) {
  share mine = {.doubts = 0};
  bool shared = false;
  dperm_status status = read_own_lines(source, r, progress, &shared, &mine, err);
  if (status == DPERM_OK && shared) {
    status = settle_rows(source, r, &mine, total, out, err);
  }
  rows_clear(&mine.rows);
  TRY(status);
  return shared ? DPERM_OK : read_all(source, r, progress, total, out, err);
}

dperm_status dperm_data_read_spread(const dperm_source *source, dperm_ranks *r,
                                    const dperm_progress *progress, dperm_data **out,
                                    dperm_error *err) {
  dperm_data *data = NULL;
  dperm_format format = DPERM_FORMAT_AUTO;
  size_t total = 0;
  if (!r) {
    return dperm_data_read(source, progress, out, err);
  }
  dperm_status status = source_format(source, &format, err);
  if (status == DPERM_OK) {
    status = format == DPERM_FORMAT_ENCODED ? read_share(source, r, progress, &total, &data, err)
                                            : read_records(source, r, progress, &total, &data, err);
  }
  status = check_same(r, status, data, total, err);
  if (status == DPERM_OK && data) {
    status = matrix_sparse_spread(data->x, r, total, err);
  }
  if (status == DPERM_OK) {
    *out = data;
  } else {
    dperm_data_free(data);
  }
  return status;
}
