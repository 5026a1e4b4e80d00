/* See ledger_words.h. */
#include "report/ledger_words.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "ledger/amount.h"
#include "ledger/charge.h"
#include "model/model.h"

/* An amount for people. */
static void keep_brief(char out[DPERM_AMOUNT_SIZE], const char *text) {
  amount a;
  if (amount_parse(text, &a)) {
    amount_brief(&a, out);
  }
}

static void see_entry(void *context, const dperm_ledger_entry *entry) {
  ledger_words *e = context;
  e->found = true;
  e->entry = entry->entry;
  (void)snprintf(e->dataset, sizeof e->dataset, "%s", entry->dataset);
  (void)snprintf(e->time, sizeof e->time, "%s", entry->time);
  (void)snprintf(e->cost, sizeof e->cost, "%s", entry->cost_epsilon);
  e->twice = entry->counted_twice;
  keep_brief(e->epsilon, entry->epsilon);
  keep_brief(e->delta, entry->delta);
}

/* What the schema's own entry was charged. */
static void see_schema(void *context, const dperm_ledger_entry *entry) {
  ledger_words *e = context;
  if (entry->entry == e->schema_entry) {
    e->schema_twice = entry->counted_twice;
    keep_brief(e->schema_epsilon, entry->epsilon);
  }
}

static void see_dataset(void *context, const dperm_ledger_dataset *d) {
  ledger_words *e = context;
  if (strcmp(e->dataset, d->name) != 0) {
    return;
  }
  (void)snprintf(e->total, sizeof e->total, "%s", d->epsilon_total);
  (void)snprintf(e->spent, sizeof e->spent, "%s", d->epsilon_spent);
  (void)snprintf(e->left, sizeof e->left, "%s", d->epsilon_left);
  if (d->order > 0) {
    (void)snprintf(e->by, sizeof e->by, ", added up by Rényi order %g; plain sum %.24s", d->order,
                   d->epsilon_plain);
  }
  keep_brief(e->delta_left, d->delta_left);
  keep_brief(e->delta_total, d->delta_total);
}

dperm_status ledger_words_find(dperm_ledger *ledger, const dperm_model *model, ledger_words *out,
                               dperm_error *err) {
  const schema_refined *refined = model->schema ? &model->schema->refined : NULL;
  TRY(dperm_ledger_find_model(ledger, model, see_entry, out, err));
  if (refined && refined->epsilon > 0 && refined->entry != out->entry) {
    TRY(charge_check_refined(ledger, refined, NULL, NULL, err));
    out->schema_entry = refined->entry;
    TRY(dperm_ledger_entries(ledger, NULL, see_schema, out, err));
  }
  return dperm_ledger_datasets(ledger, see_dataset, out, err);
}

void ledger_words_write(report *p, const dperm_model *model, const ledger_words *e) {
  char charged[DOUBLE_TEXT_SIZE];
  (void)format_double(model->claim.epsilon_charged, false, charged);
  report_row(p, "this release",
             "(ε, δ) = (%s, %.2g), entry %llu of %s in the ledger, committed for this very model",
             charged, model->claim.delta, (unsigned long long)e->entry, e->time);
  if (e->twice) {
    report_row(p, "in that ledger",
               "it counts as (%s, %s): its budget is for replaced records, and replacing one is "
               "removing it and adding another",
               e->epsilon, e->delta);
  }
  if (e->by[0]) {
    report_row(p, "what it costs there",
               "%s, its Rényi divergence: that is what the total goes down by, and the conversion "
               "to ε, once, with the first release",
               e->cost);
  }
  if (e->schema_entry != 0) {
    report_row(p, "its schema", "ε = %.6g, entry %llu: charged when it was refined%s%s",
               model->claim.shares[SHARE_SCHEMA], (unsigned long long)e->schema_entry,
               e->schema_twice ? ", where it counts as " : "",
               e->schema_twice ? e->schema_epsilon : "");
  }
  report_row(p, "data set", "\"%s\": a total of ε = %s for all releases together%s", e->dataset,
             e->total, e->by);
  report_row(p, "spent so far", "ε = %s", e->spent);
  report_row(p, "left", "ε = %s (δ: %s of %s)", e->left, e->delta_left, e->delta_total);
}
