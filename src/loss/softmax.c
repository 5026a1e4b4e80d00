/* With m the largest score, e_c = e^{z_c − m} ≤ 1 and D = Σ e_c ≥ 1, p_c = e_c/D: nothing
 * overflows. The l2 norm of the error of the computed p − e_y, of which softmax.md has a proof, is
 * below 2.4l + 11.5 units of 2^−53, l = ⌈log₂ k⌉, as D is summed pairwise; 3l + 16 is declared, for
 * terms of second order, and what is 0 for an e_c below e^−708. */
#include "loss/link.h"

#include <math.h>
#include <string.h>

#include "base/defect.h"
#include "base/double_double.h"
#include "base/functions.h"
#include "loss/loss_simd.h"

enum { CHUNK = 1024, MOST_CLASSES = 1000 };

FOR_EACH_WIDTH
static void exp_all(size_t count, double *t) {
  for (size_t i = 0; i < count; i += LANES) {
    lanes x;
    LANES_LOAD(x, t + i);
    exp_lanes(&x);
    LANES_STORE(t + i, x);
  }
}

/* The largest of a row's scores; a NaN is one of no use, and found later. */
static size_t top_score(size_t k, const double *z, const double *rest) {
  size_t top = 0;
  for (size_t c = 1; c < k; c++) {
    if (z[c] > z[top] || (rest && z[c] == z[top] && rest[c] > rest[top])) {
      top = c;
    }
  }
  return top;
}

/* t_c = z_c − m, and what a double leaves of it. */
static void below_top(size_t k, const double *z, const double *rest, double *t, double *low) {
  size_t top = top_score(k, z, rest);
  for (size_t c = 0; c < k; c++) {
    if (rest) {
      double_double apart = two_sum(z[c], -z[top]);
      apart = two_sum(apart.hi, apart.lo + (rest[c] - rest[top]));
      t[c] = apart.hi;
      low[c] = apart.lo;
    } else {
      t[c] = z[c] - z[top];
    }
  }
}

/* Neighbours first, then their sums: ⌈log₂ count⌉ additions behind each number. */
static double pairwise_sum(const double *x, size_t count) {
  double sum[(MOST_CLASSES + 1) / 2];
  sum[0] = x[0];
  for (const double *from = x; count > 1; from = sum) {
    size_t pairs = count / 2;
    for (size_t i = 0; i < pairs; i++) {
      sum[i] = from[2 * i] + from[2 * i + 1];
    }
    if (count % 2) {
      sum[pairs] = from[count - 1];
    }
    count -= pairs;
  }
  return sum[0];
}

/* From e_c to what is asked of one row. */
static void finish_row(size_t k, size_t label, double own, double *e, const double *low,
                       double *value, double *slope, double *probability) {
  for (size_t c = 0; low && c < k; c++) {
    e[c] += e[c] * low[c];
  }
  double sum = pairwise_sum(e, k);
  for (size_t c = 0; (probability || slope) && c < k; c++) {
    e[c] /= sum;
  }
  if (probability) {
    memcpy(probability, e, k * sizeof *e);
  }
  if (slope) {
    memcpy(slope, e, k * sizeof *e);
    slope[label] -= 1;
  }
  if (value) {
    *value = math_log(sum) - own;
  }
}

void softmax_rows(size_t k, size_t rows, const double *labels, const double *scores,
                  const double *rest, double *value, double *slope, double *probability) {
  double e[CHUNK + LANES] = {0}, low[CHUNK], own[CHUNK];
  size_t tall = CHUNK / k;
  for (size_t from = 0; from < rows; from += tall) {
    size_t count = rows - from < tall ? rows - from : tall;
    for (size_t i = 0; i < count; i++) {
      size_t at = (from + i) * k;
      below_top(k, scores + at, rest ? rest + at : NULL, e + i * k, low + i * k);
      own[i] = e[i * k + (size_t)labels[from + i]];
    }
    exp_all(count * k, e);
    for (size_t i = 0; i < count; i++) {
      size_t at = (from + i) * k;
      finish_row(k, (size_t)labels[from + i], own[i], e + i * k, rest ? low + i * k : NULL,
                 value ? value + from + i : NULL, slope ? slope + at : NULL,
                 probability ? probability + at : NULL);
    }
  }
}

/* ---- as a loss */

/* One score z of the row's own class among zeros: log(e^z + k − 1) − z. */
static void eval(const dperm_loss *loss, size_t count, const double *z, double *value,
                 double *slope, double *curvature) {
  double others = loss->parameter - 1;
  for (size_t i = 0; i < count; i++) {
    double top = fmax(z[i], 0), own = math_exp(z[i] - top), rest = others * math_exp(-top);
    double p = own / (own + rest);
    if (value) {
      value[i] = math_log(own + rest) + (top - z[i]);
    }
    if (slope) {
      slope[i] = p - 1;
    }
    if (curvature) {
      curvature[i] = p * (1 - p);
    }
  }
}

/* φ(t) = 2At + (k−2)·log(1 + κt/(k−1)) + log(1 + κkt(1−t)/(k−1)), t = 1 − p_y: what a record costs
 * if its class has that probability and all others share the rest equally, which is the worst of
 * them (docs/proofs/softmax.md, lemma S2). Its derivative. */
typedef struct joint_cost {
  double k, kappa, gradient; /* gradient: A·‖p − e_y‖₁/t, which is 2A */
} joint_cost;

static double cost_slope(const joint_cost *f, double t) {
  double k = f->k, kappa = f->kappa;
  return f->gradient + (k - 2) * kappa / (k - 1 + kappa * t) +
         kappa * k * (1 - 2 * t) / (k - 1 + kappa * k * t * (1 - t));
}

static double cost_value(const joint_cost *f, double t) {
  double k = f->k, kappa = f->kappa;
  return f->gradient * t + (k - 2) * math_log1p(kappa * t / (k - 1)) +
         math_log1p(kappa * k * t * (1 - t) / (k - 1));
}

/* φ is concave, and rises up to t = 1 − 1/k, where the determinant is largest. The search ends
 * between two neighbouring doubles. There φ′ is 0 up to 8 roundings of its terms, which together
 * are at most 8φ (t ≥ ½), so the tangent shows that nothing on [0, 1] is above the value by a
 * relative 10^−14, which is within what epsilon_rule.c adds. */
static double supremum(const dperm_loss *loss, double kappa, double a) {
  const joint_cost f = {DEFECT("joint-slack") ? 2 : loss->parameter, kappa,
                        (DEFECT("joint-half") ? 1 : 2) * a};
  double low = (f.k - 1) / f.k, high = 1;
  if (cost_slope(&f, high) >= 0) {
    return cost_value(&f, high);
  }
  for (int i = 0; i < 60; i++) {
    double middle = 0.5 * (low + high);
    *(cost_slope(&f, middle) >= 0 ? &low : &high) = middle;
  }
  return fmax(cost_value(&f, low), cost_value(&f, high));
}

static dperm_loss constants(double h) {
  int depth = 0; /* l */
  while (ldexp(1, depth) < h) {
    depth++;
  }
  return (dperm_loss){
      /* √2, rounded up: ‖p − e_y‖₂ */
      .lipschitz = DEFECT("joint-length") ? 1 : 0x1.6a09e667f3bcdp+0,
      .smoothness = 0.5,
      .slope_error = (3 * depth + 16) * 0x1p-53,
  };
}

const loss_kind loss_softmax = {.name = "softmax",
                                .h_least = 2,
                                .h_most = MOST_CLASSES,
                                .constants = constants,
                                .eval = eval,
                                .supremum = supremum,
                                .slope_sum = 2};

dperm_loss softmax_loss(size_t classes) {
  dperm_loss out = {0};
  (void)loss_make(&loss_softmax, (double)classes, &out, NULL); /* the caller knows how many */
  return out;
}

size_t softmax_classes(const dperm_loss *loss) {
  return loss->eval == eval ? (size_t)loss->parameter : 0;
}
