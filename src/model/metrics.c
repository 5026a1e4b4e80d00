/* Counts, the area under the ROC curve by ranks, the log loss. */
#include <math.h>

#include "base/memory.h"
#include "loss/link.h"
#include "model/model.h"

static const sized_struct metrics_struct = SIZED_STRUCT(dperm_metrics, log_loss);

typedef struct scored {
  double score, label;
} scored;

static int by_score(const void *a, const void *b) {
  double x = ((const scored *)a)->score, y = ((const scored *)b)->score;
  return (x > y) - (x < y);
}

/* P(score of a positive > score of a negative) + P(equal)/2. */
static dperm_status area_under_curve(const double *scores, const double *labels, size_t rows,
                                     double *auc, dperm_error *err) {
  OWNED_MEMORY scored *sorted = NULL;
  TRY(memory_new(rows, sizeof *sorted, &sorted, err));
  for (size_t i = 0; i < rows; i++) {
    sorted[i] = (scored){scores[i], labels[i]};
  }
  qsort(sorted, rows, sizeof *sorted, by_score);
  double positives = 0, negatives = 0, wins = 0;
  for (size_t i = 0; i < rows;) {
    double tied_positives = 0, tied_negatives = 0, score = sorted[i].score;
    do { /* at least one: a score that is not a number equals nothing, not even itself */
      tied_positives += sorted[i].label > 0;
      tied_negatives += sorted[i].label < 0;
      i++;
    } while (i < rows && sorted[i].score == score);
    wins += tied_positives * (negatives + 0.5 * tied_negatives);
    positives += tied_positives;
    negatives += tied_negatives;
  }
  *auc = positives > 0 && negatives > 0 ? wins / positives / negatives : (double)NAN;
  return DPERM_OK;
}

/* −log P(the row's class); of two classes that is the loss itself. */
static double row_log_loss(const dperm_loss *log_loss, size_t classes, const double *given,
                           double by, double label) {
  double value = 0, space[CLASSES_MOST];
  const double *scores = scaled_scores(classes, by, given, space);
  if (classes > 2) {
    return -model_class_log_probability(log_loss, classes, scores, (size_t)label);
  }
  link_eval(log_loss, 1, 1, &label, scores, &value, NULL, NULL);
  return value;
}

dperm_status metrics_of(size_t classes, const double *scores, const double *labels, size_t rows,
                        const dperm_loss *log_loss, double by, dperm_metrics *out,
                        dperm_error *err) {
  const double none = (double)NAN;
  size_t of_class[CLASSES_MOST] = {0};
  dperm_metrics m = {
      .rows = rows, .classes = classes, .auc = none, .log_loss = log_loss ? 0 : none};
  for (size_t i = 0; i < rows; i++) {
    const double *row = scores + i * class_fits(classes);
    size_t winner = model_winner(classes, row);
    bool wrong = class_label(classes, winner) != labels[i];
    of_class[class_of_label(classes, labels[i])]++;
    m.errors += wrong;
    m.false_positives += classes == 2 && wrong && winner == 1;
    m.false_negatives += classes == 2 && wrong && winner == 0;
    m.log_loss += log_loss ? row_log_loss(log_loss, classes, row, by, labels[i]) : 0;
  }
  m.error_rate = (double)m.errors / (double)rows;
  m.log_loss /= (double)rows;
  for (size_t c = 1; c < classes; c++) {
    m.baseline_class = of_class[c] > of_class[m.baseline_class] ? c : m.baseline_class;
  }
  m.baseline = (double)(rows - of_class[m.baseline_class]) / (double)rows;
  if (classes == 2) {
    TRY(area_under_curve(scores, labels, rows, &m.auc, err));
  }
  *out = m;
  return DPERM_OK;
}

/* Counts of all rows from those of the rows here, exactly. The area under the curve would need all
 * scores in one place, and nobody asks for it or the log loss of rows in several. */
static dperm_status metrics_join(const matrix *x, dperm_status status, dperm_metrics *m,
                                 dperm_error *err) {
  uint64_t counts[3] = {m->false_positives, m->false_negatives, m->errors};
  TRY(ranks_add(x->spread, status, counts, 3, err));
  *m = (dperm_metrics){.rows = x->total,
                       .classes = m->classes,
                       .false_positives = (size_t)counts[0],
                       .false_negatives = (size_t)counts[1],
                       .errors = (size_t)counts[2],
                       .auc = (double)NAN,
                       .log_loss = (double)NAN,
                       .baseline = (double)NAN};
  m->error_rate = (double)m->errors / (double)m->rows;
  return DPERM_OK;
}

dperm_status model_check_classes(const dperm_model *model, dperm_error *err) {
  FAIL_IF(label_range_known(model->range), err, DPERM_UNSUPPORTED,
          "rates of errors are of classes, and the model predicts numbers; evaluate it");
  return DPERM_OK;
}

dperm_status dperm_model_score_sized(const dperm_model *model, const dperm_data *data,
                                     dperm_metrics *out, size_t size, dperm_error *err) {
  OWNED_MEMORY double *scores = NULL;
  dperm_metrics made = {0};
  size_t classes = model->classes.count;
  dperm_loss loss;
  TRY(sized_check(&metrics_struct, 0, size, err));
  TRY(model_check_classes(model, err));
  TRY(data_check_labels(data, classes, err));
  TRY(memory_new(data->x->rows * class_fits(classes), sizeof *scores, &scores, err));
  dperm_status status = dperm_model_scores(model, data, scores, err);
  if (status == DPERM_OK) {
    status = metrics_of(classes, scores, data->labels, data->x->rows, model_log_loss(model, &loss),
                        model->inverse_temperature, &made, err);
  }
  TRY(data->x->spread ? metrics_join(data->x, status, &made, err) : status);
  sized_give(&metrics_struct, &made, out, size);
  return DPERM_OK;
}

dperm_status dperm_score_file_sized(const dperm_model *model, const dperm_source *source,
                                    const dperm_progress *progress, dperm_metrics *out, size_t size,
                                    dperm_error *err) {
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  dperm_source filled;
  TRY(sized_check(&metrics_struct, 0, size, err));
  TRY(model_source(model, source, &filled, err));
  TRY(dperm_data_read(&filled, progress, &data, err));
  TRY(dperm_model_score_sized(model, data, out, size, err));
  return data_unchanged(data, err);
}
