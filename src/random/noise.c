/* The table of the kinds, and what follows for all of them from their entries. */
#include "random/noise.h"

#include <math.h>
#include <string.h>

static const noise_kind *const kinds[] = {&noise_l2,   &noise_l1,    &noise_mixed,
                                          &noise_linf, &noise_group, &noise_gaussian};

const noise_kind *noise_at(size_t i) {
  return i < sizeof kinds / sizeof kinds[0] ? kinds[i] : NULL;
}

const noise_kind *noise_kind_of(dperm_noise number) {
  size_t i = 0;
  while (noise_at(i) && noise_at(i)->number != number) {
    i++;
  }
  return noise_at(i);
}

const noise_kind *noise_named(const char *name) {
  size_t i = 0;
  while (noise_at(i) && strcmp(noise_at(i)->name, name) != 0) {
    i++;
  }
  return noise_at(i);
}

const char *dperm_noise_name(dperm_noise noise) {
  const noise_kind *kind = noise_kind_of(noise);
  return noise == DPERM_NOISE_AUTO ? "auto" : kind ? kind->name : NULL;
}

static size_t copies_of(const noise_plan *plan) {
  return plan->copies > 1 ? plan->copies : 1;
}

size_t noise_size(const noise_plan *plan) {
  return copies_of(plan) * plan->dims;
}

/* 1 for one, exactly. */
static double copies_root(const noise_plan *plan) {
  return sqrt((double)copies_of(plan));
}

static size_t radius_shape(const noise_plan *plan) {
  return plan->dims + plan->kind->extra;
}

double noise_rms_norm(const noise_plan *plan) {
  const noise_kind *kind = plan->kind;
  double directions = kind->mean_square ? kind->mean_square(plan) : 1;
  return sqrt(kind->radius->mean_square((double)radius_shape(plan)) * directions) / plan->beta *
         copies_root(plan);
}

void noise_column_shares(const noise_plan *plan, const noise_body *body, double *out) {
  double sum = 0;
  for (size_t i = 0; i < body_count(body); i++) {
    out[i] = 1;
  }
  if (plan->kind->column_squares) { /* then the plan has the body */
    plan->kind->column_squares(plan, out);
  }
  for (size_t i = 0; i < body_count(body); i++) {
    const body_run *run = body_at(body, i);
    sum += (double)run->groups * (double)run->width * out[i];
  }
  for (size_t i = 0; i < body_count(body); i++) {
    out[i] /= sum;
  }
}

/* The shares of the runs stand in front, and are dealt out from the last run to the first: none
 * begins before its own place. */
void noise_coordinate_rms(const noise_plan *plan, double *out) {
  double rms = noise_rms_norm(plan) / copies_root(plan);
  size_t at = plan->dims;
  noise_column_shares(plan, &plan->body, out);
  for (size_t i = body_count(&plan->body); i-- > 0;) {
    const body_run *run = body_at(&plan->body, i);
    double own = rms * sqrt(out[i]);
    for (size_t j = run->groups * run->width; j-- > 0;) {
      out[--at] = own;
    }
  }
}

/* The few roundings here and noise_relative_error are below 2^−44. */
double noise_norm_limit(const noise_plan *plan, double t) {
  double radius = plan->kind->radius->limit((double)radius_shape(plan), t);
  double reach = plan->kind->reach ? plan->kind->reach(plan) : 1;
  return radius / plan->beta * reach * (1 + 0x1p-44) * copies_root(plan);
}

void noise_draw(const noise_plan *plan, random_source *source, double *b) {
  for (size_t c = 0; c < copies_of(plan); c++) {
    plan->kind->draw(plan, source, b + c * plan->dims);
  }
}

double noise_relative_error(const noise_plan *plan) {
  int log = 0; /* ⌈log₂ k⌉ */
  while (log < 63 && (UINT64_C(1) << log) < radius_shape(plan)) {
    log++;
  }
  return (64 + 4 * log) * 0x1p-53;
}

bool noise_scale_in_range(double beta) {
  return beta >= 0x1p-660 && beta <= 0x1p660;
}

double noise_eight_bits(double x) {
  int exponent = 0;
  double fraction = frexp(x, &exponent);
  return ldexp(floor(fraction * 256 + 0.5), exponent - 8);
}

bool noise_in_range(const noise_plan *plan) {
  return noise_scale_in_range(plan->beta) && (!plan->kind->in_range || plan->kind->in_range(plan));
}
