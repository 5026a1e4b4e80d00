/* See integer_body.h. With N(k) points in k times the body, k has the probability ∝ N(k)q^k,
 * q = e^(−ε/STEPS), and e is uniform among them: so P(e) ∝ Σ q^k over all k that reach it.
 *
 * k is proposed as the sum of D + 1 geometric numbers for D entries, of probability
 * ∝ (k + 1)⋯(k + D)q^k. A box has Π(2·side·k + 1) points, one factor for each entry; of a ball the
 * points are proposed as sizes that add up to at most side·k, of which there are
 * (side·k + 1)⋯(side·k + m)/m!, with signs, and refused where a zero is negative. Each factor is at
 * most a constant times that of the proposal, so the i-th is kept with the quotient, a fraction of
 * whole numbers. What is refused begins anew. */
#include "random/integer_body.h"

#include <math.h>
#include <stdlib.h>

#include "base/defect.h"
#include "base/memory.h"

/* Mean squares of an entry of the unit body: of a box, and of a ball of m entries. */
static double square_of(size_t entries, bool ball) {
  const double m = (double)entries;
  return ball ? 2 / ((m + 1) * (m + 2)) : 1.0 / 3;
}

static uint64_t side_of(uint64_t moved) {
  return (moved + BODY_STEPS - 1) / BODY_STEPS;
}

dperm_status integer_body_add(integer_body *body, size_t entries, uint64_t single,
                              uint64_t together, dperm_error *err) {
  const double box = (double)single * (double)single * square_of(entries, false),
               ball = (double)together * (double)together * square_of(entries, true);
  const bool is_ball = entries > 1 && ball < box;
  TRY(memory_reserve(&body->blocks, &body->capacity, body->count + 1, sizeof *body->blocks, err));
  body->blocks[body->count++] =
      (body_block){entries, side_of(is_ball ? together : single), is_ball};
  body->size += entries;
  return DPERM_OK;
}

void integer_body_clear(integer_body *body) {
  free(body->blocks);
  *body = (integer_body){0};
}

/* Whether k, as it was proposed, is kept. */
static bool kept(const integer_body *body, uint64_t k, random_source *source) {
  uint64_t i = 1; /* of all entries */
  for (size_t b = 0; b < body->count; b++) {
    const body_block *block = &body->blocks[b];
    const wide_integer side = block->side;
    for (uint64_t j = 1; j <= block->entries; j++, i++) {
      const wide_integer over = block->ball ? side * k + j : 2 * side * k + 1,
                         under = (block->ball ? side : 2 * side) * (k + i);
      if (!random_bernoulli(source, over, under)) {
        return false;
      }
    }
  }
  return true;
}

static int ascending(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* m sizes that add up to `reach` at most: the gaps between m different places of reach + m. */
static void draw_sizes(uint64_t reach, size_t m, random_source *source, int64_t *out) {
  bool different = false;
  while (!different) {
    for (size_t i = 0; i < m; i++) {
      out[i] = (int64_t)random_below(source, reach + m);
    }
    qsort(out, m, sizeof *out, ascending);
    different = true;
    for (size_t i = 1; i < m; i++) {
      different = different && out[i] > out[i - 1];
    }
  }
  for (size_t i = m - 1; i > 0; i--) {
    out[i] -= out[i - 1] + 1;
  }
}

/* False where a zero is negative. */
static bool draw_block(const body_block *block, uint64_t k, random_source *source, int64_t *out) {
  const uint64_t reach = block->side * k;
  if (!block->ball) {
    for (size_t i = 0; i < block->entries; i++) {
      out[i] = (int64_t)random_below(source, 2 * reach + 1) - (int64_t)reach;
    }
    return true;
  }
  draw_sizes(reach, block->entries, source, out);
  bool good = true;
  for (size_t i = 0; i < block->entries; i++) {
    const bool negative = random_bits(source) >> 63;
    good = good && !(negative && out[i] == 0);
    out[i] = negative ? -out[i] : out[i];
  }
  return good;
}

static wide_integer propose(const integer_body *body, ratio rate, random_source *source) {
  wide_integer k = 0;
  for (size_t i = 0; i <= body->size; i++) {
    k += random_geometric_wide(source, rate.over, (wide_integer)rate.under * BODY_STEPS);
  }
  return k;
}

dperm_status integer_body_draw(const integer_body *body, ratio epsilon, random_source *source,
                               int64_t *noise, dperm_error *err) {
  const uint64_t most = UINT64_C(1) << 60;
  uint64_t side = 1;
  epsilon.over *= DEFECT("body-half") ? 2 : 1;
  for (size_t b = 0; b < body->count; b++) {
    side = body->blocks[b].side > side ? body->blocks[b].side : side;
  }
  for (bool drawn = false; !drawn;) {
    const wide_integer k = propose(body, epsilon, source);
    FAIL_IF(k > most / side, err, DPERM_NUMERIC_ERROR,
            "an epsilon of %g leaves noise beyond all numbers; give a larger one",
            ratio_value(epsilon));
    drawn = kept(body, (uint64_t)k, source);
    int64_t *at = noise;
    for (size_t b = 0; drawn && b < body->count; at += body->blocks[b++].entries) {
      drawn = draw_block(&body->blocks[b], (uint64_t)k, source, at);
    }
  }
  return DPERM_OK;
}

double integer_body_deviation(const integer_body *body, size_t block, double epsilon) {
  const body_block *b = &body->blocks[block];
  const double d = (double)body->size, steps = BODY_STEPS / epsilon;
  return (double)b->side * steps * sqrt((d + 1) * (d + 2) * square_of(b->entries, b->ball));
}
