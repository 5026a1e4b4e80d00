/* Numbers between two others: every operation rounds its lower end down and its upper end up, at
 * 256 bits, so what an interval shows is proved and not merely computed. Where nothing can be said
 * (a division by what may be zero, an overflow) the result is the whole line, and no comparison
 * with it holds. */
#ifndef DPERM_VERIFY_INTERVAL_H
#define DPERM_VERIFY_INTERVAL_H

#include <mpfr.h>
#include <stdbool.h>
#include <stddef.h>

enum { INTERVAL_BITS = 256, INTERVAL_ROOM = 96 };

typedef struct interval {
  mpfr_t low, high;
} interval;

/* Where results live, so that formulas can be written as formulas. A loop marks the room and
 * releases what it made; a room that is full gives out the whole line. */
typedef struct interval_room {
  interval items[INTERVAL_ROOM];
  interval spare; /* given out when all others are: always the whole line */
  size_t made, used;
} interval_room;

void interval_room_open(interval_room *room);
void interval_room_close(interval_room *room);
size_t interval_mark(const interval_room *room);
void interval_release(interval_room *room, size_t mark);

const interval *interval_of(interval_room *room, double value);
const interval *interval_add(interval_room *room, const interval *a, const interval *b);
const interval *interval_sub(interval_room *room, const interval *a, const interval *b);
const interval *interval_mul(interval_room *room, const interval *a, const interval *b);
/* The divisor must be above zero. */
const interval *interval_div(interval_room *room, const interval *a, const interval *b);
const interval *interval_log1p(interval_room *room, const interval *a);
const interval *interval_exp(interval_room *room, const interval *a);
/* Of what is not below zero. */
const interval *interval_sqrt(interval_room *room, const interval *a);
/* max(0, a). */
const interval *interval_positive(interval_room *room, const interval *a);

/* A variable: keeps its place until it is released, and may be set again. */
interval *interval_variable(interval_room *room, double value);
void interval_set(interval_room *room, interval *to, const interval *from);

/* Certainly a ≤ b; certainly a > 0. */
bool interval_at_most(const interval *a, const interval *b);
bool interval_above_zero(const interval *a);
/* The ends as doubles, rounded outwards. */
double interval_lower(const interval *a);
double interval_upper(const interval *a);

#endif
