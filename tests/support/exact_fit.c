/* See exact_fit.h. */
#include "exact_fit.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "solve/certify.h"

/* What options_public says of the quadratic regularizers. */
static public_numbers public_of(const problem *base, dperm_mechanism kind, double lambda,
                                double epsilon) {
  const dperm_regularizer *r = base->regularizer;
  public_numbers out = {.rows = base->x->rows,
                        .dims = base->x->cols,
                        .bounds = row_bounds_of_norm(base->x->cols, base->norm_bound),
                        .noise = DPERM_NOISE_L2,
                        .loss = base->loss,
                        .shared = base->shares != NULL,
                        .epsilon = epsilon,
                        .epsilon_core = epsilon_divide(epsilon).core,
                        .mechanism = kind,
                        .analysis = DPERM_ANALYSIS_TIGHT,
                        .lambda = lambda,
                        .delta_reg = (double)NAN,
                        .norm_guess = (double)NAN};
  for (size_t j = 0; j < out.dims; j++) {
    double weight = r->weights ? r->weights[j] : 1;
    out.pull = hypot(out.pull, weight * (r->prior ? r->prior[j] : 0));
    out.stiffness = fmax(out.stiffness, weight - 1);
  }
  return out;
}

/* From the same seed once more. */
static double noise_again(const privacy_plan *plan, uint64_t seed, double *b) {
  random_source source = seeded(seed);
  noise_draw(&plan->noise, &source, b);
  return norm_above(b, plan->noise.dims);
}

static double seconds_now(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

exact_fit exact_fit_run(const problem *base, reference_loss loss, double h, dperm_mechanism kind,
                        double lambda, double epsilon, uint64_t seed) {
  const public_numbers given = public_of(base, kind, lambda, epsilon);
  bool objective = kind == DPERM_MECHANISM_OBJECTIVE;
  exact_fit out = {0};
  privacy_plan plan;
  solver_report report = {0};
  solution found = {calloc(given.dims, sizeof(double)), calloc(given.dims, sizeof(double))};
  OWNED_MEMORY double *b = calloc(given.dims, sizeof *b);
  assert_true(found.f && found.rest && b);
  assert_ok(privacy_plan_make(&given, &plan, err));
  assert_ok(release_plan_make(&given, &plan, &out.release, err));
  random_source source = seeded(seed);
  double started = seconds_now();
  assert_ok(mechanism_of(kind)(&plan, base, &(solver_options){0}, &out.release.promised, &source, 1,
                               &found, &report, err));
  out.seconds = seconds_now() - started;
  out.certified = report.certified;

  double total = plan.lambda + plan.delta_reg, norm = noise_again(&plan, seed, b);
  double drift =
      noise_relative_error(&plan.noise) * norm * (objective ? 1 / (double)given.rows : plan.lambda);
  out.allowed = out.release.solution_error - drift / total;
  problem p = *base;
  p.model = (problem_model){.lambda = plan.lambda, .ridge = plan.delta_reg};
  precise_problem *exact = precise_problem_of(&p, loss, h);
  exact->noise = objective ? b : NULL;
  out.distance = precise_distance(exact, found.f, found.rest, objective ? NULL : b,
                                  1e-4 * out.allowed, &out.unsure);
  out.distance += out.unsure;
  out.unsure *= 2;
  precise_problem_free(exact);
  free(found.f);
  free(found.rest);
  return out;
}
