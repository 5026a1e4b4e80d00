/* The stage that chooses a temperature (docs/proofs/calibration.md). Scores are computed row by row
 * from the released weights: a row's are the same wherever it stands and whatever the others are
 * (matrix/gemm_block.c, matrix/matrix_dense.h), which the proof needs. So they are looked at in
 * blocks, and no scores of all rows are kept. */
#include "run/stage.h"

#include "matrix/matrix_dense.h"
#include "mechanism/temperature.h"
#include "run/options.h"

/* One number makes probabilities right where noise holds the weights far too short: where there are
 * few records for each of them. Elsewhere it finds 1, or what noise says (docs/reproduction.md). */
static double usual(const dperm_options *o, const stage_numbers *n) {
  const double share = 0.05, least = 100, most = 120;
  bool adding = o->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  bool can = options_have_softmax(o) && (n->classes == 2 || options_joint(o, n->classes));
  double work = (adding ? 2 : 1) * (double)n->rows * o->epsilon / (double)o->rows_per_person;
  double weights = (double)n->columns * (double)(n->classes - 1);
  return can && share * work >= least && work <= most * weights ? share : 0;
}

static dperm_status check(const dperm_options *o, const stage_numbers *n, dperm_error *err) {
  FAIL_IF(!options_have_softmax(o), err, DPERM_INVALID_ARGUMENT,
          "calibrate is for probabilities, which only logistic loss has; with %s leave it out",
          o->loss.name ? o->loss.name : "this loss");
  FAIL_IF(n->classes != 2 && !options_joint(o, n->classes), err, DPERM_INVALID_ARGUMENT,
          "calibrate is for two classes, or classes that are learned jointly; with one-vs-rest "
          "leave it out");
  return DPERM_OK;
}

/* Weights as a right-hand side, scores of a block, space of the matrix and of the sums. */
static size_t room_of(const dperm_model *model, const matrix *view) {
  size_t fits = class_fits(model->classes.count);
  return fits * (model->dims + TEMPERATURE_ROWS) + view->work_size +
         temperature_room(model->classes.count);
}

static void add_rows(const stage_work *w, int64_t sums[TEMPERATURES]) {
  const dperm_model *model = w->model;
  const matrix *x = w->view;
  size_t classes = model->classes.count, fits = class_fits(classes);
  double *weights = w->room, *scores = weights + fits * model->dims;
  double *work = scores + TEMPERATURE_ROWS * fits;
  for (size_t j = 0; j < model->dims; j++) {
    for (size_t m = 0; m < fits; m++) {
      weights[j * fits + m] = model->weights[m * model->dims + j];
    }
  }
  for (size_t from = 0; from < x->rows; from += TEMPERATURE_ROWS) {
    size_t left = x->rows - from, count = left < TEMPERATURE_ROWS ? left : TEMPERATURE_ROWS;
    x->kind->apply_rows(x, from, count, weights, fits, scores, work);
    temperature_add(classes, count, scores, w->labels + from,
                    w->row_weights ? w->row_weights + from : NULL, work + x->work_size, sums);
  }
}

static dperm_status run(const stage_work *w, json_t **released, dperm_error *err) {
  ranks *spread = w->view->spread;
  int64_t sums[TEMPERATURES] = {0};
  size_t chosen = 0;
  dperm_status status = DPERM_OK;
  add_rows(w, sums);
  /* exactly, over all processes: whole numbers modulo 2^64 */
  TRY(ranks_add(spread, DPERM_OK, (uint64_t *)sums, TEMPERATURES, err));
  if (ranks_lead(spread)) {
    chosen = temperature_choose(w->source, sums, w->neighbours, w->epsilon);
    status = random_check(w->source, err); /* after the last draw, before anything leaves */
  }
  TRY(ranks_share(spread, status, &chosen, sizeof chosen, err));
  *released = json_pack("{s:f, s:i, s:[i, i]}", "inverse_temperature", temperature_at(chosen),
                        "quarter_octaves", TEMPERATURE_FIRST + (int)chosen, "grid",
                        TEMPERATURE_FIRST, TEMPERATURE_LAST);
  return DPERM_OK;
}

const stage calibration_stage = {.usual = usual, .check = check, .room = room_of, .run = run};
