/* What the mechanisms share, and the one that adds nothing. */
#include "mechanism/mechanism.h"

#include <string.h>

#include "solve/certify.h"
#include "solve/solver.h"

static dperm_status fail_unreached(dperm_error *err) {
  FAIL(err, DPERM_NUMERIC_ERROR,
       "the minimum was not reached; raise lambda, or check a custom loss with dperm_loss_check");
}

dperm_status mechanism_solve(const problem *p, const solver_options *how, double gradient,
                             solution *out, solver_report *report, dperm_error *err) {
  solver_options first = *how;
  first.tolerance = gradient / 2; /* the rest is for rounding */
  size_t size = problem_size(p) * sizeof *out->f;
  memset(out->f, 0, size);
  memset(out->rest, 0, size);
  *report = (solver_report){0};
  dperm_status status = solve(p, &first, out->f, report, err);
  if (status == DPERM_OK && report->certified <= gradient) {
    return DPERM_OK;
  }
  if (status != DPERM_OK && status != DPERM_NUMERIC_ERROR) {
    return status;
  }
  /* Nothing is known of an undeclared loss, nothing is claimed, and nothing will help. */
  if (!evaluation_declared(p->loss, p->regularizer)) {
    return status == DPERM_OK ? fail_unreached(err) : status;
  }
  return polish(p, gradient, how, out->f, out->rest, report, err);
}

dperm_status mechanism_noise(const privacy_plan *plan, const promise *promised, const matrix *x,
                             random_source *source, double *b, double *norm, dperm_error *err) {
  if (ranks_lead(x->spread)) {
    noise_draw(&plan->noise, source, b);
  }
  size_t size = noise_size(&plan->noise);
  TRY(ranks_share(x->spread, DPERM_OK, b, size * sizeof *b, err));
  *norm = norm_above(b, size);
  if (!(*norm <= promised->noise_norm)) {
    FAIL(err, DPERM_NUMERIC_ERROR,
         "the noise came out longer than it does once in e^100 times; nothing is released");
  }
  return DPERM_OK;
}

static dperm_status run_none(const privacy_plan *plan, const problem *base,
                             const solver_options *how, const promise *promised,
                             random_source *sources, size_t count, solution *out,
                             solver_report *report, dperm_error *err) {
  (void)promised;
  (void)sources;
  (void)count;
  problem p = *base;
  p.model = (problem_model){.lambda = plan->lambda};
  memset(out->f, 0, problem_size(base) * sizeof *out->f);
  TRY(solve(&p, how, out->f, report, err));
  return report->converged ? DPERM_OK : fail_unreached(err);
}

mechanism *mechanism_of(dperm_mechanism kind) {
  return kind == DPERM_MECHANISM_OBJECTIVE ? objective_perturbation
         : kind == DPERM_MECHANISM_OUTPUT  ? output_perturbation
                                           : run_none;
}
