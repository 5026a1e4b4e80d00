/* Random schemas with every kind of column, and random records under them: plain ones, and ones
 * chosen to hurt, at cuts and one step beside them, beyond the range, missing, unknown. A layout is
 * what the schema says, so that tests can work out rows and bounds on their own. */
#ifndef DPERM_TESTS_RANDOM_LAYOUT_H
#define DPERM_TESTS_RANDOM_LAYOUT_H

#include <stdbool.h>

#include "support.h"
#include "text_buffer.h"

enum { LAYOUT_COLUMNS = 24, LAYOUT_CROSSES = 3, LAYOUT_CUTS = 9, LAYOUT_DIMS = 2048 };

typedef enum layout_kind {
  LAYOUT_NUMBER,
  LAYOUT_BINS,
  LAYOUT_VALUES,
  LAYOUT_GROUPS,
  LAYOUT_IGNORED
} layout_kind;

typedef struct layout_column {
  layout_kind kind;
  double weight;

  size_t categories; /* v0, v1, … */
  size_t reference;  /* SIZE_MAX for none */
  bool rest;         /* the last group takes all other values */

  double min, max;
  bool center, log;
  size_t equal;             /* so many bins of equal width, or 0 */
  double cuts[LAYOUT_CUTS]; /* else these, and if `ends` those of the range */
  size_t cut_count;         /* without the ends */
  bool ends;
  double line;
} layout_column;

typedef struct layout_cross {
  size_t columns[2];
  double weight;
} layout_cross;

typedef struct layout {
  bool intercept, fixed, category;
  size_t count, cross_count;
  layout_column columns[LAYOUT_COLUMNS];
  layout_cross crosses[LAYOUT_CROSSES];
} layout;

/* A value of a record. */
typedef struct layout_cell {
  enum { CELL_MISSING, CELL_UNKNOWN, CELL_CATEGORY, CELL_NUMBER } kind;
  size_t category;
  double x; /* may be infinite: a number beyond every double */
} layout_cell;

layout layout_draw(random_source *r);
void layout_schema(const layout *l, text_buffer *out);
/* Where cut i is if there are `equal` bins, in long doubles. */
long double layout_equal_cut(const layout_column *column, size_t i);

void layout_record(const layout *l, random_source *r, layout_cell *cells);
/* The text of a cell in a file. */
void layout_cell_text(const layout_cell *cell, text_buffer *out);
/* The first line of a file, and one more of them. */
void layout_header(const layout *l, text_buffer *out);
void layout_line(const layout *l, const layout_cell *cells, bool positive, text_buffer *out);
/* So many random records, of either label in turn, read from a file. */
dperm_data *layout_data(const layout *l, random_source *r, size_t records,
                        const dperm_schema *schema);

/* Bins or categories; with "missing", if it is one of them: what a cross tells apart. */
size_t layout_values(const layout_column *column);
size_t layout_levels(const layout *l, const layout_column *column);

#endif
