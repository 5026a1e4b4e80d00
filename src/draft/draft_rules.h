/* The guessing rules of a schema draft: pure functions from what was counted to what is proposed.
 * docs/formats.md says them in words; change both together. */
#pragma once

#include "draft/draft_column.h"

/* What a column is taken for. */
typedef enum draft_kind {
  DRAFT_EMPTY,      /* no value at all */
  DRAFT_CONSTANT,   /* one value */
  DRAFT_FLAG,       /* 0 and 1, or −1 and 1: a number with these bounds */
  DRAFT_NUMBER,     /* a number */
  DRAFT_EXTREME,    /* numbers that cannot be bounded sensibly */
  DRAFT_CATEGORIES, /* each value a category */
  DRAFT_GROUPS,     /* the frequent values categories, all others one together */
  DRAFT_IDENTIFIER, /* names a record */
  DRAFT_DATE,       /* dates, which are no numbers yet */
  DRAFT_AMOUNT,     /* numbers as people write them: 1,234 or 12% */
  DRAFT_MANY,       /* texts of too many kinds */
  DRAFT_LEAK        /* decides the label; not judged from the column alone */
} draft_kind;

/* From the column alone. */
draft_kind draft_judge(const draft_column *column, const char *name);

/* A value of a categorical column is rare below this count. */
uint64_t draft_rare_below(const draft_column *column);

typedef struct draft_range {
  double min, max;
  bool center, log1p;
} draft_range;

/* Round bounds outside of what was seen, with transform and scale. False if there are none. */
bool draft_range_of(const draft_numbers *numbers, draft_range *out);

/* The smallest round number (1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten) above x > 0; a power of
 * ten is its own: 1, 10 and 100 are natural ends of scales. */
double draft_round_up(double x);

/* Of two labels, whether the second is the positive one by custom: no/yes, 0/1, −1/1, false/true.
 * 1 if so, −1 if it is the first, 0 if custom does not say. */
int draft_custom_label(slice first, slice second);
