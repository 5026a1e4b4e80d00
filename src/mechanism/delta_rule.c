/* With x = (ε/μ − μ/2)/√2 and y = (ε/μ + μ/2)/√2 the two terms of δ_G have a common factor,
 *
 *   δ_G = ½e^{−x²}·(erfcx(x) − erfcx(y)),   erfcx(x) = e^{x²}·erfc(x),
 *
 * so δ of any size comes out with a small relative error but for what the difference cancels: that
 * is at most a few units of 2^−53 of erfcx(x), which is added. Where x < 0 it is ½(erfc(x) −
 * e^{−x²}·erfcx(y)). Rounding of x moves e^{−x²} by 2x²·2^−52, below 4e-13 for every δ that doubles
 * hold. tests/property/delta_rule_test.c compares with MPFR. */
#include "mechanism/delta_rule.h"

#include <math.h>

#include "base/defect.h"
#include "base/functions.h"
#include "loss/link.h"
#include "mechanism/epsilon_rule.h"

static const double guard = 1 + 1e-9;  /* against all rounding of products and functions, */
static const double cancelled = 1e-13; /* and of a difference of such */
static const double root_half = 0.7071067811865476;

double delta_gaussian(double epsilon, double mu) {
  if (!(mu > 0)) {
    return isnan(mu) ? 1 : 0;
  }
  double x = (epsilon / mu - mu / 2) * root_half, y = (epsilon / mu + mu / 2) * root_half;
  const double least = 0x1p-1021; /* less than any delta; below it doubles lose digits */
  if (!(x < 27.2)) {              /* below e^−739 */
    return least;
  }
  double fall = math_exp(-x * x), far = math_erfc_scaled(y);
  double near = x < 0 ? math_erfc(x) / fall : math_erfc_scaled(x);
  double twice = x < -26 ? 2 : fall * ((near - far) + cancelled * near);
  return fmin(fmax(guard * twice / 2, least), 1);
}

double delta_of(const delta_corners *corners, double epsilon, double a) {
  double sum = 0;
  for (size_t i = 0; i < corners->count; i++) {
    const delta_corner *c = &corners->at[i];
    if (!(c->slack <= epsilon)) { /* the corner of length 0 alone would cost δ > 0 */
      return 1;
    }
    sum += c->count * delta_gaussian(epsilon - c->slack, c->length * a * (1 + 0x1p-50));
  }
  return fmin(sum * (1 + 0x1p-50), 1);
}

/* A bracket of log A, with log δ less its goal at both ends. */
typedef struct bracket {
  double low, high, at_low, at_high; /* NaN: not known yet */
} bracket;

/* False position, after Illinois: an end that stays twice counts half. Whatever the steps are, the
 * low end has been shown to cost no more than delta. */
static void narrow(const delta_corners *corners, double epsilon, double goal, bracket *b) {
  int stays = 0;
  for (int i = 0; i < 200 && b->at_low < -1e-12 && b->high - b->low > 1e-14; i++) {
    double x = (b->low * b->at_high - b->high * b->at_low) / (b->at_high - b->at_low);
    double y = math_log(delta_of(corners, epsilon, math_exp(x))) - goal;
    if (y <= 0) {
      b->at_high /= stays > 0 ? 2 : 1;
      b->low = x;
      b->at_low = y;
    } else {
      b->at_low /= stays < 0 ? 2 : 1;
      b->high = x;
      b->at_high = y;
    }
    stays = y <= 0 ? 1 : -1;
  }
}

double delta_invert(const delta_corners *corners, double epsilon, double delta) {
  const double least = -660, most = 660;
  /* The longest comes first, and its tail goes as exp(−(ε/(length·A))²/2). */
  const delta_corner *c = &corners->at[0];
  double goal = math_log(delta), guess = epsilon / (c->length * fmax(sqrt(-2 * goal), 1)),
         step = 0.2;
  bracket b = {(double)NAN, (double)NAN, 0, 0};
  if (!(delta_of(corners, epsilon, 0) <= delta)) {
    return 0;
  }
  for (double x = math_log(guess); (isnan(b.low) || isnan(b.high)) && x > least && x < most;
       x += isnan(b.low) ? -step : step, step = fmin(2 * step, 1.4)) {
    double y = math_log(delta_of(corners, epsilon, math_exp(x))) - goal;
    *(y <= 0 ? &b.low : &b.high) = x;
    *(y <= 0 ? &b.at_low : &b.at_high) = y;
  }
  if (isnan(b.low) || isnan(b.high)) {
    return 0;
  }
  narrow(corners, epsilon, goal, &b);
  double a = math_exp(b.low);
  while (delta_of(corners, epsilon, a) > delta) { /* a step or two, if exp rounded up */
    a *= 1 - 1e-12;
  }
  return a;
}

/* ---- the lists */

/* A line over the slope s from 0 to L that log(1 + κ·a(s)) stays below: its ends. */
typedef struct slack_line {
  double at_zero, at_steepest;
} slack_line;

static slack_line line_at(const loss_kind *kind, const dperm_loss *loss, double kappa,
                          double place) {
  double flat = math_log1p(kappa * loss->smoothness) * (1 + 1e-12);
  slack_line line = {flat, flat};
  if (place > 0 && kind && kind->tangent) {
    kind->tangent(loss, kappa, place, &line.at_zero, &line.at_steepest);
  }
  return line;
}

/* Where the corners of length L and those of length 2L have about the same say: tails go as
 * exp(−((ε − slack)/length)²/2A²), so ε − slack should be half as large there, and of slopes of one
 * sign a little more, by trial. */
static bool line_pays(const dperm_loss *loss, slack_line line, dperm_neighbours neighbours,
                      double epsilon) {
  bool one = neighbours == DPERM_NEIGHBOURS_ADD_REMOVE; /* no other corner but that of length 0 */
  double part = loss_both_signs(loss) ? 0.5 : 0.55;
  return epsilon - line.at_zero >= (one ? 0 : part * (epsilon - line.at_steepest));
}

/* The steepest tangent that pays, by bisection: its end at s = 0 rises with the place and the other
 * one falls. A loss without tangents has the flat line log(1 + κc). */
static slack_line best_line(const dperm_loss *loss, dperm_neighbours neighbours, double kappa,
                            double epsilon) {
  const loss_kind *kind = loss_kind_of(loss);
  double low = 0, high = 1;
  if (!kind || !kind->tangent) {
    return line_at(kind, loss, kappa, 0);
  }
  if (line_pays(loss, line_at(kind, loss, kappa, 1), neighbours, epsilon)) {
    return line_at(kind, loss, kappa, 1);
  }
  for (int i = 0; i < 40; i++) {
    double middle = (low + high) / 2;
    bool pays = line_pays(loss, line_at(kind, loss, kappa, middle), neighbours, epsilon);
    *(pays ? &low : &high) = middle;
  }
  return line_at(kind, loss, kappa, low);
}

delta_corners delta_corners_objective(const dperm_loss *loss, dperm_neighbours neighbours,
                                      double kappa, double epsilon) {
  double l = loss->lipschitz;
  if (softmax_classes(loss) > 0) { /* several scores: nothing is proved, and no A is small enough */
    return (delta_corners){1, {{1, l, (double)INFINITY}}};
  }
  slack_line line = best_line(loss, neighbours, kappa, epsilon);
  if (DEFECT("corners-forgotten")) {
    return (delta_corners){1, {{1, l, line.at_steepest}}};
  }
  if (neighbours == DPERM_NEIGHBOURS_ADD_REMOVE) {
    return (delta_corners){
        2, {{loss_both_signs(loss) ? 2 : 1, l, line.at_steepest}, {1, 0, line.at_zero}}};
  }
  if (loss_both_signs(loss)) { /* two boxes that meet at s = 0, with six corners of their own */
    const double root_2 = 1.4142135623730954; /* rounded up */
    const bool flat = line.at_zero == line.at_steepest;
    return (delta_corners){
        flat ? 2 : 3,
        {{2, 2 * l, line.at_steepest}, {2, root_2 * l, line.at_steepest}, {2, l, line.at_zero}}};
  }
  return (delta_corners){4,
                         {{1, 2 * l, line.at_steepest},
                          {1, l, line.at_steepest},
                          {1, l, line.at_zero},
                          {1, 0, line.at_zero}}};
}

double delta_invert_objective(const dperm_loss *loss, dperm_neighbours neighbours, double kappa,
                              double epsilon, double delta) {
  const delta_corners flat = delta_corners_objective(loss, neighbours, kappa, 0);
  const delta_corners tangent = delta_corners_objective(loss, neighbours, kappa, epsilon);
  return fmax(delta_invert(&flat, epsilon, delta), delta_invert(&tangent, epsilon, delta));
}

delta_corners delta_corners_shift(double lipschitz, dperm_neighbours neighbours) {
  return (delta_corners){1, {{1, neighbours_gradients(neighbours) * lipschitz, 0}}};
}

const double descent_clip = 0.7;

delta_corners delta_corners_of(dperm_mechanism mechanism, const dperm_loss *loss,
                               dperm_neighbours neighbours, double kappa, double epsilon) {
  if (mechanism == DPERM_MECHANISM_OBJECTIVE) {
    return delta_corners_objective(loss, neighbours, kappa, epsilon);
  }
  bool descent = mechanism == DPERM_MECHANISM_DESCENT;
  return delta_corners_shift(descent ? descent_clip : loss->lipschitz, neighbours);
}
