/* What a count with discrete Laplace noise says about the count without, and about the people it
 * was drawn from. Post-processing: sees public and released numbers only. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The smallest t ≥ 0 with P(|Y| > t) ≤ miss, for the sum Y of one or two independent variables with
 * P(y) ∝ e^(−rate·|y|) on the integers. */
double noise_reach(double rate, int summands, double miss);

typedef struct error_interval {
  double low, high;
} error_interval;

/* Holds errors/rows with probability 0.95, given errors + Y. */
error_interval sample_interval(int64_t noisy_errors, size_t rows, double rate, int summands);
/* Holds the error probability of those that the rows are an independent sample of, with probability
 * 0.95: 0.025 may miss by the noise, 0.025 by the sample (Chernoff's bound). */
error_interval population_interval(int64_t noisy_errors, size_t rows, double rate, int summands);

/* The same where how many rows there are is not known: errors + Y and correct + Y′, independent. */
typedef struct noisy_counts {
  int64_t errors, correct;
} noisy_counts;
/* The errors' share of both, each at least zero; NaN if both are zero then. */
double noisy_rate(const noisy_counts *noisy);
error_interval sample_interval_of_counts(const noisy_counts *noisy, double rate, int summands);
error_interval population_interval_of_counts(const noisy_counts *noisy, double rate, int summands);
