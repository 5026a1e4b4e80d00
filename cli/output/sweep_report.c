/* The page, from top to bottom, with gnuplot's SVG in it: nothing is loaded from elsewhere. */
#include "output/sweep_results.h"

#include <math.h>

#include "output/handles.h"

static const char style[] =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 "
    "1rem;color:#222}h1{font-size:1.6rem}table{border-collapse:collapse;font-variant-numeric:"
    "tabular-nums;font-size:.9rem}th,td{padding:.25rem .7rem;text-align:right;border-bottom:1px "
    "solid #ddd}th:first-child,td:first-child{text-align:left}td.best{font-weight:700}td "
    "small{color:#777}pre{background:#f4f4f4;padding:.8rem;white-space:pre-wrap}figure{margin:1rem "
    "0}figure svg{max-width:100%;height:auto}";

static void put_text(FILE *out, const char *text) {
  for (; *text; text++) {
    const char *name = *text == '<'   ? "&lt;"
                       : *text == '>' ? "&gt;"
                       : *text == '&' ? "&amp;"
                                      : NULL;
    fputs(name ? name : (const char[2]){*text, '\0'}, out);
  }
}

static void put_beginning(FILE *out, const sweep_story *s, bool numbers) {
  fprintf(out,
          "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width\">\n<title>dperm sweep</title>\n"
          "<style>%s</style>\n</head>\n<body>\n<h1>How %s private models err</h1>\n"
          "<p>%zu records. ",
          style, numbers ? "far" : "often", dperm_data_rows(s->data));
  if (s->test_data) {
    fprintf(out, "Models were fitted to all of them, and tested on %zu other records. ",
            dperm_data_rows(s->test_data));
  } else {
    fprintf(out,
            "%zu-fold cross-validation: each model was tested on records that it had not seen. ",
            s->folds);
  }
  fprintf(out,
          "Noise was drawn %zu times%s, from seed %llu, so that the figures can be made again: "
          "such models are for experiments on public data, and must not be released as private "
          "ones.</p>\n<pre>dperm sweep",
          s->draws, s->test_data ? "" : " in each fold", (unsigned long long)s->seed);
  for (size_t i = 0; s->words[i]; i++) {
    fputs(strncmp(s->words[i], "--", 2) == 0 ? " \\\n    " : " ", out);
    put_text(out, s->words[i]);
  }
  fprintf(out, "</pre>\n");
}

/* Whether no other Λ of the same method and ε is better. */
static bool is_best(const sweep_table *table, const sweep_line *line) {
  const double cost = sweep_cost(table, sweep_figure_of(table, line)->mean);
  for (size_t i = 0; i < table->count; i++) {
    const sweep_line *other = &table->lines[i];
    const double other_cost = sweep_cost(table, sweep_figure_of(table, other)->mean);
    if (sweep_same_method(other, line) &&
        strcmp(other->epsilon_given.text, line->epsilon_given.text) == 0 &&
        (other < line ? !(other_cost > cost) : other_cost < cost)) {
      return false; /* of two alike, the first */
    }
  }
  return true;
}

static void put_figure(FILE *out, const struct sweep_figure *f, bool best) {
  if (isnan(f->mean)) {
    fputs("<td>–</td>", out);
    return;
  }
  fprintf(out, fabs(f->mean) < 10 ? "<td%s>%.4f" : "<td%s>%.6g", best ? " class=\"best\"" : "",
          f->mean);
  if (!isnan(f->se)) {
    fprintf(out, fabs(f->mean) < 10 ? " <small>± %.4f</small>" : " <small>± %.2g</small>", f->se);
  }
  fputs("</td>", out);
}

static void put_cells(FILE *out, const sweep_table *table) {
  char name[64];
  fprintf(out, "<table>\n<tr><th>loss, method</th><th>ε</th><th>Λ</th>%s<th>models</th></tr>\n",
          table->numbers ? "<th>RMSE</th><th>mean absolute error</th>"
                         : "<th>error</th><th>AUC</th><th>log loss</th>");
  for (size_t i = 0; i < table->count; i++) {
    const sweep_line *line = &table->lines[i];
    fprintf(out, "<tr><td>%s, %s</td><td>%s</td><td>", line->loss, sweep_method_name(line, name),
            line->epsilon_given.text);
    if (!isnan(line->lambda)) { /* of runs that ask, each has its own */
      fprintf(out, line->automatic ? "%.3g " : "%g", line->lambda);
    }
    fputs(line->automatic ? "(auto)</td>" : "</td>", out);
    for (size_t m = table->numbers ? METRIC_RMSE : METRIC_ERROR;
         m <= (table->numbers ? METRIC_MAE : METRIC_LOG_LOSS); m++) {
      const bool best = m == (size_t)table->metric && line->runs > 0 && is_best(table, line);
      put_figure(out, &line->figures[m], best);
    }
    fprintf(out, "<td>%zu</td></tr>\n", line->runs);
  }
  fputs("</table>\n", out);
}

dperm_status sweep_report_write(const sweep_table *table, const sweep_story *story, const char *svg,
                                const char *path, dperm_error *err) {
  OWNED_MEMORY char *page = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&page, &length);
  RETURN_IF(!out, out_of_memory(err));
  put_beginning(out, story, table->numbers);
  /* without what may only stand at the beginning of a file of its own */
  fprintf(out, "<figure>\n%s</figure>\n", strstr(svg, "<svg"));
  put_cells(out, table);
  if (table->numbers) {
    fprintf(out,
            "<p>Always saying the mean has a root of the mean square error of %.6g, always saying "
            "the median a mean absolute error of %.6g: a model that errs as far has learned "
            "nothing.",
            table->lines[0].figures[METRIC_RMSE].baseline,
            table->lines[0].figures[METRIC_MAE].baseline);
  } else {
    fprintf(out,
            "<p>Always naming the most frequent class is wrong for %.4f of the records: a model "
            "that errs as often has learned nothing at its threshold (always saying the same has "
            "an AUC of .5, and a log loss of %.4f).",
            table->lines[0].figures[METRIC_ERROR].baseline,
            table->lines[0].figures[METRIC_LOG_LOSS].baseline);
  }
  fprintf(out,
          " ± is one standard error; the best Λ of each method by "
          "%s is in bold, so chosen on the test records, where an automatic Λ comes from public "
          "numbers. Made by dperm %s.</p>\n</body>\n</html>\n",
          sweep_metric_words(table), dperm_version());
  return fclose(out) == 0 ? write_text(path, page, length, err) : out_of_memory(err);
}
