/* See error_interval.h. With q = e^(−rate), Σ over |k| > t of P(Y = k) is
 *
 *   one variable    2q^(t+1)/(1+q)
 *   two of them     2q^(t+1)·[(1−q)(t+1)/(1+q)² + q/(1+q)² + (1+q²)/(1+q)³],
 *
 * the second from P(Y = k) = ((1−q)/(1+q))²·q^|k|·(|k| + (1+q²)/(1−q²)). Both fall in t. */
#include "score/error_interval.h"

#include <math.h>
#include <stdbool.h>

static double tail(double rate, int summands, double t) {
  double q = exp(-rate), s = 1 + q;
  double power = 2 * exp(-rate * (t + 1));
  if (summands == 1) {
    return power / s;
  }
  return power * (-expm1(-rate) * (t + 1) / (s * s) + q / (s * s) + (1 + q * q) / (s * s * s));
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

static double share(double count, size_t rows) {
  return fmin(fmax(count / (double)rows, 0.0), 1.0);
}

error_interval sample_interval(int64_t noisy_errors, size_t rows, double rate, int summands) {
  double errors = (double)noisy_errors, reach = noise_reach(rate, summands, 0.05);
  return (error_interval){share(errors - reach, rows), share(errors + reach, rows)};
}

/* kl(a‖p) for Bernoulli variables. */
static double divergence(double a, double p) {
  double hit = a > 0 ? a * log(a / p) : 0, other = a < 1 ? (1 - a) * log((1 - a) / (1 - p)) : 0;
  return hit + other;
}

/* How far from `a` towards `end` a probability can lie with n·kl(a‖p) ≤ log(1/miss). */
static double furthest(double a, double end, double rows, double miss) {
  double near = a, far = end, allowed = -log(miss) / rows;
  for (int i = 0; i < 100; i++) {
    double middle = near + (far - near) / 2;
    bool possible = divergence(a, middle) <= allowed;
    near = possible ? middle : near;
    far = possible ? far : middle;
  }
  return far;
}

error_interval population_interval(int64_t noisy_errors, size_t rows, double rate, int summands) {
  double errors = (double)noisy_errors, reach = noise_reach(rate, summands, 0.025);
  return (error_interval){furthest(share(errors - reach, rows), 0, (double)rows, 0.0125),
                          furthest(share(errors + reach, rows), 1, (double)rows, 0.0125)};
}

/* ---- without the number of rows */

/* Counts between which both lie but for `miss`, a half of it each. */
typedef struct count_box {
  double errors_low, errors_high, correct_low, correct_high;
} count_box;

static count_box box_of(const noisy_counts *noisy, double rate, int summands, double miss) {
  double errors = (double)noisy->errors, correct = (double)noisy->correct;
  double reach = noise_reach(rate, summands, miss / 2);
  return (count_box){.errors_low = fmax(errors - reach, 0),
                     .errors_high = fmax(errors + reach, 0),
                     .correct_low = fmax(correct - reach, 0),
                     .correct_high = fmax(correct + reach, 0)};
}

/* errors/(errors + correct); where there are none of either anything may be. */
static double rate_of(double errors, double correct, double nothing) {
  return errors + correct > 0 ? errors / (errors + correct) : nothing;
}

double noisy_rate(const noisy_counts *noisy) {
  return rate_of(fmax((double)noisy->errors, 0), fmax((double)noisy->correct, 0), (double)NAN);
}

/* The share of errors grows with them and falls with what is correct: its ends are at corners. */
error_interval sample_interval_of_counts(const noisy_counts *noisy, double rate, int summands) {
  const count_box box = box_of(noisy, rate, summands, 0.05);
  return (error_interval){rate_of(box.errors_low, box.correct_high, 0),
                          rate_of(box.errors_high, box.correct_low, 1)};
}

/* So do the ends of Chernoff's interval. With E errors, C correct and n = E + C, n·kl(E/n‖p) has
 * the derivatives log(E/(np)) by E and log(C/(n(1−p))) by C: below E/n the first is positive and
 * the second negative, so more errors push the lower end up and more that is correct lets it down;
 * above it is the other way round for the upper end. */
error_interval population_interval_of_counts(const noisy_counts *noisy, double rate, int summands) {
  const count_box box = box_of(noisy, rate, summands, 0.025);
  const error_interval ends = {rate_of(box.errors_low, box.correct_high, 0),
                               rate_of(box.errors_high, box.correct_low, 1)};
  return (error_interval){furthest(ends.low, 0, box.errors_low + box.correct_high, 0.0125),
                          furthest(ends.high, 1, box.errors_high + box.correct_low, 0.0125)};
}
