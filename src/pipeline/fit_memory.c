/* Follows what solve/, matrix/matrix_blocks.c and model/model_write.c ask for. tests/cli/paid.bats
 * finds the least memory that a run needs, and that less is noticed before the charge. */
#include "pipeline/fit_memory.h"

#include <math.h>

#include "base/thread_pool.h"
#include "matrix/matrix_blocks.h"

enum {
  TALL = 12,              /* arrays with a number for each row: points, margins, refinement */
  SHARES = 2,             /* and with weights of classes: the rows' shares, and the sample's */
  WIDE = 48,              /* with one for each column: points, directions, pairs of steps */
  FACTOR_COLUMNS = 1024,  /* up to these the Hessian is factored: */
  SQUARES = 4,            /* itself, its factor, those of the sample */
  SAMPLE = 8,             /* a row of so many is in the sample */
  SAMPLE_MOST = 64 << 20, /* bytes */
  JSON_WEIGHT = 160       /* bytes of a weight as a JSON value and as text */
};

/* The rows as the solver sees them. */
typedef struct shape {
  size_t rows, cols, work_size;
  bool dense, features, shared;
} shape;

static shape shape_of(const dperm_data *data, size_t rows, const dperm_options *options) {
  const matrix *x = data->x;
  size_t cols = kernel_dims(&options->kernel, x->cols);
  bool features = options->kernel.name != DPERM_KERNEL_NONE;
  feature_kind kind = feature_kind_of_new(&options->kernel, x->cols);
  return (shape){.rows = rows < x->rows ? rows : x->rows,
                 .cols = cols,
                 .work_size =
                     x->work_size + (features ? features_work_size(kind, x->cols, cols) : 0),
                 .dense = features || x->kind->block,
                 .features = features,
                 .shared = options->class_weight_count > 0};
}

/* The sums over stripes of `size` numbers each. */
static double stripe_sums(const shape *s, size_t size) {
  return (double)stripe_count(s->rows, size) * (double)size;
}

/* With a block of rows, and sums of its own, for each thread. */
static double solver_doubles(const shape *s) {
  double n = (double)s->rows, d = (double)s->cols, threads = (double)pool_workers();
  double numbers = (s->shared ? TALL + SHARES : TALL) * n + WIDE * d + 2 * stripe_sums(s, s->cols);
  numbers += threads * ((double)s->work_size + 4 * d);
  if (s->cols <= FACTOR_COLUMNS) {
    numbers += (SQUARES + threads) * d * d + stripe_sums(s, s->cols * s->cols);
  }
  double sample = s->dense ? fmin(n / SAMPLE * d * sizeof(double), SAMPLE_MOST) : 0;
  return numbers * sizeof(double) + sample;
}

double fit_memory_model(const dperm_data *data, const dperm_options *options) {
  bool linear = options->kernel.name == DPERM_KERNEL_NONE;
  const dperm_kernel *kernel = &options->kernel;
  size_t inputs = data->x->cols, dims = kernel_dims(kernel, inputs);
  double map = linear ? 0 : feature_map_bytes(feature_kind_of_new(kernel, inputs), inputs, dims);
  double fits = (double)class_fits(data_class_count(data));
  return sizeof(double) * fits * (double)dims + map;
}

double fit_memory_work(const dperm_data *data, size_t rows, const dperm_options *options) {
  shape s = shape_of(data, rows, options);
  double d = (double)s.cols, kept = (double)s.rows * d * sizeof(double);
  double solving = solver_doubles(&s) + (s.features && kept <= FEATURES_KEPT ? kept : 0);
  return fmax(solving, JSON_WEIGHT * d * (double)class_fits(data_class_count(data)));
}
