/* Objective perturbation itself, without sampling (density_pair.h): the ratio of the densities of
 * the released weights, for a data set and for its neighbour, never passes e^ε: not for random
 * small data, not after climbing to the worst data, prior and weights within reach, for any loss,
 * norm, analysis or kind of noise. And under the tight analysis it comes up to e^ε, so nothing was
 * given away, and the same search convicts plans with the usual mistakes. */
#include <math.h>
#include <stdlib.h>

#include "density_pair.h"
#include "loss/link.h"
#include "loss/loss.h"
#include "noise_reference.h"

static const double norms[] = {0.2, 1.0, 5.0};

static void check_losses_under(dperm_analysis analysis, dperm_noise kind, uint64_t seed,
                               double *most) {
  random_source r = seeded(seed);
  const int rounds = (int)repetitions(250, 1500);
  for (int round = 0; round < rounds; round++) {
    size_t which = random_bits(&r) % LOSSES;
    double norm = norms[round % 3], h = random_scale(&r, 0.05, 1);
    const dperm_loss loss = loss_number((int)which, h);
    size_t dims = (kind == DPERM_NOISE_MIXED ? 3 : 1) + random_bits(&r) % USUAL_DIMS;
    limits within = draw_limits(&r, dims, norm, kind);
    within.bounds.body = (noise_body){within.runs, within.count, {0, 0, 0}};
    pair p = draw_pair(&r, dims, &within);
    double epsilon = random_scale(&r, 0.02, 10), best = 0;
    public_numbers g =
        numbers_for(&p, norm, &loss, epsilon, random_scale(&r, 1e-3, 1e2) * norm * norm);
    g.analysis = analysis;
    g.noise = kind;
    g.bounds = within.bounds;
    g.norm_guess = random_scale(&r, 1e-2, 10);
    if (round % 8) { /* mostly Δ is told: above what is feasible for either analysis */
      double edge = loss.smoothness * norm * norm / (double)g.rows / expm1(epsilon / 2);
      g.delta_reg = edge * random_scale(&r, 1.001, 1e3);
    }
    privacy_plan plan;
    assert_ok(privacy_plan_make(&g, &plan, err));
    for (int i = 0; i < 20; i++) {
      draw_vector(&r, random_scale(&r, 1e-2, 1e2) / norm, p.f, p.dims);
      if (i & 1) { /* where slope and curvature are both large */
        const int side = i >> 1 & 1;
        double z = 1 - (isnan(loss.parameter) ? random_normal(&r) : h * (1 - 1e-9));
        z = loss_is_residual(&loss) ? p.label[side] + loss.parameter * random_normal(&r) : z;
        z = loss_is_count(&loss) ? link_count_offset - fabs(random_normal(&r)) : z;
        set_margin(&p, p.w[side], z);
      }
      check_ratio(log_ratio(&p, &loss, &plan), epsilon, &loss, norm, &p);
    }
    if (random_bits(&r) & 1) {
      centre_noise(&p, &loss, &plan);
    }
    best = climb(&r, &p, &within, &loss, &plan, 250);
    check_ratio(best, epsilon, &loss, norm, &p);
    most[which] = fmax(most[which], best / epsilon);
  }
}

/* In any norm, under either analysis. */
TEST(the_ratio_never_passes_epsilon) {
  for (dperm_noise kind = DPERM_NOISE_L2; dperm_noise_name(kind); kind++) {
    if (noise_kind_of(kind)->needs_delta) { /* no ratio is the largest: delta_integral_test.c */
      continue;
    }
    double most[LOSSES] = {0};
    check_losses_under(DPERM_ANALYSIS_TIGHT, kind, 10 + kind, most);
    for (int i = 0; i < LOSSES; i++) {
      print_message("# %s noise, loss %d: %.4f of epsilon\n", dperm_noise_name(kind), i, most[i]);
      assert_true(most[i] > 0.7); /* the climber does climb */
    }
    check_losses_under(DPERM_ANALYSIS_PAPER, kind, 20 + kind, most);
  }
}

/* ---- the worst case */

/* The second record's margin lies far on the steep side, and so it has slope L and no curvature,
 * though it points nearly against the first: weights of length 10⁴/R along the second axis do that
 * with a tilt of 10⁻³. Then the first record's margin is free, and b = 0. */
static pair worst_pair(const dperm_loss *loss, const privacy_plan *plan, double norm, double z) {
  const double reach = 1e4, tilt = 2e-3;
  if (loss_is_residual(loss)) { /* opposite rows, f = 0, and labels do as well */
    pair one = {.dims = 2, .weight = {1, 1}, .w = {{norm}, {-norm}}, .label = {-z, -1}};
    centre_noise(&one, loss, plan);
    return one;
  }
  pair p = {.dims = 2, .weight = {1, 1}, .label = {-1, 1}};
  p.f[1] = -reach / norm;
  p.w[0][1] = -z / reach * norm;
  p.w[1][1] = tilt * norm;
  for (int side = 0; side < 2; side++) {
    double rest = p.w[side][1] / norm;
    p.w[side][0] =
        (side && !loss_is_count(loss) ? -1 : 1) * norm * sqrt(1 - rest * rest) * (1 - 1e-15);
  }
  centre_noise(&p, loss, plan);
  return p;
}

/* The largest log ratio over the first record's margin. */
static double worst_ratio(const dperm_loss *loss, const privacy_plan *plan, double norm) {
  double best = 0, z, ratio;
  for (int i = -1000; i <= 1000; i++) {
    double t = (double)i / 1000;
    z = isnan(loss->parameter) ? sinh(3.5 * t) : 1 - loss->parameter * t * (1 - 1e-9);
    z = loss_is_residual(loss) ? 10 * fabs(t) * loss->parameter : z;
    z = loss_is_count(loss) ? link_count_offset - (t + 1) * (1 - 1e-9) : z;
    pair p = worst_pair(loss, plan, norm, z);
    ratio = log_ratio(&p, loss, plan);
    best = fmax(best, ratio);
  }
  return best;
}

/* The largest and the least share of ε that the worst case spends, over norms, ε and λ; `change`
 * may spoil the plans. */
typedef void spoil(public_numbers *g, privacy_plan *plan);

static double worst_share(int which, spoil *change, double *least) {
  static const double epsilons[] = {0.1, 1, 5}, stiffness[] = {0.3, 3, 30, 300};
  double most = 0;
  for (size_t k = 0; k < 3; k++) {
    for (size_t e = 0; e < 3; e++) {
      for (size_t s = 0; s < 4; s++) { /* λ = nΛ in units of what is just feasible */
        const dperm_loss loss = loss_number(which, 0.5);
        const pair shape = {.dims = 2};
        double edge = loss.smoothness * norms[k] * norms[k] / expm1(epsilons[e]);
        public_numbers g =
            numbers_for(&shape, norms[k], &loss, epsilons[e], edge * stiffness[s] + edge);
        privacy_plan plan;
        g.delta_reg = 0;
        assert_ok(privacy_plan_make(&g, &plan, err));
        if (change) {
          change(&g, &plan);
        }
        double share = worst_ratio(&loss, &plan, norms[k]) / epsilons[e];
        most = fmax(most, share);
        *least = fmin(*least, share);
      }
    }
  }
  return most;
}

TEST(the_tight_analysis_gives_nothing_away) {
  for (int which = 0; which < LOSSES; which++) {
    if (which == 3) { /* a custom one is priced by its constants */
      continue;
    }
    double least = 1, most = worst_share(which, NULL, &least);
    print_message("# loss %d: between %.6f and %.6f of epsilon\n", which, least, most);
    if (!(least >= 0.995 && most <= 1 + 1e-9)) {
      fail_msg("loss %d: between %.9g and %.9g of epsilon", which, least, most);
    }
  }
}

/* docs/audit.md, in one dimension and without a prior: nΛ_t = R²/(1−h). */
TEST(huber_reaches_epsilon_in_one_dimension) {
  for (size_t k = 0; k < 3; k++) {
    for (double h = 0.1; h < 0.95; h += 0.2) {
      const dperm_loss loss = library_loss(REF_HUBER, h);
      pair p = {.dims = 1, .others = 3, .weight = {1}}; /* the others are zero */
      double edge = log1p((1 - h) / (2 * h)), epsilon = edge + 0.5;
      public_numbers g =
          numbers_for(&p, norms[k], &loss, epsilon, norms[k] * norms[k] / (1 - h) / 4);
      privacy_plan plan;
      g.delta_reg = 0;
      assert_ok(privacy_plan_make(&g, &plan, err));
      p.w[0][0] = norms[k];
      p.w[1][0] = -norms[k];
      p.f[0] = (1 - h) * (1 + 1e-12) / norms[k];
      double ratio = log_ratio(&p, &loss, &plan);
      check_ratio(ratio, epsilon, &loss, norms[k], &p);
      assert_true(ratio >= 0.9999 * epsilon);
    }
  }
}

/* ---- teeth: plans that are wrong are caught by the same search */

static void less_noise(public_numbers *g, privacy_plan *plan) {
  plan->noise.beta *= 1.02;
}

static void no_jacobian(public_numbers *g, privacy_plan *plan) {
  plan->noise.beta = g->epsilon / (2 * g->loss->lipschitz * g->bounds.norm2);
}

/* κ = R/λ for R²/λ, as a widely used library has it. */
static void unsquared_norm(public_numbers *g, privacy_plan *plan) {
  public_numbers wrong = *g;
  wrong.lambda = g->lambda * g->bounds.norm2;
  privacy_plan other;
  if (g->bounds.norm2 > 1 && privacy_plan_make(&wrong, &other, NULL) == DPERM_OK) {
    plan->noise.beta = other.noise.beta;
  }
}

TEST(plans_with_the_usual_mistakes_are_caught) {
  for (int which = 0; which < LOSSES; which++) {
    if (which == 3) {
      continue;
    }
    double least = 1;
    assert_true(worst_share(which, less_noise, &least) > 1.005);
    assert_true(worst_share(which, no_jacobian, &least) > 1.05);
    assert_true(worst_share(which, unsquared_norm, &least) > 1.05);
  }
}

/* Mixed noise for rows that have something in one part only, block or columns alone; and for rows
 * with two entries in a block. */
TEST(mixed_noise_for_the_wrong_rows_is_caught) {
  random_source r = seeded(31);
  const dperm_loss loss = library_loss(REF_HUBER, 0.5);
  double most[2] = {0, 0};
  for (int round = 0; round < 100; round++) {
    limits within = draw_limits(&r, 5, 1, DPERM_NOISE_MIXED);
    within.bounds.body = (noise_body){within.runs, within.count, {0, 0, 0}};
    public_numbers g = {0};
    for (int wrong = 0; wrong < 2; wrong++) {
      limits loose = within;
      loose.kind = wrong ? DPERM_NOISE_L2 : within.kind; /* only ‖w‖₂ is bounded */
      pair p = draw_pair(&r, 5, &loose);
      privacy_plan plan;
      g = numbers_for(&p, 1, &loss, 1, 10);
      g.noise = DPERM_NOISE_MIXED;
      g.bounds = within.bounds;
      assert_ok(privacy_plan_make(&g, &plan, err));
      if (!wrong) {
        const mixed_reference own = mixed_weights_of(&plan.noise);
        double one = isnan(own.alone) ? 0 : own.alone;
        for (size_t i = 0; i < within.count; i++) {
          one = fmax(one, own.weight[i] * fmin(1, within.runs[i].radius));
        }
        plan.noise.beta *= (double)mixed_longest_row(&within.bounds, &own) / one;
      }
      most[wrong] = fmax(most[wrong], climb(&r, &p, &loose, &loss, &plan, 1000));
    }
  }
  assert_true(most[0] > 1.2 && most[1] > 1.05);
}

/* l1 noise for R₂ where R₁ = √3·R₂. */
TEST(the_wrong_norm_is_caught) {
  random_source r = seeded(30);
  const dperm_loss loss = library_loss(REF_HUBER, 0.5);
  const limits within = {.bounds = row_bounds_of_norm(3, 1), .kind = DPERM_NOISE_L1};
  double most = 0;
  for (int round = 0; round < 100; round++) {
    pair p = draw_pair(&r, 3, &within);
    public_numbers g = numbers_for(&p, 1, &loss, 1, 10);
    privacy_plan plan;
    g.noise = DPERM_NOISE_L1;
    g.bounds = within.bounds;
    assert_ok(privacy_plan_make(&g, &plan, err));
    plan.noise.beta *= g.bounds.norm1 / g.bounds.norm2;
    most = fmax(most, climb(&r, &p, &within, &loss, &plan, 1000));
  }
  assert_true(most > 1.2);
}
