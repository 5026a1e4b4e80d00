/* Every figure θ is where T(θ) = A − θB is expected to be 0, with A and B sums of counts (or of
 * products of one count of each class, whose noise is independent). The interval has all θ for
 * which T(θ)² ≤ z²·Var T(θ) (Fieller), since noise does not spare denominators. The variance is
 * that of sampling, which the counts themselves estimate (of a rate: θ(1 − θ)B, as Wilson), and
 * that of the noise, which is known. Sums of few Laplace variables have longer tails than normal
 * ones: z is that of a law with the noise's fourth cumulant (Cornish & Fisher). */
#include "evaluate/figures.h"

#include <math.h>

static const double z_usual = 1.959963984540054;
enum { HALVINGS = 60, PLACES = 256 };

static double quantile(const statistic *s) {
  const double excess = s->variance > 0 ? s->fourth / (s->variance * s->variance) : 0;
  return z_usual * (1 + fmin(excess, 6) * (z_usual * z_usual - 3) / 24);
}

static bool possible(statistic_at *at, const void *context, double theta) {
  const statistic s = at(context, theta);
  const double z = quantile(&s);
  return s.t * s.t <= z * z * s.variance;
}

/* How far from `from`, where T is 0, towards `end` θ is possible. */
static double furthest(statistic_at *at, const void *context, double from, double end) {
  double near = from, far = end;
  if (possible(at, context, end)) {
    return end;
  }
  for (int i = 0; i < HALVINGS; i++) {
    const double middle = near + (far - near) / 2;
    const bool inside = possible(at, context, middle);
    near = inside ? middle : near;
    far = inside ? far : middle;
  }
  return near;
}

static double within(double x, double least, double most) {
  return fmin(fmax(x, least), most);
}

/* Where noise leaves no denominator there is no value, but still not every θ may be possible: the
 * ends of those that are, to a 256th. */
static figure figure_without(statistic_at *at, const void *context, double least, double most) {
  figure f = {(double)NAN, least, most};
  bool any = false;
  for (int i = 0; i <= PLACES; i++) {
    const double theta = least + (most - least) * i / PLACES;
    if (possible(at, context, theta)) {
      f.low = any ? f.low : fmax(theta - (most - least) / PLACES, least);
      f.high = fmin(theta + (most - least) / PLACES, most);
      any = true;
    }
  }
  return f;
}

figure figure_at(statistic_at *at, const void *context, double over, double under, double least,
                 double most) {
  if (!(under > 0)) {
    return figure_without(at, context, least, most);
  }
  const double theta = over / under;
  const double low = furthest(at, context, theta, fmin(theta, least)),
               high = furthest(at, context, theta, fmax(theta, most));
  /* All of it beyond what can be: the end itself, and as much as there was on that side. The end is
   * no further from the truth than θ is. */
  if (high < least) {
    return (figure){least, least, fmin(least + (high - theta), most)};
  }
  if (low > most) {
    return (figure){most, fmax(most - (theta - low), least), most};
  }
  return (figure){within(theta, least, most), within(low, least, most), within(high, least, most)};
}

figure figure_moved(figure f, double value) {
  const double by = value - f.value;
  return (figure){value, f.low + by, f.high + by};
}

/* ---- ratios of sums */

static size_t table_size(const count_table *t) {
  return t->classes * t->cells;
}

static double under_of(const count_ratio *r, size_t i) {
  return r->under ? r->under[i] : 1;
}

static double sum_under(const count_ratio *r) {
  double sum = 0;
  for (size_t i = 0; i < table_size(r->of); i++) {
    sum += under_of(r, i) * (double)r->of->counts[i];
  }
  return !r->under && r->of->rows > 0 ? (double)r->of->rows : sum;
}

static statistic ratio_at(const void *context, double theta) {
  const count_ratio *r = context;
  const count_table *t = r->of;
  const bool known = !r->under && t->rows > 0; /* the denominator has no noise */
  const double under = sum_under(r);
  double over = 0, sampling = 0, squares = 0, fourths = 0;
  for (size_t i = 0; i < table_size(t); i++) {
    const double count = (double)t->counts[i], own = r->over[i];
    const double apart = own - theta * under_of(r, i), noisy = known ? own : apart;
    over += own * count;
    sampling += apart * apart * count;
    squares += noisy * noisy;
    fourths += noisy * noisy * noisy * noisy;
  }
  if (r->rate) {
    sampling = theta * (1 - theta) * under;
  }
  return (statistic){over - theta * under, fmax(sampling, 0) + t->variance * squares,
                     t->fourth * fourths};
}

figure ratio_figure(const count_ratio *r) {
  double over = 0;
  for (size_t i = 0; i < table_size(r->of); i++) {
    over += r->over[i] * (double)r->of->counts[i];
  }
  return figure_at(ratio_at, r, over, sum_under(r), r->least, r->most);
}

/* ---- the area under the ROC curve: A = Σ P_k·(N_<k + N_k/2), B = ΣP·ΣN */

/* What the areas are made of: totals of both classes. */
typedef struct curve {
  const count_table *of;
  double totals[2];
} curve;

/* Σ over pairs of (win − θ), and of its derivatives by the counts: the terms of the variance. A
 * derivative is itself noisy, which the last term takes back. */
static statistic area_at(const void *context, double theta) {
  const curve *c = context;
  const count_table *t = c->of;
  const double cells = (double)t->cells;
  double below[2] = {0, 0}, area = 0, sampling = 0, squares = 0, fourths = 0;
  for (size_t k = 0; k < t->cells; k++) {
    const double own[2] = {(double)t->counts[k], (double)t->counts[t->cells + k]};
    /* of one more positive here; and of one more negative, whom the positives above win against */
    const double slopes[2] = {c->totals[1] - below[1] - own[1] / 2 - theta * c->totals[1],
                              below[0] + own[0] / 2 - theta * c->totals[0]};
    area += own[1] * slopes[1];
    for (size_t y = 0; y < 2; y++) {
      const double square = slopes[y] * slopes[y];
      sampling += own[y] * square;
      squares += square;
      fourths += square * square;
      below[y] += own[y];
    }
  }
  /* Σ over pairs of cells of (win − θ)²: half of them, but for those of equals, have a win */
  const double pairs = cells * (cells - 1) / 2;
  const double twice =
      t->variance * t->variance *
      (pairs * ((1 - theta) * (1 - theta) + theta * theta) + cells * (0.5 - theta) * (0.5 - theta));
  const double noise = t->variance * squares - twice;
  return (statistic){area, fmax(sampling, 0) + fmax(noise, twice), t->fourth * fourths};
}

figure auc_figure(const count_table *t) {
  curve c = {.of = t};
  for (size_t i = 0; i < table_size(t); i++) {
    c.totals[i / t->cells] += (double)t->counts[i];
  }
  if (!(c.totals[0] > 0 && c.totals[1] > 0)) {
    return (figure){(double)NAN, 0, 1};
  }
  const double pairs = c.totals[0] * c.totals[1];
  return figure_at(area_at, &c, area_at(&c, 0).t, pairs, 0, 1);
}
