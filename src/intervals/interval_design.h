/* What confidence intervals are for: a linear model's columns as a statistician would have them,
 * each in units of its own radius, and the sums over records that three stages release with noise
 * (docs/proofs/intervals.md). */
#pragma once

#include "loss/loss.h"
#include "privacy/guarantee.h"
#include "random/gram_noise.h"
#include "random/integer_body.h"
#include "schema/schema.h"

enum {
  INTERVAL_COLUMNS = 256,  /* at most */
  INTERVAL_UNIT_BITS = 24, /* what a record adds is whole multiples of 2^-24, */
  INTERVAL_ROOT_BITS = 15, /* or products of numbers in units of 2^-15 √c */
  INTERVAL_SQUARES = 64,   /* whose squares are this at most */
  INTERVAL_PARTS = 31      /* of epsilon, which the stages have so many of: */
};
typedef enum interval_stage_id {
  INTERVAL_SCALES,
  INTERVAL_PAIRS,
  INTERVAL_SPREAD,
  INTERVAL_STAGES
} interval_stage_id;
extern const unsigned interval_parts[INTERVAL_STAGES];
extern const char *const interval_keys[INTERVAL_STAGES];

/* A column of the schema as it is encoded: a number z in [low, 1], low 0 or −1, one column of 0 and
 * 1, or several of which a record has one at most. */
typedef enum interval_kind { INTERVAL_NUMBER, INTERVAL_BIT, INTERVAL_BLOCK } interval_kind;
typedef struct interval_group {
  interval_kind kind;
  size_t first, count; /* encoded columns */
  size_t column;       /* of the schema */
  double radius;       /* a row's entry is z times this */
  double low;
} interval_group;

typedef struct interval_design {
  interval_group *groups;
  size_t group_count, columns; /* the columns without the intercept, which stands behind them */
  size_t group_of[INTERVAL_COLUMNS];
  double constant; /* the intercept's entry */
  bool logistic;
  double h, curve; /* of log-cosh; and the most that the loss is curved */
  double rows;
  ratio part; /* of epsilon for one record; a stage has interval_parts of it */
} interval_design;

/* The schema with what intervals assume: every row divided alike, an intercept, and a category of
 * each column left out. Fails, in words, for what they are not made for. */
dperm_status interval_schema(const dperm_schema *schema, dperm_schema **out, dperm_error *err);
/* Of such a schema's rows. */
dperm_status interval_design_of(const dperm_schema *schema, const dperm_loss *loss, size_t rows,
                                double epsilon, interval_design *out, dperm_error *err);
/* Fails for what such a design is too large for; before a charge. */
dperm_status interval_check(const dperm_schema *schema, const dperm_loss *loss, size_t rows,
                            double epsilon, dperm_error *err);
void interval_design_clear(interval_design *design);
/* How many numbers a stage releases. */
size_t interval_released(const interval_design *design, interval_stage_id stage);
ratio interval_rate(const interval_design *design, interval_stage_id stage);

/* Entries from `low` to `high`, which 0 is within: of `count` of them a record has one at most. */
dperm_status interval_body_add(integer_body *body, size_t count, double low, double high,
                               dperm_error *err);
/* In whole multiples, which a double holds. */
typedef struct interval_ends {
  double least, most;
} interval_ends;

interval_ends interval_ends_of(double low, double high);
/* What a record adds to one, within those. */
static inline int64_t interval_entry(double value, interval_ends ends) {
  const double unit = value * (1 << INTERVAL_UNIT_BITS);     /* exact, and faster than ldexp */
  const double from = unit > ends.least ? unit : ends.least; /* for NaN, too */
  return (int64_t)(from < ends.most ? from : ends.most);
}
