/* dperm: refinement, a schema from the private records themselves for a share of epsilon.
 *
 * What is known in public is wide: prices between 0 and a million may nearly all lie near 500, and
 * of forty listed categories three may occur. A refinement counts the records in public cells, adds
 * noise in integers, and makes bins of equal mass and groups of rare categories of the noisy counts
 * (docs/privacy.md 8.9). The schema states what it cost, and every model that is trained with it
 * counts that in its own claim.
 *
 *     dperm_data_read -> dperm_refine -> dperm_data_read -> dperm_train
 *
 * or all of it in one run, for one charge: options.refine of dperm_train. */
#ifndef DPERM_REFINE_H
#define DPERM_REFINE_H

#include "dperm.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dperm_refine_options {
  size_t size;        /* set by dperm_refine_options_init */
  double epsilon;     /* what the refinement costs; has no default */
  double fit_epsilon; /* what the fit is meant to have besides: it decides how many bins pay. NaN
                         for the usual proportion */
  size_t rows_per_person;      /* epsilon is per person with at most so many rows; 1: per row */
  dperm_random *random;        /* NULL for a secure source of its own */
  dperm_account account;       /* where it is charged */
  dperm_neighbours neighbours; /* those of the fits to come; with DPERM_NEIGHBOURS_ADD_REMOVE */
  int reserved;                /* (this is 0) */
  size_t rows_about; /* a public figure stands for the number of records (dperm_options), which
                        nothing tells; else 0 */
} dperm_refine_options;
DPERM_OPTIONS_INIT(dperm_refine_options, DPERM_OPTIONS_REFINE)

/* The refined schema, from records under the wide one; labels are not looked at. Where so few
 * records and so small an epsilon cannot pay for it, which public numbers decide, it is the wide
 * schema, and nothing is charged. A dry run gives NULL. */
DPERM_API DPERM_CHECKED dperm_status dperm_refine(const dperm_data *data,
                                                  const dperm_refine_options *options,
                                                  dperm_schema **out, dperm_error *err);
#ifdef __cplusplus
}
#endif
#endif
