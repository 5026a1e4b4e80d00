/* The textbook's formula as it stands: at 256 bits nothing is lost when its terms cancel. The slack
 * of the Jacobians is a line over the slope s that stays above log(1 + kappa·a(s)): for losses with
 * a shape a is a concave function of s, so *any* tangent will do; bisection only looks for one that
 * is good, and need not be trusted. */
#include "verify/delta_bound.h"

#include <math.h>

interval delta_of_shift(interval epsilon, interval shift) {
  const interval two = interval_of(2), root = interval_sqrt(two);
  const interval ratio = interval_div(epsilon, shift), half = interval_div(shift, two);
  interval near = interval_erfc(interval_div(interval_sub(ratio, half), root));
  interval far = interval_erfc(interval_div(interval_add(ratio, half), root));
  return interval_div(interval_sub(near, interval_mul(interval_exp(epsilon), far)), two);
}

/* The ends of the line, at s = 0 and at s = L = 1. */
typedef struct line {
  interval zero, steepest;
} line;

/* The tangent at a place of the shape where a falls with s. */
static line tangent_at(const loss_facts *loss, interval k, double place) {
  const loss_shape at = loss->known->shape(interval_of(place));
  const interval bend = interval_add(interval_of(1), interval_mul(k, at.a));
  const interval value = interval_log1p(interval_mul(k, at.a));
  interval fall = interval_mul(k, interval_sub(interval_of(0), at.a_rise));
  fall = interval_div(interval_div(fall, bend), at.s_rise);
  return (line){interval_add(value, interval_mul(fall, at.s)),
                interval_sub(value, interval_mul(fall, interval_sub(interval_of(1), at.s)))};
}

/* What a line proves: the corners of two records' slopes, each with what the slack leaves of
 * epsilon.
 */
static interval delta_of_line(const loss_facts *loss, bool adding, const line *l, interval epsilon,
                              interval step) {
  const interval two = interval_of(2);
  const interval left = interval_sub(epsilon, l->zero), most = interval_sub(epsilon, l->steepest);
  if (!interval_at_most(l->zero, epsilon)) {
    return interval_of(INFINITY);
  }
  if (adding) { /* s = L, once or with both signs; s = 0 adds nothing */
    return interval_mul(interval_of(loss->known ? 1 : 2), delta_of_shift(most, step));
  }
  if (!loss->known) { /* slopes of both signs: corners 2L and sqrt(2) L away, two each */
    interval far = delta_of_shift(left, interval_mul(two, step));
    return interval_mul(
        two, interval_add(far, delta_of_shift(left, interval_mul(interval_sqrt(two), step))));
  }
  interval sum = delta_of_shift(most, interval_mul(two, step));
  return interval_add(sum, interval_add(delta_of_shift(most, step), delta_of_shift(left, step)));
}

/* Whether a corner with the slack at s = 0 costs no more than one twice as far with the other. */
static bool pays(const line *l, bool adding, interval epsilon) {
  const interval wide =
      interval_mul(interval_of(adding ? 0 : 0.55), interval_sub(epsilon, l->steepest));
  return interval_at_most(wide, interval_sub(epsilon, l->zero));
}

/* Each line is a proof of its own, so the least of all that are met is one: the line that the noise
 * was made for is among them, or next to one. kappa·a is at most k everywhere: the flat line. */
interval delta_bound(const loss_facts *loss, bool adding, interval kappa, interval epsilon,
                     interval a) {
  const interval k = interval_mul(kappa, loss->smoothness), flat = interval_log1p(k);
  const interval step = interval_mul(a, loss->lipschitz);
  line next = {flat, flat};
  interval least = delta_of_line(loss, adding, &next, epsilon, step);
  if (!loss->known || !loss->known->shape) {
    return least;
  }
  double low = loss->known->peak, high = 1, place = high;
  for (int i = 0; i < 45 && low < high; i++) {
    next = tangent_at(loss, k, place);
    interval proved = delta_of_line(loss, adding, &next, epsilon, step);
    least = interval_upper(proved) < interval_upper(least) ? proved : least;
    *(pays(&next, adding, epsilon) ? &low : &high) = place;
    place = (low + high) / 2;
  }
  return least;
}

/* How many corners, and their squared length in units of A. */
static interval corners_delta(double count, double square, interval epsilon, interval a) {
  const interval length = interval_mul(interval_sqrt(interval_of(square)), a);
  return interval_mul(interval_of(count), delta_of_shift(epsilon, length));
}

/* A record's slopes are in the hull of 0 and k − 1 vectors e_j − e_y. Of two records' differences
 * that are not 0 at either, k − 1 have a squared length of 8 and the others of 6, in the worst
 * case; with a 0 it is 2. The determinants differ by at most (1 + κ/k)^(k−1). */
interval joint_delta_bound(size_t classes, bool adding, interval kappa, interval epsilon,
                           interval a) {
  const double k = (double)classes, others = k - 1;
  const interval slack =
      interval_mul(interval_of(others), interval_log1p(interval_div(kappa, interval_of(k))));
  const interval left = interval_sub(epsilon, slack);
  if (!interval_at_most(slack, epsilon)) {
    return interval_of(INFINITY);
  }
  if (adding) {
    return corners_delta(others, 2, left, a);
  }
  interval sum = corners_delta(others, 8, left, a);
  sum = interval_add(sum, corners_delta(others * (k - 2), 6, left, a));
  return interval_add(sum, corners_delta(2 * others, 2, left, a));
}
