/* Makes problem files for bench/peers:
 *
 *   peer_make csv DATA SCHEMA OUT         the rows as dperm encodes them
 *   peer_make sparse ROWS ENTRIES DIMS OUT
 *   peer_make dense ROWS DIMS OUT
 *   peer_make census ROWS DATA SCHEMA     a look-alike of Adult as a CSV file and its schema
 *
 * Synthetic rows have norm 1 and labels from a logistic model, 10 percent of them turned round.
 * Columns of the sparse kind are drawn with a tail as heavy as words have. */
#include <dperm.h>
#include <dperm/synthetic.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer_problem.h"

static uint64_t state = 88172645463325252U; /* xorshift: figures, not secrets */

static double unit(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) * 0x1p-53;
}

static void stop(const char *what) {
  fprintf(stderr, "peer_make: %s\n", what);
  exit(1);
}

static void *need(size_t count, size_t size) {
  void *block = calloc(count + 1, size);
  if (!block) {
    stop("out of memory");
  }
  return block;
}

static void put(const void *from, size_t size, size_t count, FILE *out) {
  if (fwrite(from, size, count, out) != count) {
    stop("cannot write");
  }
}

static FILE *begin(const char *path, uint64_t rows, uint64_t dims, uint64_t entries,
                   uint64_t dense) {
  const uint64_t head[5] = {PEER_MARK, rows, dims, entries, dense};
  FILE *out = fopen(path, "wb");
  if (!out) {
    stop("cannot open the file to write");
  }
  put(head, sizeof *head, 5, out);
  return out;
}

static void finish_sparse(const char *path, size_t rows, size_t dims, const double *labels,
                          const uint64_t *starts, const double *values, const uint32_t *columns) {
  FILE *out = begin(path, rows, dims, starts[rows], 0);
  put(labels, sizeof *labels, rows, out);
  put(starts, sizeof *starts, rows + 1, out);
  put(values, sizeof *values, starts[rows], out);
  put(columns, sizeof *columns, starts[rows], out);
  if (fclose(out) != 0) {
    stop("cannot write");
  }
}

static void expect_ok(dperm_status status, const dperm_error *err) {
  if (status != DPERM_OK) {
    stop(err->message);
  }
}

static void make_csv(const char *data_path, const char *schema_path, const char *out) {
  dperm_error err;
  dperm_schema *schema = NULL;
  dperm_data *data = NULL;
  expect_ok(dperm_schema_read(schema_path, &schema, &err), &err);
  const dperm_source source = {.path = data_path, .format = DPERM_FORMAT_CSV, .schema = schema};
  expect_ok(dperm_data_read(&source, NULL, &data, &err), &err);
  size_t rows = dperm_data_rows(data), dims = dperm_data_dims(data), capacity = 0, used = 0;
  double *row = need(dims, sizeof *row), *values = NULL;
  uint64_t *starts = need(rows + 1, sizeof *starts);
  uint32_t *columns = NULL;
  for (size_t i = 0; i < rows; i++) {
    expect_ok(dperm_data_row(data, i, row, &err), &err);
    if (used + dims > capacity) {
      capacity = 2 * capacity + dims;
      values = realloc(values, capacity * sizeof *values);
      columns = realloc(columns, capacity * sizeof *columns);
      if (!values || !columns) {
        stop("out of memory");
      }
    }
    for (size_t j = 0; j < dims; j++) {
      if (row[j] != 0) {
        values[used] = row[j];
        columns[used++] = (uint32_t)j;
      }
    }
    starts[i + 1] = used;
  }
  finish_sparse(out, rows, dims, dperm_data_labels(data), starts, values, columns);
}

static double label_at(double margin) {
  double y = unit() < 1 / (1 + exp(-margin)) ? 1 : -1;
  return unit() < 0.1 ? -y : y;
}

static int ascending(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static void make_sparse(size_t rows, size_t entries, size_t dims, const char *out) {
  double *truth = need(dims, sizeof *truth), *labels = need(rows, sizeof *labels);
  double *values = need(rows * entries, sizeof *values);
  uint64_t *starts = need(rows + 1, sizeof *starts);
  uint32_t *columns = need(rows * entries, sizeof *columns);
  for (size_t j = 0; j < dims; j++) {
    truth[j] = 8 * (unit() - 0.5);
  }
  for (size_t i = 0, at = 0; i < rows; i++) {
    uint32_t *mine = columns + at;
    for (size_t e = 0; e < entries; e++) {
      mine[e] = (uint32_t)(exp(unit() * log((double)dims)) - 1) % (uint32_t)dims;
    }
    qsort(mine, entries, sizeof *mine, ascending);
    size_t kept = 0;
    double squares = 0, margin = 0;
    for (size_t e = 0; e < entries; e++) { /* a column twice moves on to the next */
      uint32_t column = kept && mine[e] <= mine[kept - 1] ? mine[kept - 1] + 1 : mine[e];
      if (column < dims) {
        mine[kept] = column;
        values[at + kept++] = 0.1 + unit();
      }
    }
    for (size_t e = 0; e < kept; e++) {
      squares += values[at + e] * values[at + e];
    }
    for (size_t e = 0; e < kept; e++) {
      values[at + e] *= (1 - 1e-12) / sqrt(squares);
      margin += values[at + e] * truth[mine[e]];
    }
    labels[i] = label_at(3 * margin);
    starts[i + 1] = at += kept;
  }
  finish_sparse(out, rows, dims, labels, starts, values, columns);
}

static void make_dense(size_t rows, size_t dims, const char *path) {
  double *truth = need(dims, sizeof *truth), *labels = need(rows, sizeof *labels);
  double *values = need(rows * dims, sizeof *values);
  for (size_t j = 0; j < dims; j++) {
    truth[j] = 8 * (unit() - 0.5);
  }
  for (size_t i = 0; i < rows; i++) {
    double *row = values + i * dims, squares = 0, margin = 0, common = unit() - 0.5;
    for (size_t j = 0; j < dims; j++) {
      row[j] = unit() - 0.5 + common * (double)(j % 7) / 7;
      squares += row[j] * row[j];
    }
    for (size_t j = 0; j < dims; j++) {
      row[j] *= (1 - 1e-12) / sqrt(squares);
      margin += row[j] * truth[j];
    }
    labels[i] = label_at(3 * margin);
  }
  FILE *out = begin(path, rows, dims, rows * dims, 1);
  put(labels, sizeof *labels, rows, out);
  put(values, sizeof *values, rows * dims, out);
  if (fclose(out) != 0) {
    stop("cannot write");
  }
}

static void make_census(size_t rows, const char *data_path, const char *schema_path) {
  dperm_error err;
  const char *text = dperm_synthetic_census_schema();
  expect_ok(dperm_synthetic_census_write(data_path, rows, 1, &err), &err);
  FILE *out = fopen(schema_path, "w");
  if (!out || fputs(text, out) < 0 || fclose(out) != 0) {
    stop("cannot write the schema");
  }
}

int main(int argc, char **argv) {
  if (argc == 5 && strcmp(argv[1], "csv") == 0) {
    make_csv(argv[2], argv[3], argv[4]);
  } else if (argc == 6 && strcmp(argv[1], "sparse") == 0) {
    make_sparse(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10),
                strtoull(argv[4], NULL, 10), argv[5]);
  } else if (argc == 5 && strcmp(argv[1], "dense") == 0) {
    make_dense(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10), argv[4]);
  } else if (argc == 5 && strcmp(argv[1], "census") == 0) {
    make_census(strtoull(argv[2], NULL, 10), argv[3], argv[4]);
  } else {
    stop(
        "usage: peer_make csv DATA SCHEMA OUT | sparse ROWS ENTRIES DIMS OUT | dense ROWS DIMS OUT "
        "| census ROWS DATA SCHEMA");
  }
  return 0;
}
