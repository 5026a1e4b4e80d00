/* Reading and scoring a block at a time. */
#include "pipeline/scored_file.h"

#include "base/memory.h"

enum { BLOCK_ROWS = 8192 };

dperm_status scored_open(const dperm_model *model, const dperm_source *source, bool need_labels,
                         const dperm_progress *progress, row_reader **out, dperm_error *err) {
  dperm_source filled;
  TRY(model_source(model, source, &filled, err));
  if (need_labels && !model->schema && model->classes.count > 2) {
    FAIL(err, DPERM_INVALID_DATA,
         "%s: labels of svmlight data are of two classes, the model's of %zu; score from memory",
         path_for_people(source->path), model->classes.count);
  }
  return row_reader_open(&filled, need_labels, progress, out, err);
}

/* Scores the rows, which become a block, and hands them on. */
static dperm_status use_block(const dperm_model *model, growing_rows *rows, double *scores,
                              scored_block *use, void *context, dperm_error *err) {
  OWNED(dperm_data_free_at) dperm_data *block = NULL;
  TRY(data_from_rows(rows, model->inputs, model->origin, model->schema, &block, err));
  TRY(dperm_model_scores(model, block, scores, err));
  return use(context, scores, block->labels, block->x->rows, err);
}

dperm_status scored_each(const dperm_model *model, row_reader *reader, scored_block *use,
                         void *context, dperm_error *err) {
  OWNED(rows_clear) growing_rows rows = {0};
  OWNED_MEMORY double *scores = NULL;
  size_t fits = class_fits(model->classes.count);
  TRY(memory_new(BLOCK_ROWS * fits, sizeof *scores, &scores, err));
  for (bool first = true;; first = false) {
    TRY(row_reader_next(reader, BLOCK_ROWS, &rows, err));
    if (rows.count == 0 && first && !reader->may_be_empty) {
      return fail_no_rows(reader->path, err);
    }
    if (rows.count == 0) {
      return DPERM_OK;
    }
    TRY(use_block(model, &rows, scores, use, context, err));
  }
}
