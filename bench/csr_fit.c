/* The C library's own time for what `fit` of the Python package does with a sparse matrix: take the
 * rows in, give them a constant column and labels, plan, perturb, solve, release.
 * bench/python_peers.py runs it beside Python on the same rows.
 *
 *   csr_fit DATA.csv SCHEMA.json REPEATS       prints the milliseconds of each repeat
 */
#include <stdio.h>
#include <stdlib.h>

#include "stopwatch.h"

typedef struct csr {
  size_t rows, dims, *starts;
  uint32_t *columns, *labels;
  double *values;
} csr;

/* The encoded rows as a program would hold them. */
static csr rows_of(const dperm_data *data) {
  csr m = {.rows = dperm_data_rows(data), .dims = dperm_data_dims(data)};
  double *row = malloc(m.dims * sizeof *row);
  m.starts = calloc(m.rows + 1, sizeof *m.starts);
  m.labels = malloc(m.rows * sizeof *m.labels);
  m.columns = malloc(m.rows * m.dims * sizeof *m.columns);
  m.values = malloc(m.rows * m.dims * sizeof *m.values);
  if (!row || !m.starts || !m.labels || !m.columns || !m.values) {
    fprintf(stderr, "csr_fit: out of memory\n");
    exit(1);
  }
  size_t at = 0;
  for (size_t i = 0; i < m.rows; i++) {
    dperm_error err;
    expect_ok(dperm_data_row(data, i, row, &err), &err);
    for (size_t j = 0; j < m.dims; j++) {
      if (row[j] != 0) {
        m.columns[at] = (uint32_t)j;
        m.values[at++] = row[j];
      }
    }
    m.starts[i + 1] = at;
    m.labels[i] = dperm_data_labels(data)[i] > 0;
  }
  free(row);
  return m;
}

static double fit_ms(const csr *m) {
  dperm_error err;
  dperm_data *data = NULL;
  dperm_model *model = NULL;
  dperm_options options;
  double from = now_ms();
  dperm_options_init(&options);
  options.epsilon = 1;
  options.lambda = 1e-3;
  expect_ok(
      dperm_data_from_csr(m->rows, m->dims, m->starts, m->columns, m->values, NULL, 1, &data, &err),
      &err);
  expect_ok(dperm_data_add_intercept(data, 1, &err), &err);
  expect_ok(dperm_data_label(data, m->labels, 2, NULL, &err), &err);
  expect_ok(dperm_train(data, &options, &model, &err), &err);
  double took = now_ms() - from;
  dperm_model_free(model);
  dperm_data_free(data);
  return took;
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: csr_fit DATA.csv SCHEMA.json REPEATS\n");
    return 2;
  }
  records from = records_open(argv[1], argv[2]);
  dperm_data *data = records_read(&from);
  csr m = rows_of(data);
  for (int i = 0; i < atoi(argv[3]); i++) {
    printf("%.3f\n", fit_ms(&m));
  }
  free(m.starts);
  free(m.labels);
  free(m.columns);
  free(m.values);
  dperm_data_free(data);
  records_close(&from);
  return 0;
}
