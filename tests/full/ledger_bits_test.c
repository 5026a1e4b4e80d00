/* Every bit of a ledger: single bits turned, pages zeroed, cut off, replaced and swapped, each in a
 * ledger at rest and in one whose writer died and left its journal, and edits by SQL. Whatever is
 * done to the file, whoever goes on charging it never gets more than the budget: all that was ever
 * admitted, before and after, is within the total, for every data set and under every name. An
 * older copy of the whole file, an edit that amounts to one (the end cut off and the head mended,
 * all digests made anew, an old journal put back) is beyond what a file can know, and not tried
 * here. Argument: how many bits to turn; without it one of each byte of the first
 * ledger, whose place moves on, and fewer of the others; "all" are a million, in three hours. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ledger/chain.h"
#include "ledger/store.h"
#include "ledger_edits.h"
#include "ledgers.h"
#include "old_ledgers.h"

enum { PAGE = 4096, FILE_MOST = 1 << 20, AT_MOST = 12 };

/* The bytes of a ledger and of the journal beside it (none: length 0). */
typedef struct image {
  size_t length, journal_length;
  unsigned char bytes[FILE_MOST], journal[FILE_MOST];
} image;

static char folder[64], path[80], journal_path[96];
static image rest, crashed, old, damaged;
static unsigned char key[LEDGER_KEY_SIZE];
static size_t tried, overspent, open_still;

static void die(const char *what) {
  fprintf(stderr, "# %s\n", what);
  exit(1);
}

/* ---- files */

static size_t load(const char *name, unsigned char *bytes) {
  int fd = open(name, O_RDONLY);
  ssize_t length = fd >= 0 ? read(fd, bytes, FILE_MOST) : 0;
  (void)close(fd);
  return length > 0 ? (size_t)length : 0;
}

/* A new file each time: the old one's note of its head must not help. */
static void store(const char *name, const unsigned char *bytes, size_t length) {
  (void)unlink(name);
  int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (fd < 0 || write(fd, bytes, length) != (ssize_t)length) {
    die("no space for the test's files");
  }
  (void)close(fd);
}

static void put_back(const image *i) {
  store(path, i->bytes, i->length);
  (void)unlink(journal_path);
  if (i->journal_length > 0) {
    store(journal_path, i->journal, i->journal_length);
  }
}

/* ---- budgets, in hundredths or in charges */

/* Whose data are charged to which name, and what these people have in all: "c" was never charged,
 * so it is where people of "a" and "b" would begin anew. */
typedef struct attempt {
  const char *dataset;
  unsigned char data;
  int step;
  unsigned char whose; /* the number of these people: that of the data, but for parts */
} attempt;
enum { ATTEMPTS = 6 };
static const attempt plain[ATTEMPTS] = {{"a", 1, 20, 1}, {"c", 1, 10, 1}, {"b", 2, 15, 2},
                                        {"c", 2, 10, 2}, {"a", 3, 20, 3}, {"c", 3, 10, 3}};
static const int plain_totals[4] = {0, 100, 50, 20}, plain_before[4] = {0, 60, 20, 0};

/* The same by a Renyi order, where each charge costs as much as the others and is counted: three of
 * a budget that covers eight, one of five, none of four, whoever makes them. */
static const attempt priced[ATTEMPTS] = {{"a", 1, 1, 1}, {"c", 1, 1, 1}, {"b", 2, 1, 2},
                                         {"c", 2, 1, 2}, {"a", 3, 1, 3}, {"c", 3, 1, 3}};
static const int priced_totals[4] = {0, 8, 5, 4}, priced_before[4] = {0, 3, 1, 0};
static const privacy_curve curve = {.fits = 1,
                                    .slack = 0.01,
                                    .corners = {{1, 0.2}, {2, 0.1}},
                                    .corner_count = 2,
                                    .epsilon_num = 1e-3,
                                    .failure = 8e-44};

/* The same with "b" a part of "a": its charges are those of one people. */
static const attempt parted[ATTEMPTS] = {{"b", 2, 10, 1}, {"a", 1, 20, 1}, {"c", 1, 10, 1},
                                         {"c", 2, 10, 1}, {"a", 3, 20, 3}, {"c", 3, 10, 3}};
static const int parted_totals[4] = {0, 100, 0, 20}, parted_before[4] = {0, 50, 0, 0};

/* What is charged now. */
static const attempt *attempts = plain;
static const int *totals = plain_totals, *spent_before = plain_before;

static dperm_status charge_now(const attempt *a, dperm_error *e) {
  dperm_charge made;
  if (attempts != priced) {
    return charge_it(path, a->dataset, a->step / 100.0, 0, a->data, &made, e);
  }
  return charge_with_curve(path, a->dataset, 1, 1e-8, &curve, a->data, &made, e);
}

static void check(dperm_status status, const char *what) {
  if (status != DPERM_OK) {
    die(what);
  }
}

/* Three data sets; charges that were committed and one that was not. */
static void build(void) {
  dperm_error e = {0};
  dperm_charge made;
  check(ledger_create(path, "a", "1", NULL, 1, &e), e.message);
  check(ledger_create(path, "b", "0.5", NULL, 1, &e), e.message);
  charge_whole(path, "a", 0.1, 1);
  charge_whole(path, "a", 0.1, 1);
  charge_whole(path, "a", 0.1, 1);
  check(charge_it(path, "a", 0.2, 0, 1, &made, &e), e.message);
  charge_whole(path, "b", 0.2, 2);
  check(ledger_create(path, "c", "0.2", NULL, 1, &e), e.message);
  charge_whole(path, "a", 0.1, 1);
  dperm_ledger *ledger = NULL;
  dperm_ledger *held = NULL;
  check(dperm_ledger_open(path, &ledger, &e), e.message);
  check(chain_begin(ledger, false, &held, &e), e.message);
  memcpy(key, ledger->known->key, sizeof key);
  check(store_commit(&held, &e), e.message);
  dperm_ledger_free(ledger);
  rest.length = load(path, rest.bytes);
}

/* A data set whose order covers so many of these charges, and no more. */
static void init_priced(const char *dataset, int charges) {
  enum { ORDER = 8 };
  dperm_error e = {0};
  char total[40];
  double conversion = 10 - renyi_budget(ORDER, 10, 0.999 * 0.5e-6);
  (void)snprintf(total, sizeof total, "%.9f",
                 conversion + (charges + 0.5) * renyi_of_curve(ORDER, &curve));
  check(ledger_create_order(path, dataset, total, "1e-6", ORDER, &e), e.message);
}

static void build_priced(void) {
  dperm_error e = {0};
  attempts = priced;
  totals = priced_totals;
  spent_before = priced_before;
  (void)unlink(path);
  (void)unlink(journal_path);
  init_priced("a", priced_totals[1]);
  init_priced("b", priced_totals[2]);
  for (int i = 0; i < priced_before[1]; i++) {
    check(charge_now(&priced[0], &e), e.message);
  }
  check(charge_now(&priced[2], &e), e.message);
  init_priced("c", priced_totals[3]);
  rest.length = load(path, rest.bytes);
}

static void build_parted(void) {
  dperm_error e = {0};
  attempts = parted;
  totals = parted_totals;
  spent_before = parted_before;
  (void)unlink(path);
  (void)unlink(journal_path);
  check(ledger_create(path, "a", "1", NULL, 1, &e), e.message);
  check(ledger_create_part(path, "b", "0.5", "a", &e), e.message);
  charge_whole(path, "a", 0.1, 1);
  charge_whole(path, "a", 0.2, 1);
  charge_whole(path, "b", 0.2, 2);
  check(ledger_create(path, "c", "0.2", NULL, 1, &e), e.message);
  rest.length = load(path, rest.bytes);
}

/* A writer that died with its pages half in the file: nobody was told of its charge. */
static void build_crashed(void) {
  sqlite3 *db = NULL;
  if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
      sqlite3_exec(db,
                   "BEGIN IMMEDIATE; UPDATE ledger SET records = records + 1;"
                   "INSERT INTO records SELECT id + 1, kind, dataset, time, command, mechanism,"
                   " epsilon, delta, spent_epsilon, spent_delta, data, token, entry + 1000,"
                   " artifact, previous, digest, version, rows_per_person, terms"
                   " FROM records ORDER BY id DESC LIMIT 1",
                   NULL, NULL, NULL) != SQLITE_OK ||
      sqlite3_db_cacheflush(db) != SQLITE_OK) {
    die(sqlite3_errmsg(db));
  }
  crashed.length = load(path, crashed.bytes);
  crashed.journal_length = load(journal_path, crashed.journal);
  (void)sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
  (void)sqlite3_close(db);
  if (crashed.journal_length == 0 || memcmp(crashed.bytes, rest.bytes, rest.length) == 0) {
    die("no journal was left");
  }
}

/* Charges until nothing more is given. */
static void spend(const char *what, size_t where) {
  int spent[4];
  bool any = false;
  memcpy(spent, spent_before, sizeof spent);
  for (size_t i = 0; i < ATTEMPTS; i++) {
    dperm_status status = DPERM_OK;
    for (int n = 0; n < AT_MOST && status == DPERM_OK; n++) {
      dperm_error e = {0};
      status = charge_now(&attempts[i], &e);
      if (status == DPERM_OK) {
        spent[attempts[i].whose] += attempts[i].step;
        any = true;
      }
    }
  }
  bool over = false;
  for (int i = 1; i < 4; i++) {
    over |= spent[i] > totals[i];
  }
  if (over && overspent < 20) {
    printf("# %s %zu: %d, %d and %d of %d, %d and %d\n", what, where, spent[1], spent[2], spent[3],
           totals[1], totals[2], totals[3]);
  }
  tried++;
  overspent += over;
  open_still += any;
}

static int tell(const char *what) {
  static int number;
  number += number == 6;
  bool good = overspent == 0 && tried > 0;
  printf("%s %d - %s: %zu tried, %zu overspent, %zu took a charge within the budget\n",
         good ? "ok" : "not ok", ++number, what, tried, overspent, open_still);
  (void)fflush(stdout);
  tried = overspent = open_still = 0;
  return good ? 0 : 1;
}

/* ---- damage */

static size_t find_key(const image *i) {
  const unsigned char *at = memmem(i->bytes, i->length, key, sizeof key);
  if (!at) {
    die("the key is not in the file");
  }
  return (size_t)(at - i->bytes);
}

static void turn_bits(const image *from, bool journal, size_t count, const char *what) {
  size_t bits = 8 * (journal ? from->journal_length : from->length);
  size_t stride = count >= bits ? 1 : count == 0 ? 9 : (bits / count) | 1; /* odd: all places */
  size_t secret = from == &old ? find_key(from) : bits;
  for (size_t bit = 0; bit < bits; bit += stride) {
    if (bit / 8 - secret < LEDGER_KEY_SIZE) {
      continue; /* a ledger of an older version cannot know its key */
    }
    damaged = *from;
    (journal ? damaged.journal : damaged.bytes)[bit / 8] ^= (unsigned char)(1u << bit % 8);
    put_back(&damaged);
    spend(what, bit);
  }
}

static void damage_pages(const image *from) {
  size_t pages = from->length / PAGE;
  for (size_t i = 0; i < pages; i++) {
    for (int byte = 0; byte < 256; byte += 255) {
      damaged = *from;
      memset(damaged.bytes + i * PAGE, byte, PAGE);
      put_back(&damaged);
      spend("page overwritten", i);
    }
    damaged = *from;
    damaged.length = i * PAGE + (i > 0 ? 0 : 100);
    put_back(&damaged);
    spend("cut off at page", i);
    for (size_t j = 0; j < pages; j++) {
      damaged = *from;
      memcpy(damaged.bytes + i * PAGE, from->bytes + j * PAGE, PAGE);
      put_back(&damaged);
      spend("page replaced", i);
      memcpy(damaged.bytes + j * PAGE, from->bytes + i * PAGE, PAGE);
      put_back(&damaged);
      spend("page swapped", i);
    }
  }
  for (size_t cut = 0; cut < from->journal_length; cut += 512) {
    damaged = *from;
    damaged.journal_length = cut;
    put_back(&damaged);
    spend("journal cut off at", cut);
  }
}

/* ---- edits by SQL */

static const char guards_off[] = "DROP TRIGGER records_stay; DROP TRIGGER records_stay_as_they_are";
static const char guards_on[] =
    "CREATE TRIGGER records_stay BEFORE DELETE ON records"
    " BEGIN SELECT RAISE(ABORT, 'records of a ledger stay'); END;"
    "CREATE TRIGGER records_stay_as_they_are BEFORE UPDATE ON records"
    " BEGIN SELECT RAISE(ABORT, 'records of a ledger stay as they are'); END";

/* The record's digest made anew, as somebody would who knows the format. */
static void refit(int id, bool head) {
  dperm_error e = {0};
  auto_ledger *ledger = NULL;
  sqlite3_stmt *query = NULL;
  record r;
  bool found = false;
  char sql[300], digest[DPERM_DIGEST_SIZE];
  (void)snprintf(sql, sizeof sql, "WHERE id = %d", id);
  check(dperm_ledger_open(path, &ledger, &e), e.message);
  check(record_query(ledger, sql, &query, &e), e.message);
  check(record_next(ledger, query, &r, &found, &e), e.message);
  (void)sqlite3_finalize(query);
  if (!found || (id > 0 && !r.kind[0])) {
    die("there is no such record to refit");
  }
  record_digest(&r, digest);
  (void)snprintf(sql, sizeof sql, "UPDATE records SET digest = '%s' WHERE id = %d; %s%s%s", digest,
                 id, head ? "UPDATE ledger SET head = '" : "", head ? digest : "", head ? "'" : "");
  check(store_run(ledger, sql, &e), e.message); /* no trigger runs in a connection of the library */
}

static bool holds(void) {
  dperm_error e = {0};
  auto_ledger *ledger = NULL;
  bool yes = false;
  if (dperm_ledger_open(path, &ledger, &e) != DPERM_OK ||
      dperm_ledger_verify(ledger, NULL, NULL, NULL, &yes, &e) != DPERM_OK) {
    yes = false;
  }
  return yes != 0;
}

/* How many edits a verification does not name. */
static size_t edit_each(const image *from) {
  size_t unseen = 0;
  for (size_t i = 0; i < ledger_edit_count; i++) {
    sqlite3 *db = NULL;
    char *message = NULL;
    put_back(from);
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
        sqlite3_exec(db, guards_off, NULL, NULL, NULL) != SQLITE_OK) {
      die("the ledger cannot be opened");
    }
    if (sqlite3_exec(db, ledger_edits[i].sql, NULL, NULL, &message) != SQLITE_OK) {
      printf("# edit %zu: %s: %s\n", i, ledger_edits[i].sql, message);
      die("an edit of the list is not what it was meant to be");
    }
    (void)sqlite3_exec(db, guards_on, NULL, NULL, NULL); /* where there is still a table for them */
    (void)sqlite3_close(db);
    if (ledger_edits[i].refit) {
      refit(ledger_edits[i].refit, ledger_edits[i].head);
    }
    if (holds() != ledger_edits[i].harmless) {
      printf("# edit %zu: %s\n", i, ledger_edits[i].sql);
      unseen++;
    }
    size_t before = open_still;
    spend("edit", i);
    if ((open_still > before) != ledger_edits[i].harmless) {
      printf("# edit %zu: %s: a charge was %s\n", i, ledger_edits[i].sql,
             ledger_edits[i].harmless ? "refused" : "taken");
      unseen++;
    }
  }
  return unseen;
}

/* ---- all of it */

static void build_old(void) {
  put_back(&rest);
  ledger_as_of_version(path, 2);
  old.length = load(path, old.bytes);
}

/* One bit after the other of the ledger at rest, and its pages. */
static int damage_all(const char *what, size_t count) {
  char text[80];
  put_back(&rest);
  spend("nothing", 0);
  if (open_still != 1 || overspent) {
    printf("# %s\n", what);
    die("that nobody touched takes no charge, or too many");
  }
  tried = open_still = 0;
  rest.journal_length = 0;
  turn_bits(&rest, false, count, what);
  (void)snprintf(text, sizeof text, "one bit of %s", what);
  int trouble = tell(text);
  damage_pages(&rest);
  return tell("its pages") | trouble;
}

int main(int argc, char **argv) {
  bool all = argc > 1 && strcmp(argv[1], "all") == 0;
  size_t count = all ? SIZE_MAX : argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 0;
  size_t fewer = all ? 20000 : count > 0 ? count / 4 + 1 : 8000;
  int trouble = 0;
  /* in memory, where there is some: a charge waits for the disk four times */
  (void)snprintf(folder, sizeof folder, "%s/dperm-bits-XXXXXX",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  if (!mkdtemp(folder)) {
    return 1;
  }
  (void)snprintf(path, sizeof path, "%s/ledger", folder);
  (void)snprintf(journal_path, sizeof journal_path, "%s-journal", path);
  build();
  build_crashed();
  put_back(&rest);
  spend("nothing", 0);
  if (open_still != 1 || overspent) {
    die("a ledger that nobody touched takes no charge, or too many");
  }
  tried = open_still = 0;
  put_back(&crashed);
  spend("a writer that died", 0);
  if (open_still != 1 || overspent) {
    die("a ledger whose writer died takes no charge, or too many");
  }
  tried = open_still = 0;
  turn_bits(&rest, false, count, "bit");
  trouble |= tell("one bit of the file");
  turn_bits(&crashed, false, fewer, "bit beside a journal");
  trouble |= tell("one bit of a file with a journal left over");
  turn_bits(&crashed, true, fewer, "bit of the journal");
  trouble |= tell("one bit of that journal");
  damage_pages(&rest);
  trouble |= tell("pages overwritten, cut off, replaced and swapped");
  damage_pages(&crashed);
  trouble |= tell("the same with a journal left over");
  size_t unseen = edit_each(&rest);
  trouble |= tell("edits by SQL") | (unseen > 0);
  printf("%s - each edit is named by a verification and ends all charges, or harms nothing\n",
         unseen == 0 ? "ok 7" : "not ok 7");
  build_old();
  turn_bits(&old, false, 2 * fewer, "bit of version 2");
  trouble |= tell("one bit of a ledger of version 2, its key apart");
  damage_pages(&old);
  trouble |= tell("its pages");
  build_priced();
  count = count > 0 ? count : fewer;
  trouble |= damage_all("a ledger whose charges add up by a Renyi order", count);
  build_parted();
  trouble |= damage_all("a ledger with a part of a data set", count);
  (void)unlink(journal_path);
  (void)unlink(path);
  (void)rmdir(folder);
  return trouble;
}
