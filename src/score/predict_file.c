/* Records in, predictions out, a block at a time: memory does not grow with the file. */
#include <stdlib.h>
#include <string.h>

#include "base/file_write.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/model.h"
#include "read/row_reader.h"

/* A class name as a CSV field, for the caller to free. */
static dperm_status quoted(const char *name, char **out, dperm_error *err) {
  const char *quote = strpbrk(name, ",\"\r\n") || !*name ? "\"" : "";
  TRY(memory_new(2 * strlen(name) + 3, 1, out, err));
  char *at = stpcpy(*out, quote);
  for (; *name; name++) {
    if (*name == '"') {
      *at++ = '"';
    }
    *at++ = *name;
  }
  (void)stpcpy(at, quote);
  return DPERM_OK;
}

/* What becomes of records on their way. */
typedef struct prediction {
  const dperm_model *model;
  const dperm_schema *cells; /* that records are of; NULL for rows */
  output_file *out;
  class_list names;           /* of the classes, as CSV fields */
  const dperm_loss *log_loss; /* or NULL: there are no probabilities */
  double *scores;             /* of a block */
  size_t capacity, rows;      /* the latter: so far */
} prediction;

static void prediction_end(prediction *p) {
  output_discard(p->out);
  class_list_clear(&p->names);
  free(p->scores);
}

/* A regression's value. */
static dperm_status write_value(const prediction *p, double value, dperm_error *err) {
  char line[DOUBLE_TEXT_SIZE + 1];
  size_t used = format_double(value, false, line);
  line[used++] = '\n';
  return output_write(p->out, line, used, err);
}

/* The winner's score and probability; of two classes, the score of the positive one and its. */
static dperm_status write_row(const prediction *p, const double *scores, dperm_error *err) {
  size_t classes = p->model->classes.count, winner = model_winner(classes, scores);
  const char *name = p->names.names[winner];
  char line[2 * DOUBLE_TEXT_SIZE + 4] = ",";
  size_t used = 1 + format_double(scores[classes > 2 ? winner : 0], false, line + 1);
  line[used++] = ',';
  if (p->log_loss) {
    double probability = model_probability(p->model, p->log_loss, scores, classes > 2 ? winner : 1);
    used += format_double(probability, false, line + used);
  }
  line[used++] = '\n';
  TRY(output_write(p->out, name, strlen(name), err));
  return output_write(p->out, line, used, err);
}

static dperm_status predict_block(prediction *p, const dperm_data *block, dperm_error *err) {
  size_t count = block->x->rows, fits = class_fits(p->model->classes.count);
  p->rows += count;
  TRY(memory_reserve(&p->scores, &p->capacity, count * fits, sizeof *p->scores, err));
  const bool numbers = label_range_known(p->model->range);
  TRY((numbers ? dperm_model_values : dperm_model_scores)(p->model, block, p->scores, err));
  for (size_t i = 0; i < count; i++) {
    TRY(numbers ? write_value(p, p->scores[i], err) : write_row(p, p->scores + i * fits, err));
  }
  return DPERM_OK;
}

static dperm_status predict_records(prediction *p, const record_batch *batch, dperm_error *err) {
  OWNED(table_builder_close) table_builder b = {0};
  OWNED(table_free_at) record_table *records = NULL;
  OWNED(dperm_data_free_at) dperm_data *block = NULL;
  TRY(table_builder_open(p->cells, NULL, NULL, &b, err));
  TRY(table_builder_add(&b, batch, 1, err));
  TRY(table_builder_finish(&b, &records, err));
  TRY(data_of_table(records, p->model->schema, &block, err));
  return predict_block(p, block, err);
}

static dperm_status predict_rows(prediction *p, const growing_rows *rows, dperm_error *err) {
  OWNED(rows_clear) growing_rows copy = {0};
  OWNED(dperm_data_free_at) dperm_data *block = NULL;
  TRY(rows_append(&copy, rows, 0, rows->count, err));
  TRY(data_of_rows(&copy, p->model->inputs, NULL, &block, err));
  return predict_block(p, block, err);
}

static dperm_status predict_batches(void *context, const record_batch *records, size_t count,
                                    const growing_rows *rows, dperm_error *err) {
  for (size_t b = 0; b < count; b++) {
    if (records[b].count > 0) {
      TRY(predict_records(context, &records[b], err));
    }
  }
  return rows && rows->count > 0 ? predict_rows(context, rows, err) : DPERM_OK;
}

/* Of an encoded file, page by page; behind the last, it must still be the file that was checked. */
static dperm_status predict_pages(prediction *p, const row_reader *reader, dperm_error *err) {
  const size_t all = (size_t)reader->file->trailer->rows;
  for (size_t from = 0; from < all; from += TABLE_PAGE) {
    OWNED(dperm_data_free_at) dperm_data *block = NULL;
    size_t rows = all - from < TABLE_PAGE ? all - from : TABLE_PAGE;
    TRY(data_of_encoded(reader->file, p->model->schema, from, rows, reader->progress, &block, err));
    TRY(predict_block(p, block, err));
  }
  return encoded_unchanged(reader->file, err);
}

dperm_status dperm_predict_file(const dperm_model *model, const dperm_source *source,
                                const char *out_path, const dperm_progress *progress,
                                dperm_error *err) {
  static const char header[] = "prediction,score,probability\n";
  OWNED(row_reader_close_at) row_reader *reader = NULL;
  OWNED(prediction_end) prediction p = {.model = model};
  dperm_source filled;
  dperm_loss loss;
  p.log_loss = model_log_loss(model, &loss);
  TRY(model_source(model, source, &filled, err));
  TRY(row_reader_open(&filled, false, progress, &reader, err));
  p.cells = reader->cells;
  TRY(output_open(out_path, false, &p.out, err));
  if (model->classes.count > 0) {
    TRY(class_list_new(model->classes.count, &p.names, err));
  }
  for (size_t m = 0; m < model->classes.count; m++) {
    TRY(quoted(model->classes.names[m], &p.names.names[m], err));
  }
  const char *columns = model->classes.count > 0 ? header : "prediction\n";
  TRY(output_write(p.out, columns, strlen(columns), err));
  TRY(reader->file ? predict_pages(&p, reader, err)
                   : reader->kind->read(reader, predict_batches, &p, err));
  RETURN_IF(p.rows == 0 && !reader->may_be_empty, fail_no_rows(reader->path, err));
  return output_commit(TAKE(p.out), err);
}
