/* See score_population.h. */
#include "score_population.h"

#include <math.h>

const population_kind kinds[KINDS] = {
    {"useful", -0.5, 1.5, 1, 0},     /* calibrated, AUC .82 */
    {"rare", -3, 1.2, 1, 0},         /* one positive in fourteen */
    {"shrunk", -0.6, 0.12, 8, 4.2},  /* right in order, far from calibrated */
    {"useless", -1.4, 0.5, 0, -1.4}, /* a coin's worth */
};

static double logistic(double z) {
  return 1 / (1 + exp(-z));
}

void population_make(const population_kind *kind, population *p) {
  double sum = 0, positives = 0, negatives = 0, wins = 0, wrong = 0, loss = 0, named = 0, hits = 0;
  double share[GRID];
  for (size_t i = 0; i < GRID; i++) {
    const double z = 8 * ((double)i / (GRID - 1) - 0.5);
    p->score[i] = kind->centre + kind->spread * z;
    p->second[i] = logistic(kind->truth_slope * p->score[i] + kind->truth_shift);
    share[i] = exp(-z * z / 2);
    sum += share[i];
  }
  for (size_t i = 0; i < GRID; i++) {
    const double q = share[i] / sum, yes = q * p->second[i], no = q - yes, s = p->score[i];
    p->upto[i] = (i > 0 ? p->upto[i - 1] : 0) + q;
    wins += yes * (negatives + no / 2);
    positives += yes;
    negatives += no;
    wrong += s > 0 ? no : yes;
    named += s > 0 ? q : 0;
    hits += s > 0 ? yes : 0;
    loss += yes * log1p(exp(-s)) + no * log1p(exp(s));
  }
  p->error = wrong;
  p->baseline = fmin(positives, negatives);
  p->difference = wrong - p->baseline;
  p->auc = wins / (positives * negatives);
  p->log_loss = loss;
  p->recall = hits / positives;
  p->precision = named > 0 ? hits / named : NAN;
}

void population_shares(const population *p, double low, double high, double out[2]) {
  out[0] = out[1] = 0;
  for (size_t i = 0; i < GRID; i++) {
    const double share = p->upto[i] - (i > 0 ? p->upto[i - 1] : 0);
    if (p->score[i] > low && p->score[i] <= high) {
      out[0] += share * (1 - p->second[i]);
      out[1] += share * p->second[i];
    }
  }
}

double uniform(random_source *source) {
  return ldexp((double)(random_bits(source) >> 11), -53);
}

size_t place_of(const double *upto, size_t count, double u) {
  size_t low = 0, high = count - 1;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (upto[middle] < u) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

double population_draw(const population *p, random_source *source, bool *second) {
  const size_t at = place_of(p->upto, GRID, uniform(source));
  *second = uniform(source) < p->second[at];
  return p->score[at];
}
