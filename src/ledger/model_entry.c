/* The entry that a model was charged as. The model names its reservation and carries its receipt;
 * the commit names the model's own digest: each points to the other, and both must fit. The receipt
 * alone proves nothing, since whoever sees a model, or the ledger, can put it into another file. A
 * model leaves only behind its commit (docs/ledger.md), so there is one for every honest model. */
#include <stdio.h>
#include <string.h>

#include "ledger/amount.h"
#include "ledger/listing.h"
#include "model/model.h"

static dperm_status fail_model(const dperm_ledger *ledger, const dperm_model *model,
                               const char *what, dperm_error *err) {
  FAIL(err, DPERM_INVALID_LEDGER, "%s: entry %llu %s", ledger->path,
       (unsigned long long)model->ledger_entry, what);
}

/* What a model for records added and removed claims counts twice where they are replaced. */
static bool same_epsilon(const record *reserved, double epsilon, bool twice) {
  amount charged, claimed;
  return amount_parse(reserved->epsilon, &charged) && amount_of_double(epsilon, &claimed) &&
         (!twice || amount_add(&claimed, &claimed, &claimed)) &&
         amount_compare(&charged, &claimed) == 0;
}

/* No less than a charge counts of it (charge.c); records of before may know less of delta. */
static bool covers_delta(const record *reserved, const guarantee *claim, double epsilon,
                         bool twice) {
  const guarantee own = {
      .epsilon = epsilon, .delta = claim->delta, .neighbours = claim->neighbours};
  amount charged, claimed;
  return reserved->version < 4 ||
         (amount_parse(reserved->delta, &charged) &&
          amount_of_double(twice ? guarantee_replaced(&own).delta : own.delta, &claimed) &&
          amount_compare(&charged, &claimed) >= 0);
}

static bool makes_models(const record *r) {
  return strcmp(r->kind, "reserve") == 0 &&
         (strcmp(r->command, "train") == 0 || strcmp(r->command, "tune") == 0);
}

dperm_status dperm_ledger_find_model(dperm_ledger *ledger, const dperm_model *model,
                                     dperm_entry_visitor *visit, void *context, dperm_error *err) {
  OWNED(store_cancel) dperm_ledger *held = NULL;
  char receipt[DPERM_DIGEST_SIZE] = "", digest[DPERM_DIGEST_SIZE];
  record reserved;
  if (model->ledger_entry == 0) {
    FAIL(err, DPERM_INVALID_LEDGER,
         "the model was not charged to any ledger; name a ledger and a data set when you train");
  }
  TRY(chain_begin(ledger, false, &held, err));
  TRY(record_read(ledger, (int64_t)model->ledger_entry, &reserved, err));
  if (makes_models(&reserved)) {
    record_receipt(&reserved, receipt);
  }
  if (!receipt[0] || strcmp(receipt, model->ledger_digest) != 0) {
    return fail_model(ledger, model,
                      "is not the one that the model was charged as; name the ledger it was "
                      "charged to, and see 'dperm ledger verify'",
                      err);
  }
  const guarantee *claim = &model->claim; /* the schema's refinement was charged elsewhere */
  const dataset_state *d = chain_find(ledger->known, reserved.dataset);
  bool twice = claim->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE && d && !d->reading.adding;
  double epsilon = claim->shares[SHARE_SCHEMA] > 0 ? claim->epsilon_charged : claim->epsilon;
  if (!same_epsilon(&reserved, epsilon, twice)) {
    return fail_model(ledger, model, "was charged another epsilon than the model says", err);
  }
  if (!covers_delta(&reserved, claim, epsilon, twice)) {
    return fail_model(ledger, model, "was charged less delta than the model says", err);
  }
  TRY(model_content_digest(model, digest, err));
  TRY(listing_visit(ledger, &reserved, digest, visit, context, err));
  return store_commit(&held, err);
}
