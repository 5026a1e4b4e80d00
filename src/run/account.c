/* See account.h. */
#include "run/account.h"

#include <stdio.h>
#include <string.h>

#include "ledger/amount.h"

_Static_assert((int)COINS_SIZE == (int)LEDGER_KEY_SIZE, "a charge's token keeps what coins are of");

/* A run that protects nobody has no price: it is refused wherever there is a ledger. */
static dperm_status refuse_unprotected(const account_run *run, const data_identity *identity,
                                       dperm_error *err) {
  if (run->account->dataset) {
    char reasons[REASONS_TEXT_SIZE];
    guarantee_reasons(&run->claim, reasons);
    FAIL(err, DPERM_OVER_BUDGET,
         "a run that is not private (%.400s) would spend all of \"%.100s\" and more; leave the "
         "data set out only if the records are nobody's",
         reasons, run->account->dataset);
  }
  return charge_refuse_known(run->account->ledger, identity, NULL,
                             "a run that is not private would spend all of its budget and more; "
                             "use a private mechanism with an epsilon, and no seed",
                             err);
}

/* "objective, refined by 3": the fit alone is charged, and the entry says where the rest was. */
static dperm_status name_refinement(const account_run *run, char words[REQUEST_WORDS],
                                    dperm_error *err) {
  const schema_refined *refined = run->refined;
  (void)snprintf(words, REQUEST_WORDS, "%s", run->mechanism);
  if (refined && refined->epsilon > 0) {
    TRY(charge_check_refined(run->account->ledger, refined, NULL, NULL, err));
    (void)snprintf(words, REQUEST_WORDS, "%s, refined by %llu", run->mechanism,
                   (unsigned long long)refined->entry);
  }
  return DPERM_OK;
}

static dperm_status ask_ledger(const account_run *run, dperm_charge *charge, dperm_error *err) {
  char words[REQUEST_WORDS] = "";
  charge_request request = {.dataset = run->account->dataset,
                            .command = run->command,
                            .mechanism = words,
                            .neighbours = run->claim.neighbours,
                            .epsilon = run->claim.epsilon_charged,
                            .delta = run->claim.delta,
                            .rows_per_person = guarantee_unit(&run->claim),
                            .costs_nothing = run->costs_nothing};
  if (!run->refined || run->refined->epsilon == 0) { /* else another entry has that part */
    request.refined = run->claim.shares[SHARE_SCHEMA];
    request.counted = run->counted;
  }
  const dperm_schema *schema = run->data->schema;
  if (request.rows_per_person == 0 && schema && schema->person != NO_PERSON) {
    request.person = schema->columns[schema->person].name;
  }
  if (run->held && run->held->share > 0) {
    request.held = run->held->share;
    request.secret = run->held->coins;
  }
  if (guarantee_unit(&run->claim) == 1) { /* a curve says nothing of a person with more rows */
    request.curves = run->curves;
    request.curve_count = run->curve_count;
  }
  TRY(identity_of_data(run->data, &request.identity, err));
  if (!guarantee_is_private(&run->claim)) {
    return refuse_unprotected(run, &request.identity, err);
  }
  FAIL_IF(!request.dataset, err, DPERM_INVALID_ARGUMENT,
          "a ledger is named, but no data set; name that too");
  TRY(name_refinement(run, words, err));
  return charge_reserve(run->account->ledger, &request, run->account->dry_run, charge, err);
}

dperm_status account_reserve(const account_run *run, dperm_charge *charge, dperm_error *err) {
  ranks *spread = run->data ? run->data->x->spread : NULL;
  bool stated = guarantee_is_private(&run->claim) || run->costs_nothing; /* no noise, no seed */
  dperm_status status = DPERM_OK;
  amount a;
  *charge = (dperm_charge){.entry = 0}; /* what is charged where nothing counts: */
  if (stated && amount_of_double(run->claim.epsilon_charged, &a)) {
    amount_text(&a, charge->epsilon);
  }
  if (stated && amount_of_double(run->claim.delta, &a)) {
    amount_text(&a, charge->delta);
  }
  bool leads = ranks_lead(spread);
  if (leads && run->account->ledger) {
    status = ask_ledger(run, charge, err);
  } else if (leads && run->account->dataset) { /* the others need not have opened any */
    status =
        error_set(err, DPERM_INVALID_ARGUMENT, "a data set is named, but no ledger; name that too");
  }
  TRY(ranks_agree(spread, status, err)); /* may fail with a charge, if processes lose each other */
  if (run->account->charge) {
    *run->account->charge = *charge;
  }
  return DPERM_OK;
}

dperm_status account_commit(const account_run *run, const dperm_charge *charge,
                            const char *artifact, dperm_error *err) {
  return charge->entry == 0 ? DPERM_OK
                            : charge_commit(run->account->ledger, charge->entry, artifact, err);
}

static dperm_status pay_and_make(const account_run *run, dperm_charge *charge, model_maker *make,
                                 void *context, dperm_model **out, dperm_error *err) {
  char digest[DPERM_DIGEST_SIZE];
  TRY(account_reserve(run, charge, err));
  if (run->account->dry_run) {
    return DPERM_OK;
  }
  TRY(make(context, charge, out, err));
  if (charge->entry == 0) {
    return DPERM_OK;
  }
  dperm_model *model = *out;
  model->ledger_entry = charge->entry;
  memcpy(model->ledger_digest, charge->digest, DPERM_DIGEST_SIZE);
  TRY(model_content_digest(model, digest, err));
  return account_commit(run, charge, digest, err);
}

dperm_status account_make_model(const account_run *run, dperm_status prepared, model_maker *make,
                                void *context, dperm_model **out, dperm_error *err) {
  OWNED(dperm_model_free_at) dperm_model *model = NULL;
  ranks *spread = run->data->x->spread;
  dperm_charge charge = {.entry = 0};
  TRY(ranks_agree(spread, prepared, err));
  dperm_status made = pay_and_make(run, &charge, make, context, &model, err);
  dperm_status status = ranks_agree(spread, account_failed(&charge, made, err), err);
  status = status == DPERM_OK ? ranks_confirm(spread, err) : status;
  TRY(made == DPERM_OK ? account_failed(&charge, status, err) : status); /* or another process */
  *out = run->everywhere || ranks_lead(spread) ? TAKE(model) : NULL;
  return DPERM_OK;
}

dperm_status account_failed(const dperm_charge *charge, dperm_status status, dperm_error *err) {
  if (status != DPERM_OK && charge->entry != 0) {
    error_append(err, "; the charge (entry %llu of the ledger) stays spent",
                 (unsigned long long)charge->entry);
  }
  return status;
}

dperm_status schema_state_cost(const dperm_schema *made, double epsilon, double later,
                               const guarantee *claim, const dperm_charge *charge, ranks *spread,
                               dperm_schema **out, dperm_error *err) {
  schema_refined cost = {.epsilon = epsilon,
                         .later = later > epsilon ? later : 0,
                         .rows_per_person = guarantee_unit(claim),
                         .person = claim->person_rows > 0 ? made->columns[made->person].name : NULL,
                         .neighbours = claim->neighbours,
                         .is_private = guarantee_is_private(claim)};
  dperm_charge paid = *charge;
  TRY(ranks_share(spread, DPERM_OK, &paid, sizeof paid, err)); /* the leader paid */
  cost.entry = paid.entry;
  memcpy(cost.receipt, paid.digest, sizeof cost.receipt);
  json_auto_t *json = json_deep_copy(made->json);
  FAIL_IF(!json || json_object_set_new(json, "refined", schema_refined_json(&cost)) != 0, err,
          DPERM_OUT_OF_MEMORY, "out of memory while making a schema");
  return schema_from_json(json, "the refined schema", out, err);
}
