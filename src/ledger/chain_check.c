/* A ledger is checked before it is used: transactions on a file and a chain that were found sound,
 * and dperm_ledger_verify, which reports every inconsistency. A chain cannot show that a whole file
 * was replaced by an older copy of itself: for that there is the head noted elsewhere, and every
 * released model's receipt. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/defect.h"
#include "base/memory.h"
#include "ledger/chain.h"

static dperm_status refuse_inconsistent(const dperm_ledger *ledger, const findings *found,
                                        dperm_error *err) {
  return found->failures == 0 ? DPERM_OK : store_fail_damaged(ledger, found->first, err);
}

/* SQLite's own check of pages, and of indexes where a file still has some. */
static dperm_status check_pages(dperm_ledger *ledger, bool indexes, findings *found,
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
    if (!DEFECT("index-trusted")) {
      TRY(check_pages(ledger, ledger->version < 3, &found, err)); /* that had indexes */
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

/* ---- verifying */

static void conclude(const chain *c, findings *found) {
  if (found->failures > FINDINGS_SHOWN && found->line) {
    found->line(found->context, DPERM_FINDING_FAILS, "and more that does not fit");
  }
  if (found->failures > 0) {
    return;
  }
  findings_add(found, DPERM_FINDING_HOLDS, NO_RECORD,
               "records: all %lld fit their digests and follow each other", (long long)c->count);
  findings_add(found, DPERM_FINDING_HOLDS, NO_RECORD,
               "sums: %zu data sets, %lld charges (%lld committed), none beyond its budget",
               c->dataset_count, (long long)c->reserved, (long long)c->committed);
  if (c->priced > 0) {
    findings_add(found, DPERM_FINDING_HOLDS, NO_RECORD,
                 "prices: %lld charges by a Renyi order, none below what follows from its numbers",
                 (long long)c->priced);
  }
  findings_add(found, DPERM_FINDING_HOLDS, NO_RECORD, "head: record %lld, digest %s",
               (long long)c->count, c->last.digest);
  if (!c->keyed) {
    findings_add(found, DPERM_FINDING_REMARK, NO_RECORD,
                 "the ledger is of an older version, and another key would pass: the next charge "
                 "brings it up to date");
  }
  if (c->wanted) {
    findings_add(found, DPERM_FINDING_HOLDS, NO_RECORD,
                 "noted head: is that of record %lld; all up to it is as it was",
                 (long long)c->wanted_at);
  } else {
    findings_add(found, DPERM_FINDING_REMARK, NO_RECORD,
                 "an older copy of the whole file would pass: note the head elsewhere and give it "
                 "to the next check");
  }
}

static dperm_status read_all(chain *c, dperm_ledger *ledger, findings *found, dperm_error *err) {
  TRY(tables_check(ledger, found, err));
  bool ours = found->failures == 0;
  dperm_status status = check_pages(ledger, true, found, err);
  if (status == DPERM_OK) {
    status = chain_extend(c, ledger, found, err);
  }
  if (!ours) {
    status = DPERM_OK; /* tables that are not ours need not be readable */
  }
  conclude(c, found);
  return status;
}

dperm_status dperm_ledger_verify(dperm_ledger *ledger, const char *head, dperm_verify_line *line,
                                 void *context, bool *holds, dperm_error *err) {
  OWNED(chain_cancel) dperm_ledger *held = NULL;
  OWNED(chain_clear) chain c = {.wanted = head};
  findings found = {.line = line, .context = context};
  TRY(store_begin(ledger, false, &held, err));
  TRY(read_all(&c, ledger, &found, err));
  TRY(store_commit(&held, err));
  *holds = found.failures == 0;
  return DPERM_OK;
}

dperm_status dperm_ledger_head(dperm_ledger *ledger, uint64_t *records,
                               char digest[DPERM_DIGEST_SIZE], dperm_error *err) {
  OWNED(chain_cancel) dperm_ledger *held = NULL;
  TRY(chain_begin(ledger, false, &held, err));
  const record last = ledger->known->last;
  TRY(store_commit(&held, err));
  *records = (uint64_t)last.id;
  memcpy(digest, last.digest, DPERM_DIGEST_SIZE);
  return DPERM_OK;
}
