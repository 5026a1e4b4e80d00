/* The page is written from top to bottom; gnuplot's SVG goes in as it is, so nothing is loaded from
 * elsewhere. */
#include "sweep_report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"
#include "sweep_picture.h"
#include "whole_file.h"

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
    switch (*text) {
    case '<':
      fputs("&lt;", out);
      break;
    case '>':
      fputs("&gt;", out);
      break;
    case '&':
      fputs("&amp;", out);
      break;
    default:
      fputc(*text, out);
    }
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
    if (*c == '\'') {
      fputs("'\\''", out);
    } else {
      put_text(out, (const char[2]){*c, '\0'});
    }
  }
  fputc('\'', out);
}

static void put_beginning(FILE *out, const sweep_story *s) {
  fprintf(out,
          "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width\">\n<title>dperm sweep</title>\n"
          "<style>%s</style>\n</head>\n<body>\n<h1>How often private models err</h1>\n",
          style);
  fprintf(out, "<p>%zu records in %zu encoded columns. ", s->rows, s->dims);
  if (s->test_rows) {
    fprintf(out, "Models were fitted to all of them, and tested on %zu other records. ",
            s->test_rows);
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
      s->draws, s->test_rows ? "" : " in each fold", (unsigned long long)s->seed);
  for (size_t i = 0; s->words[i]; i++) {
    fputs(strncmp(s->words[i], "--", 2) == 0 ? " \\\n    " : " ", out);
    put_word(out, s->words[i]);
  }
  fprintf(out, "</pre>\n");
}

/* gnuplot's SVG without what may only stand at the beginning of a file of its own. */
static bool put_picture(FILE *out, const sweep_table *table, sweep_axis axis, double epsilon) {
  FILE *picture = tmpfile();
  char line[4096];
  bool begun = false;
  if (!picture) {
    (void)complain("cannot prepare a picture: %s", strerror(errno));
    return false;
  }
  if (!sweep_picture_draw(table, axis, epsilon, PICTURE_SVG, picture)) {
    fclose(picture);
    return false;
  }
  rewind(picture);
  fputs("<figure>\n", out);
  while (fgets(line, sizeof line, picture)) {
    begun = begun || strncmp(line, "<svg", 4) == 0;
    if (begun) {
      fputs(line, out);
    }
  }
  fputs("</figure>\n", out);
  fclose(picture);
  return begun;
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
                       const sweep_line *method, const double *lambdas, size_t count,
                       bool automatic) {
  char buffer[64];
  wanted.mechanism = method->mechanism;
  wanted.noise = method->noise;
  if (isnan(method->epsilon)) {
    wanted.epsilon = (double)NAN;
  }
  const sweep_line *best = sweep_best(table, &wanted);
  if (!best) {
    return;
  }
  fputs("<tr><td>", out);
  put_text(out, sweep_method_name(method, buffer));
  fputs("</td>", out);
  for (size_t i = 0; i < count; i++) {
    sweep_filter one = wanted;
    one.lambda = lambdas[i];
    one.automatic = 0;
    put_cell(out, sweep_best(table, &one), best);
  }
  if (automatic) {
    wanted.automatic = 1;
    const sweep_line *line = sweep_best(table, &wanted);
    put_cell(out, line, best);
    fprintf(out, line ? "<td>%.3g</td>" : "<td></td>", line ? line->lambda : 0);
  }
  fputs("</tr>\n", out);
}

/* As the paper's tables: methods down, Λ across, for one loss and one ε. */
static void put_table(FILE *out, const sweep_table *table, const char *loss, double epsilon,
                      const double *lambdas, size_t count) {
  sweep_filter wanted = sweep_anything, unasked = sweep_anything;
  wanted.loss = loss;
  wanted.epsilon = epsilon;
  unasked.automatic = 1;
  bool automatic = sweep_best(table, &unasked) != NULL;
  fputs("<h2>", out);
  put_text(out, loss);
  if (!isnan(epsilon)) {
    fprintf(out, ", ε = %g", epsilon);
  }
  fputs("</h2>\n<div class=\"wide\"><table>\n<tr><th>Λ</th>", out);
  for (size_t i = 0; i < count; i++) {
    fprintf(out, "<th>%.3g</th>", lambdas[i]);
  }
  fprintf(out, automatic ? "<th>automatic</th><th>which is</th></tr>\n" : "</tr>\n");
  for (size_t i = 0; i < table->count; i++) {
    if (sweep_first_method(table, i)) {
      put_method(out, table, wanted, &table->lines[i], lambdas, count, automatic);
    }
  }
  fputs("</table></div>\n", out);
}

static void put_plans(FILE *out, const sweep_table *table, const sweep_story *s) {
  if (s->plan_count == 0) {
    return;
  }
  fputs(
      "<h2>What the plans said</h2>\n<p>From public numbers alone, before any record was read "
      "(<code>dperm plan</code>). Noise to signal above 1 means a model that is mostly noise.</p>\n"
      "<div class=\"wide\"><table>\n<tr><th>loss, method</th><th>ε</th><th>Λ</th><th>Δ</th><th>β"
      "</th><th>mean noise</th><th>95 % below</th><th>noise to signal</th><th>excess objective, 95 "
      "%</th></tr>\n",
      out);
  for (size_t i = 0; i < s->plan_count; i++) {
    const sweep_line *line = &table->lines[s->plan_lines[i]];
    const dperm_plan *p = &s->plans[i];
    char buffer[64];
    fputs("<tr><td>", out);
    put_text(out, line->loss);
    fputs(", ", out);
    put_text(out, sweep_method_name(line, buffer));
    fprintf(out,
            "</td><td>%g</td><td>%.3g%s</td><td>%.3g</td><td>%.4g</td><td>%.4g</td><td>%.4g</td>"
            "<td>%.3g</td><td>%.3g</td></tr>\n",
            p->epsilon, p->lambda, line->automatic ? " (auto)" : "", p->delta_reg, p->beta,
            p->expected_noise_norm, p->noise_norm_q95, p->noise_to_signal, p->excess_objective_q95);
  }
  fputs("</table></div>\n", out);
}

static bool put_findings(FILE *out, const sweep_table *table) {
  size_t epsilons_count = 0, lambdas_count = 0;
  double *epsilons = sweep_epsilons(table, &epsilons_count);
  double *lambdas = sweep_lambdas(table, &lambdas_count);
  bool written = epsilons && lambdas;
  if (written && epsilons_count > 1) {
    fputs("<h2>Error against ε</h2>\n<p>Best Λ: the one with the smallest error in the tables "
          "below, so chosen on the test records; automatic Λ: chosen from public numbers.</p>\n",
          out);
    written = put_picture(out, table, AXIS_EPSILON, (double)NAN);
  }
  for (size_t e = 0; written && e < (epsilons_count ? epsilons_count : 1); e++) {
    double epsilon = epsilons_count ? epsilons[e] : (double)NAN;
    if (lambdas_count > 1) {
      fputs("<h2>Error against Λ", out);
      if (epsilons_count) {
        fprintf(out, ", ε = %g", epsilon);
      }
      fputs("</h2>\n", out);
      written = put_picture(out, table, AXIS_LAMBDA, epsilon);
    }
    for (size_t i = 0; i < table->count; i++) {
      if (sweep_first_loss(table, i)) {
        put_table(out, table, table->lines[i].loss, epsilon, lambdas, lambdas_count);
      }
    }
  }
  free(epsilons);
  free(lambdas);
  return written;
}

bool sweep_report_write(const sweep_table *table, const sweep_story *story, const char *path) {
  whole_file file;
  dperm_error err;
  if (whole_file_open(path, &file, &err) != DPERM_OK) {
    return report_error(&err) == 0;
  }
  put_beginning(file.stream, story);
  if (!put_findings(file.stream, table)) {
    whole_file_discard(&file);
    return false;
  }
  put_plans(file.stream, table, story);
  fprintf(file.stream, "<p>± is one standard error. Made by dperm %s.</p>\n</body>\n</html>\n",
          dperm_version());
  return whole_file_commit(&file, &err) == DPERM_OK || report_error(&err) == 0;
}
