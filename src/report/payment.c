/* See payment.h. */
#include "report/payment.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "ledger/amount.h"
#include "ledger/charge.h"

#define KEEP(out, text) (void)snprintf(out, sizeof(out), "%s", text)

static void see_entry(void *context, const dperm_ledger_entry *e) {
  payment *p = context;
  p->found = true;
  p->twice = e->counted_twice;
  KEEP(p->dataset, e->dataset);
  KEEP(p->time, e->time);
  KEEP(p->entry.epsilon, e->epsilon);
  KEEP(p->entry.delta, e->delta);
  KEEP(p->entry.cost, e->cost_epsilon);
  KEEP(p->entry.cost_delta, e->cost_delta);
}

static void see_dataset(void *context, const dperm_ledger_dataset *d) {
  payment *p = context;
  if (strcmp(d->name, p->dataset) != 0) {
    return;
  }
  p->entry.order = d->order;
  p->entry.adding = strcmp(d->neighbours, "add-remove") == 0;
  KEEP(p->entry.total_epsilon, d->epsilon_total);
  KEEP(p->spent, d->epsilon_spent);
  KEEP(p->left, d->epsilon_left);
  KEEP(p->plain, d->epsilon_plain);
  KEEP(p->delta_left, d->delta_left);
  KEEP(p->delta_total, d->delta_total);
}

dperm_status payment_of_model(dperm_ledger *ledger, const dperm_model *model, payment *out,
                              dperm_error *err) {
  out->entry.entry = model->ledger_entry;
  TRY(dperm_ledger_find_model(ledger, model, see_entry, out, err));
  return dperm_ledger_datasets(ledger, see_dataset, out, err);
}

dperm_status payment_of_schema(dperm_ledger *ledger, const dperm_model *model, payment *out,
                               dperm_error *err) {
  const schema_refined *refined = model->schema ? &model->schema->refined : NULL;
  if (!refined || refined->epsilon == 0 || refined->entry == model->ledger_entry) {
    return DPERM_OK;
  }
  out->entry.entry = refined->entry;
  TRY(charge_check_refined(ledger, refined, see_entry, out, err));
  return dperm_ledger_datasets(ledger, see_dataset, out, err);
}

/* ---- in words */

/* An amount for people. */
typedef struct brief {
  char text[DPERM_AMOUNT_SIZE];
} brief;

static brief brief_of(const char *text) {
  amount a;
  brief out = {""};
  if (amount_parse(text, &a)) {
    amount_brief(&a, out.text);
  }
  return out;
}

void payment_write(report *p, const dperm_model *model, const payment *e,
                   const payment *for_schema) {
  char charged[DOUBLE_TEXT_SIZE], by[80] = "";
  (void)format_double(model->claim.epsilon_charged, false, charged);
  report_row(p, "this release",
             "(ε, δ) = (%s, %.2g), entry %llu of %s in the ledger, committed for this model",
             charged, model->claim.delta, e->entry.entry, e->time);
  if (e->twice) {
    report_row(p, "in that ledger",
               "it counts as (%s, %s): its budget is for replaced records, and replacing one is "
               "removing it and adding another",
               brief_of(e->entry.epsilon).text, brief_of(e->entry.delta).text);
  }
  if (e->entry.order > 0) {
    (void)snprintf(by, sizeof by, ", added up by Rényi order %g; plain sum %.24s", e->entry.order,
                   e->plain);
    report_row(p, "what it costs there",
               "%s, its Rényi divergence, which is taken from the total; so is, with the first "
               "release only, the conversion to ε",
               e->entry.cost);
  }
  if (for_schema->entry.entry != 0) {
    report_row(p, "its schema", "ε = %.6g, entry %llu: charged when it was refined%s%s",
               model->claim.shares[SHARE_SCHEMA], for_schema->entry.entry,
               for_schema->twice ? ", where it counts as " : "",
               for_schema->twice ? brief_of(for_schema->entry.epsilon).text : "");
  }
  report_row(p, "data set", "\"%s\": a total of ε = %s for all releases together%s", e->dataset,
             e->entry.total_epsilon, by);
  report_row(p, "spent so far", "ε = %s", e->spent);
  report_row(p, "left", "ε = %s (δ: %s of %s)", e->left, brief_of(e->delta_left).text,
             brief_of(e->delta_total).text);
}
