/* dperm_model_verify: the file is read once, tried as every user of a model reads it (src/model),
 * and its claim is derived again (src/verify), which shares no code with that. So no file passes
 * here that predict refuses. With a ledger, what the entries of the model and of its refined schema
 * paid is held against the same derivation. */
#include <stdio.h>
#include <string.h>

#include "dperm/ledger.h"
#include "ledger/charge.h"
#include "model/model_file.h"
#include "verify/verify.h"

/* The reader's sentence without the name of the file. */
static const char *sentence(const json_document *doc, const dperm_error *refused) {
  size_t name = strlen(doc->name);
  bool named = strncmp(refused->message, doc->name, name) == 0 && refused->message[name] == ':';
  const char *rest = refused->message + (named ? name + 1 : 0);
  return rest + strspn(rest, " ");
}

/* ---- the entries that paid */

/* What a ledger shows lives as long as it shows it. */
typedef struct payment {
  charged_entry entry;
  unsigned long long number; /* of the entry that is looked for */
  char dataset[128], epsilon[DPERM_AMOUNT_SIZE], delta[DPERM_AMOUNT_SIZE];
  char cost[DPERM_AMOUNT_SIZE], cost_delta[DPERM_AMOUNT_SIZE], total[DPERM_AMOUNT_SIZE];
  dperm_error trouble;
} payment;

static void keep(char out[DPERM_AMOUNT_SIZE], const char *amount) {
  (void)snprintf(out, DPERM_AMOUNT_SIZE, "%s", amount);
}

static void see_entry(void *context, const dperm_ledger_entry *e) {
  payment *p = context;
  if (e->entry != p->number) {
    return;
  }
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

/* What a ledger did not charge, and a ledger that is damaged, are findings; what cannot be read at
 * all is a failure. */
static dperm_status note_trouble(const json_document *doc, dperm_status status, payment *p,
                                 dperm_error *err) {
  if (status == DPERM_IO_ERROR || status == DPERM_OUT_OF_MEMORY) {
    FAIL(err, status, "%s", p->trouble.message);
  }
  p->entry.trouble = status == DPERM_OK ? NULL : sentence(doc, &p->trouble);
  return DPERM_OK;
}

static dperm_status find_fit(dperm_ledger *ledger, const dperm_model *model, payment *p) {
  p->number = model->ledger_entry;
  TRY(dperm_ledger_find_model(ledger, model, see_entry, p, &p->trouble));
  return dperm_ledger_datasets(ledger, see_dataset, p, &p->trouble);
}

static dperm_status find_schema(dperm_ledger *ledger, const schema_refined *refined, payment *p) {
  p->number = refined->entry;
  TRY(charge_check_refined(ledger, refined, see_entry, p, &p->trouble));
  return dperm_ledger_datasets(ledger, see_dataset, p, &p->trouble);
}

/* What a model paid, and where its schema was refined and paid for before, what that paid. */
typedef struct payments {
  payment fit, schema;
} payments;

static dperm_status find_payments(const json_document *doc, const dperm_model *model,
                                  dperm_ledger *ledger, payments *out, dperm_error *err) {
  const schema_refined *refined = model->schema ? &model->schema->refined : NULL;
  TRY(note_trouble(doc, find_fit(ledger, model, &out->fit), &out->fit, err));
  if (refined && refined->epsilon > 0 && refined->entry != model->ledger_entry) {
    TRY(note_trouble(doc, find_schema(ledger, refined, &out->schema), &out->schema, err));
    out->fit.entry.schema = &out->schema.entry;
  }
  return DPERM_OK;
}

/* ---- */

/* The document of these bytes, or of the file. */
static dperm_status open_document(const char *name, const char *text, size_t length,
                                  json_document *doc, dperm_error *err) {
  if (!text) {
    return model_document_read(name, doc, err);
  }
  *doc =
      (json_document){.name = name, .text = text, .length = length, .blame = DPERM_INVALID_MODEL};
  return json_document_parse(doc, err);
}

dperm_status dperm_model_verify(const char *name, const char *text, size_t length,
                                dperm_ledger *ledger, dperm_verify_line *line, void *context,
                                bool *holds, dperm_error *err) {
  OWNED(json_document_free) json_document doc = {0};
  OWNED(dperm_model_free_at) dperm_model *model = NULL;
  dperm_error refused;
  payments paid = {.fit = {.number = 0}};
  TRY(open_document(name, text, length, &doc, err));
  dperm_status found = model_of_document(&doc, ledger ? &model : NULL, &refused);
  if (found == DPERM_OUT_OF_MEMORY) { /* says nothing about the file */
    FAIL(err, found, "%s", refused.message);
  }
  if (model) {
    TRY(find_payments(&doc, model, ledger, &paid, err));
  } else if (ledger) {
    paid.fit.entry.trouble = sentence(&doc, &refused);
  }
  return verify_document(&doc, found == DPERM_OK ? NULL : sentence(&doc, &refused),
                         ledger ? &paid.fit.entry : NULL, line, context, holds, err);
}
