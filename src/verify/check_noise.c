/* Whether the noise of the fit is as large as its share of epsilon demands: output perturbation
 * (privacy.md 3), objective perturbation by the tight or the paper's analysis (4). */
#include <string.h>

#include "verify/checks.h"
#include "verify/epsilon_bound.h"
#include "verify/exact.h"

static bool by_output(const verifier *v) {
  const char *mechanism = json_string_value(field_at(v->root, "privacy.mechanism"));
  return mechanism && strcmp(mechanism, "output") == 0;
}

void check_noise_kind(verifier *v) {
  const char *name = NULL;
  if (field_text(v, "noise", "privacy.noise", &name)) {
    const noise_shape *kind = noise_shape_find(name);
    bool fits = kind && (kind->output || !by_output(v));
    (void)finding_report(v, fits, "noise",
                         fits ? "%.60s, density ~ exp(-beta |b|)"
                              : "%.60s is not known here, or not for this mechanism",
                         name);
  }
}

/* ---- the loss and its constants */

/* L and c: known ones from the name and h, others as the file declares them. */
static bool loss_of_fit(verifier *v, const char *name, loss_facts *out) {
  const char *loss = NULL;
  double l = 0, c = 0, h = 1;
  if (!field_text(v, name, "loss.name", &loss)) {
    return false;
  }
  const known_loss *known = known_loss_find(loss);
  if (known && known->has_h && !field_positive(v, name, "loss.h", &h)) {
    return false;
  }
  if (!known && (!field_positive(v, name, "loss.lipschitz", &l) ||
                 !field_positive(v, name, "loss.smoothness", &c))) {
    return false;
  }
  out->known = known;
  out->lipschitz = interval_of(&v->arena, known ? known->lipschitz : l);
  out->smoothness = interval_div(&v->arena, interval_of(&v->arena, known ? known->smoothness : c),
                                 interval_of(&v->arena, h));
  return true;
}

/* Whether a stated constant is the true one up to one rounding. */
static bool nearly(interval_arena *arena, double stated, const interval *truth) {
  const interval *s = interval_of(arena, stated), *ulp = interval_of(arena, 0x1p-52);
  const interval *slack = interval_mul(arena, truth, ulp);
  return interval_at_most(s, interval_add(arena, truth, slack)) &&
         interval_at_most(interval_sub(arena, truth, slack), s);
}

/* Files may leave the constants out where the name gives them; stated ones must be right. */
static bool stated_right(verifier *v, const char *key, const interval *truth, bool *readable) {
  double stated = 0;
  if (!field_at(v->root, key)) {
    return true;
  }
  *readable = field_positive(v, "loss", key, &stated);
  return *readable && nearly(&v->arena, stated, truth);
}

void check_loss(verifier *v) {
  size_t mark = interval_mark(&v->arena);
  loss_facts facts;
  bool readable = true;
  if (loss_of_fit(v, "loss", &facts)) {
    const char *name = json_string_value(field_at(v->root, "loss.name"));
    bool right = stated_right(v, "loss.lipschitz", facts.lipschitz, &readable) && readable &&
                 stated_right(v, "loss.smoothness", facts.smoothness, &readable);
    if (readable) {
      (void)finding_report(v, right, "loss",
                           right ? "%.60s, L = %s, c = %s%s"
                                 : "%.60s has L = %s and c = %s; the file states others%s",
                           name, shown(interval_upper(facts.lipschitz)).text,
                           shown(interval_upper(facts.smoothness)).text,
                           facts.known ? "" : " (declared, not proved)");
    }
  }
  interval_release(&v->arena, mark);
}

/* ---- the budget of the fit */

void check_budget(verifier *v) {
  double core = 0, num = 0, epsilon = 0;
  if (field_is_null(v, "privacy.numerics")) {
    (void)finding_report(v, false, "numerics",
                         "null: the model was written before dperm covered rounding, or has no "
                         "noise at all; train anew");
    return;
  }
  if (!field_is_object(v, "privacy.numerics")) {
    (void)finding_report(v, false, "numerics", "privacy.numerics is not an object");
    return;
  }
  if (!field_positive(v, "epsilon", "privacy.numerics.epsilon_core", &core) ||
      !field_positive(v, "epsilon", "privacy.numerics.epsilon_num", &num) ||
      !class_epsilon(v, "epsilon", &epsilon)) {
    return;
  }
  bool covered = exact_sum_at_most(core, 2, num, epsilon);
  (void)finding_report(v, covered, "epsilon", "epsilon_core + 2 epsilon_num = %s %s %s = %s",
                       shown(exact_sum_upper(core, 2, num)).text, covered ? "<=" : ">",
                       class_epsilon_name(v), shown(epsilon).text);
}

/* ---- beta */

typedef struct fit_numbers {
  double beta, epsilon; /* epsilon: what the noise may cost, and its name in the file */
  const char *epsilon_name;
  const interval *rows, *lambda, *total; /* n, Lambda, Lambda + Delta */
  const interval *r2, *rk;
  loss_facts loss;
} fit_numbers;

static bool read_budget(verifier *v, fit_numbers *f) {
  f->epsilon_name = "epsilon_core";
  if (field_is_object(v, "privacy.numerics")) {
    return field_positive(v, "beta", "privacy.numerics.epsilon_core", &f->epsilon);
  }
  f->epsilon_name = class_epsilon_name(v); /* files without numerics gave all of it to the noise */
  return class_epsilon(v, "beta", &f->epsilon);
}

static bool read_fit(verifier *v, fit_numbers *f) {
  interval_arena *arena = &v->arena;
  const noise_shape *kind = noise_shape_find(json_string_value(field_at(v->root, "privacy.noise")));
  double lambda = 0, delta_reg = 0, r2 = 0;
  uint64_t rows = 0;
  if (!read_budget(v, f) || !field_positive(v, "beta", "privacy.beta", &f->beta) ||
      !field_positive(v, "beta", "privacy.lambda", &lambda) ||
      !field_number(v, "beta", "privacy.delta_reg", &delta_reg) ||
      !field_count(v, "beta", "rows_fitted", &rows) || !row_bound(v, "beta", &r2) ||
      !loss_of_fit(v, "beta", &f->loss)) {
    return false;
  }
  f->rows = interval_of(arena, (double)rows);
  f->lambda = interval_of(arena, lambda);
  f->total = interval_add(arena, f->lambda, interval_of(arena, delta_reg));
  f->r2 = interval_of(arena, r2);
  f->rk = kind ? kind->row_bound(v, f->r2) : NULL;
  if (delta_reg < 0 || !f->rk) {
    return finding_report(v, false, "beta", "%s",
                          f->rk ? "privacy.delta_reg is below zero"
                                : "cannot be checked for this kind of noise");
  }
  return true;
}

/* 2LR, the most that two neighbours' gradients differ by in the noise's norm. */
static const interval *gradient_range(interval_arena *arena, const fit_numbers *f) {
  return interval_mul(arena, interval_of(arena, 2), interval_mul(arena, f->loss.lipschitz, f->rk));
}

static void report_beta(verifier *v, const fit_numbers *f, const interval *limit,
                        const char *formula) {
  const interval *beta = interval_of(&v->arena, f->beta);
  bool enough = interval_at_most(beta, limit);
  (void)finding_report(v, enough, "beta", "%s %s %s = %s, with %s = %s", shown(f->beta).text,
                       enough ? "<=" : "is not <=", formula, shown(interval_lower(limit)).text,
                       f->epsilon_name, shown(f->epsilon).text);
}

/* beta <= n Lambda epsilon/(2LR). */
static void check_output(verifier *v, const fit_numbers *f) {
  interval_arena *arena = &v->arena;
  const interval *over =
      interval_mul(arena, interval_mul(arena, f->rows, f->lambda), interval_of(arena, f->epsilon));
  report_beta(v, f, interval_div(arena, over, gradient_range(arena, f)),
              "n lambda epsilon/(2 L R)");
}

/* beta <= epsilon'/(2LR), epsilon' = epsilon - 2 log(1 + c R^2/(n Lambda_t)). */
static void check_paper(verifier *v, const fit_numbers *f, const interval *kappa) {
  interval_arena *arena = &v->arena;
  const interval *slack = interval_log1p(arena, interval_mul(arena, kappa, f->loss.smoothness));
  const interval *left =
      interval_sub(arena, interval_of(arena, f->epsilon), interval_add(arena, slack, slack));
  report_beta(v, f, interval_div(arena, left, gradient_range(arena, f)), "epsilon'/(2 L R)");
}

static void check_tight(verifier *v, const fit_numbers *f, const interval *kappa) {
  interval_arena *arena = &v->arena;
  const interval *a = interval_mul(arena, interval_of(arena, f->beta), f->rk);
  const interval *cost = epsilon_bound(arena, &f->loss, kappa, a);
  bool enough = interval_at_most(cost, interval_of(arena, f->epsilon));
  (void)finding_report(v, enough, "beta",
                       "%s costs epsilon(A) <= %s, which %s %s = %s (A = beta R = %s, kappa = %s)",
                       shown(f->beta).text, shown(interval_upper(cost)).text,
                       enough ? "is <=" : "is not <=", f->epsilon_name, shown(f->epsilon).text,
                       shown(interval_upper(a)).text, shown(interval_upper(kappa)).text);
}

static void check_objective(verifier *v, const fit_numbers *f) {
  interval_arena *arena = &v->arena;
  const char *analysis = json_string_value(field_at(v->root, "privacy.analysis"));
  const interval *kappa = interval_div(arena, interval_mul(arena, f->r2, f->r2),
                                       interval_mul(arena, f->rows, f->total));
  if (analysis && strcmp(analysis, "tight") == 0) {
    check_tight(v, f, kappa);
  } else if (analysis && strcmp(analysis, "paper") == 0) {
    check_paper(v, f, kappa);
  } else {
    (void)finding_report(v, false, "beta", "cannot be checked without a known analysis");
  }
}

void check_beta(verifier *v) {
  size_t mark = interval_mark(&v->arena);
  fit_numbers f;
  const char *mechanism = json_string_value(field_at(v->root, "privacy.mechanism"));
  if (read_fit(v, &f)) {
    if (by_output(v)) {
      check_output(v, &f);
    } else if (mechanism && strcmp(mechanism, "objective") == 0) {
      check_objective(v, &f);
    } else {
      (void)finding_report(v, false, "beta", "cannot be checked without a known mechanism");
    }
  }
  interval_release(&v->arena, mark);
}
