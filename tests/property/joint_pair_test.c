/* The audit's pairs of jointly learned classes without fits: at random weights, and at the best
 * that a search finds from there, the log-ratio of the densities never passes the claim, and comes
 * close to it; minimizers of output perturbation are as far apart as is said, and no further. */
#include <math.h>

#include "audit/worst_pair.h"
#include "mechanism/epsilon_rule.h"
#include "statistics.h"

static const double epsilons[] = {0.3, 1, 3};

/* Of either data set over the other, by `sign`: climbs by random steps, which shrink. */
static double highest_ratio(const joint_pair *pair, random_source *r, double sign, double start) {
  double best = -INFINITY, at[JOINT_WEIGHTS], tried[JOINT_WEIGHTS];
  for (size_t i = 0; i < JOINT_WEIGHTS; i++) {
    at[i] = start * random_normal(r);
  }
  for (int step = 0; step < 600; step++) {
    double size = start * pow(0.99, step);
    for (size_t i = 0; i < JOINT_WEIGHTS; i++) {
      tried[i] = at[i] + (step ? size * random_normal(r) : 0);
    }
    double ratio = sign * joint_log_ratio(pair, tried);
    if (ratio > best) {
      best = ratio;
      for (size_t i = 0; i < JOINT_WEIGHTS; i++) {
        at[i] = tried[i];
      }
    }
  }
  return best;
}

/* `least` of ε is reached. */
static void check_pure(int kind, double least) {
  random_source r = seeded(5);
  for (size_t e = 0; e < sizeof epsilons / sizeof *epsilons; e++) {
    joint_pair pair = joint_pair_make(kind, epsilons[e], 0);
    assert_true(pair.beta > 0 && pair.lambda > 0 && pair.delta == 0);
    double best = 0;
    for (int start = 0; start < 60; start++) {
      double ratio = highest_ratio(&pair, &r, start % 2 ? 1 : -1, pow(10, 4 * random_unit(&r) - 1));
      assert_true(ratio <= epsilons[e] * (1 + 1e-9));
      best = fmax(best, ratio);
    }
    print_message("# kind %d, epsilon %g: %.3f of it\n", kind, epsilons[e], best / epsilons[e]);
    assert_true(best >= least * epsilons[e]);
  }
}

TEST(no_weights_tell_more_than_the_claim) {
  check_pure(JOINT_OBJECTIVE, 0.84);
  check_pure(JOINT_OBJECTIVE + PAIR_ADD, 0.92);
  check_pure(JOINT_JACOBIAN, 0.95);
  check_pure(JOINT_JACOBIAN + PAIR_ADD, 0.8);
  check_pure(JOINT_OUTPUT, 0.83);
  check_pure(JOINT_OUTPUT + PAIR_ADD, 0.83);
}

/* With the noise of a claim that forgets the determinants the ratio would pass ε by a half. */
TEST(jacobian_pairs_need_their_slack) {
  random_source r = seeded(6);
  for (int added = 0; added < 2; added++) {
    joint_pair pair = joint_pair_make(JOINT_JACOBIAN + (added ? PAIR_ADD : 0), 1, 0);
    assert_true(pair.bare_beta > 1.5 * pair.beta);
    pair.beta = pair.bare_beta;
    double best = 0, score = 0;
    for (int start = 0; start < 60; start++) {
      best = fmax(best, highest_ratio(&pair, &r, 1, pow(10, 2 * random_unit(&r) - 1)));
    }
    score = joint_score(&pair, pair.minimizer[0]);
    assert_close(score, joint_log_ratio(&pair, pair.minimizer[0]), 1e-12);
    print_message("# neighbours %d: %.3f without slack\n", added, best);
    assert_true(best > 1.5);
  }
}

TEST(minimizers_are_nearly_as_far_apart_as_can_be) {
  static const int kinds[] = {0, PAIR_ADD, PAIR_GAUSSIAN, PAIR_ADD + PAIR_GAUSSIAN};
  for (size_t i = 0; i < 4; i++) {
    joint_pair pair = joint_pair_make(JOINT_OUTPUT + kinds[i], 1, 0);
    double most = neighbours_gradients(pair.neighbours) * sqrt(2) / pair.lambda;
    double share = pair_distance(pair.minimizer[0], pair.minimizer[1], JOINT_WEIGHTS) / most;
    assert_true(share > 0.83 && share < 1);
    assert_true((pair.delta > 0) == (kinds[i] >= PAIR_GAUSSIAN));
    assert_true((pair.record[1].count == 0) == ((kinds[i] & PAIR_ADD) != 0));
  }
}
