/* An explanation as a page that needs nothing else: a card for each column with its picture and a
 * table, those that say most first and the grey ones last. */
#include <math.h>

#include "output/explained.h"

static const char style[] =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:74rem;margin:1.5rem auto;padding:0 .8rem;"
    "color:#222;overflow-wrap:anywhere}h1{font-size:1.5rem;margin:.2rem 0}h2{font-size:1.2rem}"
    "h3{font-size:1rem;margin:0 0 .3rem}.lead{border-left:4px solid #24508c;background:#f2f5fa;"
    "padding:.5rem .8rem}"
    ".cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,21rem),1fr));"
    "gap:.9rem;align-items:start}"
    ".card{border:1px solid #ddd;border-radius:6px;padding:.6rem .7rem;break-inside:avoid}"
    "h3.q{color:#6b6b6b}svg{width:100%;max-width:26rem;height:auto;display:block}"
    "svg text.t{font:11px system-ui,sans-serif;fill:#333}svg text.g{fill:#6b6b6b}"
    "rect.b,path.b{fill:#ececec}rect.g{fill:#a9a9a9}rect.p{fill:#0072b2}rect.n{fill:#d55e00}"
    "path.lg,path.lp,path.ln{stroke:#a9a9a9;stroke-width:2.5;fill:none}path.lp{stroke:#0072b2}"
    "path.ln{stroke:#d55e00}rect.x{stroke:#000;stroke-width:1.5}path.x{stroke-width:4}line.z{"
    "stroke:#555;stroke-width:1}"
    "table{border-collapse:collapse;font-size:.82rem;font-variant-numeric:tabular-nums;"
    "width:100%}th,td{padding:.12rem .3rem;text-align:right;border-bottom:1px solid #eee}"
    "th:first-child,td:first-child{text-align:left}tr.g td{color:#6b6b6b}summary{cursor:pointer;"
    "color:#555;font-size:.85rem}.key{display:inline-block;width:.8em;height:.8em;"
    "margin:0 .25em 0 .7em}"
    "@media print{body{font-size:11px;margin:0}.cards{grid-template-columns:repeat(3,1fr)}"
    "*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}";

static void put_number(FILE *out, double value, const char *format) {
  fputs("<td>", out);
  if (isnan(value)) {
    fputs("–", out);
  } else {
    /* the formats are the constants below */
    fprintf(out,
            strcmp(format, "+") == 0   ? "%+.3g"
            : strcmp(format, "%") == 0 ? "%.2g %%"
                                       : "%.3g",
            value);
  }
  fputs("</td>", out);
}

static void put_row(FILE *out, const json_t *level, bool odds, double by) {
  const json_t *values = json_object_get(level, "values"), *value;
  const double effect = report_number(level, "effect");
  size_t i;
  fprintf(out, effect_kind_of(level) == EFFECT_GREY ? "<tr class=\"g\"><td>" : "<tr><td>");
  put_html(out, report_text(level, "name"));
  json_array_foreach(values, i, value) {
    fputs(i > 0 ? ", " : ": ", out);
    put_html(out, json_string_value(value));
  }
  fputs("</td>", out);
  put_number(out, effect, "+");
  put_number(out, report_number(level, "noise"), "");
  if (odds) {
    put_number(out, exp(by * effect), "");
  }
  put_number(out, 100 * report_number(level, "share_needed"), "%");
  fprintf(out, "<td>%s</td></tr>\n", report_text(level, "verdict"));
}

static void put_table(FILE *out, const json_t *report, const json_t *column) {
  const json_t *line = json_object_get(column, "line"), *levels = json_object_get(column, "levels"),
               *level;
  const bool odds = strcmp(report_text(report, "scale"), "log-odds") == 0;
  const double by = report_number(report, "inverse_temperature");
  size_t i;
  fprintf(out,
          "<details><summary>table</summary><table><tr><th></th><th>effect</th><th>noise "
          "±</th>%s<th>if it holds</th><th></th></tr>\n",
          odds ? "<th>odds ×</th>" : "");
  if (line) {
    put_row(out, line, odds, by);
  }
  json_array_foreach(levels, i, level) {
    put_row(out, level, odds, by);
  }
  fputs("</table>", out);
  if (report_text(column, "reference")) {
    fputs("<p>Beside the reference: ", out);
    put_html(out, report_text(column, "reference"));
    fputs("</p>", out);
  }
  fputs("</details>\n", out);
}

static void put_card(FILE *out, const json_t *report, const json_t *column) {
  const size_t shown = explain_shown(column);
  fprintf(out, "<section class=\"card\"><h3%s>", shown > 0 ? "" : " class=\"q\"");
  put_html(out, report_text(column, "name"));
  fputs(explain_unexamined(column) ? " (not examined)</h3>\n"
        : shown > 0                ? "</h3>\n"
                                   : " (grey)</h3>\n",
        out);
  explain_picture(out, column, report_number(report, "deviations"));
  put_table(out, report, column);
  fputs("</section>\n", out);
}

static void put_output(FILE *out, const json_t *report, const json_t *output) {
  const json_t *columns = json_object_get(output, "columns"), *column;
  size_t i;
  fputs("<h2>Effects on the ", out);
  put_html(out, explain_scale_of(report, output).text);
  fputs("</h2>\n<div class=\"cards\">\n", out);
  json_array_foreach(columns, i, column) {
    put_card(out, report, column);
  }
  fputs("</div>\n", out);
}

static void put_sentences(FILE *out, const char *heading, const json_t *list) {
  const json_t *sentence;
  size_t i;
  if (json_array_size(list) > 0) {
    fprintf(out, "<h2>%s</h2>\n<ul>\n", heading);
    json_array_foreach(list, i, sentence) {
      fputs("<li>", out);
      put_html(out, json_string_value(sentence));
      fputs("</li>\n", out);
    }
    fputs("</ul>\n", out);
  }
}

static void put_key(FILE *out) {
  fputs("<p><span class=\"key\" style=\"background:#0072b2;margin-left:0\"></span>raises it"
        "<span class=\"key\" style=\"background:#d55e00\"></span>lowers it"
        "<span class=\"key\" style=\"background:#a9a9a9\"></span>grey: cannot be told from the "
        "privacy noise"
        "<span class=\"key\" style=\"background:#ececec\"></span>as far as that noise goes alone; "
        "outlined: beyond it, whatever the records are. "
        "Effects are beside the middle of the column or its reference; in tables, <em>if it "
        "holds</em> is the part of the records that a level must hold to stand out.</p>\n",
        out);
}

dperm_status explain_page(const json_t *report, const char *name, char **page, dperm_error *err) {
  const json_t *outputs = json_object_get(report, "outputs"), *output;
  size_t length = 0, i;
  FILE *out = open_memstream(page, &length);
  RETURN_IF(!out, out_of_memory(err));
  fprintf(out,
          "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
          "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>What the "
          "model says</title>\n<style>%s</style>\n</head>\n<body>\n<h1>What the model says</h1>\n"
          "<p class=\"lead\">",
          style);
  put_html(out, name);
  fputs(": ", out);
  put_html(out, explain_head_of(report).text);
  fputs(".</p>\n", out);
  if (outputs) {
    put_key(out);
  }
  json_array_foreach(outputs, i, output) {
    put_output(out, report, output);
  }
  explain_intervals_page(out, report);
  put_sentences(out, "Assumed", json_object_get(report, "assumed"));
  put_sentences(out, "Not examined", json_object_get(report, "not_examined"));
  fprintf(out, "<p>Made from the released model alone, which costs no privacy, by dperm %s.</p>\n",
          dperm_version());
  fputs("</body>\n</html>\n", out);
  return fclose(out) == 0 ? DPERM_OK : out_of_memory(err);
}
