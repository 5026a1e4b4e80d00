/* Folds as views of the rows: nothing is copied but labels. Which row falls where is drawn from the
 * seed, before any value is looked at. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "pipeline/sweep_parts.h"
#include "random/choice.h"

/* The first of fold f's places in a random order: the first folds have one more where needed. */
static size_t fold_start(size_t rows, size_t folds, size_t f) {
  size_t more = rows % folds;
  return f * (rows / folds) + (f < more ? f : more);
}

dperm_status split_draw(size_t rows, size_t folds, uint64_t seed, sweep_split *out,
                        dperm_error *err) {
  dperm_status status = DPERM_OK;
  random_source source;
  size_t *order = NULL;
  uint32_t *part = NULL;
  TRY(random_public(seed, "sweep folds", &source, err));
  TRY_OR_DONE(memory_new(rows, sizeof *order, &order, err));
  TRY_OR_DONE(memory_new(rows, sizeof *part, &part, err));
  random_order(&source, rows, order);
  for (size_t fold = 0; fold < folds; fold++) {
    for (size_t i = fold_start(rows, folds, fold); i < fold_start(rows, folds, fold + 1); i++) {
      part[order[i]] = (uint32_t)fold;
    }
  }
  *out = (sweep_split){folds, part};
done:
  free(order);
  return status;
}

size_t split_variant(const sweep_split *split, size_t rows, size_t fold) {
  return split->part && fold >= rows % split->folds;
}

size_t split_train_rows(const sweep_split *split, size_t rows, size_t variant) {
  size_t held = split->part ? rows / split->folds + (variant == 0 && rows % split->folds > 0) : 0;
  return rows - held;
}

/* The rows that fold `number` holds out, or all the others. */
static dperm_status open_view(const sweep_split *split, const sweep_rows *from, size_t number,
                              bool held_out, matrix **view, double **labels, dperm_error *err) {
  dperm_status status = DPERM_OK;
  size_t count = 0, *index = NULL, rows = from->x->rows;
  TRY_OR_DONE(memory_new(rows, sizeof *index, &index, err));
  TRY_OR_DONE(memory_new(rows, sizeof **labels, labels, err));
  for (size_t i = 0; i < rows; i++) {
    if (!split->part || (split->part[i] == number) == held_out) {
      (*labels)[count] = from->labels[i];
      index[count++] = i;
    }
  }
  TRY_OR_DONE(matrix_masked_new(from->x, index, count, view, err));
done:
  free(index);
  return status;
}

dperm_status fold_open(const sweep_split *split, const sweep_rows *rows, const sweep_rows *test,
                       size_t number, sweep_fold *out, dperm_error *err) {
  dperm_status status = DPERM_OK;
  sweep_fold fold = {.number = number, .variant = split_variant(split, rows->x->rows, number)};
  TRY_OR_DONE(open_view(split, rows, number, false, &fold.train, &fold.train_labels, err));
  TRY_OR_DONE(
      open_view(split, test ? test : rows, number, true, &fold.test, &fold.test_labels, err));
  *out = fold;
  return DPERM_OK;
done:
  fold_close(&fold);
  return status;
}

void fold_close(sweep_fold *fold) {
  matrix_free(fold->train);
  matrix_free(fold->test);
  free(fold->train_labels);
  free(fold->test_labels);
  *fold = (sweep_fold){0};
}
