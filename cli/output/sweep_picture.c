/* Every panel is a gnuplot plot of its own; the curves' numbers stand in the script. */

#include "output/sweep_results.h"

#include <errno.h>
#include <math.h>

#include "output/gnuplot.h"
#include "output/handles.h"
#include "output/message.h"

enum { PANEL_WIDTH = 460, PANEL_HEIGHT = 380, MOST_CURVES = 24, MOST_TICS = 10 };

/* Colours that stay apart for colour-blind eyes and in grey (Okabe and Ito). */
static const char *const colours[] = {"#000000", "#0072B2", "#D55E00", "#009E73",
                                      "#CC79A7", "#E69F00", "#56B4E9"};
enum { COLOURS = sizeof colours / sizeof *colours };

typedef struct curve {
  sweep_filter filter;
  char name[96];
  bool level; /* does not depend on the axis: a horizontal line */
} curve;

typedef struct picture {
  const sweep_table *table;
  sweep_axis axis;
  double epsilon;       /* against Λ: of this ε only, or NaN */
  const double *places; /* of the axis, ascending */
  size_t place_count;
  curve curves[MOST_CURVES];
  size_t curve_count;
} picture;

/* The ε that a line must have to be in the picture; NaN for any. */
static double epsilon_wanted(const picture *p, const sweep_line *line) {
  return p->axis == AXIS_LAMBDA && sweep_is_private(line) ? p->epsilon : (double)NAN;
}

/* The curves of one panel: each method, once over the given Λ and once with the automatic one. */
static void find_curves(picture *p, const char *loss) {
  const sweep_table *t = p->table;
  const char *best = p->axis == AXIS_EPSILON && t->lambda_count > 1 ? ", best Λ" : "";
  p->curve_count = 0;
  for (size_t i = 0; i < t->count; i++) {
    const sweep_line *line = &t->lines[i];
    for (int automatic = 0; automatic < 2 && p->curve_count < MOST_CURVES; automatic++) {
      const sweep_filter filter = {
          loss, line->mechanism, line->noise, epsilon_wanted(p, line), (double)NAN, automatic};
      if (!sweep_first_method(t, i) || !sweep_best(t, &filter)) {
        continue;
      }
      curve *c = &p->curves[p->curve_count++];
      c->filter = filter;
      c->level = p->axis == AXIS_EPSILON && !sweep_is_private(line);
      char buffer[64];
      (void)snprintf(c->name, sizeof c->name, "%s%s", sweep_method_name(line, buffer),
                     automatic ? ", automatic Λ" : best);
    }
  }
}

static double reach(const sweep_line *line) {
  return isnan(line->error_se) ? 0 : line->error_se;
}

static void write_point(FILE *script, double place, const sweep_line *line) {
  fprintf(script, "%.9g %.9g %.9g\n", place, line->error_mean, reach(line));
}

static void write_curve(FILE *script, const picture *p, const curve *c, size_t number) {
  bool own_lambda = p->axis == AXIS_LAMBDA && c->filter.automatic == 1; /* stands where that is */
  fprintf(script, "$curve%zu << EOD\n", number);
  for (size_t i = 0; own_lambda && i < p->table->count; i++) {
    const sweep_line *line = &p->table->lines[i];
    if (line->runs && sweep_matches(line, &c->filter)) {
      write_point(script, line->lambda, line);
    }
  }
  for (size_t i = 0; !own_lambda && i < p->place_count; i++) {
    sweep_filter filter = c->filter;
    if (!c->level) {
      *(p->axis == AXIS_EPSILON ? &filter.epsilon : &filter.lambda) = p->places[i];
    }
    const sweep_line *line = sweep_best(p->table, &filter);
    if (line) {
      write_point(script, p->places[i], line);
    }
  }
  fprintf(script, "EOD\n");
}

static void write_panel(FILE *script, picture *p, const char *loss) {
  find_curves(p, loss);
  for (size_t i = 0; i < p->curve_count; i++) {
    write_curve(script, p, &p->curves[i], i);
  }
  fprintf(script, "set title '%s' noenhanced\n", loss);
  const char *before = "plot ";
  for (size_t i = 0; i < p->curve_count; i++) {
    const curve *c = &p->curves[i];
    const char *colour = colours[i % COLOURS];
    fprintf(script, "%s$curve%zu using 1:2%s with %s lc rgb '%s' %s title '%s'", before, i,
            c->level ? "" : ":3", c->level ? "lines" : "yerrorlines", colour,
            c->level ? "dashtype 2 lw 1.5" : "lw 1.5 pt 7 ps 0.5", c->name);
    before = ", \\\n  ";
  }
  fprintf(script, "\n");
}

/* All panels have the same frame, so that they compare. */
static void write_frame(FILE *script, const picture *p) {
  double low = INFINITY, high = -INFINITY, bottom = INFINITY, top = -INFINITY;
  for (size_t i = 0; i < p->table->count; i++) {
    const sweep_line *line = &p->table->lines[i];
    sweep_filter wanted = sweep_anything;
    wanted.epsilon = epsilon_wanted(p, line);
    if (!line->runs || !sweep_matches(line, &wanted)) {
      continue;
    }
    double place = p->axis == AXIS_EPSILON ? line->epsilon : line->lambda;
    low = fmin(low, place); /* a NaN is left out */
    high = fmax(high, place);
    bottom = fmin(bottom, line->error_mean - reach(line));
    top = fmax(top, line->error_mean + reach(line));
  }
  double margin = 0.04 * (top - bottom) + 1e-4;
  fprintf(script, "set xrange [%g:%g]\nset yrange [%g:%g]\n", low / 1.2, high * 1.2,
          fmax(0, bottom - margin), top + margin);
  if (p->axis == AXIS_EPSILON &&
      p->place_count <= MOST_TICS) { /* the very values that were asked */
    fprintf(script, "set xtics (");
    for (size_t i = 0; i < p->place_count; i++) {
      fprintf(script, "%s%.9g", i ? ", " : "", p->places[i]);
    }
    fprintf(script, ")\n");
  }
}

static void write_script(FILE *script, picture *p, bool png) {
  const sweep_table *t = p->table;
  size_t panels = 0, most = 1;
  for (size_t i = 0; i < t->count; i++) {
    if (sweep_first_loss(t, i)) {
      find_curves(p, t->lines[i].loss);
      most = p->curve_count > most ? p->curve_count : most;
      panels++;
    }
  }
  int height = PANEL_HEIGHT + 18 * (int)most; /* space for the key under the panels */
  gnuplot_begin(script, png, PANEL_WIDTH * (int)panels, height);
  fprintf(script,
          "set encoding utf8\nset logscale x\nset format x '%s'\nset xlabel '%s'\nset ylabel "
          "'error rate'\n"
          "set grid lc rgb '#dddddd' lt 1\nset border 3\nset tics nomirror\n"
          "set key below vertical maxrows %zu left Left reverse samplen 2\n"
          "set multiplot layout 1,%zu\n",
          p->axis == AXIS_EPSILON ? "%g" : "10^{%L}", p->axis == AXIS_EPSILON ? "ε" : "Λ", most,
          panels);
  write_frame(script, p);
  for (size_t i = 0; i < t->count; i++) {
    if (sweep_first_loss(t, i)) {
      write_panel(script, p, t->lines[i].loss);
    }
  }
  fprintf(script, "unset multiplot\n");
}

dperm_status sweep_picture_draw(const sweep_table *table, sweep_axis axis, double epsilon,
                                const char *path, FILE *out, dperm_error *err) {
  bool against_epsilon = axis == AXIS_EPSILON;
  picture p = {.table = table,
               .axis = axis,
               .epsilon = epsilon,
               .places = against_epsilon ? table->epsilons : table->lambdas,
               .place_count = against_epsilon ? table->epsilon_count : table->lambda_count};
  OWNED_STREAM FILE *script = tmpfile();
  if (!sweep_best(table, &sweep_anything)) {
    return fail(err, DPERM_INVALID_DATA, "no cell has a result, so there is nothing to draw");
  }
  if (!script) {
    return fail(err, DPERM_IO_ERROR, "cannot prepare a picture: %s", strerror(errno));
  }
  write_script(script, &p, path && path_ends(path, ".png"));
  return path ? gnuplot_write(script, path, err) : gnuplot_run(script, out, err);
}

dperm_status sweep_picture_write(const sweep_table *table, const char *path, dperm_error *err) {
  sweep_axis axis = table->epsilon_count > 1 ? AXIS_EPSILON : AXIS_LAMBDA;
  return sweep_picture_draw(table, axis, (double)NAN, path, NULL, err);
}
