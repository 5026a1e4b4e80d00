/* dperm_model_verify: the file is read once, tried as every user of a model reads it (src/model),
 * and its claim is derived again (src/verify), which shares no code with that. So no file passes
 * here that predict refuses. With a ledger, what the entries of the model and of its refined schema
 * paid is held against the same derivation. */
#include <string.h>

#include "model/model_file.h"
#include "report/payment.h"
#include "verify/verify.h"

/* The reader's sentence without the name of the file. */
static const char *sentence(const json_document *doc, const dperm_error *refused) {
  size_t name = strlen(doc->name);
  bool named = strncmp(refused->message, doc->name, name) == 0 && refused->message[name] == ':';
  const char *rest = refused->message + (named ? name + 1 : 0);
  return rest + strspn(rest, " ");
}

/* ---- the entries that paid */

/* What a model paid, and where its schema was refined and paid for before, what that paid. */
typedef struct payments {
  payment fit, schema;
  dperm_error fit_trouble, schema_trouble;
} payments;

/* A ledger that is damaged or did not charge is a finding; one that cannot be read, a failure. */
static dperm_status set_trouble(const json_document *doc, dperm_status status,
                                const dperm_error *trouble, charged_entry *out, dperm_error *err) {
  FAIL_IF(status == DPERM_IO_ERROR || status == DPERM_OUT_OF_MEMORY, err, status, "%s",
          trouble->message);
  out->trouble = status == DPERM_OK ? NULL : sentence(doc, trouble);
  return DPERM_OK;
}

static dperm_status find_payments(const json_document *doc, const dperm_model *model,
                                  dperm_ledger *ledger, payments *out, dperm_error *err) {
  dperm_status fit = payment_of_model(ledger, model, &out->fit, &out->fit_trouble);
  TRY(set_trouble(doc, fit, &out->fit_trouble, &out->fit.entry, err));
  dperm_status schema = payment_of_schema(ledger, model, &out->schema, &out->schema_trouble);
  TRY(set_trouble(doc, schema, &out->schema_trouble, &out->schema.entry, err));
  out->fit.entry.schema = out->schema.entry.entry != 0 ? &out->schema.entry : NULL;
  return DPERM_OK;
}

dperm_status dperm_model_verify(const char *name, const char *text, size_t length,
                                dperm_ledger *ledger, dperm_verify_line *line, void *context,
                                bool *holds, dperm_error *err) {
  OWNED(json_document_free)
  json_document doc = {.name = name, .text = text, .length = length, .blame = DPERM_INVALID_MODEL};
  OWNED(dperm_model_free_at) dperm_model *model = NULL;
  dperm_error refused;
  payments paid = {0};
  TRY(text ? json_document_parse(&doc, err) : model_document_read(name, &doc, err));
  dperm_status found = model_of_document(&doc, ledger ? &model : NULL, &refused);
  FAIL_IF(found == DPERM_OUT_OF_MEMORY, /* says nothing about the file */
          err, found, "%s", refused.message);
  if (model) {
    TRY(find_payments(&doc, model, ledger, &paid, err));
  } else if (ledger) {
    paid.fit.entry.trouble = sentence(&doc, &refused);
  }
  return verify_document(&doc, found == DPERM_OK ? NULL : sentence(&doc, &refused),
                         ledger ? &paid.fit.entry : NULL, line, context, holds, err);
}
