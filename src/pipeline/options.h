/* The caller's options, checked, and the public numbers in them. */
#ifndef DPERM_PIPELINE_OPTIONS_H
#define DPERM_PIPELINE_OPTIONS_H

#include "mechanism/calibrate.h"

enum { ROWS_PER_PERSON_MOST = 1000000 };

/* What does not need the data: numbers in range, a usable loss. */
dperm_status options_validate(const dperm_options *options, dperm_error *err);

/* The same options for one row: the guarantee for a person with at most K rows follows from one
 * for each row at epsilon/K, by group privacy (privacy.md 11). The only place that divides. */
dperm_options options_per_row(const dperm_options *options);
/* The same options for one of the fits that so many classes take: epsilon/k each, rounded down,
 * since every record is in every fit and their epsilons add up (privacy.md 13). Two classes take
 * one. */
dperm_options options_per_class(const dperm_options *options, size_t classes);
/* What noise that is too long in any of the fits adds to a claim of `epsilon`. */
double classes_delta(double epsilon, size_t classes);
/* What a person's delta is when each row's is `delta`: the K steps from neighbour to neighbour add
 * up, delta·(1 + e^ε + … + e^((K−1)ε)), rounded up. */
double group_delta(double delta, double epsilon_row, size_t rows_per_person);
/* epsilon/K, rounded down so that K times it is at most epsilon, exactly. */
double group_epsilon_row(double epsilon, size_t rows_per_person);

public_numbers options_public(const dperm_options *options, size_t rows, size_t dims,
                              const row_bounds *bounds);

#endif
