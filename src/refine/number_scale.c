/* See number_scale.h. Scale i is for medians from wanted·2^(−i−½) up to wanted·2^(−i+½), the first
 * for all longer ones and the last for all shorter ones. */
#include "refine/number_scale.h"

#include <math.h>

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
