/* A run that makes its schema from the records and then fits them, for one charge: what is common
 * to the ways of making one (train_refined.c, train_binned.c). */
#pragma once

#include "dperm/refine.h"
#include "pipeline/account.h"
#include "pipeline/fit_check.h"
#include "pipeline/refinement.h"

/* Where the records come from. */
typedef struct records {
  const dperm_schema *wide;
  dperm_record_reader *read;
  void *context;
} records;

typedef struct refined_run refined_run;
struct refined_run {
  const records *from;
  const dperm_options *options;
  bool asks; /* for bins: it was not told what share that takes */
  random_source *source;
  /* Of a way to make a schema: looks at the records, before a charge, and draws and makes it,
   * behind one. `way` is its own. */
  dperm_status (*prepare)(refined_run *run, const refinement_terms *terms, dperm_error *err);
  dperm_status (*release)(refined_run *run, dperm_schema **out, dperm_error *err);
  void *way;
  /* Of the run: */
  const dperm_data *seen;  /* the records, as they were looked at first */
  guarantee claim;         /* of schema and fit */
  privacy_curve curves[2]; /* of the fit under each schema which may come, with what the schema
                              costs; set by `prepare` where they are known */
  size_t curve_count;
  bool spends_delta;   /* whether one of them may spend the delta that was given; by `prepare` */
  dperm_charge charge; /* filled before a schema is released */
};

/* Whether options go with a schema that the run makes of this one, or leaves as it is. */
dperm_status refined_run_check(const dperm_options *options, const dperm_schema *wide,
                               dperm_error *err);
/* Whether a fit has anything of epsilon beside so much for its schema, and its calibration. */
dperm_status refined_run_check_rest(const dperm_options *options, double refined, bool asks,
                                    dperm_error *err);
/* The records under this schema: rows of another one are refused, and other records than those that
 * were seen. */
dperm_status refined_run_read(const refined_run *run, const dperm_schema *schema, dperm_data **out,
                              dperm_error *err);
/* The plan of the fit under a schema that may come, from public numbers: what they refuse is
 * refused before the charge. */
dperm_status refined_run_plan(const refined_run *run, const dperm_schema *schema, fit_plan *out,
                              dperm_error *err);
/* Prepares, pays, releases the schema, reads the records under it and fits: `share` of epsilon is
 * the schema's. Fails alike on all processes. */
dperm_status refined_run_train(refined_run *run, double share, dperm_model **out, dperm_error *err);
