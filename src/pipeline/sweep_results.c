/* The results of a sweep: counts of errors, kept in memory and in the journal, and the means that
 * are made of them alone. How often a sweep was interrupted does not show. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/progress.h"
#include "pipeline/sweep_run.h"

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
  if (s->journal) {
    TRY(journal_add(s->journal, cell, fold, errors, counts_of(s, cell), err));
  }
  keep(s, cell, fold, errors);
  return progress_tick(&s->progress, "sweeping", 0, 0, err);
}

/* ---- from the journal */

static dperm_status read_counts(void *context, size_t cell, size_t fold, const uint64_t *errors,
                                size_t count, dperm_error *err) {
  sweep *s = context;
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
  TRY(memory_new(runs * s->parts, size, &s->errors, err));
  TRY(memory_new(runs, sizeof *s->done, &s->done, err));
  if (!s->how->journal) {
    return DPERM_OK;
  }
  TRY(sweep_digest(s, digest, err));
  if (ranks_lead(spread)) { /* what the leader finds done is so for all */
    status = journal_open(s->how->journal, digest, read_counts, s, &s->journal, err);
  }
  TRY(ranks_share(spread, status, s->done, runs * sizeof *s->done, err));
  TRY(ranks_share(spread, DPERM_OK, s->errors, runs * s->parts * size, err));
  return ranks_share(spread, DPERM_OK, &s->models_done, sizeof s->models_done, err);
}

void results_close(sweep *s) {
  journal_close(s->journal);
  free(s->errors);
  free(s->done);
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
  double *work = NULL;
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
      out.noise = cell->options.mechanism == DPERM_MECHANISM_NONE ? NULL : plan->noise.kind->name;
      summarize(s, c, work, &out);
    }
    visit(context, &out);
  }
  free(work);
  return DPERM_OK;
}
