/* See derived_figure.h. Doubles do: no claim rests on figures. */
#include "verify/derived_figure.h"

#include <math.h>

enum { HALVINGS = 60, SCANNED = 256 };

void estimate_take(estimate *e, double over, double count) {
  e->terms[e->count++] = (figure_term){over, 1, count};
  e->over += over * count;
  e->under += e->known ? 0 : count;
}

static bool possible(const estimate *e, double theta) {
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

static double furthest(const estimate *e, double from, double end) {
  double near = from, far = end;
  if (possible(e, end)) {
    return end;
  }
  for (int i = 0; i < HALVINGS; i++) {
    const double middle = near + (far - near) / 2;
    *(possible(e, middle) ? &near : &far) = middle;
  }
  return near;
}

/* Where there is no value: the ends of what is possible all the same. */
static void solve_without(estimate *e) {
  const double step = (e->most - e->least) / SCANNED;
  bool any = false;
  e->value = (double)NAN;
  e->low = e->least;
  e->high = e->most;
  for (int i = 0; i <= SCANNED; i++) {
    const double theta = e->least + (e->most - e->least) * i / SCANNED;
    if (possible(e, theta)) {
      e->low = any ? e->low : fmax(theta - step, e->least);
      e->high = fmin(theta + step, e->most);
      any = true;
    }
  }
}

static double within(const estimate *e, double x) {
  return fmin(fmax(x, e->least), e->most);
}

void estimate_solve(estimate *e) {
  if (!(e->under > 0)) {
    solve_without(e);
    return;
  }
  const double theta = e->over / e->under;
  const double low = furthest(e, theta, fmin(theta, e->least)),
               high = furthest(e, theta, fmax(theta, e->most));
  e->value = within(e, theta);
  /* wholly beyond what can be: the end, and as much as there was on its side */
  e->low = low > e->most ? fmax(e->most - (theta - low), e->least) : within(e, low);
  e->high = high < e->least ? fmin(e->least + (high - theta), e->most) : within(e, high);
}
