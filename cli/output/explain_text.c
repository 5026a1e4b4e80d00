/* An explanation for a terminal: a line for each column, the one that says most first, with its
 * strongest levels; what is grey comes last, by name alone. */
#include <math.h>

#include "output/explained.h"

enum { NAME_WIDTH = 22, LINE_WIDTH = 100, LEVEL_SIZE = 160, LEVELS_SHOWN = 4 };

/* ---- what the forms have in common */

effect_kind effect_kind_of(const json_t *level) {
  const char *verdict = report_text(level, "verdict");
  return !verdict || strcmp(verdict, "grey") == 0   ? EFFECT_GREY
         : strcmp(verdict, "beyond the noise") == 0 ? EFFECT_BEYOND
                                                    : EFFECT_SHOWN;
}

size_t explain_shown(const json_t *column) {
  const json_t *line = json_object_get(column, "line"), *levels = json_object_get(column, "levels"),
               *level;
  size_t count = line && effect_kind_of(line) != EFFECT_GREY, i;
  json_array_foreach(levels, i, level) {
    count += effect_kind_of(level) != EFFECT_GREY;
  }
  return count;
}

static int in_rank(const void *a, const void *b) {
  const ranked_level *x = a, *y = b;
  const int grey = (effect_kind_of(x->level) == EFFECT_GREY) -
                   (effect_kind_of(y->level) == EFFECT_GREY),
            apart = (x->size < y->size) - (x->size > y->size);
  return grey ? grey : apart ? apart : x->place < y->place ? -1 : 1;
}

ranked_level *explain_ranked(const json_t *levels) {
  const size_t count = json_array_size(levels);
  ranked_level *out = calloc(count + 1, sizeof *out);
  for (size_t i = 0; out && i < count; i++) {
    const json_t *level = json_array_get(levels, i);
    const double size = fabs(report_number(level, "effect"));
    out[i] = (ranked_level){level, isfinite(size) ? size : 0, i};
  }
  if (out) {
    qsort(out, count, sizeof *out, in_rank);
  }
  return out;
}

bool explain_unexamined(const json_t *column) {
  const char *verdict =
      report_text(json_array_get(json_object_get(column, "levels"), 0), "verdict");
  return verdict && strcmp(verdict, "not examined") == 0;
}

explain_head explain_head_of(const json_t *report) {
  explain_head out = {""};
  const double examined = report_number(report, "examined"),
               standing = report_number(report, "standing_out"),
               beyond = report_number(report, "beyond_the_noise");
  char how[64] = "none is beyond all of it";
  if (isnan(examined)) {
    (void)snprintf(out.text, sizeof out.text, "a model with a kernel has no effects to show");
  } else if (isnan(report_number(report, "epsilon"))) {
    (void)snprintf(out.text, sizeof out.text, "no privacy noise: all %.0f effects are shown",
                   report_number(report, "weights"));
  } else {
    if (beyond > 0) {
      (void)snprintf(how, sizeof how, "%.0f %s beyond all of it", beyond,
                     beyond > 1 ? "are" : "is");
    }
    (void)snprintf(out.text, sizeof out.text,
                   "%.0f of %.0f effects stand out from the privacy noise (epsilon %g); %s",
                   standing, examined, report_number(report, "epsilon"), how);
  }
  return out;
}

explain_head explain_scale_of(const json_t *report, const json_t *output) {
  explain_head out = {""};
  (void)snprintf(out.text, sizeof out.text, "%s of \"%.120s\"", report_text(report, "scale"),
                 visible(report_text(output, "class")).text);
  return out;
}

/* ---- lines */

/* "Divorced -0.83 (1.7 %)", with what it must hold, or "!" behind what is beyond the noise. */
static void level_words(const json_t *level, char out[LEVEL_SIZE]) {
  const double share = 100 * report_number(level, "share_needed");
  char needed[32] = "";
  if (share > 0) {
    (void)snprintf(needed, sizeof needed, " (%.2g %%)", share);
  }
  (void)snprintf(out, LEVEL_SIZE, "%.100s %+.3g%s", visible(report_text(level, "name")).text,
                 report_number(level, "effect"),
                 effect_kind_of(level) == EFFECT_BEYOND ? "!" : needed);
}

/* "+2.1 from 0 to 100" */
static void line_words(const json_t *line, char out[LEVEL_SIZE]) {
  (void)snprintf(out, LEVEL_SIZE, "%+.3g%s from %g to %g%s", report_number(line, "effect"),
                 effect_kind_of(line) == EFFECT_BEYOND ? "!" : "", report_number(line, "low"),
                 report_number(line, "high"),
                 report_text(line, "transform") ? " (logarithmic)" : "");
}

/* Appends an item, unless the line is full: then it only counts. */
static void put_item(FILE *out, const char *item, size_t *used, size_t *left) {
  const size_t length = strlen(item) + 2;
  if (*used > 0 && *used + length > LINE_WIDTH - NAME_WIDTH) {
    (*left)++;
    return;
  }
  fprintf(out, "%s%s", *used > 0 ? ", " : "", item);
  *used += length;
}

static dperm_status put_column(FILE *out, const json_t *column, dperm_error *err) {
  const json_t *line = json_object_get(column, "line"), *levels = json_object_get(column, "levels");
  const bool lined = line && effect_kind_of(line) != EFFECT_GREY;
  const size_t all = json_array_size(levels), shown = explain_shown(column), count = shown - lined;
  OWNED_MEMORY ranked_level *ranked = explain_ranked(levels);
  size_t used = 0, left = 0;
  char item[LEVEL_SIZE];
  RETURN_IF(!ranked, out_of_memory(err));
  fprintf(out, "%-*.*s ", NAME_WIDTH - 1, 60, visible(report_text(column, "name")).text);
  if (lined) {
    line_words(line, item);
    put_item(out, item, &used, &left);
  }
  for (size_t i = 0; i < count; i++) {
    level_words(ranked[i].level, item);
    if (i < LEVELS_SHOWN) {
      put_item(out, item, &used, &left);
    } else {
      left++;
    }
  }
  if (left > 0) {
    fprintf(out, ", %zu more", left);
  }
  const size_t grey = all + (line != NULL) - shown;
  if (grey > 0) {
    fprintf(out, "; %zu grey", grey);
  }
  fputs(explain_unexamined(column) ? "; not examined\n" : "\n", out);
  return DPERM_OK;
}

static void put_grey(FILE *out, const json_t *columns) {
  const json_t *column;
  size_t i, used = NAME_WIDTH, count = 0;
  json_array_foreach(columns, i, column) {
    if (explain_shown(column) > 0) {
      continue;
    }
    const visible_text name = visible(report_text(column, "name"));
    fprintf(out, "%s", count == 0 ? "grey                  " : ", ");
    if (count > 0 && used + strlen(name.text) > LINE_WIDTH) {
      fprintf(out, "\n%*s", NAME_WIDTH, "");
      used = NAME_WIDTH;
    }
    fputs(name.text, out);
    used += strlen(name.text) + 2;
    count++;
  }
  if (count > 0) {
    fputc('\n', out);
  }
}

static dperm_status put_output(FILE *out, const json_t *report, const json_t *output,
                               dperm_error *err) {
  const json_t *columns = json_object_get(output, "columns"), *column,
               *intercept = json_object_get(output, "intercept");
  size_t i;
  fprintf(out, "\neffects on the %s", explain_scale_of(report, output).text);
  fputs(", each beside the middle of its column or its reference", out);
  fputs(
      strcmp(report_text(report, "mechanism"), "objective") == 0
          ? ";\nin brackets the part of the records that must have the value for it to stand out\n"
          : "\n",
      out);
  json_array_foreach(columns, i, column) {
    if (explain_shown(column) > 0) {
      TRY(put_column(out, column, err));
    }
  }
  put_grey(out, columns);
  if (json_is_object(intercept)) {
    fprintf(out, "%-*s%+.3g%s\n", NAME_WIDTH, report_text(intercept, "name"),
            report_number(intercept, "effect"),
            effect_kind_of(intercept) == EFFECT_GREY ? ", grey" : "");
  }
  return DPERM_OK;
}

/* Broken between words. */
static void put_sentence(FILE *out, const char *text) {
  size_t used = 2;
  fputs("- ", out);
  while (*text) {
    const size_t length = strcspn(text, " ");
    const bool full = used + length > LINE_WIDTH;
    fprintf(out, "%s%.*s", used == 2 ? "" : full ? "\n  " : " ", (int)length, text);
    used = (full ? 2 : used) + length + 1;
    text += length + (text[length] == ' ');
  }
  fputc('\n', out);
}

static void put_sentences(FILE *out, const char *heading, const json_t *list) {
  const json_t *sentence;
  size_t i;
  if (json_array_size(list) > 0) {
    fprintf(out, "\n%s\n", heading);
  }
  json_array_foreach(list, i, sentence) {
    put_sentence(out, json_string_value(sentence));
  }
}

dperm_status explain_text(const json_t *report, const char *name, char **page, dperm_error *err) {
  const json_t *outputs = json_object_get(report, "outputs"), *output;
  size_t length = 0, i;
  FILE *out = open_memstream(page, &length);
  dperm_status status = out ? DPERM_OK : out_of_memory(err);
  if (!out) {
    return status;
  }
  fprintf(out, "%s: %s%s\n", visible(name).text, explain_head_of(report).text,
          report_number(report, "beyond_the_noise") > 0 ? " (!)" : "");
  json_array_foreach(outputs, i, output) {
    status = status == DPERM_OK ? put_output(out, report, output, err) : status;
  }
  explain_intervals_text(out, report);
  put_sentences(out, "assumed", json_object_get(report, "assumed"));
  put_sentences(out, "not examined", json_object_get(report, "not_examined"));
  return fclose(out) == 0 ? status : out_of_memory(err);
}
