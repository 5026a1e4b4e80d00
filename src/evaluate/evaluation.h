/* How well a released model tells classes apart on records, as one table of counts: for each class
 * of a record, in which cell its score lies. All figures follow from the table: error, the error of
 * always naming the most frequent class and the difference, the area under the ROC curve, log loss,
 * calibration, and from a second table the rates of each declared group.
 *
 * In private the counts have discrete Laplace noise (docs/proofs/evaluation.md), and figures have
 * intervals for noise and sampling together. For public records they are exact. Which cell a record
 * falls in follows from the model, the record and cells that are public or released before. */
#pragma once

#include "model/model.h"

/* For whom epsilon is, and which data sets are neighbours. */
typedef struct evaluation_terms {
  double epsilon;
  size_t rows_per_person;
  dperm_neighbours neighbours;
} evaluation_terms;

/* What is estimated, and what holds its value for the population of which the records are an
 * independent sample in 95 of 100 evaluations. NaN where there is none. */
typedef struct figure {
  double value, low, high;
} figure;

/* Counts of records by class and cell. */
typedef struct count_table {
  size_t classes, cells;
  int64_t *counts;         /* class by class */
  double variance, fourth; /* second and fourth cumulant of the noise of a count; 0 without */
  size_t rows;             /* of all of it, where that is public; else 0 */
} count_table;

typedef struct model_evaluation {
  bool exact;
  evaluation_terms terms; /* of a private one */
  class_list classes;
  bool log_odds; /* scores are log-odds of the second of two classes */
  /* By class and cell. Of two classes a cell is an interval of scores, from above edges[c − 1] to
   * edges[c], the first and last without end; a score above 0 names the second class. Of more a
   * cell is the class that was named, or of very many whether that is wrong. */
  count_table table;
  double *edges; /* table.cells − 1, one of them 0; NULL for more classes */
  size_t zero;   /* the first cell above 0 */

  char *group_column;  /* or NULL: none is declared */
  class_list groups;   /* its categories, and one more of all other records */
  count_table grouped; /* by group and class (as one), and whether the record was named wrong */

  size_t baseline_class; /* the most frequent one, as it seems */
  figure error, baseline, difference, auc, log_loss, precision, recall;
} model_evaluation;

/* What these counts cost, as a claim; epsilon must leave enough for each (checked). */
dperm_status evaluation_claim(const evaluation_terms *terms, guarantee *out, dperm_error *err);

/* Fails for records that the model cannot be evaluated on: to be asked before a charge. */
dperm_status evaluation_check(const dperm_model *model, const dperm_data *data, dperm_error *err);

/* For the whole epsilon of `terms`; draws from `source` alone. The rows of `part` are a public
 * number with neighbours replaced; else they may be none, and their number is in nothing but noisy
 * counts. Whoever calls has a claim, a charge, and checks the source. */
dperm_status evaluation_private(const dperm_model *model, const dperm_data *part,
                                const evaluation_terms *terms, random_source *source,
                                model_evaluation **out, dperm_error *err);
/* Tells of the records: for public ones. */
dperm_status evaluation_exact(const dperm_model *model, const dperm_data *data,
                              model_evaluation **out, dperm_error *err);
void evaluation_free(model_evaluation *e);
OWNED_HANDLE(model_evaluation, evaluation_free)

/* The object that model files, statements and reports have (docs/formats.md). */
dperm_status evaluation_json(const model_evaluation *e, json_t **out, dperm_error *err);
/* Whether the model errs less often than always naming one class, in words; for the caller to
 * free. */
dperm_status evaluation_finding(const model_evaluation *e, char **out, dperm_error *err);
