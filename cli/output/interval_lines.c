/* The intervals of a model's slopes, as lines and as a table of the page. */
#include <math.h>
#include <string.h>

#include "output/explained.h"

enum { NAME_SIZE = 300, NAME_WIDTH = 34 };
static const char heading[] = "95 percent intervals of the slopes";

/* "job: nurse, not farmer", "age, per 1 of log(1 + x)". */
static void name_row(const json_t *row, char out[NAME_SIZE]) {
  const char *name = report_text(row, "name"), *value = report_text(row, "value"),
             *against = report_text(row, "against"), *per = report_text(row, "per");
  if (value) {
    (void)snprintf(out, NAME_SIZE, "%.80s: %.80s, not %.80s", name, value, against);
  } else {
    (void)snprintf(out, NAME_SIZE, "%.80s, per %.80s", name, per ? per : "1");
  }
}

/* The draws have no smaller one. */
typedef struct p_text {
  char text[16];
} p_text;
static p_text p_words(const json_t *row) {
  const double p = report_number(row, "p");
  p_text out;
  (void)snprintf(out.text, sizeof out.text, p < 0.0005 ? "<.0005" : "%.2g", p);
  return out;
}

static bool has_odds(const json_t *list) {
  const json_t *row;
  size_t i;
  bool odds = false;
  json_array_foreach(list, i, row) {
    odds = odds || json_is_object(json_object_get(row, "odds_ratio"));
  }
  return odds;
}

/* What to do about columns that have none; empty where all have. */
static explain_head advice(const json_t *list) {
  const json_t *row;
  explain_head out = {""};
  size_t i, none = 0;
  json_array_foreach(list, i, row) {
    none += report_text(row, "refused") != NULL;
  }
  if (none > 0) {
    (void)snprintf(
        out.text, sizeof out.text,
        "%zu of %zu have none: more records or a larger epsilon would help, and so would "
        "fewer columns, rare values in groups, and ranges that are used",
        none, json_array_size(list));
  }
  return out;
}

void explain_intervals_text(FILE *out, const json_t *report) {
  const json_t *list = json_object_get(json_object_get(report, "intervals"), "columns"), *row;
  size_t i;
  char name[NAME_SIZE];
  if (!list) {
    return;
  }
  fprintf(out, "\n%s, for noise and sampling together\n%-*s %10s %9s %10s %10s %7s %5s\n", heading,
          NAME_WIDTH, "", "effect", "std.err.", "from", "to", "p", "noise");
  json_array_foreach(list, i, row) {
    const char *refused = report_text(row, "refused");
    name_row(row, name);
    const visible_text shown = visible(name);
    if (strlen(shown.text) > NAME_WIDTH) { /* figures stand below */
      fprintf(out, "%s\n%-*s ", shown.text, NAME_WIDTH, "");
    } else {
      fprintf(out, "%-*s ", NAME_WIDTH, shown.text);
    }
    if (refused) {
      fprintf(out, "none: %s\n", refused);
    } else {
      fprintf(out, "%10.4g %9.3g %10.4g %10.4g %7s %4.0f%%\n", report_number(row, "estimate"),
              report_number(row, "standard_error"), report_number(row, "low"),
              report_number(row, "high"), p_words(row).text,
              100 * report_number(row, "noise_share"));
    }
  }
  const explain_head none = advice(list);
  if (*none.text) {
    fprintf(out, "%s\n", none.text);
  }
}

static void put_figures(FILE *out, const json_t *row, bool odds) {
  static const char *const keys[] = {"estimate", "standard_error", "low", "high"};
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
    fprintf(out, "<td>%.4g</td>", report_number(row, keys[k]));
  }
  if (odds) {
    const json_t *ratio = json_object_get(row, "odds_ratio");
    fprintf(out, "<td>%.3g (%.3g to %.3g)</td>", report_number(ratio, "value"),
            report_number(ratio, "low"), report_number(ratio, "high"));
  }
  fputs("<td>", out);
  put_html(out, p_words(row).text);
  fprintf(out, "</td><td>%.0f %%</td>", 100 * report_number(row, "noise_share"));
}

void explain_intervals_page(FILE *out, const json_t *report) {
  const json_t *list = json_object_get(json_object_get(report, "intervals"), "columns"), *row;
  const bool odds = has_odds(list);
  size_t i;
  char name[NAME_SIZE];
  if (!list) {
    return;
  }
  fprintf(out,
          "<h2>%s</h2>\n<p>For the population that the records are a sample of, for noise and "
          "sampling together; <em>noise</em> is what of the variance is privacy's.</p>\n<table><tr>"
          "<th></th><th>effect</th><th>std. error</th><th>from</th><th>to</th>%s<th>p</th>"
          "<th>noise</th></tr>\n",
          heading, odds ? "<th>odds ×</th>" : "");
  json_array_foreach(list, i, row) {
    const char *refused = report_text(row, "refused");
    name_row(row, name);
    fputs(refused ? "<tr class=\"g\"><td>" : "<tr><td>", out);
    put_html(out, name);
    fputs("</td>", out);
    if (refused) {
      fprintf(out, "<td colspan=\"%d\">none: %s</td>", odds ? 7 : 6, refused);
    } else {
      put_figures(out, row, odds);
    }
    fputs("</tr>\n", out);
  }
  const explain_head none = advice(list);
  fprintf(out, *none.text ? "</table>\n<p>%s</p>\n" : "</table>\n%s", none.text);
}
