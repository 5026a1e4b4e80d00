/* The cells of a sweep for programs: as lines of CSV, and as JSON with lambda as it was used. */
#include <math.h>

#include "output/json_report.h"
#include "output/sweep_results.h"

/* The figures of a line, as the columns of both forms have them. */
typedef struct figure_name {
  const char *name;
  sweep_metric metric;
  size_t part; /* of the mean, its error and the baseline */
} figure_name;

typedef struct figure_list {
  const figure_name list[8];
  size_t count;
} figure_list;

static const figure_list *figure_names(const sweep_table *table) {
  static const figure_list classes = {{{"error_mean", METRIC_ERROR, 0},
                                       {"error_se", METRIC_ERROR, 1},
                                       {"baseline", METRIC_ERROR, 2},
                                       {"auc_mean", METRIC_AUC, 0},
                                       {"auc_se", METRIC_AUC, 1},
                                       {"log_loss_mean", METRIC_LOG_LOSS, 0},
                                       {"log_loss_se", METRIC_LOG_LOSS, 1},
                                       {"baseline_log_loss", METRIC_LOG_LOSS, 2}},
                                      8},
                           numbers = {{{"rmse_mean", METRIC_RMSE, 0},
                                       {"rmse_se", METRIC_RMSE, 1},
                                       {"baseline_rmse", METRIC_RMSE, 2},
                                       {"mae_mean", METRIC_MAE, 0},
                                       {"mae_se", METRIC_MAE, 1},
                                       {"baseline_mae", METRIC_MAE, 2}},
                                      6};
  return table->numbers ? &numbers : &classes;
}

static double figure_at(const sweep_line *line, const figure_name *f) {
  const struct sweep_figure *of = &line->figures[f->metric];
  return f->part == 0 ? of->mean : f->part == 1 ? of->se : of->baseline;
}

void sweep_print_json(const sweep_table *table, FILE *out) {
  json_auto_t *cells = json_array();
  for (size_t i = 0; i < table->count; i++) {
    const sweep_line *line = &table->lines[i];
    const dperm_options *o = &table->options[i];
    bool noisy = sweep_is_private(line);
    json_t *cell =
        json_pack("{s:s, s:s, s:s?, s:s, s:o, s:s, s:o, s:o, s:s?, s:I, s:o}", "loss", line->loss,
                  "mechanism", line->mechanism, "noise", noisy ? line->noise : NULL, "multiclass",
                  dperm_multiclass_name(o->multiclass), "lambda", report_figure(line->lambda),
                  "lambda_given", line->lambda_given.text, "epsilon", report_figure(line->epsilon),
                  "delta_given", noisy ? report_figure(o->delta) : json_null(), "neighbours",
                  noisy ? dperm_neighbours_name(o->neighbours) : NULL, "runs",
                  (json_int_t)line->runs, "impossible", json_words(line->impossible));
    for (size_t k = 0; k < figure_names(table)->count; k++) {
      const figure_name *f = &figure_names(table)->list[k];
      (void)json_object_set_new(cell, f->name, report_figure(figure_at(line, f)));
    }
    (void)json_array_append_new(cells, cell);
  }
  (void)json_dumpf(cells, out, JSON_INDENT(2) | JSON_ENSURE_ASCII);
  (void)fputc('\n', out);
}

static void put_field(FILE *out, double value) {
  fprintf(out, isfinite(value) ? ",%.6f" : ",", value);
}

void sweep_print_csv(const sweep_table *table, FILE *out) {
  enum { BEFORE_RUNS = 2 };
  const figure_list *figures = figure_names(table);
  fprintf(out, "loss,mechanism,noise,lambda,epsilon");
  for (size_t k = 0; k < figures->count; k++) {
    fprintf(out, "%s,%s", k == BEFORE_RUNS ? ",runs" : "", figures->list[k].name);
  }
  (void)fputc('\n', out);
  for (size_t i = 0; i < table->count; i++) {
    const sweep_line *line = &table->lines[i];
    fprintf(out, "%s,%s,%s,%s,%s", line->loss, line->mechanism, line->noise,
            line->lambda_given.text, line->epsilon_given.text);
    for (size_t k = 0; k < figures->count; k++) {
      if (k == BEFORE_RUNS) {
        fprintf(out, ",%zu", line->runs);
      }
      put_field(out, figure_at(line, &figures->list[k]));
    }
    (void)fputc('\n', out);
  }
}
