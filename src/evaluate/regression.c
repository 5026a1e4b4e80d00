/* See regression.h. */
#include "evaluate/regression.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

static const double z_usual = 1.959963984540054;

/* ---- exactly */

static figure around(double value, double error, double least, double most) {
  return (figure){value, fmax(value - z_usual * error, least), fmin(value + z_usual * error, most)};
}

static void take_metrics(const regression_metrics *m, number_figures *out) {
  const double far = INFINITY;
  const figure square = around(m->mse, m->mse_error, 0, far);
  *out = (number_figures){
      .rmse = {m->rmse, sqrt(square.low), sqrt(square.high)},
      .mae = around(m->mae, m->mae_error, 0, far),
      .r2 = around(m->r2, m->r2_error, -far, 1),
      .pinball = around(m->pinball, m->pinball_error, 0, far),
      .at_or_below = around(m->below, sqrt(m->below * (1 - m->below) / (double)m->rows), 0, 1),
      .mean = m->mean,
      .median = m->median,
      .quantile = m->quantile,
      .baseline_rmse = m->baseline_rmse,
      .baseline_mae = m->baseline_mae,
      .baseline_pinball = m->baseline_pinball};
}

/* ---- either */

/* Numbers as the model's range has them. */
static dperm_status sums_of(const dperm_model *model, const dperm_data *data,
                            const guarantee *claim, random_source *source, number_evaluation *e,
                            dperm_error *err) {
  OWNED_MEMORY double *values = NULL;
  const double tau = isnan(e->quantile) ? 0.5 : e->quantile;
  TRY(memory_new(data->x->rows, sizeof *values, &values, err));
  TRY(model_numbers(model, data, values, err));
  return number_sums_private(data, values, tau, claim, source, &e->sums, err);
}

dperm_status number_evaluate(const dperm_model *model, const dperm_data *data,
                             const guarantee *claim, random_source *source, number_evaluation *out,
                             dperm_error *err) {
  const label_range range = data_label_range(data);
  *out = (number_evaluation){.range = model->range, .quantile = model->loss_quantile};
  if (claim) {
    FAIL_IF(range.min != model->range.min || range.max != model->range.max, err, DPERM_INVALID_DATA,
            "the model's labels are from %g to %g, and these from %g to %g; give them the model's",
            model->range.min, model->range.max, range.min, range.max);
    TRY(sums_of(model, data, claim, source, out, err));
    out->rows = out->sums.rows;
    number_figures_of_sums(out);
  } else {
    regression_metrics m;
    TRY(model_score_numbers(model, data, &m, err));
    out->rows = m.rows;
    take_metrics(&m, &out->figures);
  }
  return DPERM_OK;
}

/* ---- in words: whether it explains anything comes first */

static const char *verdict(bool better, bool no_better) {
  return better      ? "errs less than"
         : no_better ? "is no better than"
                     : "is not shown to be better than";
}

dperm_status number_finding(const number_evaluation *e, bool exact, char **out, dperm_error *err) {
  const number_figures *f = &e->figures;
  const bool quantile = !isnan(e->quantile);
  char text[512], sizes[128] = "", explained[32] = "";
  if (quantile) {
    const double apart = exact ? 0 : z_usual * f->pinball_noise;
    const bool better = f->pinball.high < f->baseline_pinball - apart;
    (void)snprintf(text, sizeof text,
                   "the model %s always saying %.4g: pinball loss %.4g, against %.4g; %.1f percent "
                   "of the labels are at or below its values",
                   verdict(better, exact || f->pinball.low > f->baseline_pinball + apart),
                   f->quantile, f->pinball.value, f->baseline_pinball, 100 * f->at_or_below.value);
    return memory_copy_text(text, strlen(text), out, err);
  }
  if (!(f->r2.low > 0) && !exact && f->r2.high > 0 && !(f->r2.high - f->r2.low < 0.5)) {
    (void)snprintf(
        text, sizeof text, /* figures would only mislead */
        "the noise hides how good the model is: too few records for this epsilon to tell "
        "whether it is better than always saying one number (R² from %.3g to %.3g)",
        f->r2.low, f->r2.high);
    return memory_copy_text(text, strlen(text), out, err);
  }
  if (!isnan(f->r2.value)) { /* all labels may be alike */
    (void)snprintf(explained, sizeof explained, "; R² %.3f", f->r2.value);
  }
  (void)snprintf(sizes, sizeof sizes, "; mean absolute error %.4g, against %.4g of the median",
                 f->mae.value, f->baseline_mae);
  (void)snprintf(text, sizeof text, "the model %s always saying %.4g: RMSE %.4g, against %.4g%s%s",
                 verdict(f->r2.low > 0, exact || f->r2.high <= 0), f->mean, f->rmse.value,
                 f->baseline_rmse, explained, sizes);
  return memory_copy_text(text, strlen(text), out, err);
}

/* ---- as JSON */

static json_t *figure_json(figure f) {
  return json_pack("{s:o, s:o, s:o}", "value", json_figure(f.value), "low", json_figure(f.low),
                   "high", json_figure(f.high));
}

/* All that was released, in the label's unit or as whole numbers: figures can be computed again. */
static json_t *sums_json(const number_evaluation *e) {
  const number_sums *s = &e->sums;
  const double half = label_range_half(e->range);
  json_t *counts = json_array(), *sums = json_array();
  for (size_t i = 0; i < 2 + SUMS; i++) {
    json_append(i < 2 ? &counts : &sums, json_integer((json_int_t)s->whole[i]));
  }
  return json_pack("{s:o, s:o, s:o, s:o, s:o}", "around",
                   json_figure(label_of_score(e->range, s->center)), "clamped_at",
                   json_figure(half * s->caps[0]), "around_clamped_at",
                   json_figure(half * s->caps[1]), "counts", counts, "sums", sums);
}

void number_json(const number_evaluation *e, bool exact, json_t **object) {
  const number_figures *f = &e->figures;
  const bool quantile = !isnan(e->quantile);
  json_t *baseline =
      json_pack("{s:o, s:o}", "mean", json_figure(f->mean), "rmse", json_figure(f->baseline_rmse));
  json_set(object, "rows", e->rows > 0 || exact ? json_count(e->rows) : json_null());
  json_set(object, "rmse", figure_json(f->rmse));
  json_set(object, "mae", figure_json(f->mae));
  json_set(object, "r2", figure_json(f->r2));
  if (!isnan(f->median)) {
    json_set(&baseline, "median", json_figure(f->median));
    json_set(&baseline, "mae", json_figure(f->baseline_mae));
  }
  if (quantile) {
    json_set(object, "pinball", figure_json(f->pinball));
    json_set(object, "at_or_below", figure_json(f->at_or_below));
    json_set(&baseline, "quantile", json_figure(f->quantile));
    json_set(&baseline, "pinball", json_figure(f->baseline_pinball));
  }
  json_set(object, "baseline", baseline);
  if (!exact) {
    json_set(object, "sums", sums_json(e));
  }
}
