/* See composed_bound.h. A step of ε is at worst ±ε, the upper sign e^ε times as likely; hockey
 * sticks are convex in e^ε, so what is proved from the largest loss on may be averaged. */
#include "verify/composed_bound.h"

#include <math.h>

/* A sum of steps, from the most down, with its probability. */
typedef struct sum_law {
  interval values[COUNTS_MOST + 1], masses[COUNTS_MOST + 1];
  size_t count;
} sum_law;

static sum_law law_of(double each, size_t steps) {
  const interval one = interval_of(1), e = interval_of(each), rise = interval_exp(e);
  const interval up = interval_div(rise, interval_add(one, rise));
  sum_law l = {.count = steps + 1};
  l.masses[0] = one;
  for (size_t i = 0; i < steps; i++) {
    l.masses[0] = interval_mul(l.masses[0], up);
  }
  for (size_t i = 0; i < l.count; i++) { /* i of the steps go down */
    l.values[i] = interval_mul(interval_of((double)steps - 2 * (double)i), e);
    if (i > 0) {
      const interval choices =
          interval_div(interval_of((double)(steps + 1 - i)), interval_of((double)i));
      l.masses[i] = interval_mul(l.masses[i - 1], interval_div(choices, rise));
    }
  }
  return l;
}

interval steps_cost(const step_law *law, bool counted) {
  interval sum = interval_add(interval_of(law->questions[0]), interval_of(law->questions[1]));
  interval picks = interval_mul(interval_of((double)law->picks), interval_of(law->pick));
  interval counts = interval_mul(interval_of((double)law->counts), interval_of(law->each));
  return counted ? interval_add(interval_add(sum, picks), counts) : sum;
}

/* The mean over picks, the first, and counts. */
static interval mean_over(interval epsilon, const sum_law steps[2], const noise_proof *proof) {
  interval sum = interval_of(0);
  for (size_t i = 0; i < steps[0].count; i++) {
    for (size_t j = 0; j < steps[1].count; j++) {
      interval left = interval_sub(interval_sub(epsilon, steps[0].values[i]), steps[1].values[j]);
      interval mass = interval_mul(steps[0].masses[i], steps[1].masses[j]);
      sum = interval_add(sum, interval_mul(mass, delta_of_proof(left, proof)));
    }
  }
  return sum;
}

enum { ANSWERS = 4 };

/* At each pair of what the questions add up to, by each proof; 0 where nothing leads there. */
typedef struct way_deltas {
  interval at[PROOFS_MOST][ANSWERS];
  size_t count;
} way_deltas;

static void add_proof(interval epsilon, const sum_law questions[2], const sum_law steps[2],
                      const noise_proof *proof, way_deltas *out) {
  size_t n = 0;
  for (size_t i = 0; i < questions[0].count; i++) {
    for (size_t j = 0; j < questions[1].count; j++, n++) {
      interval left =
          interval_sub(interval_sub(epsilon, questions[0].values[i]), questions[1].values[j]);
      out->at[out->count][n] = proof ? mean_over(left, steps, proof) : interval_of(0);
    }
  }
  out->count++;
}

/* By those that may be of use: others are far better without any steps. */
static way_deltas deltas_of(interval epsilon, const sum_law questions[2], const sum_law steps[2],
                            const way_proofs *way) {
  way_deltas out = {.count = 0};
  double at[PROOFS_MOST], least = INFINITY;
  for (size_t p = 0; p < way->count; p++) {
    at[p] = interval_upper(delta_of_proof(epsilon, &way->proofs[p]));
    least = fmin(least, at[p]);
  }
  for (size_t p = 0; p < way->count; p++) {
    if (!(at[p] > 1.5 * least)) {
      add_proof(epsilon, questions, steps, &way->proofs[p], &out);
    }
  }
  if (way->count == 0) {
    add_proof(epsilon, questions, steps, NULL, &out);
  }
  return out;
}

/* The mean of the larger. */
static interval mean_of_larger(const sum_law questions[2], const interval a[ANSWERS],
                               const interval b[ANSWERS]) {
  interval sum = interval_of(0);
  size_t n = 0;
  for (size_t i = 0; i < questions[0].count; i++) {
    for (size_t j = 0; j < questions[1].count; j++, n++) {
      interval mass = interval_mul(questions[0].masses[i], questions[1].masses[j]);
      sum = interval_add(sum, interval_mul(mass, interval_max(a[n], b[n])));
    }
  }
  return sum;
}

/* Any pair of proofs is one; the best is taken. */
interval delta_of_ways(interval epsilon, const step_law *law, const way_proofs ways[2]) {
  const sum_law questions[2] = {law_of(law->questions[0], law->questions[0] > 0),
                                law_of(law->questions[1], law->questions[1] > 0)};
  const sum_law none[2] = {law_of(0, 0), law_of(0, 0)},
                steps[2] = {law_of(law->pick, law->picks), law_of(law->each, law->counts)};
  const way_deltas plain = deltas_of(epsilon, questions, none, &ways[0]),
                   counted = deltas_of(epsilon, questions, steps, &ways[1]);
  interval least = interval_of(INFINITY);
  for (size_t i = 0; i < plain.count; i++) {
    for (size_t j = 0; j < counted.count; j++) {
      const interval proved = mean_of_larger(questions, plain.at[i], counted.at[j]);
      least = interval_upper(proved) < interval_upper(least) ? proved : least;
    }
  }
  return least;
}
