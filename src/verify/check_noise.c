/* Whether the noise of the fit is as large as its share of epsilon demands: output perturbation
 * (privacy.md 3), objective perturbation by the tight or the paper's analysis (4). */
#include <math.h>
#include <string.h>

#include "verify/checks.h"

static bool by_mechanism(const verifier *v, const char *name) {
  return field_is(v->root, "privacy.mechanism", name);
}

void check_noise_kind(verifier *v) {
  const char *name = NULL;
  if (field_text(v, "noise", "privacy.noise", &name)) {
    const noise_shape *kind = noise_shape_find(name);
    bool fits = kind && (by_mechanism(v, "descent")  ? kind->gaussian
                         : by_mechanism(v, "output") ? kind->output
                                                     : true);
    finding(v, fits, "noise",
            kind && kind->gaussian ? "%.60s, density ~ exp(-(beta |b|)^2/2)"
                                   : "%.60s, density ~ exp(-beta |b|)",
            name);
  }
}

/* Of so many steps, each cut to the clip and with this deviation, the noise is together no less
 * than beta says (docs/proofs/descent.md). */
void check_descent(verifier *v) {
  const char *name = "mechanism";
  double clip = 0, deviation = 0, beta = 0;
  unsigned long long steps = 0;
  if (!field_count(v, name, "privacy.descent.steps", &steps) ||
      !field_positive(v, name, "privacy.descent.clip", &clip) ||
      !field_positive(v, name, "privacy.descent.deviation", &deviation) ||
      !field_positive(v, name, "privacy.beta", &beta)) {
    return;
  }
  const interval all = interval_mul(interval_of(beta), interval_of(deviation));
  /* How the program is made, and nothing that a file could choose. */
  bool known = classes_joint(v) && clip == 0.7 && steps >= 60 && steps <= 150;
  bool enough = known && interval_at_most(interval_of((double)steps), interval_mul(all, all));
  finding(v, enough, name,
          "noisy descent of classes learned jointly: %llu steps, slopes cut to %s, beta >= "
          "sqrt(steps)/deviation = %s",
          steps, shown(clip).text, shown(sqrt((double)steps) / deviation).text);
}

/* ---- the loss and its constants */

/* Of a quantile τ from its name and number. */
static bool quantile_slope(verifier *v, const char *name, interval *out) {
  double tau = 0;
  if (!field_positive(v, name, "loss.quantile", &tau)) {
    return false;
  }
  const interval own = interval_of(tau);
  *out = interval_max(own, interval_sub(interval_of(1), own));
  return tau < 1 || fails(v, name, "the quantile %s is none", shown(tau).text);
}

/* L and c: known ones from the name and h, others as the file declares them. */
static bool loss_of_fit(verifier *v, const char *name, loss_facts *out) {
  const char *loss = NULL;
  double l = 0, c = 0, h = 1;
  if (!field_text(v, name, "loss.name", &loss)) {
    return false;
  }
  const known_loss *known = known_loss_find(loss);
  if (classes_joint(v)) {
    *out = joint_facts();
    return strcmp(loss, "logistic") == 0 ||
           fails(v, name, "%.60s cannot learn classes jointly", loss);
  }
  if (known && known->has_h && !field_positive(v, name, "loss.h", &h)) {
    return false;
  }
  if (!known && (!field_positive(v, name, "loss.lipschitz", &l) ||
                 !field_positive(v, name, "loss.smoothness", &c))) {
    return false;
  }
  out->known = known;
  out->lipschitz = interval_of(known ? known->lipschitz : l);
  out->smoothness = interval_div(interval_of(known ? known->smoothness : c), interval_of(h));
  if ((known && known->numbers) != (field_at(v->root, "label") != NULL)) {
    return fails(v, name, "%.60s is not for such labels", loss);
  }
  return !(known && known->quantile) || quantile_slope(v, name, &out->lipschitz);
}

/* Constants that the name gives may be left out; stated ones must be right, up to one rounding. */
static bool stated_right(verifier *v, const char *key, interval truth, bool *right) {
  double stated = 0;
  if (!field_at(v->root, key)) {
    return true;
  }
  bool readable = field_positive(v, "loss", key, &stated);
  *right = *right && interval_near(interval_of(stated), truth, 0x1p-52);
  return readable;
}

void check_loss(verifier *v) {
  loss_facts facts;
  bool right = true;
  if (loss_of_fit(v, "loss", &facts) &&
      stated_right(v, "loss.lipschitz", facts.lipschitz, &right) &&
      stated_right(v, "loss.smoothness", facts.smoothness, &right)) {
    finding(v, right, "loss", "%.60s, L = %s, c = %s%s",
            json_string_value(field_at(v->root, "loss.name")),
            shown(interval_upper(facts.lipschitz)).text,
            shown(interval_upper(facts.smoothness)).text,
            classes_joint(v) ? ", in l2 norm over the classes"
            : facts.known    ? ""
                             : " (declared, not proved)");
  }
}

/* ---- the budget of the fit */

void check_budget(verifier *v) {
  double core = 0, num = 0;
  if (!field_is_object(v, "privacy.numerics")) {
    fails(v, "numerics", "rounding is not covered, or there is no noise: train anew");
  } else if (field_positive(v, "epsilon", "privacy.numerics.epsilon_core", &core) &&
             field_positive(v, "epsilon", "privacy.numerics.epsilon_num", &num)) {
    const interval twice = interval_add(interval_of(num), interval_of(num));
    finding_covered(v, "epsilon", true, interval_add(interval_of(core), twice), class_epsilon(v),
                    "epsilon_core + 2 epsilon_num");
  }
}

/* ---- beta */

typedef struct fit_numbers {
  double beta, epsilon;         /* epsilon_core: what the noise may cost */
  interval rows, lambda, total; /* n, Lambda, Lambda + Delta */
  interval r2, rk;
  loss_facts loss;
} fit_numbers;

static bool read_fit(verifier *v, fit_numbers *f) {
  const noise_shape *kind = noise_shape_find(json_string_value(field_at(v->root, "privacy.noise")));
  double lambda = 0, delta_reg = 0, r2 = 0;
  unsigned long long rows = 0;
  if (!field_positive(v, "beta", "privacy.numerics.epsilon_core", &f->epsilon) ||
      !field_positive(v, "beta", "privacy.beta", &f->beta) ||
      !field_positive(v, "beta", "privacy.lambda", &lambda) ||
      !field_number(v, "beta", "privacy.delta_reg", &delta_reg) ||
      !field_count(v, "beta", fitted_field(v), &rows) || !row_bound(v, "beta", &r2) ||
      !loss_of_fit(v, "beta", &f->loss)) {
    return false;
  }
  f->rows = interval_of((double)rows);
  f->lambda = interval_of(lambda);
  f->total = interval_add(f->lambda, interval_of(delta_reg));
  f->r2 = interval_of(r2);
  bool bounded = kind && kind->row_bound(v, f->r2, &f->rk);
  return (bounded && delta_reg >= 0) || fails(v, "beta", "%s",
                                              bounded ? "privacy.delta_reg is below zero"
                                                      : "cannot be checked for this kind of noise");
}

/* beta against a limit/(2LR): 2LR is the most that two neighbours' gradients differ by in the
 * noise's norm; LR where one has a record more. */
static void report_beta(verifier *v, const fit_numbers *f, interval over, const char *formula) {
  const interval gradients = interval_of(by_adding(v) ? 1 : 2);
  interval range = interval_mul(gradients, interval_mul(f->loss.lipschitz, f->rk));
  interval limit = interval_div(over, range);
  bool enough = interval_at_most(interval_of(f->beta), limit);
  finding(v, enough, "beta", "%s <= %s = %s, with epsilon_core = %s", shown(f->beta).text, formula,
          shown(interval_lower(limit)).text, shown(f->epsilon).text);
}

/* beta <= n Lambda epsilon/(2LR), or /(LR). */
static void check_output(verifier *v, const fit_numbers *f) {
  interval over = interval_mul(interval_mul(f->rows, f->lambda), interval_of(f->epsilon));
  report_beta(v, f, over, by_adding(v) ? "n lambda epsilon/(L R)" : "n lambda epsilon/(2 L R)");
}

/* beta <= epsilon'/(2LR), epsilon' = epsilon - 2 log(1 + c R^2/(n Lambda_t)). */
static void check_paper(verifier *v, const fit_numbers *f, interval kappa) {
  if (person_rows(v) > 0) {
    fails(v, "beta", "the paper's analysis is not about persons");
    return;
  }
  interval slack = interval_log1p(interval_mul(kappa, f->loss.smoothness));
  interval left = interval_sub(interval_of(f->epsilon), interval_add(slack, slack));
  report_beta(v, f, left, "epsilon'/(2 L R)");
}

/* Of persons, K records of whom count as one, K times that of a record with a K-th of noise and
 * curvature (docs/proofs/persons.md). */
static void check_tight(verifier *v, const fit_numbers *f, interval kappa) {
  interval a = interval_mul(interval_of(f->beta), f->rk);
  const interval records = interval_of(fmax(1, (double)person_rows(v)));
  const interval own = interval_div(a, records), bend = interval_div(kappa, records);
  interval cost = classes_joint(v) ? joint_epsilon_bound(class_fits_of(v), by_adding(v), bend, own)
                                   : epsilon_bound(&f->loss, by_adding(v), bend, own);
  cost = interval_mul(cost, records);
  bool enough = interval_at_most(cost, interval_of(f->epsilon));
  finding(v, enough, "beta",
          "%s costs epsilon(A) <= %s, which is <= epsilon_core = %s (A = beta R = %s, kappa = %s)",
          shown(f->beta).text, shown(interval_upper(cost)).text, shown(f->epsilon).text,
          shown(interval_upper(a)).text, shown(interval_upper(kappa)).text);
}

static interval kappa_of(const fit_numbers *f) {
  return interval_div(interval_mul(f->r2, f->r2), interval_mul(f->rows, f->total));
}

/* ---- gaussian noise */

static bool is_gaussian(const verifier *v) {
  const noise_shape *kind = noise_shape_find(json_string_value(field_at(v->root, "privacy.noise")));
  return kind && kind->gaussian;
}

/* A = R_K/sigma; of output perturbation R/(n Lambda sigma). */
static interval reach_of_noise(const verifier *v, const fit_numbers *f) {
  const interval a = interval_mul(interval_of(f->beta), f->rk);
  return by_mechanism(v, "output") ? interval_div(a, interval_mul(f->rows, f->lambda)) : a;
}

/* Whether the noise is shifted by a sensitivity, and nothing else counts. */
static bool by_shift(const verifier *v) {
  return by_mechanism(v, "output") || by_mechanism(v, "descent");
}

static noise_profile profile_of_fit(const verifier *v, const fit_numbers *f, interval kappa,
                                    interval a) {
  if (!by_shift(v)) {
    return profile_of_loss(&f->loss, by_adding(v), kappa, a);
  }
  const double clip = json_number_value(field_at(v->root, "privacy.descent.clip"));
  const interval slope = by_mechanism(v, "descent") ? interval_of(clip) : f->loss.lipschitz;
  return profile_of_shift(interval_mul(interval_of(by_adding(v) ? 1 : 2), interval_mul(slope, a)));
}

/* Good near an epsilon; none where nothing is proved. */
static way_proofs proofs_of_fit(const verifier *v, const fit_numbers *f, interval epsilon,
                                interval kappa, interval a) {
  way_proofs out = {.count = 0};
  bool tight = by_mechanism(v, "objective") && field_is(v->root, "privacy.analysis", "tight");
  if (tight && !classes_joint(v)) {
    out.count = proofs_of_loss(&f->loss, by_adding(v), kappa, epsilon, a, out.proofs);
  } else if (by_shift(v)) {
    const noise_profile profile = profile_of_fit(v, f, kappa, a);
    out.proofs[out.count++] = proof_of_profile(&profile);
  }
  return out;
}

/* Of steps and fits that are composed, by what the file says that all, this too, keep within. */
static bool composed_delta(verifier *v, const fit_numbers *f, interval *out) {
  composed_steps steps;
  way_proofs ways[2] = {{.count = 0}, {.count = 0}};
  bool within = false;
  if (!read_composed(v, "beta", &steps)) {
    return false;
  }
  for (int i = 0; i < 2; i++) {
    const interval kappa = interval_of(steps.kappa[i]), a = interval_of(steps.reach[i]);
    const interval least = interval_sub(interval_of(f->epsilon), steps_cost(&steps.law, i));
    if (steps.reach[i] > 0) {
      ways[i] = proofs_of_fit(v, f, least, kappa, a);
      within = within || ((i == 1 || !steps.counted) && ways[i].count > 0 &&
                          interval_at_most(reach_of_noise(v, f), a) &&
                          (by_shift(v) || interval_at_most(kappa_of(f), kappa)));
    }
  }
  *out = within ? delta_of_ways(interval_of(f->epsilon), &steps.law, ways) : interval_of(INFINITY);
  return true;
}

/* At epsilon_core; the whole line where nothing is proved. */
static bool derive_delta(verifier *v, const fit_numbers *f, interval *out) {
  static const step_law none = {.counts = 0};
  if (field_at(v->root, "privacy.composed")) {
    return composed_delta(v, f, out);
  }
  const interval epsilon = interval_of(f->epsilon);
  const way_proofs ways[2] = {proofs_of_fit(v, f, epsilon, kappa_of(f), reach_of_noise(v, f)),
                              {.count = 0}};
  *out = ways[0].count > 0 ? delta_of_ways(epsilon, &none, ways) : interval_of(INFINITY);
  return true;
}

static bool gaussian_delta(verifier *v, const fit_numbers *f, interval *out) {
  v->delta_known = v->delta_known || derive_delta(v, f, &v->delta_core);
  *out = v->delta_core;
  return v->delta_known;
}

static void check_gaussian(verifier *v, const fit_numbers *f) {
  interval cost;
  if (person_rows(v) > 0) {
    fails(v, "beta", "nothing is proved of gaussian noise for persons");
    return;
  }
  if (!gaussian_delta(v, f, &cost)) {
    return;
  }
  finding(v, interval_at_most(cost, interval_of(1)), "beta",
          "%s costs delta_core <= %s at epsilon_core = %s%s (A = %s)", shown(f->beta).text,
          shown(interval_upper(cost)).text, shown(f->epsilon).text,
          field_at(v->root, "privacy.composed") ? ", with all that the schema cost" : "",
          shown(interval_upper(reach_of_noise(v, f))).text);
}

/* The lattice counts it e^epsilon_num times. */
bool noise_delta(verifier *v, interval *out) {
  fit_numbers f;
  double num = 0;
  *out = interval_of(0);
  if (!is_gaussian(v)) {
    return true;
  }
  if (!read_fit(v, &f) || !field_positive(v, "delta", "privacy.numerics.epsilon_num", &num)) {
    return false;
  }
  interval core;
  if (!gaussian_delta(v, &f, &core)) {
    return false;
  }
  *out = interval_mul(core, interval_exp(interval_of(num)));
  return true;
}

bool noise_profile_of(verifier *v, noise_profile *out) {
  fit_numbers f;
  if (!is_gaussian(v) || !read_fit(v, &f)) {
    return false;
  }
  *out = profile_of_fit(v, &f, kappa_of(&f), reach_of_noise(v, &f));
  return by_shift(v) || (by_mechanism(v, "objective") && !classes_joint(v));
}

void check_beta(verifier *v) {
  fit_numbers f;
  if (!read_fit(v, &f)) {
    return;
  }
  bool objective = by_mechanism(v, "objective");
  if (is_gaussian(v)) {
    check_gaussian(v, &f);
  } else if (by_mechanism(v, "output")) {
    check_output(v, &f);
  } else if (objective && field_is(v->root, "privacy.analysis", "tight")) {
    check_tight(v, &f, kappa_of(&f));
  } else if (objective && field_is(v->root, "privacy.analysis", "paper") && !by_adding(v) &&
             !classes_joint(v)) {
    check_paper(v, &f, kappa_of(&f));
  } else {
    fails(v, "beta", "cannot be checked without a known mechanism and analysis");
  }
}
