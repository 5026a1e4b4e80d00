/* Calls of the functions of dperm/refine.h and dperm/ledger.h with options of any size, for
 * unit/sized_test.c. */
#ifndef DPERM_TESTS_SIZED_CALLS_H
#define DPERM_TESTS_SIZED_CALLS_H

#include "dperm.h"

/* With the records of this file, under this schema. `given` is the caller's options. */
dperm_status sized_refine(const dperm_schema *schema, const char *csv, const void *given,
                          dperm_error *err);
dperm_status sized_train_refined(const dperm_schema *schema, const char *csv, const void *given,
                                 dperm_error *err);
dperm_status sized_reserve_refined(const dperm_schema *schema, const char *csv, const void *given,
                                   dperm_error *err);
/* With a table, or a schema, of its own. */
dperm_status sized_train_refined_cost(const void *given, dperm_error *err);
dperm_status sized_train_refined_table(const void *given, dperm_error *err);
/* A sound budget in space for some more than `size`, and a new ledger with the given one: a budget
 * is given once. */
void *sized_sound_budget(size_t size);
dperm_status sized_budget(const void *given, dperm_error *err);

/* Where the last member of options that have grown since their first layout ends; 0 for others. */
size_t sized_grown(const char *kind);

#endif
