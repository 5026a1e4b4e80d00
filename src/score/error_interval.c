/* See error_interval.h. With q = e^(−rate), Σ over |k| > t of P(Y = k) is
 *
 *   one variable    2q^(t+1)/(1+q)
 *   two of them     2q^(t+1)·[(1−q)(t+1)/(1+q)² + q/(1+q)² + (1+q²)/(1+q)³],
 *
 * the second from P(Y = k) = ((1−q)/(1+q))²·q^|k|·(|k| + (1+q²)/(1−q²)). Both fall in t. */
#include "score/error_interval.h"

#include <math.h>
#include <stdbool.h>

#include "base/functions.h"

static double tail(double rate, int summands, double t) {
  double q = math_exp(-rate), s = 1 + q;
  double power = 2 * math_exp(-rate * (t + 1));
  if (summands == 1) {
    return power / s;
  }
  return power * (-math_expm1(-rate) * (t + 1) / (s * s) + q / (s * s) + (1 + q * q) / (s * s * s));
}

double noise_reach(double rate, int summands, double miss) {
  double below = -1, reach = 1; /* tail(below) > miss ≥ tail(reach) */
  const double limit = miss * (1 - 1e-9);
  while (tail(rate, summands, reach) > limit) {
    below = reach;
    reach *= 2;
  }
  while (reach - below > 1) {
    double middle = floor((below + reach) / 2);
    bool short_of = tail(rate, summands, middle) > limit;
    below = short_of ? middle : below;
    reach = short_of ? reach : middle;
  }
  return reach;
}

/* errors/(errors + correct); where there are none of either anything may be. */
static double rate_of(double errors, double correct, double nothing) {
  return errors + correct > 0 ? errors / (errors + correct) : nothing;
}

double noisy_rate(const noisy_counts *noisy) {
  double errors = fmax((double)noisy->errors, 0), rows = (double)noisy->rows;
  return noisy->rows > 0 ? fmin(errors / rows, 1.0)
                         : rate_of(errors, fmax((double)noisy->correct, 0), (double)NAN);
}

/* The smallest and the largest share that the noise allows but for `miss`, and of how many rows. */
typedef struct share_ends {
  double low, high, low_rows, high_rows;
} share_ends;

/* The share of errors grows with them and falls with what is correct: its ends are at corners of
 * the box of both counts, each of which may miss by a half. */
static share_ends ends_of(const noisy_counts *noisy, double miss) {
  bool known = noisy->rows > 0;
  double errors = (double)noisy->errors, correct = (double)noisy->correct;
  double rows = (double)noisy->rows;
  double reach = noise_reach(noisy->rate, noisy->summands, known ? miss : miss / 2);
  double least = fmax(errors - reach, 0), most = fmax(errors + reach, 0);
  if (known) {
    return (share_ends){fmin(least / rows, 1.0), fmin(most / rows, 1.0), rows, rows};
  }
  double right_least = fmax(correct - reach, 0), right_most = fmax(correct + reach, 0);
  return (share_ends){rate_of(least, right_most, 0), rate_of(most, right_least, 1),
                      least + right_most, most + right_least};
}

error_interval sample_interval(const noisy_counts *noisy) {
  const share_ends ends = ends_of(noisy, 0.05);
  return (error_interval){ends.low, ends.high};
}

/* kl(a‖p) for Bernoulli variables. */
static double divergence(double a, double p) {
  double hit = a > 0 ? a * math_log(a / p) : 0,
         other = a < 1 ? (1 - a) * math_log((1 - a) / (1 - p)) : 0;
  return hit + other;
}

/* How far from `a` towards `end` a probability can lie with n·kl(a‖p) ≤ log(1/miss). */
static double furthest(double a, double end, double rows, double miss) {
  double near = a, far = end, allowed = -math_log(miss) / rows;
  for (int i = 0; i < 100; i++) {
    double middle = near + (far - near) / 2;
    bool possible = divergence(a, middle) <= allowed;
    near = possible ? middle : near;
    far = possible ? far : middle;
  }
  return far;
}

/* The ends of Chernoff's interval are at the same corners. With E errors, C correct and n = E + C,
 * n·kl(E/n‖p) has the derivatives log(E/(np)) by E and log(C/(n(1−p))) by C: below E/n the first is
 * positive and the second negative, so more errors push the lower end up and more that is correct
 * lets it down; above it is the other way round for the upper end. */
error_interval population_interval(const noisy_counts *noisy) {
  const share_ends ends = ends_of(noisy, 0.025);
  return (error_interval){furthest(ends.low, 0, ends.low_rows, 0.0125),
                          furthest(ends.high, 1, ends.high_rows, 0.0125)};
}
