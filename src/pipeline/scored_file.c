/* Reading and scoring a block at a time. */
#include "pipeline/scored_file.h"

#include <stdlib.h>

#include "base/memory.h"

enum { BLOCK_ROWS = 8192 };

dperm_status scored_open(const dperm_model *model, const dperm_source *source, bool need_labels,
                         const dperm_progress *progress, scored_file *s, dperm_error *err) {
  dperm_source filled;
  *s = (scored_file){.model = model};
  TRY(model_source(model, source, &filled, err));
  if (need_labels && !model->schema && model->classes.count > 2) {
    FAIL(err, DPERM_INVALID_DATA,
         "%s: labels of svmlight data are of two classes, the model's of %zu; score from memory",
         path_for_people(source->path), model->classes.count);
  }
  TRY(memory_new(BLOCK_ROWS * class_fits(model->classes.count), sizeof *s->scores, &s->scores,
                 err));
  dperm_status status = row_reader_open(&filled, need_labels, progress, &s->reader, err);
  if (status != DPERM_OK) {
    free(s->scores);
  }
  return status;
}

dperm_status scored_next(scored_file *s, dperm_error *err) {
  dperm_data_free(s->block);
  s->block = NULL;
  TRY(row_reader_next(&s->reader, BLOCK_ROWS, &s->rows, err));
  if (s->rows.count == 0) {
    return DPERM_OK;
  }
  TRY(data_from_rows(&s->rows, s->model->inputs, s->model->origin, s->model->schema, &s->block,
                     err));
  return dperm_model_scores(s->model, s->block, s->scores, err);
}

void scored_close(scored_file *s) {
  row_reader_close(&s->reader);
  rows_clear(&s->rows);
  dperm_data_free(s->block);
  free(s->scores);
}
