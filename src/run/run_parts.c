/* See run_parts.h. */
#include "run/run_parts.h"

#include "base/defect.h"
#include "base/json_text.h"
#include "base/ranks.h"
#include "evaluate/evaluation.h"
#include "run/fit.h"
#include "run/options.h"
#include "run/stage.h"

dperm_status run_parts_count(const dperm_options *o, size_t rows, size_t *fit, size_t *held,
                             dperm_error *err) {
  enum { LEAST = 10 };
  *held = held_out_rows(rows, o->evaluate);
  *fit = rows - *held;
  FAIL_IF(o->evaluate > 0 && (*held < LEAST || *fit < LEAST), err, DPERM_INVALID_DATA,
          "to hold out %g of %zu leaves fewer than %d on one side; choose another share",
          o->evaluate, rows, LEAST);
  return DPERM_OK;
}

void run_parts_clear(run_parts *parts) {
  dperm_data_free(parts->rest);
  dperm_data_free(parts->held);
  held_out_wipe(&parts->how);
}

dperm_status run_parts_open(const dperm_data *data, const dperm_options *o, random_source *source,
                            run_parts *out, dperm_error *err) {
  *out = (run_parts){.given = data, .fit = data, .rows = options_rows(o, data)};
  TRY(run_parts_count(o, out->rows, &out->fit_rows, &out->held_rows, err));
  if (o->evaluate == 0) {
    return DPERM_OK;
  }
  TRY(check_rows_public(data, err)); /* a part does not know its file */
  out->how.share = o->evaluate;
  out->how.counted = o->neighbours == DPERM_NEIGHBOURS_REPLACE;
  TRY(held_out_draw(source, data->x->spread, &out->how, err));
  TRY(held_out_split(data, &out->how, &out->rest, &out->held, err));
  out->fit = out->rest;
  return DPERM_OK;
}

/* ---- the evaluation */

static dperm_status evaluate(const run_parts *parts, random_source *source, dperm_model *model,
                             dperm_error *err) {
  OWNED(evaluation_free_at) model_evaluation *made = NULL;
  json_auto_t *stated = NULL;
  const guarantee *claim = &model->claim;
  const evaluation_terms terms = {claim->epsilon_evaluated, guarantee_unit(claim),
                                  claim->neighbours};
  const dperm_data *held = DEFECT("evaluation-of-all") ? parts->given : parts->held;
  TRY(evaluation_private(model, held, &terms, source, &made, err));
  TRY(random_check(source, err)); /* after the last draw, before anything leaves */
  TRY(evaluation_json(made, &stated, err));
  json_set(&stated, "share", json_real(parts->how.share)); /* never which records */
  FAIL_IF(!stated, err, DPERM_OUT_OF_MEMORY, "out of memory while stating an evaluation");
  json_decref(model->evaluation);
  model->evaluation = json_incref(stated);
  return DPERM_OK;
}

dperm_status run_parts_evaluate(const run_parts *parts, random_source *source, dperm_model *model,
                                dperm_error *err) {
  model->rows = DEFECT("rows-released") ? rows_in_all(parts->given->x) : parts->rows;
  if (!parts->held) {
    return DPERM_OK;
  }
  return ranks_agree(parts->given->x->spread, evaluate(parts, source, model, err), err);
}
