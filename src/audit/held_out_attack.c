/* The attack on a run that holds records out: dperm_train as a whole, coins and evaluation included
 * (docs/proofs/holdout.md). The last of the records is at 1, all others are at 0 with a negative
 * label. Its label is positive in the first data set; in the second it is negative, or the record
 * is not there (neighbours add-remove). It moves the weight by as much as a record can, or counts
 * of the evaluation: what is positive in the cell of its score, and how many of the others are held
 * out beside it. If it could do both, or choose which, the outcome that all of these speak for
 * would be more than e^ε times as likely. */
#include <math.h>

#include "audit/attack.h"
#include "data/dataset.h"
#include "model/model.h"

enum { ROWS = 200, HELD = 10 };

typedef struct held_target {
  const dperm_data *data[2];
  dperm_options options;
  double minimum; /* of a fit to the record alone, */
  double rate;    /* and of a count's noise */
} held_target;

static dperm_status records(int side, bool there, dperm_data **out, dperm_error *err) {
  double x[ROWS] = {0}, labels[ROWS];
  for (size_t i = 0; i < ROWS; i++) {
    labels[i] = -1;
  }
  x[ROWS - 1] = 1;
  labels[ROWS - 1] = side == 0 ? 1 : -1;
  return dperm_data_from_dense(there ? ROWS : ROWS - 1, 1, x, labels, 1, out, err);
}

/* ---- an outcome */

static size_t cell_of(const json_t *ends, double score) {
  size_t cell = 0;
  while (cell < json_array_size(ends) && score > json_number_value(json_array_get(ends, cell))) {
    cell++;
  }
  return cell;
}

static double count_at(const json_t *cells, size_t class, size_t cell) {
  const json_t *row = json_array_get(json_object_get(cells, "counts"), class);
  return (double)json_integer_value(json_array_get(row, cell));
}

/* The log of the ratio of the probabilities of a noisy count, if it is `more` or one less. */
static double moved(const held_target *t, double count, double more) {
  return t->rate * (fabs(count - more + 1) - fabs(count - more));
}

static double judge(const held_target *t, const dperm_model *model) {
  const json_t *cells = json_object_get(model->evaluation, "cells");
  const json_t *ends = json_object_get(cells, "ends");
  const double f = model->weights[0];
  const size_t own = cell_of(ends, f), zero = cell_of(ends, 0);
  const bool adding = t->options.neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  const double other = adding ? 0 : -t->minimum,
               strength = t->options.epsilon / fabs(t->minimum - other);
  double score =
      strength * (fabs(f - other) - fabs(f - t->minimum)) + moved(t, count_at(cells, 1, own), 1);
  if (!adding && own != zero) { /* else the record is one of these */
    score -= moved(t, count_at(cells, 0, zero), HELD);
  }
  return score;
}

static dperm_status draw(const attack *a, int side, random_source *source, double *score,
                         dperm_error *err) {
  const held_target *t = a->context;
  dperm_random random = {*source};
  dperm_options options = t->options;
  OWNED(dperm_model_free_at) dperm_model *model = NULL;
  options.random = &random;
  dperm_status status = dperm_train(t->data[side], &options, &model, err);
  *source = random.source;
  TRY(status);
  *score = judge(t, model);
  return DPERM_OK;
}

dperm_status audit_held_out(const dperm_audit_options *options, int neighbours,
                            dperm_audit_result *out, dperm_error *err) {
  const bool adding = neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  const double lambda = 2; /* times the rows of the fit */
  OWNED(dperm_data_free_at) dperm_data *first = NULL, *second = NULL;
  TRY(records(0, true, &first, err));
  TRY(records(1, !adding, &second, err));
  held_target t = {.data = {first, second}, .minimum = 1 / lambda};
  dperm_options *o = &t.options;
  dperm_options_init(o);
  TRY(dperm_loss_huber(0.5, &o->loss, err));
  o->mechanism = DPERM_MECHANISM_OUTPUT;
  o->epsilon = options->epsilon;
  o->neighbours = (dperm_neighbours)neighbours;
  o->rows_about = adding ? ROWS : 0;
  o->evaluate = (double)HELD / ROWS;
  o->lambda = lambda / (ROWS - HELD);
  o->threads = 1;
  t.rate = options->epsilon * 7 / 8 / (adding ? 1 : 2);
  const attack a = {.context = &t, .usual_draws = 20000, .block = 64, .draw = draw};
  return attack_run(&a, options, out, err);
}
