/* What counts with discrete Laplace noise say about the counts without, and about the people they
 * were drawn from. Post-processing: sees public and released numbers only. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The smallest t ≥ 0 with P(|Y| > t) ≤ miss, for the sum Y of one or two independent variables with
 * P(y) ∝ e^(−rate·|y|) on the integers. */
double noise_reach(double rate, int summands, double miss);

/* errors + Y, and where the number of rows is private correct + Y′, independent. */
typedef struct noisy_counts {
  int64_t errors, correct;
  size_t rows; /* or 0: private */
  double rate;
  int summands;
} noisy_counts;

/* The errors' share, within [0, 1]; NaN if both counts of private rows are zero or below. */
double noisy_rate(const noisy_counts *noisy);

typedef struct error_interval {
  double low, high;
} error_interval;

/* Holds the errors' share of the rows with probability 0.95. */
error_interval sample_interval(const noisy_counts *noisy);
/* Holds the error probability of those that the rows are an independent sample of, with probability
 * 0.95: 0.025 may miss by the noise, 0.025 by the sample (Chernoff's bound). */
error_interval population_interval(const noisy_counts *noisy);
