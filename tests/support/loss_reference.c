/* See loss_reference.h. */
#include "loss_reference.h"

#include <math.h>
#include <string.h>

/* ---- the formulas */

/* log(1 + e^−z) = max(0, −z) + log(1 + e^−|z|). */
static void logistic(double h, const mpfr_t z, mpfr_t out) {
  (void)h;
  mpfr_abs(out, z, MPFR_RNDN);
  mpfr_neg(out, out, MPFR_RNDN);
  mpfr_exp(out, out, MPFR_RNDN);
  mpfr_log1p(out, out, MPFR_RNDN);
  if (mpfr_sgn(z) < 0) {
    mpfr_sub(out, out, z, MPFR_RNDN);
  }
}

/* The hinge where |1 − z| > h, and whether that was all; else out = 1 − z. */
static int outside(double h, const mpfr_t z, mpfr_t out) {
  mpfr_ui_sub(out, 1, z, MPFR_RNDN);
  if (mpfr_cmp_d(out, -h) < 0) {
    mpfr_set_zero(out, 1);
    return 1;
  }
  return mpfr_cmp_d(out, h) > 0;
}

/* (h + 1 − z)²/(4h): CMS equation 7. */
static void huber(double h, const mpfr_t z, mpfr_t out) {
  if (!outside(h, z, out)) {
    mpfr_add_d(out, out, h, MPFR_RNDN);
    mpfr_sqr(out, out, MPFR_RNDN);
    mpfr_div_d(out, out, 4 * h, MPFR_RNDN);
  }
}

/* h(3 + 8u + 6u² − u⁴)/16, u = (1 − z)/h. */
static void smooth_hinge(double h, const mpfr_t z, mpfr_t out) {
  if (!outside(h, z, out)) {
    mpfr_t u;
    mpfr_init2(u, REFERENCE_BITS);
    mpfr_div_d(u, out, h, MPFR_RNDN);
    mpfr_sqr(out, u, MPFR_RNDN);
    mpfr_ui_sub(out, 6, out, MPFR_RNDN);
    mpfr_mul(out, out, u, MPFR_RNDN);
    mpfr_add_ui(out, out, 8, MPFR_RNDN);
    mpfr_mul(out, out, u, MPFR_RNDN);
    mpfr_add_ui(out, out, 3, MPFR_RNDN);
    mpfr_mul_d(out, out, h / 16, MPFR_RNDN);
    mpfr_clear(u);
  }
}

/* h·log cosh(z/h) = |z| + h(log(1 + e^(−2|z|/h)) − log 2). */
static void log_cosh(double h, const mpfr_t z, mpfr_t out) {
  mpfr_t rest;
  mpfr_init2(rest, REFERENCE_BITS);
  mpfr_abs(rest, z, MPFR_RNDN);
  mpfr_mul_si(out, rest, -2, MPFR_RNDN);
  mpfr_div_d(out, out, h, MPFR_RNDN);
  mpfr_exp(out, out, MPFR_RNDN);
  mpfr_add_ui(out, out, 1, MPFR_RNDN);
  mpfr_div_ui(out, out, 2, MPFR_RNDN);
  mpfr_log(out, out, MPFR_RNDN);
  mpfr_mul_d(out, out, h, MPFR_RNDN);
  mpfr_add(out, out, rest, MPFR_RNDN);
  mpfr_clear(rest);
}

static void huber_regression(double h, const mpfr_t z, mpfr_t out) {
  mpfr_abs(out, z, MPFR_RNDN);
  if (mpfr_cmp_d(out, h) > 0) {
    mpfr_sub_d(out, out, h / 2, MPFR_RNDN);
  } else {
    mpfr_sqr(out, z, MPFR_RNDN);
    mpfr_div_d(out, out, 2 * h, MPFR_RNDN);
  }
}

/* h·log(1 + e^(z/h)) − τz. */
static void pinball(double tau, double h, const mpfr_t z, mpfr_t out) {
  mpfr_t scaled;
  mpfr_init2(scaled, REFERENCE_BITS);
  mpfr_div_d(scaled, z, -h, MPFR_RNDN);
  logistic(1, scaled, out);
  mpfr_mul_d(out, out, h, MPFR_RNDN);
  mpfr_mul_d(scaled, z, tau, MPFR_RNDN);
  mpfr_sub(out, out, scaled, MPFR_RNDN);
  mpfr_clear(scaled);
}

/* e^z, and its tangent from zero on. */
static void count(double h, const mpfr_t z, mpfr_t out) {
  mpfr_exp(out, z, MPFR_RNDN);
  if (mpfr_sgn(z) > 0) {
    mpfr_add_ui(out, z, 1, MPFR_RNDN);
  }
}

static void median(double h, const mpfr_t z, mpfr_t out) {
  pinball(0.5, h, z, out);
}

static void tenth(double h, const mpfr_t z, mpfr_t out) {
  pinball(0.1, h, z, out);
}

static void last(double h, const mpfr_t z, mpfr_t out) {
  pinball(0.999, h, z, out);
}

static const struct {
  const char *name;
  reference_value *value;
} references[] = {
    {"logistic", logistic},
    {"huber", huber},
    {"smooth-hinge", smooth_hinge},
    {"log-cosh", log_cosh},
    {"huber-regression", huber_regression},
    {"quantile", median},
    {"poisson", count},
    {"quantile 0.1", tenth},
    {"quantile 0.999", last},
};

reference_value *loss_reference(const char *name) {
  for (size_t i = 0; i < sizeof references / sizeof *references; i++) {
    if (strcmp(references[i].name, name) == 0) {
      return references[i].value;
    }
  }
  return NULL;
}

/* ---- derivatives */

enum { AT, BELOW, BELOW2, ABOVE, ABOVE2, POINTS };

typedef struct neighbours {
  mpfr_t z, step, value[POINTS], sum;
} neighbours;

static void look_around(reference_value *value, double h, double scale, double z, double rest,
                        neighbours *n) {
  static const long places[POINTS] = {0, -1, -2, 1, 2};
  mpfr_inits2(REFERENCE_BITS, n->z, n->step, n->sum, (mpfr_ptr)0);
  mpfr_set_d(n->step, scale, MPFR_RNDN);
  mpfr_div_2ui(n->step, n->step, 200, MPFR_RNDN);
  for (int i = 0; i < POINTS; i++) {
    mpfr_init2(n->value[i], REFERENCE_BITS);
    mpfr_mul_si(n->z, n->step, places[i], MPFR_RNDN);
    mpfr_add_d(n->z, n->z, z, MPFR_RNDN);
    mpfr_add_d(n->z, n->z, rest, MPFR_RNDN);
    value(h, n->z, n->value[i]);
  }
}

static void forget(neighbours *n) {
  mpfr_clears(n->z, n->step, n->sum, (mpfr_ptr)0);
  for (int i = 0; i < POINTS; i++) {
    mpfr_clear(n->value[i]);
  }
}

static void slope_of(neighbours *n) {
  mpfr_sub(n->sum, n->value[ABOVE], n->value[BELOW], MPFR_RNDN);
  mpfr_div(n->sum, n->sum, n->step, MPFR_RNDN);
  mpfr_div_2ui(n->sum, n->sum, 1, MPFR_RNDN);
}

/* (ℓ(a) − 2ℓ(b) + ℓ(c))/step². */
static double curvature_of(neighbours *n, int a, int b, int c) {
  mpfr_add(n->sum, n->value[a], n->value[c], MPFR_RNDN);
  mpfr_sub(n->sum, n->sum, n->value[b], MPFR_RNDN);
  mpfr_sub(n->sum, n->sum, n->value[b], MPFR_RNDN);
  mpfr_div(n->sum, n->sum, n->step, MPFR_RNDN);
  mpfr_div(n->sum, n->sum, n->step, MPFR_RNDN);
  return mpfr_get_d(n->sum, MPFR_RNDN);
}

loss_exact loss_exact_at(reference_value *value, double h, double scale, double z, double rest) {
  neighbours n;
  look_around(value, h, scale, z, rest, &n);
  loss_exact out = {.value = mpfr_get_d(n.value[AT], MPFR_RNDN),
                    .before = curvature_of(&n, BELOW2, BELOW, AT),
                    .after = curvature_of(&n, AT, ABOVE, ABOVE2)};
  slope_of(&n);
  out.slope = mpfr_get_d(n.sum, MPFR_RNDN);
  forget(&n);
  return out;
}

double loss_slope_distance(reference_value *value, double h, double scale, double z, double rest,
                           double slope) {
  neighbours n;
  look_around(value, h, scale, z, rest, &n);
  slope_of(&n);
  mpfr_sub_d(n.sum, n.sum, slope, MPFR_RNDN);
  double distance = fabs(mpfr_get_d(n.sum, MPFR_RNDA));
  forget(&n);
  return distance;
}
