/* See interval_steps.h. Correlations are in interval_pairs.c. */
#include "intervals/interval_steps.h"

#include <math.h>

#include "intervals/interval_blocks.h"
#include "intervals/interval_pairs.h"

/* Chosen by experiments/coverage, on made families. */
static const double least_curvature = 0.02; /* of the most that there is */
static const double noise_least = 0.5;      /* deviations that a mean or variance has at least */
static const double share_most = 0.95;      /* of records that have a category */
static const double leverage_most = 2;      /* times the mean */
static const double omega_least = 0.001;    /* of squared slopes, or twice the noise in them */
static const double excess_known = 0.3;     /* deviation of an excess, before anything is known */
static const double excess_least = 0.01, excess_most = 0.25, phi_most = 5;

/* ---- bodies */

/* The mean curvature; of a number the means of its product with z and z², else with each column. */
static dperm_status scales_body(const interval_law *law, integer_body *out, dperm_error *err) {
  const double c = law->design->curve;
  TRY(interval_body_add(out, 1, 0, c, err));
  for (size_t i = 0; i < law->design->group_count; i++) {
    const interval_group *g = &law->design->groups[i];
    if (g->kind == INTERVAL_NUMBER) {
      TRY(interval_body_add(out, 1, c * g->low, c, err));
      TRY(interval_body_add(out, 1, 0, c, err));
    } else {
      TRY(interval_body_add(out, g->count, 0, c, err));
    }
  }
  return DPERM_OK;
}

/* Of each column how much of the squared slopes is not the curvature's, and of the curvature. */
static dperm_status spread_body(const interval_law *law, integer_body *out, dperm_error *err) {
  const interval_design *design = law->design;
  const double q = law->spread_most, low = design->logistic ? -0.125 : -law->omega * design->curve;
  for (size_t j = 0; j < law->d; j++) {
    TRY(interval_body_add(out, 1, q * low, q, err));
  }
  for (size_t j = 0; j < law->d; j++) {
    TRY(interval_body_add(out, 1, 0, q * design->curve, err));
  }
  return DPERM_OK;
}

dperm_status interval_body(const interval_law *law, interval_stage_id stage, integer_body *out,
                           dperm_error *err) {
  return (stage == INTERVAL_SCALES ? scales_body : spread_body)(law, out, err);
}

dperm_status interval_noise(const interval_law *law, interval_stage_id stage, random_source *source,
                            int64_t *noise, dperm_error *err) {
  OWNED(integer_body_clear) integer_body body = {0};
  if (stage == INTERVAL_PAIRS) {
    const gram_noise products = interval_pairs_noise(law);
    return gram_noise_draw(&products, source, noise, err);
  }
  TRY(interval_body(law, stage, &body, err));
  FAIL_IF(body.size != interval_released(law->design, stage), err, DPERM_NUMERIC_ERROR,
          "the noise for intervals has not as many numbers as they; nothing is released");
  return integer_body_draw(&body, interval_rate(law->design, stage), source, noise, err);
}

/* ---- scales */

static double square(double x) {
  return x * x;
}

static double clipped(double x, double low, double high) {
  return fmin(fmax(x, low), high);
}

static void take_number(interval_law *law, const interval_group *g, double noise,
                        interval_reader *r) {
  const size_t j = g->first;
  double of_first = 0, of_second = 0;
  const double first = interval_next(r, &of_first), second = interval_next(r, &of_second);
  law->first[j] = clipped(first, g->low * law->h0, law->h0);
  law->first_noise[j] = of_first;
  const double m = law->first[j] / law->h0;
  law->mean[j] = m;
  law->doubt[j] = sqrt(square(of_second) + square(2 * m * of_first) + square(m * m * noise));
  const double least = noise_least * law->doubt[j], most = law->h0 * (m - g->low) * (1 - m);
  law->variance[j] = clipped(second - m * law->first[j], least, fmax(most, least));
}

static void take_category(interval_law *law, size_t j, double noise, interval_reader *r) {
  double own = 0;
  const double first = interval_next(r, &own);
  const double m = fmin(fmax(first, noise_least * own) / law->h0, share_most);
  law->first[j] = m * law->h0;
  law->first_noise[j] = own;
  law->mean[j] = m;
  law->variance[j] = law->first[j] * (1 - m);
  law->doubt[j] = sqrt(square((1 - 2 * m) * own) + square(m * m * noise));
}

static void take_scales(interval_law *law, interval_reader *r) {
  const interval_design *design = law->design;
  double noise = 0;
  law->h0 = fmax(interval_next(r, &noise), least_curvature * design->curve);
  for (size_t i = 0; i < design->group_count; i++) {
    const interval_group *g = &design->groups[i];
    for (size_t j = g->first; g->kind != INTERVAL_NUMBER && j < g->first + g->count; j++) {
      take_category(law, j, noise, r);
    }
    if (g->kind == INTERVAL_NUMBER) {
      take_number(law, g, noise, r);
    } else if (g->kind == INTERVAL_BLOCK) {
      interval_block_set(law, g);
    }
  }
  interval_pairs_set(law);
  law->spread_most = leverage_most / law->h0;
  const double flat = fmax(1 - design->h * law->h0, fmax(2 * design->h * noise, omega_least));
  law->omega = design->logistic ? 1 : flat / law->h0; /* 1 - ha is the slope's square */
}

/* ---- spread: an excess is shrunk to what all columns have, as far as the noise is like it */

static void take_excesses(interval_law *law, interval_reader *r) {
  for (size_t j = 0; j < law->d; j++) {
    law->excess[j] = interval_next(r, &law->excess_noise[j]);
  }
  for (size_t j = 0; j < law->d; j++) {
    double own = 0;
    const double curvature = interval_next(r, &own), by = law->omega * fmax(curvature, 2 * own);
    law->excess[j] /= by;
    law->excess_noise[j] /= by;
  }
}

static void take_spread(interval_law *law, interval_reader *r) {
  const double known = square(excess_known);
  double sum = 0, all = 1 / known * excess_known, over = 0, under = 0;
  take_excesses(law, r);
  for (size_t j = 0; j < law->d; j++) {
    const double weight = 1 / (square(law->excess_noise[j]) + known);
    sum += weight * law->excess[j];
    all += weight;
  }
  const double common = sum / all;
  for (size_t j = 0; j < law->d; j++) {
    const double noise = square(law->excess_noise[j]), weight = square(1 / (noise + known));
    over += weight * (square(law->excess[j] - common) - noise);
    under += weight;
  }
  const double apart = clipped(fmax(over / under, 0), excess_least, excess_most);
  for (size_t j = 0; j < law->d; j++) {
    const double noise = square(law->excess_noise[j]);
    law->phi[j] =
        clipped(1 + common + (law->excess[j] - common) * apart / (apart + noise), 1, phi_most);
  }
}

dperm_status interval_take(interval_law *law, interval_stage_id stage, const int64_t *released,
                           dperm_error *err) {
  OWNED(integer_body_clear) integer_body body = {0};
  if (stage == INTERVAL_PAIRS) {
    return interval_take_pairs(law, released, err);
  }
  TRY(interval_body(law, stage, &body, err));
  interval_reader r = {.body = &body,
                       .released = released,
                       .rows = law->design->rows,
                       .epsilon = ratio_value(interval_rate(law->design, stage))};
  (stage == INTERVAL_SCALES ? take_scales : take_spread)(law, &r);
  return DPERM_OK;
}
