/* The weights of a linear model in parts that are read together: a line, the cells of a number, the
 * categories of a column, the pairs of a cross, what stands for "missing", the intercept. */
#pragma once

#include "model/model.h"

typedef enum part_kind {
  PART_LINE,
  PART_CELLS, /* in their order, so that neighbours can be compared */
  PART_CATEGORIES,
  PART_PAIRS,
  PART_AFTER_FIT, /* pairs that were added when the weights were released */
  PART_MISSING,
  PART_INTERCEPT
} part_kind;

typedef struct weight_part {
  part_kind kind;
  size_t source;       /* its column or cross of the schema; without one, the encoded column */
  size_t first, count; /* weights */
  double entry;        /* no entry of a row is longer there */
  bool compared; /* with the centre of the part: a constant says nothing beside the intercept. One
                    with a reference is compared with that, whose weight is 0 */
  bool centred;  /* a line whose range is from −r to r */
} weight_part;

typedef struct weight_parts {
  weight_part *list; /* columns in order, each with its line first and "missing" last */
  size_t count;
  size_t lines, blocks; /* how many of them are lines, and how many cells, categories or pairs */
} weight_parts;

/* Whether each row has at most one entry there, of cells, categories or pairs that the fit saw. */
static inline bool part_is_block(const weight_part *part) {
  return part->kind == PART_CELLS || part->kind == PART_CATEGORIES || part->kind == PART_PAIRS;
}

dperm_status weight_parts_of(const dperm_model *model, weight_parts *out, dperm_error *err);
void weight_parts_free(weight_parts *parts);
