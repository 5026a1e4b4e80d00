/* Processor time of whole fits of several shapes, those that lean on factors and products of
 * matrices above all: one thread, the least of some runs, so that another library, or the same one
 * with other kernels, can be put beside it on a busy machine.
 *
 *   fit_shapes [NAME...]      all of them, or those whose names begin so
 */
#include <dperm.h>
#include <dperm/sweep.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "stopwatch.h"

typedef struct shape {
  const char *name;
  size_t rows, dims, entries; /* entries of a row; 0 for dense rows */
  size_t features;            /* random ones; 0 for a linear fit */
  size_t draws;               /* of a sweep; 0 for one fit */
  double lambda;
  int runs;
} shape;

static const shape shapes[] = {
    {"sparse 45k x 104, 12 entries", 45222, 104, 12, 0, 0, 3e-3, 15},
    {"dense 50k x 100", 50000, 100, 0, 0, 0, 1e-3, 9},
    {"dense 20k x 1000", 20000, 1000, 0, 0, 0, 1e-3, 5},
    {"dense 20k x 1000, small lambda", 20000, 1000, 0, 0, 0, 1e-7, 3},
    {"features 10k x 50, D = 1000", 10000, 50, 0, 1000, 0, 1e-3, 5},
    {"features 10k x 50, D = 2000", 10000, 50, 0, 2000, 0, 1e-3, 3},
    {"features 2k x 1000, D = 2000", 2000, 1000, 0, 2000, 0, 1e-3, 3},
    {"sweep sparse 45k x 104", 45222, 104, 12, 0, 64, 3e-3, 3},
    {"sweep dense 20k x 100", 20000, 100, 0, 0, 64, 1e-3, 3},
    {"sweep dense 5k x 500", 5000, 500, 0, 0, 32, 1e-3, 3},
    {"sweep features 5k x 20, D = 400", 5000, 20, 0, 400, 32, 1e-3, 3},
};

static uint64_t state = 88172645463325252U; /* xorshift: figures, not secrets */

static double unit(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) * 0x1p-53;
}

static double processor_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static void *need(size_t count, size_t size) {
  void *block = calloc(count, size);
  if (!block) {
    fprintf(stderr, "fit_shapes: out of memory\n");
    exit(1);
  }
  return block;
}

/* Rows of norm 1, labels from a direction, a tenth of them turned round. */
static dperm_data *make(const shape *s) {
  dperm_error err;
  dperm_data *data = NULL;
  size_t each = s->entries ? s->entries : s->dims;
  double *values = need(s->rows * each, sizeof *values), *labels = need(s->rows, sizeof *labels);
  double *truth = need(s->dims, sizeof *truth);
  size_t *starts = need(s->rows + 1, sizeof *starts);
  uint32_t *columns = need(s->rows * each, sizeof *columns);
  for (size_t j = 0; j < s->dims; j++) {
    truth[j] = unit() - 0.5;
  }
  for (size_t i = 0; i < s->rows; i++) {
    double squares = 0, z = 0, *row = values + i * each;
    for (size_t j = 0; j < each; j++) {
      size_t wide = s->dims / each;
      size_t column = s->entries ? j * wide + (size_t)((double)wide * unit() * unit()) : j;
      columns[i * each + j] = (uint32_t)column;
      row[j] = s->entries ? 1 : unit() - 0.5;
      squares += row[j] * row[j];
      z += row[j] * truth[column];
    }
    for (size_t j = 0; j < each; j++) {
      row[j] /= sqrt(squares) * (1 + 1e-12);
    }
    bool turned = unit() < 0.1;
    labels[i] = (z > 0) != turned ? 1 : -1;
    starts[i + 1] = (i + 1) * each;
  }
  expect_ok(s->entries ? dperm_data_from_csr(s->rows, s->dims, starts, columns, values, labels, 1.0,
                                             &data, &err)
                       : dperm_data_from_dense(s->rows, s->dims, values, labels, 1.0, &data, &err),
            &err);
  free(values);
  free(labels);
  free(truth);
  free(starts);
  free(columns);
  return data;
}

static void see_cell(void *context, const dperm_sweep_cell *cell) {
  *(double *)context = cell->error_mean;
}

static void fit(const shape *s, const dperm_data *data, double *errors) {
  dperm_error err;
  dperm_options options;
  dperm_options_init(&options);
  options.lambda = s->lambda;
  options.epsilon = 0.5;
  options.threads = 1;
  if (s->features) {
    options.kernel = (dperm_kernel){
        .kind = DPERM_KERNEL_GAUSSIAN, .gamma = 1, .features = s->features, .seed = 1};
  }
  if (s->draws) {
    dperm_sweep_options how;
    dperm_sweep_options_init(&how);
    how.draws = s->draws;
    how.test_data = data;
    how.threads = 1;
    expect_ok(dperm_sweep(data, &options, 1, &how, see_cell, errors, &err), &err);
    return;
  }
  dperm_model *model = NULL;
  options.mechanism = DPERM_MECHANISM_NONE;
  options.gradient_tolerance = 1e-8;
  expect_ok(dperm_train(data, &options, &model, &err), &err);
  *errors = dperm_model_weights(model)[0];
  dperm_model_free(model);
}

static bool asked_for(const char *name, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (strncmp(name, argv[i], strlen(argv[i])) == 0) {
      return true;
    }
  }
  return argc == 1;
}

int main(int argc, char **argv) {
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    const shape *s = &shapes[i];
    if (!asked_for(s->name, argc, argv)) {
      continue;
    }
    double least = INFINITY, seen = 0;
    dperm_data *data = make(s);
    for (int run = 0; run < s->runs; run++) {
      double from = processor_ms();
      fit(s, data, &seen);
      least = fmin(least, processor_ms() - from);
    }
    printf("%-34s %10.2f ms   (%.12g)\n", s->name, least, seen);
    fflush(stdout);
    dperm_data_free(data);
  }
  return 0;
}
