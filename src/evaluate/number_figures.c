/* The figures of a regression from sums with noise: each is where T(θ) is expected to be 0
 * (figures.h). Variances of sampling are estimated by sums with noise, too, so a standard deviation
 * of that is added to them. Post-processing: sees public and released numbers only. */
#include <math.h>

#include "evaluate/regression.h"

double number_records(const number_sums *s) {
  return s->rows > 0 ? (double)s->rows : fmax(s->counts[0].value + s->counts[1].value, 0);
}

/* (S + noise)² is too large by the noise's variance. */
double base_squares(const number_sums *s, double *mean) {
  const double n = number_records(s), cap = s->caps[1];
  const noisy_number *over = &s->sums[BASE_OVER], *under = &s->sums[BASE_UNDER];
  const double sum = over->value - under->value;
  *mean = n > 0 ? cap * sum / n : 0;
  return n > 0
             ? cap * cap *
                   (s->sums[BASE_SQUARE].value - (sum * sum - over->variance - under->variance) / n)
             : 0;
}

/* Σ weight·sum, the sums' noise and that of the number of records. */
static void add(statistic *to, double weight, const noisy_number *of) {
  const double square = weight * weight;
  to->t += weight * of->value;
  to->variance += square * of->variance;
  to->fourth += square * square * of->fourth;
}

/* −θ·n */
static void take_records(statistic *to, double theta, const number_sums *s) {
  if (s->rows > 0) {
    to->t -= theta * (double)s->rows;
  } else {
    add(to, -theta, &s->counts[0]);
    add(to, -theta, &s->counts[1]);
  }
}

/* As it was estimated, by numbers whose noise has this variance. */
static void add_sampling(statistic *to, double variance, double noise) {
  to->variance += fmax(variance, 0) + sqrt(noise);
}

static statistic square_at(const void *context, double theta) {
  const number_sums *s = context;
  statistic made = {0, 0, 0};
  add(&made, 1, &s->sums[SUM_SQUARE]);
  take_records(&made, theta, s);
  add_sampling(&made,
               s->sums[SUM_FOURTH].value - 2 * theta * s->sums[SUM_SQUARE].value +
                   theta * theta * number_records(s),
               s->sums[SUM_FOURTH].variance);
  return made;
}

/* The mean of weights times the distances over and under. */
typedef struct weighed {
  const number_sums *s;
  double over, under;
} weighed;

static statistic distance_at(const void *context, double theta) {
  const weighed *w = context;
  const noisy_number *sums = w->s->sums;
  const double over = w->over * w->over, under = w->under * w->under;
  statistic made = {0, 0, 0};
  add(&made, w->over, &sums[SUM_OVER]);
  add(&made, w->under, &sums[SUM_UNDER]);
  const double sum = made.t;
  take_records(&made, theta, w->s);
  add_sampling(&made,
               under * sums[SUM_SQUARE].value + (over - under) * sums[SUM_OVER_SQUARE].value -
                   2 * theta * sum + theta * theta * number_records(w->s),
               under * under * sums[SUM_SQUARE].variance +
                   (over - under) * (over - under) * sums[SUM_OVER_SQUARE].variance);
  return made;
}

static statistic share_at(const void *context, double theta) {
  const number_sums *s = context;
  statistic made = {0, 0, 0};
  add(&made, 1, &s->counts[0]);
  take_records(&made, theta, s);
  if (s->rows == 0) { /* the count is one of those records: its noise is in both */
    made = (statistic){0, 0, 0};
    add(&made, 1 - theta, &s->counts[0]);
    add(&made, -theta, &s->counts[1]);
  }
  add_sampling(&made, theta * (1 - theta) * number_records(s), 0);
  return made;
}

/* Of what is left of the constant's squares around their mean, θ = 1 − R². */
static statistic left_at(const void *context, double theta) {
  const number_sums *s = context;
  const double model = s->caps[0] * s->caps[0], cap = s->caps[1], base = cap * cap,
               unit = fmax(model, s->left * base);
  double mean = 0;
  const double whole = base_squares(s, &mean);
  statistic made = {0, 0, 0};
  add(&made, model, &s->sums[SUM_SQUARE]);
  add(&made, -theta * base, &s->sums[BASE_SQUARE]);
  add(&made, 2 * theta * mean * cap, &s->sums[BASE_OVER]);
  add(&made, -2 * theta * mean * cap, &s->sums[BASE_UNDER]);
  made.t = model * s->sums[SUM_SQUARE].value - theta * whole;
  /* and where the mean is nothing but noise, the square of that */
  const double of_mean = s->sums[BASE_OVER].variance + s->sums[BASE_UNDER].variance,
               by = 2 * theta * base * of_mean / fmax(number_records(s), 1);
  made.variance += by * by;
  add_sampling(&made, unit * unit * s->sums[SUM_GAIN].value,
               unit * unit * unit * unit * s->sums[SUM_GAIN].variance);
  return made;
}

static figure scaled(figure f, double by) {
  return (figure){f.value * by, f.low * by, f.high * by};
}

static figure root(figure f) {
  return (figure){sqrt(f.value), sqrt(f.low), sqrt(f.high)};
}

static figure distance_figure(const number_sums *s, double over, double under, double unit) {
  const weighed w = {s, over, under};
  const double sum = over * s->sums[SUM_OVER].value + under * s->sums[SUM_UNDER].value;
  return scaled(figure_at(distance_at, &w, sum, number_records(s), 0, fmax(over, under)), unit);
}

static figure r2_figure(const number_sums *s) {
  const double most = 10; /* that θ can seem */
  double mean = 0;
  const double whole = base_squares(s, &mean);
  const figure left =
      figure_at(left_at, s, s->caps[0] * s->caps[0] * s->sums[SUM_SQUARE].value, whole, 0, most);
  return (figure){1 - left.value, 1 - left.high, 1 - left.low};
}

void number_figures_of_sums(number_evaluation *e) {
  const number_sums *s = &e->sums;
  const noisy_number *sums = s->sums;
  const double half = label_range_half(e->range), n = number_records(s), unit = half * s->caps[0],
               base = half * s->caps[1], none = (double)NAN, tau = s->quantile;
  const bool quantile = !isnan(e->quantile), median = tau == 0.5;
  double mean = 0;
  const double whole = base_squares(s, &mean), center = label_of_score(e->range, s->center),
               over = base * sums[BASE_OVER].value / n, under = base * sums[BASE_UNDER].value / n;
  const double at_most = n > 0 ? s->counts[0].value : 0;
  e->figures = (number_figures){
      .rmse = scaled(root(figure_at(square_at, s, sums[SUM_SQUARE].value, n, 0, 1)), unit),
      .mae = distance_figure(s, 1, 1, unit),
      .r2 = r2_figure(s),
      .pinball = distance_figure(s, 1 - tau, tau, unit),
      .at_or_below = figure_at(share_at, s, at_most, n, 0, 1),
      .mean = n > 0 ? label_of_score(e->range, s->center - mean) : none,
      .median = median ? center : none,
      .quantile = quantile ? center : none,
      .baseline_rmse = n > 0 ? half * sqrt(fmax(whole, 0) / n) : none,
      .baseline_mae = median && n > 0 ? fmax(over + under, 0) : none,
      .baseline_pinball = n > 0 ? fmax((1 - tau) * over + tau * under, 0) : none,
      .pinball_noise = n > 0 ? base / n *
                                   sqrt((1 - tau) * (1 - tau) * sums[BASE_OVER].variance +
                                        tau * tau * sums[BASE_UNDER].variance)
                             : none};
}
