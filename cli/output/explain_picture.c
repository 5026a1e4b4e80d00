/* The shape of a column as SVG of its own: 340 units wide, which is a card of the page, on a phone
 * the whole of it. */
#include <math.h>

#include "output/explained.h"

enum { WIDTH = 340, LABEL = 132, ROW = 17, PLOT = 120, LEFT = 34, BARS_MOST = 24 };

/* ---- text */

void put_html(FILE *out, const char *text) {
  const visible_text shown = visible(text ? text : "");
  for (const char *at = shown.text; *at; at++) {
    const char *name = *at == '<'   ? "&lt;"
                       : *at == '>' ? "&gt;"
                       : *at == '&' ? "&amp;"
                       : *at == '"' ? "&quot;"
                                    : NULL;
    fputs(name ? name : (const char[2]){*at, '\0'}, out);
  }
}

void put_html_cut(FILE *out, const char *text, size_t most) {
  visible_text shown = visible(text ? text : "");
  size_t characters = 0;
  for (char *at = shown.text; *at; at++) {
    const bool begins = ((unsigned char)*at & 0xc0) != 0x80;
    if (begins && characters++ == most) {
      *at = '\0';
      put_html(out, shown.text);
      fputs("…", out);
      return;
    }
  }
  put_html(out, shown.text);
}

/* ---- scales */

static double effect_of(const json_t *level) {
  const double effect = report_number(level, "effect");
  return isfinite(effect) ? effect : 0;
}

/* As far as noise alone goes, of what is examined. */
static double band_of(const json_t *level, double deviations) {
  const double noise = report_number(level, "noise");
  return isfinite(noise) ? deviations * noise : 0;
}

/* The largest effect or noise band that a picture has to hold. */
static double extent_of(const json_t *levels, double deviations) {
  const json_t *level;
  double most = 0;
  size_t i;
  json_array_foreach(levels, i, level) {
    most = fmax(most, fmax(fabs(effect_of(level)), band_of(level, deviations)));
  }
  return most > 0 ? 1.05 * most : 1;
}

static const char *class_of(const json_t *level) {
  return effect_kind_of(level) == EFFECT_GREY ? "g" : effect_of(level) > 0 ? "p" : "n";
}

static void put_title(FILE *out, const json_t *level) {
  fputs("<title>", out);
  put_html(out, report_text(level, "name"));
  fprintf(out, ": %+.3g, %s</title>", effect_of(level), report_text(level, "verdict"));
}

static void put_svg(FILE *out, double height) {
  fprintf(out, "<svg viewBox=\"0 0 %d %.0f\" role=\"img\">\n", WIDTH, height);
}

/* ---- a bar for each level, the strongest first */

static int by_rank(const void *a, const void *b) {
  const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
  const int grey = (effect_kind_of(x) == EFFECT_GREY) - (effect_kind_of(y) == EFFECT_GREY);
  const double apart = fabs(effect_of(y)) - fabs(effect_of(x));
  return grey ? grey : (apart > 0) - (apart < 0);
}

static void put_bar(FILE *out, const json_t *level, size_t row, double scale, double deviations) {
  const double middle = LABEL + (WIDTH - LABEL) / 2.0, y = (double)row * ROW + 3,
               effect = effect_of(level) * scale, band = band_of(level, deviations) * scale;
  fprintf(out, "<g>");
  put_title(out, level);
  fprintf(out, "<rect class=\"b\" x=\"%.1f\" y=\"%.0f\" width=\"%.1f\" height=\"%d\"/>",
          middle - band, y - 1, 2 * band, ROW - 2);
  fprintf(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.0f\" width=\"%.1f\" height=\"%d\"/>",
          class_of(level), fmin(middle, middle + effect), y + 2, fabs(effect), ROW - 8);
  fprintf(out, "<text class=\"%s\" x=\"%d\" y=\"%.0f\" text-anchor=\"end\">",
          effect_kind_of(level) == EFFECT_GREY ? "t g" : "t", LABEL - 6, y + 10);
  put_html_cut(out, report_text(level, "name"), 21);
  fprintf(out, "</text></g>\n");
}

static void put_bars(FILE *out, const json_t *levels, double deviations) {
  const size_t all = json_array_size(levels), rows = all < BARS_MOST ? all : BARS_MOST;
  const double scale = (WIDTH - LABEL) / 2.0 / extent_of(levels, deviations),
               height = (double)(rows + (all > rows)) * ROW + 6,
               middle = LABEL + (WIDTH - LABEL) / 2.0;
  OWNED_MEMORY const json_t **sorted = calloc(all + 1, sizeof(*sorted));
  for (size_t i = 0; sorted && i < all; i++) {
    sorted[i] = json_array_get(levels, i);
  }
  if (!sorted) {
    return;
  }
  qsort(sorted, all, sizeof(*sorted), by_rank);
  put_svg(out, height);
  for (size_t i = 0; i < rows; i++) {
    put_bar(out, sorted[i], i, scale, deviations);
  }
  if (all > rows) {
    fprintf(out, "<text class=\"t g\" x=\"%d\" y=\"%.0f\">and %zu more, in the table</text>\n", 0,
            (double)rows * ROW + 13, all - rows);
  }
  fprintf(out, "<line class=\"z\" x1=\"%.1f\" y1=\"0\" x2=\"%.1f\" y2=\"%.0f\"/>\n</svg>\n", middle,
          middle, (double)rows * ROW + 4);
}

/* ---- cells of a number side by side, each as wide as any other */

static void put_scale(FILE *out, double most) {
  const double values[] = {most / 1.05, 0, -most / 1.05};
  for (size_t i = 0; i < 3; i++) {
    const double y = 8 + PLOT / 2.0 * (1 - values[i] / most);
    fprintf(out, "<text class=\"t\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s%.2g</text>\n",
            LEFT - 5, y + 4, values[i] > 0 ? "+" : "", values[i]);
  }
}

static void put_cell_names(FILE *out, const json_t *levels, size_t count, double width) {
  const size_t every = (count + 3) / 4;
  for (size_t i = 0; i <= count; i++) {
    const bool last = i == count;
    const json_t *level = json_array_get(levels, last ? i - 1 : i);
    if (last || (i % every == 0 && count - i > every / 2)) {
      fprintf(out, "<text class=\"t\" x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%.4g</text>\n",
              LEFT + (double)i * width, PLOT + 24,
              i == 0 ? "start"
              : last ? "end"
                     : "middle",
              report_number(level, last ? "high" : "low"));
    }
  }
}

static void put_cells(FILE *out, const json_t *levels, double deviations) {
  size_t count = 0;
  while (!isnan(report_number(json_array_get(levels, count), "low"))) {
    count++;
  }
  const double most = extent_of(levels, deviations), width = (WIDTH - LEFT - 2) / (double)count,
               scale = PLOT / 2.0 / most, middle = 8 + PLOT / 2.0;
  put_svg(out, PLOT + 30);
  put_scale(out, most);
  for (size_t i = 0; i < count; i++) {
    const json_t *level = json_array_get(levels, i);
    const double x = LEFT + (double)i * width, effect = effect_of(level) * scale,
                 band = band_of(level, deviations) * scale;
    fprintf(out, "<g>");
    put_title(out, level);
    fprintf(out, "<rect class=\"b\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", x,
            middle - band, width, 2 * band);
    fprintf(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/></g>\n",
            class_of(level), x + 0.1 * width, fmin(middle, middle - effect), 0.8 * width,
            fabs(effect));
  }
  fprintf(out, "<line class=\"z\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n", LEFT, middle,
          WIDTH, middle);
  put_cell_names(out, levels, count, width);
  fprintf(out, "</svg>\n");
}

/* ---- a line, with the fan of lines that noise alone gives */

static void put_line(FILE *out, const json_t *line, double deviations) {
  const double effect = effect_of(line), band = band_of(line, deviations),
               most = 0.525 * fmax(fmax(fabs(effect), band), 1e-300), scale = PLOT / 2.0 / most,
               middle = 8 + PLOT / 2.0, half = 0.5 * effect * scale, fan = 0.5 * band * scale,
               right = WIDTH - 2;
  const bool log = report_text(line, "transform") != NULL;
  put_svg(out, PLOT + 30);
  put_scale(out, most);
  fprintf(out,
          "<path class=\"b\" d=\"M%d %.1f L%.0f %.1f L%.0f %.1f L%d %.1f Z\"/>\n"
          "<line class=\"z\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n",
          LEFT, middle - fan, right, middle + fan, right, middle - fan, LEFT, middle + fan, LEFT,
          middle, WIDTH, middle);
  fprintf(out, "<g>");
  put_title(out, line);
  fprintf(out, "<path class=\"l%s\" d=\"M%d %.1f L%.0f %.1f\"/></g>\n", class_of(line), LEFT,
          middle + half, right, middle - half);
  fprintf(out,
          "<text class=\"t\" x=\"%d\" y=\"%d\">%.4g</text>\n"
          "<text class=\"t\" x=\"%d\" y=\"%d\" text-anchor=\"end\">%.4g%s</text>\n</svg>\n",
          LEFT, PLOT + 24, report_number(line, "low"), WIDTH, PLOT + 24,
          report_number(line, "high"), log ? " (logarithmic)" : "");
}

void explain_picture(FILE *out, const json_t *column, double deviations) {
  const json_t *line = json_object_get(column, "line"), *levels = json_object_get(column, "levels");
  if (line) {
    put_line(out, line, deviations);
  }
  if (strcmp(report_text(column, "kind"), "cells") == 0) {
    put_cells(out, levels, deviations);
  } else if (json_array_size(levels) > 0) {
    put_bars(out, levels, deviations);
  }
}
