/* A ledger against what may be done to it: tables, triggers and views that are not its own, a
 * replaced key, a file that changes under an open handle; and one handle used by many threads. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ledger/chain.h"
#include "ledgers.h"

static void refuses(const ledger_home *home, const char *named) {
  dperm_charge made;
  chain_verdict v = verdict_of(home->path, NULL);
  if (!strstr(v.first, named)) {
    fail_msg("\"%s\" is not in \"%s\"", named, v.first);
  }
  assert_fails(charge_it(home->path, "people", 0.1, 0, 1, &made, err), DPERM_INVALID_LEDGER,
               "damaged ledger");
  assert_fails(ledger_create(home->path, "new", "1", NULL, 1, err), DPERM_INVALID_LEDGER,
               "damaged ledger");
}

/* ---- what is not a ledger's */

LEDGER_TEST(anything_in_the_file_that_is_not_ours_is_named_and_refused) {
  static const struct {
    const char *sql, *undo, *named;
  } cases[] = {
      {"CREATE TRIGGER quiet AFTER INSERT ON records BEGIN DELETE FROM records WHERE id = new.id; "
       "END",
       "DROP TRIGGER quiet", "the trigger \"quiet\" in it was not made by dperm"},
      {"CREATE VIEW shown AS SELECT * FROM records", "DROP VIEW shown", "the view \"shown\""},
      {"CREATE TABLE more (x)", "DROP TABLE more", "the table \"more\""},
      {"CREATE INDEX records_by_dataset ON records (dataset, id)", "DROP INDEX records_by_dataset",
       "the index \"records_by_dataset\""},
      {"ANALYZE", "DROP TABLE sqlite_stat1", "the table \"sqlite_stat1\""},
  };
  dperm_charge made;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tamper(home->path, cases[i].sql);
    refuses(home, cases[i].named);
    tamper(home->path, cases[i].undo);
  }
  assert_ok(charge_it(home->path, "people", 0.1, 0, 1, &made, err));
}

LEDGER_TEST(a_guard_that_was_exchanged_is_named) {
  tamper(home->path, "CREATE TRIGGER records_stay BEFORE DELETE ON records BEGIN SELECT 1; END");
  refuses(home, "the trigger \"records_stay\" in it was not made by dperm");
}

LEDGER_TEST(a_write_ahead_log_is_refused) {
  dperm_charge made;
  auto_ledger *ledger = opened(home);
  tamper(home->path, "PRAGMA journal_mode = WAL");
  assert_fails(charge_it(home->path, "people", 0.1, 0, 1, &made, err), DPERM_INVALID_LEDGER,
               "write-ahead log");
  assert_fails(head_of(ledger, err), DPERM_INVALID_LEDGER, "write-ahead log");
}

/* ---- the key */

LEDGER_TEST(a_replaced_key_is_refused) {
  dperm_charge made;
  assert_ok(ledger_create(home->path, "empty", "1", NULL, 1, err));
  assert_ok(charge_it(home->path, "people", 0.9, 0, 1, &made, err));
  auto_ledger *ledger = opened(home);
  assert_ok(head_of(ledger, err));
  tamper(home->path, "UPDATE ledger SET key = zeroblob(32)");
  assert_fails(charge_it(home->path, "empty", 0.9, 0, 1, &made, err), DPERM_INVALID_LEDGER,
               "record 1: was written under another key");
  refuses(home, "record 1: was written under another key");
  assert_fails(head_of(ledger, err), DPERM_INVALID_LEDGER, "key: was replaced");
}

/* ---- a file that changes under an open handle */

/* What the handle has read cannot be taken back: an older copy put in its place is seen. */
LEDGER_TEST(an_open_handle_sees_that_the_end_was_cut) {
  auto_ledger *ledger = opened(home);
  dperm_charge made;
  assert_ok(charge_open(ledger, 0.5, &made, err));
  assert_ok(charge_open(ledger, 0.5, &made, err));
  assert_string_equal(made.epsilon_left, "0");
  assert_ok(head_of(ledger, err));
  tamper(home->path, "DELETE FROM records WHERE id > 2; UPDATE ledger SET records = 2,"
                     " head = (SELECT digest FROM records WHERE id = 2)");
  assert_fails(charge_open(ledger, 0.5, &made, err), DPERM_INVALID_LEDGER, "damaged ledger");
}

LEDGER_TEST(other_handles_charges_are_read_on) {
  dperm_ledger *ledger = opened(home);
  dperm_charge made;
  for (int i = 0; i < 4; i++) {
    assert_ok(charge_open(ledger, 0.125, &made, err));
    charge_whole(home->path, "people", 0.125, 1);
    assert_ok(charge_commit(ledger, made.entry, "a", err));
    assert_fails(charge_commit(ledger, made.entry, "b", err), DPERM_INVALID_LEDGER,
                 "a reservation is gone");
  }
  assert_fails(charge_open(ledger, 0.125, &made, err), DPERM_OVER_BUDGET,
               "has epsilon 0 left of 1");
  dperm_ledger_free(ledger);
  assert_string_equal(verdict_of(home->path, NULL).first, "");
}

/* ---- threads, visitors, processes */

enum { THREADS = 8, CHARGES = 25 };

typedef struct charger {
  dperm_ledger *ledger;
  int made, refused, failed;
  char message[sizeof(((dperm_error *)0)->message)];
} charger;

/* Each wants more than its share, so that some are refused; what is charged is committed. */
static void *charge_much(void *context) {
  charger *me = context;
  for (int i = 0; i < CHARGES; i++) {
    dperm_charge made;
    dperm_error e = {0};
    dperm_status status = charge_open(me->ledger, 0.01, &made, &e);
    me->refused += status == DPERM_OVER_BUDGET;
    if (status == DPERM_OK) {
      status = charge_commit(me->ledger, made.entry, "a", &e);
      me->made += status == DPERM_OK;
    }
    if (status == DPERM_OK) {
      status = head_of(me->ledger, &e);
    }
    if (status != DPERM_OK && status != DPERM_OVER_BUDGET) {
      me->failed++;
      memcpy(me->message, e.message, sizeof me->message);
    }
  }
  return NULL;
}

LEDGER_TEST(threads_charge_one_handle) {
  dperm_ledger *ledger = opened(home);
  pthread_t threads[THREADS];
  charger chargers[THREADS];
  int made = 0;
  for (int i = 0; i < THREADS; i++) {
    chargers[i] = (charger){.ledger = ledger};
    assert_int_equal(pthread_create(&threads[i], NULL, charge_much, &chargers[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    assert_int_equal(pthread_join(threads[i], NULL), 0);
    if (chargers[i].failed) {
      fail_msg("%s", chargers[i].message);
    }
    made += chargers[i].made;
  }
  assert_int_equal(made, 100);
  uint64_t records = 0;
  char head[DPERM_DIGEST_SIZE];
  assert_ok(dperm_ledger_head(ledger, &records, head, err));
  assert_true(records == 201); /* no charge was burnt */
  dperm_ledger_free(ledger);
  assert_string_equal(verdict_of(home->path, NULL).first, "");
}

static void ask_again(void *context, const dperm_ledger_dataset *dataset) {
  assert_fails(head_of(context, err), DPERM_INVALID_ARGUMENT,
               "a visitor cannot use the ledger that it is shown");
}

LEDGER_TEST(a_visitor_that_asks_again_is_told_so) {
  auto_ledger *ledger = opened(home);
  assert_ok(dperm_ledger_datasets(ledger, ask_again, ledger, err));
}

LEDGER_TEST(a_handle_does_not_go_through_a_fork) {
  auto_ledger *ledger = opened(home);
  int status = 0;
  pid_t child = fork();
  if (child == 0) {
    dperm_error e = {0};
    _exit(head_of(ledger, &e) == DPERM_INVALID_ARGUMENT ? 0 : 1);
  }
  assert_true(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  assert_ok(head_of(ledger, err));
}

/* ---- content that went back */

typedef struct bytes {
  size_t length;
  unsigned char at[1 << 16];
} bytes;

static void load(const char *path, bytes *out) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  out->length = fread(out->at, 1, sizeof out->at, file);
  assert_true(out->length > 0 && out->length < sizeof out->at && fclose(file) == 0);
}

static void write_over(const char *path, const bytes *b) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_true(fwrite(b->at, 1, b->length, file) == b->length && fclose(file) == 0);
}

LEDGER_TEST(an_older_copy_written_over_it_is_refused) {
  bytes before, after;
  charge_whole(home->path, "people", 0.1, 1);
  load(home->path, &before);
  charge_whole(home->path, "people", 0.6, 1);
  load(home->path, &after);
  write_over(home->path, &before);
  refuses(home, "an older copy was written over it");
  write_over(home->path, &after);
  charge_whole(home->path, "people", 0.3, 1);
  assert_string_equal(verdict_of(home->path, NULL).first, "");
}

/* A crash leaves a journal; the ledger is charged under another name and comes back. */
LEDGER_TEST(a_journal_left_under_the_old_name_undoes_no_charge) {
  char other[1100], journal[1100];
  bytes left;
  sqlite3 *db = NULL;
  (void)snprintf(other, sizeof other, "%s.moved", home->path);
  (void)snprintf(journal, sizeof journal, "%s-journal", home->path);
  charge_whole(home->path, "people", 0.1, 1);
  assert_int_equal(sqlite3_open(home->path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE; UPDATE ledger SET records = records + 1",
                                NULL, NULL, NULL),
                   SQLITE_OK);
  assert_int_equal(sqlite3_exec(db,
                                "INSERT INTO records SELECT id + 1, kind, dataset, time, command,"
                                " mechanism, epsilon, delta, spent_epsilon, spent_delta, data,"
                                " token, entry, artifact, previous, digest, version,"
                                " rows_per_person, terms FROM records ORDER BY id DESC LIMIT 1",
                                NULL, NULL, NULL),
                   SQLITE_OK);
  assert_int_equal(sqlite3_db_cacheflush(db), SQLITE_OK);
  load(journal, &left);
  assert_int_equal(sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_close(db), SQLITE_OK);
  assert_int_equal(rename(home->path, other), 0);
  write_over(journal, &left);
  charge_whole(other, "people", 0.6, 1);
  assert_int_equal(rename(other, home->path), 0);
  refuses(home, "a journal from before undid charges");
  (void)unlink(journal);
}

/* Moving a ledger, or a copy of it, is nobody's harm. */
LEDGER_TEST(a_ledger_may_be_moved_and_copied) {
  char other[1100];
  bytes content;
  dperm_charge made;
  (void)snprintf(other, sizeof other, "%s.moved", home->path);
  charge_whole(home->path, "people", 0.1, 1);
  assert_int_equal(rename(home->path, other), 0);
  charge_whole(other, "people", 0.1, 1);
  load(other, &content);
  assert_int_equal(unlink(other), 0);
  write_over(home->path, &content);
  assert_int_equal(chmod(home->path, 0600), 0);
  assert_ok(charge_it(home->path, "people", 0.1, 0, 1, &made, err));
  assert_string_equal(made.epsilon_left, "0.7");
}

/* ---- another file under the ledger's name */

/* Opened by a relative name, in a folder that is then left for one with a ledger of that name. */
LEDGER_TEST(a_change_of_the_folder_leads_to_no_other_ledger) {
  dperm_charge made;
  char folder[1100], other[1200], before[4096];
  dperm_ledger *ledger = NULL;
  (void)snprintf(folder, sizeof folder, "%s/other", home->folder);
  (void)snprintf(other, sizeof other, "%s/ledger", folder);
  assert_true(getcwd(before, sizeof before) && mkdir(folder, 0700) == 0);
  assert_ok(ledger_create(other, "people", "1", NULL, 1, err));
  assert_int_equal(chdir(home->folder), 0);
  assert_ok(dperm_ledger_open("ledger", &ledger, err));
  assert_int_equal(chdir(folder), 0);
  assert_int_equal(chmod(other, 0644), 0); /* the other's mode is no matter, ours is */
  assert_ok(charge_open(ledger, 0.1, &made, err));
  assert_ok(charge_open(ledger, 0.1, &made, err));
  assert_int_equal(chmod(other, 0600), 0);
  assert_int_equal(chmod(home->path, 0644), 0);
  assert_fails(charge_open(ledger, 0.1, &made, err), DPERM_IO_ERROR,
               "the ledger must be yours alone");
  assert_int_equal(chmod(home->path, 0600), 0);
  dperm_ledger_free(ledger);
  assert_int_equal(chdir(before), 0);
  charge_whole(other, "people", 0.5, 2);
  assert_string_equal(verdict_of(other, NULL).first, "");
  assert_string_equal(verdict_of(home->path, NULL).first, "");
  assert_true(unlink(other) == 0 && rmdir(folder) == 0);
}

LEDGER_TEST(a_file_in_the_place_of_an_open_ledger_is_refused) {
  dperm_charge made;
  char other[1100], aside[1100];
  dperm_ledger *ledger = opened(home);
  (void)snprintf(other, sizeof other, "%s.other", home->path);
  (void)snprintf(aside, sizeof aside, "%s.aside", home->path);
  assert_ok(ledger_create(other, "people", "1", NULL, 1, err));
  assert_ok(charge_open(ledger, 0.1, &made, err));
  assert_true(rename(home->path, aside) == 0);
  assert_fails(charge_open(ledger, 0.1, &made, err), DPERM_IO_ERROR, "the ledger is gone");
  assert_true(rename(other, home->path) == 0);
  assert_fails(charge_open(ledger, 0.1, &made, err), DPERM_IO_ERROR, "another file has taken");
  assert_fails(head_of(ledger, err), DPERM_IO_ERROR, "another file has taken");
  charge_whole(home->path, "people", 0.5, 2); /* the other is none the worse */
  assert_true(rename(home->path, other) == 0 && rename(aside, home->path) == 0);
  assert_ok(charge_open(ledger, 0.1, &made, err));
  dperm_ledger_free(ledger);
  assert_string_equal(verdict_of(other, NULL).first, "");
  assert_true(unlink(other) == 0);
}
