/* Follows what solve/, matrix/matrix_dense.c and model/model_write.c ask for. tests/cli/paid.bats
 * finds the least memory that a run needs, and that less is noticed before the charge. */
#include "run/fit.h"

#include <math.h>

#include "base/thread_pool.h"
#include "run/claim.h"
#include "run/options.h"

enum {
  TALL = 12,              /* arrays with a number for each row: points, margins, polishing */
  SHARES = 2,             /* and with weights of classes: the rows' shares, and the sample's */
  WIDE = 48,              /* with one for each column: points, directions, pairs of steps */
  FACTOR_COLUMNS = 1024,  /* up to these the Hessian is factored: */
  SQUARES = 4,            /* itself, its factor, those of the sample */
  COUPLED_BLOCK = 512,    /* scores, slopes and probabilities of some rows, for each class */
  SAMPLE = 8,             /* a row of so many is in the sample */
  SAMPLE_MOST = 64 << 20, /* bytes */
  JSON_WEIGHT = 160       /* bytes of a weight as a JSON value and as text */
};

double fit_memory_model(const dperm_data *data, const dperm_options *options) {
  bool linear = options->kernel.kind == DPERM_KERNEL_NONE;
  const dperm_kernel *kernel = &options->kernel;
  size_t inputs = data->x->cols, dims = kernel_dims(kernel, inputs);
  double map = linear ? 0 : feature_map_bytes(feature_kind_of_new(kernel, inputs), inputs, dims);
  double fits = (double)class_fits(data_class_count(data));
  return sizeof(double) * fits * (double)dims + map;
}

/* Rows of a table are made once for all passes where that does not take too much. */
static double kept_bytes(const matrix *x, double rows) {
  return rows * (double)x->row_entries * (sizeof(uint32_t) + sizeof(double));
}

bool fit_memory_keeps(const matrix *x) {
  return kept_bytes(x, (double)x->rows) <= (double)((size_t)1 << 30);
}

/* The sums over stripes of `size` numbers each. */
static double stripe_sums(size_t rows, size_t size) {
  return (double)stripe_count(rows, size) * (double)size;
}

double fit_memory_work(const dperm_data *data, size_t rows, const dperm_options *options) {
  const matrix *x = data->x;
  const dperm_kernel *kernel = &options->kernel;
  bool features = kernel->kind != DPERM_KERNEL_NONE, dense = features || x->kind->block;
  size_t cols = kernel_dims(kernel, x->cols), work_size = x->work_size;
  if (features) {
    work_size += features_work_size(feature_kind_of_new(kernel, x->cols), x->cols, cols);
  }
  rows = rows < x->rows ? rows : x->rows;
  size_t scores = options_joint(options, data_class_count(data)) ? data_class_count(data) : 1;
  size_t block = scores > 1 ? COUPLED_BLOCK * scores : 0;
  cols *= scores;
  double n = (double)rows, d = (double)cols, threads = (double)pool_workers();
  double tall = options->class_weight_count > 0 ? TALL + SHARES : TALL;
  /* With a block of rows, and sums of its own, for each thread. */
  double numbers = tall * n * (double)scores + WIDE * d + 2 * stripe_sums(rows, cols);
  numbers += threads * ((double)work_size + (double)block + 4 * d);
  if (cols <= FACTOR_COLUMNS) {
    numbers += (SQUARES + threads) * d * d + stripe_sums(rows, cols * cols);
  }
  double width = d / (double)scores; /* of a row */
  double sample = dense ? fmin(n / SAMPLE * width * sizeof(double), SAMPLE_MOST) : 0;
  double kept = n * width * sizeof(double);
  double solving = numbers * sizeof(double) + sample;
  solving += features && kept <= FEATURES_KEPT ? kept : 0;
  solving += !features && data->table && fit_memory_keeps(x) ? kept_bytes(x, n) : 0;
  return fmax(solving, JSON_WEIGHT * width * (double)class_fits(data_class_count(data)));
}
