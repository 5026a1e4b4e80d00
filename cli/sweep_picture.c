/* Every panel is a gnuplot plot of its own; the curves' numbers stand in the script. */
#include "sweep_picture.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"
#include "whole_file.h"

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
  double epsilon; /* against Λ: of this ε only, or NaN */
  double *places; /* of the axis, ascending */
  size_t place_count;
  curve curves[MOST_CURVES];
  size_t curve_count;
} picture;

sweep_axis sweep_natural_axis(const sweep_table *table) {
  size_t count = 0;
  free(sweep_epsilons(table, &count));
  return count > 1 ? AXIS_EPSILON : AXIS_LAMBDA;
}

static bool is_public(const sweep_line *line) {
  return isnan(line->epsilon);
}

/* The curves of one panel: each method, once over the given Λ and once with the automatic one. */
static void find_curves(picture *p, const char *loss) {
  const sweep_table *t = p->table;
  p->curve_count = 0;
  for (size_t i = 0; i < t->count; i++) {
    if (!sweep_first_method(t, i)) {
      continue;
    }
    for (int automatic = 0; automatic < 2 && p->curve_count < MOST_CURVES; automatic++) {
      const sweep_line *line = &t->lines[i];
      curve *c = &p->curves[p->curve_count];
      c->filter =
          (sweep_filter){loss, line->mechanism, line->noise, (double)NAN, (double)NAN, automatic};
      if (p->axis == AXIS_LAMBDA && !is_public(line)) {
        c->filter.epsilon = p->epsilon;
      }
      if (!sweep_best(t, &c->filter)) {
        continue;
      }
      char buffer[64];
      size_t lambdas = 0;
      free(sweep_lambdas(t, &lambdas));
      snprintf(c->name, sizeof c->name, "%s%s", sweep_method_name(line, buffer),
               automatic                                ? ", automatic Λ"
               : p->axis == AXIS_EPSILON && lambdas > 1 ? ", best Λ"
                                                        : "");
      c->level = p->axis == AXIS_EPSILON && is_public(line);
      p->curve_count++;
    }
  }
}

/* The cell of a curve at a place of the axis, if it has one. */
static const sweep_line *cell_at(const picture *p, const curve *c, double place) {
  sweep_filter filter = c->filter;
  if (!c->level) {
    *(p->axis == AXIS_EPSILON ? &filter.epsilon : &filter.lambda) = place;
  }
  return sweep_best(p->table, &filter);
}

static void write_curve(FILE *script, const picture *p, const curve *c, size_t number) {
  fprintf(script, "$curve%zu << EOD\n", number);
  if (p->axis == AXIS_LAMBDA && c->filter.automatic == 1) { /* stands where its own Λ is */
    for (size_t i = 0; i < p->table->count; i++) {
      const sweep_line *line = &p->table->lines[i];
      if (line->runs && sweep_matches(line, &c->filter)) {
        fprintf(script, "%.9g %.9g %.9g\n", line->lambda, line->error_mean,
                isnan(line->error_se) ? 0 : line->error_se);
      }
    }
  } else {
    for (size_t i = 0; i < p->place_count; i++) {
      const sweep_line *line = cell_at(p, c, p->places[i]);
      if (line) {
        fprintf(script, "%.9g %.9g %.9g\n", p->places[i], line->error_mean,
                isnan(line->error_se) ? 0 : line->error_se);
      }
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
    wanted.epsilon = p->axis == AXIS_LAMBDA && !is_public(line) ? p->epsilon : (double)NAN;
    if (!line->runs || !sweep_matches(line, &wanted)) {
      continue;
    }
    double place = p->axis == AXIS_EPSILON ? line->epsilon : line->lambda;
    double reach = isnan(line->error_se) ? 0 : line->error_se;
    low = fmin(low, place); /* a NaN is left out */
    high = fmax(high, place);
    bottom = fmin(bottom, line->error_mean - reach);
    top = fmax(top, line->error_mean + reach);
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

static void write_script(FILE *script, picture *p, picture_format format) {
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
  gnuplot_begin(script, format, PANEL_WIDTH * (int)panels, height);
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

bool sweep_picture_draw(const sweep_table *table, sweep_axis axis, double epsilon,
                        picture_format format, FILE *out) {
  picture p = {.table = table, .axis = axis, .epsilon = epsilon};
  p.places = axis == AXIS_EPSILON ? sweep_epsilons(table, &p.place_count)
                                  : sweep_lambdas(table, &p.place_count);
  FILE *script = tmpfile();
  bool drawn = false;
  if (!sweep_best(table, &sweep_anything)) {
    (void)complain("no cell has a result, so there is nothing to draw");
  } else if (!p.places || !script) {
    (void)complain("cannot prepare a picture: %s", strerror(errno));
  } else {
    write_script(script, &p, format);
    drawn = gnuplot_run(script, out);
  }
  if (script) {
    fclose(script);
  }
  free(p.places);
  return drawn;
}

bool sweep_picture_write(const sweep_table *table, const char *path) {
  picture_format format;
  whole_file file;
  dperm_error err;
  if (!picture_format_of(path, &format)) {
    (void)complain("%s: the name of a picture ends in .svg or .png", path);
    return false;
  }
  if (whole_file_open(path, &file, &err) != DPERM_OK) {
    return report_error(&err) == 0;
  }
  if (!sweep_picture_draw(table, sweep_natural_axis(table), (double)NAN, format, file.stream)) {
    whole_file_discard(&file);
    return false;
  }
  return whole_file_commit(&file, &err) == DPERM_OK || report_error(&err) == 0;
}
