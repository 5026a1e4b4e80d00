/* docs/audit.md says why the bound holds. The rule is fixed before the counted draws, by others:
 * choosing it costs no confidence. */
#define _DEFAULT_SOURCE /* lgamma_r */
#include "audit/attack.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>

#include "base/arithmetic.h"
#include "base/functions.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/thread_pool.h"
#include "base/vector.h"

static const double side_rate = 1e-3, side_quantile = 3.0902;

/* ---- choosing a rule */

/* The bound to expect at n further draws, by the normal approximation, with probabilities that the
 * rehearsal makes likely at three standard deviations: of many rules some look better than they
 * are, the more so the fewer guesses they had. Rules without a bound rank below zero. */
static double expected_bound(const guesses *rehearsed, double n, double delta) {
  double most = (double)rehearsed->draws, r = (double)rehearsed->right,
         w = (double)rehearsed->wrong;
  double p = (r - 3 * sqrt(r)) / most, q = fmin(1, (w + 3 * sqrt(w) + 3) / most);
  double low = p > 0 ? p - side_quantile * sqrt(p * (1 - p) / n) - delta : 0;
  double high = q + side_quantile * sqrt(q * (1 - q) / n);
  return low > high ? math_log(low / high) : (r - w) / most - 1;
}

/* A threshold a little below a score: equal scores up to rounding stay together. */
static double below(double score) {
  return score - 1e-6 * fabs(score);
}

guess_rule guess_rule_choose(double *first, double *second, size_t count, size_t draws,
                             double delta) {
  guess_rule best = {INFINITY, -INFINITY}; /* never guess */
  double most = -1;
  vector_sort(first, count);
  vector_sort(second, count);
  for (double share = 1; share * (double)count >= 3; share *= 0.85) {
    size_t tail = (size_t)(share * (double)count);
    double up = below(first[count - tail]), down = -below(-second[tail - 1]);
    const guess_rule tried[] = {
        {up, -INFINITY}, {INFINITY, down}, {up, down < up ? down : -INFINITY}};
    for (size_t t = 0; t < sizeof tried / sizeof *tried; t++) {
      guesses counts = {0, 0, 0};
      for (size_t i = 0; i < count; i++) {
        guess(&tried[t], 0, first[i], &counts);
        guess(&tried[t], 1, second[i], &counts);
      }
      size_t sides = count ? counts.draws / count : 0;
      double bound = expected_bound(&counts, (double)(sides * draws), delta);
      if (bound > most) {
        most = bound;
        best = tried[t];
      }
    }
  }
  return best;
}

/* ---- counting */

void guess(const guess_rule *rule, int side, double score, guesses *counts) {
  bool says_first = score >= rule->first, says_second = !says_first && score <= rule->second;
  counts->right += side == 0 ? says_first : says_second;
  counts->wrong += side == 0 ? says_second : says_first;
  counts->draws += side == 0 ? rule->first < INFINITY : rule->second > -INFINITY;
}

/* A rule that never says "second" is right on draws of the first data set alone and wrong on those
 * of the second: equally many, and the others do not count. */
void guesses_judge(const guesses *counts, double delta, size_t draws, dperm_audit_result *out) {
  double low = 0, high = 0;
  if (counts->draws > 0) {
    low = probability_below(counts->right, counts->draws, side_rate) - delta;
    high = probability_above(counts->wrong, counts->draws, side_rate);
  }
  out->epsilon_lower_bound = low > high ? math_log(low / high) : 0;
  out->confidence = 1 - 2 * side_rate;
  out->draws = draws;
}

/* ---- drawing */

/* All draws of a stage, in blocks of one side and one random source each. */
typedef struct stage {
  const attack *a;
  const dperm_audit_options *options;
  const char *name;
  size_t draws, total;    /* on each side; on both sides of all stages, for the progress */
  double *scores[2];      /* to fill, or NULL: */
  const guess_rule *rule; /* to judge */

  pthread_mutex_t lock; /* of what follows */
  size_t done;          /* draws, of `total` */
  guesses counts;
  dperm_error first; /* failure */
} stage;

dperm_status attack_source(const dperm_audit_options *options, const char *purpose,
                           random_source *out, dperm_error *err) {
  return options->seed ? random_public(*options->seed, purpose, out, err) : random_secure(out, err);
}

static dperm_status draw_block(const stage *s, size_t block, guesses *counts, dperm_error *err) {
  const attack *a = s->a;
  int side = (int)(block % 2);
  size_t from = block / 2 * a->block;
  size_t count = s->draws - from < a->block ? s->draws - from : a->block;
  double judged[ATTACK_BLOCK], *scores = s->rule ? judged : s->scores[side] + from;
  random_source source;
  char purpose[24]; /* a source of the block's own, the same for any number of threads */
  (void)snprintf(purpose, sizeof purpose, "%.6s%zu", s->name, block);
  TRY(arithmetic_check(err));
  TRY(attack_source(s->options, purpose, &source, err));
  TRY(a->draw_many ? a->draw_many(a, side, &source, count, scores, err) : DPERM_OK);
  for (size_t i = 0; i < count; i++) {
    TRY(a->draw_many ? DPERM_OK : a->draw(a, side, &source, &scores[i], err));
    if (s->rule) {
      guess(s->rule, side, scores[i], counts);
    }
  }
  TRY(random_check(&source, err));
  return arithmetic_check(err);
}

/* Only the caller's own thread, worker 0, may call its progress. */
static void take_block(void *context, size_t block, size_t worker) {
  stage *s = context;
  dperm_error err = {0};
  guesses found = {0, 0, 0};
  pthread_mutex_lock(&s->lock);
  bool failed = s->first.status != DPERM_OK;
  size_t done = s->done;
  pthread_mutex_unlock(&s->lock);
  if (!failed && (worker > 0 || progress_tick(&s->options->progress, "auditing", done, s->total,
                                              &err) == DPERM_OK)) {
    (void)draw_block(s, block, &found, &err);
  }
  pthread_mutex_lock(&s->lock);
  s->done += s->a->block;
  s->counts.right += found.right;
  s->counts.wrong += found.wrong;
  s->counts.draws += found.draws;
  s->first = s->first.status == DPERM_OK ? err : s->first;
  pthread_mutex_unlock(&s->lock);
}

static dperm_status draw_stage(stage *s, dperm_error *err) {
  (void)pthread_mutex_init(&s->lock, NULL);
  pool_run(2 * ((s->draws + s->a->block - 1) / s->a->block), take_block, s);
  (void)pthread_mutex_destroy(&s->lock);
  FAIL_IF(s->first.status != DPERM_OK, err, s->first.status, "%s", s->first.message);
  return DPERM_OK;
}

dperm_status attack_run(const attack *a, const dperm_audit_options *options,
                        dperm_audit_result *out, dperm_error *err) {
  OWNED(threads_leave) thread_scope threads = threads_enter(options->threads);
  size_t draws = attack_draws(options, a->usual_draws);
  if (options->delta_claimed) {
    *options->delta_claimed = a->delta;
  }
  size_t least = draws < 5000 ? draws : 5000, rehearsed = draws / 5 < least ? least : draws / 5;
  OWNED_MEMORY double *scores = NULL;
  TRY(memory_new(2 * rehearsed, sizeof *scores, &scores, err));
  stage learn = {.a = a,
                 .options = options,
                 .name = "learn",
                 .draws = rehearsed,
                 .total = 2 * (rehearsed + draws),
                 .scores = {scores, scores + rehearsed}};
  TRY(draw_stage(&learn, err));
  const guess_rule rule = guess_rule_choose(scores, scores + rehearsed, rehearsed, draws, a->delta);
  stage judge = {.a = a,
                 .options = options,
                 .name = "guess",
                 .draws = draws,
                 .total = learn.total,
                 .rule = &rule,
                 .done = 2 * rehearsed};
  TRY(draw_stage(&judge, err));
  guesses_judge(&judge.counts, a->delta, draws, out);
  return DPERM_OK;
}

size_t attack_draws(const dperm_audit_options *options, size_t usual) {
  double more = fmin(fmax(0.5 / options->epsilon, 1), 10);
  return options->draws ? options->draws : (size_t)((double)usual * more);
}

/* ---- frequencies and probabilities: Clopper and Pearson's bounds, which hold for every number of
 * draws, by bisection of the incomplete beta function. I_x(a, b) by its continued fraction (DLMF
 * 8.17.22), from the front with Lentz's method, on the side of the mean where it converges fast */

static double away_from_zero(double x) {
  return fabs(x) < 1e-300 ? 1e-300 : x;
}

static double continued_fraction(double x, double a, double b) {
  double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), value = d;
  for (double m = 1; m < 1e6; m++) {
    double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    value *= d * c;
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    value *= d * c;
    if (fabs(d * c - 1) < 1e-15) {
      break;
    }
  }
  return value;
}

double beta_cdf(double x, double a, double b) {
  if (!(x > 0)) {
    return 0;
  }
  if (!(x < 1)) {
    return 1;
  }
  double front = math_exp(math_log_gamma(a + b) - math_log_gamma(a) - math_log_gamma(b) +
                          a * math_log(x) + b * math_log1p(-x));
  if (x < (a + 1) / (a + b + 2)) {
    return fmin(1, front * continued_fraction(x, a, b) / a);
  }
  return fmax(0, 1 - front * continued_fraction(1 - x, b, a) / b);
}

/* The p at which P(Bin(draws, p) ≥ hits) = I_p(hits, draws − hits + 1) is `rate`, from below. */
double probability_below(size_t hits, size_t draws, double rate) {
  double low = 0, high = (double)hits / (double)draws;
  for (int i = 0; i < 200 && hits > 0 && high - low > 1e-15 * high; i++) {
    double p = 0.5 * (low + high);
    if (beta_cdf(p, (double)hits, (double)(draws - hits) + 1) < rate) {
      low = p;
    } else {
      high = p;
    }
  }
  return low;
}

/* By that of a miss. */
double probability_above(size_t hits, size_t draws, double rate) {
  return 1 - probability_below(draws - hits, draws, rate);
}
