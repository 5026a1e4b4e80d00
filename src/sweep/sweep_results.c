/* The results of a sweep: counts of errors and figures of each model, kept in memory and in the
 * journal, and the means that are made of them alone. How often a sweep was interrupted does not
 * show.
 *
 * The journal is a line of text, "dperm-sweep 3 DIGEST", and behind it a place for each part (a
 * cell in a fold): its counts, 8 bytes each, two doubles a model, and a keyed digest of them. A
 * part that was being written when its writer died, or that was damaged since, does not have its
 * digest, and is done again. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_write.h"
#include "base/memory.h"
#include "base/progress.h"
#include "data/identity.h"
#include "loss/loss.h"
#include "run/options.h"
#include "sweep/sweep_run.h"

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

static sweep_judged *judged_of(const sweep *s, size_t cell, size_t fold) {
  return s->judged + cell * s->split.folds * s->how->draws + fold * s->cells[cell].models;
}

static void keep(sweep *s, size_t cell, size_t fold, const uint64_t *errors,
                 const sweep_judged *judged) {
  memcpy(errors_of(s, cell, fold), errors, counts_of(s, cell) * sizeof *errors);
  memcpy(judged_of(s, cell, fold), judged, s->cells[cell].models * sizeof *judged);
  s->done[cell * s->split.folds + fold] = true;
  s->models_done += s->cells[cell].models;
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
  bool noisy = o->mechanism != DPERM_MECHANISM_NONE;
  const double numbers[] = {(double)o->mechanism,
                            (double)o->neighbours,
                            o->loss.parameter,
                            o->loss.lipschitz,
                            o->loss.smoothness,
                            loss_quantile(&o->loss),
                            o->gradient_tolerance,
                            (double)o->kernel.kind,
                            o->kernel.gamma,
                            (double)o->kernel.seed,
                            (double)o->kernel.features,
                            (double)o->kernel.independent,
                            (double)options_joint(o, classes),
                            (double)cell->group,
                            (double)cell->asked,
                            (double)cell->models};
  add_text(state, o->loss.name);
  add_bytes(state, numbers, sizeof numbers);
  for (size_t v = 0; v < 2 && !cell->impossible; v++) {
    const fit_plan *plan = &cell->plan[v];
    const double planned[] = {plan->privacy.lambda,
                              plan->privacy.divisor,
                              noisy ? plan->privacy.delta_reg : 0,
                              noisy ? plan->privacy.noise.beta : 0,
                              noisy ? plan->release.promised.gradient : 0,
                              noisy ? (double)plan->release.step_exponent : 0};
    add_bytes(state, planned, sizeof planned);
    add_text(state, noisy ? plan->privacy.noise.kind->name : "");
  }
  add_bytes(state, cell->class_weights, cell->class_weights ? classes * sizeof(double) : 0);
}

/* Rows, sizes and what every cell will do. */
static dperm_status sweep_digest(const sweep *s, unsigned char out[SWEEP_DIGEST_SIZE],
                                 dperm_error *err) {
  digest_state state;
  const uint64_t sizes[] = {
      s->split.folds, s->how->draws, s->how->seed, s->count, s->how->test_data != NULL, s->parts};
  FAIL_IF(sodium_init() < 0, err, DPERM_UNSUPPORTED,
          "libsodium could not start; check the installation");
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

/* ---- the journal */

static const char title[] = "dperm-sweep 3 ";
enum { HEADER = sizeof title + 2UL * SWEEP_DIGEST_SIZE };

static dperm_status fail_system(const char *path, int reason, dperm_error *err) {
  FAIL(err, DPERM_IO_ERROR,
       "%s: cannot keep the sweep's journal (%s); check the place, its permissions and free space",
       path, strerror(reason));
}

/* The numbers of a part, 8 bytes each: counts, and what each model is worth. */
static size_t numbers_of(const sweep *s, size_t cell) {
  _Static_assert(sizeof(sweep_judged) == 2 * sizeof(uint64_t), "two doubles");
  return counts_of(s, cell) + 2 * s->cells[cell].models;
}

/* Of the numbers in s->record: neither a flipped bit nor a part of another sweep has it. */
static uint64_t digest_of(const sweep *s, size_t part, size_t count) {
  unsigned char whole[crypto_generichash_BYTES];
  uint64_t digest = 0;
  digest_state state;
  (void)crypto_generichash_init(&state, s->digest, sizeof s->digest, sizeof whole);
  add_bytes(&state, &part, sizeof part);
  add_bytes(&state, s->record, count * sizeof *s->record);
  (void)crypto_generichash_final(&state, whole, sizeof whole);
  memcpy(&digest, whole, sizeof digest);
  return digest;
}

static off_t place_of(const sweep *s, size_t part) {
  return (off_t)(HEADER + part * (s->how->draws * (s->parts + 2) + 1) * sizeof *s->record);
}

/* At its place, durably. */
static dperm_status write_at(const sweep *s, const void *bytes, size_t size, off_t place,
                             dperm_error *err) {
  bool written =
      pwrite(s->journal, bytes, size, place) == (ssize_t)size && fdatasync(s->journal) == 0;
  return written ? DPERM_OK : fail_system(s->how->journal, errno, err);
}

static void read_part(sweep *s, size_t part) {
  size_t cell = part / s->split.folds, count = numbers_of(s, cell);
  size_t size = (count + 1) * sizeof *s->record;
  if (count > 0 && pread(s->journal, s->record, size, place_of(s, part)) == (ssize_t)size &&
      s->record[count] == digest_of(s, part, count)) {
    keep(s, cell, part % s->split.folds, s->record,
         (const sweep_judged *)(s->record + counts_of(s, cell)));
  }
}

/* Nobody else's, and a plain file. */
static dperm_status open_file(sweep *s, dperm_error *err) {
  const char *path = s->how->journal;
  struct stat about;
  TRY(protected_file_check(path, path, err));
  s->journal = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  RETURN_IF(s->journal < 0, fail_system(path, errno, err));
  FAIL_IF(fstat(s->journal, &about) != 0 || !S_ISREG(about.st_mode), err, DPERM_IO_ERROR,
          "%s: not a plain file; a sweep's journal needs one", path);
  FAIL_IF(flock(s->journal, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK, err, DPERM_IO_ERROR,
          "%s: another sweep is writing to this journal; wait for it, or name another output",
          path);
  return DPERM_OK;
}

/* Opens the sweep's journal, or begins one, and takes what stands in it. */
static dperm_status journal_open(sweep *s, dperm_error *err) {
  char hex[2 * SWEEP_DIGEST_SIZE + 1], header[HEADER + 1], found[HEADER];
  (void)sodium_bin2hex(hex, sizeof hex, s->digest, sizeof s->digest);
  (void)snprintf(header, sizeof header, "%s%s\n", title, hex);
  TRY(open_file(s, err));
  ssize_t read = pread(s->journal, found, HEADER, 0);
  RETURN_IF(read < 0, fail_system(s->how->journal, errno, err));
  FAIL_IF(memcmp(found, header, (size_t)read) != 0, err, DPERM_INVALID_DATA,
          "%s:1:1: not a journal of this sweep with these options, data and version of dperm; give "
          "the same again to go on with it, delete it, or name another output",
          s->how->journal);
  if (read < HEADER) { /* new, or its writer died at once */
    return write_at(s, header, HEADER, 0, err);
  }
  for (size_t part = 0; part < s->count * s->split.folds; part++) {
    read_part(s, part);
  }
  return DPERM_OK;
}

dperm_status results_add(sweep *s, size_t cell, size_t fold, const uint64_t *errors,
                         const sweep_judged *judged, dperm_error *err) {
  keep(s, cell, fold, errors, judged);
  if (s->journal >= 0) {
    size_t part = cell * s->split.folds + fold, count = numbers_of(s, cell);
    memcpy(s->record, errors, counts_of(s, cell) * sizeof *errors);
    memcpy(s->record + counts_of(s, cell), judged, s->cells[cell].models * sizeof *judged);
    s->record[count] = digest_of(s, part, count);
    TRY(write_at(s, s->record, (count + 1) * sizeof *errors, place_of(s, part), err));
  }
  return progress_tick(&s->progress, "sweeping", 0, 0, err);
}

dperm_status results_open(sweep *s, dperm_error *err) {
  ranks *spread = s->data->x->spread;
  dperm_status status = DPERM_OK;
  size_t runs = s->count * s->split.folds, size = s->how->draws * sizeof *s->errors;
  TRY(scratch_take(&s->work, runs * s->parts, size, &s->errors, err));
  TRY(scratch_take(&s->work, runs * s->how->draws, sizeof *s->judged, &s->judged, err));
  TRY(scratch_take(&s->work, runs, sizeof *s->done, &s->done, err));
  if (!s->how->journal) {
    return DPERM_OK;
  }
  TRY(scratch_take(&s->work, s->how->draws * (s->parts + 2) + 1, sizeof *s->record, &s->record,
                   err));
  TRY(sweep_digest(s, s->digest, err));
  if (ranks_lead(spread)) { /* what the leader finds done is so for all */
    status = journal_open(s, err);
  }
  TRY(ranks_share(spread, status, s->done, runs * sizeof *s->done, err));
  TRY(ranks_share(spread, DPERM_OK, s->errors, runs * s->parts * size, err));
  TRY(ranks_share(spread, DPERM_OK, s->judged, runs * s->how->draws * sizeof *s->judged, err));
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

/* The mean of a number of each model, and its standard error. Models of one fold share the rows
 * that judge them: what is independent is a fold's mean. With rows to test on there is one fold,
 * and the draws are what varies. `values` are fold by fold, `stride` apart; `work` holds as many
 * numbers as there are folds and draws. */
static double mean_of(const sweep *s, size_t models, const double *values, size_t stride,
                      double *work, double *se) {
  const size_t folds = s->split.folds;
  size_t count = 0;
  double sum = 0;
  for (size_t fold = 0; fold < folds; fold++) {
    double in_fold = 0;
    for (size_t m = 0; m < models; m++, values += stride) {
      in_fold += *values;
      if (folds == 1) {
        work[count++] = *values;
      }
    }
    if (folds > 1) {
      work[count++] = in_fold / (double)models;
    }
    sum += in_fold / (double)models;
  }
  *se = standard_error(work, count, sum / (double)folds);
  return sum / (double)folds;
}

/* `work` holds as many numbers as there are folds, draws, and models of all folds. */
static void summarize(const sweep *s, size_t c, double *work, dperm_sweep_cell *out) {
  const size_t models = s->cells[c].models, folds = s->split.folds;
  const uint64_t *errors = errors_of(s, c, 0);
  double *rates = work + folds + s->how->draws;
  for (size_t i = 0; i < folds * models; i++) {
    uint64_t wrong = 0;
    for (size_t part = 0; part < s->parts; part++) {
      wrong += *errors++;
    }
    rates[i] = (double)wrong / (double)held_out(s, i / models);
  }
  const sweep_judged *judged = judged_of(s, c, 0);
  out->runs = models * folds;
  out->errors = errors_of(s, c, 0);
  if (data_class_count(s->data) == 0) {
    out->rmse_mean = mean_of(s, models, &judged->auc_or_rmse, 2, work, &out->rmse_se);
    out->mae_mean = mean_of(s, models, &judged->log_loss_or_mae, 2, work, &out->mae_se);
    return;
  }
  out->error_mean = mean_of(s, models, rates, 1, work, &out->error_se);
  out->auc_mean = mean_of(s, models, &judged->auc_or_rmse, 2, work, &out->auc_se);
  out->log_loss_mean = mean_of(s, models, &judged->log_loss_or_mae, 2, work, &out->log_loss_se);
}

dperm_status results_visit(const sweep *s, dperm_sweep_visitor *visit, void *context,
                           dperm_error *err) {
  OWNED_MEMORY double *work = NULL;
  size_t variant = split_variant(&s->split, rows_in_all(s->data->x), 0);
  const size_t models = s->split.folds * s->how->draws;
  TRY(memory_new(s->split.folds + s->how->draws + models, sizeof *work, &work, err));
  for (size_t c = 0; c < s->count; c++) {
    const sweep_cell *cell = &s->cells[c];
    const privacy_plan *plan = &cell->plan[variant].privacy;
    dperm_sweep_cell out = {.index = c,
                            .impossible = cell->impossible,
                            .error_mean = (double)NAN,
                            .error_se = (double)NAN,
                            .auc_mean = (double)NAN,
                            .auc_se = (double)NAN,
                            .log_loss_mean = (double)NAN,
                            .log_loss_se = (double)NAN,
                            .lambda = (double)NAN,
                            .baseline = s->baseline,
                            .baseline_log_loss = s->baseline_log_loss,
                            .rmse_mean = (double)NAN,
                            .rmse_se = (double)NAN,
                            .mae_mean = (double)NAN,
                            .mae_se = (double)NAN,
                            .baseline_rmse = s->baseline_numbers.auc_or_rmse,
                            .baseline_mae = s->baseline_numbers.log_loss_or_mae};
    if (!cell->impossible && cell->asked) { /* runs differ in the rest */
      out.lambda = cell->options.lambda;
    } else if (!cell->impossible) {
      out.lambda = plan->lambda;
      out.dims = s->groups[cell->group].rows.x->cols;
      out.noise = cell->options.mechanism == DPERM_MECHANISM_NONE ? NULL : plan->noise.kind->name;
    }
    if (!cell->impossible) {
      summarize(s, c, work, &out);
    }
    visit(context, &out);
  }
  return DPERM_OK;
}
