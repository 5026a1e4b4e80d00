/* The caller's options: checked, and what a run of them claims, which is how it divides epsilon and
 * delta among its parts. That is made from options and public numbers, once, before a run looks at
 * a record. Nothing else fills a private_run, and no option is changed on the way: a part's share
 * is read off the claim (privacy/guarantee.h). */
#pragma once

#include "data/dataset.h"
#include "mechanism/privacy_plan.h"
#include "privacy/guarantee.h"
#include "random/random_source.h"

/* Numbers that other requests have too; an enum's. */
dperm_status check_choice(bool known, const char *what, unsigned number, dperm_error *err);
dperm_status check_threads(int threads, dperm_error *err);
dperm_status check_rows_per_person(size_t rows, dperm_error *err);
/* Whether there is a public figure near the number of rows exactly where that is private. */
dperm_status check_rows_about(dperm_neighbours neighbours, size_t about, dperm_error *err);
dperm_status check_epsilon(double epsilon, dperm_error *err);

/* What needs no more of the data than the number of classes, 0 of numeric labels, and the range of
 * these, zeros if it is not known. A loss of zeros becomes the usual one: logistic, or log-cosh. */
dperm_status options_validate(dperm_options *options, size_t classes, label_range range,
                              dperm_error *err);

/* That the fit is to have all of epsilon, for commands whose fits are not released one by one. */
dperm_status check_shares_none(const dperm_options *options, const char *command, dperm_error *err);

/* Whether the records may be asked: by default, if there is noise and columns are used as such. */
bool options_may_ask(const dperm_options *options);

/* Whether the loss has probabilities of any number of classes. */
bool options_have_softmax(const dperm_options *options);
/* Whether so many classes are learned in one fit; the loss of a fit: the options', or softmax. */
bool options_joint(const dperm_options *options, size_t classes);
dperm_loss options_loss(const dperm_options *options, size_t classes);
/* The mechanism of a fit of so many scores a row: with a delta, classes are learned jointly by
 * descent, unless the noise is to be pure or a penalty of the caller's own is to be minimized. */
dperm_mechanism options_mechanism(const dperm_options *options, size_t scores);

/* ---- claims */

/* The run of these options in public numbers: one fit for each class, or a joint one, and the
 * shares beside it. `schema_epsilon` is that of a schema which is still to be made; where it is 0,
 * what the schema (NULL for none) cost before counts. The caller adds a choice's rounds. */
private_run run_shares(const dperm_options *options, size_t classes, const dperm_schema *schema,
                       double schema_epsilon);
/* Fails for options that nothing is proved of where a schema knows persons. */
dperm_status check_persons(const dperm_options *options, const dperm_schema *schema,
                           dperm_error *err);
/* The claim of such a run, with the reasons why it is not private, as without a mechanism. */
guarantee run_claim(const dperm_options *options, const private_run *shares, unsigned reasons);

/* Why a run is not private: by its options and data, by its data, by its random source. */
unsigned options_reasons(const dperm_options *options, const dperm_data *data);
unsigned data_reasons(const dperm_data *data);
unsigned source_reasons(const random_source *source);

/* What stands for the number of rows in every formula and in a model: it itself, or the public
 * figure near it where it is private. */
size_t public_rows(dperm_neighbours neighbours, size_t about, const dperm_data *data);
static inline size_t options_rows(const dperm_options *options, const dperm_data *data) {
  return public_rows(options->neighbours, options->rows_about, data);
}

/* Where the number of records is private: how many there are at most, for a fit to so many rows. */
uint64_t options_rows_most(const dperm_options *options, size_t rows, size_t person_rows);

/* For each fit of a claim: its epsilon_class and delta_class. Refers to `loss`, of options_loss. */
public_numbers fit_numbers(const dperm_options *options, const dperm_loss *loss,
                           const guarantee *claim, size_t rows, size_t dims,
                           const row_bounds *bounds);
