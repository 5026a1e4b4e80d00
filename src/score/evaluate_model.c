/* Evaluations as results of their own: exact for public records; in private with a claim and a
 * charge, of which the noise spends all (evaluate/evaluation.h). */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/options_defaults.h"
#include "evaluate/evaluation.h"
#include "evaluate/regression.h"
#include "run/account.h"
#include "run/fit.h"
#include "run/options.h"
#include "run/stage.h"
#include "score/score_request.h"

/* ---- exact */

dperm_status dperm_evaluate(const dperm_model *model, const dperm_data *data, char **json,
                            dperm_error *err) {
  OWNED(evaluation_free_at) model_evaluation *e = NULL;
  json_t *object = NULL;
  TRY(evaluation_exact(model, data, &e, err));
  TRY(data_unchanged(data, err));
  TRY(evaluation_json(e, &object, err));
  return json_give(object, json, err);
}

dperm_status dperm_evaluate_file(const dperm_model *model, const dperm_source *source,
                                 const dperm_progress *progress, char **json, dperm_error *err) {
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  dperm_source filled;
  TRY(model_source(model, source, &filled, err));
  TRY(dperm_data_read(&filled, progress, &data, err));
  return dperm_evaluate(model, data, json, err);
}

/* ---- private */

static evaluation_terms terms_of(const dperm_score_options *o, const dperm_data *data) {
  return (evaluation_terms){o->epsilon, data->persons ? 0 : o->rows_per_person, o->neighbours};
}

static void digest_line(crypto_generichash_state *state, const char *line, int length) {
  (void)crypto_generichash_update(state, (const unsigned char *)line, (unsigned long long)length);
}

static void digest_table(crypto_generichash_state *state, const count_table *t) {
  char line[32];
  for (size_t i = 0; i < t->classes * t->cells; i++) {
    digest_line(state, line, snprintf(line, sizeof line, "%lld\n", (long long)t->counts[i]));
  }
}

/* What the commit notes: all that was released, a number a line (docs/formats.md). */
static void evaluation_digest(const model_evaluation *e, char out[DPERM_DIGEST_SIZE]) {
  crypto_generichash_state state;
  unsigned char hash[32];
  char line[64];
  (void)crypto_generichash_init(&state, NULL, 0, sizeof hash);
  digest_line(&state, line,
              snprintf(line, sizeof line, "dperm-evaluation/1\n%zu\n",
                       e->numbers ? e->numbers->rows : e->table.rows));
  for (size_t i = 0; e->numbers && i < 2 + SUMS; i++) {
    const long long released = e->numbers->sums.whole[i];
    digest_line(&state, line, snprintf(line, sizeof line, "%lld\n", released));
  }
  for (size_t c = 0; e->edges && c + 1 < e->table.cells; c++) {
    digest_line(&state, line, snprintf(line, sizeof line, "%.17g\n", e->edges[c]));
  }
  digest_table(&state, &e->table);
  digest_table(&state, &e->grouped);
  (void)crypto_generichash_final(&state, hash, sizeof hash);
  (void)sodium_bin2hex(out, DPERM_DIGEST_SIZE, hash, sizeof hash);
}

/* Pay, draw, commit. */
static dperm_status pay_and_evaluate(const account_run *run, dperm_charge *charge,
                                     const dperm_model *model, const dperm_data *scored,
                                     const dperm_score_options *o, random_source *source,
                                     model_evaluation **out, dperm_error *err) {
  OWNED(evaluation_free_at) model_evaluation *e = NULL;
  char digest[DPERM_DIGEST_SIZE];
  const evaluation_terms terms = terms_of(o, run->data);
  TRY(account_reserve(run, charge, err));
  if (o->account.dry_run) {
    return DPERM_OK;
  }
  TRY(evaluation_private(model, scored, &terms, source, &e, err));
  TRY(data_unchanged(run->data, err));
  TRY(random_check(source, err));
  evaluation_digest(e, digest);
  TRY(account_commit(run, charge, digest, err));
  *out = TAKE(e);
  return DPERM_OK;
}

/* The object, with what a claim is; nothing of a dry run. */
static dperm_status give_private(const model_evaluation *e, const guarantee *claim, char **json,
                                 dperm_error *err) {
  json_auto_t *rest = NULL;
  json_t *object = NULL;
  if (!e) {
    *json = NULL;
    return DPERM_OK;
  }
  TRY(evaluation_json(e, &rest, err));
  object = json_object();
  json_set(&object, "finding", json_incref(json_object_get(rest, "finding")));
  json_set(&object, "private", json_boolean(guarantee_is_private(claim)));
  json_set(&object, "delta", json_real(0)); /* integers only: no numerics to cover */
  FAIL_IF(json_object_update_missing(object, rest) != 0, err, DPERM_OUT_OF_MEMORY,
          "out of memory; free some");
  return json_give(object, json, err);
}

static dperm_status evaluate_data(const dperm_model *model, const dperm_data *data,
                                  unsigned reasons, const dperm_score_options *o, char **json,
                                  dperm_error *err) {
  OWNED(evaluation_free_at) model_evaluation *e = NULL;
  OWNED(dperm_data_free_at) dperm_data *part = NULL;
  OWNED(random_wipe) random_source own = {0};
  const dperm_data *scored = NULL;
  random_source *source = NULL;
  dperm_charge charge = {.entry = 0};
  guarantee claim;
  const evaluation_terms terms = terms_of(o, data);
  TRY(o->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE ? DPERM_OK : data_check_any(data, err));
  TRY(check_rows_public(data, err));
  TRY(evaluation_check(model, data, err));
  TRY(evaluation_claim(&terms, &claim, err));
  TRY(score_records(model, data, o, &part, &scored, err));
  TRY(random_given(o->random, &own, &source, err));
  reasons |= score_reasons(model, o, source);
  const account_run run = {.account = &o->account,
                           .command = "score",
                           .mechanism = label_range_known(model->range) ? "discrete laplace, sums"
                                                                        : "discrete laplace, cells",
                           .data = data,
                           .claim = guarantee_with(claim, reasons)};
  TRY(account_failed(&charge, pay_and_evaluate(&run, &charge, model, scored, o, source, &e, err),
                     err));
  return give_private(e, &run.claim, json, err);
}

static dperm_status take_options(const dperm_model *model, const dperm_score_options *given,
                                 dperm_score_options *out, dperm_error *err) {
  TRY(options_take(DPERM_OPTIONS_SCORE, given, out, err));
  FAIL_IF(out->counts, err, DPERM_INVALID_ARGUMENT,
          "an evaluation has counts of its own; leave `counts` out, or ask for a score");
  return score_check(model, out, err);
}

dperm_status dperm_evaluate_private(const dperm_model *model, const dperm_data *data,
                                    const dperm_score_options *given, char **json,
                                    dperm_error *err) {
  dperm_score_options options;
  TRY(take_options(model, given, &options, err));
  return evaluate_data(model, data, data_reasons(data), &options, json, err);
}

dperm_status dperm_evaluate_file_private(const dperm_model *model, const dperm_source *source,
                                         const dperm_score_options *given, char **json,
                                         dperm_error *err) {
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  dperm_score_options options;
  dperm_source filled;
  TRY(take_options(model, given, &options, err));
  TRY(model_source(model, source, &filled, err));
  /* that there are none is private too */
  filled.may_be_empty |= options.neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  TRY(dperm_data_read(&filled, &options.progress, &data, err));
  return evaluate_data(model, data, 0, &options, json, err);
}
