/* Whose records they are: the same values are the same people to a ledger, whatever is made of
 * them; and people that a ledger knew by an older rule stay known. */
#include "data/identity.h"
#include "dperm/ledger.h"

#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

#include "ledgers.h"
#include "thread_ranks.h"

enum { ROWS = 4, COLS = 3 };

static const double X[ROWS * COLS] = {3, 0, -4, 0, 0, 0, 0, 0.125, 0, 7, 8, 9};
static const double SIGNS[ROWS] = {1, -1, 1, -1};

static data_identity of(const dperm_data *data) {
  data_identity id;
  assert_ok(identity_of_data(data, &id, err));
  return id;
}

static data_identity of_and_free(dperm_data *data) {
  data_identity id = of(data);
  dperm_data_free(data);
  return id;
}

static void check_same(const data_identity *a, const data_identity *b) {
  assert_memory_equal(a->given, b->given, IDENTITY_SIZE);
}

static void check_other(const data_identity *a, const data_identity *b) {
  assert_memory_not_equal(a->given, b->given, IDENTITY_SIZE);
}

static dperm_data *dense(const double *x, const double *labels, double norm) {
  dperm_data *data = NULL;
  assert_ok(dperm_data_from_dense(ROWS, COLS, x, labels, norm, &data, err));
  return data;
}

/* The rows of X, with a zero written out. */
static dperm_data *sparse(size_t dims, double norm) {
  const size_t starts[] = {0, 3, 3, 4, 7};
  const uint32_t columns[] = {0, 1, 2, 1, 0, 1, 2};
  const double values[] = {3, 0, -4, 0.125, 7, 8, 9};
  dperm_data *data = NULL;
  assert_ok(dperm_data_from_csr(ROWS, dims, starts, columns, values, NULL, norm, &data, err));
  return data;
}

/* ---- rows from memory */

TEST(a_norm_a_constant_and_classes_make_no_other_people) {
  static const char *const names[][3] = {{"no", "yes", ""}, {"yes", "no", ""}, {"a", "b", "c"}};
  static const uint32_t codes[] = {0, 1, 1, 0}, turned[] = {1, 0, 0, 1}, more[] = {2, 0, 1, 0};
  const data_identity id = of_and_free(dense(X, SIGNS, 100));
  for (int way = 0; way < 24; way++) {
    dperm_data *data = way & 1 ? sparse(COLS + (size_t)(way & 2), 0.5) : dense(X, NULL, 1 + way);
    if (way & 4) {
      assert_ok(dperm_data_add_intercept(data, way, err));
    }
    if (way >= 8) {
      assert_ok(dperm_data_label(data, way & 2 ? turned : codes, 2, names[way & 2 ? 1 : 0], err));
    }
    if (way >= 16) {
      assert_ok(dperm_data_label(data, more, 3, names[2], err));
    }
    const data_identity other = of_and_free(data);
    check_same(&id, &other);
    assert_memory_not_equal(id.encoded, other.encoded, IDENTITY_SIZE); /* as it was once */
  }
}

TEST(the_order_of_rows_is_no_matter_their_values_are) {
  dperm_data *data = dense(X, SIGNS, 1), *turned = NULL, *part = NULL, *same = NULL;
  static const size_t order[] = {3, 1, 0, 2}, few[] = {2, 0, 1}, again[] = {1, 0, 2};
  const data_identity id = of(data);
  assert_ok(dperm_data_select(data, order, ROWS, &turned, err));
  assert_ok(dperm_data_select(data, few, 3, &part, err));
  assert_ok(dperm_data_select(turned, again, 3, &same, err));
  const data_identity a = of_and_free(turned), b = of_and_free(part), c = of_and_free(same);
  check_same(&id, &a);
  check_other(&id, &b);
  check_other(&b, &c);
  for (int i = 0; i < ROWS * COLS; i++) {
    double x[ROWS * COLS];
    memcpy(x, X, sizeof x);
    x[i] = x[i] == 0 ? 1e-300 : nextafter(x[i], 100);
    const data_identity other = of_and_free(dense(x, SIGNS, 1));
    check_other(&id, &other);
  }
  static const double moved[ROWS * COLS] = {3, -4, 0, 0, 0, 0, 0, 0.125, 0, 7, 8, 9};
  const data_identity other = of_and_free(dense(moved, SIGNS, 1));
  check_other(&id, &other);
  dperm_data_free(data);
}

/* ---- tables */

static dperm_schema *schema_of(const char *columns, const char *more) {
  char json[1000];
  dperm_schema *schema = NULL;
  int length = snprintf(json, sizeof json,
                        "{\"columns\":[%s],%s"
                        "\"label\":{\"column\":\"y\",\"classes\":[\"p\",\"q\"]}}",
                        columns, more);
  assert_ok(dperm_schema_parse(json, (size_t)length, "S", &schema, err));
  return schema;
}

static data_identity of_table(const char *columns, const char *more, const dperm_column *given) {
  static const int32_t codes[] = {0, 1, 1, 0};
  static const char *const labels[] = {"p", "q"};
  const dperm_column label = {.codes = codes, .texts = labels, .text_count = 2};
  auto_schema *schema = schema_of(columns, more);
  dperm_data *data = NULL;
  assert_ok(dperm_data_from_table(schema, ROWS, given, &label, &data, err));
  return of_and_free(data);
}

#define NUMERIC(name, low, high)                                                                   \
  "{\"name\":\"" name "\",\"type\":\"numeric\",\"min\":" low ",\"max\":" high "}"

TEST(bounds_make_no_other_people) {
  static const int32_t codes[] = {0, 1, 1, 2};
  static const char *const texts[] = {"3.0", "0", "7"};
  dperm_column given[COLS];
  for (size_t c = 0; c < COLS; c++) {
    given[c] = (dperm_column){.numbers = X + c, .stride = COLS};
  }
  const data_identity id = of_and_free(dense(X, SIGNS, 1));
  const char *wide = NUMERIC("a", "-9", "9") "," NUMERIC("b", "-9", "9") "," NUMERIC("c", "0", "9");
  const char *narrow = NUMERIC("k", "0", "1") "," NUMERIC("l", "0", "2") "," NUMERIC("m", "0", "3");
  const data_identity a = of_table(wide, "", given);
  const data_identity b = of_table(narrow, "\"intercept\":false,", given);
  given[0] = (dperm_column){.codes = codes, .texts = texts, .text_count = 3};
  const data_identity c = of_table(wide, "", given);
  check_same(&id, &a);
  check_same(&id, &b);
  check_same(&id, &c);
}

TEST(texts_and_what_is_missing_tell_people_apart) {
  static const int32_t codes[] = {0, 1, -1, 0}, changed[] = {0, 1, -1, 1}, gone[] = {0, 1, -1, -1};
  static const int32_t renamed[] = {1, 0, -1, 1};
  static const char *const texts[] = {"red", "blue"}, *const turned[] = {"blue", "red"};
  const char *two = "{\"name\":\"a\",\"type\":\"categorical\",\"values\":[\"red\",\"blue\"]},"
                    "{\"name\":\"b\",\"type\":\"numeric\",\"min\":0,\"max\":1}";
  const char *one = "{\"name\":\"a\",\"type\":\"categorical\",\"values\":[\"blue\"]},"
                    "{\"name\":\"b\",\"type\":\"numeric\",\"min\":0,\"max\":5}";
  double b[ROWS] = {1, (double)NAN, 0, 2};
  dperm_column given[2] = {{.codes = codes, .texts = texts, .text_count = 2}, {.numbers = b}};
  const data_identity id = of_table(two, "", given), other_schema = of_table(one, "", given);
  check_same(&id, &other_schema);
  given[0] = (dperm_column){.codes = renamed, .texts = turned, .text_count = 2};
  const data_identity other_codes = of_table(two, "", given);
  check_same(&id, &other_codes);
  given[0] = (dperm_column){.codes = changed, .texts = texts, .text_count = 2};
  const data_identity other_text = of_table(two, "", given);
  check_other(&id, &other_text);
  given[0].codes = gone;
  const data_identity no_text = of_table(two, "", given);
  check_other(&id, &no_text);
  given[0].codes = codes;
  b[1] = 0;
  const data_identity no_gap = of_table(two, "", given);
  check_other(&id, &no_gap);
}

/* Whether a program has read "?" or "" or "NA" as a text or as NaN, and whatever the schema makes
 * of it, they are the same people; a text that means nothing to others than the schema is a value.
 */
TEST(a_text_for_missing_is_the_same_as_nothing) {
  static const int32_t none[] = {0, 1, -1, 0}, marked[] = {0, 1, 2, 0}, empty[] = {0, 1, 3, 0};
  static const int32_t padded[] = {0, 1, 4, 0}, said[] = {0, 1, 5, 0};
  static const char *const texts[] = {"1", "0.5", "?", "", " NA ", "unknown"};
  static const double numbers[] = {1, 0.5, (double)NAN, 1};
  static const char *const kinds[] = {
      "{\"name\":\"a\",\"type\":\"categorical\",\"values\":[\"1\",\"0.5\"]}",
      NUMERIC("a", "0", "1")};
  static const int32_t *const gaps[] = {marked, empty, padded};
  const char *all = "\"missing\":[\"?\",\"\",\" NA \",\"unknown\"],";
  dperm_column given = {.numbers = numbers};
  const data_identity id = of_table(kinds[1], all, &given);
  for (int kind = 0; kind < 3; kind++) {
    const char *columns = kinds[kind % 2], *missing = kind < 2 ? all : "\"missing\":[\"x\"],";
    given = (dperm_column){.codes = none, .texts = texts, .text_count = 6};
    const data_identity gone = of_table(columns, missing, &given);
    check_same(&id, &gone);
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++) {
      given.codes = gaps[g];
      const data_identity gap = of_table(columns, missing, &given);
      check_same(&id, &gap);
    }
    given.codes = said;
    const data_identity word = of_table(columns, missing, &given);
    check_other(&id, &word);
  }
}

/* ---- rows of a file */

TEST(a_part_of_a_file_is_known_by_its_places) {
  auto_file *path = file_with_text("a,b,y\n1,2,p\n3,4,q\n5,6,p\n");
  dperm_schema *schemas[2] = {
      schema_of(NUMERIC("a", "0", "9") "," NUMERIC("b", "0", "9"), ""),
      schema_of(NUMERIC("a", "0", "1") ",{\"name\":\"b\",\"type\":\"ignore\"}", "")};
  static const size_t rows[] = {0, 2}, others[] = {0, 1};
  data_identity id[2], other;
  for (int s = 0; s < 2; s++) {
    dperm_source source = {.path = path, .format = DPERM_FORMAT_CSV, .schema = schemas[s]};
    dperm_data *data = NULL, *part = NULL;
    assert_ok(dperm_data_read(&source, NULL, &data, err));
    assert_ok(dperm_data_select(data, rows, 2, &part, err));
    id[s] = of_and_free(part);
    assert_ok(dperm_data_select(data, others, 2, &part, err));
    other = of_and_free(part);
    dperm_data_free(data);
    check_other(&id[0], &other);
    source.no_identity = true;
    assert_ok(dperm_data_read(&source, NULL, &data, err));
    assert_ok(dperm_data_select(data, rows, 2, &part, err));
    assert_fails(identity_of_data(part, &other, err), DPERM_INVALID_ARGUMENT,
                 "read without their file's identity");
    dperm_data_free(part);
    dperm_data_free(data);
    dperm_schema_free(schemas[s]);
  }
  check_same(&id[0], &id[1]);
}

/* The same people: encoded, under another schema, or both; and so are parts of them. */
TEST(an_encoded_file_and_a_view_are_the_people_of_the_file) {
  auto_file *path = file_with_text("a,b,y\n1,2,p\n3,4,q\n5,6,p\n"), *encoded = file_with_text("");
  auto_schema *schema = schema_of(NUMERIC("a", "0", "9") "," NUMERIC("b", "0", "9"), "");
  auto_schema *other =
      schema_of(NUMERIC("a", "0", "1") ",{\"name\":\"b\",\"type\":\"ignore\"}", "");
  const dperm_source plain = {.path = path, .format = DPERM_FORMAT_CSV, .schema = schema};
  const dperm_source sources[] = {
      plain, {.path = encoded}, {.path = encoded, .schema = other}, {.path = encoded}};
  static const size_t rows[] = {0, 2};
  data_identity whole[4], few[4];
  assert_ok(dperm_encode_file(&plain, encoded, NULL, NULL, err));
  for (size_t i = 0; i < 4; i++) {
    dperm_data *data = NULL, *part = NULL, view;
    assert_ok(dperm_data_read(&sources[i], NULL, &data, err));
    assert_ok(data_view_open(data, i == 3 ? other : data->schema, &view, err));
    assert_ok(dperm_data_select(&view, rows, 2, &part, err));
    assert_int_equal(dperm_data_dims(part), i < 2 ? 2 : 1);
    whole[i] = of(&view);
    few[i] = of_and_free(part);
    check_same(&whole[0], &whole[i]);
    check_same(&few[0], &few[i]);
    check_other(&whole[0], &few[i]);
    data_view_close(&view);
    dperm_data_free(data);
  }
}

typedef struct part_job {
  dperm_source source;
  size_t rows[3000];
  data_identity id[8];
  bool failed[8];
} part_job;

static void select_part(ranks *r, void *context) {
  part_job *job = context;
  auto_data *data = NULL, *part = NULL, *again = NULL;
  const size_t count = sizeof job->rows / sizeof *job->rows, at = r ? r->rank : 0;
  job->failed[at] = dperm_data_read_spread(&job->source, r, NULL, &data, NULL) != DPERM_OK ||
                    dperm_data_select(data, job->rows, count, &part, NULL) != DPERM_OK ||
                    dperm_data_select(part, job->rows, count, &again, NULL) != DPERM_OK ||
                    identity_of_data(again, &job->id[at], NULL) != DPERM_OK;
}

TEST(a_part_is_the_same_for_any_number_of_processes) {
  enum { ALL = 4000, LINE = 32 };
  OWNED_MEMORY char *text = calloc(ALL, LINE);
  assert_non_null(text);
  for (size_t i = 0, at = 0; i < ALL; i++) {
    at += (size_t)snprintf(text + at, LINE, "%s 1:0.%zu 2:0.%zu\n", i % 3 ? "+1" : "-1", i, i % 9);
  }
  auto_file *path = file_with_text(text);
  part_job job = {.source = {.path = path, .format = DPERM_FORMAT_SVMLIGHT, .dims = 2}};
  for (size_t i = 0; i < sizeof job.rows / sizeof *job.rows; i++) {
    job.rows[i] = i;
  }
  select_part(NULL, &job);
  assert_false(job.failed[0]);
  const data_identity alone = job.id[0];
  for (size_t count = 1; count <= 4; count++) {
    thread_ranks_run(count, select_part, &job);
    for (size_t p = 0; p < count; p++) {
      assert_false(job.failed[p]);
      check_same(&alone, &job.id[p]);
    }
  }
}

/* ---- what a ledger makes of it */

static dperm_status train(dperm_ledger *ledger, const dperm_data *data, const char *dataset,
                          dperm_error *err) {
  dperm_options options = options_for(0.1);
  auto_model *model = NULL;
  options.threads = 1;
  options.account = (dperm_account){.ledger = ledger, .dataset = dataset};
  dperm_status status = dperm_train(data, &options, &model, err);
  return status;
}

LEDGER_TEST(one_budget_whatever_the_norm) {
  auto_ledger *ledger = opened(home);
  auto_data *near = dense(X, SIGNS, 1), *far = sparse(COLS, 20);
  static const uint32_t codes[] = {0, 1, 1, 0};
  static const char *const names[] = {"yes", "no"};
  assert_ok(dperm_data_add_intercept(far, 2, err));
  assert_ok(dperm_data_label(far, codes, 2, names, err));
  assert_ok(ledger_create(home->path, "again", "1", NULL, 1, err));
  assert_ok(train(ledger, near, "people", err));
  assert_ok(train(ledger, far, "people", err));
  assert_fails(train(ledger, far, "again", err), DPERM_OVER_BUDGET,
               "are data set \"people\" already");
  assert_fails(dperm_ledger_refuse_data(ledger, far, err), DPERM_OVER_BUDGET,
               "these data are data set \"people\"");
  assert_string_equal(verdict_of(home->path, NULL).first, "");
}

/* A charge as it was made when rows were known as they were encoded. */
static void charge_as_once(dperm_ledger *ledger, const dperm_data *data) {
  data_identity id = of(data);
  memcpy(id.given, id.encoded, IDENTITY_SIZE);
  const charge_request request = {.dataset = "people",
                                  .command = "train",
                                  .mechanism = "objective",
                                  .epsilon = 0.5,
                                  .rows_per_person = 1,
                                  .identity = id};
  dperm_charge charge;
  assert_ok(charge_reserve(ledger, &request, false, &charge, err));
}

LEDGER_TEST(people_known_by_the_older_rule_stay_known) {
  auto_ledger *ledger = opened(home);
  auto_data *data = dense(X, SIGNS, 100);
  charge_as_once(ledger, data);
  assert_ok(ledger_create(home->path, "again", "1", NULL, 1, err));
  assert_fails(train(ledger, data, "again", err), DPERM_OVER_BUDGET,
               "are data set \"people\" already");
  assert_fails(dperm_ledger_refuse_data(ledger, data, err), DPERM_OVER_BUDGET,
               "these data are data set \"people\"");
  for (int i = 0; i < 5; i++) {
    assert_ok(train(ledger, data, "people", err));
  }
  assert_fails(train(ledger, data, "people", err), DPERM_OVER_BUDGET, "has epsilon 0 left of 1");
  assert_fails(train(ledger, home->data, "people", err), DPERM_OVER_BUDGET, "not the data");
  assert_string_equal(verdict_of(home->path, NULL).first, "");
}

/* The older rule, to the bit: as 0.1 had it for rows that no norm shortens. */
TEST(the_older_rule_is_as_it_was) {
  char hex[2 * IDENTITY_SIZE + 1];
  const data_identity id = of_and_free(dense(X, SIGNS, 100));
  (void)sodium_bin2hex(hex, sizeof hex, id.encoded, IDENTITY_SIZE);
  assert_string_equal(hex, "2a33366908d1fdb334819533cfb7ef11dbfb935eccef66822a477418d7725a8d");
}
