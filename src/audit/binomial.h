/* What frequencies say about probabilities: the incomplete beta function, and Clopper and Pearson's
 * bounds made of it, which hold for every number of draws. */
#pragma once

#include <stddef.h>

/* I_x(a, b), the distribution function of Beta(a, b), for a, b > 0. */
double beta_cdf(double x, double a, double b);

/* The probability behind `hits` of `draws` is below, above this with probability at most `rate`.
 * Also if the draws are independent but not alike and their mean probability is meant: sums of such
 * are no more spread than binomial ones (Hoeffding 1956). */
double probability_below(size_t hits, size_t draws, double rate);
double probability_above(size_t hits, size_t draws, double rate);
