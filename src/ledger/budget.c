/* Data sets: giving one its budget, and what they have left of it. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/options_defaults.h"
#include "ledger/chain.h"

static dperm_status check_total(const char *name, const char *text, bool is_delta, char *out,
                                dperm_error *err) {
  amount total = {{0}};
  bool good = amount_parse(text, &total);
  amount_text(&total, out);
  FAIL_IF(!good || (is_delta ? out[0] != '0' : strcmp(out, "0") == 0), err, DPERM_INVALID_ARGUMENT,
          "the total %s must be a decimal number %s, with at most %d digits before and %d behind "
          "the point, not \"%.40s\"",
          name,
          is_delta ? "from 0 to below 1, far below one over the number of records" : "above 0",
          AMOUNT_WHOLE, AMOUNT_PLACES, text);
  return DPERM_OK;
}

/* A part has its own totals, or those of the whole, and all else from that (join_whole). */
static dperm_status describe_part(const dperm_ledger_budget *b, record *out, dperm_error *err) {
  FAIL_IF(b->rows_per_person != 1 || b->composition != DPERM_COMPOSITION_PLAIN || b->order != 0 ||
              b->neighbours != DPERM_NEIGHBOURS_REPLACE,
          err, DPERM_INVALID_ARGUMENT,
          "a part has its unit, neighbours and composition from the data set that it is a part of; "
          "leave them out");
  TRY(b->epsilon ? check_total("epsilon", b->epsilon, false, out->epsilon, err) : DPERM_OK);
  return b->delta ? check_total("delta", b->delta, true, out->delta, err) : DPERM_OK;
}

/* The record that opens a data set, but for what the chain gives it. */
static dperm_status describe(const char *dataset, const dperm_ledger_budget *b, record *out,
                             dperm_error *err) {
  record_terms terms;
  amounts total;
  *out = (record){.kind = "open", .spent_epsilon = "0", .spent_delta = "0"};
  TRY(record_check_name(dataset, err));
  (void)snprintf(out->dataset, sizeof out->dataset, "%s", dataset);
  if (b->part_of) {
    return describe_part(b, out, err);
  }
  TRY(check_total("epsilon", b->epsilon ? b->epsilon : "", false, out->epsilon, err));
  TRY(check_total("delta", b->delta ? b->delta : "1e-30", true, out->delta, err));
  FAIL_IF(b->rows_per_person > 1000000, err, DPERM_INVALID_ARGUMENT,
          "%zu rows per person; give from 1 to a million, or 0 for persons that the schema tells "
          "apart",
          b->rows_per_person);
  out->rows_per_person = (int64_t)b->rows_per_person;
  bool renyi = b->composition == DPERM_COMPOSITION_RENYI;
  FAIL_IF(!dperm_neighbours_name(b->neighbours) ||
              (!renyi && b->composition != DPERM_COMPOSITION_PLAIN),
          err, DPERM_INVALID_ARGUMENT, "there are no neighbours of number %d, or no composition %d",
          (int)b->neighbours, (int)b->composition);
  FAIL_IF(renyi && !b->delta, err, DPERM_INVALID_ARGUMENT,
          "Renyi composition needs a total delta, which it has no default for; half of it pays for "
          "the conversion to epsilon");
  (void)amounts_parse(out->epsilon, out->delta, &total); /* as check_total wrote them */
  TRY(reading_fix(renyi, b->order, &total, &terms, err));
  terms.adding = b->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  terms_write(&terms, out->terms);
  return DPERM_OK;
}

/* A part of a data set adds up as that does, which it is charged to as well. */
static dperm_status join_whole(const dperm_ledger *ledger, const char *name, record *opened,
                               dperm_error *err) {
  const dataset_state *whole = chain_find(ledger->known, name);
  amounts total;
  record_terms terms;
  char epsilon[DPERM_AMOUNT_SIZE], delta[DPERM_AMOUNT_SIZE];
  FAIL_IF(!whole, err, DPERM_OVER_BUDGET,
          "%s: the ledger has no data set \"%.100s\" that another could be a part of; give it its "
          "budget first",
          ledger->path, name);
  const reading *r = &whole->reading;
  amounts_text(&r->total, epsilon, delta);
  if (!opened->epsilon[0]) {
    memcpy(opened->epsilon, epsilon, sizeof epsilon);
  }
  if (!opened->delta[0]) {
    memcpy(opened->delta, delta, sizeof delta);
  }
  (void)amounts_parse(opened->epsilon, opened->delta, &total); /* as check_total wrote them */
  FAIL_IF(!amounts_cover(&r->total, &total), err, DPERM_INVALID_ARGUMENT,
          "%s: a part of \"%s\" cannot have a larger budget than that; give at most the same, or "
          "none of its own",
          ledger->path, whole->name);
  TRY(reading_fix(r->renyi, r->order, &total, &terms, err));
  terms.adding = r->adding;
  terms_write(&terms, opened->terms);
  opened->rows_per_person = whole->rows_per_person;
  opened->entry = whole->opened;
  return DPERM_OK;
}

static dperm_status append_open(dperm_ledger *ledger, record *opened, const char *part_of,
                                dperm_error *err) {
  const chain *c = ledger->known;
  FAIL_IF(chain_find(c, opened->dataset), err, DPERM_OVER_BUDGET,
          "%s: data set \"%s\" has its budget, and that stays; see 'dperm ledger show'",
          ledger->path, opened->dataset);
  TRY(part_of ? join_whole(ledger, part_of, opened, err) : DPERM_OK);
  record_time_now(c->last.time, opened->time);
  memcpy(opened->artifact, c->key_digest, sizeof opened->artifact);
  return chain_append(ledger, opened, err);
}

static dperm_status add_to(const char *path, record *opened, const char *part_of,
                           dperm_error *err) {
  OWNED(dperm_ledger_free_at) dperm_ledger *ledger = NULL;
  OWNED(chain_cancel) dperm_ledger *held = NULL;
  TRY(dperm_ledger_open(path, &ledger, err));
  TRY(chain_begin(ledger, true, &held, err));
  TRY(append_open(ledger, opened, part_of, err));
  return store_commit(&held, err);
}

/* In a new file, unless another program has put one there meanwhile. */
static dperm_status begin_with(const char *path, record *opened, bool *taken, dperm_error *err) {
  OWNED(store_unlink) char *temporary = NULL;
  OWNED(dperm_ledger_free_at) dperm_ledger *ledger = NULL;
  unsigned char key[LEDGER_KEY_SIZE];
  TRY(record_secret(key, err));
  TRY(store_create(path, &ledger, &temporary, err));
  TRY(tables_make(ledger, key, err));
  TRY(chain_read(ledger, err));
  TRY(append_open(ledger, opened, NULL, err));
  return store_publish(ledger, temporary, path, taken, err);
}

dperm_status dperm_ledger_create(const char *path, const char *dataset,
                                 const dperm_ledger_budget *given, dperm_error *err) {
  dperm_ledger_budget budget;
  record opened;
  bool taken = false;
  TRY(options_take(DPERM_OPTIONS_BUDGET, given, &budget, err));
  TRY(describe(dataset, &budget, &opened, err));
  if (access(path, F_OK) == 0) {
    return add_to(path, &opened, budget.part_of, err);
  }
  FAIL_IF(budget.part_of, err, DPERM_OVER_BUDGET,
          "%s: there is no such ledger, so it has no data set that another could be a part of",
          path);
  dperm_status status = begin_with(path, &opened, &taken, err);
  return taken ? add_to(path, &opened, NULL, err) : status;
}

/* ---- showing them */

static amount amount_least(const amount *a, const amount *b) {
  return amount_compare(a, b) < 0 ? *a : *b;
}

static void visit_dataset(const chain *c, const dataset_state *d, dperm_dataset_visitor *visit,
                          void *context) {
  amounts spent, left;
  /* total, spent, left, plain sums */
  char epsilon[4][DPERM_AMOUNT_SIZE], delta[4][DPERM_AMOUNT_SIZE];
  const reading *r = &d->reading;
  reading_shown(r, &d->costs, d->charged, &spent, &left);
  for (const dataset_state *at = d; at; at = chain_whole(c, at)) { /* no more than any has */
    amounts its_spent, its_left;
    reading_shown(&at->reading, &at->costs, at->charged, &its_spent, &its_left);
    left.epsilon = amount_least(&left.epsilon, &its_left.epsilon);
    left.delta = amount_least(&left.delta, &its_left.delta);
  }
  amounts_text(&r->total, epsilon[0], delta[0]);
  amounts_text(&spent, epsilon[1], delta[1]);
  amounts_text(&left, epsilon[2], delta[2]);
  amounts_text(&d->spent, epsilon[3], delta[3]);
  const dperm_ledger_dataset shown = {
      .name = d->name,
      .epsilon_total = epsilon[0],
      .epsilon_spent = epsilon[1],
      .epsilon_left = epsilon[2],
      .delta_total = delta[0],
      .delta_spent = delta[1],
      .delta_left = delta[2],
      .rows_per_person = (size_t)d->rows_per_person,
      .data = d->data,
      .composition = r->renyi ? "renyi" : "plain",
      .order = r->renyi ? r->order : 0,
      .neighbours =
          dperm_neighbours_name(r->adding ? DPERM_NEIGHBOURS_ADD_REMOVE : DPERM_NEIGHBOURS_REPLACE),
      .epsilon_plain = epsilon[3],
      .delta_plain = delta[3],
      .part_of = d->whole ? c->datasets[d->whole - 1].name : NULL};
  visit(context, &shown);
}

dperm_status dperm_ledger_datasets(dperm_ledger *ledger, dperm_dataset_visitor *visit,
                                   void *context, dperm_error *err) {
  OWNED(chain_cancel) dperm_ledger *held = NULL;
  TRY(chain_begin(ledger, false, &held, err));
  for (size_t i = 0; i < ledger->known->dataset_count; i++) {
    visit_dataset(ledger->known, &ledger->known->datasets[i], visit, context);
  }
  return store_commit(&held, err);
}
