/* Numbers between two others: every operation rounds its lower end down and its upper end up, at
 * 256 bits, so what an interval shows is proved and not merely computed. Where nothing can be said
 * (a division by what may be zero, an overflow) the result is the whole line, and no comparison
 * with it holds. */
#pragma once

#include <mpfr.h>
#include <stdbool.h>
#include <stddef.h>

enum { INTERVAL_BITS = 256, INTERVAL_CAPACITY = 96 };

typedef struct interval {
  mpfr_t low, high;
} interval;

/* Where results live, so that formulas can be written as formulas. A loop marks the arena and
 * releases what it made; an arena that is full gives out the whole line. */
typedef struct interval_arena {
  interval items[INTERVAL_CAPACITY];
  interval spare; /* given out when all others are: always the whole line */
  size_t made, used;
} interval_arena;

void interval_arena_open(interval_arena *arena);
void interval_arena_close(interval_arena *arena);
size_t interval_mark(const interval_arena *arena);
void interval_release(interval_arena *arena, size_t mark);

const interval *interval_of(interval_arena *arena, double value);
const interval *interval_add(interval_arena *arena, const interval *a, const interval *b);
const interval *interval_sub(interval_arena *arena, const interval *a, const interval *b);
const interval *interval_mul(interval_arena *arena, const interval *a, const interval *b);
/* The divisor must be above zero. */
const interval *interval_div(interval_arena *arena, const interval *a, const interval *b);
const interval *interval_log1p(interval_arena *arena, const interval *a);
const interval *interval_exp(interval_arena *arena, const interval *a);
/* Of what is not below zero. */
const interval *interval_sqrt(interval_arena *arena, const interval *a);
/* max(0, a). */
const interval *interval_positive(interval_arena *arena, const interval *a);

/* A variable: keeps its place until it is released, and may be set again. */
interval *interval_variable(interval_arena *arena, double value);
void interval_set(interval_arena *arena, interval *to, const interval *from);

/* Certainly a ≤ b; certainly a > 0. */
bool interval_at_most(const interval *a, const interval *b);
bool interval_above_zero(const interval *a);
/* The ends as doubles, rounded outwards. */
double interval_lower(const interval *a);
double interval_upper(const interval *a);
