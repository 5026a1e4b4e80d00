/* The shape of a column as SVG of its own: 340 units wide, which is a card of the page, on a phone
 * the whole of it. */
#include <math.h>

#include "output/explained.h"

enum {
  WIDTH = 340,
  LABEL = 132,
  ROW = 17,
  PLOT = 120,
  LEFT = 42,
  BARS_MOST = 24,
  GRID_MOST = 6,
  PLACE = 75
};

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
static double extent_of(const json_t *levels, size_t count, double deviations) {
  double most = 0;
  for (size_t i = 0; i < count; i++) {
    const json_t *level = json_array_get(levels, i);
    most = fmax(most, fmax(fabs(effect_of(level)), band_of(level, deviations)));
  }
  return most > 0 ? 1.05 * most : 1;
}

/* What is beyond the noise has an outline. */
static const char *class_of(const json_t *level) {
  static const char *const classes[][2] = {{"g", "g"}, {"n", "p"}, {"n x", "p x"}};
  return classes[effect_kind_of(level)][effect_of(level) > 0];
}

/* A place on an axis: whole numbers without an exponent. */
static void put_place(FILE *out, double value) {
  fprintf(out, fabs(value) >= 1e4 && fabs(value) < 1e9 ? "%.0f" : "%.4g", value);
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
  fprintf(out, "</text>");
  if (effect_kind_of(level) != EFFECT_GREY) {
    fprintf(out, "<text class=\"t\" x=\"%.1f\" y=\"%.0f\" text-anchor=\"%s\">%+.2g</text>",
            middle + (effect > 0 ? -4 : 4), y + 10, effect > 0 ? "end" : "start", effect_of(level));
  }
  fprintf(out, "</g>\n");
}

static void put_bars(FILE *out, const json_t *levels, double deviations) {
  const size_t all = json_array_size(levels), rows = all < BARS_MOST ? all : BARS_MOST;
  const double scale = (WIDTH - LABEL) / 2.0 / extent_of(levels, all, deviations),
               height = (double)(rows + (all > rows)) * ROW + 6,
               middle = LABEL + (WIDTH - LABEL) / 2.0;
  OWNED_MEMORY ranked_level *ranked = explain_ranked(levels);
  if (!ranked) {
    return;
  }
  put_svg(out, height);
  for (size_t i = 0; i < rows; i++) {
    put_bar(out, ranked[i].level, i, scale, deviations);
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
    if (last || (i % every == 0 && (double)(count - i) * width > PLACE)) {
      fprintf(out, "<text class=\"t\" x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">",
              LEFT + (double)i * width, PLOT + 24,
              i == 0 ? "start"
              : last ? "end"
                     : "middle");
      put_place(out, report_number(level, last ? "high" : "low"));
      fputs("</text>\n", out);
    }
  }
}

static void put_cells(FILE *out, const json_t *levels, double deviations) {
  size_t count = 0;
  while (!isnan(report_number(json_array_get(levels, count), "low"))) {
    count++;
  }
  const double most = extent_of(levels, count, deviations),
               width = (WIDTH - LEFT - 2) / (double)count, scale = PLOT / 2.0 / most,
               middle = 8 + PLOT / 2.0;
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
  fprintf(out, "<text class=\"t\" x=\"%d\" y=\"%d\">", LEFT, PLOT + 24);
  put_place(out, report_number(line, "low"));
  fprintf(out, "</text>\n<text class=\"t\" x=\"%d\" y=\"%d\" text-anchor=\"end\">", WIDTH,
          PLOT + 24);
  put_place(out, report_number(line, "high"));
  fprintf(out, "%s</text>\n</svg>\n", log ? " (logarithmic)" : "");
}

/* ---- pairs of values as a grid */

static const char *place_of(const json_t *level, size_t which) {
  return json_string_value(json_array_get(json_object_get(level, "of"), which));
}

/* Without its column: behind "sex=", from "[20,40)" on. */
static const char *short_place(const char *place) {
  const size_t column = strcspn(place, "=[");
  return place[column] == '\0' ? place : place + column + (place[column] == '=');
}

/* How many values of the second column there are; 0 where the levels are not pairs. */
static size_t grid_columns(const json_t *levels) {
  const char *first = place_of(json_array_get(levels, 0), 0);
  size_t count = 0;
  for (const char *own = first; own && strcmp(own, first) == 0;) {
    own = place_of(json_array_get(levels, ++count), 0);
  }
  return count;
}

static void put_grid_cell(FILE *out, const json_t *level, double x, double y, double width,
                          double most) {
  fprintf(out, "<g>");
  put_title(out, level);
  fprintf(out,
          "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" "
          "opacity=\"%.2f\"/>",
          class_of(level), x, y, width - 2, ROW - 2,
          0.15 + 0.45 * fmin(1, fabs(effect_of(level)) / most));
  fprintf(out, "<text class=\"t\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%+.2g</text></g>\n",
          x + width / 2 - 1, y + 12, effect_of(level));
}

static void put_grid(FILE *out, const json_t *levels, size_t columns) {
  const size_t all = json_array_size(levels), rows = all / columns;
  const double width = (double)(WIDTH - LABEL) / (double)columns, most = extent_of(levels, all, 0);
  put_svg(out, (double)(rows + 1) * ROW + 4);
  for (size_t c = 0; c < columns; c++) {
    fprintf(out, "<text class=\"t\" x=\"%.1f\" y=\"12\" text-anchor=\"middle\">",
            LABEL + ((double)c + 0.5) * width);
    put_html_cut(out, short_place(place_of(json_array_get(levels, c), 1)), (size_t)(width / 6.5));
    fputs("</text>\n", out);
  }
  for (size_t i = 0; i < all; i++) {
    const json_t *level = json_array_get(levels, i);
    const size_t row = i / columns + 1;
    const double y = (double)row * ROW;
    if (i % columns == 0) {
      fprintf(out, "<text class=\"t\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LABEL - 6, y + 12);
      put_html_cut(out, short_place(place_of(level, 0)), 21);
      fputs("</text>\n", out);
    }
    put_grid_cell(out, level, LABEL + (double)(i % columns) * width, y, width, most);
  }
  fputs("</svg>\n", out);
}

/* ---- a column */

/* What stands beside cells: "missing". */
static void put_others(FILE *out, const json_t *levels, double deviations) {
  json_auto_t *others = json_array();
  json_t *level;
  size_t i;
  json_array_foreach(levels, i, level) {
    if (isnan(report_number(level, "low"))) {
      (void)json_array_append(others, level);
    }
  }
  if (json_array_size(others) > 0) {
    put_bars(out, others, deviations);
  }
}

void explain_picture(FILE *out, const json_t *column, double deviations) {
  const json_t *line = json_object_get(column, "line"), *levels = json_object_get(column, "levels");
  const size_t pairs = grid_columns(levels);
  if (line) {
    put_line(out, line, deviations);
  }
  if (strcmp(report_text(column, "kind"), "cells") == 0) {
    put_cells(out, levels, deviations);
  }
  if (pairs > 0 && pairs <= GRID_MOST && json_array_size(levels) <= pairs * BARS_MOST) {
    put_grid(out, levels, pairs);
  } else {
    put_others(out, levels, deviations);
  }
}
