/* See exact_noise.h. */
#include "exact_noise.h"

#include <math.h>
#include <stdlib.h>

enum { MORE_WORDS = 3 };

void exact_open(exact_source *s, const random_source *bits, uint64_t seed) {
  s->bits = *bits;
  assert_ok(random_public(seed, "more", &s->more, err));
  mpfr_inits2(PRECISION, s->w, s->t, (mpfr_ptr)NULL);
}

void exact_close(exact_source *s) {
  mpfr_clears(s->w, s->t, (mpfr_ptr)NULL);
}

void exact_set_word(mpfr_t out, uint64_t word) {
  mpfr_set_ui(out, (unsigned long)(word >> 32), MPFR_RNDN);
  mpfr_mul_2ui(out, out, 32, MPFR_RNDN);
  mpfr_add_ui(out, out, (unsigned long)(word & UINT32_MAX), MPFR_RNDN);
}

void exact_half_uniform(exact_source *s, mpfr_t w) {
  long exponent = 1;
  uint64_t bits = random_bits(&s->bits);
  for (; bits == 0; bits = random_bits(&s->bits)) {
    exponent += 64;
  }
  for (; !(bits >> 63); bits <<= 1) {
    exponent++;
  }
  exact_set_word(w, random_bits(&s->bits) | UINT64_C(1) << 63);
  for (int i = 0; i < MORE_WORDS; i++) {
    exact_set_word(s->t, random_bits(&s->more));
    mpfr_mul_2ui(w, w, 64, MPFR_RNDN);
    mpfr_add(w, w, s->t, MPFR_RNDN);
  }
  mpfr_mul_2si(w, w, -64L * (1 + MORE_WORDS) - exponent, MPFR_RNDN);
}

void exact_exponential(exact_source *s, mpfr_t e) {
  bool coin = random_bits(&s->bits) >> 63;
  exact_half_uniform(s, e);
  if (coin) {
    mpfr_log(e, e, MPFR_RNDN);
  } else {
    mpfr_neg(e, e, MPFR_RNDN);
    mpfr_log1p(e, e, MPFR_RNDN);
  }
  mpfr_neg(e, e, MPFR_RNDN);
}

void exact_gamma(exact_source *s, size_t shape, mpfr_t g) {
  mpfr_set_zero(g, 1);
  for (size_t i = 0; i < shape; i++) {
    exact_exponential(s, s->w);
    mpfr_add(g, g, s->w, MPFR_RNDN);
  }
}

/* √(2E)·(cos φ, sin φ), swapped and signed by bits 63, 62 and 61 of one word. */
static void exact_normal_pair(exact_source *s, mpfr_t x, mpfr_t y) {
  exact_exponential(s, s->w);
  mpfr_mul_ui(s->w, s->w, 2, MPFR_RNDN);
  mpfr_sqrt(s->w, s->w, MPFR_RNDN);
  exact_half_uniform(s, y);
  mpfr_const_pi(s->t, MPFR_RNDN);
  mpfr_mul(y, y, s->t, MPFR_RNDN);
  mpfr_div_ui(y, y, 2, MPFR_RNDN);
  mpfr_sin_cos(y, x, y, MPFR_RNDN);
  mpfr_mul(x, x, s->w, MPFR_RNDN);
  mpfr_mul(y, y, s->w, MPFR_RNDN);
  uint64_t bits = random_bits(&s->bits);
  if (bits >> 62 & 1) {
    mpfr_neg(x, x, MPFR_RNDN);
  }
  if (bits >> 61 & 1) {
    mpfr_neg(y, y, MPFR_RNDN);
  }
  if (bits >> 63) {
    mpfr_swap(x, y);
  }
}

/* b has space for one number more than dims: the half of a pair that is dropped. */
static void exact_l2_noise(exact_source *s, size_t dims, mpfr_t beta, mpfr_t *b) {
  mpfr_t scale, squares;
  mpfr_inits2(PRECISION, scale, squares, (mpfr_ptr)NULL);
  mpfr_set_zero(squares, 1);
  for (size_t j = 0; j < dims; j += 2) {
    exact_normal_pair(s, b[j], b[j + 1]);
  }
  for (size_t j = 0; j < dims; j++) {
    mpfr_sqr(s->t, b[j], MPFR_RNDN);
    mpfr_add(squares, squares, s->t, MPFR_RNDN);
  }
  mpfr_sqrt(squares, squares, MPFR_RNDN);
  exact_gamma(s, dims, scale);
  mpfr_div(scale, scale, beta, MPFR_RNDN);
  mpfr_div(scale, scale, squares, MPFR_RNDN);
  for (size_t j = 0; j < dims; j++) {
    mpfr_mul(b[j], b[j], scale, MPFR_RNDN);
  }
  mpfr_clears(scale, squares, (mpfr_ptr)NULL);
}

static void exact_sign(exact_source *s, mpfr_t b) {
  if (random_bits(&s->bits) >> 63) {
    mpfr_neg(b, b, MPFR_RNDN);
  }
}

static void exact_l1_noise(exact_source *s, const noise_plan *plan, mpfr_t *b) {
  for (size_t j = 0; j < plan->dims; j++) {
    exact_exponential(s, b[j]);
    mpfr_div_d(b[j], b[j], plan->beta, MPFR_RNDN);
    exact_sign(s, b[j]);
  }
}

/* b = ±scale·radius·E_j/(E_1 + … + E_{width+1}). */
static void exact_group(exact_source *s, size_t width, double radius, mpfr_t scale, mpfr_t *b) {
  mpfr_t sum;
  mpfr_init2(sum, PRECISION);
  mpfr_set_zero(sum, 1);
  for (size_t j = 0; j < width; j++) {
    exact_exponential(s, b[j]);
    mpfr_add(sum, sum, b[j], MPFR_RNDN);
  }
  exact_exponential(s, s->w);
  mpfr_add(sum, sum, s->w, MPFR_RNDN);
  mpfr_div(sum, scale, sum, MPFR_RNDN);
  mpfr_mul_d(sum, sum, radius, MPFR_RNDN);
  for (size_t j = 0; j < width; j++) {
    mpfr_mul(b[j], b[j], sum, MPFR_RNDN);
    exact_sign(s, b[j]);
  }
  mpfr_clear(sum);
}

static void exact_body_noise(exact_source *s, const noise_plan *plan, mpfr_t *b) {
  mpfr_t scale;
  mpfr_init2(scale, PRECISION);
  exact_gamma(s, plan->dims + 1, scale);
  mpfr_div_d(scale, scale, plan->beta, MPFR_RNDN);
  for (size_t i = 0; i < body_count(&plan->body); i++) {
    const body_run *run = body_at(&plan->body, i);
    size_t width = plan->kind == &noise_linf ? 1 : run->width;
    for (size_t g = 0; g < run->groups * run->width / width; g++, b += width) {
      exact_group(s, width, run->radius, scale, b);
    }
  }
  mpfr_clear(scale);
}

/* l2 noise with βt for the columns that stand alone, then ±E/(βω) for the others. */
static void exact_mixed_noise(exact_source *s, const noise_plan *plan, mpfr_t *b) {
  size_t count = 0, taken = 0;
  for (size_t i = 0; i < body_count(&plan->body); i++) {
    count += body_at(&plan->body, i)->width == 1 ? body_at(&plan->body, i)->groups : 0;
  }
  mpfr_t beta, *alone = calloc(count + 1, sizeof *alone);
  double weights[8]; /* of as many runs at most */
  assert_non_null(alone);
  noise_mixed.weights(plan, weights);
  mpfr_init2(beta, PRECISION);
  mpfr_set_d(beta, plan->beta, MPFR_RNDN);
  mpfr_mul_d(beta, beta, noise_mixed.weight(plan), MPFR_RNDN);
  for (size_t j = 0; j <= count; j++) {
    mpfr_init2(alone[j], PRECISION);
  }
  exact_l2_noise(s, count, beta, alone);
  for (size_t i = 0; i < body_count(&plan->body); i++) {
    const body_run *run = body_at(&plan->body, i);
    mpfr_set_d(beta, weights[i], MPFR_RNDN);
    mpfr_mul_d(beta, beta, plan->beta, MPFR_RNDN);
    for (size_t j = 0; j < run->groups * run->width; j++, b++) {
      if (run->width == 1) {
        mpfr_set(*b, alone[taken++], MPFR_RNDN);
      } else {
        exact_exponential(s, *b);
        mpfr_div(*b, *b, beta, MPFR_RNDN);
        exact_sign(s, *b);
      }
    }
  }
  for (size_t j = 0; j <= count; j++) {
    mpfr_clear(alone[j]);
  }
  mpfr_clear(beta);
  free(alone);
}

/* Normal coordinates over βω. */
static void exact_gaussian_noise(exact_source *s, const noise_plan *plan, mpfr_t *b) {
  double weights[8];
  noise_gaussian.weights(plan, weights);
  for (size_t j = 0; j < plan->dims; j += 2) {
    exact_normal_pair(s, b[j], b[j + 1]);
  }
  for (size_t i = 0; i < body_count(&plan->body); i++) {
    const body_run *run = body_at(&plan->body, i);
    for (size_t j = 0; j < run->groups * run->width; j++, b++) {
      mpfr_div_d(*b, *b, plan->beta, MPFR_RNDN);
      mpfr_div_d(*b, *b, isnan(weights[i]) ? 1 : weights[i], MPFR_RNDN);
    }
  }
}

void exact_noise(exact_source *s, const noise_plan *plan, mpfr_t *b) {
  if (plan->kind == &noise_gaussian) {
    exact_gaussian_noise(s, plan, b);
  } else if (plan->kind == &noise_l2) {
    mpfr_t beta;
    mpfr_init2(beta, PRECISION);
    mpfr_set_d(beta, plan->beta, MPFR_RNDN);
    exact_l2_noise(s, plan->dims, beta, b);
    mpfr_clear(beta);
  } else if (plan->kind == &noise_mixed) {
    exact_mixed_noise(s, plan, b);
  } else if (plan->kind == &noise_l1) {
    exact_l1_noise(s, plan, b);
  } else { /* a new kind needs its exact sampler here */
    assert_true(plan->kind == &noise_group || plan->kind == &noise_linf);
    exact_body_noise(s, plan, b);
  }
}
