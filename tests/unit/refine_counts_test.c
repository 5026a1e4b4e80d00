/* Refinement: what is counted in which cell, and what becomes of the counts. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "data/dataset.h"
#include "refine/refine_counts.h"
#include "wide_records.h"

/* ---- counts */

static dperm_schema *cells_of(const dperm_schema *wide) {
  dperm_schema *cells = NULL;
  assert_ok(refine_cell_schema(wide, false, &cells, err));
  return cells;
}

/* The records of some data, counted in cells under these numbers. */
static refine_counts counted(const dperm_data *data, const refine_numbers *numbers) {
  refine_counts counts = {0};
  record_tally tally = {0};
  dperm_data view = {0};
  auto_schema *cells = cells_of(data->schema);
  assert_ok(data_view_open(data, cells, &view, err));
  assert_ok(refine_counts_new(data->schema, cells, numbers, &counts, err));
  assert_ok(record_tally_of(&view, NULL, 0, NULL, &tally, err));
  refine_counts_add(&tally, &counts);
  record_tally_clear(&tally);
  data_view_close(&view);
  return counts;
}

static const cell_counts *counts_of(const refine_counts *all, size_t column) {
  for (size_t i = 0; i < all->count; i++) {
    if (all->columns[i].column == column) {
      return &all->columns[i];
    }
  }
  return NULL;
}

WIDE_TEST(every_record_counts_once_in_its_cell) {
  for (size_t rows = 3000; rows < (size_t)3000000000000;
       rows *= 1000) { /* coarse cells, and the finest */
    refine_numbers numbers = refine_numbers_of(s->wide, false, rows, 1);
    numbers.scale = 50;
    assert_int_equal(numbers.columns, 4);
    assert_int_equal(numbers.counted, 2); /* not what has bins, nor two categories */
    refine_counts counts = counted(s->data, &numbers);
    const cell_counts *amount = counts_of(&counts, 0), *job = counts_of(&counts, 1);
    assert_true(amount && job && counts.count == 2);
    assert_int_equal(job->cells, JOBS);
    for (size_t c = 0; c < JOBS; c++) {
      int64_t want = 0;
      for (size_t i = 0; i < PEOPLE; i++) {
        want += s->p.job[i] == (int32_t)c;
      }
      assert_int_equal(job->counts[c], want);
    }
    for (size_t c = 0; c < amount->cells; c++) {
      double low = c ? amount->edges[c - 1] : -1,
             high = c + 1 < amount->cells ? amount->edges[c] : 2e6;
      int64_t want = 0;
      for (size_t i = 0; i < PEOPLE; i++) {
        want += s->p.amount[i] >= low && s->p.amount[i] < high;
      }
      assert_int_equal(amount->counts[c], want);
      assert_true(low < high);
    }
    assert_true(rows == 3000 ? amount->cells < 40 : amount->cells > 256);
    refine_counts_clear(&counts);
  }
}

WIDE_TEST(values_that_are_missing_unknown_or_beyond_the_range_are_counted_as_they_are) {
  static const char *const jobs[] = {"a", "cook", "?"}, *const sides[] = {"0", "1"};
  const double amount[] = {-5, 2e6, (double)NAN}, age[] = {1, 2, 3};
  const int32_t codes[] = {0, 1, 2}, zero[] = {0, 0, 0};
  const dperm_column columns[] = {{.numbers = amount},
                                  {.codes = codes, .texts = jobs, .text_count = 3},
                                  {.codes = zero, .texts = jobs, .text_count = 3},
                                  {.numbers = age}};
  const dperm_column labels = {.codes = zero, .texts = sides, .text_count = 2};
  auto_data *data = NULL;
  refine_numbers numbers = refine_numbers_of(s->wide, false, 3, 1);
  numbers.scale = 1;
  assert_ok(dperm_data_from_table(s->wide, 3, columns, &labels, &data, err));
  refine_counts counts = counted(data, &numbers);
  const cell_counts *a = counts_of(&counts, 0), *j = counts_of(&counts, 1);
  int64_t sums[2] = {0, 0};
  for (size_t c = 0; c < a->cells; c++) {
    sums[0] += a->counts[c];
  }
  for (size_t c = 0; c < j->cells; c++) {
    sums[1] += j->counts[c];
  }
  assert_true(a->counts[0] == 1 && a->counts[a->cells - 1] == 1 && sums[0] == 2);
  assert_true(j->counts[0] == 1 && sums[1] == 1);
  refine_counts_clear(&counts);
}

WIDE_TEST(a_row_that_would_count_twice_is_refused) {
  growing_rows rows = {0};
  dperm_data *data = NULL;
  refine_counts counts = {0};
  record_tally tally = {0};
  refine_numbers numbers = refine_numbers_of(s->wide, false, 1, 1);
  dperm_schema *cells = cells_of(s->wide);
  const schema_column *job = &cells->columns[1];
  numbers.scale = 1;
  assert_ok(rows_reserve(&rows, 2, err));
  rows_push(&rows, job->first, 0.5);
  rows_push(&rows, job->first + 3, 0.5);
  rows_end(&rows, 1);
  assert_ok(data_of_rows(&rows, cells->dims, cells, &data, err));
  assert_ok(refine_counts_new(s->wide, cells, &numbers, &counts, err));
  assert_fails(record_tally_of(data, NULL, 0, NULL, &tally, err), DPERM_NUMERIC_ERROR,
               "counts twice");
  record_tally_clear(&tally);
  refine_counts_clear(&counts);
  dperm_data_free(data);
  dperm_schema_free(cells);
  rows_clear(&rows);
}

WIDE_TEST(ranges_of_all_sizes_have_cells) {
  static const double ranges[][2] = {
      {0, 1},       {-1e308, 1e308},   {0, 5e-324}, {1, 1 + 0x1p-52},     {-3, 1e6},
      {1900, 2030}, {-1e-300, 1e-300}, {-5000, 0},  {0x1p53, 0x1p53 + 64}};
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
    schema_column column = {.min = ranges[i][0], .max = ranges[i][1]};
    cell_cut *cuts = NULL;
    size_t count = 0;
    char text[400];
    auto_schema *schema = NULL;
    assert_ok(refine_cell_cuts(&column, &cuts, &count, err));
    for (size_t c = 0; c < count; c++) {
      assert_true(cuts[c].at > (c ? cuts[c - 1].at : column.min) && cuts[c].at < column.max);
    }
    free(cuts);
    (void)snprintf(text, sizeof text,
                   "{\"label\": {\"column\": \"y\", \"classes\": [\"0\", \"1\"]}, \"columns\": "
                   "[{\"name\": \"x\", \"type\": \"numeric\", \"min\": %.17g, \"max\": %.17g}]}",
                   column.min, column.max);
    if (dperm_schema_parse(text, strlen(text), "schema", &schema, NULL) == DPERM_OK) {
      auto_schema *cells = cells_of(schema);
      assert_int_equal(cells->dims, count + 1);
    }
  }
}

/* ---- the schema */

static json_t *column_of(const dperm_schema *schema, size_t column) {
  return json_array_get(json_object_get(schema->json, "columns"), column);
}

WIDE_TEST(bins_follow_the_records_and_rare_categories_are_merged) {
  auto_random *random = NULL;
  dperm_refine_options o = refine_options_of(1.5); /* next to no noise */
  assert_ok(dperm_random_seeded(1, &random, err));
  o.random = random;
  o.fit_epsilon = 0.2;
  auto_schema *made = people_refined(s, o);
  const schema_column *amount = &made->columns[0], *job = &made->columns[1];
  assert_true(amount->binned && amount->cut_count >= 1);
  assert_true(amount->cuts[0] > 0 && amount->cuts[0] <= 400); /* the atom at zero */
  assert_int_equal(job->categories.count, 4);
  assert_string_equal(job->categories.names[3], "other");
  assert_int_equal(
      json_array_size(json_object_get(json_object_get(column_of(made, 1), "groups"), "other")), 6);
  assert_true(json_equal(column_of(made, 2), column_of(s->wide, 2)));
  assert_true(json_equal(column_of(made, 3), column_of(s->wide, 3)));
  assert_true(made->refined.epsilon == 1.5);
  assert_true(s->wide->refined.epsilon == 0);
}

WIDE_TEST(what_cannot_pay_stays_as_it_is_and_costs_nothing) {
  auto_ledger *ledger = opened(s->home);
  dperm_charge charge = {.entry = 7};
  dperm_refine_options o = refine_options_of(0.04); /* of 0.54: n ε = 1944 */
  o.account = (dperm_account){.ledger = ledger, .dataset = "people", .charge = &charge};
  auto_schema *made = people_refined(s, o);
  assert_true(made == s->wide && charge.entry == 0);
  assert_string_equal(charge.epsilon, "0");
  dperm_schema_free(made);
  o.fit_epsilon = 0.7; /* the fit has enough for it: 3600 · 0.74 */
  made = people_refined(s, o);
  assert_true(made->refined.epsilon == 0.04 && charge.entry == 2);
  assert_string_equal(charge.epsilon, "0.04");
}
