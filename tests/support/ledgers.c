/* See ledgers.h. */
#include "ledgers.h"
#include "dperm/ledger.h"
#include "dperm/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

const privacy_curve small_curve = {.fits = 1,
                                   .slack = 0.001,
                                   .corners = {{1, 0.022}, {2, 0.011}},
                                   .corner_count = 2,
                                   .epsilon_num = 1e-4,
                                   .failure = 8e-44};

static dperm_data *rows_from(uint64_t seed) {
  enum { ROWS = 60, COLS = 3 };
  double x[ROWS * COLS], labels[ROWS];
  random_source r;
  dperm_data *data = NULL;
  assert_ok(random_seeded(seed, &r, err));
  for (int i = 0; i < ROWS * COLS; i++) {
    x[i] = random_unit(&r) - 0.5;
  }
  for (int i = 0; i < ROWS; i++) {
    labels[i] = x[i * COLS] > 0 ? 1 : -1;
  }
  assert_ok(dperm_data_from_dense(ROWS, COLS, x, labels, 1, &data, err));
  return data;
}

dperm_status ledger_create(const char *path, const char *dataset, const char *epsilon,
                           const char *delta, size_t rows_per_person, dperm_error *err_) {
  dperm_ledger_budget budget = USUAL(dperm_ledger_budget);
  budget.epsilon = epsilon;
  budget.delta = delta;
  budget.rows_per_person = rows_per_person;
  return dperm_ledger_create(path, dataset, &budget, err_);
}

dperm_status ledger_create_part(const char *path, const char *dataset, const char *epsilon,
                                const char *whole, dperm_error *err_) {
  dperm_ledger_budget budget = USUAL(dperm_ledger_budget);
  budget.epsilon = epsilon;
  budget.part_of = whole;
  return dperm_ledger_create(path, dataset, &budget, err_);
}

dperm_status ledger_create_order(const char *path, const char *dataset, const char *epsilon,
                                 const char *delta, double order, dperm_error *err_) {
  dperm_ledger_budget budget = USUAL(dperm_ledger_budget);
  budget.epsilon = epsilon;
  budget.delta = delta;
  budget.composition = DPERM_COMPOSITION_RENYI;
  budget.order = order;
  return dperm_ledger_create(path, dataset, &budget, err_);
}

int ledger_home_begin(void **state) {
  ledger_home *home = calloc(1, sizeof *home);
  folder_new("dperm-ledger", home->folder, sizeof home->folder);
  if (setxattr(home->folder, "user.dperm.test", "x", 1, 0) != 0) {
    /* Files there have no attributes, as in memory before Linux 6.6, but a ledger's guard needs
     * them: in the folder of the build. */
    (void)rmdir(home->folder);
    (void)strcpy(home->folder, "dperm-ledger-XXXXXX");
    assert_non_null(mkdtemp(home->folder));
  }
  (void)snprintf(home->path, sizeof home->path, "%s/ledger", home->folder);
  home->data = rows_from(1);
  home->others = rows_from(2);
  assert_ok(ledger_create(home->path, "people", "1", NULL, 1, err));
  *state = home;
  return 0;
}

int ledger_home_end(void **state) {
  ledger_home *home = *state;
  dperm_data_free(home->data);
  dperm_data_free(home->others);
  (void)unlink(home->path);
  (void)rmdir(home->folder);
  free(home);
  return 0;
}

dperm_ledger *opened(const ledger_home *home) {
  dperm_ledger *ledger = NULL;
  assert_ok(dperm_ledger_open(home->path, &ledger, err));
  return ledger;
}

dperm_ledger *ledger_for(const ledger_home *home, dperm_neighbours neighbours) {
  char path[2048];
  dperm_ledger *ledger = NULL;
  dperm_ledger_budget budget;
  if (neighbours == DPERM_NEIGHBOURS_REPLACE) {
    return opened(home);
  }
  (void)snprintf(path, sizeof path, "%s/added.db", home->folder);
  dperm_ledger_budget_init(&budget);
  budget.epsilon = "1";
  budget.neighbours = neighbours;
  assert_ok(dperm_ledger_create(path, "people", &budget, err));
  assert_ok(dperm_ledger_open(path, &ledger, err));
  return ledger;
}

charge_request request_for(const char *dataset, double epsilon, double delta, unsigned char data) {
  return (charge_request){.dataset = dataset,
                          .command = "train",
                          .mechanism = "objective",
                          .epsilon = epsilon,
                          .delta = delta,
                          .rows_per_person = 1,
                          .identity = {.given = {data}}};
}

dperm_status charge_open(dperm_ledger *ledger, double epsilon, dperm_charge *out,
                         dperm_error *err) {
  const charge_request request = request_for("people", epsilon, 0, 1);
  return charge_reserve(ledger, &request, false, out, err);
}

dperm_status head_of(dperm_ledger *ledger, dperm_error *err) {
  uint64_t records = 0;
  char head[DPERM_DIGEST_SIZE];
  return dperm_ledger_head(ledger, &records, head, err);
}

dperm_status charge_with_curve(const char *path, const char *dataset, double epsilon, double delta,
                               const privacy_curve *curve, unsigned char data, dperm_charge *out,
                               dperm_error *err) {
  auto_ledger *ledger = NULL;
  charge_request request = request_for(dataset, epsilon, delta, data);
  request.curves = curve;
  request.curve_count = curve ? 1 : 0;
  dperm_status status = dperm_ledger_open(path, &ledger, err);
  return status == DPERM_OK ? charge_reserve(ledger, &request, false, out, err) : status;
}

dperm_status charge_it(const char *path, const char *dataset, double epsilon, double delta,
                       unsigned char data, dperm_charge *out, dperm_error *err) {
  return charge_with_curve(path, dataset, epsilon, delta, NULL, data, out, err);
}

void charge_whole(const char *path, const char *dataset, double epsilon, unsigned char data) {
  char artifact[DPERM_DIGEST_SIZE] = {0};
  auto_ledger *ledger = NULL;
  dperm_charge made;
  memset(artifact, 'a', sizeof artifact - 1);
  assert_ok(charge_it(path, dataset, epsilon, 0, data, &made, err));
  assert_ok(dperm_ledger_open(path, &ledger, err));
  assert_ok(charge_commit(ledger, made.entry, artifact, err));
}

void tamper(const char *path, const char *sql) {
  sqlite3 *db = NULL;
  char *message = NULL;
  assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL),
                   SQLITE_OK);
  (void)sqlite3_exec(db,
                     "DROP TRIGGER IF EXISTS records_stay;"
                     "DROP TRIGGER IF EXISTS records_stay_as_they_are",
                     NULL, NULL, NULL);
  if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK) {
    fail_msg("%s: %s", sql, message);
  }
  (void)sqlite3_exec(db,
                     "CREATE TRIGGER records_stay BEFORE DELETE ON records"
                     " BEGIN SELECT RAISE(ABORT, 'records of a ledger stay'); END;"
                     "CREATE TRIGGER records_stay_as_they_are BEFORE UPDATE ON records"
                     " BEGIN SELECT RAISE(ABORT, 'records of a ledger stay as they are'); END",
                     NULL, NULL, NULL);
  (void)sqlite3_close(db);
}

static void see_line(void *context, dperm_finding finding, const char *line) {
  chain_verdict *v = context;
  if (finding == DPERM_FINDING_FAILS && v->failures++ == 0) {
    (void)snprintf(v->first, sizeof v->first, "%s", line);
  }
}

chain_verdict verdict_of(const char *path, const char *head) {
  chain_verdict v = {"", 0};
  dperm_ledger *ledger = NULL;
  bool holds = false;
  assert_ok(dperm_ledger_open(path, &ledger, err));
  assert_ok(dperm_ledger_verify(ledger, head, see_line, &v, &holds, err));
  assert_int_equal(holds, v.failures == 0);
  dperm_ledger_free(ledger);
  return v;
}
