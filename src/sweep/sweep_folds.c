/* Folds as views of the rows: nothing is copied but labels, except where rows are spread over
 * processes. Which row falls where is drawn from the seed, the same for all, before any value is
 * looked at. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "matrix/matrix.h"
#include "random/discrete_sampling.h"
#include "sweep/sweep_run.h"

/* The first of fold f's places in a random order: the first folds have one more where needed. */
static size_t fold_start(size_t rows, size_t folds, size_t f) {
  size_t more = rows % folds;
  return f * (rows / folds) + (f < more ? f : more);
}

dperm_status split_draw(size_t rows, size_t folds, uint64_t seed, sweep_split *out,
                        dperm_error *err) {
  OWNED_MEMORY size_t *order = NULL;
  random_source source;
  TRY(random_public(seed, "sweep folds", &source, err));
  TRY(memory_new(rows, sizeof *order, &order, err));
  TRY(memory_new(rows, sizeof *out->part, &out->part, err));
  out->folds = folds;
  random_order(&source, rows, order);
  for (size_t fold = 0; fold < folds; fold++) {
    for (size_t i = fold_start(rows, folds, fold); i < fold_start(rows, folds, fold + 1); i++) {
      out->part[order[i]] = (uint32_t)fold;
    }
  }
  return DPERM_OK;
}

size_t split_variant(const sweep_split *split, size_t rows, size_t fold) {
  return split->part && fold >= rows % split->folds;
}

size_t split_train_rows(const sweep_split *split, size_t rows, size_t variant) {
  size_t held = split->part ? rows / split->folds + (variant == 0 && rows % split->folds > 0) : 0;
  return rows - held;
}

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
  size_t count = 0, rows = rows_in_all(from->x);
  if (!split->part) { /* all of them, where they are */
    *out = (sweep_rows){.x = from->x, .labels = from->labels};
    return DPERM_OK;
  }
  TRY(memory_new(rows, sizeof *index, &index, err));
  for (size_t i = 0; i < rows; i++) {
    if ((split->part[i] == number) == held_out) {
      index[count++] = i;
    }
  }
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
