/* The defaults of all structs of options, and their first promised layouts. */
#include "base/options_defaults.h"

#include <math.h>
#include <string.h>

#include "base/sized.h"
#include "dperm/audit.h"
#include "dperm/draft.h"
#include "dperm/ledger.h"
#include "dperm/refine.h"
#include "dperm/score.h"
#include "dperm/sweep.h"
#include "dperm/tune.h"

/* NOLINTBEGIN(bugprone-sizeof-expression): the size of a pointer is what is meant */
static const sized_struct structs[] = {
    [DPERM_OPTIONS_TRAIN] = SIZED_STRUCT(dperm_options, progress),
    [DPERM_OPTIONS_AUDIT] = SIZED_STRUCT(dperm_audit_options, outcomes),
    [DPERM_OPTIONS_BUDGET] = SIZED_STRUCT(dperm_ledger_budget, order),
    [DPERM_OPTIONS_DRAFT] = SIZED_STRUCT(dperm_draft_options, missing_count),
    [DPERM_OPTIONS_IMPORT] = SIZED_STRUCT(dperm_import_options, reserved),
    [DPERM_OPTIONS_REFINE] = SIZED_STRUCT(dperm_refine_options, account),
    [DPERM_OPTIONS_SCORE] = SIZED_STRUCT(dperm_score_options, progress),
    [DPERM_OPTIONS_SWEEP] = SIZED_STRUCT(dperm_sweep_options, progress),
    [DPERM_OPTIONS_TUNE] = SIZED_STRUCT(dperm_tune_options, public_data)};
/* NOLINTEND(bugprone-sizeof-expression) */

typedef union any_options {
  dperm_options train;
  dperm_audit_options audit;
  dperm_ledger_budget budget;
  dperm_draft_options draft;
  dperm_import_options import;
  dperm_refine_options refine;
  dperm_score_options score;
  dperm_sweep_options sweep;
  dperm_tune_options tune;
} any_options;

static void set_defaults(dperm_options_kind kind, any_options *out) {
  const double unset = (double)NAN;
  memset(out, 0, sizeof *out);
  switch (kind) {
  case DPERM_OPTIONS_TRAIN:
    out->train.epsilon = out->train.delta_reg = out->train.norm_guess = out->train.lambda = unset;
    out->train.loss = dperm_loss_logistic();
    out->train.rows_per_person = 1;
    out->train.gradient_tolerance = 1e-10;
    break;
  case DPERM_OPTIONS_AUDIT:
    out->audit.mechanism = "objective";
    out->audit.epsilon = 1;
    break;
  case DPERM_OPTIONS_BUDGET:
    out->budget.rows_per_person = 1;
    break;
  case DPERM_OPTIONS_DRAFT:
    out->draft.header = -1;
    break;
  case DPERM_OPTIONS_IMPORT:
    break;
  case DPERM_OPTIONS_REFINE:
    out->refine.epsilon = out->refine.fit_epsilon = unset;
    out->refine.rows_per_person = 1;
    break;
  case DPERM_OPTIONS_SCORE:
    out->score.epsilon = unset;
    out->score.rows_per_person = 1;
    break;
  case DPERM_OPTIONS_SWEEP:
    out->sweep.folds = out->sweep.draws = 10;
    out->sweep.seed = 1;
    break;
  case DPERM_OPTIONS_TUNE:
    out->tune.rounds_mean = unset;
    out->tune.holdout = 0.1;
    break;
  }
  *(size_t *)(void *)out = structs[kind].size;
}

void dperm_init(dperm_options_kind kind, void *options, size_t size) {
  any_options usual;
  set_defaults(kind, &usual);
  sized_init(&structs[kind], &usual, options, size);
}

dperm_status options_take(dperm_options_kind kind, const void *given, void *out, dperm_error *err) {
  any_options usual;
  set_defaults(kind, &usual);
  memcpy(out, &usual, structs[kind].size);
  return sized_take(&structs[kind], given, out, err);
}

dperm_status options_take_all(const dperm_options *given, size_t count, dperm_options **out,
                              dperm_error *err) {
  any_options usual;
  set_defaults(DPERM_OPTIONS_TRAIN, &usual);
  return sized_take_all(&structs[DPERM_OPTIONS_TRAIN], given, count, &usual, out, err);
}
