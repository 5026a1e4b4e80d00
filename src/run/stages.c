/* See stage.h. */
#include "run/stage.h"

#include <math.h>

#include "privacy/shares.h"

extern const stage calibration_stage;
extern const stage pairs_stage;
extern const stage intervals_stage;

static const stage *const stages[SHARE_COUNT] = {
    [SHARE_CALIBRATION] = &calibration_stage,
    [SHARE_PAIRS] = &pairs_stage,
    [SHARE_INTERVALS] = &intervals_stage,
};

stage_numbers stage_numbers_of(const dperm_data *data, size_t rows) {
  return (stage_numbers){.rows = rows,
                         .columns =
                             data->table ? schema_encoded_columns(data->schema) : data->x->cols,
                         .classes = data_class_count(data),
                         .pairs = data->table ? pairs_of_schema(data->schema) : 0};
}

void stages_settle(dperm_options *o, const stage_numbers *numbers) {
  for (share_id s = SHARE_AFTER_FIT; s < SHARE_COUNT; s++) {
    double *share = (double *)(void *)((char *)o + share_kinds[s].option_at);
    *share = isnan(*share) ? stages[s]->usual(o, numbers) : *share;
  }
}

dperm_status stages_check(const dperm_options *o, const stage_numbers *numbers, dperm_error *err) {
  const double least = 1e-12;
  for (share_id s = SHARE_AFTER_FIT; s < SHARE_COUNT; s++) {
    const double epsilon = share_given(o, s) * o->epsilon;
    if (share_given(o, s) == 0) {
      continue;
    }
    TRY(stages[s]->check(o, numbers, err));
    FAIL_IF(!(epsilon / (double)o->rows_per_person >= least && epsilon < 1e6), err,
            DPERM_INVALID_ARGUMENT,
            "%s has an epsilon of %g; it must be below 1e6 and at least %g for each row: give it a "
            "larger share",
            share_kinds[s].option, epsilon, least);
  }
  return DPERM_OK;
}

bool stages_any(const guarantee *claim) {
  bool any = false;
  for (share_id s = SHARE_AFTER_FIT; s < SHARE_COUNT; s++) {
    any = any || claim->shares[s] > 0;
  }
  return any;
}

size_t stages_room(const guarantee *claim, const dperm_model *model, const matrix *view) {
  size_t most = 0;
  for (share_id s = SHARE_AFTER_FIT; s < SHARE_COUNT; s++) {
    size_t room = claim->shares[s] > 0 && stages[s]->room ? stages[s]->room(model, view) : 0;
    most = room > most ? room : most;
  }
  return most;
}

dperm_status stages_run(const guarantee *claim, stage_work work, dperm_error *err) {
  work.neighbours = claim->neighbours;
  for (share_id s = SHARE_AFTER_FIT; s < SHARE_COUNT; s++) {
    json_auto_t *released = NULL;
    if (claim->shares[s] > 0) {
      work.epsilon = epsilon_share(claim->shares[s], claim->rows_per_person);
      TRY(stages[s]->run(&work, &released, err));
      TRY(model_take_share(work.model, s, released, err));
    }
  }
  return DPERM_OK;
}
