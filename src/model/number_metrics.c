/* How far a regression's values are from labels, exactly. */
#include <math.h>

#include "base/memory.h"
#include "base/vector.h"
#include "model/model.h"

/* A mean over the records with its sampling error. */
typedef struct running_mean {
  double sum, squares;
} running_mean;

static void add(running_mean *m, double x) {
  m->sum += x;
  m->squares += x * x;
}

static void mean_of(const running_mean *m, double n, double *mean, double *error) {
  *mean = m->sum / n;
  *error = sqrt(fmax(m->squares / n - *mean * *mean, 0) / n);
}

static double pinball(double tau, double residual) {
  return residual > 0 ? (1 - tau) * residual : -tau * residual;
}

/* The constant that pays the least of a quantile's loss, a label: the lower one of two. */
static double lower_quantile(const double *sorted, size_t rows, double tau) {
  const double place = ceil(tau * (double)rows) - 1;
  return sorted[place > 0 ? (size_t)place : 0];
}

/* `values` and `labels` in the label's own unit; `labels` is sorted on the way. */
static void measure(double tau, size_t rows, const double *values, double *labels,
                    regression_metrics *out) {
  const double n = (double)rows;
  running_mean square = {0, 0}, size = {0, 0}, loss = {0, 0}, label = {0, 0};
  double squares = 0, sizes = 0, losses = 0, explained = 0;
  size_t below = 0;
  for (size_t i = 0; i < rows; i++) {
    add(&label, labels[i]);
  }
  out->mean = label.sum / n;
  for (size_t i = 0; i < rows; i++) {
    const double r = values[i] - labels[i], t = out->mean - labels[i];
    add(&square, r * r);
    add(&size, fabs(r));
    add(&loss, pinball(tau, r));
    squares += t * t;
    below += labels[i] <= values[i];
  }
  mean_of(&square, n, &out->mse, &out->mse_error);
  mean_of(&size, n, &out->mae, &out->mae_error);
  mean_of(&loss, n, &out->pinball, &out->pinball_error);
  out->rmse = sqrt(out->mse);
  out->baseline_rmse = sqrt(squares / n);
  const double left = squares > 0 ? square.sum / squares : (double)NAN;
  for (size_t i = 0; i < rows; i++) { /* of 1 − R², whose error the two sums share */
    const double r = values[i] - labels[i], t = out->mean - labels[i],
                 u = (r * r - left * t * t) / (squares / n);
    explained += u * u;
  }
  out->r2 = 1 - left;
  out->r2_error = sqrt(explained / n / n);
  out->below = (double)below / n;
  vector_sort(labels, rows);
  out->median = lower_quantile(labels, rows, 0.5);
  out->quantile = lower_quantile(labels, rows, tau);
  for (size_t i = 0; i < rows; i++) {
    sizes += fabs(out->median - labels[i]);
    losses += pinball(tau, out->quantile - labels[i]);
  }
  out->baseline_mae = sizes / n;
  out->baseline_pinball = losses / n;
}

dperm_status model_score_numbers(const dperm_model *model, const dperm_data *data,
                                 regression_metrics *out, dperm_error *err) {
  OWNED_MEMORY double *values = NULL, *labels = NULL;
  const size_t rows = data->x->rows;
  const double tau = isnan(model->loss_quantile) ? 0.5 : model->loss_quantile;
  TRY(data_check_labels(data, 0, err));
  TRY(data_check_any(data, err));
  FAIL_IF(data->x->spread, err, DPERM_UNSUPPORTED,
          "a regression is scored by one process; score it outside of the job");
  TRY(memory_new(rows, sizeof *values, &values, err));
  TRY(memory_new(rows, sizeof *labels, &labels, err));
  TRY(dperm_model_values(model, data, values, err));
  for (size_t i = 0; i < rows; i++) {
    labels[i] = label_of_score(data_label_range(data), data->labels[i]);
  }
  *out = (regression_metrics){.rows = rows};
  measure(tau, rows, values, labels, out);
  return DPERM_OK;
}
