/* The choice of a temperature. The record of the worst pair has scores so close together that every
 * probability is next to 1/k at every temperature of the grid: if its class has the one largest
 * score it adds 1 − 1/k to all sums, if the one smallest it takes as much. The other records leave
 * all sums but the last as far above zero as the last is below, handicaps counted. Then the last is
 * chosen once in 33 draws; where the record is replaced all the others come nearer to zero and the
 * last moves away, and it is chosen e^−ε times as often: tight, up to 1/k. */
#include "audit/attack.h"
#include "audit/audit_cases.h"
#include "base/memory.h"
#include "base/owned.h"
#include "mechanism/temperature.h"

enum { MANY = 500, APART = 4 * TEMPERATURE_UNIT };

typedef struct temperature_target {
  dperm_neighbours neighbours;
  double epsilon;
  int64_t sums[2][TEMPERATURES];
} temperature_target;

static dperm_status draw_temperature(const attack *a, int side, random_source *source,
                                     double *score, double *outcome, dperm_error *err) {
  const temperature_target *t = a->context;
  (void)err;
  *outcome = (double)temperature_choose(source, t->sums[side], t->neighbours, t->epsilon);
  *score = *outcome == TEMPERATURES - 1 ? 1 : 0;
  return DPERM_OK;
}

/* What the record adds if its class has the largest score, or the smallest. */
static dperm_status add_record(bool largest, int64_t sums[TEMPERATURES], dperm_error *err) {
  const double label = 0;
  double scores[MANY] = {largest ? 1e-6 : -1e-6};
  OWNED_MEMORY double *room = NULL;
  TRY(memory_new(temperature_room(MANY), sizeof *room, &room, err));
  temperature_add(MANY, 1, scores, &label, NULL, room, sums);
  return DPERM_OK;
}

dperm_status audit_temperature(const dperm_audit_options *options, int neighbours,
                               dperm_audit_result *out, dperm_error *err) {
  temperature_target t = {.neighbours = (dperm_neighbours)neighbours, .epsilon = options->epsilon};
  TRY(add_record(true, t.sums[0], err));
  if (neighbours == DPERM_NEIGHBOURS_REPLACE) { /* else it is not there */
    TRY(add_record(false, t.sums[1], err));
  }
  const size_t last = TEMPERATURES - 1;
  for (size_t j = 0; j < TEMPERATURES; j++) {
    uint64_t far = APART + temperature_handicap(last, t.neighbours, t.epsilon) -
                   temperature_handicap(j, t.neighbours, t.epsilon);
    int64_t others = (j < last ? (int64_t)far : -(int64_t)far) - t.sums[0][j];
    t.sums[0][j] += others;
    t.sums[1][j] += others;
  }
  const attack a = {.context = &t, .usual_draws = 400000, .block = 4096, .draw = draw_temperature};
  return attack_run(&a, options, out, err);
}
