/* Histograms on a logarithmic scale, where "within a factor of e^ε" is a band of constant height:
 * the first data set's line has to stay inside the second one's band. */
#include "output/audit_picture.h"

#include <errno.h>
#include <math.h>

#include "output/gnuplot.h"
#include "output/handles.h"
#include "output/message.h"

enum { BINS = 64, LEAST = 30 }; /* fewer outcomes in a bin are mostly chance, and not drawn */

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The density in each bin, NAN where there is too little to tell. */
static void densities(const double *outcome, size_t count, double low, double width,
                      double out[BINS]) {
  size_t counts[BINS] = {0};
  for (size_t i = 0; i < count; i++) {
    double bin = (outcome[i] - low) / width;
    if (bin >= 0 && bin < BINS) {
      counts[(size_t)bin]++;
    }
  }
  for (size_t b = 0; b < BINS; b++) {
    out[b] = counts[b] < LEAST ? (double)NAN : (double)counts[b] / (double)count / width;
  }
}

static void write_script(FILE *script, const audit_picture *p) {
  double low = INFINITY, high = -INFINITY, bottom = INFINITY, top = 0, y[2][BINS];
  double reach = exp(p->epsilon);
  for (int side = 0; side < 2; side++) { /* all but the farthest outcomes */
    double *outcome = p->outcome[side], last = (double)(p->count - 1);
    qsort(outcome, p->count, sizeof *outcome, ascending);
    low = fmin(low, outcome[(size_t)(0.004 * last)]);
    high = fmax(high, outcome[(size_t)(0.996 * last)]);
  }
  low = high > low ? low : low - 1; /* all alike */
  high = high > low ? high : high + 1;
  double width = (high - low) / BINS;
  for (int side = 0; side < 2; side++) {
    densities(p->outcome[side], p->count, low, width, y[side]);
    for (size_t b = 0; b < BINS; b++) { /* a NAN is left out */
      bottom = fmin(bottom, y[side][b] / reach);
      top = fmax(top, y[side][b] * reach);
    }
  }
  gnuplot_begin(script, false, 820, 470);
  fprintf(script,
          "set title '%s' noenhanced\nset key above noenhanced\nset border 3\nset tics nomirror\n"
          "set xlabel 'released weight'\nset ylabel 'density'\nset logscale y\nset format y '%%g'\n"
          "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n$bins << EOD\n",
          p->title, low, high, top > 0 ? bottom : 0.1, top > 0 ? top : 10.0);
  for (size_t b = 0; b < BINS; b++) {
    fprintf(script, "%.9g %.9g %.9g\n", low + ((double)b + 0.5) * width, y[0][b], y[1][b]);
  }
  fprintf(script,
          "EOD\nplot $bins using 1:($3/%.9g):($3*%.9g) with filledcurves fc rgb '#f3d9c4' title "
          "'e^%g = %.4g times more or less', '' using 1:3 with histeps lc rgb '#b3541e' lw 2 title "
          "'second data set, one record replaced', '' using 1:2 with histeps lc rgb '#1f5fa8' lw 2 "
          "title 'first data set'\n",
          reach, reach, p->epsilon, reach);
}

dperm_status audit_picture_write(const audit_picture *picture, const char *path, dperm_error *err) {
  OWNED_STREAM FILE *script = tmpfile();
  if (!script) {
    return fail(err, DPERM_IO_ERROR, "cannot prepare a picture: %s", strerror(errno));
  }
  write_script(script, picture);
  return gnuplot_write(script, path, err);
}
