/* The one place where a claim is composed: shares of epsilon that never add up to more, deltas that
 * are never below the formulas of privacy.md 8 and hardly above, and refusals. */
#include <gmp.h>
#include <math.h>

#include "privacy/guarantee.h"
#include "random/discrete_sampling.h"
#include "support.h"

static guarantee composed(double epsilon, size_t rows, size_t classes, rounds_kind rounds,
                          double mean) {
  const private_run run = {.epsilon = epsilon,
                           .rows_per_person = rows,
                           .classes = classes,
                           .rounds = rounds,
                           .rounds_mean = mean};
  return guarantee_of_run(&run);
}

/* part + count·share ≤ total in rational arithmetic. */
static void assert_sum_covers(double total, double part, unsigned long count, double share) {
  mpq_t sum, term;
  mpq_inits(sum, term, (mpq_ptr)NULL);
  mpq_set_d(sum, share);
  mpq_set_ui(term, count, 1);
  mpq_mul(sum, sum, term);
  mpq_set_d(term, part);
  mpq_add(sum, sum, term);
  mpq_set_d(term, total);
  assert_true(mpq_cmp(sum, term) <= 0);
  mpq_clears(sum, term, (mpq_ptr)NULL);
}

static void assert_covers(double total, unsigned long count, double share) {
  assert_sum_covers(total, 0, count, share);
}

TEST(shares_of_epsilon_never_add_up_to_more) {
  random_source r = seeded(3);
  for (int i = 0; i < 20000; i++) {
    double epsilon = exp(-18 + 22 * random_unit(&r));
    size_t rows = 1 + (size_t)random_below(&r, i % 2 ? 5 : 100000);
    size_t classes = 2 + (size_t)random_below(&r, 30);
    rounds_kind rounds = (rounds_kind)(i % 3);
    if (i % 4 == 0) { /* just below what has 20 bits after the division */
      epsilon = nextafter(6.0 * ratio_value(ratio_below(epsilon)), 0);
    }
    guarantee g = composed(epsilon, rows, classes, rounds, 2);
    unsigned long of_rounds = rounds == ROUNDS_NONE ? 1 : rounds == ROUNDS_BY_GEOMETRIC ? 3 : 2;
    assert_covers(g.epsilon, rows, g.epsilon_row);
    assert_covers(g.epsilon_row, of_rounds, g.epsilon_fit);
    assert_covers(g.epsilon_fit, classes > 2 ? classes : 1, g.epsilon_class);
    double least = epsilon / (double)rows / (double)of_rounds / (classes > 2 ? (double)classes : 1);
    assert_true(g.epsilon == epsilon && g.epsilon_class >= least * (1 - 1e-5));
  }
}

TEST(a_refinement_and_the_fit_never_add_up_to_more) {
  random_source r = seeded(4);
  for (int i = 0; i < 20000; i++) {
    double epsilon = exp(-9 + 11 * random_unit(&r)), part = epsilon * random_unit(&r);
    size_t rows = 1 + (size_t)random_below(&r, i % 2 ? 1 : 1000);
    if (i % 3 == 0) { /* as people write it */
      epsilon = rint(epsilon * 1000 + 2) / 1000;
      part = rint(epsilon * 500) / 1000;
    }
    private_run run = {.epsilon = epsilon, .rows_per_person = rows, .classes = 2, .shares = {part}};
    guarantee g = guarantee_of_run(&run);
    assert_true(g.epsilon == epsilon && g.epsilon_charged == epsilon &&
                g.shares[SHARE_SCHEMA] == part);
    assert_sum_covers(epsilon, part, rows, g.epsilon_row);
    assert_true(g.epsilon_row * (double)rows >= (epsilon - part) - 1e-14 * epsilon);
    run.schema_before = true;
    g = guarantee_of_run(&run);
    assert_true(g.epsilon_charged == epsilon &&
                fabs(g.epsilon - epsilon - part) <= 1e-15 * g.epsilon);
    assert_sum_covers(g.epsilon, part, rows, g.epsilon_row);
    assert_covers(epsilon, rows, g.epsilon_row); /* no more than was asked for, and charged */
    assert_true(g.epsilon_row * (double)rows >= epsilon * (1 - 1e-12) - 1e-14 * g.epsilon);
  }
  const private_run tenths = {
      .epsilon = 0.2, .rows_per_person = 1, .classes = 2, .shares = {0.1}, .schema_before = true};
  assert_true(guarantee_of_run(&tenths).epsilon == 0.3);
  const private_run most = {
      .epsilon = 0.92, .rows_per_person = 1, .classes = 2, .shares = {0.08}, .schema_before = true};
  assert_true(guarantee_of_run(&most).epsilon == 1);
}

TEST(histograms_share_epsilon_for_two_counts_each) {
  for (size_t columns = 1; columns < 300; columns++) {
    for (size_t rows = 1; rows < 6; rows += 4) {
      guarantee g = guarantee_of_histograms(0.08, rows, columns, DPERM_NEIGHBOURS_REPLACE);
      /* an added record is in one cell of each column, a replaced one leaves another too */
      const guarantee added =
          guarantee_of_histograms(0.08, rows, columns, DPERM_NEIGHBOURS_ADD_REMOVE);
      assert_true((double)columns * added.epsilon_class <= added.epsilon_row &&
                  added.epsilon_class > 1.999 * g.epsilon_class);
      assert_true(g.delta == 0 && g.epsilon == 0.08 && g.epsilon_charged == 0.08);
      assert_covers(g.epsilon, rows, g.epsilon_row);
      assert_covers(g.epsilon_row, 2 * columns, g.epsilon_class);
      assert_true(g.epsilon_class >= 0.08 / (double)(2 * columns * rows) * (1 - 1e-12));
    }
  }
}

/* The formulas again in long doubles, sums as sums. */
static long double delta_by_hand(long double row, size_t rows, size_t classes, long double fits) {
  long double delta = fits * (classes > 2 ? classes : 1) * (1 + expl(row)) * expl(-100);
  long double steps = 0;
  for (size_t i = 0; i < rows; i++) {
    steps += expl((long double)i * row);
  }
  return delta * steps;
}

TEST(delta_covers_classes_rounds_and_persons) {
  static const double epsilons[] = {1e-3, 0.1, 1, 5, 20, 60};
  static const size_t people[] = {1, 2, 7, 40};
  for (size_t e = 0; e < 6; e++) {
    for (size_t p = 0; p < 4; p++) {
      for (size_t classes = 2; classes <= 12; classes += 5) {
        for (int rounds = 0; rounds < 3; rounds++) {
          double mean = rounds == ROUNDS_NONE ? 99 : 4.5; /* not used without rounds */
          guarantee g = composed(epsilons[e], people[p], classes, (rounds_kind)rounds, mean);
          long double needed =
              delta_by_hand(g.epsilon_row, people[p], classes, rounds == ROUNDS_NONE ? 1 : 4.5L);
          assert_true(g.delta >= needed && g.delta <= needed * 1.00000001L);
          assert_true(g.reasons == 0 && g.rows_per_person == people[p]);
        }
      }
    }
  }
}

/* What noise and numerics cost together is at most the delta that was given, and nearly all of it:
 * gaussian.md 6, by hand. */
TEST(a_given_delta_is_divided_and_never_passed) {
  static const size_t people[] = {1, 2, 7}, kinds[] = {2, 3, 26};
  for (size_t p = 0; p < 3; p++) {
    for (size_t c = 0; c < 3; c++) {
      for (int rounds = ROUNDS_NONE; rounds <= ROUNDS_BY_GEOMETRIC; rounds++) {
        const private_run run = {.epsilon = 2,
                                 .delta = 1e-6,
                                 .rows_per_person = people[p],
                                 .classes = kinds[c],
                                 .rounds = (rounds_kind)rounds,
                                 .rounds_mean = 4.5};
        const guarantee g = guarantee_of_run(&run);
        long double fits = (rounds == ROUNDS_NONE ? 1 : 4.5L) * (kinds[c] > 2 ? kinds[c] : 1);
        long double group = 0;
        for (size_t k = 0; k < people[p]; k++) {
          group += expl((long double)k * g.epsilon_row);
        }
        long double all = g.delta_numerics + fits * group * g.delta_class;
        assert_true(all <= 1e-6L && all >= 1e-6L * (1 - 1e-7L));
        assert_true(guarantee_spending(g, true).delta == 1e-6);
        assert_true(guarantee_spending(g, false).delta == g.delta_numerics);
        assert_true(g.delta == g.delta_numerics && g.delta_numerics < 1e-30);
      }
    }
  }
  const private_run none = {.epsilon = 2, .rows_per_person = 1, .classes = 2};
  assert_true(guarantee_of_run(&none).delta_class == 0);
  const private_run little = {.epsilon = 29, .delta = 1e-31, .rows_per_person = 1, .classes = 2};
  const guarantee g = guarantee_of_run(&little);
  assert_fails(guarantee_check(&g, err), DPERM_INVALID_ARGUMENT, "no more than the");
}

TEST(a_delta_that_counts_is_refused) {
  static const struct {
    double epsilon;
    size_t rows, classes;
  } much[] = {{100, 1, 2}, {290, 1, 3}, {500, 10, 2}, {31, 1, 2}, {5000, 1, 2}};
  for (size_t i = 0; i < sizeof much / sizeof *much; i++) {
    guarantee g = composed(much[i].epsilon, much[i].rows, much[i].classes, ROUNDS_NONE, 1);
    assert_fails(guarantee_check(&g, err), DPERM_INVALID_ARGUMENT, "above 1e-30");
  }
  guarantee g = composed(30.9, 1, 2, ROUNDS_NONE, 1);
  assert_ok(guarantee_check(&g, err));
  g = composed(30.9, 1, 3, ROUNDS_NONE, 1);
  assert_fails(guarantee_check(&g, err), DPERM_INVALID_ARGUMENT, "at most 29.8");
  g = composed(29.8, 1, 3, ROUNDS_NONE, 1);
  assert_ok(guarantee_check(&g, err));
  g = guarantee_of_nothing(); /* nothing is claimed, so nothing is too much */
  assert_ok(guarantee_check(&g, err));
  g = guarantee_of_counts(1e5, 1, false, DPERM_NEIGHBOURS_REPLACE); /* integers only */
  assert_true(g.delta == 0);
  assert_ok(guarantee_check(&g, err));
}

TEST(every_reason_takes_the_stamp_and_has_words) {
  char text[REASONS_TEXT_SIZE];
  guarantee g = composed(1, 1, 2, ROUNDS_NONE, 1);
  guarantee_reasons(&g, text);
  assert_true(guarantee_is_private(&g) && text[0] == '\0');
  unsigned all = 0;
  for (unsigned bit = 0; bit < 31; bit++) {
    guarantee one = guarantee_with(g, 1u << bit);
    guarantee_reasons(&one, text);
    assert_false(guarantee_is_private(&one));
    all |= text[0] ? 1u << bit : 0;
  }
  assert_int_equal(all, 0x1007fbf); /* fifteen of them; bit 6 was a reason once */
  g.reasons = all;
  guarantee_reasons(&g, text);
  size_t joints = 0;
  for (const char *at = text; (at = strstr(at, "; ")) != NULL; at++) {
    joints++;
  }
  assert_int_equal(joints, 14); /* nothing was cut off */
  assert_non_null(strstr(text, "records as a whole"));
  g = guarantee_of_nothing();
  assert_false(guarantee_is_private(&g));
}
