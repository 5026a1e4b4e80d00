/* The caller's options, checked, and the public numbers in them. */
#pragma once

#include "data/dataset.h"
#include "mechanism/calibrate.h"
#include "privacy/guarantee.h"
#include "random/random_source.h"

/* Numbers that other requests have too. */
dperm_status check_threads(int threads, dperm_error *err);
dperm_status check_rows_per_person(size_t rows, dperm_error *err);
/* Whether there is a public figure near the number of rows exactly where that is private. */
dperm_status check_rows_about(dperm_neighbours neighbours, size_t about, dperm_error *err);
/* The number of rows, or the figure. */
size_t public_rows(dperm_neighbours neighbours, size_t about, const dperm_data *data);

/* What does not need the data: numbers in range, a usable loss. */
dperm_status options_validate(const dperm_options *options, dperm_error *err);

/* What the choice of a temperature has of epsilon (options.calibrate), 0 without one; whether it
 * can be made for so many classes; and that there is none, for commands that make none. */
double options_calibrated(const dperm_options *options);
dperm_status check_calibrate_classes(const dperm_options *options, size_t classes,
                                     dperm_error *err);
dperm_status check_calibrate_none(const dperm_options *options, const char *command,
                                  dperm_error *err);

/* What stands for the number of rows in every formula and in a model: it itself, or the public
 * figure near it where it is private. */
size_t options_rows(const dperm_options *options, const dperm_data *data);

/* The same options for one row: the guarantee for a person with at most K rows follows from one
 * for each row at epsilon/K, by group privacy (privacy.md 8.4). */
dperm_options options_per_row(const dperm_options *options);
/* And with another epsilon and delta. */
dperm_options options_sharing(const dperm_options *options, double epsilon, double delta);
/* What one fit of these options to these rows guarantees if its noise is secure, and why it
 * guarantees nothing: mechanism, declared precision, what was taken from the records. */
guarantee options_claim(const dperm_options *options, const dperm_data *data);
/* The same of a whole run, before it is divided among fits: with the cost of the schema's
 * refinement, if there was one. A choice adds its rounds to the run. */
private_run options_run(const dperm_options *options, const dperm_data *data);
guarantee options_run_claim(const dperm_options *options, const dperm_data *data);
/* Epsilons add up for one unit only: fails where the schema, if there is one, was refined for
 * another. Whoever states a cost of fits under a schema asks this first. */
dperm_status check_refined_unit(const dperm_options *options, const dperm_schema *schema,
                                dperm_error *err);
/* The reasons alone: of options and data, of data, of a random source. */
unsigned options_reasons(const dperm_options *options, const dperm_data *data);
unsigned data_reasons(const dperm_data *data);
unsigned source_reasons(const random_source *source);

/* Whether so many classes are learned in one fit; and the loss of each fit: the options', or
 * softmax.
 */
bool options_joint(const dperm_options *options, size_t classes);
dperm_loss options_loss(const dperm_options *options, size_t classes);

/* For each fit of a claim: its epsilon_class and delta_class. `loss` is that of options_loss, and
 * outlives the result. */
public_numbers options_public(const dperm_options *options, const dperm_loss *loss,
                              const guarantee *claim, size_t rows, size_t dims,
                              const row_bounds *bounds);
