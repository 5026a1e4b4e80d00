/* Every panel is a gnuplot plot of its own; the curves' numbers stand in the script. */
#include "output/sweep_results.h"

#include <math.h>

#include "output/gnuplot.h"
#include "output/handles.h"

enum { PANEL_WIDTH = 460, PANEL_HEIGHT = 380, KEY_LINE = 18 };

/* Colours that stay apart for colour-blind eyes and in grey (Okabe and Ito). */
static const char *const colours[] = {"#000000", "#0072B2", "#D55E00", "#009E73",
                                      "#CC79A7", "#E69F00", "#56B4E9"};
enum { COLOURS = sizeof colours / sizeof *colours };

typedef struct point {
  const sweep_line *line;
  size_t curve; /* the number of its first line */
  double place; /* on the axis; 0 for a line that has none, and is drawn as a level */
  double cost;  /* what decides among Λ of the same place */
  const struct sweep_figure *figure;
} point;

bool sweep_is_private(const sweep_line *line) {
  return !isnan(line->epsilon);
}

bool sweep_same_method(const sweep_line *a, const sweep_line *b) {
  return strcmp(a->loss, b->loss) == 0 && strcmp(a->mechanism, b->mechanism) == 0 &&
         strcmp(a->noise, b->noise) == 0;
}

const char *sweep_method_name(const sweep_line *line, char buffer[64]) {
  if (!sweep_is_private(line)) {
    return "not private";
  }
  (void)snprintf(buffer, 64, "%s, %s noise", line->mechanism, line->noise);
  return buffer;
}

/* ---- what is compared */

const char *sweep_metric_words(const sweep_table *table) {
  static const char *const words[] = {"error rate", "area under the ROC curve", "log loss",
                                      "root of the mean square error", "mean absolute error"};
  return words[table->metric];
}

const struct sweep_figure *sweep_figure_of(const sweep_table *table, const sweep_line *line) {
  return &line->figures[table->metric];
}

double sweep_cost(const sweep_table *table, double mean) {
  return table->metric == METRIC_AUC ? -mean : mean;
}

bool sweep_useless(const sweep_table *table, const sweep_line *line) {
  const struct sweep_figure *f = sweep_figure_of(table, line);
  return !(sweep_cost(table, f->mean) < sweep_cost(table, f->baseline));
}

/* ---- the points: curve by curve, along the axis */

static int in_order(const void *a, const void *b) {
  const point *x = a, *y = b;
  double apart = x->place - y->place;
  if (x->curve != y->curve) {
    return x->curve < y->curve ? -1 : 1;
  }
  if (!(apart > 0) && !(apart < 0)) {
    apart = x->cost - y->cost;
  }
  return (apart > 0) - (apart < 0);
}

/* Several of them, or no Λ that all runs of a cell have. */
static bool epsilon_is_axis(const sweep_table *t) {
  double low = INFINITY, high = -INFINITY, lambda = NAN;
  for (size_t i = 0; i < t->count; i++) {
    low = fmin(low, t->lines[i].epsilon); /* a NaN is left out */
    high = fmax(high, t->lines[i].epsilon);
    lambda = fmax(lambda, t->lines[i].lambda);
  }
  return high > low || (isnan(lambda) && isfinite(low));
}

/* The best of each place of each curve. Returns how many. */
static size_t find_points(const sweep_table *t, bool against_epsilon, point *out) {
  size_t all = 0, kept = 0;
  for (size_t i = 0; i < t->count; i++) {
    const sweep_line *line = &t->lines[i];
    size_t first = 0;
    while (!sweep_same_method(&t->lines[first], line) ||
           t->lines[first].automatic != line->automatic) {
      first++;
    }
    double place = against_epsilon ? line->epsilon : line->lambda;
    const struct sweep_figure *f = sweep_figure_of(t, line);
    out[all] = (point){line, first, isnan(place) ? 0 : place, sweep_cost(t, f->mean), f};
    all += line->runs > 0 && !isnan(f->mean);
  }
  qsort(out, all, sizeof *out, in_order);
  for (size_t i = 0; i < all; i++) {
    bool worse =
        kept > 0 && out[kept - 1].curve == out[i].curve && !(out[i].place > out[kept - 1].place);
    out[kept] = out[i];
    kept += !worse;
  }
  return kept;
}

/* ---- the script */

static double reach(const point *p) {
  return isnan(p->figure->se) ? 0 : p->figure->se;
}

/* All panels have the same frame, so that they compare. */
static void write_frame(FILE *script, const point *points, size_t count) {
  double low = INFINITY, high = -INFINITY;
  double bottom = points->figure->baseline, top = bottom; /* what all is to be compared with */
  for (const point *p = points; p < points + count; p++) {
    low = p->place > 0 ? fmin(low, p->place) : low;
    high = fmax(high, p->place);
    bottom = fmin(bottom, p->figure->mean - reach(p));
    top = fmax(top, p->figure->mean + reach(p));
  }
  double margin = 0.04 * (top - bottom) + 1e-4;
  fprintf(script, "set xrange [%g:%g]\nset yrange [%g:%g]\n", low / 1.2, high * 1.2,
          fmax(0, bottom - margin), top + margin);
}

static bool begins_curve(const point *points, size_t i) {
  return i == 0 || points[i].curve != points[i - 1].curve;
}

/* How many of the points belong to the first one's panel, and how many curves they make. */
static size_t panel_size(const point *points, size_t count, size_t *curves) {
  size_t i = 0;
  for (*curves = 0; i < count && strcmp(points[i].line->loss, points[0].line->loss) == 0; i++) {
    *curves += begins_curve(points, i);
  }
  return i;
}

static void write_panel(FILE *script, const point *points, size_t count, const char *best) {
  size_t curves = 0;
  char name[64];
  for (size_t i = 0; i < count; i++) {
    if (begins_curve(points, i)) {
      fprintf(script, "%s$curve%zu << EOD\n", i > 0 ? "EOD\n" : "", curves++);
    }
    fprintf(script, "%.9g %.9g %.9g\n", points[i].place, points[i].figure->mean, reach(&points[i]));
  }
  fprintf(script, "EOD\nset title '%s' noenhanced\nplot ", points[0].line->loss);
  curves = 0;
  for (size_t i = 0; i < count; i++) {
    const sweep_line *line = points[i].line;
    if (!begins_curve(points, i)) {
      continue;
    }
    fprintf(script, i > 0 ? ", " : "");
    if (points[i].place > 0) {
      fprintf(script, "$curve%zu with yerrorlines pt 7 ps 0.5", curves);
    } else {
      fprintf(script, "%.9g with lines dashtype 2", points[i].figure->mean);
    }
    fprintf(script, " lw 1.5 lc rgb '%s' title '%s%s'", colours[curves++ % COLOURS],
            sweep_method_name(line, name), line->automatic ? ", automatic Λ" : best);
  }
  fprintf(script,
          ", %.9g with lines dashtype 3 lw 1.5 lc rgb '#888888' title 'the same of every record'\n",
          points->figure->baseline);
}

static dperm_status draw(const sweep_table *table, const point *points, size_t count,
                         bool against_epsilon, char **svg, dperm_error *err) {
  const char *best = against_epsilon ? ", best Λ" : "";
  OWNED_STREAM FILE *script = NULL;
  size_t panels = 0, most = 1, curves = 0;
  for (size_t i = 0; i < count; i += panel_size(points + i, count - i, &curves)) {
    (void)panel_size(points + i, count - i, &curves);
    most = curves + 1 > most ? curves + 1 : most; /* and the baseline */
    panels++;
  }
  TRY(gnuplot_begin(PANEL_WIDTH * (int)panels, PANEL_HEIGHT + KEY_LINE * (int)most, &script, err));
  fprintf(script,
          "set logscale x\nset format x '%s'\nset xlabel '%s'\nset ylabel '%s'\n"
          "set grid lc rgb '#dddddd' lt 1\n"
          "set key below vertical maxrows %zu left Left reverse samplen 2\n"
          "set multiplot layout 1,%zu\n",
          against_epsilon ? "%g" : "10^{%L}", against_epsilon ? "ε" : "Λ",
          sweep_metric_words(table), most, panels);
  write_frame(script, points, count);
  for (size_t i = 0, size = 0; i < count; i += size) {
    size = panel_size(points + i, count - i, &curves);
    write_panel(script, points + i, size, best);
  }
  fprintf(script, "unset multiplot\n");
  return gnuplot_draw(script, svg, err);
}

dperm_status sweep_picture_draw(const sweep_table *table, char **svg, dperm_error *err) {
  OWNED_MEMORY point *points = calloc(table->count + 1, sizeof *points);
  RETURN_IF(!points, out_of_memory(err));
  bool against_epsilon = epsilon_is_axis(table);
  size_t count = find_points(table, against_epsilon, points);
  RETURN_IF(count == 0,
            fail(err, DPERM_INVALID_DATA, "no cell has a result (%s), so there is nothing to draw",
                 sweep_metric_words(table)));
  return draw(table, points, count, against_epsilon, svg, err);
}
