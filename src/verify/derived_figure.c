/* See derived_figure.h. Doubles do: no claim rests on figures. */
#include "verify/derived_figure.h"

#include <math.h>

enum { HALVINGS = 60, SCANNED = 256 };

void estimate_take(estimate *e, double over, double count) {
  e->terms[e->count++] = (figure_term){over, 1, count};
  e->over += over * count;
  e->under += e->known ? 0 : count;
}

static bool possible_of_counts(const void *context, double theta) {
  const estimate *e = context;
  const double v = e->variance, m = e->paired, apart = e->over - theta * e->under;
  double sampling = 0, squares = 0, fourths = 0;
  for (size_t i = 0; i < e->count; i++) {
    const figure_term *t = &e->terms[i];
    const double own = t->over - theta * t->under, noisy = e->known ? t->over : own;
    sampling += own * own * t->count;
    squares += noisy * noisy;
    fourths += noisy * noisy * noisy * noisy;
  }
  sampling = e->share ? theta * (1 - theta) * e->under : sampling;
  /* the sum over all pairs of cells of (1, 1/2 or 0 - theta)², m of them equal */
  const double twice = v * v * (m * m * (theta * theta - theta + 0.5) - m / 4);
  const double all = fmax(sampling, 0) + fmax(v * squares - twice, twice);
  /* the fourth cumulant of discrete Laplace noise is v(1 + 3v) */
  const double excess = all > 0 ? fmin(v * (1 + 3 * v) * fourths / (all * all), 6) : 0;
  const double z = 1.959963984540054, wide = z * (1 + excess * (z * z - 3) / 24);
  return apart * apart <= wide * wide * all;
}

/* ---- from what is possible to an interval */

static double furthest(possible_at *possible, const void *context, double from, double end) {
  double near = from, far = end;
  if (possible(context, end)) {
    return end;
  }
  for (int i = 0; i < HALVINGS; i++) {
    const double middle = near + (far - near) / 2;
    *(possible(context, middle) ? &near : &far) = middle;
  }
  return near;
}

/* Where there is no value: the ends of what is possible all the same. */
static held_figure held_without(possible_at *possible, const void *context, double least,
                                double most) {
  const double step = (most - least) / SCANNED;
  held_figure f = {(double)NAN, least, most};
  bool any = false;
  for (int i = 0; i <= SCANNED; i++) {
    const double theta = least + (most - least) * i / SCANNED;
    if (possible(context, theta)) {
      f.low = any ? f.low : fmax(theta - step, least);
      f.high = fmin(theta + step, most);
      any = true;
    }
  }
  return f;
}

held_figure figure_held(possible_at *possible, const void *context, double over, double under,
                        double least, double most) {
  if (!(under > 0)) {
    return held_without(possible, context, least, most);
  }
  const double theta = over / under;
  const double low = furthest(possible, context, theta, fmin(theta, least)),
               high = furthest(possible, context, theta, fmax(theta, most));
  /* wholly beyond what can be: the end, and as much as there was on its side */
  return (held_figure){
      fmin(fmax(theta, least), most),
      low > most ? fmax(most - (theta - low), least) : fmin(fmax(low, least), most),
      high < least ? fmin(least + (high - theta), most) : fmin(fmax(high, least), most)};
}

void estimate_solve(estimate *e) {
  const held_figure f = figure_held(possible_of_counts, e, e->over, e->under, e->least, e->most);
  e->value = f.value;
  e->low = f.low;
  e->high = f.high;
}
