/* A file of records as blocks of scored rows, so that memory does not grow with the file. */
#ifndef DPERM_PIPELINE_SCORED_FILE_H
#define DPERM_PIPELINE_SCORED_FILE_H

#include "model/model.h"
#include "read/row_reader.h"

typedef struct scored_file {
  const dperm_model *model;
  row_reader reader;
  growing_rows rows;
  dperm_data *block;
  double *scores; /* of the block's rows, one for each fit of the model */
} scored_file;

dperm_status scored_open(const dperm_model *model, const dperm_source *source, bool need_labels,
                         const dperm_progress *progress, scored_file *s, dperm_error *err);
/* The next block; s->block is NULL at the end. */
dperm_status scored_next(scored_file *s, dperm_error *err);
void scored_close(scored_file *s);

#endif
