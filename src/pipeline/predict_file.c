/* Records in, predictions out, a block at a time: memory does not grow with the file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_write.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/metrics.h"
#include "pipeline/scored_file.h"

/* A class name as a CSV field. */
static dperm_status quoted(const char *name, char **out, dperm_error *err) {
  size_t length = strlen(name), used = 0;
  TRY(memory_new(2 * length + 3, 1, out, err));
  bool plain = strpbrk(name, ",\"\r\n") == NULL && strcmp(name, "") != 0;
  if (plain) {
    memcpy(*out, name, length);
    return DPERM_OK;
  }
  (*out)[used++] = '"';
  for (size_t i = 0; i < length; i++) {
    if (name[i] == '"') {
      (*out)[used++] = '"';
    }
    (*out)[used++] = name[i];
  }
  (*out)[used] = '"';
  return DPERM_OK;
}

/* The winner's score and probability; of two classes, the score of the positive one and its. */
static dperm_status write_row(output_file *out, char *const *names, size_t classes,
                              const double *scores, bool probabilities, dperm_error *err) {
  size_t winner = model_winner(classes, scores);
  const char *name = names[winner];
  double score = classes > 2 ? scores[winner] : scores[0];
  char line[2 * DOUBLE_TEXT_SIZE + 4];
  size_t used = 0;
  line[used++] = ',';
  used += format_double(score, false, line + used);
  line[used++] = ',';
  if (probabilities) {
    double p = classes > 2 ? exp(model_class_log_probability(classes, scores, winner))
                           : model_probability(score);
    used += format_double(p, false, line + used);
  }
  line[used++] = '\n';
  TRY(output_write(out, name, strlen(name), err));
  return output_write(out, line, used, err);
}

static dperm_status predict_all(scored_file *s, output_file *out, dperm_error *err) {
  static const char header[] = "prediction,score,probability\n";
  dperm_status status = DPERM_OK;
  const class_list *classes = &s->model->classes;
  class_list names = {0};
  size_t rows = 0, fits = class_fits(classes->count);
  bool probabilities = model_has_probabilities(s->model);
  TRY(class_list_new(classes->count, &names, err));
  for (size_t m = 0; m < classes->count; m++) {
    TRY_OR_DONE(quoted(classes->names[m], &names.names[m], err));
  }
  TRY_OR_DONE(output_write(out, header, sizeof header - 1, err));
  TRY_OR_DONE(scored_next(s, err));
  while (s->block) {
    size_t count = dperm_data_rows(s->block);
    for (size_t i = 0; i < count; i++) {
      TRY_OR_DONE(
          write_row(out, names.names, classes->count, s->scores + i * fits, probabilities, err));
    }
    rows += count;
    TRY_OR_DONE(scored_next(s, err));
  }
  if (rows == 0) {
    FAIL_AND_DONE(err, DPERM_INVALID_DATA, "%s: no rows; give a file with records",
                  path_for_people(s->reader.path));
  }
done:
  class_list_clear(&names);
  return status;
}

dperm_status dperm_predict_file(const dperm_model *model, const dperm_source *source,
                                const char *out_path, const dperm_progress *progress,
                                dperm_error *err) {
  dperm_status status = DPERM_OK;
  output_file *out = NULL;
  scored_file s;
  TRY(scored_open(model, source, false, progress, &s, err));
  TRY_OR_DONE(output_open(out_path, &out, err));
  TRY_OR_DONE(predict_all(&s, out, err));
  status = output_commit(out, err);
  out = NULL;
done:
  output_discard(out);
  scored_close(&s);
  return status;
}

/* The area under the curve needs all scores at once: 16 bytes a row, more with more classes. */
dperm_status dperm_score_file_sized(const dperm_model *model, const dperm_source *source,
                                    const dperm_progress *progress, dperm_metrics *out, size_t size,
                                    dperm_error *err) {
  dperm_status status = DPERM_OK;
  dperm_metrics made;
  double *scores = NULL, *labels = NULL;
  size_t rows = 0, scores_capacity = 0, labels_capacity = 0, classes = model->classes.count;
  size_t fits = class_fits(classes);
  scored_file s;
  TRY(sized_check_capacity(&metrics_struct, size, err));
  TRY(scored_open(model, source, true, progress, &s, err));
  TRY_OR_DONE(scored_next(&s, err));
  while (s.block) {
    size_t count = dperm_data_rows(s.block);
    TRY_OR_DONE(
        memory_reserve(&scores, &scores_capacity, fits * (rows + count), sizeof *scores, err));
    TRY_OR_DONE(memory_reserve(&labels, &labels_capacity, rows + count, sizeof *labels, err));
    memcpy(scores + fits * rows, s.scores, fits * count * sizeof *scores);
    memcpy(labels + rows, dperm_data_labels(s.block), count * sizeof *labels);
    rows += count;
    TRY_OR_DONE(scored_next(&s, err));
  }
  if (rows == 0) {
    FAIL_AND_DONE(err, DPERM_INVALID_DATA, "%s: no rows; give a file with records",
                  path_for_people(source->path));
  }
  TRY_OR_DONE(
      metrics_of(classes, scores, labels, rows, model_has_probabilities(model), &made, err));
  sized_give(&metrics_struct, &made, out, size);
done:
  free(scores);
  free(labels);
  scored_close(&s);
  return status;
}
