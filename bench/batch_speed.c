/* What a model costs in a batch, against one that is solved alone: 500 draws of objective
 * perturbation on the same rows in one sweep (noise, solutions, certificates, release, and counting
 * their errors on a tenth of the rows), and single fits of the same kind by dperm_train, each from
 * a cold start. Both in one run, alternating, on the same threads; medians.
 *
 *   batch_speed DATA.csv SCHEMA.json [THREADS]    one's own data
 *   batch_speed                                   45,222 synthetic census records, the size of
 * Adult
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "dperm/sweep.h"
#include "dperm/unsafe.h"
#include "stopwatch.h"

enum { DRAWS = 500, ROUNDS = 5, ALONE = 5 };

static double alone_ms(const dperm_data *data, dperm_options options) {
  dperm_error err;
  dperm_model *model = NULL;
  dperm_unsafe_diagnostics diagnostics;
  options.unsafe_diagnostics = &diagnostics;
  expect_ok(dperm_train(data, &options, &model, &err), &err);
  dperm_model_free(model);
  return 1e3 * diagnostics.solve_seconds;
}

static void see_cell(void *context, const dperm_sweep_cell *cell) {
  *(double *)context = cell->error_mean;
}

static double batch_ms(const dperm_data *data, const dperm_data *test, const dperm_options *options,
                       double *error) {
  dperm_error err;
  dperm_sweep_options how;
  dperm_sweep_options_init(&how);
  how.draws = DRAWS;
  how.test_data = test;
  how.threads = options->threads;
  double from = now_ms();
  expect_ok(dperm_sweep(data, options, 1, &how, see_cell, error, &err), &err);
  return (now_ms() - from) / DRAWS;
}

static void compare(const dperm_data *data, const dperm_data *test, const char *loss, double lambda,
                    int threads) {
  dperm_error err;
  dperm_options options;
  double alone[ROUNDS * ALONE], batch[ROUNDS], error = 0;
  dperm_options_init(&options);
  options.bins = DPERM_BINS_NONE;
  expect_ok(dperm_loss_by_name(loss, 0.5, &options.loss, &err), &err);
  options.epsilon = 0.1;
  options.lambda = lambda;
  options.threads = threads;
  for (int i = 0; i < ROUNDS; i++) {
    for (int j = 0; j < ALONE; j++) {
      alone[i * ALONE + j] = alone_ms(data, options);
    }
    batch[i] = batch_ms(data, test, &options, &error);
  }
  double one = median(alone, (size_t)ROUNDS * ALONE), each = median(batch, ROUNDS);
  printf("%-9s %8.1e  %9.2f ms  %9.3f ms   1/%-6.1f  (mean error %.4f)\n", loss, lambda, one, each,
         one / each, error);
}

static dperm_data *tenth_of(const dperm_data *data) {
  dperm_error err;
  dperm_data *part = NULL;
  size_t count = dperm_data_rows(data) / 10, *rows = calloc(count, sizeof *rows);
  if (!rows) {
    exit(1);
  }
  for (size_t i = 0; i < count; i++) {
    rows[i] = 10 * i;
  }
  expect_ok(dperm_data_select(data, rows, count, &part, &err), &err);
  free(rows);
  return part;
}

int main(int argc, char **argv) {
  int threads = argc == 4 ? (int)strtol(argv[3], NULL, 10) : 0;
  if (argc == 2 || argc > 4) {
    fprintf(stderr, "usage: batch_speed [DATA.csv SCHEMA.json [THREADS]]\n");
    return 2;
  }
  records from = records_open(argc >= 3 ? argv[1] : NULL, argc >= 3 ? argv[2] : NULL);
  dperm_data *data = records_read(&from);
  dperm_data *test = tenth_of(data);
  printf("%zu rows of %zu columns; objective perturbation, epsilon 0.1; %d draws a batch\n",
         dperm_data_rows(data), dperm_data_dims(data), DRAWS);
  printf("loss      lambda    one alone     in the batch   ratio\n");
  for (int i = 0; i < 3; i++) {
    const double lambdas[] = {1e-3, pow(10, -2.5), 1e-2};
    compare(data, test, "logistic", lambdas[i], threads);
    compare(data, test, "huber", lambdas[i], threads);
  }
  dperm_data_free(test);
  dperm_data_free(data);
  records_close(&from);
  return 0;
}
