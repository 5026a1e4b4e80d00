/* Cells whose records are asked how to use their numbers: each draw is a run of its own, as train
 * makes it, under the schema that its answers lead to. Draws share nothing but the rows. */
#include <stdio.h>

#include "base/memory.h"
#include "sweep/sweep_run.h"

static dperm_status select_side(const sweep *s, size_t fold, bool held_out, dperm_data **out,
                                dperm_error *err) {
  OWNED_MEMORY size_t *index = NULL;
  size_t count = 0;
  TRY(split_side(&s->split, rows_in_all(s->data->x), fold, held_out, &index, &count, err));
  return dperm_data_select(s->data, index, count, out, err);
}

/* Wrong predictions in each part of the rows, of the rows here; and the rest. */
static dperm_status count_wrong(const sweep *s, const dperm_model *model, const dperm_data *test,
                                uint64_t *errors, sweep_judged *judged, dperm_error *err) {
  OWNED_MEMORY double *scores = NULL;
  dperm_loss loss;
  const matrix *x = test->x;
  const size_t classes = data_class_count(s->data), fits = class_fits(classes);
  const size_t rows = rows_in_all(x), first = x->spread ? x->first : 0;
  TRY(memory_new(x->rows * fits, sizeof *scores, &scores, err));
  if (classes == 0) {
    TRY(model_numbers(model, test, scores, err));
    sweep_judge_numbers(s, scores, test->labels, x->rows, judged);
    return DPERM_OK;
  }
  TRY(dperm_model_scores(model, test, scores, err));
  for (size_t i = 0; i < x->rows; i++) {
    const double said = class_label(classes, model_winner(classes, scores + i * fits));
    errors[(first + i) * s->parts / rows] += said != test->labels[i];
  }
  return sweep_judge(x, classes, scores, test->labels, model_log_loss(model, &loss),
                     model->inverse_temperature, judged, err);
}

static dperm_status train_draw(const sweep *s, const sweep_cell *cell, size_t fold, size_t draw,
                               const dperm_data *train, dperm_model **out, dperm_error *err) {
  dperm_options options = cell->options;
  dperm_random random;
  char purpose[25];
  (void)snprintf(purpose, sizeof purpose, "%zx draw %zx", fold, draw);
  TRY(random_public(s->how->seed, purpose, &random.source, err));
  options.random = &random;
  options.progress = s->progress;
  return train_everywhere(train, &options, out, err);
}

dperm_status sweep_fit_asked(sweep *s, size_t fold, size_t number, dperm_error *err) {
  OWNED(dperm_data_free_at) dperm_data *chosen = NULL, *held_out = NULL;
  OWNED_MEMORY uint64_t *errors = NULL;
  OWNED_MEMORY sweep_judged *judged = NULL;
  const sweep_cell *cell = &s->cells[number];
  const dperm_data *train = s->data, *test = s->how->test_data;
  if (s->split.part) {
    TRY(select_side(s, fold, false, &chosen, err));
    TRY(select_side(s, fold, true, &held_out, err));
    train = chosen;
    test = held_out;
  }
  dperm_status status = memory_new(cell->models * s->parts, sizeof *errors, &errors, err);
  status = status == DPERM_OK ? memory_new(cell->models, sizeof *judged, &judged, err) : status;
  for (size_t m = 0; m < cell->models && status == DPERM_OK; m++) {
    OWNED(dperm_model_free_at) dperm_model *model = NULL;
    TRY(train_draw(s, cell, fold, m, train, &model, err));
    status = count_wrong(s, model, test, errors + m * s->parts, judged + m, err);
  }
  TRY(ranks_add(test->x->spread, status, errors, cell->models * s->parts, err));
  return results_add(s, number, fold, errors, judged, err);
}
