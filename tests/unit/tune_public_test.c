/* dperm_tune on public data, and every request that is refused before any work. */
#include <math.h>
#include <stdlib.h>

#include "reference.h"
#include "tuning_request.h"

/* ---- in public */

TUNING_TEST(public_tuning_fits_all_rows_at_the_whole_epsilon) {
  auto_rows *t = test_rows_random(12, 400, COLS, 1);
  auto_data *given = data_of(t, 1);
  q->how.method = DPERM_TUNE_PUBLIC;
  q->how.public_data = given;
  auto_model *model = tuned(q, 13);
  assert_keys(model->selection, "method candidates chosen public_rows ");
  assert_int_equal(stated(model, "public_rows"), 400);
  assert_planned(model, q->candidates[stated(model, "chosen")], ROWS, 1);
  assert_int_equal(q->seen.seen, 3);
}

/* Whatever the two were read from, and wherever the noise comes from: the same rows are the same
 * people, and a model that said so would tell of them. */
TUNING_TEST(a_choice_on_the_private_records_themselves_ends_the_run) {
  dperm_data *again = data_of(q->rows, 1), *hidden = NULL; /* turned round, without the first */
  size_t order[ROWS];
  for (size_t i = 0; i < ROWS; i++) {
    order[i] = ROWS - 1 - i;
  }
  assert_ok(dperm_data_select(again, order, ROWS - 1, &hidden, err));
  const dperm_data *const given[] = {q->data, again, hidden, q->others};
  q->how.method = DPERM_TUNE_PUBLIC;
  for (size_t i = 0; i < 8; i++) {
    auto_model *model = NULL;
    dperm_guarantee g;
    auto_random *seeded = NULL;
    assert_ok(i >= 4 ? dperm_random_seeded(3, &seeded, err) : DPERM_OK);
    q->candidates[0].random = seeded;
    q->how.public_data = given[i % 4];
    q->seen.seen = 0;
    if (i % 4 == 3) {
      assert_ok(dperm_tune(q->data, q->candidates, q->count, &q->how, &model, err));
      dperm_model_guarantee(model, &g);
      assert_int_equal(g.is_private, i == 3);
    } else {
      assert_fails(dperm_tune(q->data, q->candidates, q->count, &q->how, &model, err),
                   DPERM_INVALID_DATA,
                   "the public data are the private records, or mostly, so no budget covers a "
                   "choice on them and nothing is released; choose on other records, or by the "
                   "method split or stopping");
      assert_null(model);
      assert_int_equal(q->seen.seen, 0); /* no candidate was fitted */
    }
  }
  q->candidates[0].random = NULL;
  dperm_data_free(hidden);
  dperm_data_free(again);
}

/* What a public file is too small for is known beforehand; that a line of it may not be a record
 * does not matter. */
TUNING_TEST(a_fit_that_public_data_are_too_few_for_is_refused_before_any_work) {
  const size_t first[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                          11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21};
  auto_data *few = NULL;
  assert_ok(dperm_data_select(q->others, first, 22, &few, err));
  q->how.method = DPERM_TUNE_PUBLIC;
  q->how.holdout = 0.5;
  q->how.public_data = few;
  for (size_t i = 0; i < q->count; i++) {
    q->candidates[i].lambda = 1e-3; /* enough for the slack of 1,003 rows, not of 11 */
    q->candidates[i].delta_reg = 0;
  }
  refuses(q, DPERM_INVALID_ARGUMENT, "delta-reg");
  q->how.public_data = q->others;
  dperm_model_free(tuned(q, 3));
}

static dperm_data *read_people(const char *schema_text) {
  auto_file *path = file_with_text("age,rich\n1,yes\n2,no\n3,yes\n4,no\n");
  auto_schema *schema = NULL;
  dperm_data *data = NULL;
  assert_ok(dperm_schema_parse(schema_text, strlen(schema_text), "s", &schema, err));
  dperm_source source = {.path = path, .format = DPERM_FORMAT_CSV, .schema = schema};
  assert_ok(dperm_data_read(&source, NULL, &data, err));
  return data;
}

#define PEOPLE(max, more)                                                                          \
  "{" more "\"label\": {\"column\": \"rich\", \"positive\": [\"yes\"], \"negative\": [\"no\"]}, "  \
  "\"columns\": [{\"name\": \"age\", \"type\": \"numeric\", \"min\": 0, \"max\": " max "}]}"

TUNING_TEST(public_data_encoded_in_another_way_are_refused) {
  dperm_data *mine = q->data, *ten = read_people(PEOPLE("10", ""));
  auto_data *twenty = read_people(PEOPLE("20", ""));
  auto_rows *narrow = test_rows_random(14, 100, COLS - 1, 1),
            *same = test_rows_random(15, 100, 4, 1);
  dperm_data *others[] = {data_of(narrow, 1), data_of(same, 2), ten};
  q->how.method = DPERM_TUNE_PUBLIC;
  refuses(q, DPERM_INVALID_ARGUMENT, "public data go with the method public");
  for (size_t i = 0; i < 3; i++) {
    q->how.public_data = others[i];
    refuses(q, DPERM_INVALID_DATA, "encoded in another way");
  }
  q->data = twenty;
  refuses(q, DPERM_INVALID_DATA, "encoded in another way");
  q->data = mine;
  q->how.method = DPERM_TUNE_SPLIT;
  refuses(q, DPERM_INVALID_ARGUMENT, "public data go with the method public");
  q->how.public_data = NULL;
  for (size_t i = 0; i < 3; i++) {
    dperm_data_free(others[i]);
  }
}

TUNING_TEST(a_schema_that_drops_rows_is_refused_before_any_work) {
  dperm_data *mine = q->data, *four = read_people(PEOPLE("10", "\"on_missing\": \"drop\", "));
  size_t rows[100] = {0};
  assert_ok(dperm_data_select(four, rows, 100, &q->data, err));
  for (int m = 0; m < 2; m++) {
    q->how.method = m ? DPERM_TUNE_STOPPING : DPERM_TUNE_SPLIT;
    refuses(q, DPERM_INVALID_SCHEMA, "the number of rows depends on the records");
  }
  dperm_data_free(q->data);
  dperm_data_free(four);
  q->data = mine;
}

/* ---- requests that cannot be */

TUNING_TEST(holdouts_outside_zero_to_one_are_refused) {
  static const double shares[] = {0, 1, -0.1, 1.5, NAN, INFINITY};
  q->how.method = DPERM_TUNE_STOPPING;
  for (size_t i = 0; i < 6; i++) {
    q->how.holdout = shares[i];
    refuses(q, DPERM_INVALID_ARGUMENT, "between 0 and 1");
  }
  q->how.holdout = 0.001;
  refuses(q, DPERM_INVALID_DATA, "on one side");
  q->how.holdout = 0.999;
  refuses(q, DPERM_INVALID_DATA, "on one side");
  q->how.method = DPERM_TUNE_SPLIT; /* which has none, whatever stands there */
  q->how.holdout = (double)NAN;
  dperm_model_free(tuned(q, 1));
}

TUNING_TEST(epsilons_that_differ_or_cannot_be_are_refused) {
  static const double epsilons[] = {0, -1, NAN, INFINITY, 1e-300, 1e300, 101};
  q->candidates[2].epsilon = 2;
  refuses(q, DPERM_INVALID_ARGUMENT, "of its own");
  for (size_t i = 0; i < 7; i++) {
    for (int m = 0; m < 2; m++) {
      q->how.method = m ? DPERM_TUNE_STOPPING : DPERM_TUNE_SPLIT;
      for (size_t c = 0; c < 3; c++) {
        q->candidates[c].epsilon = m && epsilons[i] == 101 ? 301 : epsilons[i];
      }
      refuses(q, DPERM_INVALID_ARGUMENT, "epsilon = ");
    }
  }
}

TUNING_TEST(other_requests_that_cannot_be_are_refused) {
  q->count = 0;
  refuses(q, DPERM_INVALID_ARGUMENT, "0 candidates");
  q->count = 3;
  q->candidates[1].mechanism = DPERM_MECHANISM_NONE;
  refuses(q, DPERM_INVALID_ARGUMENT, "needs a private mechanism");
  q->candidates[1].mechanism = DPERM_MECHANISM_OBJECTIVE;
  q->candidates[2].kernel = (dperm_kernel){DPERM_KERNEL_GAUSSIAN, 1, 7, 0, 0};
  refuses(q, DPERM_INVALID_ARGUMENT, "even number");
  q->candidates[2].kernel = (dperm_kernel){0};
  q->candidates[2].lambda = 1e-9;
  q->candidates[2].delta_reg = 0;
  refuses(q, DPERM_INVALID_ARGUMENT, "delta-reg"); /* infeasible at the portion's n */
  q->how.method = DPERM_TUNE_STOPPING;
  refuses(q, DPERM_INVALID_ARGUMENT, "delta-reg");
  q->candidates[2].lambda = 0.03;
  q->candidates[2].delta_reg = (double)NAN;
  static const double means[] = {1, 0, -3, INFINITY, 1e7};
  for (size_t i = 0; i < 5; i++) {
    q->how.rounds_mean = means[i];
    refuses(q, DPERM_INVALID_ARGUMENT, "rounds");
  }
  q->how.rounds_mean = nextafter(1, 2); /* the least there is */
  dperm_model_free(tuned(q, 1));
}
