/* How the columns of a run's records become rows: as the schema and public numbers say, or as the
 * records say, for a share of epsilon. Which of these it is follows from options and public
 * numbers; what it costs is a share of the run like any other (claim.h). */
#pragma once

#include "run/claim.h"
#include "run/fit_plan.h"

typedef enum schema_way {
  SCHEMA_GIVEN,  /* public numbers alone: the schema's own bins, or those of its "auto" */
  SCHEMA_ASKED,  /* the records choose between lines and bins (run/asked_schema.h) */
  SCHEMA_COUNTED /* bins and groups from noisy counts of them (run/counted_schema.h) */
} schema_way;

typedef struct representation {
  schema_way way;
  double epsilon; /* what the records' part of it costs; 0 for SCHEMA_GIVEN */
} representation;

/* For records of this schema (NULL for rows that are numbers already), about so many of them. */
dperm_status representation_choose(const dperm_options *options, const dperm_schema *schema,
                                   size_t rows, representation *out, dperm_error *err);

/* Fails where options have a number for each column of rows whose bins are still to be chosen:
 * nobody can know how many these are. */
dperm_status check_columns_known(const dperm_options *options, const dperm_schema *schema,
                                 dperm_error *err);
/* The schema with bins in place of those that wait for public numbers: for fits of this claim to so
 * many rows each, under these options. A new share of one. */
dperm_status representation_given(const dperm_options *options, const dperm_schema *schema,
                                  size_t rows, const guarantee *claim, dperm_schema **out,
                                  dperm_error *err);

/* What a way of making a schema has to know of its run, and gives back. */
typedef struct schema_request {
  const dperm_options *options;
  const dperm_data *data; /* the records, under the schema as it was given */
  size_t rows;            /* of them, in public */
  double epsilon;         /* what it has */
  guarantee claim;        /* of the whole run */
  unsigned reasons;       /* why it is not private, if it is not */
} schema_request;

/* The plan of the fit under a schema that may come, from public numbers: what they refuse is
 * refused before the charge. */
dperm_status representation_plan(const schema_request *q, const dperm_schema *schema, fit_plan *out,
                                 dperm_error *err);
