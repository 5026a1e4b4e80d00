/* An evaluation as a value: its tables of counts, and the figures that follow from them. */
#pragma once

#include "dperm.h"
#include "evaluate/figures.h"
#include "schema/class_list.h"

/* For whom epsilon is, and which data sets are neighbours. */
typedef struct evaluation_terms {
  double epsilon;
  size_t rows_per_person; /* 0: persons whom the schema tells apart */
  dperm_neighbours neighbours;
} evaluation_terms;

typedef struct model_evaluation {
  bool exact;
  evaluation_terms terms; /* of a private one */
  class_list classes;
  bool log_odds; /* scores are log-odds of the second of two classes */
  /* By class and cell. Of two classes a cell is an interval of scores, from above edges[c − 1] to
   * edges[c], the first and last without end; a score above 0 names the second class. Of more a
   * cell is the class that was named, or of very many whether that is wrong. */
  count_table table;
  double *edges;            /* table.cells − 1, one of them 0; NULL for more classes */
  size_t zero;              /* the first cell above 0 */
  count_table units, steps; /* what the cells of a private one were found by, with their noise */

  char *group_column;  /* or NULL: none is declared */
  class_list groups;   /* its categories, and one more of all other records */
  count_table grouped; /* by group and class (as one), and whether the record was named wrong */

  struct number_evaluation *numbers; /* of a regression, which has nothing else of this; or NULL */

  size_t baseline_class; /* the most frequent one, as it seems */
  figure error, baseline, difference, auc, log_loss, precision, recall;
} model_evaluation;
