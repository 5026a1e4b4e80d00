/* See noise_reference.h. */
#include "noise_reference.h"

#include <math.h>

#include "support.h"

/* So many terms of the norm with this c = E‖·‖², this radius and this weight. */
typedef struct term {
  long double count, cost, radius, weight;
} term;

/* One for each run, whose count is 0 for single columns, and one for these; their number. */
static size_t terms_of(const noise_body *body, const mixed_reference *weights, term *out) {
  long double alone = 0, squares = 0;
  size_t count = body_count(body);
  assert_true(count <= REFERENCE_RUNS);
  for (size_t i = 0; i < count; i++) {
    const body_run *run = body_at(body, i);
    bool block = run->width > 1;
    out[i] = (term){block ? (long double)run->groups : 0, 2 * (long double)run->width, run->radius,
                    weights && block ? weights->weight[i] : 0};
    alone += block ? 0 : (long double)run->groups;
    squares += block ? 0 : (long double)run->groups * run->radius * run->radius;
  }
  out[count] = (term){alone > 0, alone * (alone + 1), sqrtl(squares),
                      weights && alone > 0 ? weights->alone : 0};
  return count + 1;
}

/* The level at which sizes min(r, level·rise) have Σ x² = norm²; large where all are full below. */
static long double level_of(const term *terms, size_t count, const long double *rise,
                            long double norm) {
  long double low = 0, high = 1e9L;
  for (int i = 0; i < 300; i++) {
    long double middle = (low + high) / 2, sum = 0;
    for (size_t j = 0; j < count; j++) {
      long double x = fminl(terms[j].radius, middle * rise[j]);
      sum += terms[j].count * x * x;
    }
    *(sum <= norm * norm ? &low : &high) = middle;
  }
  return low;
}

static double eight_bits(long double x) {
  int exponent = 0;
  long double fraction = frexpl(x, &exponent);
  return (double)ldexpl(roundl(fraction * 256), exponent - 8);
}

static double mean_square_of(const term *terms, size_t count) {
  long double sum = 0;
  for (size_t i = 0; i < count; i++) {
    sum += terms[i].count > 0 ? terms[i].count * terms[i].cost / (terms[i].weight * terms[i].weight)
                              : 0;
  }
  return (double)sum;
}

mixed_reference mixed_weights_best(const noise_body *body) {
  mixed_reference out;
  term terms[REFERENCE_RUNS + 1];
  long double rise[REFERENCE_RUNS + 1], largest = 0;
  size_t count = terms_of(body, NULL, terms);
  for (size_t i = 0; i < count; i++) {
    rise[i] = powl(terms[i].cost, 0.25L);
  }
  long double level = level_of(terms, count, rise, 1);
  for (size_t i = 0; i < count; i++) {
    long double x = fminl(terms[i].radius, level * rise[i]);
    terms[i].weight = terms[i].count > 0 ? powl(terms[i].cost / x, 1 / 3.0L) : (long double)NAN;
    largest = fmaxl(largest, terms[i].weight);
  }
  for (size_t i = 0; i < count; i++) {
    terms[i].weight = terms[i].count > 0 ? eight_bits(terms[i].weight / largest) : (long double)NAN;
    *(i + 1 < count ? &out.weight[i] : &out.alone) = (double)terms[i].weight;
  }
  out.mean_square = mean_square_of(terms, count);
  return out;
}

mixed_reference mixed_weights_of(const noise_plan *plan) {
  mixed_reference out;
  term terms[REFERENCE_RUNS + 1];
  assert_true(body_count(&plan->body) <= REFERENCE_RUNS);
  plan->kind->weights(plan, out.weight);
  out.alone = plan->kind->weight(plan);
  out.mean_square = mean_square_of(terms, terms_of(&plan->body, &out, terms));
  return out;
}

/* The maximizer has sizes min(r, φω): no other has more of the norm for its length. */
long double mixed_longest_row(const row_bounds *bounds, const mixed_reference *weights) {
  term terms[REFERENCE_RUNS + 1];
  long double rise[REFERENCE_RUNS + 1], sum = 0;
  size_t count = terms_of(&bounds->body, weights, terms);
  for (size_t i = 0; i < count; i++) {
    rise[i] = terms[i].weight;
  }
  long double level = level_of(terms, count, rise, bounds->norm2);
  for (size_t i = 0; i < count; i++) {
    sum += terms[i].count * terms[i].weight * fminl(terms[i].radius, level * rise[i]);
  }
  return sum;
}

/* max_g ‖b_g‖₁/r_g; linf has every column as a group of its own. */
static long double body_norm(const noise_plan *plan, const long double *b) {
  long double own = 0, most = 0;
  for (size_t i = 0; i < body_count(&plan->body); i++) {
    const body_run *run = body_at(&plan->body, i);
    size_t width = plan->kind == &noise_linf ? 1 : run->width;
    for (size_t k = 0; k < run->groups * run->width; k++, b++) {
      own = k % width == 0 ? fabsl(*b) : own + fabsl(*b);
      most = fmaxl(most, own / run->radius);
    }
  }
  return most;
}

/* Σ ω_g‖b_g‖₁ + t‖rest‖₂ of mixed noise, √Σ ω_g²‖b_g‖₂² of gaussian noise. */
static long double weighted_norm(const noise_plan *plan, const long double *b) {
  double weights[REFERENCE_RUNS];
  bool mixed = plan->kind == &noise_mixed;
  long double one = 0, squares = 0;
  assert_true(body_count(&plan->body) <= REFERENCE_RUNS);
  plan->kind->weights(plan, weights);
  for (size_t i = 0; i < body_count(&plan->body); i++) {
    const body_run *run = body_at(&plan->body, i);
    long double w = isnan(weights[i]) ? 1 : weights[i];
    for (size_t k = 0; k < run->groups * run->width; k++, b++) {
      one += mixed && run->width > 1 ? w * fabsl(*b) : 0;
      squares += mixed && run->width > 1 ? 0 : w * *b * (w * *b);
    }
  }
  double t = mixed ? plan->kind->weight(plan) : 1;
  return isnan(t) ? one : one + t * sqrtl(squares);
}

long double defined_norm(const noise_plan *plan, const long double *b) {
  long double one = 0, squares = 0;
  for (size_t j = 0; j < plan->dims; j++) {
    one += fabsl(b[j]);
    squares += b[j] * b[j];
  }
  if (plan->kind == &noise_l1 || plan->kind == &noise_l2) {
    return plan->kind == &noise_l1 ? one : sqrtl(squares);
  }
  if (plan->kind == &noise_mixed || plan->kind == &noise_gaussian) {
    return weighted_norm(plan, b);
  }
  assert_true(plan->kind == &noise_group || plan->kind == &noise_linf); /* a new kind comes above */
  return body_norm(plan, b);
}
