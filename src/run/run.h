/* A run is a value: what options and public numbers decide, once and before a record is looked at.
 * train, tune and refine carry theirs out, plan tells it, sweep has one for each cell. */
#pragma once

#include "mechanism/selection.h"
#include "run/fit.h"
#include "run/options.h"

typedef enum schema_way {
  SCHEMA_GIVEN,  /* public numbers alone: the schema's own bins, or those of its "auto" */
  SCHEMA_ASKED,  /* the records choose the weight of numbers, and whether lines or bins */
  SCHEMA_COUNTED /* bins and groups from noisy counts of them */
} schema_way;

/* How columns become rows. */
typedef struct representation {
  schema_way way;
  double epsilon; /* what the records' part of it costs; 0 for SCHEMA_GIVEN */
  double scale;   /* SCHEMA_ASKED: of it, what the question for the weight costs, or for the width
                     of numeric labels, which is */
  size_t width;   /* this, once it was answered (refine/label_width.h); */
  size_t picks; /* where a shape is found, so many columns are chosen at most; 0: all are counted */
  bool many;    /* but all are if there are two with one */
  double ranged;  /* where bins of declared ranges suffice once a shape was found: what that costs,
                     without the weight, which is of no use then; 0: not asked */
  double picked;  /* what all costs until then, */
  double counted; /* and with the counts that are made; or 0 */
} representation;
/* How many steps there are between the question for a shape and counts. */
static inline size_t pick_steps(const representation *r) {
  return r->picks + r->many + (r->ranged > 0);
}

/* What a run is about, beside its options. */
typedef struct run_terms {
  const dperm_schema *schema;  /* of the rows, or NULL */
  bool chooses;                /* how columns become rows is up to its options; */
  const dperm_schema *columns; /* whose they are, NULL for rows that are numbers already */
  size_t rows;                 /* that each fit has, in public, */
  size_t asked;                /* and all of them, if that is more; else 0 */
  size_t classes;              /* at least 2 */
  rounds_law rounds;           /* of a choice by random stopping */
  unsigned reasons;            /* why it is not private */
} run_terms;

typedef struct run {
  const dperm_options *options;
  size_t rows, asked, classes;
  size_t person_rows; /* records of a person, at most, that count as one together; 0: no persons */
  rounds_law rounds;
  double work;  /* nε for one record, twice that where one is added, which moves half as much */
  double power; /* of a fit, by that of one with all rows and what epsilon leaves for all fits */
  representation how;
  guarantee claim; /* of all of it: the shares of epsilon and delta */
} run;

/* The claim where what the records answered cost so much; and as if schemas cost nothing. */
guarantee run_claim_answered(const run *r, double cost);
guarantee run_claim_whole(const run *r);

/* The claim is made also where the schema is refused, which comes last. */
dperm_status run_make(const dperm_options *options, const run_terms *terms, run *out,
                      dperm_error *err);

/* Fails where options have a number for each column of rows whose bins are still to be chosen:
 * nobody can know how many these are. */
dperm_status check_columns_known(const dperm_options *options, const dperm_schema *schema,
                                 dperm_error *err);
/* The schema with bins in place of those that wait for public numbers, for the fits of this run. */
dperm_status representation_given(const run *r, const dperm_schema *schema, dperm_schema **out,
                                  dperm_error *err);

/* And, where these may suffice, with bins of declared ranges for those columns that are asked. */
dperm_status representation_in_ranges(const run *r, const dperm_schema *plain, dperm_schema **out,
                                      dperm_error *err);

/* The plan of the run's fit under a schema that may come; refused before the charge. */
dperm_status representation_plan(const run *r, const dperm_schema *schema, fit_plan *out,
                                 dperm_error *err);
