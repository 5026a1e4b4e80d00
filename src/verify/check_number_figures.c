/* The figures of a regression's evaluation, derived again from the sums with noise that the file
 * carries, and the finding from the figures (docs/proofs/evaluation.md 4, docs/formats.md). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/functions.h"
#include "verify/checks.h"
#include "verify/derived_figure.h"

/* Records up to the value and above it; distances over and under, their squares, of these those of
 * the ones over, fourth powers; the same of the constant; squares of what the model gains. */
enum { UPTO, ABOVE, OVER, UNDER, SQUARE, OVERS, FOURTH, C_OVER, C_UNDER, C_SQUARE, GAIN, ALL };

typedef struct stated {
  verifier *v;
  const json_t *evaluation;
  double half, middle, cap, c_cap, center, tau;
  double rows, records; /* 0 where nobody knows, and what there seem to be */
  double sum[ALL], variance[ALL];
  double c_mean, c_squares;
  bool quantile;
  const char *wrong; /* what does not follow, the first of it */
} stated;

/* A figure θ: where Σ over·sum − θ·(Σ under·sum + rows) is 0, with what sampling adds to its
 * variance, a polynomial of θ. */
typedef struct derived {
  const stated *s;
  double over[ALL], under[ALL], rows;
  double up, down; /* of the sums */
  double sampling[3], doubt;
  double squared; /* deviation, for each θ, of what noise alone adds to a square */
} derived;

static bool possible(const void *context, double theta) {
  const derived *d = context;
  double all =
      fmax(d->sampling[0] + theta * (d->sampling[1] + theta * d->sampling[2]), 0) + d->doubt;
  double fourths = 0;
  all += theta * theta * d->squared * d->squared;
  for (size_t i = 0; i < ALL; i++) {
    const double w = d->over[i] - theta * d->under[i], v = w * w * d->s->variance[i];
    const double small = i > ABOVE ? ldexp(1, -40) : 1; /* a whole number's square */
    all += v;
    fourths += v * (w * w * small + 3 * v); /* of discrete Laplace noise */
  }
  const double apart = d->up - theta * d->down, z = 1.959963984540054;
  const double wide = z * (1 + (all > 0 ? fmin(fourths / (all * all), 6) : 0) * (z * z - 3) / 24);
  return apart * apart <= wide * wide * all;
}

static held_figure solve(const derived *d, double most) {
  return figure_held(possible, d, d->up, d->down, 0, most);
}

/* The mean of something: by the number of records. */
static derived mean_of(const stated *s) {
  derived d = {.s = s, .rows = s->rows, .down = s->records};
  d.under[UPTO] = d.under[ABOVE] = s->rows > 0 ? 0 : 1;
  d.sampling[2] = s->records;
  return d;
}

static void expect(stated *s, bool follows, const char *what) {
  s->wrong = s->wrong || follows ? s->wrong : what;
}

static bool same(const json_t *value, double is) {
  return isfinite(is) ? json_is_number(value) &&
                            fabs(json_number_value(value) - is) <= 2e-6 * fabs(is) + 1e-9
                      : json_is_null(value);
}

static void expect_figure(stated *s, const char *key, held_figure f) {
  const json_t *object = json_object_get(s->evaluation, key);
  expect(s,
         same(json_object_get(object, "value"), f.value) &&
             same(json_object_get(object, "low"), f.low) &&
             same(json_object_get(object, "high"), f.high),
         key);
}

static void expect_constant(stated *s, const char *key, bool there, double is) {
  const json_t *value = json_object_get(json_object_get(s->evaluation, "baseline"), key);
  expect(s, there ? same(value, is) : !value, "baseline");
}

/* ---- reading */

static double number_at(const stated *s, const char *path) {
  const json_t *value = field_at(s->evaluation, path);
  return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* Rates have 20 bits, rounded down. */
static double cut(double x) {
  int exponent = 0;
  const double part = frexp(x, &exponent);
  return ldexp(floor(ldexp(part, 20)), exponent - 20);
}

/* Thirty-seconds of epsilon: two for each of three questions, and these. */
static void describe_noise(stated *s) {
  static const double parts[ALL] = {1, 1, 3, 3, 5, 2, 3, 2, 2, 3, 1};
  const double persons = number_at(s, "rows_per_person");
  const double part = cut(number_at(s, "epsilon") / fmax(persons, 1) / 32);
  for (size_t i = 0; i < ALL; i++) {
    const bool counts = i <= ABOVE;
    const double rate = part * (counts && by_adding(s->v) ? 2 : parts[i]);
    const double half = math_sinh((counts ? rate : ldexp(rate, -20)) / 2);
    s->variance[i] = ldexp(0.5 / (half * half), counts ? 0 : -40);
  }
}

static bool read_sums(stated *s) {
  const json_t *sums = json_object_get(s->evaluation, "sums"),
               *lists[2] = {json_object_get(sums, "counts"), json_object_get(sums, "sums")};
  bool whole = json_array_size(lists[0]) == 2 && json_array_size(lists[1]) == ALL - 2;
  for (size_t i = 0; i < ALL; i++) {
    const json_t *own = i < 2 ? json_array_get(lists[0], i) : json_array_get(lists[1], i - 2);
    whole = whole && json_is_integer(own);
    s->sum[i] = (i < 2 ? 1 : ldexp(1, -20)) * (double)json_integer_value(own);
  }
  return whole;
}

static bool read_stated(stated *s) {
  const double least = json_number_value(field_at(s->v->root, "label.min")),
               most = json_number_value(field_at(s->v->root, "label.max"));
  const json_t *quantile = field_at(s->v->root, "loss.quantile");
  s->quantile = json_is_number(quantile);
  s->tau = s->quantile ? json_number_value(quantile) : 0.5;
  s->half = most / 2 - least / 2;
  s->middle = most / 2 + least / 2;
  s->cap = number_at(s, "sums.clamped_at") / s->half;
  s->c_cap = number_at(s, "sums.around_clamped_at") / s->half;
  s->center = number_at(s, "sums.around");
  s->rows = json_number_value(json_object_get(s->evaluation, "rows"));
  if (!read_sums(s) || !(s->cap > 0 && s->cap <= 2 && s->c_cap > 0 && s->c_cap <= 2) ||
      !(fabs(s->center - s->middle) <= s->half)) {
    return false;
  }
  describe_noise(s);
  s->records = s->rows > 0 ? s->rows : fmax(s->sum[UPTO] + s->sum[ABOVE], 0);
  const double sum = s->sum[C_OVER] - s->sum[C_UNDER],
               noise = s->variance[C_OVER] + s->variance[C_UNDER];
  if (s->records > 0) {
    s->c_mean = s->c_cap * sum / s->records;
    s->c_squares = s->c_cap * s->c_cap * (s->sum[C_SQUARE] - (sum * sum - noise) / s->records);
  }
  return true;
}

/* ---- figures */

static void check_squares(stated *s) {
  derived d = mean_of(s);
  d.over[SQUARE] = 1;
  d.up = s->sum[SQUARE];
  d.sampling[0] = s->sum[FOURTH];
  d.sampling[1] = -2 * s->sum[SQUARE];
  d.doubt = sqrt(s->variance[FOURTH]);
  const held_figure f = solve(&d, 1);
  const double unit = s->half * s->cap;
  expect_figure(s, "rmse",
                (held_figure){unit * sqrt(f.value), unit * sqrt(f.low), unit * sqrt(f.high)});
}

static void check_distances(stated *s, const char *key, double over, double under) {
  derived d = mean_of(s);
  const double unit = s->half * s->cap, more = over * over - under * under;
  d.over[OVER] = over;
  d.over[UNDER] = under;
  d.up = over * s->sum[OVER] + under * s->sum[UNDER];
  d.sampling[0] = under * under * s->sum[SQUARE] + more * s->sum[OVERS];
  d.sampling[1] = -2 * d.up;
  d.doubt =
      sqrt(under * under * under * under * s->variance[SQUARE] + more * more * s->variance[OVERS]);
  const held_figure f = solve(&d, fmax(over, under));
  expect_figure(s, key, (held_figure){unit * f.value, unit * f.low, unit * f.high});
}

static void check_share(stated *s) {
  derived d = mean_of(s);
  d.over[UPTO] = 1;
  d.up = s->sum[UPTO];
  d.sampling[1] = s->records;
  d.sampling[2] = -s->records;
  expect_figure(s, "at_or_below", solve(&d, 1));
}

/* 1 − R², what is left of the constant's squares; it may seem up to 10. */
static void check_r2(stated *s) {
  const double most = 10, model = s->cap * s->cap, base = s->c_cap * s->c_cap,
               left = s->c_squares > 0 ? fmin(fmax(model * s->sum[SQUARE], 0) / s->c_squares, most)
                                       : 1,
               unit = fmax(model, left * base);
  derived d = {.s = s, .up = model * s->sum[SQUARE], .down = s->c_squares};
  d.over[SQUARE] = model;
  d.under[C_SQUARE] = base;
  d.under[C_OVER] = -2 * s->c_mean * s->c_cap;
  d.under[C_UNDER] = 2 * s->c_mean * s->c_cap;
  d.sampling[0] = unit * unit * s->sum[GAIN];
  d.doubt = unit * unit * sqrt(s->variance[GAIN]);
  d.squared = 2 * base * (s->variance[C_OVER] + s->variance[C_UNDER]) / fmax(s->records, 1);
  const held_figure f = solve(&d, most);
  expect_figure(s, "r2", (held_figure){1 - f.value, 1 - f.high, 1 - f.low});
}

static double in_range(const stated *s, double x) {
  return fmin(fmax(x, s->middle - s->half), s->middle + s->half);
}

static void check_baseline(stated *s) {
  const double n = s->records > 0 ? s->records : (double)NAN, unit = s->half * s->c_cap / n;
  const double over = unit * s->sum[C_OVER], under = unit * s->sum[C_UNDER];
  expect_constant(s, "mean", true, in_range(s, s->center - s->half * s->c_mean) * n / n);
  expect_constant(s, "rmse", true, s->half * sqrt(fmax(s->c_squares, 0) / n));
  expect_constant(s, "median", s->tau == 0.5, s->center);
  expect_constant(s, "mae", s->tau == 0.5, isnan(n) ? n : fmax(over + under, 0));
  expect_constant(s, "quantile", s->quantile, s->center);
  expect_constant(s, "pinball", s->quantile,
                  isnan(n) ? n : fmax((1 - s->tau) * over + s->tau * under, 0));
}

/* ---- words */

static const char *verdict(bool better, bool worse) {
  return better ? "errs less than" : worse ? "is no better than" : "is not shown to be better than";
}

static bool words_follow(const stated *s) {
  char text[512], explained[32] = "";
  if (!isnan(number_at(s, "r2.value"))) {
    (void)snprintf(explained, sizeof explained, "; R² %.3f", number_at(s, "r2.value"));
  }
  const double low = number_at(s, "r2.low"), high = number_at(s, "r2.high");
  if (s->quantile) {
    const double loss = number_at(s, "baseline.pinball"), tau = s->tau;
    const double apart =
        1.959963984540054 * s->half * s->c_cap / s->records *
        sqrt((1 - tau) * (1 - tau) * s->variance[C_OVER] + tau * tau * s->variance[C_UNDER]);
    (void)snprintf(text, sizeof text,
                   "the model %s always saying %.4g: pinball loss %.4g, against %.4g; %.1f percent "
                   "of the labels are at or below its values",
                   verdict(number_at(s, "pinball.high") < loss - apart,
                           number_at(s, "pinball.low") > loss + apart),
                   s->center, number_at(s, "pinball.value"), loss,
                   100 * number_at(s, "at_or_below.value"));
  } else if (low <= 0 && high > 0 && high - low >= 0.5) {
    (void)snprintf(
        text, sizeof text,
        "the noise hides how good the model is: too few records for this epsilon to tell "
        "whether it is better than always saying one number (R² from %.3g to %.3g)",
        low, high);
  } else {
    (void)snprintf(text, sizeof text,
                   "the model %s always saying %.4g: RMSE %.4g, against %.4g%s; mean absolute "
                   "error %.4g, against %.4g of the median",
                   verdict(low > 0, high <= 0), number_at(s, "baseline.mean"),
                   number_at(s, "rmse.value"), number_at(s, "baseline.rmse"), explained,
                   number_at(s, "mae.value"), number_at(s, "baseline.mae"));
  }
  return field_is(s->evaluation, "finding", text);
}

void check_number_figures(verifier *v, const json_t *evaluation) {
  stated s = {.v = v, .evaluation = evaluation};
  if (!read_stated(&s)) {
    fails(v, "figures", "evaluation.sums has no sums that figures could follow from");
    return;
  }
  expect(&s, number_at(&s, "confidence") == 0.95, "confidence");
  expect(&s, field_is(evaluation, "intervals", "noise and sampling"), "intervals");
  check_squares(&s);
  check_distances(&s, "mae", 1, 1);
  check_r2(&s);
  if (s.quantile) {
    check_distances(&s, "pinball", 1 - s.tau, s.tau);
    check_share(&s);
  }
  check_baseline(&s);
  const double apart = s.sum[UPTO] + s.sum[ABOVE] - s.rows;
  expect(&s, s.rows == 0 || fabs(apart) <= 50 * sqrt(2 * s.variance[UPTO]), "sums.counts");
  expect(&s, s.quantile == (json_object_get(evaluation, "pinball") != NULL), "pinball");
  expect(&s, s.quantile == (json_object_get(evaluation, "at_or_below") != NULL), "at_or_below");
  if (s.wrong) {
    fails(v, "figures", "evaluation.%s does not follow from its sums", s.wrong);
  } else if (finding(v, true, "figures", "all figures and intervals follow from the sums")) {
    finding(v, words_follow(&s), "words", "the finding says what the figures do");
  }
}
