/* The three methods to choose among candidates; tune.c checks the request and states the result. */
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

/* How many rows each fit sees, or about so many: all, a portion, or those that are not held out. */
size_t tune_fit_rows(const tuning *t);
/* The choice. `*model` is NULL before, and the caller's afterwards, whether this fails or not. */
dperm_status tune_run(const tuning *t, size_t *chosen, dperm_model **model, dperm_error *err);
/* What the model states of it; NULL if there is no memory. */
json_t *tune_describe(const tuning *t, size_t chosen);

/* Fails where the memory that any of the candidates will need, by public numbers, cannot be had. */
dperm_status tune_probe_memory(const tuning *t, dperm_error *err);

/* Rows kept apart to choose by. */
size_t holdout_rows(size_t rows, double share);
