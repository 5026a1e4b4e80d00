/* φ′ is continuous and nondecreasing with φ′(0) < 0 and, as J is strongly convex, positive far
 * out. A bracket [low, high] with φ′(low) ≤ 0 < φ′(high) shrinks around the root: by Newton's step
 * on φ′ where that falls well inside, else by the middle (while low = 0 by a factor that squares
 * itself, since the step may be wrong by hundreds of powers of ten, then by geometric means). */
#include "solve/line_search.h"

#include <math.h>

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
                         const double *q, double *t, dperm_error *err) {
  double first = 0, second = 0, step = 1;
  TRY(problem_along(p, at, direction, q, 0, &first, &second, err));
  bracket b = {0, INFINITY, first, first / 10, 0.03};
  for (int tries = 0; b.slope_at_low < 0 && tries < MOST_EVALUATIONS; tries++) {
    TRY(problem_along(p, at, direction, q, step, &first, &second, err));
    if (narrow(&b, step, first)) {
      break;
    }
    step = next_step(&b, step, first, second);
  }
  *t = b.low;
  return DPERM_OK;
}
