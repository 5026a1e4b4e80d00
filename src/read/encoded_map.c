/* From blocks to arrays: address space for each whole array is set aside, and the file's blocks are
 * mapped into it one behind the other, so that the rows stand in memory as if they had been read,
 * but as pages of the file, which the system can drop and fetch again. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "base/progress.h"
#include "read/encoded_file.h"

static size_t round_up(size_t bytes) {
  return (bytes + ENCODED_ALIGN - 1) / ENCODED_ALIGN * ENCODED_ALIGN;
}

static dperm_status fail_map(const encoded_file *file, dperm_error *err) {
  FAIL(err, DPERM_IO_ERROR,
       "%s: cannot be mapped (%s); check the limits on address space and on mappings "
       "(vm.max_map_count)",
       file->path, strerror(errno));
}

/* Address space for a whole array; none of it can be touched yet. One unit more than its numbers
 * need, so that an empty array has an address too. */
static dperm_status set_aside(encoded_file *file, encoded_array array, dperm_error *err) {
  size_t bytes = encoded_numbers(file, array) * encoded_number_size(array);
  void *place = mmap(NULL, (bytes / ENCODED_ALIGN + 1) * ENCODED_ALIGN, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) {
    return fail_map(file, err);
  }
  file->arrays[array] = place;
  return DPERM_OK;
}

/* A piece of work: one block of an array. */
typedef struct piece {
  encoded_array array;
  size_t block;
} piece;

static dperm_status map_block(const encoded_file *file, piece p, dperm_error *err) {
  size_t each = encoded_block_numbers(p.array) * encoded_number_size(p.array);
  const encoded_block *block = encoded_block_at(file, p.array, p.block);
  void *place = mmap(file->arrays[p.array] + p.block * each,
                     round_up(encoded_block_bytes(file, p.array, p.block)), PROT_READ,
                     MAP_SHARED | MAP_FIXED, file->fd, (off_t)block->offset);
  return place == MAP_FAILED ? fail_map(file, err) : DPERM_OK;
}

static bool block_is_sound(const encoded_file *file, piece p) {
  size_t each = encoded_block_numbers(p.array) * encoded_number_size(p.array);
  return encoded_sum(0, file->arrays[p.array] + p.block * each,
                     encoded_block_bytes(file, p.array, p.block)) ==
         encoded_block_at(file, p.array, p.block)->check;
}

/* ---- checking */

typedef struct inspection {
  const encoded_file *file;
  const dperm_progress *progress;
  uint64_t done, total; /* bytes, for the progress */
} inspection;

static dperm_status fail_sum(const encoded_file *file, piece p, dperm_error *err) {
  static const char *const names[] = {"starts", "labels", "columns", "values"};
  FAIL(err, DPERM_INVALID_DATA,
       "%s: byte %llu: the sum of block %zu of the %s is wrong; the file is damaged: fetch it "
       "again, or encode the records again",
       file->path, (unsigned long long)encoded_block_at(file, p.array, p.block)->offset, p.block,
       names[p.array]);
}

/* Maps blocks first, …, last of an array and checks their sums, some at a time. */
static dperm_status take_blocks(inspection *in, encoded_array array, size_t first, size_t last,
                                dperm_error *err) {
  enum { AT_A_TIME = 16 };
  for (size_t from = first; from <= last; from += AT_A_TIME) {
    size_t to = from + AT_A_TIME - 1 < last ? from + AT_A_TIME - 1 : last, bad = SIZE_MAX;
    for (size_t b = from; b <= to; b++) {
      TRY(map_block(in->file, (piece){array, b}, err));
    }
#pragma omp parallel for schedule(dynamic) reduction(min : bad)
    for (size_t b = from; b <= to; b++) {
      if (!block_is_sound(in->file, (piece){array, b}) && b < bad) {
        bad = b;
      }
    }
    if (bad != SIZE_MAX) {
      return fail_sum(in->file, (piece){array, bad}, err);
    }
    for (size_t b = from; b <= to; b++) {
      in->done += encoded_block_bytes(in->file, array, b);
    }
    TRY(progress_tick(in->progress, "checking", in->done, in->total, err));
  }
  return DPERM_OK;
}

/* The blocks with numbers from, …, to − 1 of an array, if there are any. */
static dperm_status take_numbers(inspection *in, encoded_array array, size_t from, size_t to,
                                 dperm_error *err) {
  size_t each = encoded_block_numbers(array);
  return from < to ? take_blocks(in, array, from / each, (to - 1) / each, err) : DPERM_OK;
}

static uint64_t place_of(const encoded_file *file, encoded_array array, size_t number) {
  size_t each = encoded_block_numbers(array);
  return encoded_block_at(file, array, number / each)->offset +
         number % each * encoded_number_size(array);
}

/* Entries of the rows stand one behind the other: without this no row can be looked at. */
static dperm_status check_starts(const encoded_file *file, dperm_error *err) {
  const size_t *starts = encoded_starts(file);
  size_t end = file->from + file->count, bad = SIZE_MAX;
  bool last = end == file->trailer.rows;
#pragma omp parallel for schedule(static) reduction(min : bad)
  for (size_t i = file->from; i < end; i++) {
    bool fine = starts[i] <= starts[i + 1] && starts[i + 1] <= file->trailer.entries &&
                starts[i + 1] - starts[i] <= file->trailer.most_entries;
    if (!fine && i < bad) {
      bad = i;
    }
  }
  if (bad == SIZE_MAX && file->from == 0 && starts[0] != 0) {
    bad = 0;
  }
  if (bad == SIZE_MAX && last && starts[end] != file->trailer.entries) {
    bad = end - 1;
  }
  if (bad != SIZE_MAX) {
    FAIL(err, DPERM_INVALID_DATA,
         "%s: byte %llu: a row does not begin where the one before ends; encode the records again",
         file->path, (unsigned long long)place_of(file, ENCODED_STARTS, bad));
  }
  return DPERM_OK;
}

static dperm_status check_rows(inspection *in, dperm_error *err) {
  enum { ROWS = 1 << 14, AT_A_TIME = 64 };
  const encoded_file *file = in->file;
  row_rules *rules = NULL;
  size_t end = file->from + file->count, bad = SIZE_MAX;
  TRY(row_rules_new(file, &rules, err));
  dperm_status status = DPERM_OK;
  for (size_t from = file->from; from < end && status == DPERM_OK && bad == SIZE_MAX;
       from += (size_t)ROWS * AT_A_TIME) {
    size_t pieces = (end - from + ROWS - 1) / ROWS;
    pieces = pieces < AT_A_TIME ? pieces : AT_A_TIME;
#pragma omp parallel for schedule(dynamic) reduction(min : bad)
    for (size_t p = 0; p < pieces; p++) {
      size_t at = from + p * ROWS, found = 0;
      if (!row_rules_hold(rules, file, at, end - at < ROWS ? end - at : ROWS, &found) &&
          found < bad) {
        bad = found;
      }
    }
    status = progress_tick(in->progress, "checking", in->done, in->total, err);
  }
  row_rules_free(rules);
  TRY(status);
  if (bad != SIZE_MAX) {
    FAIL(err, DPERM_INVALID_DATA,
         "%s: byte %llu: a row or its label is not what the encoder makes under this schema, and "
         "the noise would not cover it; encode the records again",
         file->path, (unsigned long long)place_of(file, ENCODED_STARTS, bad));
  }
  return DPERM_OK;
}

dperm_status encoded_map(encoded_file *file, size_t from, size_t count,
                         const dperm_progress *progress, dperm_error *err) {
  inspection in = {file, progress, 0, file->trailer.directory};
  size_t end = from + count;
  for (encoded_array a = ENCODED_STARTS; a < ENCODED_ARRAYS; a++) {
    TRY(set_aside(file, a, err));
  }
  file->from = from;
  file->count = count;
  TRY(take_numbers(&in, ENCODED_STARTS, from, end + 1, err));
  TRY(take_numbers(&in, ENCODED_LABELS, from, end, err));
  TRY(check_starts(file, err));
  const size_t *starts = encoded_starts(file);
  TRY(take_numbers(&in, ENCODED_COLUMNS, starts[from], starts[end], err));
  TRY(take_numbers(&in, ENCODED_VALUES, starts[from], starts[end], err));
  return check_rows(&in, err);
}
