/* Evaluations of regressions on samples of known populations: intervals hold the population's
 * figures as often as they say. Seeds are fixed, so nothing here fails now and then. */
#include <math.h>
#include <stdlib.h>

#include "evaluate/evaluation.h"
#include "evaluate/regression.h"
#include "support.h"

enum { FIGURES = 5, ROWS = 5000, TRUTH_ROWS = 1 << 20 };
static const char *const figure_names[FIGURES] = {"rmse", "mae", "r2", "pinball", "at or below"};

/* A value and its label, in halves of the range. */
typedef void drawn(random_source *r, double *value, double *label);

static double laplace(random_source *r) {
  const double u = random_unit(r) - 0.5;
  return (u < 0 ? 1 : -1) * log1p(-2 * fabs(u));
}

static double clamped(double x) {
  return fmin(fmax(x, -1), 1);
}

static void usual(random_source *r, double *value, double *label) {
  const double x = 2 * random_unit(r) - 1;
  *value = 0.6 * x;
  *label = clamped(0.6 * x + 0.1 * random_normal(r));
}

/* In a small part of the range, away from its middle, with longer tails. */
static void narrow(random_source *r, double *value, double *label) {
  const double x = random_normal(r);
  *value = clamped(-0.7 + 0.02 * x);
  *label = clamped(-0.7 + 0.02 * x + 0.015 * laplace(r));
}

/* Values that say next to nothing, and more of the large labels. */
static void useless(random_source *r, double *value, double *label) {
  const double u = random_unit(r);
  *value = 0.05 * random_normal(r);
  *label = 1 - 1.2 * u * u;
}

/* The quantile of nine tenths, where spreads differ. */
static void uneven(random_source *r, double *value, double *label) {
  const double x = random_unit(r), spread = 0.02 + 0.2 * x;
  *value = 0.5 * x + 1.2815515655446004 * spread - 0.3;
  *label = clamped(0.5 * x + spread * random_normal(r) - 0.3);
}

static const struct {
  const char *name;
  drawn *draw;
  double quantile;
} kinds[] = {{"usual", usual, (double)NAN},
             {"narrow", narrow, (double)NAN},
             {"useless", useless, (double)NAN},
             {"uneven", uneven, 0.9}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const label_range range = {100, 300};

static void truth_of(size_t kind, random_source *r, double truth[FIGURES]) {
  const double tau = isnan(kinds[kind].quantile) ? 0.5 : kinds[kind].quantile;
  double square = 0, size = 0, loss = 0, below = 0, sum = 0, squares = 0;
  for (size_t i = 0; i < TRUTH_ROWS; i++) {
    double value, label;
    kinds[kind].draw(r, &value, &label);
    const double d = value - label;
    square += d * d;
    size += fabs(d);
    loss += d > 0 ? (1 - tau) * d : -tau * d;
    below += label <= value;
    sum += label;
    squares += label * label;
  }
  const double n = TRUTH_ROWS, half = label_range_half(range);
  truth[0] = half * sqrt(square / n);
  truth[1] = half * size / n;
  truth[2] = 1 - square / (squares - sum * sum / n);
  truth[3] = half * loss / n;
  truth[4] = below / n;
}

static void evaluate_once(size_t kind, const evaluation_terms *terms, random_source *r,
                          number_figures *out) {
  static double x[ROWS], values[ROWS], labels[ROWS];
  auto_data *data = NULL;
  guarantee claim;
  number_evaluation e = {.range = range, .quantile = kinds[kind].quantile};
  for (size_t i = 0; i < ROWS; i++) {
    kinds[kind].draw(r, &values[i], &labels[i]);
    x[i] = labels[i] > 0 ? 1 : -1;
  }
  assert_ok(dperm_data_from_dense(ROWS, 1, x, x, 1, &data, err));
  memcpy(data->labels, labels, sizeof labels); /* of numbers; the mechanism asks for nothing else */
  assert_ok(evaluation_claim(terms, &claim, err));
  assert_ok(number_sums_private(data, values, isnan(e.quantile) ? 0.5 : e.quantile, &claim, r,
                                &e.sums, err));
  number_figures_of_sums(&e);
  *out = e.figures;
}

TEST(intervals_hold_the_figures_of_the_population_as_often_as_they_say) {
  static const double epsilons[] = {0.05, 0.3, 1, 3}; /* of the first nothing is asked */
  enum { EPSILONS = sizeof epsilons / sizeof *epsilons };
  const size_t times = repetitions(40, 500);
  const double slack = times < 500 ? 0.08 : 0; /* five standard deviations of so few */
  for (size_t k = 0; k < KINDS; k++) {
    random_source r = seeded(k + 1);
    double truth[FIGURES];
    truth_of(k, &r, truth);
    for (size_t whom = 0; whom < 2; whom++) {
      size_t held[FIGURES] = {0};
      double width[FIGURES] = {0};
      for (size_t i = 0; i < EPSILONS * times; i++) {
        const evaluation_terms terms = {epsilons[i % EPSILONS], 1, (dperm_neighbours)whom};
        number_figures f;
        evaluate_once(k, &terms, &r, &f);
        const figure found[FIGURES] = {f.rmse, f.mae, f.r2, f.pinball, f.at_or_below};
        for (size_t j = 0; j < FIGURES; j++) {
          held[j] += found[j].low <= truth[j] && truth[j] <= found[j].high;
          width[j] += i % EPSILONS == 2 ? (found[j].high - found[j].low) / (double)times : 0;
        }
      }
      for (size_t j = 0; j < FIGURES; j++) {
        const double share = (double)held[j] / (double)(EPSILONS * times);
        print_message("# %s %zu %s: %.4f hold %.4g, width %.4g\n", kinds[k].name, whom,
                      figure_names[j], share, truth[j], width[j]);
        if (share < 0.93 - slack || share > 0.99 + slack) {
          fail_msg("%s, %s: %.4f of the intervals hold %g", kinds[k].name, figure_names[j], share,
                   truth[j]);
        }
      }
    }
  }
}
