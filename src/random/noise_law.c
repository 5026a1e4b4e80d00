/* The laws of the radius, and what people and planners are told of ‖b‖₂. */
#include <math.h>

#include "base/functions.h"
#include "base/memory.h"
#include "base/vector.h"
#include "random/noise.h"

/* `sum` and Σ e^−y y^i/Γ(i+1) over i = first, …, last, from the largest term in both directions. */
static double add_poisson(double sum, double y, double first, double last) {
  double peak = fmin(last, first + floor(fmax(y - first, 0)));
  if (peak < first) { /* there is none */
    return sum;
  }
  double top = math_exp(-y + peak * math_log(y) - math_log_gamma(peak + 1)), term = top;
  for (double i = peak; i >= first && term > 1e-18 * sum; i--) {
    sum += term;
    term *= i / y;
  }
  term = top;
  for (double i = peak + 1; i <= last; i++) {
    term *= y / i;
    sum += term;
    if (term < 1e-18 * sum) {
      break;
    }
  }
  return fmin(sum, 1.0);
}

/* The mean of Gamma(k), and the mean square of χ_k. */
static double identity(double k) {
  return k;
}

static double gamma_mean_square(double k) {
  return k * (k + 1.0);
}

/* A sub-gamma tail: P(G > k + √(2kt) + t) ≤ e^−t (Boucheron, Lugosi & Massart 2013, 2.4). */
static double gamma_limit(double k, double t) {
  return k + sqrt(2 * k * t) + t;
}

static double gamma_tail(double k, double x) {
  return x <= 0 ? 1.0 : add_poisson(0, x, 0, k - 1);
}

const radius_law radius_gamma = {identity, gamma_mean_square, gamma_limit, gamma_tail};

/* √2·Γ((k+1)/2)/Γ(k/2). Beyond 2^20 the logarithms cancel, and √k·(1 − 1/(4k)) is closer. */
static double chi_mean(double k) {
  return k > 0x1p20 ? sqrt(k) * (1 - 0.25 / k)
                    : sqrt(2) * math_exp(math_log_gamma((k + 1) / 2) - math_log_gamma(k / 2));
}

/* P(χ² > k + 2√(kt) + 2t) ≤ e^−t (Laurent & Massart 2000, lemma 1). */
static double chi_limit(double k, double t) {
  return sqrt(k + 2 * sqrt(k * t) + 2 * t);
}

/* The sum of y = x²/2 over i = k/2 − 1, k/2 − 2, … ≥ 0, for odd k with erfc(√y) = erfc(x/√2). */
static double chi_tail(double k, double x) {
  bool odd = fmod(k, 2) != 0;
  return x <= 0
             ? 1.0
             : add_poisson(odd ? math_erfc(x / sqrt(2)) : 0, x * x / 2, odd ? 0.5 : 0, k / 2 - 1);
}

const radius_law radius_chi = {chi_mean, identity, chi_limit, chi_tail};

/* ---- ‖b‖₂ = ‖b‖_K·V with ‖b‖_K = ρ/β, ρ of the shape of all copies' numbers together, and V
 * independent of it */

enum { LENGTHS = 256, LENGTHS_LEAST = 4, LENGTHS_WORK = 1 << 17 };

/* Values of V over β, scaled to the mean square that is known; their number. V is 1 for one vector
 * of l2 noise. Else some are drawn from a public seed, so that a plan says the same every time:
 * fewer in many dimensions, where V hardly varies, and beyond LENGTHS_WORK of them none. */
static size_t draw_lengths(const noise_plan *plan, double lengths[LENGTHS]) {
  OWNED_MEMORY double *b = NULL;
  noise_plan unit = *plan; /* V does not depend on β, which may be too large for squares */
  random_source source;
  size_t size = noise_size(plan), count = LENGTHS_WORK / size;
  double squares = 0;
  lengths[0] = noise_rms_norm(plan) / sqrt(plan->kind->radius->mean_square((double)size));
  if (count == 0 || !(plan->kind->mean_square || size > plan->dims) ||
      memory_new(size, sizeof *b, &b, NULL) != DPERM_OK ||
      random_public(1, "noise law", &source, NULL) != DPERM_OK) {
    return 1;
  }
  double rms = lengths[0];
  unit.beta = 1;
  count = count < LENGTHS_LEAST ? LENGTHS_LEAST : count < LENGTHS ? count : LENGTHS;
  for (size_t i = 0; i < count; i++) {
    double norm = 0;
    noise_draw(&unit, &source, b);
    for (size_t at = 0; at < size; at += plan->dims) {
      norm += plan->kind->norm(&unit, b + at);
    }
    lengths[i] = vector_norm(b, size) / norm;
    squares += lengths[i] * lengths[i];
  }
  for (size_t i = 0; i < count; i++) {
    lengths[i] *= rms * sqrt((double)count / squares);
  }
  return count;
}

noise_figures noise_figures_of(const noise_plan *plan) {
  const radius_law *radius = plan->kind->radius;
  double lengths[LENGTHS], shape = (double)noise_size(plan), sum = 0, most = 0, q[2];
  size_t count = draw_lengths(plan, lengths);
  for (size_t i = 0; i < count; i++) {
    sum += lengths[i];
    most = fmax(most, lengths[i]);
  }
  for (int k = 0; k < 2; k++) {
    double low = 0, high = radius->limit(shape, 4) * most, tail = k ? 0.05 : 0.5;
    for (int step = 0; step < 200 && high - low > 1e-12 * high; step++) {
      double middle = 0.5 * (low + high), above = 0;
      for (size_t i = 0; i < count; i++) {
        above += radius->tail(shape, middle / lengths[i]);
      }
      *(above > tail * (double)count ? &low : &high) = middle;
    }
    q[k] = high;
  }
  return (noise_figures){radius->mean(shape) * sum / (double)count, q[0], q[1]};
}
