/* See interval.h. MPFR rounds each operation correctly in the direction asked for. */
#include "verify/interval.h"

void interval_arena_open(interval_arena *arena) {
  arena->made = arena->used = 0;
  mpfr_inits2(INTERVAL_BITS, arena->spare.low, arena->spare.high, (mpfr_ptr)NULL);
}

void interval_arena_close(interval_arena *arena) {
  for (size_t i = 0; i < arena->made; i++) {
    mpfr_clears(arena->items[i].low, arena->items[i].high, (mpfr_ptr)NULL);
  }
  mpfr_clears(arena->spare.low, arena->spare.high, (mpfr_ptr)NULL);
  arena->made = arena->used = 0;
  mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); /* of this thread: the library keeps nothing */
}

size_t interval_mark(const interval_arena *arena) {
  return arena->used;
}

void interval_release(interval_arena *arena, size_t mark) {
  arena->used = mark;
}

static interval *whole_line(interval *a) {
  mpfr_set_inf(a->low, -1);
  mpfr_set_inf(a->high, 1);
  return a;
}

/* The next place, as the whole line until it is filled. */
static interval *place(interval_arena *arena) {
  if (arena->used == INTERVAL_CAPACITY) {
    return whole_line(&arena->spare);
  }
  interval *a = &arena->items[arena->used++];
  if (arena->used > arena->made) {
    mpfr_inits2(INTERVAL_BITS, a->low, a->high, (mpfr_ptr)NULL);
    arena->made = arena->used;
  }
  return whole_line(a);
}

static bool bounded(const interval *a) {
  return mpfr_number_p(a->low) && mpfr_number_p(a->high);
}

/* Every result passes here: what left the range of finite numbers, or found no place of its own,
 * says nothing any more. */
static interval *settled(interval_arena *arena, interval *a) {
  return a != &arena->spare && bounded(a) ? a : whole_line(a);
}

interval *interval_variable(interval_arena *arena, double value) {
  interval *a = place(arena);
  (void)mpfr_set_d(a->low, value, MPFR_RNDD);
  (void)mpfr_set_d(a->high, value, MPFR_RNDU);
  return settled(arena, a);
}

const interval *interval_of(interval_arena *arena, double value) {
  return interval_variable(arena, value);
}

void interval_set(interval_arena *arena, interval *to, const interval *from) {
  (void)mpfr_set(to->low, from->low, MPFR_RNDD);
  (void)mpfr_set(to->high, from->high, MPFR_RNDU);
  (void)settled(arena, to);
}

const interval *interval_add(interval_arena *arena, const interval *a, const interval *b) {
  interval *sum = place(arena);
  if (bounded(a) && bounded(b)) {
    (void)mpfr_add(sum->low, a->low, b->low, MPFR_RNDD);
    (void)mpfr_add(sum->high, a->high, b->high, MPFR_RNDU);
  }
  return settled(arena, sum);
}

const interval *interval_sub(interval_arena *arena, const interval *a, const interval *b) {
  interval *difference = place(arena);
  if (bounded(a) && bounded(b)) {
    (void)mpfr_sub(difference->low, a->low, b->high, MPFR_RNDD);
    (void)mpfr_sub(difference->high, a->high, b->low, MPFR_RNDU);
  }
  return settled(arena, difference);
}

/* Takes the product of two ends into the bounds. */
static void span(interval *product, mpfr_srcptr x, mpfr_srcptr y, bool first) {
  mpfr_t end;
  mpfr_init2(end, INTERVAL_BITS);
  (void)mpfr_mul(end, x, y, MPFR_RNDD);
  if (first || mpfr_less_p(end, product->low)) {
    (void)mpfr_set(product->low, end, MPFR_RNDD);
  }
  (void)mpfr_mul(end, x, y, MPFR_RNDU);
  if (first || mpfr_greater_p(end, product->high)) {
    (void)mpfr_set(product->high, end, MPFR_RNDU);
  }
  mpfr_clear(end);
}

const interval *interval_mul(interval_arena *arena, const interval *a, const interval *b) {
  interval *product = place(arena);
  if (bounded(a) && bounded(b)) {
    span(product, a->low, b->low, true);
    span(product, a->low, b->high, false);
    span(product, a->high, b->low, false);
    span(product, a->high, b->high, false);
  }
  return settled(arena, product);
}

const interval *interval_div(interval_arena *arena, const interval *a, const interval *b) {
  interval *inverse = place(arena);
  if (bounded(b) && interval_above_zero(b)) {
    (void)mpfr_ui_div(inverse->low, 1, b->high, MPFR_RNDD);
    (void)mpfr_ui_div(inverse->high, 1, b->low, MPFR_RNDU);
  }
  return interval_mul(arena, a, settled(arena, inverse));
}

/* An increasing function that is defined at both ends. */
static const interval *increasing(interval_arena *arena, const interval *a,
                                  int (*function)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)) {
  interval *result = place(arena);
  if (bounded(a)) {
    (void)function(result->low, a->low, MPFR_RNDD);
    (void)function(result->high, a->high, MPFR_RNDU);
  }
  return settled(arena, result);
}

/* Outside their domains MPFR gives NaN, which is not bounded, or −∞: the whole line. */
const interval *interval_log1p(interval_arena *arena, const interval *a) {
  return increasing(arena, a, mpfr_log1p);
}

const interval *interval_exp(interval_arena *arena, const interval *a) {
  return increasing(arena, a, mpfr_exp);
}

const interval *interval_sqrt(interval_arena *arena, const interval *a) {
  return increasing(arena, a, mpfr_sqrt);
}

const interval *interval_positive(interval_arena *arena, const interval *a) {
  interval *result = place(arena);
  if (bounded(a)) {
    (void)mpfr_set(result->low, a->low, MPFR_RNDD);
    (void)mpfr_set(result->high, a->high, MPFR_RNDU);
    if (mpfr_sgn(result->low) < 0) {
      mpfr_set_zero(result->low, 1);
    }
    if (mpfr_sgn(result->high) < 0) {
      mpfr_set_zero(result->high, 1);
    }
  }
  return settled(arena, result);
}

bool interval_at_most(const interval *a, const interval *b) {
  return bounded(a) && bounded(b) && mpfr_lessequal_p(a->high, b->low);
}

bool interval_above_zero(const interval *a) {
  return bounded(a) && mpfr_sgn(a->low) > 0;
}

double interval_lower(const interval *a) {
  return mpfr_get_d(a->low, MPFR_RNDD);
}

double interval_upper(const interval *a) {
  return mpfr_get_d(a->high, MPFR_RNDU);
}
