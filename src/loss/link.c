/* Binary margins: multiplication by ±1 is exact, so nothing here rounds. See softmax.c too. */
#include "loss/link.h"

#include "base/dispatch.h"

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
  double margin[LINK_WIDTH];
  size_t tall = LINK_WIDTH / width;
  for (size_t i = 0; i < rows; i += tall) {
    size_t count = rows - i < tall ? rows - i : tall, at = i * width;
    times_label(count, width, labels + i, scores + at, margin);
    loss->eval(loss, count * width, margin, after(value, at), after(slope, at),
               after(curvature, at));
    if (slope) {
      times_label(count, width, labels + i, slope + at, slope + at);
    }
  }
}

void link_slope_dd(const dperm_loss *loss, size_t rows, const double *labels, const double *scores,
                   const double *scores_rest, double *slope) {
  if (softmax_classes(loss) > 0) {
    softmax_rows(softmax_classes(loss), rows, labels, scores, scores_rest, NULL, slope, NULL);
    return;
  }
  double margin[LINK_WIDTH], rest[LINK_WIDTH];
  for (size_t i = 0; i < rows; i += LINK_WIDTH) {
    size_t count = rows - i < LINK_WIDTH ? rows - i : LINK_WIDTH;
    times_label(count, 1, labels + i, scores + i, margin);
    times_label(count, 1, labels + i, scores_rest + i, rest);
    loss_slope_dd(loss, count, margin, rest, slope + i);
    times_label(count, 1, labels + i, slope + i, slope + i);
  }
}
