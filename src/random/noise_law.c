/* The laws of the radius and, by draws from a public seed so that a plan says the same every time,
 * of ‖b‖₂. */
#define _DEFAULT_SOURCE /* lgamma_r: lgamma itself writes a global */
#include "random/noise_law.h"

#include <math.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/vector.h"

/* ---- radii */

/* `sum` and Σ e^−y y^i/Γ(i+1) over i = first, first + 1, …, last, from the largest term in both
 * directions. */
static double add_poisson(double sum, double y, double first, double last) {
  int sign = 0;
  double peak = fmin(last, first + floor(fmax(y - first, 0)));
  if (peak < first) { /* there is none */
    return sum;
  }
  double top = exp(-y + peak * log(y) - lgamma_r(peak + 1, &sign)), term = top;
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

/* A sub-gamma tail: P(G > k + √(2kt) + t) ≤ e^−t (Boucheron, Lugosi & Massart 2013, section 2.4).
 */
static double gamma_limit(double k, double t) {
  return k + sqrt(2 * k * t) + t;
}

static double gamma_tail(double k, double x) {
  return x <= 0 ? 1.0 : add_poisson(0, x, 0, k - 1);
}

const radius_law radius_gamma = {identity, gamma_mean_square, gamma_limit, gamma_tail};

/* √2·Γ((k+1)/2)/Γ(k/2). Beyond 2^20 the logarithms cancel, and √k·(1 − 1/(4k)) is closer. */
static double chi_mean(double k) {
  int sign = 0;
  return k > 0x1p20 ? sqrt(k) * (1 - 0.25 / k)
                    : sqrt(2) * exp(lgamma_r((k + 1) / 2, &sign) - lgamma_r(k / 2, &sign));
}

/* P(χ² > k + 2√(kt) + 2t) ≤ e^−t (Laurent & Massart 2000, lemma 1). */
static double chi_limit(double k, double t) {
  return sqrt(k + 2 * sqrt(k * t) + 2 * t);
}

/* The sum of y = x²/2 over i = k/2 − 1, k/2 − 2, … ≥ 0, and for odd k erfc(√y) = erfc(x/√2)
 * besides.
 */
static double chi_tail(double k, double x) {
  bool odd = fmod(k, 2) != 0;
  return x <= 0 ? 1.0
                : add_poisson(odd ? erfc(x / sqrt(2)) : 0, x * x / 2, odd ? 0.5 : 0, k / 2 - 1);
}

const radius_law radius_chi = {chi_mean, identity, chi_limit, chi_tail};

/* ---- lengths */

/* At most so many numbers are drawn in all, and a few values of V in any case. */
enum { LAW_WORK = 1 << 17, LAW_LEAST = 4, LAW_DIMS = 1 << 17 };

/* The root mean square of V: E‖b‖₂² = E V²·E ρ²/β². */
static double rms_length(const noise_plan *plan) {
  return noise_rms_norm(plan) * plan->beta /
         sqrt(plan->kind->radius->mean_square((double)noise_size(plan)));
}

/* ‖b‖₂/‖b‖_K of one random direction: of one vector, or of all copies. */
static double draw_length(const noise_plan *plan, random_source *source, double *b) {
  double norm = 0;
  noise_draw(plan, source, b);
  for (size_t at = 0; at < noise_size(plan); at += plan->dims) {
    norm += plan->kind->norm(plan, b + at);
  }
  return vector_norm(b, noise_size(plan)) / norm;
}

static dperm_status draw_lengths(const noise_plan *plan, noise_law *out) {
  OWNED_MEMORY double *b = NULL;
  noise_plan unit = *plan; /* V does not depend on β, which may be too large for squares */
  random_source source;
  size_t count = LAW_WORK / noise_size(plan);
  double squares = 0;
  TRY(memory_new(noise_size(plan), sizeof *b, &b, NULL));
  TRY(random_public(1, "noise law", &source, NULL));
  unit.beta = 1;
  out->count = count < LAW_LEAST ? LAW_LEAST : count < LAW_LENGTHS ? count : LAW_LENGTHS;
  for (size_t i = 0; i < out->count; i++) {
    out->lengths[i] = draw_length(&unit, &source, b);
    squares += out->lengths[i] * out->lengths[i];
  }
  double right = rms_length(plan) * sqrt((double)out->count / squares);
  for (size_t i = 0; i < out->count; i++) {
    out->lengths[i] *= right;
  }
  return DPERM_OK;
}

void noise_law_of(const noise_plan *plan, noise_law *out) {
  bool varies = plan->kind->mean_square || noise_size(plan) > plan->dims;
  *out = (noise_law){
      .radius = plan->kind->radius, .beta = plan->beta, .shape = (double)noise_size(plan)};
  if (!(varies && noise_size(plan) <= LAW_DIMS && draw_lengths(plan, out) == DPERM_OK)) {
    out->count = 1;
    out->lengths[0] = varies ? rms_length(plan) : 1;
  }
}

double noise_law_mean(const noise_law *law) {
  double sum = 0;
  for (size_t i = 0; i < law->count; i++) {
    sum += law->lengths[i];
  }
  return law->radius->mean(law->shape) * (sum / (double)law->count) / law->beta;
}

/* P(ρV > x), averaged over V. */
static double law_tail(const noise_law *law, double x) {
  double sum = 0;
  for (size_t i = 0; i < law->count; i++) {
    sum += law->radius->tail(law->shape, x / law->lengths[i]);
  }
  return sum / (double)law->count;
}

double noise_law_quantile(const noise_law *law, double p) {
  double low = 0, high = (law->shape + 10) * law->lengths[0];
  double precision = law->count == 1 ? 1e-15 : 1e-9;
  while (law_tail(law, high) > 1.0 - p) {
    high *= 2;
  }
  for (int i = 0; i < 200 && high - low > precision * high; i++) {
    double middle = 0.5 * (low + high);
    if (law_tail(law, middle) > 1.0 - p) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return high / law->beta;
}
