/* run_compose of private_schema.h. */
#include <math.h>

#include "base/functions.h"
#include "mechanism/composed_delta.h"
#include "run/private_schema.h"

/* Whether there may be gaussian noise that is free to be planned: for one record, since what is
 * known of its loss of privacy says nothing of a person with more. */
static bool has_ways(const run *r) {
  const dperm_options *o = r->options;
  bool kind = o->noise == DPERM_NOISE_AUTO || o->noise == DPERM_NOISE_GAUSSIAN;
  bool proved = o->mechanism != DPERM_MECHANISM_OBJECTIVE || o->analysis == DPERM_ANALYSIS_TIGHT;
  return o->delta > 0 && kind && proved && o->rows_per_person == 1 && r->rounds.kind == ROUNDS_NONE;
}

/* Those of all plans that may come. */
typedef struct kappas {
  double least[NOISE_WAYS], most[NOISE_WAYS];
} kappas;

static void note_kappa(void *context, const fit_plan *plan, bool counted) {
  kappas *k = context;
  const double kappa = plan->privacy.kappa;
  k->least[counted] = k->most[counted] > 0 ? fmin(k->least[counted], kappa) : kappa;
  k->most[counted] = fmax(k->most[counted], kappa);
}

/* What gaussian noise would be planned with if each schema had a plan of its own, with all of
 * epsilon. Lines are known; counts lead to some schema between, and seldom to the coarsest. */
static bool find_kappas(const run *r, const asked_schema *a, const counted_schema *counted,
                        composition *out) {
  dperm_options options = *r->options;
  run gaussian = *r;
  kappas k = {{0}, {0}};
  options.noise = DPERM_NOISE_GAUSSIAN;
  gaussian.options = &options;
  if (out->epsilon > 0) { /* as if all of it were the fit's */
    gaussian.claim = run_claim_whole(r);
    gaussian.how.counted = 0;
  }
  bool found = plans_that_may_come(&gaussian, a, counted, note_kappa, &k, NULL) == DPERM_OK;
  const double above = 1 + 1e-9; /* Λ and Δ may be given, and κ is the same for all schemas then */
  const bool fixed = !isnan(options.lambda) && !isnan(options.delta_reg);
  out->ways[false].kappa = k.most[false] * above;
  out->ways[true].kappa = (fixed ? k.most[true] : sqrt(k.least[true]) * sqrt(k.most[true])) * above;
  return found;
}

/* Of the steps of a sample the last costs most (docs/proofs/bins.md, Lemma S): with all before it
 * `until`, ε − ln(1 + q(e^(ε′ − y′) − 1)). */
static double last_step(const record_sample *sample, double until, double each) {
  if (!sample || sample->halvings == 0) {
    return each;
  }
  const double before = sample_epsilon(sample, until) - each;
  return until - math_log1p(ldexp(math_expm1(before), -(int)sample->halvings));
}

/* Each count's noise is a step (docs/proofs/gaussian.md 7); many are taken together. */
static pure_steps steps_of_counts(const run *r, const record_sample *sample,
                                  const counted_schema *counted) {
  const bool adding = r->options->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  const size_t moved = (adding ? 1 : 2) * counted->most;
  const size_t together = (moved + STEPS_MOST - 1) / STEPS_MOST;
  const double each = (double)together * counted->claim.epsilon_class;
  return (pure_steps){last_step(sample, r->how.counted, each) * (1 + 1e-9),
                      (moved + together - 1) / together};
}

/* Those that choose columns. */
static pure_steps steps_of_picks(const run *r, const record_sample *sample) {
  const size_t count = pick_steps(&r->how);
  const double asked = sample_epsilon(sample, r->how.epsilon),
               each = (sample_epsilon(sample, r->how.picked) - asked) / fmax((double)count, 1);
  return (pure_steps){count > 0 ? last_step(sample, r->how.picked, each) * (1 + 1e-9) : 0, count};
}

static void add_steps(const run *r, const asked_schema *a, const counted_schema *counted,
                      composition *out) {
  const guarantee whole = run_claim_whole(r);
  out->epsilon = whole.epsilon_class;
  out->delta_numerics = whole.delta_numerics;
  out->delta_class = whole.delta_class;
  if (a) {
    const double shape = r->how.epsilon - r->how.scale;
    out->questions[0] = (pure_steps){r->how.scale, r->how.scale > 0};
    out->questions[1] = (pure_steps){shape * (1 + 0x1p-50), shape > 0};
    out->picks = steps_of_picks(r, &a->sample);
  }
  if (counted && counted->wide) {
    out->counts = steps_of_counts(r, a ? &a->sample : NULL, counted);
  }
}

void run_compose(run *r, const asked_schema *a, const counted_schema *counted) {
  composition made = {.epsilon = 0};
  if (!has_ways(r)) {
    return;
  }
  if (r->classes == 2 || options_joint(r->options, r->classes)) {
    add_steps(r, a, counted, &made);
  }
  if (!find_kappas(r, a, counted, &made)) {
    return;
  }
  const row_bounds any = row_bounds_of_norm(1, 1);
  const dperm_loss loss = options_loss(r->options, r->classes);
  guarantee claim = r->claim;
  claim.composed = made;
  claim = guarantee_composed(claim);
  const public_numbers given = fit_numbers(r->options, &loss, &claim, 1, 1, &any);
  const composed_terms terms = {.loss = &loss,
                                .neighbours = given.neighbours,
                                .mechanism = given.mechanism,
                                .epsilon = given.epsilon_core,
                                .delta = given.delta_core};
  compose_ways(&terms, &made);
  bool lines = !a || made.ways[false].reach > 0;
  bool counts = !(counted && counted->wide) || made.ways[true].reach > 0;
  if (lines && counts) {
    r->claim.composed = made;
    r->claim.counted = !a;
  }
}
