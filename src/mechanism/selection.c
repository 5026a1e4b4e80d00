/* docs/privacy.md 7 has the proofs. */
#include "mechanism/selection.h"

#include <math.h>

#include "base/defect.h"
#include "base/functions.h"

static uint64_t smallest(const uint64_t *errors, size_t count) {
  uint64_t least = errors[0];
  for (size_t i = 1; i < count; i++) {
    least = errors[i] < least ? errors[i] : least;
  }
  return least;
}

/* ε/2 for each error, since one record may move all counts at once, some up and some down. */
static uint64_t divisor(void) {
  return DEFECT("selector-whole") ? 1 : 2;
}

/* A uniform proposal kept with probability exp(−ε(z − z_min)/2), until one is kept: exactly the
 * exponential mechanism's law, without computing a single exponential. */
size_t select_exponential(random_source *source, const uint64_t *costs, size_t count, ratio epsilon,
                          uint64_t sensitivity) {
  uint64_t least = smallest(costs, count);
  for (;;) {
    size_t i = (size_t)random_below(source, count);
    if (random_bernoulli_exp(source, epsilon, costs[i] - least, divisor() * sensitivity)) {
      return i;
    }
  }
}

size_t select_permute_and_flip(random_source *source, const uint64_t *costs, size_t count,
                               ratio epsilon, uint64_t sensitivity, size_t *order) {
  uint64_t least = smallest(costs, count);
  random_order(source, count, order);
  for (size_t i = 0; i < count; i++) {
    if (random_bernoulli_exp(source, epsilon, costs[order[i]] - least, divisor() * sensitivity)) {
      return order[i];
    }
  }
  return order[count - 1]; /* not reached: the best candidate is accepted with probability 1 */
}

/* Replaced, a record moves under·c by `under` and over·n not at all; one more moves the difference
 * by `over`, or by the rest of `under` if it counts. */
size_t select_crossing(random_source *source, const uint64_t *counts, size_t count, size_t rows,
                       share_of_all share, dperm_neighbours neighbours, double epsilon) {
  uint64_t costs[CROSSINGS_MOST + 1];
  size_t order[CROSSINGS_MOST + 1];
  const int64_t all = (int64_t)(share.over * (uint64_t)rows);
  for (size_t i = 0; i <= count; i++) {
    const int64_t above = i > 0 ? (int64_t)(share.under * counts[i - 1]) - all : 0,
                  below = i < count ? all - (int64_t)(share.under * counts[i]) : 0,
                  cost = above > below ? above : below;
    costs[i] = cost > 0 ? (uint64_t)cost : 0;
  }
  const unsigned rest = share.under - share.over, more = rest > share.over ? rest : share.over,
                 moved = neighbours == DPERM_NEIGHBOURS_ADD_REMOVE ? more : share.under;
  return select_permute_and_flip(source, costs, count + 1, ratio_below(epsilon),
                                 moved / (DEFECT("crossing-half") ? 2 : 1), order);
}

double selection_bound(size_t candidates, double epsilon, double delta) {
  return candidates < 2 ? 0.0
                        : 2.0 / epsilon * fmax(0.0, math_log((double)(candidates - 1) / delta));
}

uint64_t rounds_geometric(random_source *source, ratio mean) {
  uint64_t rounds = 1;
  while (!random_bernoulli(source, mean.under, mean.over)) {
    rounds++;
  }
  return rounds;
}

/* A geometric proposal with success 1 − p on 1, 2, …, kept with probability 1/k: ∝ p^(k−1)/k. The
 * 1/k is taken as 1/2 · 2/3 ⋯ (k−1)/k on the way, so that most proposals end early. */
uint64_t rounds_logarithmic(random_source *source, ratio p) {
  for (;;) {
    uint64_t k = 1;
    bool kept = true;
    while (kept && random_bernoulli(source, p.over, p.under)) {
      k++;
      kept = random_below(source, k) != 0;
    }
    if (kept) {
      return k;
    }
  }
}

/* The mean of the law ∝ p^k/k is −p/((1−p) ln(1−p)), increasing in p. */
double logarithmic_parameter(double mean) {
  double low = 0, high = 1;
  for (int i = 0; i < 200; i++) {
    double p = 0.5 * (low + high);
    *(-p / ((1 - p) * math_log1p(-p)) < mean ? &low : &high) = p;
  }
  return low;
}

rounds_law rounds_law_near(rounds_kind kind, double mean) {
  const double up = 1 + 1e-9;
  rounds_law law = {.kind = kind};
  if (kind == ROUNDS_BY_GEOMETRIC) {
    law.parameter = ratio_below(mean);
    law.mean = ratio_value(law.parameter); /* exact: it has 20 bits */
  } else if (kind == ROUNDS_BY_LOGARITHMIC) {
    /* γ is rounded, not 1 − γ, which is close to 1 for a large mean. */
    ratio gamma = ratio_below(1.0 - logarithmic_parameter(mean));
    double g = ratio_value(gamma);
    law.parameter = (ratio){gamma.under - gamma.over, gamma.under};
    law.mean = g < 1 ? (1 - g) / (g * -math_log1p(g - 1)) * up : 1;
  }
  return law;
}

uint64_t rounds_draw(random_source *source, const rounds_law *law) {
  return law->kind == ROUNDS_BY_GEOMETRIC ? rounds_geometric(source, law->parameter)
                                          : rounds_logarithmic(source, law->parameter);
}
