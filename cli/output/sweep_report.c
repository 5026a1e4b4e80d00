/* The page is written from top to bottom; gnuplot's SVG goes in as it is, so nothing is loaded from
 * elsewhere. */

#include "output/sweep_results.h"

#include <dperm/plan.h>
#include <math.h>

#include "output/atomic_file.h"
#include "output/handles.h"
#include "output/message.h"

static const char style[] =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;"
    "color:#222}h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2.2rem}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.9rem}"
    "th,td{padding:.25rem .7rem;text-align:right;border-bottom:1px solid #ddd}"
    "th:first-child,td:first-child{text-align:left}td.best{font-weight:700}"
    "td small{color:#777}pre{background:#f4f4f4;padding:.8rem;white-space:pre-wrap}"
    "figure{margin:1rem 0}figure svg{max-width:100%;height:auto}.wide{overflow-x:auto}";

static void put_text(FILE *out, const char *text) {
  for (; *text; text++) {
    const char *name = *text == '<'   ? "&lt;"
                       : *text == '>' ? "&gt;"
                       : *text == '&' ? "&amp;"
                                      : NULL;
    fputs(name ? name : (const char[2]){*text, '\0'}, out);
  }
}

/* A word as a shell reads it back. */
static void put_word(FILE *out, const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "-_./,:=+@%";
  if (*word && strspn(word, plain) == strlen(word)) {
    put_text(out, word);
    return;
  }
  fputc('\'', out);
  for (const char *c = word; *c; c++) {
    put_text(out, *c == '\'' ? "'\\''" : (const char[2]){*c, '\0'});
  }
  fputc('\'', out);
}

/* Encoded columns of the cells: bins may follow from epsilon. */
static void put_dims(FILE *out, const sweep_table *table, const sweep_story *s) {
  size_t least = SIZE_MAX, most = 0;
  for (size_t i = 0; i < table->count; i++) {
    size_t dims = table->lines[i].dims;
    least = table->lines[i].runs && dims < least ? dims : least;
    most = table->lines[i].runs && dims > most ? dims : most;
  }
  fprintf(out, "<p>%zu records in %zu", dperm_data_rows(s->data), least);
  if (most > least) {
    fprintf(out, " to %zu", most);
  }
  fprintf(out, " encoded columns. ");
}

static void put_beginning(FILE *out, const sweep_table *table, const sweep_story *s) {
  fprintf(out,
          "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width\">\n<title>dperm sweep</title>\n"
          "<style>%s</style>\n</head>\n<body>\n<h1>How often private models err</h1>\n",
          style);
  put_dims(out, table, s);
  if (s->test_data) {
    fprintf(out, "Models were fitted to all of them, and tested on %zu other records. ",
            dperm_data_rows(s->test_data));
  } else {
    fprintf(out,
            "%zu-fold cross-validation: each model was tested on records that it had not seen. ",
            s->folds);
  }
  fprintf(
      out,
      "Noise was drawn %zu times%s, from seed %llu, so that the figures can be made again: such "
      "models are for experiments on public data, and must not be released as private "
      "ones.</p>\n<pre>dperm sweep",
      s->draws, s->test_data ? "" : " in each fold", (unsigned long long)s->seed);
  for (size_t i = 0; s->words[i]; i++) {
    fputs(strncmp(s->words[i], "--", 2) == 0 ? " \\\n    " : " ", out);
    put_word(out, s->words[i]);
  }
  fprintf(out, "</pre>\n");
}

/* gnuplot's SVG without what may only stand at the beginning of a file of its own. */
static dperm_status put_picture(FILE *out, const sweep_table *table, sweep_axis axis,
                                double epsilon, dperm_error *err) {
  OWNED_STREAM FILE *picture = tmpfile();
  char line[4096];
  bool begun = false;
  TRY(sweep_picture_draw(table, axis, epsilon, NULL, picture, err));
  rewind(picture);
  fputs("<figure>\n", out);
  while (fgets(line, sizeof line, picture)) {
    begun = begun || strncmp(line, "<svg", 4) == 0;
    if (begun) {
      fputs(line, out);
    }
  }
  fputs("</figure>\n", out);
  return begun ? DPERM_OK : fail(err, DPERM_IO_ERROR, "gnuplot has not drawn an SVG");
}

static void put_cell(FILE *out, const sweep_line *line, const sweep_line *best) {
  if (!line || !line->runs) {
    fputs("<td>–</td>", out);
    return;
  }
  fprintf(out, "<td%s>%.4f", line == best ? " class=\"best\"" : "", line->error_mean);
  if (!isnan(line->error_se)) {
    fprintf(out, " <small>± %.4f</small>", line->error_se);
  }
  fputs("</td>", out);
}

/* A method's row: a cell for each Λ, then the automatic one; the best is in bold. */
static void put_method(FILE *out, const sweep_table *table, sweep_filter wanted,
                       const sweep_line *method, bool automatic) {
  char buffer[64];
  wanted.mechanism = method->mechanism;
  wanted.noise = method->noise;
  if (!sweep_is_private(method)) {
    wanted.epsilon = (double)NAN;
  }
  const sweep_line *best = sweep_best(table, &wanted);
  if (!best) {
    return;
  }
  fprintf(out, "<tr><td>%s</td>", sweep_method_name(method, buffer));
  wanted.automatic = 0;
  for (size_t i = 0; i < table->lambda_count; i++) {
    wanted.lambda = table->lambdas[i];
    put_cell(out, sweep_best(table, &wanted), best);
  }
  if (automatic) {
    wanted.automatic = 1;
    wanted.lambda = (double)NAN;
    const sweep_line *line = sweep_best(table, &wanted);
    put_cell(out, line, best);
    fprintf(out, line ? "<td>%.3g</td>" : "<td></td>", line ? line->lambda : 0);
  }
  fputs("</tr>\n", out);
}

static void put_heading(FILE *out, const char *text, double epsilon) {
  fprintf(out, isnan(epsilon) ? "<h2>%s</h2>\n" : "<h2>%s, ε = %g</h2>\n", text, epsilon);
}

/* As the paper's tables: methods down, Λ across, for one loss and one ε. */
static void put_table(FILE *out, const sweep_table *table, const char *loss, double epsilon) {
  sweep_filter wanted = sweep_anything, unasked = sweep_anything;
  wanted.loss = loss;
  wanted.epsilon = epsilon;
  unasked.automatic = 1;
  bool automatic = sweep_best(table, &unasked) != NULL;
  put_heading(out, loss, epsilon);
  fputs("<div class=\"wide\"><table>\n<tr><th>Λ</th>", out);
  for (size_t i = 0; i < table->lambda_count; i++) {
    fprintf(out, "<th>%.3g</th>", table->lambdas[i]);
  }
  fputs(automatic ? "<th>automatic</th><th>its value</th></tr>\n" : "</tr>\n", out);
  for (size_t i = 0; i < table->count; i++) {
    if (sweep_first_method(table, i)) {
      put_method(out, table, wanted, &table->lines[i], automatic);
    }
  }
  fputs("</table></div>\n", out);
}

/* The plan of a private cell that was possible, again from public numbers, for the rows of one fit;
 * false for others. */
static bool plan_of(const sweep_table *table, size_t i, const sweep_story *s, dperm_plan *out) {
  dperm_error err;
  size_t rows = dperm_data_rows(s->data);
  dperm_options options = table->options[i];
  options.bins =
      options.bins == DPERM_BINS_ASK ? DPERM_BINS_NONE : options.bins; /* as it was run */
  rows -= s->test_data ? 0 : rows / s->folds;
  return sweep_is_private(&table->lines[i]) && table->lines[i].runs &&
         (s->schema ? dperm_plan_for_schema(rows, s->schema, &options, out, &err)
                    : dperm_plan_make(rows, dperm_data_dims(s->data), 1, &options, out, &err)) ==
             DPERM_OK;
}

static void put_plans(FILE *out, const sweep_table *table, const sweep_story *s) {
  size_t count = 0;
  for (size_t i = 0; i < table->count; i++) {
    const sweep_line *line = &table->lines[i];
    dperm_plan p;
    char buffer[64];
    if (!plan_of(table, i, s, &p)) {
      continue;
    }
    fputs(count++ ? ""
                  : "<h2>What the plans said</h2>\n<p>From public numbers alone, before any record "
                    "was read "
                    "(<code>dperm plan</code>). Noise to signal above 1 means a model that is "
                    "mostly noise.</p>\n"
                    "<div class=\"wide\"><table>\n<tr><th>loss, "
                    "method</th><th>ε</th><th>Λ</th><th>Δ</th><th>β"
                    "</th><th>mean noise</th><th>95 % below</th><th>noise to signal</th><th>excess "
                    "objective, 95 "
                    "%</th></tr>\n",
          out);
    fprintf(out,
            "<tr><td>%s, %s</td><td>%g</td><td>%.3g%s</td><td>%.3g</td><td>%.4g</td><td>%.4g</td>"
            "<td>%.4g</td><td>%.3g</td><td>%.3g</td></tr>\n",
            line->loss, sweep_method_name(line, buffer), p.epsilon, p.lambda,
            line->automatic ? " (auto)" : "", p.delta_reg, p.beta, p.expected_noise_norm,
            p.noise_norm_q95, p.noise_to_signal, p.excess_objective_q95);
  }
  fputs(count ? "</table></div>\n" : "", out);
}

static dperm_status put_findings(FILE *out, const sweep_table *table, dperm_error *err) {
  if (table->epsilon_count > 1) {
    fputs("<h2>Error against ε</h2>\n<p>Best Λ: the one with the smallest error in the tables "
          "below, so chosen on the test records; automatic Λ: chosen from public numbers.</p>\n",
          out);
    TRY(put_picture(out, table, AXIS_EPSILON, (double)NAN, err));
  }
  size_t e = 0;
  do { /* once without any ε */
    double epsilon = table->epsilon_count ? table->epsilons[e] : (double)NAN;
    if (table->lambda_count > 1) {
      put_heading(out, "Error against Λ", epsilon);
      TRY(put_picture(out, table, AXIS_LAMBDA, epsilon, err));
    }
    for (size_t i = 0; i < table->count; i++) {
      if (sweep_first_loss(table, i)) {
        put_table(out, table, table->lines[i].loss, epsilon);
      }
    }
  } while (++e < table->epsilon_count);
  return DPERM_OK;
}

dperm_status sweep_report_write(const sweep_table *table, const sweep_story *story,
                                const char *path, dperm_error *err) {
  OWNED(atomic_file_discard) atomic_file file = {0};
  TRY(atomic_file_open(path, &file, err));
  put_beginning(file.stream, table, story);
  TRY(put_findings(file.stream, table, err));
  put_plans(file.stream, table, story);
  fprintf(file.stream, "<p>± is one standard error. Made by dperm %s.</p>\n</body>\n</html>\n",
          dperm_version());
  return atomic_file_commit(&file, err);
}
