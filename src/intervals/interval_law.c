/* See interval_law.h. */
#include "intervals/interval_law.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

dperm_status interval_law_new(const interval_design *design, interval_law *out, dperm_error *err) {
  const size_t d = design->columns;
  interval_law law = {.design = design, .d = d};
  double **const vectors[] = {&law.first,     &law.first_noise,  &law.mean,   &law.variance,
                              &law.doubt,     &law.width,        &law.excess, &law.phi,
                              &law.rest,      &law.excess_noise, &law.scale,  &law.mirror,
                              &law.rest_doubt};
  double **const squares[] = {&law.pair, &law.pair_noise, &law.inverse};
  const size_t vector_count = sizeof vectors / sizeof *vectors,
               square_count = sizeof squares / sizeof *squares;
  law.count = vector_count * d + square_count * d * d;
  TRY(memory_new(law.count, sizeof *law.numbers, &law.numbers, err));
  double *at = law.numbers;
  for (size_t i = 0; i < vector_count; i++, at += d) {
    *vectors[i] = at;
  }
  for (size_t i = 0; i < square_count; i++, at += d * d) {
    *squares[i] = at;
  }
  *out = law;
  return DPERM_OK;
}

void interval_law_free(interval_law *law) {
  free(law->numbers);
  *law = (interval_law){0};
}

dperm_status interval_law_share(interval_law *law, ranks *spread, dperm_error *err) {
  double some[] = {law->h0, law->spread_most, law->omega, law->squares};
  TRY(ranks_share(spread, DPERM_OK, some, sizeof some, err));
  law->h0 = some[0];
  law->spread_most = some[1];
  law->omega = some[2];
  law->squares = some[3];
  return ranks_share(spread, DPERM_OK, law->numbers, law->count * sizeof *law->numbers, err);
}

/* ---- means of what was released */

/* In order, with the deviation of their noise. */
double interval_next(interval_reader *r, double *deviation) {
  const double unit = ldexp(1, -INTERVAL_UNIT_BITS) / r->rows;
  while (r->within == r->body->blocks[r->block].entries) {
    r->block++;
    r->within = 0;
  }
  *deviation = unit * integer_body_deviation(r->body, r->block, r->epsilon);
  r->within++;
  return unit * (double)*r->released++;
}
