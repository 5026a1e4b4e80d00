/* The library's own losses, by index, by name and by recognition: the one file that lists them. And
 * the check of what a caller passes. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/defect.h"
#include "base/functions.h"
#include "loss/link.h"
#include "loss/loss.h"

/* One file each. */
extern const loss_kind loss_logistic;
extern const loss_kind loss_huber;
extern const loss_kind loss_smooth_hinge;
extern const loss_kind loss_log_cosh;
extern const loss_kind loss_huber_regression;
extern const loss_kind loss_quantile_kind;
extern const loss_kind loss_poisson;

/* In the order of help and messages. */
static const loss_kind *const kinds[] = {
    &loss_logistic,         &loss_huber,         &loss_smooth_hinge, &loss_log_cosh,
    &loss_huber_regression, &loss_quantile_kind, &loss_poisson,
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* All that are recognized: softmax has no name that a caller could ask for. */
static const loss_kind *own_kind(size_t i) {
  return i < KINDS ? kinds[i] : i == KINDS ? &loss_softmax : NULL;
}

/* ---- what dperm_loss has no member for, as its layout is fixed for good: the place that `context`
 * points to in here. Of numeric labels' losses the quantile, in thousandths, and whether h is the
 * usual one. */

enum { QUANTILES = 1000 };
static const char places[2][QUANTILES + 1];

/* From 1 on; 0 for a context that is none of these. */
static size_t place_of(const dperm_loss *loss) {
  const uintptr_t at = (uintptr_t)loss->context, first = (uintptr_t)places[0];
  return at > first && at < first + sizeof places ? (size_t)(at - first) : 0;
}

static size_t quantile_place(const dperm_loss *loss) {
  const size_t place = place_of(loss) % (QUANTILES + 1);
  return place < QUANTILES ? place : 0;
}

double loss_quantile(const dperm_loss *loss) {
  const size_t place = quantile_place(loss);
  const bool has = place > 0 && loss->eval == loss_quantile_kind.eval;
  return has ? (double)place / QUANTILES : (double)NAN;
}

bool loss_h_usual(const dperm_loss *loss) {
  return place_of(loss) > QUANTILES;
}

/* The median's place for losses without a quantile. L is max(τ, 1 − τ), and no less: what is left
 * of it to 1 is exact. */
static void set_context(const loss_kind *kind, size_t place, bool usual, dperm_loss *loss) {
  const double tau = (double)place / QUANTILES, rest = 1 - tau;
  if (kind->numbers && !kind->counts) {
    loss->context = (void *)&places[usual][place]; /* never written through */
  }
  if (kind->quantile) {
    loss->lipschitz = fmax(tau, 1 - rest > tau ? nextafter(rest, 1) : rest);
  }
}

/* ---- making and knowing them */

static double h_share(double tau) {
  const double moved = 0.1; /* at most, in units of the h that other losses have */
  if (isnan(tau)) {
    return 1;
  }
  const double most = fmin(0.5, moved / fabs(math_log(tau / (1 - tau))));
  return ldexp(1, ilogb(most)); /* whatever the logarithm's last bit is */
}

double loss_h_share(const dperm_loss *loss) {
  return h_share(loss_quantile(loss));
}

static dperm_status make_at(const loss_kind *kind, double h, size_t place, dperm_loss *out,
                            dperm_error *err) {
  bool has_h = kind->h_most > 0;
  const bool usual = isnan(h);
  h = usual ? kind->h_usual * h_share(kind->quantile ? (double)place / QUANTILES : (double)NAN) : h;
  FAIL_IF(has_h && !(h >= kind->h_least && h <= kind->h_most), err, DPERM_INVALID_ARGUMENT,
          "h = %g is out of range; choose it between %g and %g", h, kind->h_least, kind->h_most);
  *out = kind->constants(h);
  out->name = kind->name;
  out->parameter = has_h ? h : (double)NAN;
  out->eval = kind->eval;
  set_context(kind, place, usual, out);
  return DPERM_OK;
}

dperm_status loss_make(const loss_kind *kind, double h, dperm_loss *out, dperm_error *err) {
  return make_at(kind, h, QUANTILES / 2, out, err);
}

const loss_kind *loss_kind_named(const char *name) {
  size_t i = 0;
  while (i < KINDS && strcmp(kinds[i]->name, name) != 0) {
    i++;
  }
  return i < KINDS ? kinds[i] : NULL;
}

/* All that the claim rests on, the name included: a model file says it, and whoever verifies the
 * file takes the constants from it. */
static bool same_loss(const dperm_loss *a, const dperm_loss *b) {
  bool same_h = a->parameter == b->parameter || (isnan(a->parameter) && isnan(b->parameter));
  return a->name && strcmp(a->name, b->name) == 0 && same_h && a->lipschitz == b->lipschitz &&
         a->smoothness == b->smoothness && a->slope_error == b->slope_error;
}

const loss_kind *loss_kind_of(const dperm_loss *loss) {
  dperm_loss own;
  for (size_t i = 0; own_kind(i); i++) {
    if (loss->eval == own_kind(i)->eval && (!own_kind(i)->quantile || quantile_place(loss) > 0) &&
        make_at(own_kind(i), loss->parameter, quantile_place(loss), &own, NULL) == DPERM_OK &&
        same_loss(loss, &own)) {
      return own_kind(i);
    }
  }
  return NULL;
}

dperm_status loss_with_h(const dperm_loss *loss, double h, dperm_loss *out, dperm_error *err) {
  return make_at(loss_kind_of(loss), h, quantile_place(loss), out, err);
}

/* Asked for every block of rows, mostly of losses that are none. */
static const loss_kind *kind_of_numbers(const dperm_loss *loss) {
  size_t i = 0;
  while (i < KINDS && !(kinds[i]->numbers && loss->eval == kinds[i]->eval)) {
    i++;
  }
  return i < KINDS && loss_kind_of(loss) == kinds[i] ? kinds[i] : NULL;
}

bool loss_is_residual(const dperm_loss *loss) {
  const loss_kind *kind = kind_of_numbers(loss);
  return kind && !kind->counts;
}

bool loss_is_count(const dperm_loss *loss) {
  const loss_kind *kind = kind_of_numbers(loss);
  return kind && kind->counts;
}

bool loss_of_numbers(const dperm_loss *loss) {
  return kind_of_numbers(loss);
}

bool loss_both_signs(const dperm_loss *loss) {
  const loss_kind *kind = loss_kind_of(loss);
  return !kind || (kind->numbers && !DEFECT("signs-forgotten"));
}

double loss_at_zero(const dperm_loss *loss) {
  const double labels[2] = {-1, 1}, scores[2] = {0, 0};
  double values[2];
  if (!loss_of_numbers(loss)) { /* of a margin, or of several scores at once */
    loss->eval(loss, 1, scores, values, NULL, NULL);
    return values[0];
  }
  link_eval(loss, 2, 1, labels, scores, values, NULL, NULL);
  return fmax(values[0], values[1]);
}

void loss_slope_dd(const dperm_loss *loss, size_t count, const double *z, const double *z_rest,
                   double *slope) {
  const loss_kind *kind = loss_kind_of(loss);
  if (kind) {
    kind->slopes(loss, count, z, z_rest, slope, NULL);
  } else {
    loss->eval(loss, count, z, NULL, slope, NULL);
  }
}

dperm_status loss_validate(const dperm_loss *loss, dperm_error *err) {
  FAIL_IF(!loss->eval || !loss->name, err, DPERM_INVALID_ARGUMENT,
          "the loss has no name or no eval function; set both");
  for (const char *c = loss->name; *c; c++) {
    FAIL_IF(*c < 0x20 || *c > 0x7e, err, DPERM_INVALID_ARGUMENT,
            "the loss's name goes into the model file; use printable ASCII only");
  }
  FAIL_IF(isinf(loss->parameter), err, DPERM_INVALID_ARGUMENT,
          "loss %s has an infinite parameter; give a finite one, or NaN for none", loss->name);
  const struct {
    double value;
    const char *name, *rule;
    bool positive;
  } constants[] = {
      {loss->lipschitz, "L", "the bound on |slope| must be positive and finite", true},
      {loss->smoothness, "c",
       "the bound on curvature must be positive and finite (smooth the loss if it has a kink)",
       true},
      {loss->slope_error, "slope_error", "give a finite bound, or 0 if none is known", false}};
  for (size_t i = 0; i < 3; i++) {
    double value = constants[i].value;
    FAIL_IF(!(value > 0 || (value == 0 && !constants[i].positive)) || isinf(value), err,
            DPERM_INVALID_ARGUMENT, "loss %s declares %s = %g; %s", loss->name, constants[i].name,
            value, constants[i].rule);
  }
  return DPERM_OK;
}

dperm_status loss_check_name(const dperm_loss *loss, dperm_error *err) {
  FAIL_IF(loss_kind_named(loss->name) && !loss_kind_of(loss), err, DPERM_INVALID_ARGUMENT,
          "the loss is called \"%s\" but is not the library's loss of that name, or its constants "
          "were changed; give it another name",
          loss->name);
  return DPERM_OK;
}

const char *dperm_loss_name(size_t index) {
  return index < KINDS ? kinds[index]->name : NULL;
}

dperm_status dperm_loss_quantile(double quantile, double h, dperm_loss *out, dperm_error *err) {
  const double place = rint(quantile * QUANTILES);
  FAIL_IF(!(place >= 1 && place < QUANTILES && fabs(quantile * QUANTILES - place) < 1e-6), err,
          DPERM_INVALID_ARGUMENT,
          "quantile = %g; give one from 0.001 to 0.999, in whole thousandths", quantile);
  return make_at(&loss_quantile_kind, h, (size_t)place, out, err);
}

dperm_status dperm_loss_by_name(const char *name, double h, dperm_loss *out, dperm_error *err) {
  const loss_kind *kind = loss_kind_named(name);
  if (kind) {
    return loss_make(kind, h, out, err);
  }
  char names[256] = "";
  for (size_t i = 0, used = 0; i < KINDS && used < sizeof names; i++) {
    const char *before = i == 0 ? "" : i + 1 < KINDS ? ", " : " or ";
    used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", before, kinds[i]->name);
  }
  FAIL(err, DPERM_INVALID_ARGUMENT, "no loss is called \"%.64s\"; choose %s", name, names);
}
