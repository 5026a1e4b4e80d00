/* dperm_refine: counts, pays, draws, commits with the digest of the schema. */
#include <math.h>

#include "base/options_defaults.h"
#include "data/dataset.h"
#include "dperm/refine.h"
#include "model/model_file.h"
#include "random/random_source.h"
#include "run/account.h"
#include "run/options.h"
#include "run/output.h"

/* Before anything is counted. */
static dperm_status check_options(const dperm_refine_options *o, dperm_error *err) {
  TRY(check_rows_per_person(o->rows_per_person, err));
  TRY(check_rows_about(o->neighbours, o->rows_about, err));
  FAIL_IF(!(o->epsilon > 0 && o->epsilon < 1e6), err, DPERM_INVALID_ARGUMENT,
          "epsilon = %g; it must be positive and below 1e6", o->epsilon);
  FAIL_IF(!isnan(o->fit_epsilon) && !(o->fit_epsilon > 0 && o->fit_epsilon < 1e6), err,
          DPERM_INVALID_ARGUMENT,
          "the fit's epsilon = %g; it must be positive and below 1e6, or left out", o->fit_epsilon);
  return DPERM_OK;
}

/* Pay, draw, commit. After a failure `*out` must not leave. */
static dperm_status pay_and_release(const account_run *paid, counted_schema *c,
                                    dperm_charge *charge, random_source *source, dperm_schema **out,
                                    dperm_error *err) {
  OWNED(dperm_schema_free_at) dperm_schema *made = NULL;
  char digest[DIGEST_TEXT_SIZE];
  TRY(account_reserve(paid, charge, err));
  if (paid->account->dry_run) {
    return DPERM_OK;
  }
  TRY(counted_release(c, source, &made, err));
  TRY(schema_state_cost(made, c->claim.epsilon, 0, &c->claim, charge, c->data->x->spread, out,
                        err));
  TRY(data_unchanged(paid->data, err));
  TRY(model_digest((*out)->json, digest, err));
  return account_commit(paid, charge, digest, err);
}

static dperm_status refine(const dperm_data *data, const dperm_refine_options *o,
                           random_source *source, dperm_schema **out, dperm_error *err) {
  OWNED(counted_clear) counted_schema c = {0};
  OWNED(dperm_data_free_at) dperm_data *made_once = NULL;
  const dperm_data *once = NULL;
  OWNED(dperm_schema_free_at) dperm_schema *made = NULL;
  dperm_charge charge = {.entry = 0};
  FAIL_IF(data->persons && o->rows_per_person != 1, err, DPERM_INVALID_ARGUMENT,
          "the schema says whose record each is, so persons have any number of rows; leave rows "
          "per person out");
  TRY(data_once(data, &made_once, &once, err));
  const counts_request q = {.data = once,
                            .rows = public_rows(o->neighbours, o->rows_about, data),
                            .epsilon = o->epsilon,
                            .whole = isnan(o->fit_epsilon) ? refine_rule_whole(o->epsilon)
                                                           : o->epsilon + o->fit_epsilon,
                            .rows_per_person = o->rows_per_person,
                            .neighbours = o->neighbours,
                            .reasons = data_reasons(data) | source_reasons(source)};
  TRY(counted_prepare(&q, &c, err));
  TRY(output_take_space(&o->account, data, &c, NULL, 0, err));
  account_run paid = {.account = &o->account,
                      .command = "refine",
                      .mechanism = "discrete laplace, cells",
                      .claim = c.claim,
                      .data = data};
  /* A schema that stays as it is follows from public numbers alone. The ledger is asked all the
   * same: whether it has the data set, for these records, does not depend on what they can pay. */
  if (refine_rule_share(&c.numbers) == 0) {
    paid.mechanism = "none";
    paid.claim =
        guarantee_with(guarantee_of_counts(0, o->rows_per_person, false, o->neighbours), q.reasons);
    paid.claim.person_rows = c.claim.person_rows;
    paid.costs_nothing = true;
    TRY(account_reserve(&paid, &charge, err));
    *out = o->account.dry_run ? NULL : schema_share(data->schema);
    return DPERM_OK;
  }
  TRY(account_failed(&charge, pay_and_release(&paid, &c, &charge, source, &made, err), err));
  *out = TAKE(made);
  return DPERM_OK;
}

dperm_status dperm_refine(const dperm_data *data, const dperm_refine_options *given,
                          dperm_schema **out, dperm_error *err) {
  OWNED(random_wipe) random_source own = {0};
  random_source *source = NULL;
  dperm_refine_options options;
  TRY(options_take(DPERM_OPTIONS_REFINE, given, &options, err));
  TRY(check_options(&options, err));
  TRY(random_given(options.random, &own, &source, err));
  dperm_status status = refine(data, &options, source, out, err);
  return status == DPERM_OK ? status : ranks_agree(data->x->spread, status, err);
}
