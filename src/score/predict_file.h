/* A file of records as blocks of scored rows, so that memory does not grow with the file. */
#pragma once

#include "model/model.h"
#include "read/row_reader.h"

/* A block of rows: a score for each fit of the model and row, and the labels. */
typedef dperm_status scored_block(void *context, const double *scores, const double *labels,
                                  size_t rows, dperm_error *err);

/* A reader of records under the model's schema or columns. */
dperm_status scored_open(const dperm_model *model, const dperm_source *source, bool need_labels,
                         const dperm_progress *progress, row_reader **out, dperm_error *err);
/* Calls `use` for each block; a file without rows is an error. */
dperm_status scored_each(const dperm_model *model, row_reader *reader, scored_block *use,
                         void *context, dperm_error *err);
