/* The rule of a refinement, on exact counts: whatever they are, its cuts and groups make sense. */
#include <math.h>

#include "refine/refine_rule.h"
#include "support.h"

enum { CELLS = 64 };

static refine_numbers numbers_of(size_t rows, double scale) {
  return (refine_numbers){.rows = rows, .epsilon = 1, .columns = 10, .counted = 10, .scale = scale};
}

static size_t cuts_of(const refine_numbers *p, const int64_t *counts, size_t cells, bool *cut) {
  size_t count = 0;
  memset(cut, 0, cells * sizeof *cut);
  refine_rule_cuts(p, counts, cells, cut);
  assert_false(cut[cells - 1]); /* behind the last one there is nothing to cut off */
  for (size_t i = 0; i < cells; i++) {
    count += cut[i];
  }
  return count;
}

TEST(bins_have_about_the_same_mass) {
  int64_t counts[CELLS];
  bool cut[CELLS];
  const refine_numbers p = numbers_of(64000, 1); /* x = 6400: 32 bins of 2000, two cells each */
  for (size_t i = 0; i < CELLS; i++) {
    counts[i] = 1000;
  }
  size_t count = cuts_of(&p, counts, CELLS, cut);
  assert_int_equal(count, 31);
  for (size_t i = 0; i < CELLS; i++) {
    counts[i] = i < 2 ? 32000 : 0; /* all of it in the first cells, atoms */
  }
  assert_int_equal(cuts_of(&p, counts, CELLS, cut), 1);
  assert_true(cut[0]);
}

TEST(atoms_are_bins_of_their_own) {
  int64_t counts[CELLS];
  bool cut[CELLS];
  const refine_numbers p = numbers_of(64000, 1);
  for (size_t i = 0; i < CELLS; i++) {
    counts[i] = 300;
  }
  counts[20] = 40000;
  (void)cuts_of(&p, counts, CELLS, cut);
  assert_true(cut[19] && cut[20]);
  counts[0] = 40000;
  (void)cuts_of(&p, counts, CELLS, cut);
  assert_true(cut[0]);
}

TEST(bins_that_were_there_stay_unless_they_are_empty) {
  int64_t counts[CELLS] = {0};
  bool cut[CELLS] = {false};
  const refine_numbers p = numbers_of(64000, 1);
  for (size_t i = 0; i < CELLS; i++) {
    counts[i] = i < 32 ? 50 : 0;
    cut[i] = i % 8 == 7 && i + 1 < CELLS;
  }
  refine_rule_cuts(&p, counts, CELLS, cut);
  for (size_t i = 0; i < CELLS; i++) { /* 400 each are more than 250; the last four hold nothing */
    assert_int_equal(cut[i], i == 7 || i == 15 || i == 23);
  }
}

TEST(noise_alone_makes_no_bins) {
  int64_t counts[CELLS] = {0};
  bool cut[CELLS];
  const refine_numbers p = numbers_of(64000, 500);
  assert_int_equal(cuts_of(&p, counts, CELLS, cut), 0);
  for (size_t i = 0; i < CELLS; i++) {
    counts[i] = i % 2 ? 400 : -400;
  }
  assert_int_equal(cuts_of(&p, counts, CELLS, cut), 0);
  assert_int_equal(cuts_of(&p, counts, 1, cut), 0);
}

TEST(anything_is_survived) {
  random_source r;
  assert_ok(random_seeded(12, &r, err));
  for (int t = 0; t < 3000; t++) {
    int64_t counts[CELLS];
    bool cut[CELLS] = {false}, merged[CELLS];
    size_t cells = 1 + (size_t)(random_bits(&r) % CELLS), count = 0;
    const refine_numbers p =
        numbers_of(1 + (size_t)(random_bits(&r) % 1000000), 1 + 999 * random_unit(&r));
    for (size_t i = 0; i < cells; i++) {
      double size = exp(20 * random_unit(&r));
      counts[i] = random_bits(&r) % 3 == 0 ? 0 : (int64_t)(random_bits(&r) % 2 ? size : -size);
    }
    for (size_t i = 0; i + 1 < cells; i++) {
      cut[i] = random_bits(&r) % 4 == 0;
    }
    refine_rule_cuts(&p, counts, cells, cut);
    assert_false(cut[cells - 1]);
    refine_rule_merge(&p, counts, cells, merged);
    for (size_t i = 0; i < cells; i++) {
      count += merged[i];
    }
    assert_true(count != 1 && count < cells);
    size_t grid = refine_rule_cells(&p);
    assert_true(grid >= REFINE_CELLS_LEAST && grid <= REFINE_CELLS_MOST &&
                (grid & (grid - 1)) == 0);
  }
}

TEST(rare_categories_are_merged) {
  const refine_numbers p = numbers_of(64000, 10); /* a bin is 2000, an eighth of it 250 */
  const int64_t counts[] = {30000, 200, 251, 3, -7, 33546};
  bool merged[6];
  refine_rule_merge(&p, counts, 6, merged);
  const bool want[6] = {false, true, false, true, true, false};
  assert_memory_equal(merged, want, sizeof want);
  const int64_t one[] = {30000, 200, 251, 33546};
  refine_rule_merge(&p, one, 4, merged);
  assert_false(merged[0] || merged[1] || merged[2] || merged[3]); /* a group of one is no group */
}

TEST(few_rows_are_left_alone) {
  refine_numbers p = numbers_of(1999, 1);
  assert_true(refine_rule_share(&p) == 0);
  p.rows = 2000;
  assert_true(refine_rule_share(&p) > 0 && refine_rule_share(&p) < 1);
  assert_close(refine_rule_whole(refine_rule_share(&p)), 1, 1e-12);
  p.counted = 11;
  assert_true(refine_rule_share(&p) == 0);
  p.counted = 0;
  assert_true(refine_rule_share(&p) == 0);
}
