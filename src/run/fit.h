/* The fits of one model: plan (fit_plan.c), public reasons to fail before a charge, the work. */
#pragma once

#include "base/memory.h"
#include "mechanism/privacy_plan.h"
#include "model/model.h"
#include "random/random_source.h"
#include "solve/solver.h"

/* All that a fit decides before it looks at a record. With several classes it is the plan of each
 * of their fits, and the claim is that of all together. */
typedef struct fit_plan {
  privacy_plan privacy;
  release_plan release; /* not used without a mechanism */
  guarantee claim;      /* of the whole fit, as far as options and data decide it */
  privacy_curve curve;  /* what more is known of it, for one record (composition.md) */
} fit_plan;

/* Whether the number of rows is public; a release that counts on it fails where it is not. */
dperm_status check_rows_public(const dperm_data *data, dperm_error *err);

/* The plan of a fit of these options, under this claim, to `rows` of the data's rows (or of about
 * so many, where their number is private), from public numbers alone; fails where there can be
 * none. Without a claim it is that of such a fit alone. */
dperm_status fit_plan_check(const dperm_data *data, size_t rows, const dperm_options *options,
                            const guarantee *claim, fit_plan *plan, dperm_error *err);
/* The same for records that are public, whose number may depend on what they say. */
dperm_status fit_plan_check_public(const dperm_data *data, size_t rows,
                                   const dperm_options *options, const guarantee *claim,
                                   fit_plan *plan, dperm_error *err);
/* The same for encoded rows that are still to be made: of so many columns, within these bounds. */
dperm_status fit_plan_make(const dperm_options *options, const guarantee *claim, size_t classes,
                           size_t rows, size_t inputs, const row_bounds *encoded, fit_plan *plan,
                           dperm_error *err);
/* Its first part: the noise, and what the claim is with that. */
dperm_status fit_noise_plan(const dperm_options *options, const dperm_loss *loss, guarantee *claim,
                            size_t rows, size_t dims, const row_bounds *bounds,
                            public_numbers *given, privacy_plan *plan, dperm_error *err);
/* The curve that covers every plan with gaussian noise by the claim's way. */
privacy_curve fit_way_curve(const dperm_options *options, const guarantee *claim, size_t classes);

/* What every private fit comes to: perturb, solve, certify, release, under a plan that is decided.
 * It may be run again and again with fresh noise. `found` and `weights` are space for the answer.
 * The caller checks the machine's arithmetic before and after (base/arithmetic.h). */
dperm_status fit_run(const fit_plan *plan, const problem *base, const solver_options *how,
                     random_source *source, solution *found, double *weights, solver_report *report,
                     dperm_error *err);

/* The last step of it: the leader releases `found`, which has `dims` weights, and the other
 * processes of the job, if there are any, are told. Without a mechanism it is what all have. */
dperm_status fit_release(const fit_plan *plan, ranks *spread, const solution *found, size_t dims,
                         random_source *source, double *weights, dperm_error *err);

typedef struct fit_work {
  const dperm_data *data;
  const dperm_options *options;
  const fit_plan *plan;
  random_source *source;
  dperm_model *model;
  dperm_loss loss;      /* of each fit (options_loss) */
  const matrix *view;   /* what the weights are for: the rows, or features over them, */
  matrix *made;         /* which are here; else NULL */
  dperm_data *once;     /* one record of each person, where stages after the fit are to see one */
  solution found;       /* space for a candidate, */
  double *sides;        /* for the labels of one class against the others (NULL for one fit), */
  double *row_weights;  /* and for what each row counts, its class's weight times its share of its
                           person (NULL where all count 1), */
  double *once_weights; /* or each of `once` */
  double *room;         /* for the stages after the fit */
  scratch work;         /* all of these arrays */
} fit_work;

/* Whatever can fail for reasons that are public fails here: memory, a machine with another
 * arithmetic. `work` has the first four members; the caller clears it, also after a failure. */
dperm_status fit_prepare(fit_work *work, dperm_error *err);
/* Perturb, solve, certify and release, for each class or all at once; the model is the caller's. */
dperm_status fit_perform(fit_work *work, dperm_model **out, dperm_error *err);
void fit_work_clear(fit_work *work);

/* Both, for fits that others pay for: trains on `data` under a plan for as many rows. */
dperm_status fit_planned(const dperm_data *data, const dperm_options *options, const fit_plan *plan,
                         random_source *source, dperm_model **out, dperm_error *err);
/* The same under the plan that follows from this claim; the options are valid. */
dperm_status fit_model(const dperm_data *data, const dperm_options *options, const guarantee *claim,
                       random_source *source, dperm_model **out, dperm_error *err);

/* dperm_train, and all processes of a job have the model, to judge it on their own rows. */
dperm_status train_everywhere(const dperm_data *data, const dperm_options *given, dperm_model **out,
                              dperm_error *err);

/* How much memory a fit will ask for, from public numbers alone: asked for before the charge, since
 * a fit that runs out of it afterwards is paid for and gone (fit_plan.c).
 *
 * Bytes of the model: weights, and the directions of its features. */
double fit_memory_model(const dperm_data *data, const dperm_options *options);
/* Bytes that come on top of data and model while it is fitted to `rows` of the rows, or digested
 * and written: an estimate from above of all that grows with the rows and columns. With `fewer`,
 * for rows of these columns or fewer. */
double fit_memory_work(const dperm_data *data, size_t rows, const dperm_options *options,
                       bool fewer);
/* Whether the rows of this view of a table are kept while it is fitted. */
bool fit_memory_keeps(const matrix *x);
