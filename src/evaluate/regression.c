/* See regression.h. */
#include "evaluate/regression.h"

#include <math.h>
#include <stdio.h>

static const double z_usual = 1.959963984540054;

static json_t *figure_json(double value, double error, double least, double most) {
  return json_pack("{s:o, s:o, s:o}", "value", json_figure(value), "low",
                   json_figure(fmax(value - z_usual * error, least)), "high",
                   json_figure(fmin(value + z_usual * error, most)));
}

/* √ of an interval for the mean square. */
static json_t *rmse_json(const regression_metrics *m) {
  const double low = fmax(m->mse - z_usual * m->mse_error, 0),
               high = m->mse + z_usual * m->mse_error;
  return json_pack("{s:o, s:o, s:o}", "value", json_figure(m->rmse), "low", json_figure(sqrt(low)),
                   "high", json_figure(sqrt(high)));
}

/* Whether it explains anything comes first. */
static json_t *finding_json(const regression_metrics *m, bool quantile) {
  char text[512];
  const bool better = quantile ? m->pinball + z_usual * m->pinball_error < m->baseline_pinball
                               : m->r2 - z_usual * m->r2_error > 0;
  if (quantile) {
    (void)snprintf(text, sizeof text,
                   "the model %s always saying %.4g: pinball loss %.4g, against %.4g; %.1f percent "
                   "of the labels are at or below its values",
                   better ? "errs less than" : "is no better than", m->quantile, m->pinball,
                   m->baseline_pinball, 100 * m->below);
  } else {
    (void)snprintf(
        text, sizeof text,
        "the model %s always saying %.4g: RMSE %.4g, against %.4g; R² %.3f; mean absolute "
        "error %.4g, against %.4g of the median",
        better ? "errs less than" : "is no better than", m->mean, m->rmse, m->baseline_rmse, m->r2,
        m->mae, m->baseline_mae);
  }
  return json_string(text);
}

dperm_status regression_json(const dperm_model *model, const dperm_data *data, json_t **out,
                             dperm_error *err) {
  OWNED(dperm_data_free_at) dperm_data *made = NULL;
  const bool quantile = !isnan(model->loss_quantile);
  const double far = INFINITY;
  const dperm_data *once = NULL;
  regression_metrics m;
  TRY(data_check_labelled(data, err));
  TRY(data_once(data, &made, &once, err)); /* a person counts once, as in evaluations of classes */
  TRY(model_score_numbers(model, once, &m, err));
  json_t *object = json_object();
  json_set(&object, "finding", finding_json(&m, quantile));
  json_set(&object, "intervals", json_string("sampling"));
  json_set(&object, "confidence", json_real(0.95));
  json_set(&object, "rows", json_count(m.rows));
  json_set(&object, "rmse", rmse_json(&m));
  json_set(&object, "mae", figure_json(m.mae, m.mae_error, 0, far));
  json_set(&object, "r2", figure_json(m.r2, m.r2_error, -far, 1));
  if (quantile) {
    json_set(&object, "pinball", figure_json(m.pinball, m.pinball_error, 0, far));
    json_set(&object, "at_or_below",
             figure_json(m.below, sqrt(m.below * (1 - m.below) / (double)m.rows), 0, 1));
  }
  json_t *baseline = json_pack("{s:o, s:o, s:o, s:o}", "mean", json_figure(m.mean), "rmse",
                               json_figure(m.baseline_rmse), "median", json_figure(m.median), "mae",
                               json_figure(m.baseline_mae));
  if (quantile) {
    json_set(&baseline, "quantile", json_figure(m.quantile));
    json_set(&baseline, "pinball", json_figure(m.baseline_pinball));
  }
  json_set(&object, "baseline", baseline);
  return json_made(object, out, err);
}
