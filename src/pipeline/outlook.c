/* Bisection: both excess_loss and noise_to_signal fall with ε and with the number of rows. (With
 * the paper's Δ, which jumps, they may do so only nearly; what is found is a crossing all the
 * same.) */
#include "pipeline/outlook.h"

#include <math.h>

#include "release/numerics.h"

/* More rows than anybody has; doubles hold all whole numbers up to there. */
static const size_t most_rows = (size_t)1 << 50;

/* ε of a plan lies between these (calibrate.c). */
static const double least_epsilon = 1e-9, most_epsilon = 100.0;

outlook outlook_of(const public_numbers *given, const privacy_plan *plan, double noise_norm_q95) {
  outlook o = {*given, noise_norm_q95 * plan->noise.beta};
  for (dperm_noise kind = DPERM_NOISE_L2; noise_kind_of(kind); kind++) {
    if (noise_kind_of(kind) == plan->noise.kind) {
      o.given.noise = kind; /* which is the best depends on the rows' bounds alone */
    }
  }
  return o;
}

/* Where there is no such plan, there is no promise. */
static bool beats_coin(const outlook *o, double epsilon, size_t rows) {
  public_numbers g = o->given;
  privacy_plan plan;
  g.rows = rows;
  g.epsilon = epsilon;
  g.epsilon_core = epsilon_divide(epsilon).core;
  return calibrate(&g, &plan, NULL) == DPERM_OK &&
         excess_loss(&g, &plan, o->q95 / plan.noise.beta) < coin_loss(g.loss);
}

double outlook_epsilon(const outlook *o) {
  double low = least_epsilon, high = most_epsilon;
  if (!beats_coin(o, high, o->given.rows)) {
    return (double)NAN;
  }
  if (beats_coin(o, low, o->given.rows)) {
    return low;
  }
  while (high > low * (1 + 1e-6)) {
    double middle = sqrt(low * high);
    if (beats_coin(o, middle, o->given.rows)) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return high;
}

/* The smallest number of rows from `low` on that is enough. */
static size_t fewest_rows(const outlook *o, size_t low, double goal,
                          bool (*enough)(const outlook *o, size_t rows, double goal)) {
  size_t high = low;
  while (high <= most_rows && !enough(o, high, goal)) {
    low = high + 1;
    high = 2 * high;
  }
  if (high > most_rows) {
    return 0;
  }
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (enough(o, middle, goal)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return high;
}

static bool rows_beat_coin(const outlook *o, size_t rows, double goal) {
  (void)goal;
  return beats_coin(o, o->given.epsilon, rows);
}

size_t outlook_rows(const outlook *o) {
  return fewest_rows(o, 1, 0, rows_beat_coin);
}

static bool rows_reach(const outlook *o, size_t rows, double goal) {
  public_numbers g = o->given;
  privacy_plan plan;
  g.rows = rows;
  return calibrate(&g, &plan, NULL) == DPERM_OK && noise_to_signal(&g, &plan) <= goal;
}

size_t outlook_rows_to_halve(const outlook *o, double noise_to_signal) {
  return fewest_rows(o, o->given.rows, noise_to_signal / 2, rows_reach);
}
