/* Entries that contradict themselves, in ledgers whose digests and head were all made anew: each
 * field of an entry that its price rests on is changed, alone and together with the price that
 * would follow from it; some together. The ledger must be refused, or count no less than before.
 * (Somebody who may write the file can make an entry that agrees with itself; that its numbers are
 * its model's own is what dperm_ledger_find_model and `dperm verify --ledger` say.) */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dperm/verify.h"
#include "ledger/chain.h"
#include "ledgers.h"

/* A fit with Huber's slack at (0.1, 1e-8), as `train --loss huber` charges it; with half of what it
 * has beside bins that were asked for. */
static const privacy_curve fit = {.fits = 1,
                                  .slack = 0.03,
                                  .mean = 0.0032,
                                  .corners = {{1, 0.0156}, {1, 0.0078}, {1, 0.0078}},
                                  .corner_count = 3,
                                  .epsilon_num = 1e-4,
                                  .failure = 8e-44};
/* The same of records added and removed. */
static const privacy_curve added = {.fits = 1,
                                    .slack = 0.03,
                                    .mean = 0.0063,
                                    .corners = {{1, 0.0156}},
                                    .corner_count = 1,
                                    .epsilon_num = 1e-4,
                                    .failure = 8e-44};

static privacy_curve asking(void) {
  privacy_curve c = fit;
  c.pure = 0.05;
  c.slack = 0.015;
  c.mean = 0.0016;
  c.epsilon_num = 5e-5;
  for (size_t i = 0; i < c.corner_count; i++) {
    c.corners[i].ratio /= 2;
  }
  return c;
}

static void open_order(const char *path, const char *dataset, bool adding, size_t rows) {
  dperm_ledger_budget budget = USUAL(dperm_ledger_budget);
  budget.epsilon = "5";
  budget.delta = "1e-3";
  budget.composition = DPERM_COMPOSITION_RENYI;
  budget.order = 8;
  budget.rows_per_person = rows;
  budget.neighbours = adding ? DPERM_NEIGHBOURS_ADD_REMOVE : DPERM_NEIGHBOURS_REPLACE;
  assert_ok(dperm_ledger_create(path, dataset, &budget, err));
}

static void charge_as(const char *path, const char *dataset, bool adding, size_t rows,
                      const privacy_curve *curve, unsigned char data) {
  auto_ledger *ledger = NULL;
  dperm_charge made;
  charge_request request = request_for(dataset, 0.1, 1e-8, data);
  request.neighbours = adding ? DPERM_NEIGHBOURS_ADD_REMOVE : DPERM_NEIGHBOURS_REPLACE;
  request.rows_per_person = rows;
  request.curves = curve;
  request.curve_count = 1;
  assert_ok(dperm_ledger_open(path, &ledger, err));
  assert_ok(charge_reserve(ledger, &request, false, &made, err));
}

/* ---- forging */

/* Who changes a record; what it says beyond amounts is taken apart first and put together again. */
typedef void forger(record *r, record_terms *terms, double by);

static void write_record(dperm_ledger *ledger, const record *r) {
  static const char sql[] =
      "UPDATE records SET kind = ?, dataset = ?, epsilon = ?, delta = ?, spent_epsilon = ?,"
      " spent_delta = ?, data = ?, version = ?, rows_per_person = ?, terms = ?, previous = ?,"
      " digest = ? WHERE id = ?";
  const char *const texts[] = {r->kind,          r->dataset,     r->epsilon, r->delta,
                               r->spent_epsilon, r->spent_delta, r->data};
  OWNED(sqlite3_finalize_at) sqlite3_stmt *statement = NULL;
  int at = 1;
  assert_ok(store_prepare(ledger, sql, &statement, err));
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    (void)sqlite3_bind_text(statement, at++, texts[i], -1, SQLITE_STATIC);
  }
  (void)sqlite3_bind_int64(statement, at++, r->version);
  (void)sqlite3_bind_int64(statement, at++, r->rows_per_person);
  (void)sqlite3_bind_text(statement, at++, r->terms, -1, SQLITE_STATIC);
  (void)sqlite3_bind_text(statement, at++, r->previous, -1, SQLITE_STATIC);
  (void)sqlite3_bind_text(statement, at++, r->digest, -1, SQLITE_STATIC);
  (void)sqlite3_bind_int64(statement, at, r->id);
  assert_ok(store_step(ledger, statement, &(bool){false}, err));
}

/* The price that follows from what the record says now, by the library's own rule. */
static void price_anew(const dataset_state *d, record *r, record_terms *terms) {
  amounts claim;
  if (amounts_parse(r->epsilon, r->delta, &claim)) {
    (void)reading_cost(&d->reading, &claim, &terms->curve, &terms->cost);
  }
}

/* Record `id` changed, and all digests from it to the head made anew. */
static void forge(const char *path, int64_t id, forger *change, double by, bool priced) {
  dperm_ledger *ledger = NULL, *held = NULL;
  char previous[DPERM_DIGEST_SIZE], sql[200];
  record r;
  assert_ok(dperm_ledger_open(path, &ledger, err));
  assert_ok(chain_begin(ledger, false, &held, err));
  int64_t last = ledger->known->count;
  assert_ok(record_read(ledger, id, &r, err));
  const dataset_state state = *chain_find(ledger->known, r.dataset);
  assert_ok(store_commit(&held, err));
  assert_ok(store_begin(ledger, true, &held, err));
  for (int64_t i = id; i <= last; i++) {
    assert_ok(record_read(ledger, i, &r, err));
    if (i == id) {
      record_terms terms;
      assert_true(terms_parse(r.terms, &terms));
      change(&r, &terms, by);
      if (priced) {
        price_anew(&state, &r, &terms);
      }
      terms_write(&terms, r.terms);
    } else {
      memcpy(r.previous, previous, sizeof previous);
    }
    record_digest(&r, r.digest);
    memcpy(previous, r.digest, sizeof previous);
    write_record(ledger, &r);
  }
  (void)snprintf(sql, sizeof sql, "UPDATE ledger SET head = '%s'", previous);
  assert_ok(store_run(ledger, sql, err));
  assert_ok(store_commit(&held, err));
  dperm_ledger_free(ledger);
}

/* ---- the fields */

static void set_amount(char *text, double by) {
  amount a;
  assert_true(amount_of_double(strtod(text, NULL) * by, &a));
  amount_text(&a, text);
}

static void change_fits(record *r, record_terms *t, double by) {
  t->curve.fits = (size_t)((double)t->curve.fits * by);
}
static void change_ratios(record *r, record_terms *t, double by) {
  for (size_t i = 0; i < t->curve.corner_count; i++) {
    t->curve.corners[i].ratio *= by;
  }
}
static void change_counts(record *r, record_terms *t, double by) {
  for (size_t i = 0; i < t->curve.corner_count; i++) {
    t->curve.corners[i].count *= by;
  }
}
static void drop_corners(record *r, record_terms *t, double by) {
  t->curve.corner_count = by < 1 ? t->curve.corner_count - 1 : t->curve.corner_count;
}
static void drop_price(record *r, record_terms *t, double by) {
  t->priced = by >= 1;
}
static void change_neighbours(record *r, record_terms *t, double by) {
  t->adding = !t->adding;
}
static void change_unit(record *r, record_terms *t, double by) {
  r->rows_per_person = by < 1 ? 1 : 3;
}
static void change_data(record *r, record_terms *t, double by) {
  r->data[0] = r->data[0] == 'a' ? 'b' : 'a';
}
static void change_dataset(record *r, record_terms *t, double by) {
  (void)snprintf(r->dataset, sizeof r->dataset, "%s", by < 1 ? "people" : "nobody");
}
static void change_kind(record *r, record_terms *t, double by) {
  (void)snprintf(r->kind, sizeof r->kind, "%s", by < 1 ? "commit" : "key");
}
static void change_version(record *r, record_terms *t, double by) {
  r->version = by < 1 ? 3 : 5;
}

/* A field that is multiplied stands at a place in the terms or the record; others have a function.
 * Those that a price follows from come first. */
typedef enum field_kind { NUMBER, PRICE, TEXT, OTHER } field_kind;
typedef struct field {
  const char *name;
  field_kind kind;
  size_t offset;
  forger *change;
} field;
#define IN_TERMS(name, kind, member)                                                               \
  { name, kind, offsetof(record_terms, member), NULL }
#define IN_RECORD(member)                                                                          \
  { #member, TEXT, offsetof(record, member), NULL }
#define BY(name, function)                                                                         \
  { name, OTHER, 0, function }
enum { PRICED_FIELDS = 11 };
static const field fields[] = {
    BY("fits", change_fits),
    IN_TERMS("slack", NUMBER, curve.slack),
    IN_TERMS("mean", NUMBER, curve.mean),
    BY("ratios", change_ratios),
    BY("counts", change_counts),
    BY("corners", drop_corners),
    IN_TERMS("num", NUMBER, curve.epsilon_num),
    IN_TERMS("pure", NUMBER, curve.pure),
    IN_TERMS("failure", NUMBER, curve.failure),
    IN_RECORD(epsilon),
    IN_RECORD(delta),
    IN_TERMS("cost", PRICE, cost.epsilon),
    IN_TERMS("cost_delta", PRICE, cost.delta),
    BY("price", drop_price),
    BY("neighbours", change_neighbours),
    BY("rows_per_person", change_unit),
    IN_RECORD(spent_epsilon),
    IN_RECORD(spent_delta),
    BY("data", change_data),
    BY("dataset", change_dataset),
    BY("kind", change_kind),
    BY("version", change_version),
};

static const field *forged; /* by change_field */
static void change_field(record *r, record_terms *t, double by) {
  char *place = (char *)(forged->kind == TEXT ? (void *)r : (void *)t) + forged->offset;
  char text[DPERM_AMOUNT_SIZE];
  switch (forged->kind) {
  case NUMBER:
    *(double *)(void *)place *= by;
    break;
  case PRICE:
    amount_text((amount *)place, text);
    set_amount(text, by);
    (void)amount_parse(text, (amount *)place);
    break;
  case TEXT:
    set_amount(place, by);
    break;
  case OTHER:
    forged->change(r, t, by);
  }
}

/* ---- what all data sets have left */

typedef struct left {
  double epsilon[8], delta[8];
  size_t count;
} left;

static void see_left(void *context, const dperm_ledger_dataset *d) {
  left *l = context;
  l->epsilon[l->count] = strtod(d->epsilon_left, NULL);
  l->delta[l->count++] = strtod(d->delta_left, NULL);
}

static left left_in(const char *path) {
  auto_ledger *ledger = NULL;
  left l = {.count = 0};
  assert_ok(dperm_ledger_open(path, &ledger, err));
  assert_ok(dperm_ledger_datasets(ledger, see_left, &l, err));
  return l;
}

static void copy_file(const char *from, const char *to) {
  static char bytes[1 << 18];
  FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
  assert_true(in && out);
  size_t length = fread(bytes, 1, sizeof bytes, in);
  assert_true(length > 0 && length < sizeof bytes && fwrite(bytes, 1, length, out) == length);
  assert_true(fclose(in) == 0 && fclose(out) == 0 && chmod(to, 0600) == 0);
}

/* In memory, where there is some: hundreds of ledgers are written. */
static void copy_name(const ledger_home *home, char out[1100]) {
  bool memory = access("/dev/shm", W_OK) == 0;
  (void)snprintf(out, 1100, "%s/forged-%ld", memory ? "/dev/shm" : home->folder, (long)getpid());
}

/* All entries: with a curve, without, of added records in either budget, of persons. */
enum { ENTRIES = 6 };
static void make_ledger(const char *path, int64_t entries[ENTRIES]) {
  const privacy_curve none = {.fits = 0}, asked = asking();
  open_order(path, "r", false, 1);
  open_order(path, "add", true, 1);
  open_order(path, "persons", false, 3);
  charge_as(path, "r", false, 1, &fit, 7);
  charge_as(path, "r", false, 1, &asked, 7);
  charge_as(path, "r", false, 1, &none, 7);
  charge_as(path, "r", true, 1, &added, 7);
  charge_as(path, "add", true, 1, &added, 8);
  charge_as(path, "persons", false, 3, &fit, 9);
  for (int i = 0; i < ENTRIES; i++) {
    entries[i] = 5 + i; /* record 1 opens "people" */
  }
}

static void see_terms(void *context, const dperm_ledger_entry *e) {
  char(*terms)[TERMS_SIZE] = context;
  (void)snprintf(terms[e->entry], TERMS_SIZE, "%s", e->terms);
}

LEDGER_TEST(only_a_curve_of_the_unit_and_its_neighbours_is_kept) {
  static char terms[16][TERMS_SIZE];
  int64_t entries[ENTRIES];
  static const bool curved[ENTRIES] = {true, true, false, false, true, false};
  make_ledger(home->path, entries);
  dperm_ledger *ledger = opened(home);
  assert_ok(dperm_ledger_entries(ledger, NULL, see_terms, terms, err));
  dperm_ledger_free(ledger);
  for (int i = 0; i < ENTRIES; i++) {
    assert_int_equal(strstr(terms[entries[i]], "fits=") != NULL, curved[i]);
    assert_non_null(strstr(terms[entries[i]], "cost="));
  }
  assert_string_equal(verdict_of(home->path, NULL).first, "");
}

/* The ledger at `path` differs by one change; it is refused, or has no more left. */
static bool is_refused(const char *path, const left *before, const char *what, int64_t id) {
  if (verdict_of(path, NULL).failures > 0) {
    return true;
  }
  const left after = left_in(path);
  assert_int_equal(after.count, before->count);
  for (size_t i = 0; i < after.count; i++) {
    if (after.epsilon[i] > before->epsilon[i] || after.delta[i] > before->delta[i]) {
      fail_msg("entry %lld with another %s: %.12g and %.6g left of data set %zu, before %.12g and "
               "%.6g",
               (long long)id, what, after.epsilon[i], after.delta[i], i, before->epsilon[i],
               before->delta[i]);
    }
  }
  return false;
}

LEDGER_TEST(no_field_of_an_entry_makes_it_count_for_less) {
  static const double factors[] = {0, 0.5, 0.9999, 2};
  char copy[1100];
  int64_t entries[ENTRIES];
  size_t refused = 0;
  make_ledger(home->path, entries);
  copy_name(home, copy);
  const left before = left_in(home->path);
  for (int i = 0; i < ENTRIES; i++) {
    for (size_t j = 0; j < sizeof fields / sizeof *fields; j++) {
      for (size_t k = 0; k < sizeof factors / sizeof *factors; k++) {
        /* by less than C8 can tell a price may be less by as little */
        bool prices = j < PRICED_FIELDS && factors[k] != 0.9999;
        for (int priced = 0; priced < (prices ? 2 : 1); priced++) {
          copy_file(home->path, copy);
          forged = &fields[j];
          forge(copy, entries[i], change_field, factors[k], priced == 1);
          refused += is_refused(copy, &before, fields[j].name, entries[i]);
          (void)unlink(copy);
        }
      }
    }
  }
  print_message("# %zu forgeries refused\n", refused);
  assert_true(refused > 250);
}

/* A curve that would be taken for another's, put where it has no place. */
static void give_curve(record *r, record_terms *t, double by) {
  t->curve = by < 1 ? fit : added;
}

LEDGER_TEST(a_curve_of_others_is_refused_wherever_it_stands) {
  char copy[1100];
  int64_t entries[ENTRIES];
  make_ledger(home->path, entries);
  copy_name(home, copy);
  static const int places[] = {3, 5}; /* of added records where they are replaced, of persons */
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    for (int priced = 0; priced < 2; priced++) {
      copy_file(home->path, copy);
      forge(copy, entries[places[i]], give_curve, places[i] == 3 ? 1 : 0, priced == 1);
      char wanted[80];
      (void)snprintf(wanted, sizeof wanted, "record %d: does not cost what it should",
                     (int)entries[places[i]]);
      assert_string_equal(verdict_of(copy, NULL).first, wanted);
      (void)unlink(copy);
    }
  }
}

/* Curves that no plan has, each of which would lower the price by hiding which corner is the
 * longest, or behind a slack that leaves nothing of epsilon for the noise. */
static void hide_the_longest(record *r, record_terms *t, double by) {
  double m = t->curve.corners[0].ratio;
  t->curve.corners[0] = (gaussian_corner){1, by < 1 ? 1e-12 : m / 2}; /* C8 is asked of the first */
  t->curve.corners[1] = (gaussian_corner){1, m};
  t->curve.corner_count = 2;
  t->curve.mean = 0.2 * t->curve.corners[0].ratio;
}
static void hide_behind_slack(record *r, record_terms *t, double by) {
  t->curve.slack = by < 1 ? 0.0999 : 5;
  t->curve.mean = 2.4e-9;
  t->curve.corners[0] = (gaussian_corner){1, 1.2e-8};
  t->curve.corners[1] = t->curve.corners[2] = (gaussian_corner){1, 0.6e-8};
}
static void hide_among_fits(record *r, record_terms *t, double by) {
  t->curve.fits = by < 1 ? 1001 : 100000;
  t->curve.epsilon_num /= (double)t->curve.fits;
  t->curve.slack = t->curve.mean = 1e-9;
  t->curve.failure *= (double)t->curve.fits;
}

LEDGER_TEST(no_order_slack_or_number_of_fits_hides_a_corner) {
  static forger *const forgers[] = {hide_the_longest, hide_behind_slack, hide_among_fits};
  char copy[1100];
  int64_t entries[ENTRIES];
  make_ledger(home->path, entries);
  copy_name(home, copy);
  for (size_t i = 0; i < 6; i++) {
    copy_file(home->path, copy);
    forge(copy, entries[0], forgers[i / 2], i % 2 ? 2 : 0.5, true);
    if (verdict_of(copy, NULL).failures == 0) {
      fail_msg("forger %zu, %s: not refused", i / 2, i % 2 ? "2" : "0.5");
    }
    (void)unlink(copy);
  }
}
