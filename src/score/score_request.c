/* See score_request.h. */
#include "score/score_request.h"

#include "data/held_out.h"
#include "ledger/charge.h"
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
  FAIL_IF(o->held_out && o->public_model, err, DPERM_INVALID_ARGUMENT,
          "records that a model's run held out are those it was made from, and no public model's; "
          "leave one of the two out");
  FAIL_IF(o->held_out && !o->account.ledger, err, DPERM_INVALID_ARGUMENT,
          "which records were held out only the ledger knows that the model was charged to; name "
          "it");
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

dperm_status score_records(const dperm_model *model, const dperm_data *data,
                           const dperm_score_options *o, dperm_data **part, const dperm_data **out,
                           dperm_error *err) {
  OWNED(held_out_wipe)
  held_out how = {.counted = model->claim.neighbours == DPERM_NEIGHBOURS_REPLACE};
  data_identity identity;
  FAIL_IF(
      data->persons && o->rows_per_person != 1, err, DPERM_INVALID_ARGUMENT,
      "the schema says whose record each is, so persons have any number of rows; leave rows per "
      "person out");
  *out = data;
  if (!o->held_out) {
    return DPERM_OK;
  }
  TRY(identity_of_data(data, &identity, err));
  TRY(charge_find_secret(o->account.ledger, model->ledger_entry, model->ledger_digest, &identity,
                         how.coins, &how.share, err));
  TRY(held_out_split(data, &how, NULL, part, err));
  *out = *part;
  return DPERM_OK;
}
