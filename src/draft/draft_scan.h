/* What one pass over public records learns about each column, in bounded memory (values are counted
 * until there are too many of them, numbers by their moments), and what a column is taken for. */
#pragma once

#include "base/lookup.h"
#include "dperm/draft.h"
#include "draft/proposal.h"
#include "read/csv.h"

/* A longer value is free text: no category has such a name. */
enum { DRAFT_TEXT_LIMIT = 100, DRAFT_ODD_LIMIT = 40 };

typedef struct draft_tally {
  uint64_t count;
  uint64_t labels; /* bit i: label i stands beside this value; bit 63: one from 63 on */
  size_t leader;   /* the label that may stand beside it most often, */
  uint64_t lead;   /* by this many at least (draft_leak.c) */
} draft_tally;

/* A number beside its label. */
typedef struct draft_point {
  double x;
  size_t label;
} draft_point;

typedef struct draft_numbers {
  uint64_t count;
  double min, max;     /* of the finite ones */
  double mean, m2, m3; /* sums of the powers of x − mean */
  bool whole;          /* all are integers */
  bool rising;         /* each is larger than the one before */
  bool padded;         /* some begin with a zero too many, as codes do: 00501 */
  bool beyond;         /* some are too large for a double */
  double last;
} draft_numbers;

typedef struct draft_column {
  size_t limit;         /* values to count at most */
  lookup values;        /* value → place in tallies */
  draft_tally *tallies; /* values.count of them */
  size_t tally_capacity;
  bool uncounted; /* too many values, or one too long; there are no tallies then */
  bool different; /* no value came twice, as long as they were counted */

  uint64_t filled;     /* records with a value */
  draft_tally missing; /* records without a value */

  /* Of the sequence of values by order of first appearance: equal where columns go one to one. */
  uint64_t code_hash;

  draft_numbers numbers;
  char odd[DRAFT_ODD_LIMIT + 1]; /* the first value that is no number, cut */

  draft_point *points; /* of every `stride`th number, evenly over the records; at most `limit` */
  size_t point_count, point_capacity, stride;
} draft_column;

void draft_column_init(draft_column *column, size_t limit);
void draft_column_clear(draft_column *column);

/* One more value, or missing one, beside a label (its place in the label's tallies; SIZE_MAX for
 * none). `*code` is the value's place in tallies, SIZE_MAX if values are not counted any more. */
dperm_status draft_column_add(draft_column *column, slice text, size_t label, size_t *code,
                              dperm_error *err);
void draft_column_add_missing(draft_column *column, size_t label);

/* The bit of label `code`. */
static inline uint64_t draft_label_bit(size_t code) {
  return UINT64_C(1) << (code < 63 ? code : 63);
}

typedef struct draft_value {
  const char *text;
  size_t code; /* its place in tallies */
  uint64_t count;
} draft_value;
/* The counted values, sorted by their bytes, for free(); the texts stay the column's. */
dperm_status draft_column_sorted(const draft_column *column, draft_value **out, dperm_error *err);

/* NaN without spread. */
double draft_numbers_skewness(const draft_numbers *numbers);

/* How often the best rule on this column alone is wrong about the label, of so many values; NaN
 * where that says nothing. `positive` tells the two classes apart, by a label's place in its
 * tallies; NULL if there are more. */
dperm_status draft_wrong_alone(const draft_column *column, size_t labels, const bool *positive,
                               double *wrong, dperm_error *err);

/* ---- all columns */

typedef struct draft_scan {
  const char *path; /* for messages */
  const dperm_draft_options *options;
  csv_reader csv;
  bool separator_guessed;
  bool header, header_guessed;
  size_t rows;

  draft_column *columns;
  char **names; /* of the header, or column1, … */
  size_t column_count;
  size_t label; /* which column */

  const char *const *markers; /* texts that mean "missing": the options', or the usual ones */
  size_t marker_count;
  uint64_t *marker_counts; /* how often each was found */
  lookup missing;          /* a marker's place among them */
} draft_scan;

/* Reads all records, from `text` or else the file called `name`. To be cleared in any case. */
dperm_status draft_scan_records(const char *name, const char *text, size_t length,
                                const dperm_draft_options *options, const dperm_progress *progress,
                                draft_scan *out, dperm_error *err);
void draft_scan_clear(draft_scan *s);

/* ---- the guessing rules: pure functions, which docs/formats.md says in words; change both */

/* From the column alone. */
draft_kind draft_judge(const draft_column *column, const char *name);

/* A value of a categorical column is rare below this count. */
uint64_t draft_rare_below(const draft_column *column);

/* Round bounds outside of what was seen, with transform and scale. False if there are none. */
bool draft_range_of(const draft_numbers *numbers, draft_range *out);

/* The smallest round number (1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten) above x > 0; a power of
 * ten is its own: 1, 10 and 100 are natural ends of scales. */
double draft_round_up(double x);
