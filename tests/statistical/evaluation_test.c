/* Evaluations of fixed models on samples of known populations: intervals hold the population's
 * figures as often as they say, and the noise costs the area under the curve no more than promised.
 * Seeds are fixed, so nothing here fails now and then. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "evaluate/evaluation.h"
#include "score_population.h"
#include "support.h"

/* ---- a model of one weight whose scores are those of the rows times it */

static const double weight = 16;

static dperm_model *model_new_of_weight(void) {
  const double x = 0.5, label = 1;
  auto_data *data = NULL;
  dperm_model *model = NULL;
  dperm_options options = USUAL(dperm_options);
  options.mechanism = DPERM_MECHANISM_NONE;
  options.lambda = 1;
  assert_ok(dperm_data_from_dense(1, 1, &x, &label, 1, &data, err));
  assert_ok(dperm_train(data, &options, &model, err));
  model->weights[0] = weight;
  return model;
}

static dperm_data *sample_of(const population *p, size_t rows, random_source *source) {
  double *x = malloc(rows * sizeof *x), *labels = malloc(rows * sizeof *labels);
  dperm_data *data = NULL;
  assert_true(x && labels);
  for (size_t i = 0; i < rows; i++) {
    bool second = false;
    x[i] = population_draw(p, source, &second) / weight;
    labels[i] = second ? 1 : -1;
  }
  assert_ok(dperm_data_from_dense(rows, 1, x, labels, 1, &data, err));
  free(x);
  free(labels);
  return data;
}

/* ---- how often intervals hold */

enum { FIGURES = 7 };
static const char *const figure_names[FIGURES] = {"error",    "baseline", "difference", "auc",
                                                  "log loss", "recall",   "precision"};

typedef struct tally {
  size_t tried[FIGURES], held[FIGURES];
  double width[FIGURES];
} tally;

static void note_figures(const model_evaluation *e, const population *p, tally *t) {
  const figure found[FIGURES] = {e->error,    e->baseline, e->difference, e->auc,
                                 e->log_loss, e->recall,   e->precision};
  const double truth[FIGURES] = {p->error,    p->baseline, p->difference, p->auc,
                                 p->log_loss, p->recall,   p->precision};
  for (size_t f = 0; f < FIGURES; f++) {
    if (!isnan(truth[f])) {
      t->tried[f]++;
      t->held[f] += found[f].low <= truth[f] && truth[f] <= found[f].high;
      t->width[f] += found[f].high - found[f].low;
    }
  }
}

static void evaluate_often(const population *p, double epsilon, dperm_neighbours neighbours,
                           size_t rows, size_t times, uint64_t seed, tally *t) {
  const evaluation_terms terms = {epsilon, 1, neighbours};
  auto_model *model = model_new_of_weight();
  random_source source = seeded(seed);
  for (size_t i = 0; i < times; i++) {
    auto_data *data = sample_of(p, rows, &source);
    OWNED(evaluation_free_at) model_evaluation *e = NULL;
    assert_ok(evaluation_private(model, data, &terms, &source, &e, err));
    note_figures(e, p, t);
  }
}

/* Where the truth is at an end of what can be, only one side can miss it. */
static void assert_coverage(const char *kind, const char *name, double held, double truth,
                            size_t tried) {
  const double slack = tried < 1000 ? 0.06 : 0; /* more than five standard deviations of so few */
  const bool end = truth <= 0 || truth >= 1;
  if (tried > 0 && (held < 0.93 - slack || held > (end ? 1 : 0.97 + slack))) {
    fail_msg("%s, %s: %.4f of %zu intervals hold %g", kind, name, held, tried, truth);
  }
}

TEST(intervals_hold_the_figures_of_the_population_as_often_as_they_say) {
  static const double epsilons[] = {0.1, 0.3, 1, 3};
  const size_t times = repetitions(50, 500);
  static population p;
  for (size_t k = 0; k < KINDS; k++) {
    for (size_t whom = 0; whom < 2; whom++) {
      tally t = {.tried = {0}};
      population_make(&kinds[k], &p);
      const double truth[FIGURES] = {p.error,    p.baseline, 1,          p.auc,
                                     p.log_loss, p.recall,   p.precision};
      for (size_t i = 0; i < 4; i++) {
        evaluate_often(&p, epsilons[i], (dperm_neighbours)whom, 5000, times, 17 * k + 5 * whom + i,
                       &t);
      }
      for (size_t f = 0; f < FIGURES; f++) {
        const double held = (double)t.held[f] / (double)t.tried[f];
        print_message("# %s %zu %s: %.4f of %zu\n", kinds[k].name, whom, figure_names[f], held,
                      t.tried[f]);
        assert_coverage(kinds[k].name, figure_names[f], held, f == 2 ? 0.5 : truth[f], t.tried[f]);
      }
    }
  }
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The smaller class has 2,000/ε records, as many as are promised for. */
static double median_auc_error(const population *p, double epsilon, size_t times, uint64_t seed) {
  const evaluation_terms terms = {epsilon, 1, DPERM_NEIGHBOURS_REPLACE};
  const size_t rows = (size_t)(2000 / epsilon / p->baseline);
  double errors[512];
  auto_model *model = model_new_of_weight();
  random_source source = seeded(seed);
  for (size_t i = 0; i < times; i++) {
    auto_data *data = sample_of(p, rows, &source);
    OWNED(evaluation_free_at) model_evaluation *e = NULL;
    dperm_metrics exact;
    assert_ok(dperm_model_score(model, data, &exact, err));
    assert_ok(evaluation_private(model, data, &terms, &source, &e, err));
    errors[i] = fabs(e->auc.value - exact.auc);
  }
  qsort(errors, times, sizeof *errors, ascending);
  return errors[times / 2];
}

TEST(the_area_under_the_curve_is_within_a_hundredth_where_that_is_promised) {
  static population p;
  for (size_t k = 0; k < KINDS; k++) {
    population_make(&kinds[k], &p);
    for (double epsilon = 0.1; epsilon <= 3; epsilon *= 5) {
      const double found =
          median_auc_error(&p, epsilon, repetitions(15, 201), 100 * k + (uint64_t)(epsilon * 10));
      print_message("# %s %g: median error of AUC %.4f\n", kinds[k].name, epsilon, found);
      assert_true(found <= 0.01);
    }
  }
}

/* ---- other shapes */

TEST(very_much_epsilon_is_exact) {
  static population p;
  population_make(&kinds[0], &p);
  const evaluation_terms terms = {90000, 1, DPERM_NEIGHBOURS_ADD_REMOVE};
  auto_model *model = model_new_of_weight();
  random_source source = seeded(5);
  auto_data *data = sample_of(&p, 3000, &source);
  OWNED(evaluation_free_at) model_evaluation *e = NULL, *exact = NULL;
  assert_ok(evaluation_private(model, data, &terms, &source, &e, err));
  assert_ok(evaluation_exact(model, data, &exact, err));
  assert_close(e->error.value, exact->error.value, 1e-12);
  assert_close(e->error.low, exact->error.low, 1e-6);
  assert_close(e->auc.value, exact->auc.value, 2e-3);
  assert_close(e->log_loss.value, exact->log_loss.value, 2e-3);
}

/* Whatever noise does, the interval is no point, and within what can be. */
TEST(a_few_records_under_much_noise_have_intervals_within_what_can_be) {
  static population p;
  const evaluation_terms terms = {0.1, 1, DPERM_NEIGHBOURS_REPLACE};
  auto_model *model = model_new_of_weight();
  random_source source = seeded(6);
  population_make(&kinds[0], &p);
  for (size_t i = 0; i < 100; i++) {
    auto_data *data = sample_of(&p, 50, &source);
    OWNED(evaluation_free_at) model_evaluation *e = NULL;
    assert_ok(evaluation_private(model, data, &terms, &source, &e, err));
    const figure found[] = {e->error, e->baseline, e->difference, e->auc};
    for (size_t f = 0; f < 4; f++) {
      assert_true(found[f].high > found[f].low);
      assert_true(found[f].low >= (f == 2 ? -1 : 0) && found[f].high <= 1);
    }
  }
}

TEST(terms_that_leave_no_noise_to_draw_are_refused) {
  guarantee claim;
  evaluation_terms terms = {1e-11, 1, DPERM_NEIGHBOURS_REPLACE};
  assert_fails(evaluation_claim(&terms, &claim, err), DPERM_INVALID_ARGUMENT, "leaves less than");
  terms = (evaluation_terms){1, 0, DPERM_NEIGHBOURS_REPLACE}; /* persons, once each */
  assert_ok(evaluation_claim(&terms, &claim, err));
  assert_int_equal(guarantee_unit(&claim), 0);
  terms = (evaluation_terms){1, 4, DPERM_NEIGHBOURS_REPLACE};
  assert_ok(evaluation_claim(&terms, &claim, err));
  assert_close(claim.epsilon_class, 0.125, 0);
}
