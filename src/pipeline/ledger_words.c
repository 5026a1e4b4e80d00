/* See ledger_words.h. */
#include "pipeline/ledger_words.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "ledger/amount.h"
#include "model/model.h"

static void see_entry(void *context, const dperm_ledger_entry *entry) {
  ledger_words *e = context;
  e->found = true;
  e->entry = entry->entry;
  e->committed = entry->commit != 0;
  (void)snprintf(e->dataset, sizeof e->dataset, "%s", entry->dataset);
  (void)snprintf(e->time, sizeof e->time, "%s", entry->time);
  (void)snprintf(e->cost, sizeof e->cost, "%s", entry->cost_epsilon);
}

static void see_dataset(void *context, const dperm_ledger_dataset *d) {
  ledger_words *e = context;
  amount delta;
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
  e->replacing = strcmp(d->neighbours, "replace") == 0;
  if (amount_parse(d->delta_left, &delta)) {
    amount_brief(&delta, e->delta_left);
  }
  if (amount_parse(d->delta_total, &delta)) {
    amount_brief(&delta, e->delta_total);
  }
}

dperm_status ledger_words_find(dperm_ledger *ledger, const dperm_model *model, ledger_words *out,
                               dperm_error *err) {
  TRY(dperm_ledger_find_model(ledger, model, see_entry, out, err));
  return dperm_ledger_datasets(ledger, see_dataset, out, err);
}

void ledger_words_write(report *p, const dperm_model *model, const ledger_words *e) {
  const schema_refined *refined = model->schema ? &model->schema->refined : NULL;
  char charged[DOUBLE_TEXT_SIZE];
  (void)format_double(model->claim.epsilon_charged, false, charged);
  report_add(p, REPORT_HEADING, "What was spent, and what is left");
  if (e->found) {
    report_row(p, "this release", "(ε, δ) = (%s, %.2g), entry %llu of %s in the ledger, %s",
               charged, model->claim.delta, (unsigned long long)e->entry, e->time,
               e->committed ? "committed for this very model"
                            : "reserved and not committed; spent all the same");
    if (model->claim.neighbours == DPERM_NEIGHBOURS_ADD_REMOVE && e->replacing) {
      const guarantee twice = guarantee_replaced(&model->claim);
      report_row(
          p, "in that ledger",
          "it counts as (%.6g, %.2g): its budget is for replaced records, and replacing one is "
          "removing it and adding another",
          twice.epsilon_charged, twice.delta);
    }
    if (e->by[0]) {
      report_row(
          p, "what it costs there",
          "%s, its Rényi divergence: that is what the total goes down by, and the conversion "
          "to ε, once, with the first release",
          e->cost);
    }
    if (refined && refined->entry != 0 && refined->entry != e->entry) {
      report_row(p, "its schema", "ε = %.6g, entry %llu: charged when it was refined",
                 refined->epsilon, (unsigned long long)refined->entry);
    }
    report_row(p, "data set", "\"%s\": a total of ε = %s for all releases together%s", e->dataset,
               e->total, e->by);
    report_row(p, "spent so far", "ε = %s", e->spent);
    report_row(p, "left", "ε = %s (δ: %s of %s)", e->left, e->delta_left, e->delta_total);
  } else if (model->ledger_entry) {
    report_add(p, REPORT_TEXT,
               "The release was charged to a ledger, as entry %llu (receipt %.16s…). The custodian "
               "can add what is left: dperm statement --model … --ledger ….",
               (unsigned long long)model->ledger_entry, model->ledger_digest);
  } else {
    report_add(
        p, REPORT_TEXT,
        "No ledger was charged. Budgets of several releases from the same records add up, and "
        "in this case only the custodian's own notes say how many there were.");
  }
}
