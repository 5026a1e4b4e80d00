/* The results of a sweep: counts of errors, kept in memory and in the journal, and the means that
 * are made of them alone. How often a sweep was interrupted does not show.
 *
 * The journal is lines of text: "dperm-sweep 1 DIGEST", then "CELL FOLD COUNT NUMBER … CHECK" for
 * each part, the
 * check a digest of the line before it under the sweep's own. Each line is flushed to the disk
 * before the next, so only the last one can be torn, and a torn one has no newline. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_write.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/progress.h"
#include "base/text.h"
#include "data/identity.h"
#include "run/options.h"
#include "sweep/sweep_run.h"

/* ---- the journal */

static const char title[] = "dperm-sweep 1 ";
enum { CHECK_BYTES = 8, HEX_DIGEST = 2 * SWEEP_DIGEST_SIZE + 1, HEX_CHECK = 2 * CHECK_BYTES + 1 };

static dperm_status fail_system(const char *path, int reason, dperm_error *err) {
  FAIL(err, DPERM_IO_ERROR,
       "%s: cannot keep the sweep's journal (%s); check the place, its permissions and free space",
       path, strerror(reason));
}

static dperm_status fail_damaged(const char *path, size_t line, dperm_error *err) {
  FAIL(err, DPERM_INVALID_DATA,
       "%s:%zu:1: this journal of a sweep is damaged; delete it to begin the sweep anew", path,
       line);
}

/* A keyed digest of a line, so that neither a flipped digit nor a line of another sweep passes. */
static void line_check(const sweep_journal *j, const char *line, size_t length,
                       char out[HEX_CHECK]) {
  unsigned char whole[crypto_generichash_BYTES];
  (void)crypto_generichash(whole, sizeof whole, (const unsigned char *)line, length, j->digest,
                           sizeof j->digest);
  (void)sodium_bin2hex(out, HEX_CHECK, whole, CHECK_BYTES);
}

/* ---- writing */

static dperm_status append(sweep_journal *j, const char *bytes, size_t length, dperm_error *err) {
  bool written = fwrite(bytes, 1, length, j->stream) == length && fflush(j->stream) == 0 &&
                 fdatasync(fileno(j->stream)) == 0;
  return written ? DPERM_OK : fail_system(j->path, errno, err);
}

dperm_status journal_add(sweep_journal *j, size_t cell, size_t fold, const uint64_t *numbers,
                         size_t count, dperm_error *err) {
  char check[HEX_CHECK];
  TRY(memory_reserve(&j->line, &j->capacity, 21 * (count + 3) + HEX_CHECK + 2, 1, err));
  size_t length = (size_t)snprintf(j->line, j->capacity, "%zu %zu %zu ", cell, fold, count);
  for (size_t i = 0; i < count; i++) {
    length += (size_t)snprintf(j->line + length, j->capacity - length, "%" PRIu64 " ", numbers[i]);
  }
  line_check(j, j->line, length, check);
  length += (size_t)snprintf(j->line + length, j->capacity - length, "%s\n", check);
  return append(j, j->line, length, err);
}

/* ---- reading */

/* A number and the blank behind it. */
static bool take_number(const char **at, const char *end, size_t *out) {
  const char *start = *at, *blank = memchr(start, ' ', (size_t)(end - start));
  *at = blank ? blank + 1 : end;
  return blank && parse_size((slice){start, (size_t)(blank - start)}, SIZE_MAX, out);
}

/* One line, without its newline. */
static dperm_status read_line(sweep *s, const char *line, size_t length, size_t number,
                              dperm_error *err) {
  const sweep_journal *j = &s->journal;
  OWNED_MEMORY uint64_t *numbers = NULL;
  char check[HEX_CHECK];
  size_t cell = 0, fold = 0, count = 0, wrong = 0;
  if (length < HEX_CHECK) {
    return fail_damaged(j->path, number, err);
  }
  const char *at = line, *end = line + length - (HEX_CHECK - 1);
  line_check(j, line, (size_t)(end - line), check);
  bool good = memcmp(check, end, HEX_CHECK - 1) == 0 && take_number(&at, end, &cell) &&
              take_number(&at, end, &fold) && take_number(&at, end, &count) && count <= length;
  if (!good) {
    return fail_damaged(j->path, number, err);
  }
  TRY(memory_new(count, sizeof *numbers, &numbers, err));
  for (size_t i = 0; good && i < count; i++) {
    good = take_number(&at, end, &wrong);
    numbers[i] = wrong;
  }
  return good && at == end ? results_read(s, cell, fold, numbers, count, err)
                           : fail_damaged(j->path, number, err);
}

static dperm_status fail_title(const char *path, const char *line, dperm_error *err) {
  if (strncmp(line, title, strlen(title)) != 0) {
    FAIL(err, DPERM_INVALID_DATA,
         "%s:1:1: not a journal of a sweep; move it away, or name another output", path);
  }
  FAIL(err, DPERM_INVALID_DATA,
       "%s:1:1: the journal of another sweep, with other options, data or another version of "
       "dperm; give the same again to go on with it, or delete it",
       path);
}

/* Reads the lines behind `first`, and leaves the stream where the next one is to be written: a line
 * that was torn is cut off. */
static dperm_status read_lines(sweep *s, const char *first, dperm_error *err) {
  sweep_journal *j = &s->journal;
  ssize_t length = 0;
  off_t kept = 0;
  for (size_t number = 1; (length = getline(&j->line, &j->capacity, j->stream)) > 0; number++) {
    bool whole = j->line[length - 1] == '\n';
    if (number == 1 && strncmp(j->line, first, (size_t)length) != 0) {
      return fail_title(j->path, j->line, err);
    }
    if (!whole) {
      break;
    }
    if (number > 1) {
      TRY(read_line(s, j->line, (size_t)length - 1, number, err));
    }
    kept += length;
  }
  if (!feof(j->stream) || ftruncate(fileno(j->stream), kept) != 0 ||
      fseeko(j->stream, 0, SEEK_END) != 0) {
    return fail_system(j->path, errno, err);
  }
  return kept == 0 ? append(j, first, strlen(first), err) : DPERM_OK;
}

/* Nobody else's, and a file that can be appended to. */
static dperm_status open_file(sweep_journal *j, dperm_error *err) {
  struct stat about;
  TRY(protected_file_check(j->path, j->path, err));
  int file = open(j->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  j->stream = file < 0 ? NULL : fdopen(file, "a+");
  if (!j->stream) {
    int reason = errno;
    (void)close(file); /* of -1 does nothing */
    return fail_system(j->path, reason, err);
  }
  if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) {
    FAIL(err, DPERM_IO_ERROR, "%s: not a plain file; a sweep's journal needs one", j->path);
  }
  if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    FAIL(err, DPERM_IO_ERROR,
         "%s: another sweep is writing to this journal; wait for it, or name another output",
         j->path);
  }
  rewind(j->stream);
  return DPERM_OK;
}

dperm_status journal_open(sweep *s, const unsigned char digest[SWEEP_DIGEST_SIZE],
                          dperm_error *err) {
  char hex[HEX_DIGEST], first[sizeof title + HEX_DIGEST + 1];
  s->journal.path = s->how->journal;
  memcpy(s->journal.digest, digest, SWEEP_DIGEST_SIZE);
  (void)sodium_bin2hex(hex, sizeof hex, digest, SWEEP_DIGEST_SIZE);
  (void)snprintf(first, sizeof first, "%s%s\n", title, hex);
  TRY(open_file(&s->journal, err));
  return read_lines(s, first, err);
}

void journal_close(sweep_journal *j) {
  if (j->stream) {
    (void)fclose(j->stream);
  }
  free(j->line);
}

/* ---- the results */

/* A cell's counts, fold after fold: of each model, in each part of the rows that judge it. */
static size_t counts_of(const sweep *s, size_t cell) {
  return s->cells[cell].models * s->parts;
}

static uint64_t *errors_of(const sweep *s, size_t cell, size_t fold) {
  return s->errors + cell * s->split.folds * s->how->draws * s->parts + fold * counts_of(s, cell);
}

bool results_done(const sweep *s, size_t cell, size_t fold) {
  return s->done[cell * s->split.folds + fold];
}

static void keep(sweep *s, size_t cell, size_t fold, const uint64_t *errors) {
  memcpy(errors_of(s, cell, fold), errors, counts_of(s, cell) * sizeof *errors);
  s->done[cell * s->split.folds + fold] = true;
  s->models_done += s->cells[cell].models;
}

dperm_status results_add(sweep *s, size_t cell, size_t fold, const uint64_t *errors,
                         dperm_error *err) {
  if (s->journal.stream) {
    TRY(journal_add(&s->journal, cell, fold, errors, counts_of(s, cell), err));
  }
  keep(s, cell, fold, errors);
  return progress_tick(&s->progress, "sweeping", 0, 0, err);
}

/* ---- the digest that the journal is known by */

typedef crypto_generichash_state digest_state;

static void add_bytes(digest_state *state, const void *bytes, size_t count) {
  (void)crypto_generichash_update(state, bytes, count);
}

/* A text with its end. */
static void add_text(digest_state *state, const char *text) {
  add_bytes(state, text, strlen(text) + 1);
}

/* The rows as they are encoded, not the file that they came from: a schema changes them. */
static dperm_status add_rows(digest_state *state, const dperm_data *data, dperm_error *err) {
  unsigned char identity[IDENTITY_SIZE];
  TRY(identity_of_stripes(data, identity, err));
  add_bytes(state, identity, sizeof identity);
  return DPERM_OK;
}

/* A cell by what it will do: the plan says all that options and public numbers lead to. */
static void add_cell(digest_state *state, const sweep_cell *cell, size_t classes) {
  const dperm_options *o = &cell->options;
  const double numbers[] = {(double)o->mechanism,
                            o->loss.parameter,
                            o->loss.lipschitz,
                            o->loss.smoothness,
                            o->gradient_tolerance,
                            (double)o->kernel.kind,
                            o->kernel.gamma,
                            (double)o->kernel.seed,
                            (double)o->kernel.features,
                            (double)o->kernel.independent,
                            (double)cell->group,
                            (double)cell->models};
  add_text(state, o->loss.name);
  add_bytes(state, numbers, sizeof numbers);
  for (size_t v = 0; v < 2 && !cell->impossible; v++) {
    const fit_plan *plan = &cell->plan[v];
    bool noisy = o->mechanism != DPERM_MECHANISM_NONE;
    const double planned[] = {plan->privacy.lambda, noisy ? plan->privacy.delta_reg : 0,
                              noisy ? plan->privacy.noise.beta : 0,
                              noisy ? plan->release.promised.gradient : 0,
                              noisy ? (double)plan->release.step_exponent : 0};
    add_bytes(state, planned, sizeof planned);
    add_text(state, noisy ? plan->privacy.noise.kind->name : "");
  }
  if (o->neighbours != DPERM_NEIGHBOURS_REPLACE) {
    const double divisor = cell->impossible ? 0 : cell->plan[0].privacy.divisor;
    add_text(state, dperm_neighbours_name(o->neighbours));
    add_bytes(state, &divisor, sizeof divisor);
  }
  if (options_joint(o, classes)) {
    add_text(state, "joint");
  }
  if (cell->class_weights) {
    add_text(state, "class weights");
    add_bytes(state, cell->class_weights, classes * sizeof *cell->class_weights);
  }
}

/* Rows, sizes and what every cell will do. */
static dperm_status sweep_digest(const sweep *s, unsigned char out[SWEEP_DIGEST_SIZE],
                                 dperm_error *err) {
  digest_state state;
  const uint64_t sizes[] = {
      s->split.folds, s->how->draws, s->how->seed, s->count, s->how->test_data != NULL, s->parts};
  if (sodium_init() < 0) {
    FAIL(err, DPERM_UNSUPPORTED, "libsodium could not start; check the installation");
  }
  (void)crypto_generichash_init(&state, NULL, 0, SWEEP_DIGEST_SIZE);
  add_text(&state, "dperm sweep 1");
  add_text(&state, dperm_version());
  add_bytes(&state, sizes, sizeof sizes);
  for (size_t g = 0; g < s->group_count; g++) {
    TRY(add_rows(&state, &s->groups[g].data, err));
    TRY(s->how->test_data ? add_rows(&state, &s->groups[g].test_data, err) : DPERM_OK);
  }
  for (size_t c = 0; c < s->count; c++) {
    add_cell(&state, &s->cells[c], data_class_count(s->data));
  }
  (void)crypto_generichash_final(&state, out, SWEEP_DIGEST_SIZE);
  return DPERM_OK;
}

/* ---- from the journal */

dperm_status results_read(sweep *s, size_t cell, size_t fold, const uint64_t *errors, size_t count,
                          dperm_error *err) {
  if (cell >= s->count || fold >= s->split.folds || count != counts_of(s, cell) || count == 0) {
    FAIL(err, DPERM_INVALID_DATA, "%s: a part that this sweep does not have; delete the journal",
         s->how->journal);
  }
  if (!results_done(s, cell, fold)) { /* twice is once */
    keep(s, cell, fold, errors);
  }
  return DPERM_OK;
}

dperm_status results_open(sweep *s, dperm_error *err) {
  unsigned char digest[SWEEP_DIGEST_SIZE];
  ranks *spread = s->data->x->spread;
  dperm_status status = DPERM_OK;
  size_t runs = s->count * s->split.folds, size = s->how->draws * sizeof *s->errors;
  TRY(scratch_take(&s->work, runs * s->parts, size, &s->errors, err));
  TRY(scratch_take(&s->work, runs, sizeof *s->done, &s->done, err));
  if (!s->how->journal) {
    return DPERM_OK;
  }
  TRY(sweep_digest(s, digest, err));
  if (ranks_lead(spread)) { /* what the leader finds done is so for all */
    status = journal_open(s, digest, err);
  }
  TRY(ranks_share(spread, status, s->done, runs * sizeof *s->done, err));
  TRY(ranks_share(spread, DPERM_OK, s->errors, runs * s->parts * size, err));
  return ranks_share(spread, DPERM_OK, &s->models_done, sizeof s->models_done, err);
}

/* ---- what is reported */

/* The standard error of the mean of `count` numbers; NaN for one. */
static double standard_error(const double *values, size_t count, double mean) {
  double squares = 0;
  for (size_t i = 0; i < count; i++) {
    squares += (values[i] - mean) * (values[i] - mean);
  }
  return count > 1 ? sqrt(squares / (double)(count - 1) / (double)count) : (double)NAN;
}

static size_t held_out(const sweep *s, size_t fold) {
  size_t rows = rows_in_all(s->data->x), variant = split_variant(&s->split, rows, fold);
  return s->how->test_data ? rows_in_all(s->how->test_data->x)
                           : rows - split_train_rows(&s->split, rows, variant);
}

/* Models of one fold share the rows that judge them: what is independent is a fold's mean. With
 * rows to test on there is one fold, and the draws are what varies. `work` holds as many numbers as
 * there are folds and draws. */
static void summarize(const sweep *s, size_t c, double *work, dperm_sweep_cell *out) {
  size_t models = s->cells[c].models, folds = s->split.folds, count = 0;
  const uint64_t *errors = errors_of(s, c, 0);
  double sum = 0;
  for (size_t fold = 0; fold < folds; fold++) {
    double in_fold = 0;
    for (size_t m = 0; m < models; m++) {
      uint64_t wrong = 0;
      for (size_t part = 0; part < s->parts; part++) {
        wrong += *errors++;
      }
      double error = (double)wrong / (double)held_out(s, fold);
      in_fold += error;
      if (folds == 1) {
        work[count++] = error;
      }
    }
    if (folds > 1) {
      work[count++] = in_fold / (double)models;
    }
    sum += in_fold / (double)models;
  }
  out->runs = models * folds;
  out->error_mean = sum / (double)folds;
  out->error_se = standard_error(work, count, out->error_mean);
  out->errors = errors_of(s, c, 0);
}

dperm_status results_visit(const sweep *s, dperm_sweep_visitor *visit, void *context,
                           dperm_error *err) {
  OWNED_MEMORY double *work = NULL;
  size_t variant = split_variant(&s->split, rows_in_all(s->data->x), 0);
  TRY(memory_new(s->split.folds + s->how->draws, sizeof *work, &work, err));
  for (size_t c = 0; c < s->count; c++) {
    const sweep_cell *cell = &s->cells[c];
    const privacy_plan *plan = &cell->plan[variant].privacy;
    dperm_sweep_cell out = {.index = c,
                            .impossible = cell->impossible,
                            .error_mean = (double)NAN,
                            .error_se = (double)NAN,
                            .lambda = (double)NAN};
    if (!cell->impossible) {
      out.lambda = plan->lambda;
      out.dims = s->groups[cell->group].rows.x->cols;
      out.noise = cell->options.mechanism == DPERM_MECHANISM_NONE ? NULL : plan->noise.kind->name;
      summarize(s, c, work, &out);
    }
    visit(context, &out);
  }
  return DPERM_OK;
}
