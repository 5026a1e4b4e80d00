/* Ledgers, and what models and ledgers are found to be. */
#include "glue.h"
#include "routines.h"

#include <stdio.h>
#include <string.h>

/* ---- ledgers */

SEXP r_ledger_open(SEXP path) {
  dperm_error err = {.status = DPERM_OK};
  dperm_ledger *made = NULL;
  const char *name = utf8_of(path);
  SEXP owner = PROTECT(owner_new(OWNED_LEDGER));
  dperm_status status = dperm_ledger_open(name, &made, &err);
  SEXP found = made_or_failure(owner, made, status, &err);
  UNPROTECT(1);
  return found;
}

/* Closes its file now, not when R gets to it. */
SEXP r_ledger_close(SEXP ledger) {
  (void)owned(ledger, OWNED_LEDGER);
  owner_release(ledger);
  return R_NilValue;
}

SEXP r_ledger_create(SEXP path, SEXP dataset, SEXP epsilon, SEXP delta, SEXP part_of,
                     SEXP numbers) {
  dperm_error err = {.status = DPERM_OK};
  dperm_ledger_budget budget;
  dperm_ledger_budget_init(&budget);
  budget.epsilon = utf8_of(epsilon);
  budget.delta = utf8_of(delta);
  budget.part_of = utf8_of(part_of);
  budget.rows_per_person = (size_t)REAL(numbers)[0];
  budget.composition = (dperm_composition)REAL(numbers)[1];
  budget.neighbours = (dperm_neighbours)REAL(numbers)[2];
  budget.order = REAL(numbers)[3];
  dperm_status status = dperm_ledger_create(utf8_of(path), utf8_of(dataset), &budget, &err);
  return status == DPERM_OK ? R_NilValue : failure(&err);
}

static void add_number(fields *f, double number) {
  char text[32];
  (void)snprintf(text, sizeof text, "%.17g", number);
  fields_add(f, text);
}

static void add_or_empty(fields *f, const char *text) {
  fields_add(f, text ? text : "");
}

static void add_dataset(void *context, const dperm_ledger_dataset *d) {
  fields *f = context;
  const char *const texts[] = {d->name,        d->epsilon_total, d->epsilon_spent, d->epsilon_left,
                               d->delta_total, d->delta_spent,   d->delta_left,    d->composition,
                               d->neighbours,  d->part_of,       d->epsilon_plain, d->delta_plain};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    add_or_empty(f, texts[i]);
  }
  add_number(f, (double)d->rows_per_person);
  add_number(f, d->order);
}

static void add_entry(void *context, const dperm_ledger_entry *e) {
  fields *f = context;
  const char *const texts[] = {e->dataset, e->time,   e->command,      e->mechanism, e->epsilon,
                               e->delta,   e->digest, e->cost_epsilon, e->cost_delta};
  add_number(f, (double)e->entry);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    fields_add(f, texts[i]);
  }
  fields_add(f, e->commit ? "committed" : "reserved");
  add_or_empty(f, e->commit ? e->artifact : NULL);
}

SEXP r_ledger_datasets(SEXP ledger) {
  dperm_error err = {.status = DPERM_OK};
  dperm_ledger *of = owned(ledger, OWNED_LEDGER);
  SEXP owner = PROTECT(owner_new(OWNED_FIELDS));
  fields *f = fields_new(owner);
  dperm_status status = dperm_ledger_datasets(of, add_dataset, f, &err);
  SEXP found = status == DPERM_OK ? fields_texts(f) : failure(&err);
  UNPROTECT(1);
  return found;
}

/* Of a data set, or of all for NULL; or the entry that paid for a model. */
SEXP r_ledger_entries(SEXP ledger, SEXP dataset, SEXP model) {
  dperm_error err = {.status = DPERM_OK};
  dperm_ledger *of = owned(ledger, OWNED_LEDGER);
  const dperm_model *paid = owned_or_null(model, OWNED_MODEL);
  const char *name = utf8_of(dataset);
  SEXP owner = PROTECT(owner_new(OWNED_FIELDS));
  fields *f = fields_new(owner);
  dperm_status status = paid ? dperm_ledger_find_model(of, paid, add_entry, f, &err)
                             : dperm_ledger_entries(of, name, add_entry, f, &err);
  SEXP found = status == DPERM_OK ? fields_texts(f) : failure(&err);
  UNPROTECT(1);
  return found;
}

/* The number of records, and the last one's digest. */
SEXP r_ledger_head(SEXP ledger) {
  dperm_error err = {.status = DPERM_OK};
  dperm_ledger *of = owned(ledger, OWNED_LEDGER);
  uint64_t records = 0;
  char digest[DPERM_DIGEST_SIZE] = "";
  SEXP owner = PROTECT(owner_new(OWNED_FIELDS));
  fields *f = fields_new(owner);
  dperm_status status = dperm_ledger_head(of, &records, digest, &err);
  add_number(f, (double)records);
  fields_add(f, digest);
  SEXP found = status == DPERM_OK ? fields_texts(f) : failure(&err);
  UNPROTECT(1);
  return found;
}

/* ---- verification */

static void add_line(void *context, dperm_finding finding, const char *line) {
  add_number(context, (double)finding);
  fields_add(context, line);
}

/* The verdict, 1 or 0, and for each line its finding and text. */
static SEXP verdict(SEXP lines, dperm_status status, bool holds, const dperm_error *err) {
  fields *f = owned(lines, OWNED_FIELDS);
  add_number(f, holds);
  return status == DPERM_OK ? fields_texts(f) : failure(err);
}

SEXP r_model_verify(SEXP name, SEXP json, SEXP ledger) {
  dperm_error err = {.status = DPERM_OK};
  bool holds = false;
  const char *text = utf8_of(json), *called = utf8_of(name);
  dperm_ledger *paid = owned_or_null(ledger, OWNED_LEDGER);
  SEXP owner = PROTECT(owner_new(OWNED_FIELDS));
  fields *f = fields_new(owner);
  dperm_status status =
      dperm_model_verify(called, text, text ? strlen(text) : 0, paid, add_line, f, &holds, &err);
  SEXP found = verdict(owner, status, holds, &err);
  UNPROTECT(1);
  return found;
}

SEXP r_ledger_verify(SEXP ledger, SEXP head) {
  dperm_error err = {.status = DPERM_OK};
  bool holds = false;
  dperm_ledger *of = owned(ledger, OWNED_LEDGER);
  const char *noted = utf8_of(head);
  SEXP owner = PROTECT(owner_new(OWNED_FIELDS));
  fields *f = fields_new(owner);
  dperm_status status = dperm_ledger_verify(of, noted, add_line, f, &holds, &err);
  SEXP found = verdict(owner, status, holds, &err);
  UNPROTECT(1);
  return found;
}
