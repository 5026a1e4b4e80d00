/* The records of a run, and those of them that it holds out for its evaluation (data/held_out.h).
 * All else that a run does sees the others alone: questions, counts, choices, fits and what comes
 * after them. So a record costs the one or the other, and the run the larger of both
 * (docs/proofs/holdout.md). Without an evaluation all records are the fit's. */
#pragma once

#include "data/held_out.h"
#include "model/model.h"

typedef struct run_parts {
  const dperm_data *given; /* all of them, which a ledger knows, */
  size_t rows;             /* so many in public, or about so many; */
  const dperm_data *fit;   /* and the fit's, */
  size_t fit_rows, held_rows;
  dperm_data *rest, *held; /* where some are held out; else NULL */
  held_out how;
} run_parts;

/* Divides so many rows as a run of these options does; fails where a side would have too few. */
dperm_status run_parts_count(const dperm_options *options, size_t rows, size_t *fit, size_t *held,
                             dperm_error *err);
/* Draws the coins, where some are held out; on every process. To be cleared in any case. */
dperm_status run_parts_open(const dperm_data *data, const dperm_options *options,
                            random_source *source, run_parts *out, dperm_error *err);
void run_parts_clear(run_parts *parts);

/* Evaluates the released model on what was held out, if anything was, and has it say so; how many
 * rows there were in all it says in any case. On every process of a job. */
dperm_status run_parts_evaluate(const run_parts *parts, random_source *source, dperm_model *model,
                                dperm_error *err);
