/* dperm_sweep: its counts are those of fits made one by one, its means and standard errors those of
 * the counts, folds hold out every row once, and neither threads nor interruptions nor the other
 * cells change a result; journals that are damaged or somebody else's, cells that cannot be, and
 * requests that make no sense. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "data/dataset.h"
#include "dperm/score.h"
#include "dperm/sweep.h"
#include "reference.h"
#include "run/fit.h"
#include "sweep/sweep_run.h"

enum { ROWS = 503, COLS = 6, MOST = 8 };

typedef struct request {
  test_rows *rows;
  dperm_data *data, *test;
  dperm_options cells[MOST];
  size_t count;
  dperm_sweep_options how;
  dperm_sweep_cell got[MOST];
  uint64_t errors[MOST][64];
  char impossible[MOST][256];
  size_t visited, ticks, stop_at;
  uint64_t done, total;
} request;

static bool watch(void *context, const char *stage, uint64_t done, uint64_t total) {
  request *q = context;
  assert_string_equal(stage, "sweeping");
  assert_true(done >= q->done && done <= total);
  q->done = done;
  q->total = total;
  return q->stop_at > 0 && ++q->ticks >= q->stop_at;
}

static void visit(void *context, const dperm_sweep_cell *cell) {
  request *q = context;
  assert_int_equal(cell->index, q->visited);
  q->got[q->visited] = *cell;
  size_t counts = cell->runs * (q->how.test_parts > 1 ? q->how.test_parts : 1);
  assert_true((cell->errors != NULL) == (cell->runs > 0));
  if (cell->errors && counts <= 64) {
    memcpy(q->errors[q->visited], cell->errors, counts * sizeof *cell->errors);
  }
  if (cell->impossible) {
    (void)snprintf(q->impossible[q->visited], sizeof *q->impossible, "%s", cell->impossible);
  }
  q->visited++;
}

static dperm_data *data_of(const test_rows *t, size_t from, size_t count) {
  dperm_data *data = NULL;
  OWNED_MEMORY size_t *starts = calloc(count + 1, sizeof *starts);
  OWNED_MEMORY uint32_t *columns = calloc(count * t->cols, sizeof *columns);
  OWNED_MEMORY double *values = calloc(count * t->cols, sizeof *values);
  assert_true(starts && columns && values);
  for (size_t i = 0; i < count; i++) {
    starts[i + 1] = starts[i];
    for (size_t j = 0; j < t->cols; j++) {
      double v = t->x[(from + i) * t->cols + j];
      if (v != 0) {
        columns[starts[i + 1]] = (uint32_t)j;
        values[starts[i + 1]++] = v;
      }
    }
  }
  assert_ok(dperm_data_from_csr(count, t->cols, starts, columns, values, t->labels + from, 1, &data,
                                err));
  return data;
}

static int begin(void **state) {
  request *q = calloc(1, sizeof *q);
  assert_non_null(q);
  q->rows = test_rows_random(1, ROWS + 100, COLS, 0.7);
  q->data = data_of(q->rows, 0, ROWS);
  q->test = data_of(q->rows, ROWS, 100);
  q->count = 3;
  const dperm_mechanism mechanisms[] = {DPERM_MECHANISM_NONE, DPERM_MECHANISM_OUTPUT,
                                        DPERM_MECHANISM_OBJECTIVE};
  for (size_t i = 0; i < MOST; i++) {
    dperm_options_init(&q->cells[i]);
    q->cells[i].mechanism = mechanisms[i % 3];
    q->cells[i].epsilon = 1;
    q->cells[i].lambda = i < 3 ? 0.02 : 0.05;
  }
  dperm_sweep_options_init(&q->how);
  q->how.folds = 4;
  q->how.draws = 5;
  q->how.threads = 1;
  q->how.progress = (dperm_progress){watch, q};
  *state = q;
  return 0;
}

static int end(void **state) {
  OWNED_MEMORY request *q = *state;
  dperm_data_free(q->data);
  dperm_data_free(q->test);
  test_rows_free(q->rows);
  return 0;
}

static dperm_status try_sweep(request *q, dperm_error *err) {
  q->visited = q->ticks = 0;
  q->done = 0;
  return dperm_sweep(q->data, q->cells, q->count, &q->how, visit, q, err);
}

static void run(request *q) {
  assert_ok(try_sweep(q, err));
  assert_int_equal(q->visited, q->count);
}

static char *journal_path(void) {
  char *path = file_with("", 0);
  assert_int_equal(unlink(path), 0);
  return path;
}

/* ---- counts */

/* Cell `c` fitted one model at a time to `train`, with the streams that a sweep's draws have. */
static double error_alone(const request *q, size_t c, const dperm_data *train,
                          const dperm_data *test, size_t fold, size_t draw) {
  fit_plan plan = {0};
  auto_model *model = NULL;
  dperm_metrics metrics;
  random_source source;
  char purpose[25];
  (void)snprintf(purpose, sizeof purpose, "%zx draw %zx", fold, draw);
  assert_ok(random_public(q->how.seed, purpose, &source, err));
  assert_ok(fit_plan_check(train, train->x->rows, &q->cells[c], NULL, &plan, err));
  assert_ok(fit_planned(train, &q->cells[c], &plan, &source, &model, err));
  assert_ok(dperm_model_score(model, test, &metrics, err));
  return metrics.error_rate;
}

/* Of all runs of a cell, the first of which has no noise and so one run, with its standard error.
 */
static double mean_alone(const request *q, size_t c, const dperm_data *train,
                         const dperm_data *test, size_t fold, double *se) {
  double errors[5], sum = 0, squares = 0;
  size_t runs = c == 0 ? 1 : 5;
  for (size_t d = 0; d < runs; d++) {
    errors[d] = error_alone(q, c, train, test, fold, d);
    sum += errors[d];
  }
  for (size_t d = 0; d < runs; d++) {
    squares += pow(errors[d] - sum / (double)runs, 2);
  }
  *se = sqrt(squares / 4 / 5);
  return sum / (double)runs;
}

TEST_WITH(errors_on_test_data_are_those_of_single_fits, begin, end) {
  request *q = *state;
  q->how.test_data = q->test;
  run(q);
  for (size_t c = 0; c < 3; c++) {
    double se = 0, mean = mean_alone(q, c, q->data, q->test, 0, &se);
    assert_int_equal(q->got[c].runs, c == 0 ? 1 : 5);
    assert_close(q->got[c].error_mean, mean, 1e-12);
    assert_true(c == 0 ? isnan(q->got[c].error_se) : fabs(q->got[c].error_se - se) <= 1e-12);
    assert_true((q->got[c].noise == NULL) == (c == 0));
    assert_close(q->got[c].lambda, 0.02, 0);
  }
}

/* In every cell other weights: each fit has those of its own cell. */
TEST_WITH(weights_of_classes_are_those_of_each_cell, begin, end) {
  request *q = *state;
  const dperm_class_weight weights[3][1] = {{{"+1", 0.05}}, {{"+1", 20}}, {{"-1", 20}}};
  double plain[MOST];
  q->how.test_data = q->test;
  run(q);
  for (size_t c = 0; c < 3; c++) {
    plain[c] = q->got[c].error_mean;
    q->cells[c].class_weights = weights[c];
    q->cells[c].class_weight_count = c == 1 ? 0 : 1; /* the one in the middle has none */
  }
  run(q);
  for (size_t c = 0; c < 3; c++) {
    double se = 0;
    assert_close(q->got[c].error_mean, mean_alone(q, c, q->data, q->test, 0, &se), 1e-12);
    assert_true((q->got[c].error_mean == plain[c]) == (c == 1));
  }
}

TEST_WITH(errors_of_runs_and_parts_add_up, begin, end) {
  request *q = *state;
  q->how.test_data = q->test;
  q->how.test_parts = 3;
  run(q);
  size_t rows = dperm_data_rows(q->test);
  for (size_t c = 0; c < 3; c++) {
    size_t runs = c == 0 ? 1 : 5;
    for (size_t d = 0; d < runs; d++) {
      const uint64_t *parts = &q->errors[c][3 * d];
      double alone = error_alone(q, c, q->data, q->test, 0, d);
      assert_close((double)(parts[0] + parts[1] + parts[2]) / (double)rows, alone, 1e-12);
    }
  }
  dperm_data *last = data_of(q->rows, ROWS + 2 * (rows / 3) + 1, rows - 2 * (rows / 3) - 1);
  size_t held = dperm_data_rows(last);
  assert_close((double)q->errors[1][2] / (double)held, error_alone(q, 1, q->data, last, 0, 0),
               1e-12);
  dperm_data_free(last);
  q->how.test_data = NULL;
  assert_fails(try_sweep(q, err), DPERM_INVALID_ARGUMENT, "parts");
}

TEST_WITH(folds_hold_out_every_row_once_and_errors_are_those_of_copies, begin, end) {
  request *q = *state;
  sweep_split split = {0};
  size_t held[4] = {0}, rows[ROWS];
  double means[3] = {0}, fold_means[3][4];
  assert_ok(split_draw(ROWS, 4, q->how.seed, &split, err));
  for (size_t i = 0; i < ROWS; i++) {
    held[split.part[i]]++;
  }
  for (size_t f = 0; f < 4; f++) {
    dperm_data *parts[2] = {NULL, NULL};
    assert_true(held[f] == ROWS / 4 || held[f] == ROWS / 4 + 1);
    assert_int_equal(split_train_rows(&split, ROWS, split_variant(&split, ROWS, f)),
                     ROWS - held[f]);
    for (int out = 0; out < 2; out++) {
      size_t count = 0;
      for (size_t i = 0; i < ROWS; i++) {
        if ((split.part[i] == f) == out) {
          rows[count++] = i;
        }
      }
      assert_ok(dperm_data_select(q->data, rows, count, &parts[out], err));
    }
    for (size_t c = 0; c < 3; c++) {
      double se = 0;
      fold_means[c][f] = mean_alone(q, c, parts[0], parts[1], f, &se);
      means[c] += fold_means[c][f] / 4;
    }
    dperm_data_free(parts[0]);
    dperm_data_free(parts[1]);
  }
  free(split.part);
  run(q);
  for (size_t c = 0; c < 3; c++) {
    double squares = 0;
    for (size_t f = 0; f < 4; f++) {
      squares += pow(fold_means[c][f] - means[c], 2);
    }
    assert_int_equal(q->got[c].runs, c == 0 ? 4 : 20);
    assert_close(q->got[c].error_mean, means[c], 1e-12);
    assert_close(q->got[c].error_se, sqrt(squares / 3 / 4), 1e-12);
  }
  assert_int_equal(q->total, 4 + 20 + 20);
}

static void same_numbers(const request *q, const dperm_sweep_cell *before, size_t count) {
  for (size_t c = 0; c < count; c++) {
    assert_true(q->got[c].error_mean == before[c].error_mean);
    assert_true(q->got[c].error_se == before[c].error_se ||
                (isnan(q->got[c].error_se) && isnan(before[c].error_se)));
    assert_int_equal(q->got[c].runs, before[c].runs);
  }
}

TEST_WITH(threads_and_other_cells_do_not_change_a_result, begin, end) {
  request *q = *state;
  dperm_sweep_cell before[MOST];
  q->how.draws = 40;
  run(q);
  memcpy(before, q->got, sizeof before);
  q->how.threads = 3;
  q->count = 6;
  run(q);
  same_numbers(q, before, 3);
  q->how.seed = 2;
  run(q);
  assert_true(q->got[2].error_mean != before[2].error_mean);
}

/* The same kernel for all; features are made or kept, the errors are theirs. */
TEST_WITH(kernels_are_swept_too, begin, end) {
  request *q = *state;
  for (size_t c = 0; c < 3; c++) {
    q->cells[c].kernel = (dperm_kernel){DPERM_KERNEL_GAUSSIAN, 1, 20, 0, 7};
  }
  q->how.test_data = q->test;
  run(q);
  for (size_t c = 0; c < 3; c++) {
    double se = 0;
    assert_close(q->got[c].error_mean, mean_alone(q, c, q->data, q->test, 0, &se), 1e-12);
  }
  q->cells[1].kernel.gamma = 2;
  assert_fails(try_sweep(q, err), DPERM_INVALID_ARGUMENT, "different kernels");
}

/* ---- interruptions */

TEST_WITH(an_interrupted_sweep_ends_with_the_same_numbers, begin, end) {
  request *q = *state;
  dperm_sweep_cell before[MOST];
  q->count = 6;
  run(q);
  memcpy(before, q->got, sizeof before);
  auto_file *path = journal_path();
  q->how.journal = path;
  size_t interruptions = 0;
  for (q->stop_at = 3; q->stop_at < 1000; q->stop_at += 5, interruptions++) {
    dperm_error why = {DPERM_OK, ""};
    dperm_status status = try_sweep(q, &why);
    if (status == DPERM_OK) {
      break;
    }
    assert_int_equal(status, DPERM_CANCELLED);
    assert_non_null(strstr(why.message, "goes on from there"));
    assert_int_equal(q->visited, 0);
  }
  assert_true(interruptions > 2);
  same_numbers(q, before, 6);
  q->stop_at = 0;
  run(q); /* all from the journal */
  same_numbers(q, before, 6);
}

static void rewrite(const char *path, const char *bytes, size_t length) {
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  assert_int_equal(fwrite(bytes, 1, length, f), length);
  assert_int_equal(fclose(f), 0);
}

TEST_WITH(a_part_that_is_torn_or_damaged_is_done_again, begin, end) {
  request *q = *state;
  dperm_sweep_cell before[MOST];
  auto_file *path = journal_path();
  char bytes[2000];
  q->how.journal = path;
  run(q);
  memcpy(before, q->got, sizeof before);
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  size_t length = fread(bytes, 1, sizeof bytes, f), first = 47;
  assert_int_equal(fclose(f), 0);
  assert_true(length > 3 * 4 * 8 && length < sizeof bytes && bytes[first - 1] == '\n');
  for (size_t cut = 1; cut < length; cut += 7) { /* dead at any byte */
    rewrite(path, bytes, cut);
    run(q);
    same_numbers(q, before, 3);
  }
  for (size_t at = first; at < length; at += 5) {
    bytes[at] ^= 1;
    rewrite(path, bytes, length);
    run(q);
    same_numbers(q, before, 3);
    bytes[at] ^= 1;
  }
  rewrite(path, "what is this\n", 13);
  assert_fails(try_sweep(q, err), DPERM_INVALID_DATA, "not a journal");
}

TEST_WITH(the_journal_of_another_sweep_is_refused, begin, end) {
  request *q = *state;
  auto_file *path = journal_path();
  q->how.journal = path;
  run(q);
  const dperm_class_weight weights[] = {{"+1", 2}};
  q->cells[2].class_weights = weights;
  for (int change = 0; change < 4; change++) {
    q->how.seed += change == 0;
    q->how.draws += change == 1;
    q->cells[2].epsilon = change == 2 ? 0.5 : 1;
    q->cells[2].class_weight_count = change == 3;
    assert_fails(try_sweep(q, err), DPERM_INVALID_DATA, "not a journal of this sweep");
    q->how.seed -= change == 0;
    q->how.draws -= change == 1;
  }
  q->cells[2].class_weight_count = 0;
  dperm_data *mine = q->data;
  q->data = q->test;
  assert_fails(try_sweep(q, err), DPERM_INVALID_DATA, "not a journal of this sweep");
  q->data = mine;
  run(q);
  q->how.journal = "/nowhere/at/all";
  assert_fails(try_sweep(q, err), DPERM_IO_ERROR, "journal");
  q->how.journal = "/tmp";
  assert_fails(try_sweep(q, err), DPERM_IO_ERROR, "journal");
}

/* ---- what cannot be */

TEST_WITH(cells_without_a_fit_say_why_and_the_others_go_on, begin, end) {
  request *q = *state;
  q->cells[2].delta_reg = 0; /* and then Λ alone is too small for this ε */
  q->cells[2].lambda = 1e-9;
  run(q);
  assert_non_null(q->got[2].impossible);
  assert_true(strlen(q->impossible[2]) > 10);
  assert_int_equal(q->got[2].runs, 0);
  assert_true(isnan(q->got[2].error_mean) && isnan(q->got[2].error_se));
  assert_null(q->got[1].impossible);
  assert_int_equal(q->got[1].runs, 20);
  q->cells[0] = q->cells[2];
  q->count = 1;
  assert_fails(try_sweep(q, err), DPERM_INVALID_ARGUMENT, "");
  assert_int_equal(q->visited, 0);
  q->how.all_impossible = true;
  run(q);
  assert_non_null(q->got[0].impossible);
}

TEST_WITH(senseless_requests_are_refused, begin, end) {
  request *q = *state;
  q->how.folds = 1;
  assert_fails(try_sweep(q, err), DPERM_INVALID_ARGUMENT, "folds");
  q->how.folds = ROWS + 1;
  assert_fails(try_sweep(q, err), DPERM_INVALID_ARGUMENT, "folds");
  q->how.folds = 2;
  q->how.draws = 0;
  assert_fails(try_sweep(q, err), DPERM_INVALID_ARGUMENT, "draws");
  q->how.draws = 1;
  q->how.threads = -1;
  assert_fails(try_sweep(q, err), DPERM_INVALID_ARGUMENT, "threads");
  q->how.threads = 1;
  q->cells[1].lambda = -1;
  assert_fails(try_sweep(q, err), DPERM_INVALID_ARGUMENT, "lambda");
  q->cells[1].lambda = 1;
  q->count = 0;
  assert_fails(try_sweep(q, err), DPERM_INVALID_ARGUMENT, "cells");
  q->count = 1;
  auto_rows *other = test_rows_random(2, 10, COLS + 1, 1);
  auto_data *wide = data_of(other, 0, 10);
  q->how.test_data = wide;
  assert_fails(try_sweep(q, err), DPERM_INVALID_DATA, "columns");
}
