/* Transactions on a ledger whose file and chain were checked first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/defect.h"
#include "base/memory.h"
#include "ledger/chain.h"
#include "ledger/tables.h"

static dperm_status refuse_inconsistent(const dperm_ledger *ledger, const findings *found,
                                        dperm_error *err) {
  return found->failures == 0 ? DPERM_OK : store_fail_damaged(ledger, found->first, err);
}

dperm_status chain_check_pages(dperm_ledger *ledger, bool indexes, findings *found,
                               dperm_error *err) {
  OWNED(sqlite3_finalize_at) sqlite3_stmt *query = NULL;
  bool more = true;
  TRY(store_prepare(ledger, indexes ? "PRAGMA integrity_check(5)" : "PRAGMA quick_check(5)", &query,
                    err));
  while (more) {
    TRY(store_step(ledger, query, &more, err));
    const char *text = more ? (const char *)sqlite3_column_text(query, 0) : "ok";
    if (text && strcmp(text, "ok") != 0) {
      findings_fail(found, "file: %s", text);
    }
  }
  return DPERM_OK;
}

/* ---- beginning */

static void chain_forget(dperm_ledger *ledger) {
  if (ledger->known) {
    chain_clear(ledger->known);
  }
  free(ledger->known);
  ledger->known = NULL;
}

/* A planted defect, as charges were once: what is spent is the sum that each data set's last record
 * states, found by an index. */
static dperm_status trust_index(dperm_ledger *ledger, dperm_error *err) {
  for (size_t i = 0; i < ledger->known->dataset_count; i++) {
    OWNED(sqlite3_finalize_at) sqlite3_stmt *query = NULL;
    dataset_state *d = &ledger->known->datasets[i];
    record last = {.id = 0};
    TRY(record_query(ledger, "WHERE dataset = ? ORDER BY id DESC LIMIT 1", &query, err));
    (void)sqlite3_bind_text(query, 1, d->name, -1, SQLITE_STATIC);
    TRY(record_next(ledger, query, &last, &(bool){false}, err));
    (void)amounts_parse(last.spent_epsilon, last.spent_delta, &d->spent);
    d->costs = d->spent;
  }
  return DPERM_OK;
}

/* Pages are looked at once by a handle: a file whose free pages are in use, say, would lose records
 * by the next write. */
dperm_status chain_read(dperm_ledger *ledger, dperm_error *err) {
  findings found = {.line = NULL};
  TRY(tables_check(ledger, &found, err));
  TRY(refuse_inconsistent(ledger, &found, err));
  bool first = !ledger->known;
  if (first) {
    TRY(memory_new(1, sizeof *ledger->known, &ledger->known, err));
    ledger->forget = chain_forget;
    if (!DEFECT("index-trusted")) {
      TRY(chain_check_pages(ledger, ledger->version < 3, &found, err)); /* that had indexes */
      TRY(refuse_inconsistent(ledger, &found, err));
    }
  }
  TRY(chain_extend(ledger->known, ledger, &found, err));
  TRY(refuse_inconsistent(ledger, &found, err));
  return first && DEFECT("index-trusted") ? trust_index(ledger, err) : DPERM_OK;
}

/* A ledger of an older version has today's tables from now on, and says which key it has. */
static dperm_status bring_up_to_date(dperm_ledger *ledger, dperm_error *err) {
  record r = {.kind = "key", .rows_per_person = 1};
  if (ledger->version == LEDGER_VERSION) {
    return DPERM_OK;
  }
  TRY(tables_update(ledger, err));
  if (ledger->known->keyed) {
    return chain_read(ledger, err);
  }
  (void)snprintf(r.artifact, sizeof r.artifact, "%s", ledger->known->key_digest);
  record_time_now(ledger->known->last.time, r.time);
  TRY(chain_append(ledger, &r, err));
  return chain_read(ledger, err); /* the tables, too, are what they should be */
}

dperm_status chain_begin(dperm_ledger *ledger, bool write, dperm_ledger **held, dperm_error *err) {
  TRY(store_begin(ledger, write, held, err));
  TRY(chain_read(ledger, err));
  if (!write) {
    return DPERM_OK;
  }
  store_note_head(ledger, ledger->known->last.digest);
  return bring_up_to_date(ledger, err);
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
