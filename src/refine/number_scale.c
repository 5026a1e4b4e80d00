/* See number_scale.h. Scale i is for medians from wanted·2^(−i−½) up to wanted·2^(−i+½), the first
 * for all longer ones and the last for all shorter ones. The cost of i is how many records lie
 * between the median and that interval, twice: 0 if the median is in it. */
#include "refine/number_scale.h"

#include <math.h>

#include "base/defect.h"
#include "mechanism/selection.h"

/* Few numbers, or few among categories, need less: the others are to be heard too. So do those of
 * many records, whose noise is short beside them, as rows of long ones are bent when they are
 * clipped: down to half. Each of several classes has its own noise, and a part of the records. */
static const double wanted_most = 2.5, wanted_each = 0.9, many = 1000;

void scale_lengths(size_t columns, size_t encoded, size_t classes, double work,
                   double squares[LENGTHS]) {
  const double count = (double)columns, others = (double)(classes - 1);
  const double part = count / (double)encoded;
  double wanted = fmin(classes > 2 ? 2 * wanted_most : wanted_most, wanted_each * sqrt(count)) *
                  sqrt(part) * fmin(1, fmax(0.5, sqrt(many * part * count * others / work)));
  for (int i = 0; i < LENGTHS; i++) {
    squares[i] = ldexp(wanted * wanted, -2 * i - 1);
  }
}

size_t scale_choose(const uint64_t longer[LENGTHS], size_t rows, dperm_neighbours neighbours,
                    double epsilon, random_source *source) {
  size_t costs[SCALES], order[SCALES];
  for (size_t i = 0; i < SCALES; i++) {
    /* of more than half of the records: those above the interval, those above its lower end */
    int64_t above = i > 0 ? 2 * (int64_t)longer[i - 1] - (int64_t)rows : -1;
    int64_t below = i < LENGTHS ? (int64_t)rows - 2 * (int64_t)longer[i] : -1;
    int64_t cost = above > below ? above : below;
    costs[i] = cost > 0 ? (size_t)cost : 0;
  }
  bool adding = neighbours == DPERM_NEIGHBOURS_ADD_REMOVE || DEFECT("scale-half");
  return select_permute_and_flip(source, costs, SCALES, ratio_below(epsilon), adding ? 1 : 2,
                                 order);
}
