/* See score_request.h. */
#include "score/score_request.h"

#include "run/options.h"

/* A model of these records that is private for the one kind of neighbours moves as it likes between
 * those of the other, and its errors with it: no noise on counts helps. */
static dperm_status check_neighbours(const dperm_model *model, const dperm_score_options *o,
                                     dperm_error *err) {
  dperm_neighbours of_model = model->claim.neighbours;
  FAIL_IF(!dperm_neighbours_name(o->neighbours), err, DPERM_INVALID_ARGUMENT,
          "neighbours number %d is none of the two", (int)o->neighbours);
  FAIL_IF(!o->public_model && o->neighbours != of_model && /* of no private model it says so */
              (of_model == DPERM_NEIGHBOURS_ADD_REMOVE || dperm_model_is_private(model)),
          err, DPERM_INVALID_ARGUMENT,
          "this model is private for neighbours %s, its score says nothing for others; say "
          "neighbours %s, or score it on other records, as a public model",
          dperm_neighbours_name(of_model), dperm_neighbours_name(of_model));
  return DPERM_OK;
}

dperm_status score_check(const dperm_model *model, const dperm_score_options *o, dperm_error *err) {
  TRY(check_neighbours(model, o, err));
  return check_rows_per_person(o->rows_per_person, err);
}

/* A model that moves with a record as it likes makes its own errors tell of that record, whatever
 * noise they get; one that is private was paid for. */
unsigned score_reasons(const dperm_model *model, const dperm_score_options *o,
                       const random_source *source) {
  const bool moves = !o->public_model && !dperm_model_is_private(model);
  return source_reasons(source) | (moves ? REASON_MODEL : 0);
}
