/* φ′ is continuous and nondecreasing with φ′(0) < 0 and, as J is strongly convex, positive far
 * out. A bracket [low, high] with φ′(low) ≤ 0 < φ′(high) shrinks around the root: by Newton's step
 * on φ′ where that falls well inside, else by the middle (while low = 0 by a factor that squares
 * itself, since the step may be wrong by hundreds of powers of ten, then by geometric means). The k
 * searches run in step, so that each evaluation is one pass over the rows. */
#include "solve/line_search.h"

#include <math.h>

#include "base/scratch.h"

enum { MOST_EVALUATIONS = 200 };

typedef struct bracket {
  double low, high;    /* high = INFINITY until one is found */
  double slope_at_low; /* φ′(low) ≤ 0 */
  double wanted;       /* φ′(0)/10 */
  double shrink;       /* the next factor on high while low = 0 */
} bracket;

/* Where to look next, given φ′ and φ″ at the last place looked at. */
static double next_step(bracket *b, double t, double first, double second) {
  double newton = second > 0 ? t - first / second : INFINITY;
  if (isinf(b->high)) {
    return fmin(fmax(newton, 2 * t), 1e3 * t);
  }
  double width = b->high - b->low;
  if (newton > b->low + 0.01 * width && newton < b->high - 0.01 * width) {
    return newton;
  }
  if (b->low == 0) {
    double next = fmax(b->shrink * b->high, 1e-301);
    b->shrink *= b->shrink;
    return next;
  }
  return b->high > 4 * b->low ? sqrt(b->low) * sqrt(b->high) : 0.5 * (b->low + b->high);
}

/* Takes in φ′(t), where what is not a number counts as too far out; true when low is good enough,
 * or cannot be told from high. */
static bool narrow(bracket *b, double t, double first) {
  if (first <= 0) {
    b->low = t;
    b->slope_at_low = first;
  } else {
    b->high = t;
  }
  return b->slope_at_low >= b->wanted || b->high - b->low <= 4e-16 * b->high || b->high < 1e-300;
}

dperm_status line_search(const problem *p, const point *at, const double *direction,
                         const double *q, const bool *active, double *t, dperm_error *err) {
  dperm_status status = DPERM_OK;
  size_t k = p->models, left = 0;
  double *numbers = NULL;
  bracket *brackets = NULL;
  bool *searching = NULL;
  scratch work;
  scratch_init(&work);
  TRY_OR_DONE(scratch_take(&work, 2 * k, sizeof *numbers, &numbers, err));
  TRY_OR_DONE(scratch_take(&work, k, sizeof *brackets, &brackets, err));
  TRY_OR_DONE(scratch_take(&work, k, sizeof *searching, &searching, err));
  double *first = numbers, *second = numbers + k;
  for (size_t m = 0; m < k; m++) {
    t[m] = 0;
  }
  TRY_OR_DONE(problem_along(p, at, direction, q, t, active, first, second, err));
  for (size_t m = 0; m < k; m++) {
    searching[m] = active[m] && first[m] < 0;
    left += searching[m];
    brackets[m] = (bracket){0, INFINITY, first[m], first[m] / 10, 0.03};
    t[m] = searching[m] ? 1.0 : 0.0;
  }
  for (int tries = 0; left > 0 && tries < MOST_EVALUATIONS; tries++) {
    TRY_OR_DONE(problem_along(p, at, direction, q, t, searching, first, second, err));
    for (size_t m = 0; m < k; m++) {
      if (!searching[m]) {
        continue;
      }
      if (narrow(&brackets[m], t[m], first[m])) {
        searching[m] = false;
        left--;
      } else {
        t[m] = next_step(&brackets[m], t[m], first[m], second[m]);
      }
    }
  }
  for (size_t m = 0; m < k; m++) {
    t[m] = active[m] ? brackets[m].low : 0.0;
  }
done:
  scratch_free(&work);
  return status;
}
