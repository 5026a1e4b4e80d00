/* The stages of a run after its fit: for a share of epsilon (privacy/shares.h) each releases
 * something more, a function of the released weights and the records that is pure: a stage has no
 * delta, and the ledger counts its epsilon as it is. */
#pragma once

#include "model/model.h"
#include "random/random_source.h"

/* What a stage works on: the model, its weights released, and the records as the fit saw them. */
typedef struct stage_work {
  dperm_model *model;
  const dperm_data *data;
  const dperm_loss *loss;
  const matrix *view;
  const double *labels, *row_weights; /* what each row counts, or NULL where all count once */
  dperm_neighbours neighbours;
  double epsilon; /* what the stage has for one record */
  random_source *source;
  double *room; /* as many doubles as it asked for */
} stage_work;

/* What is public of the fit that a stage comes after. */
typedef struct stage_numbers {
  size_t rows, columns, classes; /* columns of the schema, or of rows that are numbers already */
  size_t pairs;                  /* of columns of a schema (pairs_of_schema); else 0 */
} stage_numbers;

typedef struct stage {
  /* The share that it has if nobody says (NaN in the options); 0 where it would not pay. */
  double (*usual)(const dperm_options *options, const stage_numbers *numbers);
  /* Fails where options and public numbers do not allow it; before the charge. */
  dperm_status (*check)(const dperm_options *options, const stage_numbers *numbers,
                        dperm_error *err);
  /* Doubles of space needed for a model of this shape and its view of the rows; NULL for none. */
  size_t (*room)(const dperm_model *model, const matrix *view);
  /* Draws, on the leader, and tells the other processes. `*released` becomes the object that the
   * model's file states, without its epsilon; NULL for want of memory. */
  dperm_status (*run)(const stage_work *work, json_t **released, dperm_error *err);
} stage;

/* Of a fit to so many of these records. */
stage_numbers stage_numbers_of(const dperm_data *data, size_t rows);
/* Usual shares in place of NaN. */
void stages_settle(dperm_options *options, const stage_numbers *numbers);
/* Over all shares after the fit that the options ask for, or the claim has. */
dperm_status stages_check(const dperm_options *options, const stage_numbers *numbers,
                          dperm_error *err);
bool stages_any(const guarantee *claim);
size_t stages_room(const guarantee *claim, const dperm_model *model, const matrix *view);
/* In the table's order, each into the model; `work` has all but its epsilon and neighbours. */
dperm_status stages_run(const guarantee *claim, stage_work work, dperm_error *err);

/* How many pairs of its columns a stage may choose from (pairs.c). */
size_t pairs_of_schema(const dperm_schema *schema);
