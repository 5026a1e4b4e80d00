/* See noise_law.h. The draws come from a public seed, so that a plan says the same every time. */
#include "random/noise_law.h"

#include <math.h>

#include "random/exponential.h"

/* At most so many exponentials in all, and a few values of V in any case. */
enum { LAW_WORK = 1 << 18, LAW_LEAST = 4, LAW_DIMS = 1 << 17 };

/* The root mean square of V: E‖b‖₂² = E V²·E ρ²/β². */
static double rms_length(const noise_plan *plan) {
  return noise_rms_norm(plan) * plan->beta /
         sqrt(plan->kind->radius->mean_square((double)noise_size(plan)));
}

/* ‖b‖₂/‖b‖_K of one random direction: of one vector, or of all copies. */
static double draw_length(const noise_plan *plan, random_source *source) {
  double sum = 0, squares = 0;
  for (size_t c = 0; c < noise_size(plan) / plan->dims; c++) {
    double length = plan->kind->draw_length ? plan->kind->draw_length(plan, source) : 1;
    double radius = random_gamma(source, plan->dims);
    sum += radius;
    squares += radius * radius * length * length;
  }
  return sqrt(squares) / sum;
}

static void draw_lengths(const noise_plan *plan, random_source *source, noise_law *out) {
  double squares = 0;
  bool alone = noise_size(plan) == plan->dims;
  out->count =
      LAW_WORK / noise_size(plan) < LAW_LENGTHS ? LAW_WORK / noise_size(plan) : LAW_LENGTHS;
  out->count = out->count > LAW_LEAST ? out->count : LAW_LEAST;
  for (size_t i = 0; i < out->count; i++) {
    out->lengths[i] = alone && plan->kind->draw_length ? plan->kind->draw_length(plan, source)
                                                       : draw_length(plan, source);
    squares += out->lengths[i] * out->lengths[i];
  }
  double right = rms_length(plan) * sqrt((double)out->count / squares);
  for (size_t i = 0; i < out->count; i++) {
    out->lengths[i] *= right;
  }
}

void noise_law_of(const noise_plan *plan, noise_law *out) {
  bool varies = plan->kind->draw_length || noise_size(plan) > plan->dims;
  random_source source;
  out->radius = plan->kind->radius;
  out->beta = plan->beta;
  out->shape = (double)noise_size(plan);
  out->count = 1;
  out->lengths[0] = varies ? rms_length(plan) : 1;
  if (varies && noise_size(plan) <= LAW_DIMS &&
      random_public(1, "noise law", &source, NULL) == DPERM_OK) {
    draw_lengths(plan, &source, out);
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
