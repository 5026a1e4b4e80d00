/* See any_numbers.h. */
#include "any_numbers.h"

#include <math.h>

#include "noise_reference.h"
#include "reference.h"
#include "statistics.h"

static const double norms[] = {0.2, 1.0, 5.0};
static const double none = (double)NAN;

/* ---- losses whose L is not 1 */

static dperm_loss scaled_loss(const double *scale) {
  return (dperm_loss){.name = "scaled logistic",
                      .parameter = none,
                      .lipschitz = *scale,
                      .smoothness = *scale / 4,
                      .eval = scaled_eval,
                      .context = (void *)(uintptr_t)scale};
}

dperm_loss any_loss(random_source *r) {
  static const double scales[] = {0.01, 0.7, 3, 40};
  uint64_t which = random_bits(r) % (REFERENCE_LOSSES + 2);
  double h = random_scale(r, 1e-2, 5);
  return which >= REFERENCE_LOSSES ? scaled_loss(&scales[random_bits(r) % 4])
                                   : library_loss((reference_loss)which, h);
}

public_numbers any_numbers(random_source *r, const dperm_loss *loss) {
  double epsilon = random_scale(r, 1e-4, 20);
  return (public_numbers){.rows = (size_t)random_scale(r, 1, 1e7),
                          .dims = (size_t)random_scale(r, 1, 300),
                          .bounds.norm2 = norms[random_bits(r) % 3],
                          .loss = loss,
                          .epsilon = epsilon,
                          .epsilon_core = epsilon,
                          .mechanism = DPERM_MECHANISM_OBJECTIVE,
                          .analysis = DPERM_ANALYSIS_TIGHT,
                          .lambda = none,
                          .delta_reg = none,
                          .norm_guess = none};
}

public_numbers gaussian_numbers(random_source *r, const dperm_loss *loss, size_t dims) {
  public_numbers g = any_numbers(r, loss);
  g.bounds = row_bounds_of_norm(dims, random_scale(r, 0.2, 5));
  g.dims = dims;
  g.rows = (size_t)random_scale(r, 100, 1e5);
  g.epsilon = g.epsilon_core = random_scale(r, 0.05, 2);
  g.delta_core = random_scale(r, 1e-10, 1e-4);
  g.noise = DPERM_NOISE_GAUSSIAN;
  return g;
}

/* ---- rows of a shape */

static const body_run two_runs[] = {{1, 7, 0.4}, {3, 1, 0.2}};

public_numbers shaped_numbers(random_source *r, const dperm_loss *loss) {
  public_numbers g = any_numbers(r, loss);
  g.dims = 10;
  g.bounds.norm1 = g.bounds.norm2 * random_scale(r, 0.5, 4);
  g.bounds.body = (noise_body){two_runs, 2, {0, 0, 0}};
  return g;
}

double row_bound_of(const public_numbers *g, dperm_noise kind) {
  if (kind == DPERM_NOISE_MIXED) {
    const mixed_reference own = mixed_weights_best(&g->bounds.body);
    return (double)mixed_longest_row(&g->bounds, &own);
  }
  return kind == DPERM_NOISE_L2 ? g->bounds.norm2 : kind == DPERM_NOISE_L1 ? g->bounds.norm1 : 1.0;
}
