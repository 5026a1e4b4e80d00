/* Noise for a vector of whole numbers whose entries move together, made with integers alone: no
 * rounding, and no delta (docs/proofs/intervals.md 1).
 *
 * A body is a product of boxes and of l1-balls. Noise e has the probability ∝ exp(−ε·k/STEPS),
 * where k is the least whole number for which every block of e lies in k times its own: of a box
 * each entry within ±side·k, of a ball the sizes of its entries together. What moves the vector by
 * no more than STEPS·side, block by block, moves k by STEPS at most. */
#pragma once

#include "base/status.h"
#include "random/discrete_sampling.h"

enum { BODY_STEPS = 1 << 12 };

typedef struct body_block {
  size_t entries;
  uint64_t side;
  bool ball;
} body_block;

typedef struct integer_body {
  body_block *blocks;
  size_t count, capacity;
  size_t size; /* entries of all blocks */
} integer_body;

/* Entries of which each moves by at most `single`, and all of them by at most `together` in the l1
 * norm, whole numbers: a box or a ball, whichever has less noise. */
dperm_status integer_body_add(integer_body *body, size_t entries, uint64_t single,
                              uint64_t together, dperm_error *err);
void integer_body_clear(integer_body *body);

/* ε-differentially private for what moves as it was said. Fails for an epsilon so small that noise
 * would not fit. */
dperm_status integer_body_draw(const integer_body *body, ratio epsilon, random_source *source,
                               int64_t *noise, dperm_error *err);
/* The deviation of the noise of an entry of this block, but for 1 part in BODY_STEPS. */
double integer_body_deviation(const integer_body *body, size_t block, double epsilon);
