/* Histograms on a logarithmic scale, where "within a factor of e^ε" is a band of constant height:
 * the first data set's line has to stay inside the second one's band. Written by hand: a few paths
 * and words. */
#include "output/audit_picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/atomic_file.h"
#include "output/handles.h"

enum { BINS = 64, WIDTH = 820, HEIGHT = 470, LEFT = 70, RIGHT = 20, TOP = 78, BOTTOM = 56 };
enum { LEAST = 30 }; /* outcomes in a bin that is drawn: fewer are mostly chance */

typedef struct frame {
  double x_low, x_high, y_low, y_high; /* y in powers of ten */
} frame;

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* log10 of the density in each bin, NAN where there is too little to tell. */
static void log_density(const double *sorted, size_t count, const frame *f, double *out) {
  size_t counts[BINS] = {0};
  double width = (f->x_high - f->x_low) / BINS;
  for (size_t i = 0; i < count; i++) {
    double bin = (sorted[i] - f->x_low) / width;
    if (bin >= 0 && bin < BINS) {
      counts[(size_t)bin]++;
    }
  }
  for (size_t b = 0; b < BINS; b++) {
    out[b] = counts[b] < LEAST ? (double)NAN : log10((double)counts[b] / (double)count / width);
  }
}

static double place_x(const frame *f, double x) {
  return LEFT + (x - f->x_low) / (f->x_high - f->x_low) * (WIDTH - LEFT - RIGHT);
}

static double place_y(const frame *f, double y) {
  return HEIGHT - BOTTOM - (y - f->y_low) / (f->y_high - f->y_low) * (HEIGHT - TOP - BOTTOM);
}

static double bin_edge(const frame *f, size_t b) {
  return place_x(f, f->x_low + (f->x_high - f->x_low) * (double)b / BINS);
}

/* A line of steps, `shift` powers of ten higher, broken where nothing is known. */
static void draw_steps(FILE *out, const frame *f, const double *y, double shift,
                       const char *style) {
  bool pen = false;
  fprintf(out, "<path %s d=\"", style);
  for (size_t b = 0; b < BINS; b++) {
    if (isnan(y[b])) {
      pen = false;
      continue;
    }
    fprintf(out, "%c%.1f %.1f H%.1f ", pen ? 'L' : 'M', bin_edge(f, b), place_y(f, y[b] + shift),
            bin_edge(f, b + 1));
    pen = true;
  }
  fprintf(out, "\"/>\n");
}

static void draw_band(FILE *out, const frame *f, const double *y, double reach) {
  for (size_t b = 0; b < BINS; b++) {
    if (!isnan(y[b])) {
      fprintf(out,
              "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"#f3d9c4\"/>\n",
              bin_edge(f, b), place_y(f, y[b] + reach), bin_edge(f, b + 1) - bin_edge(f, b) + 0.3,
              place_y(f, y[b] - reach) - place_y(f, y[b] + reach));
    }
  }
}

/* A step of 1, 2 or 5 times a power of ten that cuts the span into four to ten. */
static double nice_step(double span) {
  double step = pow(10, floor(log10(span / 4)));
  return span / step >= 20 ? 5 * step : span / step >= 8 ? 2 * step : step;
}

static void draw_axes(FILE *out, const frame *f) {
  double step = nice_step(f->x_high - f->x_low);
  fprintf(out, "<g stroke=\"#999\" fill=\"none\"><path d=\"M%d %d V%d H%d\"/></g>\n", LEFT, TOP,
          HEIGHT - BOTTOM, WIDTH - RIGHT);
  fprintf(out, "<g font-size=\"12\" fill=\"#444\">\n");
  for (double x = ceil(f->x_low / step) * step; x <= f->x_high; x += step) {
    fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.4g</text>\n", place_x(f, x),
            HEIGHT - BOTTOM + 18, fabs(x) < step / 2 ? 0 : x);
  }
  double y_step = nice_step(f->y_high - f->y_low);
  for (double y = ceil(f->y_low / y_step) * y_step; y <= f->y_high; y += y_step) {
    fprintf(out,
            "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.3g</text>"
            "<path d=\"M%d %.1f H%d\" stroke=\"#eee\"/>\n",
            LEFT - 8, place_y(f, y) + 4, pow(10, y), LEFT + 1, place_y(f, y), WIDTH - RIGHT);
  }
  fprintf(out,
          "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">the released weight</text>\n"
          "<text x=\"18\" y=\"%d\" text-anchor=\"middle\" transform=\"rotate(-90 18 %d)\">density"
          "</text>\n</g>\n",
          (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, (TOP + HEIGHT - BOTTOM) / 2,
          (TOP + HEIGHT - BOTTOM) / 2);
}

static void draw_words(FILE *out, const audit_picture *p) {
  fprintf(out,
          "<text x=\"%d\" y=\"26\" font-size=\"16\" font-weight=\"bold\">%s</text>\n"
          "<g font-size=\"13\">\n"
          "<path d=\"M%d 52 h26\" stroke=\"#1f5fa8\" stroke-width=\"2\"/>"
          "<text x=\"%d\" y=\"56\">first data set</text>\n"
          "<path d=\"M%d 52 h26\" stroke=\"#b3541e\" stroke-width=\"2\"/>"
          "<text x=\"%d\" y=\"56\">second data set, one record replaced</text>\n"
          "<rect x=\"%d\" y=\"44\" width=\"26\" height=\"16\" fill=\"#f3d9c4\" stroke=\"#b3541e\" "
          "stroke-dasharray=\"4 3\"/>"
          "<text x=\"%d\" y=\"56\">e^%g = %.4g times more or less</text>\n</g>\n",
          LEFT, p->title, LEFT, LEFT + 32, LEFT + 150, LEFT + 182, LEFT + 445, LEFT + 477,
          p->epsilon, exp(p->epsilon));
}

static double at_share(const audit_picture *p, int side, double share) {
  return p->outcome[side][(size_t)(share * (double)(p->count - 1))];
}

static frame choose_frame(const audit_picture *p) {
  for (int side = 0; side < 2; side++) {
    qsort(p->outcome[side], p->count, sizeof(double), ascending);
  }
  frame f = {fmin(at_share(p, 0, 0.004), at_share(p, 1, 0.004)),
             fmax(at_share(p, 0, 0.996), at_share(p, 1, 0.996)), INFINITY, -INFINITY};
  if (!(f.x_high > f.x_low)) { /* all alike */
    f.x_low -= 1;
    f.x_high += 1;
  }
  return f;
}

dperm_status audit_picture_write(const audit_picture *p, const char *path, dperm_error *err) {
  frame f = choose_frame(p);
  double y[2][BINS], reach = p->epsilon / log(10);
  for (int side = 0; side < 2; side++) {
    log_density(p->outcome[side], p->count, &f, y[side]);
    for (size_t b = 0; b < BINS; b++) {
      f.y_low = fmin(f.y_low, y[side][b] - reach); /* a NAN is left out */
      f.y_high = fmax(f.y_high, y[side][b] + reach);
    }
  }
  if (!(f.y_high > f.y_low)) {
    f.y_low = -1;
    f.y_high = 1;
  }
  OWNED(atomic_file_discard) atomic_file file = {0};
  TRY(atomic_file_open(path, &file, err));
  FILE *out = file.stream;
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
          "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\">\n"
          "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
          WIDTH, HEIGHT, WIDTH, HEIGHT);
  draw_axes(out, &f);
  draw_band(out, &f, y[1], reach);
  const char *dashed = "fill=\"none\" stroke=\"#b3541e\" stroke-dasharray=\"4 3\"";
  draw_steps(out, &f, y[1], reach, dashed);
  draw_steps(out, &f, y[1], -reach, dashed);
  draw_steps(out, &f, y[1], 0, "fill=\"none\" stroke=\"#b3541e\" stroke-width=\"2\"");
  draw_steps(out, &f, y[0], 0, "fill=\"none\" stroke=\"#1f5fa8\" stroke-width=\"2\"");
  draw_words(out, p);
  fprintf(out, "</svg>\n");
  return atomic_file_commit(&file, err);
}
