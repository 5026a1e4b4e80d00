/* Which row falls into which fold. */
#include "base/memory.h"
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

dperm_status split_side(const sweep_split *split, size_t rows, size_t fold, bool held_out,
                        size_t **index, size_t *count, dperm_error *err) {
  TRY(memory_new(rows, sizeof **index, index, err));
  *count = 0;
  for (size_t i = 0; i < rows; i++) {
    if ((split->part[i] == fold) == held_out) {
      (*index)[(*count)++] = i;
    }
  }
  return DPERM_OK;
}
