/* dperm_model_verify: the file is read once, tried as every user of a model reads it (src/model),
 * and its claim is derived again (src/verify), which shares no code with that. So no file passes
 * here that predict refuses. With a ledger, what the model's entry paid is held against the same
 * derivation. */
#include <stdio.h>
#include <string.h>

#include "dperm/ledger.h"
#include "model/model_file.h"
#include "verify/verify.h"

/* The reader's sentence without the name of the file. */
static const char *sentence(const json_document *doc, const dperm_error *refused) {
  size_t name = strlen(doc->name);
  bool named = strncmp(refused->message, doc->name, name) == 0 && refused->message[name] == ':';
  const char *rest = refused->message + (named ? name + 1 : 0);
  return rest + strspn(rest, " ");
}

/* ---- the entry that paid */

/* What a ledger shows lives as long as it shows it. */
typedef struct payment {
  charged_entry entry;
  char dataset[128], epsilon[DPERM_AMOUNT_SIZE], delta[DPERM_AMOUNT_SIZE];
  char cost[DPERM_AMOUNT_SIZE], cost_delta[DPERM_AMOUNT_SIZE], total[DPERM_AMOUNT_SIZE];
  dperm_error trouble;
} payment;

static void keep(char out[DPERM_AMOUNT_SIZE], const char *amount) {
  (void)snprintf(out, DPERM_AMOUNT_SIZE, "%s", amount);
}

static void see_entry(void *context, const dperm_ledger_entry *e) {
  payment *p = context;
  (void)snprintf(p->dataset, sizeof p->dataset, "%s", e->dataset);
  keep(p->epsilon, e->epsilon);
  keep(p->delta, e->delta);
  keep(p->cost, e->cost_epsilon);
  keep(p->cost_delta, e->cost_delta);
  p->entry = (charged_entry){.entry = e->entry,
                             .epsilon = p->epsilon,
                             .delta = p->delta,
                             .cost = p->cost,
                             .cost_delta = p->cost_delta,
                             .total_epsilon = p->total};
}

static void see_dataset(void *context, const dperm_ledger_dataset *d) {
  payment *p = context;
  if (strcmp(d->name, p->dataset) == 0) {
    keep(p->total, d->epsilon_total);
    p->entry.order = d->order;
    p->entry.adding = strcmp(d->neighbours, "add-remove") == 0;
  }
}

/* A model that the ledger did not charge, and a ledger that is damaged, are findings; what cannot
 * be read at all is a failure. */
static dperm_status find_payment(const json_document *doc, const char *path, dperm_ledger *ledger,
                                 payment *out, dperm_error *err) {
  OWNED(dperm_model_free_at) dperm_model *model = NULL;
  dperm_error *why = &out->trouble;
  dperm_status status = dperm_model_read(path, &model, why);
  if (status == DPERM_OK) {
    status = dperm_ledger_find_model(ledger, model, see_entry, out, why);
  }
  if (status == DPERM_OK) {
    status = dperm_ledger_datasets(ledger, see_dataset, out, why);
  }
  if (status == DPERM_IO_ERROR || status == DPERM_OUT_OF_MEMORY) {
    FAIL(err, status, "%s", why->message);
  }
  out->entry.trouble = status == DPERM_OK ? NULL : sentence(doc, why);
  return DPERM_OK;
}

/* ---- */

static dperm_status verify(const char *path, dperm_ledger *ledger, dperm_verify_line *line,
                           void *context, int *holds, dperm_error *err) {
  OWNED(model_document_free) json_document doc = {0};
  dperm_error refused;
  payment paid = {.dataset = ""};
  TRY(model_document_read(path, &doc, err));
  dperm_status found = model_check_document(&doc, &refused);
  if (found == DPERM_OUT_OF_MEMORY) { /* says nothing about the file */
    FAIL(err, found, "%s", refused.message);
  }
  if (ledger) {
    TRY(find_payment(&doc, path, ledger, &paid, err));
  }
  return verify_document(&doc, found == DPERM_OK ? NULL : sentence(&doc, &refused),
                         ledger ? &paid.entry : NULL, line, context, holds, err);
}

dperm_status dperm_model_verify(const char *path, dperm_verify_line *line, void *context,
                                int *holds, dperm_error *err) {
  return verify(path, NULL, line, context, holds, err);
}

dperm_status dperm_model_verify_charged(const char *path, dperm_ledger *ledger,
                                        dperm_verify_line *line, void *context, int *holds,
                                        dperm_error *err) {
  if (!ledger) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "no ledger is given to look for the model's charge in");
  }
  return verify(path, ledger, line, context, holds, err);
}
