/* How well a released model tells classes apart on records, as one table of counts: for each class
 * of a record, in which cell its score lies. All figures follow from the table: error, the error of
 * always naming the most frequent class and the difference, the area under the ROC curve, log loss,
 * calibration, and from a second table the rates of each declared group. Of a regression, how far
 * its values are from labels, beside the best constant (regression.h).
 *
 * In private the counts have discrete Laplace noise (docs/proofs/evaluation.md), and figures have
 * intervals for noise and sampling together. For public records they are exact. Which cell a record
 * falls in follows from the model, the record and cells that are public or released before. */
#pragma once

#include "evaluate/evaluation_table.h"
#include "model/model.h"

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
/* Tells of the records: for public ones; a person counts once, too. */
dperm_status evaluation_exact(const dperm_model *model, const dperm_data *data,
                              model_evaluation **out, dperm_error *err);
void evaluation_free(model_evaluation *e);
OWNED_HANDLE(model_evaluation, evaluation_free)

/* The object that model files, statements and reports have (docs/formats.md). */
dperm_status evaluation_json(const model_evaluation *e, json_t **out, dperm_error *err);
/* Whether the model errs less often than always naming one class, in words; for the caller to
 * free. */
dperm_status evaluation_finding(const model_evaluation *e, char **out, dperm_error *err);
