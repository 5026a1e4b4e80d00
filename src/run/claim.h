/* What a run claims, and how it divides epsilon and delta among its parts: from options and public
 * numbers, once, before it looks at a record. Nothing else fills a private_run, and no option is
 * changed on the way: a part's share is read off the claim (privacy/guarantee.h). */
#pragma once

#include "data/dataset.h"
#include "mechanism/privacy_plan.h"
#include "privacy/guarantee.h"
#include "random/random_source.h"

/* The run of these options in public numbers: one fit for each class, or a joint one, and the
 * shares beside it. `schema_epsilon` is that of a schema which is still to be made; where it is 0,
 * what the schema (NULL for none) cost before counts. The caller adds a choice's rounds. */
private_run run_shares(const dperm_options *options, size_t classes, const dperm_schema *schema,
                       double schema_epsilon);
/* The claim of such a run, which guarantees nothing without a mechanism, and why it is not private,
 * if it is not. */
guarantee run_claim(const dperm_options *options, const private_run *shares, unsigned reasons);
/* The claim of a plain fit of these options to these data. */
guarantee fit_claim(const dperm_options *options, const dperm_data *data);

/* Why a run is not private: by its options and data, by its data, by its random source. */
unsigned options_reasons(const dperm_options *options, const dperm_data *data);
unsigned data_reasons(const dperm_data *data);
unsigned source_reasons(const random_source *source);

/* Epsilons add up for one unit only: fails where the schema, if there is one, was refined for
 * another. Whoever states a cost of fits under a schema asks this first. */
dperm_status check_refined_unit(const dperm_options *options, const dperm_schema *schema,
                                dperm_error *err);

/* What stands for the number of rows in every formula and in a model: it itself, or the public
 * figure near it where it is private. */
size_t options_rows(const dperm_options *options, const dperm_data *data);

/* For each fit of a claim: its epsilon_class and delta_class. `loss` is that of options_loss, and
 * outlives the result. */
public_numbers fit_numbers(const dperm_options *options, const dperm_loss *loss,
                           const guarantee *claim, size_t rows, size_t dims,
                           const row_bounds *bounds);
