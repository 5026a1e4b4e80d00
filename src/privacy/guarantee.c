/* See guarantee.h. Numbers are sections of docs/privacy.md. */
#include "privacy/guarantee.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/defect.h"
#include "base/double_double.h"
#include "base/functions.h"
#include "random/discrete_sampling.h"

static const double most_delta = 1e-30;
/* More than all rounding in a formula of this file. */
static const double up = 1 + 1e-9, down = 1 - 1e-9;

/* ---- epsilon, from the whole down */

double epsilon_share(double epsilon, size_t parts) {
  double count = (double)parts, share = epsilon / count;
  /* count·share − epsilon without a rounding between; an epsilon below zero is refused elsewhere */
  while (share > 0 && fma(share, count, -epsilon) > 0) {
    share = nextafter(share, 0);
  }
  return share;
}

double epsilon_rest(double whole, double part) {
  double rest = whole - part;
  for (double_double sum = two_sum(part, rest); /* exactly; an infinite or no epsilon is refused */
       isfinite(rest) && (sum.hi > whole || (sum.hi == whole && sum.lo > 0));
       sum = two_sum(part, rest)) {
    rest = nextafter(rest, -INFINITY);
  }
  return rest;
}

double epsilon_sum(double a, double b) {
  char text[32]; /* written and read with the same decimal point, whatever the locale */
  (void)snprintf(text, sizeof text, "%.15g", a + b);
  double sum = a + b, decimal = strtod(text, NULL);
  return fabs(decimal - sum) <= sum * 0x1p-51 ? decimal : sum;
}

/* What is divided must stay within the decimal that epsilon was written as, which a ledger charges:
 * that is epsilon itself where it has few bits (ledger/amount.c), else at most half a unit in the
 * last place away. A fit that has all of epsilon takes two steps down by itself
 * (release/numerics.c), but in units of its own share. */
static double epsilon_below(double whole) {
  return whole == (double)(float)whole ? whole : nextafter(whole, 0);
}

/* Random stopping costs two or three times what a round does; a round's epsilon also drives integer
 * noise, so it has 20 bits. */
static double round_share(double epsilon, rounds_kind rounds) {
  return rounds == ROUNDS_NONE
             ? epsilon
             : ratio_value(
                   ratio_below(epsilon_share(epsilon, rounds == ROUNDS_BY_GEOMETRIC ? 3 : 2)));
}

/* ---- the numerics' delta, from a fit up */

static double delta_of_run(const private_run *run, double epsilon) {
  double k = (double)run->rows_per_person;
  /* 6.1: one fit whose noise is certified but for odds of e^-NOISE_TAIL. */
  double delta = (1 + math_exp(epsilon)) * math_exp(-NOISE_TAIL) * up;
  /* 8.2: k fits, or the k vectors of noise in a joint one, fail to be certified with at most k
   * times the odds of one; the factor 1 + e^epsilon is of the whole epsilon, not of a share. */
  if (run->classes > 2 && !DEFECT("delta-left-out")) {
    delta = delta * (double)run->classes * up;
  }
  if (run->rounds != ROUNDS_NONE) { /* 8.3: so many fits on average */
    delta = delta * run->rounds_mean * up;
  }
  if (run->rows_per_person != 1) { /* 8.4, group privacy: delta (1 + e^e + … + e^((K−1)e)) */
    delta = delta * math_expm1(k * epsilon) / math_expm1(epsilon) * up;
  }
  return delta;
}

/* ---- the noise's delta, from the whole down (docs/proofs/gaussian.md 6) */

static double delta_of_class(const private_run *run, const guarantee *g) {
  double noise = epsilon_rest(run->delta, g->delta_numerics), k = (double)run->rows_per_person;
  if (!(run->delta > 0 && noise > 0)) { /* too little is refused by guarantee_check */
    return 0;
  }
  if (run->rows_per_person != 1 && !DEFECT("group-delta-left-out")) {
    noise = noise * math_expm1(g->epsilon_row) / math_expm1(k * g->epsilon_row) * down;
  }
  if (run->rounds != ROUNDS_NONE) {
    noise = noise / run->rounds_mean * down;
  }
  return run->classes > 2 && !run->joint ? noise / (double)run->classes * down : noise;
}

guarantee guarantee_of_run(const private_run *run) {
  guarantee g = {.epsilon = run->epsilon,
                 .rows_per_person = run->rows_per_person,
                 .person_rows = run->person_rows,
                 .neighbours = run->neighbours,
                 .epsilon_charged = run->epsilon};
  double fits = run->epsilon, below = epsilon_below(run->epsilon);
  memcpy(g.shares, run->shares, sizeof g.shares);
  if (run->schema_before && run->shares[SHARE_SCHEMA] > 0) {
    g.epsilon = epsilon_sum(run->epsilon, run->shares[SHARE_SCHEMA]);
    fits = fmin(fits, epsilon_rest(g.epsilon, run->shares[SHARE_SCHEMA]));
  }
  for (int s = run->schema_before ? SHARE_SCHEMA + 1 : 0; s < SHARE_COUNT; s++) {
    if (run->shares[s] > 0 && !(s >= SHARE_AFTER_FIT && DEFECT("share-free"))) {
      fits = epsilon_rest(fmin(fits, below), run->shares[s]); /* 8.9, 8.11: they add up */
    }
  }
  g.epsilon_row = epsilon_share(fits, run->rows_per_person);
  g.epsilon_fit = round_share(g.epsilon_row, run->rounds);
  bool several = run->classes > 2 && !run->joint;
  g.epsilon_class = several ? epsilon_share(g.epsilon_fit, run->classes) : g.epsilon_fit;
  g.delta = g.delta_numerics = delta_of_run(run, g.epsilon_row);
  g.delta_given = run->delta;
  g.delta_class = delta_of_class(run, &g);
  return run->evaluated > 0 ? guarantee_with_apart(g, run->evaluated) : g;
}

guarantee guarantee_with_apart(guarantee g, double epsilon) {
  const bool before = g.epsilon_charged < g.epsilon;
  const double whole = before ? epsilon_sum(epsilon, g.shares[SHARE_SCHEMA]) : epsilon;
  g.epsilon = fmax(g.epsilon, whole);
  g.epsilon_evaluated =
      before ? fmin(epsilon, epsilon_rest(g.epsilon, g.shares[SHARE_SCHEMA])) : epsilon;
  g.epsilon_charged = fmax(g.epsilon_charged, epsilon);
  return g;
}

guarantee guarantee_spending(guarantee g, bool spends_delta) {
  g.delta = spends_delta ? g.delta_given : g.delta_numerics;
  return g;
}

guarantee guarantee_composed(guarantee g) {
  if (g.composed.epsilon > 0) {
    g.epsilon_row = g.epsilon_fit = g.epsilon_class = g.composed.epsilon;
    g.delta_numerics = g.composed.delta_numerics;
    g.delta_class = g.composed.delta_class;
  }
  return g;
}

guarantee guarantee_of_counts(double epsilon, size_t rows_per_person, bool confusion,
                              dperm_neighbours neighbours) {
  double row = epsilon_share(epsilon, rows_per_person);
  bool two = confusion && neighbours != DPERM_NEIGHBOURS_ADD_REMOVE && !DEFECT("confusion-add");
  return (guarantee){.epsilon = epsilon,
                     .rows_per_person = rows_per_person,
                     .neighbours = neighbours,
                     .epsilon_charged = epsilon,
                     .epsilon_row = row,
                     .epsilon_fit = row,
                     .epsilon_class = two ? row / 2 : row};
}

guarantee guarantee_of_histograms(double epsilon, size_t rows_per_person, size_t columns,
                                  dperm_neighbours neighbours) {
  guarantee g = guarantee_of_counts(epsilon, rows_per_person, false, neighbours);
  bool adding = neighbours == DPERM_NEIGHBOURS_ADD_REMOVE || DEFECT("histograms-add");
  g.epsilon_class = epsilon_share(g.epsilon_row, (adding ? 1 : 2) * columns);
  return g;
}

guarantee guarantee_replaced(const guarantee *g) {
  guarantee twice = *g;
  if (g->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE) {
    twice.neighbours = DPERM_NEIGHBOURS_REPLACE;
    twice.epsilon = 2 * g->epsilon; /* exactly, as doubles */
    twice.epsilon_charged = 2 * g->epsilon_charged;
    twice.delta = (1 + math_exp(g->epsilon)) * g->delta * up;
  }
  return twice;
}

uint64_t add_remove_rows_most(uint64_t about) {
  const uint64_t always = UINT64_C(1) << 28;
  return about > always / 4 ? 4 * about : always;
}

uint64_t person_rows_most(uint64_t persons, uint64_t rows) {
  return add_remove_rows_most(persons * rows);
}

const char *neighbours_word(dperm_neighbours neighbours) {
  return neighbours == DPERM_NEIGHBOURS_ADD_REMOVE ? "add-remove" : "replace-one";
}

size_t guarantee_unit(const guarantee *g) {
  return g->person_rows > 0 ? 0 : g->rows_per_person;
}

guarantee guarantee_of_nothing(void) {
  const double none = (double)NAN;
  return (guarantee){.epsilon = none,
                     .delta = none,
                     .delta_numerics = none,
                     .rows_per_person = 1,
                     .epsilon_charged = none,
                     .epsilon_row = none,
                     .epsilon_fit = none,
                     .epsilon_class = none,
                     .reasons = REASON_NO_MECHANISM};
}

guarantee guarantee_of_file(bool claims_private) {
  guarantee g = guarantee_of_nothing();
  g.reasons = claims_private ? 0 : REASON_IN_FILE;
  return g;
}

/* ---- the stamp */

bool guarantee_is_private(const guarantee *g) {
  return g->reasons == 0;
}

guarantee guarantee_with(guarantee g, unsigned reasons) {
  g.reasons |= reasons;
  return g;
}

void guarantee_reasons(const guarantee *g, char text[REASONS_TEXT_SIZE]) {
  static const struct {
    unsigned flag;
    const char *text;
  } list[] = {
#define REASON_ROW(name, bit, words) {name, words},
      REASON_LIST(REASON_ROW)
#undef REASON_ROW
  };
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    if (g->reasons & list[i].flag) {
      used += (size_t)snprintf(text + used, REASONS_TEXT_SIZE - used, "%s%s", used ? "; " : "",
                               list[i].text);
    }
  }
}

dperm_status guarantee_check(const guarantee *g, dperm_error *err) {
  if (g->delta_numerics > most_delta) { /* also true of infinity; NaN is of no mechanism */
    double excess = math_log(g->delta_numerics / most_delta); /* delta grows as e^epsilon */
    double own = g->rows_per_person == 1 ? g->epsilon_row : g->epsilon; /* without other shares */
    double enough = isfinite(excess) ? floor(10 * (own - excess)) / 10 : 25;
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "epsilon = %g would leave a delta of %.2g, above 1e-30: the probability e^-100 that a fit "
         "is not certified is multiplied by e^epsilon; choose an epsilon of at most %g",
         g->epsilon, g->delta_numerics, enough);
  }
  FAIL_IF(g->delta_given > 0 && !(g->delta_class > 0), err, DPERM_INVALID_ARGUMENT,
          "delta = %g is no more than the %.2g that rounding costs; give a larger one, or none",
          g->delta_given, g->delta_numerics);
  return DPERM_OK;
}
