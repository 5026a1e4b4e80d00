/* Records in, scores and predictions out, a block at a time: memory does not grow with the file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_write.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/model.h"
#include "score/predict_file.h"

/* ---- blocks of scored rows */

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

/* What becomes of records on their way. */
typedef struct scoring {
  const dperm_model *model;
  const dperm_schema *cells; /* that records are of; NULL for rows */
  double *scores;            /* of a block */
  size_t rows;               /* so far */
  scored_block *use;
  void *context;
} scoring;

static dperm_status score_block(scoring *s, const dperm_data *block, dperm_error *err) {
  size_t count = block->x->rows;
  s->rows += count;
  TRY(dperm_model_scores(s->model, block, s->scores, err));
  return s->use(s->context, s->scores, block->labels, count, err);
}

/* `count` records of a batch from record `from` on. */
static dperm_status score_records(scoring *s, const record_batch *batch, size_t from, size_t count,
                                  dperm_error *err) {
  OWNED(table_builder_close) table_builder b = {0};
  OWNED(table_free_at) record_table *records = NULL;
  OWNED(dperm_data_free_at) dperm_data *block = NULL;
  const record_batch some = {batch->columns, count, batch->capacity, batch->cells + from};
  TRY(table_builder_open(s->cells, NULL, NULL, &b, err));
  TRY(table_builder_add(&b, &some, 1, err));
  TRY(table_builder_finish(&b, &records, err));
  TRY(data_of_table(records, s->model->schema, &block, err));
  return score_block(s, block, err);
}

static dperm_status score_rows(scoring *s, const growing_rows *rows, size_t from, size_t count,
                               dperm_error *err) {
  OWNED(rows_clear) growing_rows some = {0};
  OWNED(dperm_data_free_at) dperm_data *block = NULL;
  TRY(rows_append(&some, rows, from, count, err));
  TRY(data_of_rows(&some, s->model->inputs, NULL, &block, err));
  return score_block(s, block, err);
}

static dperm_status score_batches(void *context, const record_batch *records, size_t count,
                                  const growing_rows *rows, dperm_error *err) {
  for (size_t b = 0; b < count + (rows != NULL); b++) {
    size_t all = rows ? rows->count : records[b].count;
    for (size_t from = 0; from < all; from += BLOCK_ROWS) {
      size_t some = all - from < BLOCK_ROWS ? all - from : BLOCK_ROWS;
      TRY(rows ? score_rows(context, rows, from, some, err)
               : score_records(context, &records[b], from, some, err));
    }
  }
  return DPERM_OK;
}

dperm_status scored_each(const dperm_model *model, row_reader *reader, scored_block *use,
                         void *context, dperm_error *err) {
  OWNED_MEMORY double *scores = NULL;
  TRY(memory_new(BLOCK_ROWS * class_fits(model->classes.count), sizeof *scores, &scores, err));
  scoring s = {model, reader->cells, scores, 0, use, context};
  TRY(reader->kind->read(reader, score_batches, &s, err));
  return s.rows > 0 || reader->may_be_empty ? DPERM_OK : fail_no_rows(reader->path, err);
}

/* ---- predictions */

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

typedef struct prediction {
  const dperm_model *model;
  output_file *out;
  char *const *names; /* of the classes, as CSV fields */
} prediction;

/* The winner's score and probability; of two classes, the score of the positive one and its. */
static dperm_status write_row(const prediction *p, const double *scores, const dperm_loss *log_loss,
                              dperm_error *err) {
  size_t classes = p->model->classes.count, winner = model_winner(classes, scores);
  const char *name = p->names[winner];
  double score = scores[classes > 2 ? winner : 0];
  char line[2 * DOUBLE_TEXT_SIZE + 4] = ",";
  size_t used = 1 + format_double(score, false, line + 1);
  line[used++] = ',';
  if (log_loss) {
    double space[CLASSES_MOST];
    const double *scaled = scaled_scores(classes, p->model->inverse_temperature, scores, space);
    double probability = classes > 2
                             ? exp(model_class_log_probability(log_loss, classes, scaled, winner))
                             : model_probability(log_loss, scaled[0]);
    used += format_double(probability, false, line + used);
  }
  line[used++] = '\n';
  TRY(output_write(p->out, name, strlen(name), err));
  return output_write(p->out, line, used, err);
}

static dperm_status predict_block(void *context, const double *scores, const double *labels,
                                  size_t rows, dperm_error *err) {
  const prediction *p = context;
  dperm_loss loss;
  const dperm_loss *log_loss = model_log_loss(p->model, &loss);
  (void)labels;
  for (size_t i = 0; i < rows; i++) {
    TRY(write_row(p, scores + i * class_fits(p->model->classes.count), log_loss, err));
  }
  return DPERM_OK;
}

dperm_status dperm_predict_file(const dperm_model *model, const dperm_source *source,
                                const char *out_path, const dperm_progress *progress,
                                dperm_error *err) {
  static const char header[] = "prediction,score,probability\n";
  OWNED(row_reader_close_at) row_reader *reader = NULL;
  OWNED(output_discard_at) output_file *out = NULL;
  OWNED(class_list_clear) class_list names = {0};
  TRY(scored_open(model, source, false, progress, &reader, err));
  TRY(output_open(out_path, false, &out, err));
  TRY(class_list_new(model->classes.count, &names, err));
  for (size_t m = 0; m < model->classes.count; m++) {
    TRY(quoted(model->classes.names[m], &names.names[m], err));
  }
  prediction p = {model, out, names.names};
  TRY(output_write(out, header, sizeof header - 1, err));
  TRY(scored_each(model, reader, predict_block, &p, err));
  out = NULL;
  return output_commit(p.out, err);
}

/* ---- metrics */

/* The area under the curve needs all scores at once: 16 bytes a row, more with more classes. */
typedef struct all_scores {
  size_t fits, rows, scores_capacity, labels_capacity;
  double *scores, *labels;
} all_scores;

static dperm_status keep_block(void *context, const double *scores, const double *labels,
                               size_t rows, dperm_error *err) {
  all_scores *a = context;
  size_t total = a->rows + rows;
  TRY(memory_reserve(&a->scores, &a->scores_capacity, a->fits * total, sizeof *scores, err));
  TRY(memory_reserve(&a->labels, &a->labels_capacity, total, sizeof *labels, err));
  memcpy(a->scores + a->fits * a->rows, scores, a->fits * rows * sizeof *scores);
  memcpy(a->labels + a->rows, labels, rows * sizeof *labels);
  a->rows = total;
  return DPERM_OK;
}

static void scores_clear(all_scores *a) {
  free(a->scores);
  free(a->labels);
}

dperm_status dperm_score_file_sized(const dperm_model *model, const dperm_source *source,
                                    const dperm_progress *progress, dperm_metrics *out, size_t size,
                                    dperm_error *err) {
  OWNED(row_reader_close_at) row_reader *reader = NULL;
  OWNED(scores_clear) all_scores a = {.fits = class_fits(model->classes.count)};
  dperm_metrics made;
  dperm_loss loss;
  TRY(sized_check(&metrics_struct, 0, size, err));
  TRY(scored_open(model, source, true, progress, &reader, err));
  TRY(scored_each(model, reader, keep_block, &a, err));
  TRY(metrics_of(model->classes.count, a.scores, a.labels, a.rows, model_log_loss(model, &loss),
                 model->inverse_temperature, &made, err));
  sized_give(&metrics_struct, &made, out, size);
  return DPERM_OK;
}
