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

/* A plan's public numbers, of a row, with the kind of noise that was chosen. */
typedef struct variation {
  public_numbers given;
  double q95; /* the noise's 0.95-quantile times β: the same for every β */
} variation;

/* Whether a plan for these ε and rows brings excess_loss below that of a coin, or where `goal` is
 * a number noise_to_signal down to it. Where there is no plan, it does not. */
static bool reaches(const variation *v, double epsilon, size_t rows, double goal) {
  public_numbers g = v->given;
  privacy_plan plan;
  g.rows = rows;
  g.epsilon = epsilon;
  g.epsilon_core = epsilon_divide(epsilon).core;
  if (calibrate(&g, &plan, NULL) != DPERM_OK) {
    return false;
  }
  return isnan(goal) ? excess_loss(&g, &plan, v->q95 / plan.noise.beta) < coin_loss(g.loss)
                     : noise_to_signal(&g, &plan) <= goal;
}

static bool beats_coin(const variation *v, double epsilon) {
  return reaches(v, epsilon, v->given.rows, (double)NAN);
}

/* The bracket that a search begins with, around a guess: noise and its cost are nearly proportional
 * to 1/(nε) where Λ is automatic. Every step is a whole calibration, so guessing pays. */
static const double nearby = 1.02;

/* The smallest ε that beats a coin, looked for around a guess. */
static double smallest_epsilon(const variation *v, double guess) {
  guess = fmin(fmax(guess, least_epsilon), most_epsilon);
  double low = fmax(guess / nearby, least_epsilon), high = fmin(guess * nearby, most_epsilon);
  double factor = 2;
  while (!beats_coin(v, high)) {
    if (high == most_epsilon) {
      return (double)NAN;
    }
    low = high;
    high = fmin(high * factor, most_epsilon);
    factor *= factor;
  }
  for (factor = 2; low > least_epsilon && beats_coin(v, low); factor *= factor) {
    high = low;
    low = fmax(low / factor, least_epsilon);
  }
  while (high > low * (1 + 1e-4)) {
    double middle = sqrt(low * high);
    bool enough = beats_coin(v, middle);
    high = enough ? middle : high;
    low = enough ? low : middle;
  }
  return high;
}

/* The smallest number of rows that is enough, looked for around a guess. */
static size_t fewest_rows(const variation *v, double guess, double goal) {
  double epsilon = v->given.epsilon;
  double start = fmin(fmax(guess, 1), (double)most_rows);
  size_t low = (size_t)(start / nearby), high = (size_t)ceil(start * nearby); /* low: too few */
  while (high <= most_rows && !reaches(v, epsilon, high, goal)) {
    low = high;
    high = 2 * high;
  }
  if (high > most_rows) {
    return 0;
  }
  while (low > 0 && reaches(v, epsilon, low, goal)) {
    high = low;
    low = low / 2;
  }
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    bool enough = reaches(v, epsilon, middle, goal);
    high = enough ? middle : high;
    low = enough ? low : middle;
  }
  return high;
}

outlook outlook_of(const public_numbers *given, const privacy_plan *plan, double noise_norm_q95) {
  variation v = {*given, noise_norm_q95 * plan->noise.beta};
  v.given.noise = plan->noise.kind->number; /* the best kind depends on the rows' bounds alone */
  /* By how much ε, or n, would have to grow, roughly. */
  double growth = excess_loss(given, plan, noise_norm_q95) / coin_loss(given->loss);
  double rows = (double)given->rows;
  return (outlook){.epsilon = smallest_epsilon(&v, growth * given->epsilon),
                   .rows = fewest_rows(&v, growth * rows, (double)NAN),
                   .rows_to_halve = fewest_rows(&v, 2 * rows, noise_to_signal(given, plan) / 2)};
}
