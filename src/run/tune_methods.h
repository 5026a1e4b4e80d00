/* The three methods to choose among candidates; run/tune.c checks the request and states the
 * result. */
#pragma once

#include "dperm/tune.h"
#include "mechanism/selection.h"
#include "model/model.h"

typedef struct tuning {
  const dperm_data *data;
  size_t rows;                     /* of the data, in all; or the public figure near that */
  const dperm_options *candidates; /* as they are fitted */
  size_t count;
  const dperm_tune_options *how;
  random_source *source;
  rounds_law rounds;       /* of random stopping */
  const guarantee *claims; /* what the whole run guarantees with each candidate chosen, */
  guarantee claim;         /* and with any of them; epsilon_fit is what each fit has */
} tuning;

/* A method: how many rows each fit sees, the choice, and what the model states of it. */
typedef struct tune_method {
  const char *name;
  size_t (*fit_rows)(const tuning *t);
  /* `*model` is NULL before, and the caller's afterwards, whether this fails or not. */
  dperm_status (*run)(const tuning *t, size_t *chosen, dperm_model **model, dperm_error *err);
  json_t *(*describe)(const tuning *t, size_t chosen); /* NULL if there is no memory */
} tune_method;

const tune_method *tune_method_of(const tuning *t);

/* Fails where the memory that any of the candidates will need, by public numbers, cannot be had. */
dperm_status tune_probe_memory(const tuning *t, dperm_error *err);

/* Rows kept apart to choose by. */
size_t holdout_rows(size_t rows, double share);
