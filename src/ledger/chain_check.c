/* A ledger is checked before it is used: transactions on a file and a chain that were found sound,
 * and dperm_ledger_verify, which names what is wrong first. A chain cannot show that a whole file
 * was replaced by an older copy of itself: for that there is the head noted elsewhere, and every
 * released model's receipt. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/defect.h"
#include "base/memory.h"
#include "ledger/chain.h"

/* SQLite's own check of pages, and of indexes where a file still has some. */
static dperm_status check_pages(dperm_ledger *ledger, dperm_error *err) {
  OWNED(sqlite3_finalize_at) sqlite3_stmt *query = NULL;
  bool more = false;
  TRY(store_prepare(ledger, "PRAGMA integrity_check(1)", &query, err));
  TRY(store_step(ledger, query, &more, err));
  const char *text = more ? (const char *)sqlite3_column_text(query, 0) : "ok";
  return text && strcmp(text, "ok") != 0 ? store_unsound(ledger, NO_RECORD, err, "file: %s", text)
                                         : DPERM_OK;
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
  bool first = !ledger->known;
  TRY(tables_check(ledger, err));
  if (first) {
    TRY(memory_new(1, sizeof *ledger->known, &ledger->known, err));
    TRY(DEFECT("index-trusted") ? DPERM_OK : check_pages(ledger, err));
  }
  TRY(chain_extend(ledger->known, ledger, err));
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
  TRY(record_append(ledger, &ledger->known->last, r, err));
  TRY(chain_extend(ledger->known, ledger, err));
  return strcmp(ledger->known->last.digest, r->digest) == 0
             ? DPERM_OK
             : store_fail_damaged(ledger, "it does not keep what is written", err);
}

/* ---- verifying */

/* Who is told. */
typedef struct listener {
  dperm_verify_line *line; /* may be NULL */
  void *context;
} listener;

__attribute__((format(printf, 3, 4))) static void tell(const listener *to, dperm_finding kind,
                                                       const char *format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  (void)vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (to->line) {
    to->line(to->context, kind, text);
  }
}

static void conclude(const chain *c, const listener *to) {
  tell(to, DPERM_FINDING_HOLDS, "records: all %lld fit their digests and follow each other",
       (long long)c->count);
  tell(to, DPERM_FINDING_HOLDS,
       "sums: %zu data sets, %lld charges (%lld committed), none beyond its budget",
       c->dataset_count, (long long)c->reserved, (long long)c->committed);
  if (c->priced > 0) {
    tell(to, DPERM_FINDING_HOLDS,
         "prices: %lld charges by a Renyi order, none below what follows from its numbers",
         (long long)c->priced);
  }
  tell(to, DPERM_FINDING_HOLDS, "head: record %lld, digest %s", (long long)c->count,
       c->last.digest);
  if (!c->keyed) {
    tell(to, DPERM_FINDING_REMARK,
         "the ledger is of an older version, and another key would pass: the next charge brings it "
         "up to date");
  }
  if (c->wanted) {
    tell(to, DPERM_FINDING_HOLDS, "noted head: is that of record %lld; all up to it is as it was",
         (long long)c->wanted_at);
  } else {
    tell(to, DPERM_FINDING_REMARK,
         "an older copy of the whole file would pass: note the head elsewhere and give it to the "
         "next check");
  }
}

static dperm_status read_all(chain *c, dperm_ledger *ledger, dperm_error *err) {
  TRY(tables_check(ledger, err));
  TRY(check_pages(ledger, err));
  return chain_extend(c, ledger, err);
}

dperm_status dperm_ledger_verify(dperm_ledger *ledger, const char *head, dperm_verify_line *line,
                                 void *context, bool *holds, dperm_error *err) {
  OWNED(chain_cancel) dperm_ledger *held = NULL;
  OWNED(chain_clear) chain c = {.wanted = head};
  const listener to = {line, context};
  dperm_error refused;
  TRY(store_begin(ledger, false, &held, err));
  ledger->finding[0] = '\0';
  dperm_status status = read_all(&c, ledger, &refused);
  if (status != DPERM_OK && !ledger->finding[0]) { /* it could not be read */
    FAIL(err, status, "%s", refused.message);
  }
  *holds = status == DPERM_OK;
  if (!*holds) {
    tell(&to, DPERM_FINDING_FAILS, "%s", ledger->finding);
    return DPERM_OK;
  }
  conclude(&c, &to);
  return store_commit(&held, err);
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
