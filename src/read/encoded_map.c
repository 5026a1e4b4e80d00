/* From blocks to arrays: address space for each whole array is set aside, and the file's blocks are
 * mapped into it one behind the other, so that the rows stand in memory as if they had been read,
 * but as pages of the file, which the system can drop and fetch again. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "base/progress.h"
#include "base/thread_pool.h"
#include "read/encoded_file.h"

static dperm_status fail_map(const encoded_file *file, dperm_error *err) {
  FAIL(err, DPERM_IO_ERROR,
       "%s: cannot be mapped (%s); check the limits on address space and on mappings "
       "(vm.max_map_count)",
       file->path, strerror(errno));
}

/* Address space for a whole array; none of it can be touched yet. */
static dperm_status set_aside(encoded_file *file, encoded_array array, dperm_error *err) {
  void *place = mmap(NULL, encoded_array_space(file, array), PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) {
    return fail_map(file, err);
  }
  file->arrays[array] = place;
  return DPERM_OK;
}

static unsigned char *block_address(const encoded_file *file, encoded_array array, size_t block) {
  return file->arrays[array] + block * encoded_block_numbers(array) * encoded_number_size(array);
}

static dperm_status map_block(const encoded_file *file, encoded_array array, size_t block,
                              dperm_error *err) {
  void *place =
      mmap(block_address(file, array, block),
           encoded_aligned(encoded_block_bytes(file, array, block)), PROT_READ,
           MAP_SHARED | MAP_FIXED, file->fd, (off_t)encoded_block_at(file, array, block)->offset);
  return place == MAP_FAILED ? fail_map(file, err) : DPERM_OK;
}

/* ---- checking */

typedef struct inspection {
  const encoded_file *file;
  const dperm_progress *progress;
  uint64_t done, total; /* bytes, for the progress */
} inspection;

/* A check by all threads: of blocks from `first` on, or of rows from `first` to `end` − 1, ROWS of
 * them in a piece. */
enum { ROWS = 1 << 14 };
typedef struct check {
  const encoded_file *file;
  encoded_array array;
  const row_rules *rules;
  size_t first, end;
  atomic_size_t bad; /* the first block or row that is wrong */
} check;

static void note_bad(check *c, size_t bad) {
  size_t before = atomic_load(&c->bad);
  while (bad < before && !atomic_compare_exchange_weak(&c->bad, &before, bad)) {
  }
}

/* Runs as many pieces and returns the first that is wrong, or SIZE_MAX. */
static size_t run_check(check *c, size_t pieces, pool_piece *piece) {
  atomic_init(&c->bad, SIZE_MAX);
  pool_run(pieces, piece, c);
  return atomic_load(&c->bad);
}

static void check_sum(void *context, size_t piece, size_t worker) {
  check *c = context;
  size_t block = c->first + piece;
  (void)worker;
  if (encoded_sum(0, block_address(c->file, c->array, block),
                  encoded_block_bytes(c->file, c->array, block)) !=
      encoded_block_at(c->file, c->array, block)->check) {
    note_bad(c, block);
  }
}

/* Maps the blocks with numbers from, …, to − 1 of an array and checks their sums, some at a time.
 */
static dperm_status take_numbers(inspection *in, encoded_array array, size_t from, size_t to,
                                 dperm_error *err) {
  enum { AT_A_TIME = 16 };
  static const char *const names[] = {"starts", "labels", "columns", "values"};
  const size_t each = encoded_block_numbers(array), end = from < to ? (to - 1) / each + 1 : 0;
  for (size_t first = from / each; first < end; first += AT_A_TIME) {
    size_t count = end - first < AT_A_TIME ? end - first : AT_A_TIME;
    for (size_t b = first; b < first + count; b++) {
      TRY(map_block(in->file, array, b, err));
      in->done += encoded_block_bytes(in->file, array, b);
    }
    check sums = {.file = in->file, .array = array, .first = first};
    size_t bad = run_check(&sums, count, check_sum);
    if (bad != SIZE_MAX) {
      FAIL(err, DPERM_INVALID_DATA,
           "%s: byte %llu: the sum of block %zu of the %s is wrong; the file is damaged: fetch it "
           "again, or encode the records again",
           in->file->path, (unsigned long long)encoded_block_at(in->file, array, bad)->offset, bad,
           names[array]);
    }
    TRY(progress_tick(in->progress, "checking", in->done, in->total, err));
  }
  return DPERM_OK;
}

static uint64_t place_of(const encoded_file *file, encoded_array array, size_t number) {
  size_t each = encoded_block_numbers(array);
  return encoded_block_at(file, array, number / each)->offset +
         number % each * encoded_number_size(array);
}

/* Entries of the rows follow each other: without this no row can be looked at. */
static dperm_status check_starts(const encoded_file *file, dperm_error *err) {
  const size_t *starts = file->starts;
  const encoded_trailer *t = &file->trailer;
  size_t end = file->from + file->count, i = file->from;
  bool right = i > 0 || starts[0] == 0;
  for (; right && i < end; i += right) {
    right = starts[i] <= starts[i + 1] && starts[i + 1] <= t->entries &&
            starts[i + 1] - starts[i] <= t->most_entries &&
            (i + 1 < t->rows || starts[i + 1] == t->entries);
  }
  if (!right) {
    FAIL(err, DPERM_INVALID_DATA,
         "%s: byte %llu: a row does not begin where the one before ends; encode the records again",
         file->path, (unsigned long long)place_of(file, ENCODED_STARTS, i));
  }
  return DPERM_OK;
}

static void check_row_rules(void *context, size_t piece, size_t worker) {
  check *c = context;
  size_t from = c->first + piece * ROWS, count = c->end - from < ROWS ? c->end - from : ROWS;
  size_t bad = 0;
  (void)worker;
  if (!row_rules_hold(c->rules, c->file, from, count, &bad)) {
    note_bad(c, bad);
  }
}

static dperm_status check_rows(inspection *in, dperm_error *err) {
  enum { AT_A_TIME = 64 };
  const encoded_file *file = in->file;
  OWNED(row_rules_clear) row_rules rules = {0};
  size_t end = file->from + file->count;
  TRY(row_rules_init(file, &rules, err));
  for (size_t from = file->from; from < end; from += (size_t)ROWS * AT_A_TIME) {
    check rows = {.file = file, .rules = &rules, .first = from, .end = end};
    size_t pieces = (end - from + ROWS - 1) / ROWS;
    size_t bad = run_check(&rows, pieces < AT_A_TIME ? pieces : AT_A_TIME, check_row_rules);
    if (bad != SIZE_MAX) {
      FAIL(err, DPERM_INVALID_DATA,
           "%s: byte %llu: a row or its label is not what the encoder makes under this schema, and "
           "the noise would not cover it; encode the records again",
           file->path, (unsigned long long)place_of(file, ENCODED_STARTS, bad));
    }
    TRY(progress_tick(in->progress, "checking", in->done, in->total, err));
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
  const size_t *starts = file->starts;
  TRY(take_numbers(&in, ENCODED_COLUMNS, starts[from], starts[end], err));
  TRY(take_numbers(&in, ENCODED_VALUES, starts[from], starts[end], err));
  return check_rows(&in, err);
}
