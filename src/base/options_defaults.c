/* Structs of programs that were built against another dperm.h; the defaults of all structs of
 * options, and their first promised layouts. */
#include "base/options_defaults.h"

#include <math.h>

#include "base/memory.h"
#include "dperm/audit.h"
#include "dperm/draft.h"
#include "dperm/ledger.h"
#include "dperm/refine.h"
#include "dperm/score.h"
#include "dperm/sweep.h"
#include "dperm/tune.h"

dperm_status sized_check(const sized_struct *kind, size_t least, size_t size, dperm_error *err) {
  FAIL_IF(size < least || size > kind->size, err, DPERM_INVALID_ARGUMENT,
          "%s has %zu bytes, and dperm %s knows %zu to %zu: the program was built against a newer "
          "dperm or one that is too old, or has not called the _init of its options",
          kind->name, size, dperm_version(), kind->first, kind->size);
  return DPERM_OK;
}

void sized_give(const sized_struct *kind, const void *whole, void *out, size_t size) {
  size_t known = size < kind->size ? size : kind->size;
  memcpy(out, whole, known);
  memset((char *)out + known, 0, size - known);
}

static size_t size_of(const void *given) {
  size_t size = 0;
  memcpy(&size, given, sizeof size);
  return size;
}

/* NOLINTBEGIN(bugprone-sizeof-expression): the size of a pointer is what is meant */
static const sized_struct structs[] = {
    [DPERM_OPTIONS_TRAIN] = SIZED_STRUCT(dperm_options, progress),
    [DPERM_OPTIONS_AUDIT] = SIZED_STRUCT(dperm_audit_options, progress),
    [DPERM_OPTIONS_BUDGET] = SIZED_STRUCT(dperm_ledger_budget, order),
    [DPERM_OPTIONS_DRAFT] = SIZED_STRUCT(dperm_draft_options, missing_count),
    [DPERM_OPTIONS_IMPORT] = SIZED_STRUCT(dperm_import_options, reserved),
    [DPERM_OPTIONS_REFINE] = SIZED_STRUCT(dperm_refine_options, account),
    [DPERM_OPTIONS_SCORE] = SIZED_STRUCT(dperm_score_options, progress),
    [DPERM_OPTIONS_SWEEP] = SIZED_STRUCT(dperm_sweep_options, progress),
    [DPERM_OPTIONS_TUNE] = SIZED_STRUCT(dperm_tune_options, public_data)};
/* NOLINTEND(bugprone-sizeof-expression) */

/* Where members are that must be 0; 0 for none. */
static const size_t reserved_at[sizeof structs / sizeof *structs] = {
    [DPERM_OPTIONS_TRAIN] = offsetof(dperm_options, reserved),
    [DPERM_OPTIONS_IMPORT] = offsetof(dperm_import_options, reserved),
    [DPERM_OPTIONS_REFINE] = offsetof(dperm_refine_options, reserved),
    [DPERM_OPTIONS_SCORE] = offsetof(dperm_score_options, reserved)};

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

/* What is not 0. */
static const any_options defaults[] = {
    [DPERM_OPTIONS_TRAIN] = {.train = {.epsilon = NAN,
                                       .delta_reg = NAN,
                                       .norm_guess = NAN,
                                       .lambda = NAN,
                                       .rows_per_person = 1,
                                       .gradient_tolerance = 1e-10,
                                       .pairs = NAN}},
    [DPERM_OPTIONS_AUDIT] = {.audit = {.mechanism = "objective", .epsilon = 1}},
    [DPERM_OPTIONS_BUDGET] = {.budget = {.rows_per_person = 1}},
    [DPERM_OPTIONS_DRAFT] = {.draft = {.header = -1}},
    [DPERM_OPTIONS_REFINE] = {.refine = {.epsilon = NAN, .fit_epsilon = NAN, .rows_per_person = 1}},
    [DPERM_OPTIONS_SCORE] = {.score = {.epsilon = NAN, .rows_per_person = 1}},
    [DPERM_OPTIONS_SWEEP] = {.sweep = {.folds = 10, .draws = 10, .seed = 1}},
    [DPERM_OPTIONS_TUNE] = {.tune = {.rounds_mean = NAN, .holdout = 0.1}}};

static void set_defaults(dperm_options_kind kind, any_options *out) {
  *out = defaults[kind];
  if (kind == DPERM_OPTIONS_TRAIN) {
    out->train.loss = dperm_loss_logistic();
  }
  memcpy(out, &structs[kind].size, sizeof structs[kind].size);
}

void dperm_init(dperm_options_kind kind, void *options, size_t size) {
  any_options usual;
  set_defaults(kind, &usual);
  if (size >= sizeof size) { /* what a newer program knows beyond is zeros */
    sized_give(&structs[kind], &usual, options, size);
    memcpy(options, &size, sizeof size);
  }
}

dperm_status options_take(dperm_options_kind kind, const void *given, void *out, dperm_error *err) {
  any_options usual;
  set_defaults(kind, &usual);
  TRY(sized_check(&structs[kind], structs[kind].first, size_of(given), err));
  memcpy(out, &usual, structs[kind].size);
  memcpy(out, given, size_of(given));
  memcpy(out, &structs[kind].size, sizeof structs[kind].size);
  int reserved = 0;
  if (reserved_at[kind] > 0) {
    memcpy(&reserved, (const char *)out + reserved_at[kind], sizeof reserved);
  }
  FAIL_IF(reserved != 0, err, DPERM_INVALID_ARGUMENT,
          "%s has reserved = %d, which must be 0; call the _init of the options",
          structs[kind].name, reserved);
  return DPERM_OK;
}

/* All elements have the first one's size. */
dperm_status options_take_all(const dperm_options *given, size_t count, dperm_options **out,
                              dperm_error *err) {
  OWNED_MEMORY dperm_options *made = NULL;
  size_t stride = count > 0 ? size_of(given) : 0;
  TRY(memory_new(count, sizeof *made, &made, err));
  for (size_t i = 0; i < count; i++) {
    const char *one = (const char *)given + i * stride;
    FAIL_IF(size_of(one) != stride, err, DPERM_INVALID_ARGUMENT,
            "number %zu of an array of dperm_options has another size than the first; call "
            "dperm_options_init for each",
            i);
    TRY(options_take(DPERM_OPTIONS_TRAIN, one, &made[i], err));
  }
  *out = TAKE(made);
  return DPERM_OK;
}
