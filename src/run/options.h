/* The caller's options, checked: numbers in range, a usable loss, what does not go together. */
#pragma once

#include <stdbool.h>

#include "base/status.h"

/* Numbers that other requests have too; an enum's, of which so many are known. */
dperm_status check_choice(bool known, const char *what, unsigned number, const char *of,
                          dperm_error *err);
dperm_status check_threads(int threads, dperm_error *err);
dperm_status check_rows_per_person(size_t rows, dperm_error *err);
/* Whether there is a public figure near the number of rows exactly where that is private. */
dperm_status check_rows_about(dperm_neighbours neighbours, size_t about, dperm_error *err);
dperm_status check_epsilon(double epsilon, dperm_error *err);

/* What does not need the data. */
dperm_status options_validate(const dperm_options *options, dperm_error *err);

/* That the fit is to have all of epsilon, for commands whose fits are not released one by one. */
dperm_status check_shares_none(const dperm_options *options, const char *command, dperm_error *err);

/* Whether the loss has probabilities of any number of classes. */
bool options_have_softmax(const dperm_options *options);
/* Whether so many classes are learned in one fit; and the loss of each fit: the options', or
 * softmax. */
bool options_joint(const dperm_options *options, size_t classes);
dperm_loss options_loss(const dperm_options *options, size_t classes);
