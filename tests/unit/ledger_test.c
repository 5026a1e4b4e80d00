/* The ledger itself: budgets that end, data that stay who they are, records that cannot be changed
 * without a trace, files of other versions. Runs that are charged are in charged_runs_test.c. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "ledger/chain.h"
#include "ledgers.h"
#include "old_ledgers.h"

/* ---- time */

static int number_in(const char *path, const char *sql) {
  sqlite3 *db = NULL;
  sqlite3_stmt *query = NULL;
  assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &query, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_step(query), SQLITE_ROW);
  int number = sqlite3_column_int(query, 0);
  (void)sqlite3_finalize(query);
  (void)sqlite3_close(db);
  return number;
}

/* How long a run took depends on the records, and on the secret number of rounds. */
LEDGER_TEST(a_commit_does_not_tell_how_long_the_work_took) {
  dperm_ledger *ledger = NULL;
  dperm_charge made;
  assert_ok(charge_it(home->path, "people", 0.1, 0, 1, &made, err));
  sleep(2);
  ledger = opened(home);
  assert_ok(charge_commit(ledger, made.entry, "a", err));
  dperm_ledger_free(ledger);
  assert_int_equal(number_in(home->path, "SELECT count(DISTINCT time) FROM records WHERE kind IN "
                                         "('reserve', 'commit')"),
                   1);
}

/* ---- budgets */

LEDGER_TEST(ten_charges_of_a_tenth_fit_into_one) {
  dperm_charge made;
  for (int i = 0; i < 10; i++) {
    assert_ok(charge_it(home->path, "people", 0.1, 0, 1, &made, err));
  }
  assert_string_equal(made.epsilon, "0.1");
  assert_string_equal(made.epsilon_left, "0");
  assert_fails(charge_it(home->path, "people", 1e-30, 0, 1, &made, err), DPERM_OVER_BUDGET,
               "has epsilon 0 left of 1, and this run needs 1e-30");
  assert_string_equal(verdict_of(home->path, NULL).first, "");
}

LEDGER_TEST(delta_has_a_budget_too) {
  dperm_charge made;
  assert_ok(charge_it(home->path, "people", 0.1, 1e-43, 1, &made, err));
  assert_fails(charge_it(home->path, "people", 0.1, 1e-30, 1, &made, err), DPERM_OVER_BUDGET,
               "has delta 9.99e-31 left of 1e-30, and this run needs 1e-30");
  assert_ok(ledger_create(home->path, "strict", "1", "0", 1, err));
  assert_fails(charge_it(home->path, "strict", 0.1, 1e-43, 2, &made, err), DPERM_OVER_BUDGET,
               "has delta 0 left of 0");
  assert_ok(charge_it(home->path, "strict", 0.1, 0, 2, &made, err));
}

LEDGER_TEST(a_budget_is_given_once) {
  assert_fails(ledger_create(home->path, "people", "100", NULL, 1, err), DPERM_OVER_BUDGET,
               "\"people\" has its budget, and that stays");
  static const char *const wrong[] = {"0", "-1", "many", "", "1e10"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    assert_fails(ledger_create(home->path, "new", wrong[i], NULL, 1, err), DPERM_INVALID_ARGUMENT,
                 "the total epsilon must be a decimal number above 0");
  }
  assert_fails(ledger_create(home->path, "new", "1", "-1", 1, err), DPERM_INVALID_ARGUMENT,
               "the total delta");
  assert_fails(ledger_create(home->path, "", "1", NULL, 1, err), DPERM_INVALID_ARGUMENT,
               "name has 1 to 100 bytes");
  assert_fails(ledger_create(home->path, "a\nb", "1", NULL, 1, err), DPERM_INVALID_ARGUMENT,
               "no control characters");
  assert_fails(ledger_create(home->path, "new", "1", NULL, 1000001, err), DPERM_INVALID_ARGUMENT,
               "1000001 rows per person");
}

/* ---- data */

LEDGER_TEST(data_and_names_belong_to_each_other) {
  dperm_charge made;
  assert_ok(ledger_create(home->path, "humans", "1", NULL, 1, err));
  assert_ok(ledger_create(home->path, "beings", "1", NULL, 1, err));
  assert_ok(charge_it(home->path, "people", 0.1, 0, 1, &made, err));
  assert_fails(charge_it(home->path, "people", 0.1, 0, 2, &made, err), DPERM_OVER_BUDGET,
               "not the data that \"people\" was charged for before");
  assert_fails(charge_it(home->path, "humans", 0.1, 0, 1, &made, err), DPERM_OVER_BUDGET,
               "these data are data set \"people\" already");
  assert_ok(charge_it(home->path, "humans", 0.1, 0, 2, &made, err));
  assert_fails(charge_it(home->path, "beings", 0.1, 0, 2, &made, err), DPERM_OVER_BUDGET,
               "these data are data set \"humans\" already");
  assert_fails(charge_it(home->path, "nobody", 0.1, 0, 1, &made, err), DPERM_OVER_BUDGET,
               "no data set \"nobody\"");
}

LEDGER_TEST(digests_of_data_are_keyed) {
  char second[1060], sql[1400];
  dperm_charge made;
  (void)snprintf(second, sizeof second, "%s-2", home->path);
  assert_ok(ledger_create(second, "people", "1", NULL, 1, err));
  assert_ok(charge_it(home->path, "people", 0.1, 0, 1, &made, err));
  assert_ok(charge_it(second, "people", 0.1, 0, 1, &made, err));
  (void)snprintf(sql, sizeof sql,
                 "ATTACH '%s' AS other;"
                 "CREATE TEMP TABLE same (n CHECK (n = 0));"
                 "INSERT INTO same SELECT count(*) FROM main.records a, other.records b"
                 " WHERE a.id = 2 AND b.id = 2 AND (a.data = b.data OR a.token = b.token"
                 " OR length(a.data) <> 64)",
                 second);
  tamper(home->path, sql);
  (void)unlink(second);
}

/* ---- the chain */

/* Six records: two data sets, a charge that was committed, one that was not. */
static void fill(const ledger_home *home) {
  dperm_charge made;
  assert_ok(ledger_create(home->path, "others", "2", NULL, 3, err));
  charge_whole(home->path, "people", 0.1, 1);
  assert_ok(charge_it(home->path, "people", 0.2, 0, 1, &made, err));
  charge_whole(home->path, "people", 0.3, 1);
  assert_string_equal(verdict_of(home->path, NULL).first, "");
}

LEDGER_TEST(an_edit_of_any_field_is_found) {
  static const char *const columns[] = {"kind",        "dataset", "time",  "command",
                                        "mechanism",   "epsilon", "delta", "spent_epsilon",
                                        "spent_delta", "data",    "token", "artifact",
                                        "previous",    "digest",  "terms"};
  static const char *const numbers[] = {"entry", "version", "rows_per_person"};
  fill(home);
  for (size_t i = 0; i < 18; i++) {
    const char *column = i < 15 ? columns[i] : numbers[i - 15];
    for (int id = 1; id <= 7; id++) {
      char sql[1600], undo[1600], named[32];
      (void)snprintf(sql, sizeof sql,
                     "ATTACH '%s-kept' AS aside;"
                     "CREATE TABLE aside.kept AS SELECT %s AS v FROM records WHERE id = %d;"
                     "UPDATE records SET %s = %s WHERE id = %d",
                     home->path, column, id, column, i < 15 ? "'z'" : "9", id);
      (void)snprintf(undo, sizeof undo,
                     "ATTACH '%s-kept' AS aside;"
                     "UPDATE records SET %s = (SELECT v FROM kept) WHERE id = %d; DROP TABLE kept",
                     home->path, column, id);
      tamper(home->path, sql);
      chain_verdict v = verdict_of(home->path, NULL);
      (void)snprintf(named, sizeof named, "record %d: ", id);
      if (strncmp(v.first, named, strlen(named)) != 0) {
        fail_msg("%s of record %d: \"%s\"", column, id, v.first);
      }
      tamper(home->path, undo);
    }
  }
  char aside[1100];
  (void)snprintf(aside, sizeof aside, "%s-kept", home->path);
  (void)unlink(aside);
  assert_string_equal(verdict_of(home->path, NULL).first, "");
}

LEDGER_TEST(what_was_cut_moved_or_changed_is_named_and_takes_no_charge) {
  static const struct {
    const char *sql, *named;
  } cases[] = {
      {"DELETE FROM records WHERE id = 7", "records 7 to 7: missing"},
      {"DELETE FROM records WHERE id > 5", "records 6 to 7: missing"},
      {"DELETE FROM records WHERE id = 1", "records 1 to 1: missing"},
      {"DELETE FROM records WHERE id = 5", "records 5 to 5: missing"},
      {"DELETE FROM records WHERE id = 5; UPDATE records SET id = id - 1 WHERE id > 5;"
       "UPDATE ledger SET records = 6",
       "record 5: was changed, it does not fit its digest"},
      {"UPDATE records SET id = 99 WHERE id = 3; UPDATE records SET id = 3 WHERE id = 5;"
       "UPDATE records SET id = 5 WHERE id = 99",
       "record 3: was changed, it does not fit its digest"},
      {"UPDATE records SET spent_epsilon = '0' WHERE id = 7",
       "record 7: was changed, it does not fit its digest"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    dperm_charge made;
    (void)unlink(home->path);
    assert_ok(ledger_create(home->path, "people", "1", NULL, 1, err));
    fill(home);
    tamper(home->path, cases[i].sql);
    assert_string_equal(verdict_of(home->path, NULL).first, cases[i].named);
    assert_fails(charge_it(home->path, "people", 0.1, 0, 1, &made, err), DPERM_INVALID_LEDGER,
                 "damaged ledger");
  }
}

/* Somebody who cuts the end off and mends the head leaves a sound ledger, but not the noted one. */
LEDGER_TEST(a_noted_head_shows_that_the_end_was_cut) {
  char head[DPERM_DIGEST_SIZE];
  uint64_t records = 0;
  fill(home);
  dperm_ledger *ledger = opened(home);
  assert_ok(dperm_ledger_head(ledger, &records, head, err));
  dperm_ledger_free(ledger);
  assert_int_equal(records, 7);
  assert_string_equal(verdict_of(home->path, head).first, "");
  tamper(home->path, "DELETE FROM records WHERE id > 5; UPDATE ledger SET records = 5,"
                     " head = (SELECT digest FROM records WHERE id = 5)");
  (void)removexattr(home->path, "user.dperm.head"); /* and who takes the file's own note away */
  assert_string_equal(verdict_of(home->path, NULL).first, "");
  assert_true(strstr(verdict_of(home->path, head).first, "the one noted before") != NULL);
}

/* Digests that fit are not enough: sums, bindings and commits must be right as well. */
LEDGER_TEST(a_forged_record_with_a_fitting_digest_is_found) {
  fill(home);
  dperm_ledger *ledger = opened(home);
  dperm_ledger *held = NULL;
  assert_ok(chain_begin(ledger, true, &held, err));
  const record last = ledger->known->last;
  record cheap = last;
  (void)snprintf(cheap.kind, sizeof cheap.kind, "reserve");
  (void)snprintf(cheap.epsilon, sizeof cheap.epsilon, "0.5");
  (void)snprintf(cheap.delta, sizeof cheap.delta, "0");
  cheap.artifact[0] = '\0';
  cheap.entry = 0;
  assert_ok(record_append(ledger, &last, &cheap, err)); /* without adding to what is spent */
  assert_ok(store_commit(&held, err));
  dperm_ledger_free(ledger);
  assert_string_equal(verdict_of(home->path, NULL).first,
                      "record 8: what it says is spent is not the sum of its data set's charges");
}

LEDGER_TEST(records_cannot_be_changed_by_a_slip) {
  sqlite3 *db = NULL;
  assert_int_equal(sqlite3_open_v2(home->path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, "UPDATE records SET epsilon = '9'", NULL, NULL, NULL),
                   SQLITE_CONSTRAINT);
  assert_int_equal(sqlite3_exec(db, "DELETE FROM records", NULL, NULL, NULL), SQLITE_CONSTRAINT);
  (void)sqlite3_close(db);
}

/* ---- files of other versions, and files that are none */

static void see_spent(void *context, const dperm_ledger_dataset *d) {
  (void)snprintf(context, DPERM_AMOUNT_SIZE, "%s", d->epsilon_spent);
}

LEDGER_TEST(an_old_ledger_is_read_and_brought_up_to_date) {
  for (int version = 2; version <= 4; version++) {
    int keyed = version < 3; /* from version 3 on the first record says which key there is */
    char spent[DPERM_AMOUNT_SIZE] = "";
    dperm_charge made;
    (void)unlink(home->path);
    assert_ok(ledger_create(home->path, "people", "1", NULL, 1, err));
    assert_ok(charge_it(home->path, "people", 0.25, 0, 1, &made, err));
    ledger_as_of_version(home->path, version);
    assert_string_equal(verdict_of(home->path, NULL).first, "");
    dperm_ledger *ledger = opened(home);
    assert_ok(dperm_ledger_datasets(ledger, see_spent, spent, err));
    dperm_ledger_free(ledger);
    assert_string_equal(spent, "0.25");
    /* reading changes nothing, nor does a refusal */
    assert_int_equal(number_in(home->path, "PRAGMA user_version"), version);
    assert_fails(charge_it(home->path, "people", 0.25, 0, 7, &made, err), DPERM_OVER_BUDGET,
                 "not the data");
    assert_int_equal(number_in(home->path, "PRAGMA user_version"), version);
    assert_ok(ledger_create(home->path, "visits", "3", NULL, 4, err));
    assert_int_equal(number_in(home->path, "PRAGMA user_version"), 5);
    assert_int_equal(number_in(home->path, "SELECT version FROM records WHERE id = 2"), version);
    assert_int_equal(number_in(home->path, "SELECT version FROM records WHERE id = 3"), 5);
    assert_int_equal(number_in(home->path, "SELECT kind = 'key' FROM records WHERE id = 3"), keyed);
    assert_int_equal(number_in(home->path, "SELECT rows_per_person FROM records ORDER BY id DESC"),
                     4);
    assert_int_equal(number_in(home->path, "SELECT count(*) FROM sqlite_master"), 4);
    assert_string_equal(verdict_of(home->path, NULL).first, "");
    assert_ok(charge_it(home->path, "people", 0.75, 0, 1, &made, err));
    assert_string_equal(made.epsilon_left, "0");
    tamper(home->path, "UPDATE records SET rows_per_person = 2 WHERE id = 1");
    assert_string_equal(verdict_of(home->path, NULL).first,
                        "record 1: was changed, it does not fit its digest");
    /* terms, which the digest of an old record does not cover, it cannot have */
    tamper(home->path, "UPDATE records SET rows_per_person = 1, terms = 'cost=0 cost_delta=0'"
                       " WHERE id = 1");
    assert_string_equal(verdict_of(home->path, NULL).first,
                        "record 1: was changed, it does not fit its digest");
  }
}

/* An index that lacks the last charges, as a damaged one would. */
LEDGER_TEST(a_hollow_index_of_an_old_ledger_is_found) {
  dperm_charge made;
  for (int i = 0; i < 9; i++) {
    assert_ok(charge_it(home->path, "people", 0.1, 0, 1, &made, err));
  }
  ledger_as_of_version(home->path, 2);
  tamper(home->path,
         "DROP INDEX records_by_dataset;"
         "CREATE INDEX records_by_dataset ON records (dataset, id) WHERE id < 4;"
         "PRAGMA writable_schema = ON;"
         "UPDATE sqlite_master SET sql = 'CREATE INDEX records_by_dataset ON records (dataset, id)'"
         " WHERE name = 'records_by_dataset'");
  assert_true(strstr(verdict_of(home->path, NULL).first, "records_by_dataset") != NULL);
  assert_fails(charge_it(home->path, "people", 0.2, 0, 1, &made, err), DPERM_INVALID_LEDGER,
               "damaged ledger");
}

LEDGER_TEST(a_ledger_of_a_newer_version_is_refused) {
  dperm_ledger *ledger = NULL;
  tamper(home->path, "PRAGMA user_version = 6");
  assert_fails(dperm_ledger_open(home->path, &ledger, err), DPERM_INVALID_LEDGER,
               "ledger version 6 is newer than this dperm");
  assert_fails(ledger_create(home->path, "more", "1", NULL, 1, err), DPERM_INVALID_LEDGER,
               "is newer than this dperm");
}

LEDGER_TEST(what_is_no_ledger_is_refused) {
  dperm_ledger *ledger = NULL;
  auto_file *text = file_with_text("age,job\n1,farmer\n"), *empty = file_with("", 0);
  assert_fails(dperm_ledger_open(text, &ledger, err), DPERM_INVALID_LEDGER, "no dperm ledger");
  assert_fails(dperm_ledger_open(empty, &ledger, err), DPERM_INVALID_LEDGER, "no dperm ledger");
  assert_fails(ledger_create(empty, "people", "1", NULL, 1, err), DPERM_INVALID_LEDGER,
               "no dperm ledger");
  assert_fails(dperm_ledger_open("/no/such/file", &ledger, err), DPERM_IO_ERROR, "no such ledger");
  assert_fails(dperm_ledger_open(home->folder, &ledger, err), DPERM_IO_ERROR, "not a file");
  assert_fails(ledger_create("/no/such/file", "people", "1", NULL, 1, err), DPERM_IO_ERROR,
               "cannot be made");
}

LEDGER_TEST(a_file_that_others_can_read_takes_no_charge) {
  struct stat about;
  dperm_charge made;
  assert_int_equal(stat(home->path, &about), 0);
  assert_int_equal(about.st_mode & 0777, 0600);
  assert_int_equal(chmod(home->path, 0640), 0);
  assert_fails(charge_it(home->path, "people", 0.1, 0, 1, &made, err), DPERM_IO_ERROR,
               "the ledger must be yours alone");
  assert_string_equal(verdict_of(home->path, NULL).first, "");
}

/* Any page of the file overwritten: never a crash, never a charge that goes unseen. */
LEDGER_TEST(a_damaged_page_is_noticed) {
  fill(home);
  struct stat about;
  assert_int_equal(stat(home->path, &about), 0);
  char saved[4096], junk[4096];
  memset(junk, 0xa5, sizeof junk);
  for (off_t page = 0; page < about.st_size; page += 4096) {
    int fd = open(home->path, O_RDWR);
    assert_int_equal(pread(fd, saved, 4096, page), 4096);
    assert_int_equal(pwrite(fd, junk, 4096, page), 4096);
    dperm_ledger *ledger = NULL;
    dperm_error err = {DPERM_OK, ""};
    bool holds = false;
    dperm_status status = dperm_ledger_open(home->path, &ledger, &err);
    if (status == DPERM_OK) {
      status = dperm_ledger_verify(ledger, NULL, NULL, NULL, &holds, &err);
    }
    assert_true(status == DPERM_INVALID_LEDGER || (status == DPERM_OK && !holds));
    dperm_ledger_free(ledger);
    assert_int_equal(pwrite(fd, saved, 4096, page), 4096);
    (void)close(fd);
  }
  assert_string_equal(verdict_of(home->path, NULL).first, "");
}
