/* What must hold before any work: the number of rows is public, the options make sense for these
 * columns, and noise for this epsilon exists. All of it from public numbers, or refused. */
#include "run/fit.h"

#include <math.h>

#include "base/file_read.h"
#include "base/thread_pool.h"
#include "data/dataset.h"
#include "kernel/features.h"
#include "loss/link.h"
#include "loss/loss.h"
#include "run/options.h"

/* The number of rows must not depend on what the records say. */
dperm_status check_rows_public(const dperm_data *data, dperm_error *err) {
  static const struct {
    const char *what, *remedy;
  } reasons[DOUBT_KINDS] = {
      {"comment lines stand where records can",
       "take them out (in a CSV file they may stand above a header)"},
      {"blank lines stand where a record can be one",
       "take them out (in a CSV file, put quotes around empty fields)"},
      {"a quoted field holds a line end and then what could be a record",
       "close the quote, or take line ends out of fields"},
      {"the file's one column may end with an empty record, which nothing shows",
       "end the last line"}};
  FAIL_IF(data->schema && data->schema->on_missing == MISSING_DROP, err, DPERM_INVALID_SCHEMA,
          "the schema drops rows with missing values, so the number of rows depends on the records "
          "and no private fit is possible; set \"on_missing\" to \"zero\" or \"category\"");
  for (unsigned kind = 0; kind < DOUBT_KINDS; kind++) {
    FAIL_IF(
        data->doubts >> kind & 1, err, DPERM_INVALID_DATA,
        "%s%s%s, so the number of rows depends on the records and no private fit is possible; %s",
        data->doubted ? path_for_people(data->doubted) : "", data->doubted ? ": " : "",
        reasons[kind].what, reasons[kind].remedy);
  }
  return DPERM_OK;
}

/* Where the number of rows is private it may be any up to a public limit far above the figure. */
static dperm_status check_row_count(const dperm_data *data, const dperm_options *options,
                                    dperm_error *err) {
  if (options->neighbours == DPERM_NEIGHBOURS_REPLACE) {
    TRY(data_check_any(data, err));
  }
  const uint64_t most = options_rows_most(options, options_rows(options, data),
                                          data->schema ? data->schema->person_rows : 0);
  FAIL_IF(
      data->persons && rows_in_all(data->x) > most, err, DPERM_INVALID_DATA,
      "the guarantee is for at most %llu records of all persons, and there are more; give fewer",
      (unsigned long long)most);
  FAIL_IF(options->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE && rows_in_all(data->x) > most, err,
          DPERM_INVALID_DATA,
          "with rows about %zu the guarantee is for at most %llu records, and there are more; give "
          "a figure nearer to their number",
          options->rows_about, (unsigned long long)most);
  return DPERM_OK;
}

_Static_assert((int)CURVE_FITS_MOST >= (int)CLASSES_MOST, "a curve has a fit for each class");

/* A curve with what its release adds: q fits of more than two classes are one after the other. */
static privacy_curve curve_released(privacy_curve curve, const public_numbers *given,
                                    const guarantee *claim, size_t classes) {
  curve.fits *= classes > 2 && link_scores(given->loss) == 1 ? classes : 1;
  curve.epsilon_num = ratio_value(epsilon_divide(claim->epsilon_class).num);
  curve.failure = claim->delta_numerics;
  return curve;
}

privacy_curve fit_way_curve(const dperm_options *options, const guarantee *claim, size_t classes) {
  const row_bounds any = row_bounds_of_norm(1, 1);
  const dperm_loss loss = options_loss(options, classes);
  const guarantee composed = guarantee_composed(*claim);
  const public_numbers given = fit_numbers(options, &loss, &composed, 1, 1, &any);
  return curve_released(way_curve(&given, &given.way), &given, &composed, classes);
}

dperm_status fit_noise_plan(const dperm_options *options, const dperm_loss *loss, guarantee *claim,
                            size_t rows, size_t dims, const row_bounds *bounds,
                            public_numbers *given, privacy_plan *plan, dperm_error *err) {
  *given = fit_numbers(options, loss, claim, rows, dims, bounds);
  TRY(privacy_plan_make(given, plan, err));
  if (!plan_spends_delta(plan)) {
    claim->composed = (composition){.epsilon = 0};
  } else if (claim->composed.epsilon > 0) {
    FAIL_IF(!(given->way.reach > 0), err, DPERM_UNSUPPORTED,
            "the noise of the fit has no part in what was composed; report this as a defect");
    *claim = guarantee_composed(*claim);
    *given = fit_numbers(options, loss, claim, rows, dims, bounds);
    given->noise = plan->noise.kind->number;
    TRY(privacy_plan_make(given, plan, err));
  }
  *claim = guarantee_spending(*claim, plan_spends_delta(plan));
  return DPERM_OK;
}

dperm_status fit_plan_make(const dperm_options *options, const guarantee *claim, size_t classes,
                           size_t rows, size_t inputs, const row_bounds *encoded, fit_plan *plan,
                           dperm_error *err) {
  size_t dims = kernel_dims(&options->kernel, inputs);
  TRY(kernel_validate(&options->kernel, inputs, err));
  TRY(kernel_validate_angles(&options->kernel, encoded, err));
  TRY(regularizer_validate(&options->regularizer, dims, err));
  const row_bounds bounds = kernel_bounds(&options->kernel, encoded);
  const dperm_loss loss = options_loss(options, classes);
  public_numbers given;
  plan->claim = *claim;
  TRY(fit_noise_plan(options, &loss, &plan->claim, rows, dims, &bounds, &given, &plan->privacy,
                     err));
  TRY(guarantee_check(&plan->claim, err));
  plan->curve = (privacy_curve){.fits = 0};
  if (options->mechanism == DPERM_MECHANISM_NONE) {
    return DPERM_OK;
  }
  plan->curve = curve_released(plan_curve(&given, &plan->privacy), &given, &plan->claim, classes);
  return release_plan_make(&given, &plan->privacy, &plan->release, err);
}

dperm_status fit_plan_check(const dperm_data *data, size_t rows, const dperm_options *options,
                            const guarantee *claim, fit_plan *plan, dperm_error *err) {
  TRY(check_row_count(data, options, err));
  if (options->mechanism != DPERM_MECHANISM_NONE) {
    TRY(check_rows_public(data, err));
  }
  return fit_plan_check_public(data, rows, options, claim, plan, err);
}

dperm_status fit_plan_check_public(const dperm_data *data, size_t rows,
                                   const dperm_options *options, const guarantee *claim,
                                   fit_plan *plan, dperm_error *err) {
  TRY(data->schema ? schema_check_fit(data->schema, err) : DPERM_OK);
  TRY(options->classes ? data_check_labels(data, options->classes, err)
                       : data_check_labelled(data, err));
  TRY(class_weights_of_data(data, options->class_weights, options->class_weight_count, NULL, err));
  const private_run plain = run_shares(options, data_class_count(data), data->schema, 0);
  const guarantee own = run_claim(options, &plain, options_reasons(options, data));
  return fit_plan_make(options, claim ? claim : &own, data_class_count(data), rows, data->x->cols,
                       &data->bounds, plan, err);
}

/* ---- memory: follows what solve/, matrix/matrix_dense.c and model/model_write.c ask for.
 * tests/cli/paid.bats finds the least a run needs, and that less is noticed before the charge */

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
  return rows * ((double)x->row_entries * (sizeof(uint32_t) + sizeof(double)) + 3 * sizeof(double));
}

bool fit_memory_keeps(const matrix *x) {
  return kept_bytes(x, (double)x->rows) <= (double)((size_t)1 << 30);
}

/* The sums over stripes of `size` numbers each. */
static double stripe_sums(size_t rows, size_t size) {
  return (double)stripe_count(rows, size) * (double)size;
}

double fit_memory_work(const dperm_data *data, size_t rows, const dperm_options *options,
                       bool fewer) {
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
  double tall = options->class_weight_count > 0 || data->persons ? TALL + SHARES : TALL;
  /* With a block of rows, and sums of its own, for each thread. */
  double numbers = tall * n * (double)scores + WIDE * d + 2 * stripe_sums(rows, cols);
  numbers += threads * ((double)work_size + (double)block + 4 * d);
  if (cols <= FACTOR_COLUMNS || fewer) {
    const size_t side = cols < FACTOR_COLUMNS ? cols : FACTOR_COLUMNS;
    numbers += (SQUARES + threads) * (double)(side * side) + stripe_sums(rows, side * side);
  }
  double width = d / (double)scores; /* of a row */
  double sample = dense ? fmin(n / SAMPLE * width * sizeof(double), SAMPLE_MOST) : 0;
  double kept = n * width * sizeof(double);
  double solving = numbers * sizeof(double) + sample;
  solving += features && kept <= FEATURES_KEPT ? kept : 0;
  solving += !features && data->table && fit_memory_keeps(x) ? kept_bytes(x, n) : 0;
  return fmax(solving, JSON_WEIGHT * width * (double)class_fits(data_class_count(data)));
}
