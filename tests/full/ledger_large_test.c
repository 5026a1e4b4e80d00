/* A ledger with very many entries, written in one transaction: it verifies, and a change anywhere
 * in it is named. Argument: the number of entries, 100000 unless told. With a second argument the
 * ledger is left there, to be timed (docs/performance.md). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ledger/chain.h"
#include "ledgers.h"
#include "support.h"

static int number;

static void tell(int good, const char *what) {
  printf("%s %d - %s\n", good ? "ok" : "not ok", ++number, what);
  if (!good) {
    exit(1);
  }
}

/* Reservations of 0.1 and their commits behind the record that opened the data set. */
static dperm_status fill(dperm_ledger *ledger, long entries, dperm_error *err) {
  record last = ledger->known->last;
  amount tenth, spent;
  (void)amount_parse("0.1", &tenth);
  (void)amount_parse("0", &spent);
  for (long i = 0; i < entries; i++) {
    record r = {.kind = "reserve",
                .dataset = "people",
                .command = "train",
                .mechanism = "objective",
                .epsilon = "0.1",
                .delta = "0",
                .spent_delta = "0",
                .rows_per_person = 1};
    memset(r.data, 'd', DPERM_DIGEST_SIZE - 1);
    memset(r.token, 't', DPERM_DIGEST_SIZE - 1);
    (void)amount_add(&spent, &tenth, &spent);
    amount_text(&spent, r.spent_epsilon);
    memcpy(r.time, last.time, sizeof r.time);
    TRY(record_append(ledger, &last, &r, err));
    record c = r;
    memcpy(c.kind, "commit", sizeof "commit");
    memset(c.token, 0, sizeof c.token);
    c.command[0] = c.mechanism[0] = c.epsilon[0] = c.delta[0] = '\0';
    c.entry = r.id;
    memset(c.artifact, 'a', DPERM_DIGEST_SIZE - 1);
    TRY(record_append(ledger, &r, &c, err));
    last = c;
  }
  return DPERM_OK;
}

typedef struct seen {
  size_t failures;
  char first[256];
} seen;

static void see(void *context, dperm_finding finding, const char *line) {
  seen *s = context;
  if (finding == DPERM_FINDING_FAILS && s->failures++ == 0) {
    (void)snprintf(s->first, sizeof s->first, "%s", line);
  }
}

static void count_entry(void *context, const dperm_ledger_entry *entry) {
  *(long *)context += entry->commit == entry->entry + 1;
}

int main(int argc, char **argv) {
  long entries = argc > 1 ? strtol(argv[1], NULL, 10) : 100000, shown = 0;
  char folder[1024], path[1056], change[200], named[64];
  dperm_error err = {0};
  dperm_ledger *ledger = NULL, *held = NULL;
  bool holds = false;
  folder_new("dperm-large", folder, sizeof folder);
  (void)snprintf(path, sizeof path, "%s/ledger", folder);
  if (argc > 2) {
    (void)snprintf(path, sizeof path, "%s", argv[2]);
  }
  tell(ledger_create(path, "people", "1e9", NULL, 1, &err) == DPERM_OK &&
           dperm_ledger_open(path, &ledger, &err) == DPERM_OK &&
           chain_begin(ledger, true, &held, &err) == DPERM_OK &&
           fill(ledger, entries, &err) == DPERM_OK && store_commit(&held, &err) == DPERM_OK,
       "very many entries are written");
  if (argc > 2) {
    dperm_ledger_free(ledger);
    (void)rmdir(folder);
    return 0;
  }
  tell(dperm_ledger_verify(ledger, NULL, NULL, NULL, &holds, &err) == DPERM_OK && holds,
       "they verify");
  tell(dperm_ledger_entries(ledger, "people", count_entry, &shown, &err) == DPERM_OK &&
           shown == entries,
       "they are shown");
  seen s = {0, ""};
  (void)snprintf(named, sizeof named, "record %ld: was changed", entries - entries % 2);
  (void)snprintf(change, sizeof change, "UPDATE records SET epsilon = '0.01' WHERE id = %ld",
                 entries - entries % 2);
  tell(sqlite3_exec(ledger->db, change, NULL, NULL, NULL) == SQLITE_OK &&
           dperm_ledger_verify(ledger, NULL, see, &s, &holds, &err) == DPERM_OK && !holds &&
           strncmp(s.first, named, strlen(named)) == 0,
       "a change in the middle is named");
  dperm_ledger_free(ledger);
  (void)unlink(path);
  (void)rmdir(folder);
  return 0;
}
