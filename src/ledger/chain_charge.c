/* Transactions on a ledger whose file and chain were checked first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/defect.h"
#include "base/memory.h"
#include "ledger/chain.h"
#include "ledger/head_attribute.h"
#include "ledger/tables.h"

static dperm_status refuse_inconsistent(const dperm_ledger *ledger, const findings *found,
                                        dperm_error *err) {
  return found->failures == 0 ? DPERM_OK : store_fail_damaged(ledger, found->first, err);
}

dperm_status chain_check_pages(dperm_ledger *ledger, bool indexes, findings *found,
                               dperm_error *err) {
  dperm_status status = DPERM_OK;
  sqlite3_stmt *query = NULL;
  bool more = true;
  TRY(store_prepare(ledger, indexes ? "PRAGMA integrity_check(5)" : "PRAGMA quick_check(5)", &query,
                    err));
  while (more) {
    TRY_OR_DONE(store_step(ledger, query, &more, err));
    const char *text = more ? (const char *)sqlite3_column_text(query, 0) : "ok";
    if (text && strcmp(text, "ok") != 0) {
      findings_fail(found, "file: %s", text);
    }
  }
done:
  (void)sqlite3_finalize(query);
  return status;
}

/* ---- beginning */

static void chain_forget(dperm_ledger *ledger) {
  if (ledger->known) {
    chain_clear(ledger->known);
  }
  free(ledger->known);
  ledger->known = NULL;
}

/* As charges were once: each data set's last record, found by an index, with the sum it states. */
static dperm_status trust_index(chain *c, dperm_ledger *ledger, dperm_error *err) {
  record opened[16], last;
  size_t count = 0;
  bool more = true;
  TRY(record_first(ledger, "ORDER BY id DESC LIMIT 1", NULL, &c->last, &more, err));
  c->count = c->last.id;
  c->keyed = true;
  TRY(memory_reserve(&c->commits, &c->commit_capacity, (size_t)c->count + 1, sizeof *c->commits,
                     err));
  memset(c->commits, 0, ((size_t)c->count + 1) * sizeof *c->commits);
  sqlite3_stmt *query = NULL;
  TRY(record_query(ledger, "WHERE kind = 'open' ORDER BY id", &query, err));
  while (more && count < 16 && record_next(ledger, query, &opened[count], &more, err) == DPERM_OK) {
    count += more;
  }
  (void)sqlite3_finalize(query);
  TRY(memory_reserve(&c->datasets, &c->dataset_capacity, count, sizeof *c->datasets, err));
  for (; c->dataset_count < count; c->dataset_count++) {
    dataset_state *d = &c->datasets[c->dataset_count];
    const record *o = &opened[c->dataset_count];
    TRY(record_first(ledger, "WHERE dataset = ? ORDER BY id DESC LIMIT 1", o->dataset, &last, &more,
                     err));
    *d = (dataset_state){.rows_per_person = o->rows_per_person};
    memcpy(d->name, o->dataset, sizeof d->name);
    memcpy(d->data, last.data, sizeof d->data);
    if (!amounts_parse(o->epsilon, o->delta, &d->total) ||
        !amounts_parse(last.spent_epsilon, last.spent_delta, &d->spent)) {
      return store_fail_damaged(ledger, "a record does not fit its digest", err);
    }
  }
  return DPERM_OK;
}

/* Pages are looked at once by a handle: a file whose free pages are in use, say, would lose records
 * by the next write. */
dperm_status chain_read(dperm_ledger *ledger, dperm_error *err) {
  findings found = {.line = NULL};
  TRY(tables_check(ledger, &found, err));
  TRY(refuse_inconsistent(ledger, &found, err));
  if (!ledger->known) {
    TRY(memory_new(1, sizeof *ledger->known, &ledger->known, err));
    ledger->forget = chain_forget;
    if (DEFECT("index-trusted")) {
      TRY(trust_index(ledger->known, ledger, err));
    } else {
      TRY(chain_check_pages(ledger, ledger->version < LEDGER_VERSION, &found, err));
      TRY(refuse_inconsistent(ledger, &found, err));
    }
  }
  TRY(chain_extend(ledger->known, ledger, &found, err));
  return refuse_inconsistent(ledger, &found, err);
}

/* A ledger of an older version says which key it has from now on, and has no more indexes. */
static dperm_status bring_up_to_date(dperm_ledger *ledger, dperm_error *err) {
  record r = {.kind = "key", .rows_per_person = 1};
  if (ledger->version == LEDGER_VERSION) {
    return DPERM_OK;
  }
  TRY(tables_update(ledger, err));
  (void)snprintf(r.artifact, sizeof r.artifact, "%s", ledger->known->key_digest);
  record_time_now(ledger->known->last.time, r.time);
  TRY(chain_append(ledger, &r, err));
  return chain_read(ledger, err); /* the tables, too, are what they should be */
}

dperm_status chain_begin(dperm_ledger *ledger, bool write, const chain **out, dperm_error *err) {
  TRY(store_begin(ledger, write, err));
  dperm_status status = chain_read(ledger, err);
  if (status == DPERM_OK && write) {
    head_attribute_write(store_file(ledger), ledger->known->last.digest);
    status = bring_up_to_date(ledger, err);
  }
  if (status != DPERM_OK) {
    return store_end(ledger, status, err);
  }
  *out = ledger->known;
  return DPERM_OK;
}

dperm_status chain_append(dperm_ledger *ledger, record *r, dperm_error *err) {
  findings found = {.line = NULL};
  TRY(record_append(ledger, &ledger->known->last, r, err));
  TRY(chain_extend(ledger->known, ledger, &found, err));
  TRY(refuse_inconsistent(ledger, &found, err));
  return strcmp(ledger->known->last.digest, r->digest) == 0
             ? DPERM_OK
             : store_fail_damaged(ledger, "it does not keep what is written", err);
}
