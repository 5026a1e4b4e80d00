/* Reading and scoring a block at a time. */
#include "score/scored_file.h"

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

/* The records of a batch as data under the model's schema. */
static dperm_status data_of_batch(const dperm_model *model, const row_reader *reader,
                                  read_batch *batch, dperm_data **out, dperm_error *err) {
  OWNED(table_builder_close) table_builder b = {0};
  OWNED(table_free_at) record_table *records = NULL;
  if (!reader->cells) {
    return data_of_rows(&batch->rows, model->inputs, NULL, out, err);
  }
  TRY(table_builder_open(reader->cells, NULL, NULL, &b, err));
  TRY(table_builder_add(&b, &batch->records, 1, err));
  TRY(table_builder_finish(&b, &records, err));
  return data_of_table(records, model->schema, out, err);
}

dperm_status scored_each(const dperm_model *model, row_reader *reader, scored_block *use,
                         void *context, dperm_error *err) {
  OWNED(read_batch_clear) read_batch batch = {0};
  OWNED_MEMORY double *scores = NULL;
  size_t fits = class_fits(model->classes.count), count = BLOCK_ROWS;
  TRY(memory_new(BLOCK_ROWS * fits, sizeof *scores, &scores, err));
  for (bool first = true; count == BLOCK_ROWS; first = false) {
    OWNED(dperm_data_free_at) dperm_data *block = NULL;
    TRY(row_reader_next(reader, BLOCK_ROWS, &batch, err));
    count = read_batch_count(&batch);
    if (count == 0 && first && !reader->may_be_empty) {
      return fail_no_rows(reader->path, err);
    }
    if (count > 0) {
      TRY(data_of_batch(model, reader, &batch, &block, err));
      TRY(dperm_model_scores(model, block, scores, err));
      TRY(use(context, scores, block->labels, count, err));
    }
  }
  return DPERM_OK;
}
