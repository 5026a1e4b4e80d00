/* Binary margins: multiplication by ±1 is exact, so nothing here rounds. A residual and the offset
 * of a count do, in doubles (solve/certify.c); in pairs of them its high half is the nearest
 * double. See softmax.c too. */
#include "loss/link.h"

#include <math.h>

#include "base/dispatch.h"
#include "base/double_double.h"
#include "base/functions.h"

enum { FOUR = 4 };
typedef double four __attribute__((vector_size(FOUR * sizeof(double)), aligned(8), may_alias));

LANE_INLINE void each_times_label(size_t rows, size_t width, const double *labels,
                                  const double *from, double *to) {
  for (size_t i = 0; i < rows; i++, from += width, to += width) {
    size_t l = 0;
    for (; l + FOUR <= width; l += FOUR) {
      *(four *)(to + l) = labels[i] * *(const four *)(from + l);
    }
    for (; l < width; l++) {
      to[l] = labels[i] * from[l];
    }
  }
}

/* For `width` numbers a row; one a row has a loop of its own. */
FOR_EACH_WIDTH
static void times_label(size_t rows, size_t width, const double *labels, const double *from,
                        double *to) {
  if (width == 1) {
    each_times_label(rows, 1, labels, from, to);
  } else {
    each_times_label(rows, width, labels, from, to);
  }
}

static void less_label(size_t rows, size_t width, const double *labels, const double *from,
                       double *to) {
  for (size_t i = 0; i < rows; i++) {
    for (size_t l = 0; l < width; l++, from++, to++) {
      *to = *from - labels[i];
    }
  }
}

/* y', and rounded once, the same number wherever it counts. */
static double count_share(double label) {
  return (1 + label) / 2;
}

static void less_offset(size_t rows, size_t width, const double *labels, const double *from,
                        double *to) {
  (void)labels;
  for (size_t l = 0; l < rows * width; l++) {
    to[l] = from[l] - link_count_offset;
  }
}

/* From φ and its slope to a row's loss and slope. */
static void less_count(size_t rows, size_t width, const double *labels, const double *u,
                       double *value, double *slope) {
  for (size_t l = 0; l < rows * width; l++) {
    const double share = count_share(labels[l / width]);
    if (value) {
      value[l] -= share * u[l];
    }
    if (slope) {
      slope[l] -= share;
    }
  }
}

static double *after(double *results, size_t count) {
  return results ? results + count : NULL;
}

size_t link_scores(const dperm_loss *loss) {
  size_t classes = softmax_classes(loss);
  return classes > 0 ? classes : 1;
}

void link_eval(const dperm_loss *loss, size_t rows, size_t width, const double *labels,
               const double *scores, double *value, double *slope, double *curvature) {
  if (softmax_classes(loss) > 0) {
    softmax_rows(width, rows, labels, scores, NULL, value, slope, curvature);
    return;
  }
  const bool residual = loss_is_residual(loss), counts = loss_is_count(loss);
  double margin[LINK_WIDTH];
  size_t tall = LINK_WIDTH / width;
  for (size_t i = 0; i < rows; i += tall) {
    size_t count = rows - i < tall ? rows - i : tall, at = i * width;
    (residual ? less_label
     : counts ? less_offset
              : times_label)(count, width, labels + i, scores + at, margin);
    loss->eval(loss, count * width, margin, after(value, at), after(slope, at),
               after(curvature, at));
    if (counts) {
      less_count(count, width, labels + i, margin, after(value, at), after(slope, at));
    } else if (slope && !residual) {
      times_label(count, width, labels + i, slope + at, slope + at);
    }
  }
}

/* z + rest − y, or − 2 of counts, exact but for one rounding of the low half. */
static void residuals_dd(bool counts, size_t rows, const double *labels, const double *z,
                         const double *z_rest, double *high, double *low) {
  for (size_t i = 0; i < rows; i++) {
    double_double r = two_sum(z[i], -(counts ? link_count_offset : labels[i]));
    r = two_sum(r.hi, r.lo + z_rest[i]);
    high[i] = r.hi;
    low[i] = r.lo;
  }
}

void link_slope_dd(const dperm_loss *loss, size_t rows, const double *labels, const double *scores,
                   const double *scores_rest, double *slope) {
  if (softmax_classes(loss) > 0) {
    softmax_rows(softmax_classes(loss), rows, labels, scores, scores_rest, NULL, slope, NULL);
    return;
  }
  const bool counts = loss_is_count(loss), numbers = loss_of_numbers(loss);
  double margin[LINK_WIDTH], rest[LINK_WIDTH];
  for (size_t i = 0; i < rows; i += LINK_WIDTH) {
    size_t count = rows - i < LINK_WIDTH ? rows - i : LINK_WIDTH;
    if (numbers) {
      residuals_dd(counts, count, labels + i, scores + i, scores_rest + i, margin, rest);
      loss_slope_dd(loss, count, margin, rest, slope + i);
      if (counts) {
        less_count(count, 1, labels + i, margin, NULL, slope + i);
      }
      continue;
    }
    times_label(count, 1, labels + i, scores + i, margin);
    times_label(count, 1, labels + i, scores_rest + i, rest);
    loss_slope_dd(loss, count, margin, rest, slope + i);
    times_label(count, 1, labels + i, slope + i, slope + i);
  }
}

double link_number(const dperm_loss *loss, double score) {
  const double u = score - link_count_offset;
  return loss_is_count(loss) ? (u < 0 ? 2 * math_exp(u) - 1 : 1) : fmin(fmax(score, -1), 1);
}
