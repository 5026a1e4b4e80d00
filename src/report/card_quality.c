/* How well the model predicts: its own evaluation on records that it was not made from, if it has
 * one (docs/formats.md). A file may hold anything there, so what is not as expected is left out. */
#include <math.h>
#include <stdio.h>

#include "report/card.h"

enum { GROUPS_SHOWN = 100 };

static double number_at(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

typedef struct figure_text {
  char text[96];
} figure_text;

/* "16.5 percent (16.1 to 16.9)", or a plain number; empty where there is none. */
static figure_text figure_at(const json_t *object, const char *key, bool percent) {
  const json_t *figure = json_object_get(object, key);
  const double value = number_at(figure, "value"), low = number_at(figure, "low"),
               high = number_at(figure, "high"), unit = percent ? 100 : 1;
  figure_text out = {""};
  int used = 0;
  if (!isnan(value)) {
    used = snprintf(out.text, sizeof out.text, percent ? "%.4g percent" : "%.4g", unit * value);
  }
  if (!isnan(value) && !isnan(low) && !isnan(high)) {
    (void)snprintf(out.text + used, sizeof out.text - (size_t)used, " (%.4g to %.4g)", unit * low,
                   unit * high);
  }
  return out;
}

static void write_figure(report *p, const char *name, figure_text figure) {
  if (*figure.text) {
    report_row(p, name, "%s", figure.text);
  }
}

static void write_baseline(report *p, const json_t *evaluation) {
  const json_t *baseline = json_object_get(evaluation, "baseline");
  const char *class = json_text_at(baseline, "class");
  const double rate = number_at(baseline, "error_rate"), low = number_at(baseline, "low"),
               high = number_at(baseline, "high");
  if (class && !isnan(rate)) {
    char range[64] = "";
    if (!isnan(low) && !isnan(high)) {
      (void)snprintf(range, sizeof range, " (%.4g to %.4g)", 100 * low, 100 * high);
    }
    report_row(p, "always saying one thing", "%.4g percent%s wrong by naming \"%.64s\" every time",
               100 * rate, range, class);
  }
}

/* Where it was measured, and what that cost: nothing besides the budget where the records were kept
 * from the fit, as each of them is in one part alone. */
static void write_origin(report *p, const json_t *evaluation) {
  const double epsilon = number_at(evaluation, "epsilon"), rows = number_at(evaluation, "rows"),
               share = number_at(evaluation, "share"),
               confidence = number_at(evaluation, "confidence");
  const bool persons = number_at(evaluation, "rows_per_person") == 0;
  char of[48], kept[200] = "", cost[200] = "", sure[200] = "";
  (void)snprintf(of, sizeof of, persons ? "persons" : "records");
  if (!isnan(rows)) {
    (void)snprintf(of, sizeof of, "%.0f %s", rows, persons ? "persons, once each," : "records");
  }
  if (!isnan(share)) {
    (void)snprintf(kept, sizeof kept,
                   " They are a share of %g, drawn at random apart from what records say, and "
                   "which they were stays with the custodian.",
                   share);
  }
  if (!isnan(epsilon)) {
    (void)snprintf(
        cost, sizeof cost, " What was counted has noise for ε = %.6g%s.", epsilon,
        isnan(share)
            ? ""
            : ", of these records alone: the budget above covers both parts, and is not their sum");
  }
  if (!isnan(confidence)) {
    (void)snprintf(sure, sizeof sure,
                   " Ranges in brackets hold the value for the population, of which the records "
                   "are taken to be an independent sample, in %.3g of 100 evaluations.",
                   100 * confidence);
  }
  report_text(p, "Measured on %s that the model was not made from.%s%s%s", of, kept, cost, sure);
}

static void write_groups(report *p, const json_t *groups) {
  const json_t *rates = json_object_get(groups, "rates"), *group;
  const char *column = json_text_at(groups, "column");
  static const struct {
    const char *key, *words;
  } kinds[] = {{"error_rate", "wrong"},
               {"positive_rate", "positive"},
               {"false_positive_rate", "false alarms among negatives"},
               {"false_negative_rate", "missed among positives"}};
  size_t i;
  if (!column || json_array_size(rates) == 0) {
    return;
  }
  report_text(p, "By \"%.64s\":", column);
  json_array_foreach(rates, i, group) {
    const char *name = json_text_at(group, "name");
    char line[640] = "";
    size_t used = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
      const figure_text figure = figure_at(group, kinds[k].key, true);
      if (*figure.text) {
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%s: %s", used ? "; " : "",
                                 kinds[k].words, figure.text);
      }
    }
    if (name && used > 0 && i < GROUPS_SHOWN) {
      report_row_words(p, name, line);
    }
  }
}

void card_write_quality(report *p, const json_t *evaluation) {
  const char *finding = json_text_at(evaluation, "finding");
  report_heading(p, "How well it predicts");
  if (!json_is_object(evaluation)) {
    report_text(p, "The file does not say how well the model predicts. Measured on private "
                   "records, that costs a budget of its own.");
    return;
  }
  if (finding) {
    report_words(p, REPORT_TEXT, finding);
  }
  write_origin(p, evaluation);
  write_figure(p, "wrong", figure_at(evaluation, "error_rate", true));
  write_baseline(p, evaluation);
  write_figure(p, "difference", figure_at(evaluation, "difference", true));
  write_figure(p, "root mean square error", figure_at(evaluation, "rmse", false));
  write_figure(p, "mean absolute error", figure_at(evaluation, "mae", false));
  write_figure(p, "R²", figure_at(evaluation, "r2", false));
  write_figure(p, "pinball loss", figure_at(evaluation, "pinball", false));
  write_figure(p, "at or below its values", figure_at(evaluation, "at_or_below", true));
  write_figure(p, "area under the ROC curve", figure_at(evaluation, "auc", false));
  write_figure(p, "log loss", figure_at(evaluation, "log_loss", false));
  write_figure(p, "precision", figure_at(evaluation, "precision", true));
  write_figure(p, "recall", figure_at(evaluation, "recall", true));
  write_groups(p, json_object_get(evaluation, "groups"));
}
