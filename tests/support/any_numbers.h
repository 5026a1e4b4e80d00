/* Random public numbers of every kind for the tests of the calibration: losses, also such whose L
 * is not 1, rows of any norm and number, any epsilon. */
#ifndef DPERM_TESTS_ANY_NUMBERS_H
#define DPERM_TESTS_ANY_NUMBERS_H

#include "mechanism/privacy_plan.h"
#include "random/random_source.h"

dperm_loss any_loss(random_source *r);
/* For objective perturbation; Λ and Δ are left to choose. */
public_numbers any_numbers(random_source *r, const dperm_loss *loss);

/* The same with Gaussian noise, at a δ, for rows of any norm. */
public_numbers gaussian_numbers(random_source *r, const dperm_loss *loss, size_t dims);

/* Rows of ten columns, a block of seven and three alone, with bounds that make any of the kinds the
 * best. */
public_numbers shaped_numbers(random_source *r, const dperm_loss *loss);
/* R_K of those rows. */
double row_bound_of(const public_numbers *g, dperm_noise kind);

#endif
