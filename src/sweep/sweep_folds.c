/* Folds, and the fits of one. Folds are views of the rows: nothing is copied but labels, except
 * where rows are spread over processes. Which row falls where is drawn from the seed, the same for
 * all, before any value is looked at.
 *
 * A draw has a stream of its own, the same for all cells: cells are compared under the same
 * randomness, and none depends on which others there are or in which order they run. */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "loss/link.h"
#include "loss/loss.h"
#include "mechanism/mechanism.h"
#include "run/options.h"
#include "sweep/sweep_run.h"

/* ---- folds */

void sweep_rows_free(sweep_rows *rows) {
  matrix_free(rows->kept);
  matrix_free(rows->made);
  free(rows->own_labels);
  *rows = (sweep_rows){0};
}

/* The rows that fold `number` holds out, or all the others. */
static dperm_status open_side(const sweep_split *split, const sweep_rows *from, size_t number,
                              bool held_out, sweep_rows *out, dperm_error *err) {
  OWNED_MEMORY size_t *index = NULL;
  size_t count = 0;
  if (!split->part) { /* all of them, where they are */
    *out = (sweep_rows){.x = from->x, .labels = from->labels};
    return DPERM_OK;
  }
  TRY(split_side(split, rows_in_all(from->x), number, held_out, &index, &count, err));
  TRY(from->x->kind->select(from->x, index, count, &out->made, err));
  if (from->made && from->x->spread) { /* features are made where the rows have arrived */
    TRY(features_keep(out->made, &out->kept, err));
  }
  if (out->kept) {
    matrix_free(out->made);
    out->made = NULL;
  }
  out->x = out->kept ? out->kept : out->made;
  TRY(memory_new(out->x->rows, sizeof *out->own_labels, &out->own_labels, err));
  out->labels = out->own_labels;
  return tall_select(from->x, from->labels, index, count, out->own_labels, err);
}

dperm_status fold_open(const sweep_split *split, const sweep_rows *rows, const sweep_rows *test,
                       size_t number, sweep_fold *out, dperm_error *err) {
  *out =
      (sweep_fold){.number = number, .variant = split_variant(split, rows_in_all(rows->x), number)};
  TRY(open_side(split, rows, number, false, &out->train, err));
  return open_side(split, test ? test : rows, number, true, &out->test, err);
}

void fold_close(sweep_fold *fold) {
  sweep_rows_free(&fold->train);
  sweep_rows_free(&fold->test);
}

/* ---- fits */

/* Weight vectors that rows are multiplied by at once: X F in blocks. */
enum { JUDGED_TOGETHER = 32 };

/* One cell, its draws side by side. */
typedef struct cell_fits {
  const sweep *sweep;
  const sweep_fold *fold;
  size_t classes; /* more than two take a fit each, or a joint one */
  bool joint;
  dperm_loss loss; /* of the cell's fits */
  problem base;
  random_source *sources;
  solution found;  /* of every model */
  double *weights; /* of each model, one vector for each of its fits */
  double *sides;   /* labels of one class against the others; NULL unless each has a fit */
  const dperm_loss *log_loss; /* that is the −log of a probability, or NULL */
  uint64_t *errors;
  sweep_judged *judged;
} cell_fits;

static dperm_status open_fits(sweep *s, const sweep_fold *fold, const sweep_cell *cell,
                              scratch *work, cell_fits *f, dperm_error *err) {
  const sweep_group *group = &s->groups[cell->group];
  size_t rows = fold->train.x->rows, width = fold->train.x->cols * sizeof *f->weights;
  *f = (cell_fits){.sweep = s, .fold = fold, .classes = data_class_count(s->data)};
  f->joint = options_joint(&cell->options, f->classes);
  f->loss = options_loss(&cell->options, f->classes);
  const loss_kind *kind = loss_kind_of(&f->loss);
  f->log_loss = f->joint || (kind && kind->probability) ? &f->loss : NULL;
  f->base = (problem){.x = fold->train.x,
                      .labels = fold->train.labels,
                      .divisor = cell->plan[fold->variant].privacy.divisor,
                      .norm_bound = group->map ? FEATURES_NORM : group->data.bounds.norm2,
                      .loss = &f->loss,
                      .regularizer = &cell->options.regularizer};
  TRY(scratch_take(work, cell->models, sizeof *f->sources, &f->sources, err));
  TRY(scratch_take(work, cell->models * s->parts, sizeof *f->errors, &f->errors, err));
  TRY(scratch_take(work, cell->models, sizeof *f->judged, &f->judged, err));
  TRY(scratch_take(work, cell->models * class_fits(f->classes), width, &f->weights, err));
  if (f->classes > 2 && !f->joint) {
    TRY(scratch_take(work, rows, sizeof *f->sides, &f->sides, err));
    f->base.labels = f->sides;
  }
  if (cell->class_weights) {
    double *shares = NULL;
    TRY(scratch_take(work, rows, sizeof *shares, &shares, err));
    class_weights_of_rows(cell->class_weights, f->classes, fold->train.labels, rows, shares);
    f->base.shares = shares;
  }
  size_t vectors = cell->models * (f->joint ? f->classes : 1);
  TRY(scratch_take(work, vectors, width, &f->found.f, err));
  return scratch_take(work, vectors, width, &f->found.rest, err);
}

/* Where the weights of one model's fit go. */
static double *weights_of(const cell_fits *f, size_t model, size_t fit) {
  return f->weights + (model * class_fits(f->classes) + fit) * f->base.x->cols;
}

/* A model's fits draw from one source, one after the other, as training does. */
static dperm_status fit_draws(cell_fits *f, const fit_plan *plan, size_t models, size_t fit,
                              const solver_options *how, dperm_error *err) {
  size_t dims = problem_size(&f->base);
  solver_report report;
  for (size_t m = 0; fit == 0 && m < models; m++) {
    char purpose[25];
    (void)snprintf(purpose, sizeof purpose, "%zx draw %zx", f->fold->number, m);
    TRY(random_public(f->sweep->how->seed, purpose, &f->sources[m], err));
  }
  TRY(mechanism_of(plan->privacy.mechanism)(&plan->privacy, &f->base, how, &plan->release.promised,
                                            f->sources, models, &f->found, &report, err));
  for (size_t m = 0; m < models; m++) {
    const solution found = {f->found.f + m * dims, f->found.rest + m * dims};
    TRY(fit_release(plan, f->base.x->spread, &found, dims, &f->sources[m], weights_of(f, m, fit),
                    err));
  }
  return DPERM_OK;
}

static dperm_status fit_cell(cell_fits *f, const sweep_cell *cell, dperm_error *err) {
  const sweep_rows *train = &f->fold->train;
  const solver_options how = {.tolerance = cell->options.gradient_tolerance};
  for (size_t fit = 0; fit < (f->joint ? 1 : class_fits(f->classes)); fit++) {
    for (size_t i = 0; f->sides && i < train->x->rows; i++) {
      f->sides[i] = train->labels[i] == (double)fit ? 1.0 : -1.0;
    }
    TRY(fit_draws(f, &cell->plan[f->fold->variant], cell->models, fit, &how, err));
  }
  return DPERM_OK;
}

/* ---- errors */

/* Numbers of all rows on every process, `width` of each: ranks and sums are over all of them. */
static dperm_status gather_rows(const matrix *x, const double *tall, size_t width, double **out,
                                dperm_error *err) {
  OWNED_MEMORY size_t *rows = NULL;
  const size_t count = rows_in_all(x);
  dperm_status status = memory_new(count, sizeof *rows, &rows, err);
  status = status == DPERM_OK ? memory_new(count * width, sizeof **out, out, err) : status;
  TRY(ranks_agree(x->spread, status, err));
  for (size_t i = 0; i < count; i++) {
    rows[i] = i;
  }
  return spread_everywhere(x, tall, width, rows, count, *out, err);
}

dperm_status sweep_judge(const matrix *x, size_t classes, const double *scores,
                         const double *labels, const dperm_loss *log_loss, double by,
                         sweep_judged *out, dperm_error *err) {
  dperm_metrics m;
  OWNED_MEMORY double *all_scores = NULL, *all_labels = NULL;
  if (x->spread) {
    TRY(gather_rows(x, scores, class_fits(classes), &all_scores, err));
    TRY(gather_rows(x, labels, 1, &all_labels, err));
    scores = all_scores;
    labels = all_labels;
  }
  TRY(metrics_of(classes, scores, labels, rows_in_all(x), log_loss, by, &m, err));
  *out = (sweep_judged){m.auc, m.log_loss};
  return DPERM_OK;
}

void sweep_judge_numbers(const sweep *s, const double *values, const double *labels, size_t rows,
                         sweep_judged *out) {
  const double half = label_range_half(data_label_range(s->data)), n = (double)rows;
  double squares = 0, sizes = 0;
  for (size_t i = 0; i < rows; i++) {
    const double r = half * (values[i] - labels[i]);
    squares += r * r;
    sizes += fabs(r);
  }
  *out = (sweep_judged){.auc_or_rmse = sqrt(squares / n), .log_loss_or_mae = sizes / n};
}

/* Model m of those whose scores stand side by side, `k` a row. */
static dperm_status judge_one(const cell_fits *c, const double *z, size_t k, size_t m,
                              double *scores, sweep_judged *out, dperm_error *err) {
  const sweep_rows *test = &c->fold->test;
  const size_t fits = class_fits(c->classes);
  for (size_t i = 0; i < test->x->rows; i++) {
    memcpy(scores + i * fits, z + i * k + m * fits, fits * sizeof *scores);
  }
  if (c->classes == 0) {
    for (size_t i = 0; i < test->x->rows; i++) {
      scores[i] = link_number(&c->loss, scores[i]);
    }
    sweep_judge_numbers(c->sweep, scores, test->labels, test->x->rows, out);
    return DPERM_OK;
  }
  return sweep_judge(test->x, c->classes, scores, test->labels, c->log_loss, 1, out, err);
}

/* Wrong predictions of `count` models, in each part of the rows: of the rows here. */
static dperm_status count_here(const cell_fits *c, size_t count, dperm_error *err) {
  OWNED_MEMORY double *z = NULL, *scores = NULL;
  const matrix *x = c->fold->test.x;
  size_t fits = class_fits(c->classes), parts = c->sweep->parts;
  size_t rows = rows_in_all(x), first = x->spread ? x->first : 0;
  size_t together = fits < JUDGED_TOGETHER ? JUDGED_TOGETHER / fits : 1;
  FAIL_IF(rows == 0, err, DPERM_INVALID_DATA, "a fold has no rows to judge by; choose fewer folds");
  TRY(memory_new(x->rows * together * fits, sizeof *z, &z, err));
  TRY(memory_new(x->rows * fits, sizeof *scores, &scores, err));
  memset(c->errors, 0, count * parts * sizeof *c->errors);
  for (size_t from = 0; from < count; from += together) {
    size_t models = count - from < together ? count - from : together, k = models * fits;
    TRY(apply_vectors(x, c->weights + from * fits * x->cols, k, z, err));
    for (size_t i = 0; i < x->rows && c->classes > 0; i++) {
      double actual = c->fold->test.labels[i];
      size_t part = (first + i) * parts / rows;
      for (size_t m = 0; m < models; m++) {
        size_t winner = model_winner(c->classes, z + i * k + m * fits);
        c->errors[(from + m) * parts + part] += class_label(c->classes, winner) != actual;
      }
    }
    for (size_t m = 0; m < models; m++) {
      TRY(judge_one(c, z, k, m, scores, &c->judged[from + m], err));
    }
  }
  return DPERM_OK;
}

dperm_status sweep_fit(sweep *s, const sweep_fold *fold, size_t number, dperm_error *err) {
  OWNED(scratch_free) scratch work = {0};
  const sweep_cell *cell = &s->cells[number];
  cell_fits f;
  TRY(open_fits(s, fold, cell, &work, &f, err));
  TRY(fit_cell(&f, cell, err));
  dperm_status status = count_here(&f, cell->models, err);
  TRY(ranks_add(fold->test.x->spread, status, f.errors, cell->models * s->parts, err));
  return results_add(s, number, fold->number, f.errors, f.judged, err);
}
