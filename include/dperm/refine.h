/* dperm: refinement, a schema from the private records themselves for a share of epsilon.
 *
 * What is known in public is wide: prices between 0 and a million may nearly all lie near 500, and
 * of forty listed categories three may occur. A refinement counts the records in public cells, adds
 * noise in integers, and makes bins of equal mass and groups of rare categories of the noisy counts
 * (docs/privacy.md 8.9). The schema states what it cost, and every model that is trained with it
 * counts that in its own claim.
 *
 *     dperm_refine_cells -> dperm_data_read -> dperm_refine -> dperm_data_read -> dperm_train
 *
 * or all of it in one run, for one charge: dperm_train_refined. */
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
DPERM_API void dperm_refine_options_init_sized(dperm_refine_options *options, size_t size);
static inline void dperm_refine_options_init(dperm_refine_options *options) {
  dperm_refine_options_init_sized(options, sizeof *options);
}

/* The schema of cells: what records are to be read or encoded with before they are counted. It
 * follows from the wide schema alone. */
DPERM_API DPERM_CHECKED dperm_status dperm_refine_cells(const dperm_schema *wide,
                                                        dperm_schema **out, dperm_error *err);
/* The refined schema, from rows that were read with the schema of cells; labels are not looked at.
 * Where so few rows and so small an epsilon cannot pay for it, which public numbers decide, it is
 * the wide schema, and nothing is charged. A dry run gives NULL. */
DPERM_API DPERM_CHECKED dperm_status dperm_refine(const dperm_schema *wide,
                                                  const dperm_data *counted,
                                                  const dperm_refine_options *options,
                                                  dperm_schema **out, dperm_error *err);
/* What a schema says that its refinement cost; 0 for one that was made without records. */
DPERM_API double dperm_schema_refined_epsilon(const dperm_schema *schema);

/* Reads, or makes, the rows of some records under this schema: the same records each time. It is
 * the caller's, and called up to four times. Rows of another schema and other records than before
 * are refused. */
typedef dperm_status dperm_record_reader(void *context, const dperm_schema *schema,
                                         dperm_data **out, dperm_error *err);
/* Makes a schema of the records and trains, for the epsilon of the options, all of which is charged
 * at once. With a `share` of it, above 0 and below 1, or NaN for the usual one, noisy counts refine
 * the schema. With 0, and where so few rows cannot pay for counts, the records choose for a few
 * percent whether numeric columns without bins stay straight lines or, if `all_numeric`, get those
 * of dperm_schema_resolve (docs/proofs/bins.md). Where they cannot pay for that either the schema
 * is the wide one, for nothing. The model holds the schema that was used. Options that have a
 * number for each encoded column (weights and priors of the regularizer) are refused. */
DPERM_API DPERM_CHECKED dperm_status dperm_train_refined(const dperm_schema *wide,
                                                         dperm_record_reader *read, void *context,
                                                         const dperm_options *options, double share,
                                                         bool all_numeric, dperm_model **out,
                                                         dperm_error *err);
/* The same for the records of a table (dperm_data_from_table), from which the caller took these
 * flags of dperm_taken. */
DPERM_API DPERM_CHECKED dperm_status
dperm_train_refined_table(const dperm_schema *wide, size_t rows, const dperm_column *columns,
                          const dperm_column *labels, unsigned taken, const dperm_options *options,
                          double share, bool all_numeric, dperm_model **out, dperm_error *err);
/* What of the epsilon of these options dperm_train_refined spends on the schema of so many records,
 * from public numbers: on `counts` of them, on their `answer`, or nothing, both being 0. */
DPERM_API DPERM_CHECKED dperm_status dperm_train_refined_cost(const dperm_schema *wide, size_t rows,
                                                              const dperm_options *options,
                                                              double share, bool all_numeric,
                                                              double *counts, double *answer,
                                                              dperm_error *err);

#ifdef __cplusplus
}
#endif
#endif
