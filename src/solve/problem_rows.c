/* Rows, by the link and their shares. */
#include "solve/problem_rows.h"

#include "loss/link.h"

double problem_divisor(const problem *p) {
  return p->divisor > 0 ? p->divisor : (double)rows_in_all(p->x);
}

double problem_crowd(const problem *p) {
  return p->divisor > 0 ? (double)rows_in_all(p->x) / p->divisor : 1;
}

size_t problem_size(const problem *p) {
  return p->x->cols * link_scores(p->loss);
}

/* numbers[i] times the share of row from + i, `lanes` numbers for each of `count` rows. */
static void share(const problem *p, size_t from, size_t count, size_t lanes, double *numbers) {
  for (size_t i = 0; numbers && p->shares && i < count * lanes; i++) {
    numbers[i] *= p->shares[from + i / lanes];
  }
}

void problem_rows_eval(const problem *p, size_t from, size_t count, size_t lanes, const double *z,
                       double *value, double *slope, double *curvature) {
  size_t width = lanes * link_scores(p->loss);
  link_eval(p->loss, count, width, p->labels + from, z, value, slope, curvature);
  share(p, from, count, lanes, value);
  share(p, from, count, width, slope);
  if (width == lanes) {
    share(p, from, count, lanes, curvature);
  }
}

void problem_rows_slope_dd(const problem *p, size_t from, size_t count, const double *z,
                           const double *z_rest, double *slope) {
  link_slope_dd(p->loss, count, p->labels + from, z, z_rest, slope);
  share(p, from, count, link_scores(p->loss), slope);
}
