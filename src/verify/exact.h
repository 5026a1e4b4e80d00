/* Comparisons of doubles taken as the rational numbers they are, without any rounding. All
 * arguments are finite. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* a + k·b ≤ bound. */
bool exact_sum_at_most(double a, unsigned long k, double b, double bound);

/* The smallest double that is at least a + k·b: for showing. */
double exact_sum_upper(double a, unsigned long k, double b);

/* S ≥ floor(d + √d·τ/g): for a whole S ≥ d that is S + 1 − d > √d·τ/g, compared in squares.
 * S and d are at most 2^53. */
bool exact_lattice_covers(uint64_t s, uint64_t d, double tau, double g);

/* value = m·2^e with whole m below 2^bits. */
bool exact_has_bits(double value, int bits);
bool exact_is_power_of_two(double value);
bool exact_is_multiple(double value, double step);
