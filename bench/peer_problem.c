/* Mapping a problem, its gradient, a clock. Built for the machine at hand (CMakeLists.txt): peers
 * that call this deserve it. */
#define _DEFAULT_SOURCE /* MAP_POPULATE */
#include "peer_problem.h"

#include <fcntl.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

static void give_up(const char *path) {
  perror(path);
  exit(1);
}

peer_problem peer_problem_map(const char *path) {
  struct stat about;
  int fd = open(path, O_RDONLY);
  if (fd < 0 || fstat(fd, &about) != 0) {
    give_up(path);
  }
  void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
  if (bytes == MAP_FAILED || about.st_size < 40) {
    give_up(path);
  }
  const uint64_t *head = bytes;
  if (head[0] != PEER_MARK) {
    fprintf(stderr, "%s: not a problem of bench/peers\n", path);
    exit(1);
  }
  peer_problem p = {.rows = head[1], .dims = head[2], .entries = head[3], .dense = head[4] != 0};
  p.labels = (const double *)(head + 5);
  if (p.dense) {
    p.values = p.labels + p.rows;
  } else {
    p.starts = (const size_t *)(p.labels + p.rows);
    p.values = (const double *)(p.starts + p.rows + 1);
    p.columns = (const uint32_t *)(p.values + p.entries);
  }
  return p;
}

static double row_product(const peer_problem *p, size_t i, const double *f) {
  double sum = 0;
  if (p->dense) {
    const double *row = p->values + i * p->dims;
    for (size_t j = 0; j < p->dims; j++) {
      sum += row[j] * f[j];
    }
    return sum;
  }
  for (size_t e = p->starts[i]; e < p->starts[i + 1]; e++) {
    sum += p->values[e] * f[p->columns[e]];
  }
  return sum;
}

static void add_row(const peer_problem *p, size_t i, double w, double *g) {
  if (p->dense) {
    const double *row = p->values + i * p->dims;
    for (size_t j = 0; j < p->dims; j++) {
      g[j] += w * row[j];
    }
    return;
  }
  for (size_t e = p->starts[i]; e < p->starts[i + 1]; e++) {
    g[p->columns[e]] += w * p->values[e];
  }
}

double peer_evaluate(const peer_problem *p, double lambda, const double *f, double *gradient,
                     double *value) {
  size_t teams = (size_t)omp_get_max_threads();
  double *parts = calloc(teams * (p->dims + 8), sizeof *parts), squares = 0, length = 0, loss = 0;
  if (!parts) {
    give_up("memory");
  }
#pragma omp parallel reduction(+ : loss)
  {
    double *g = parts + (size_t)omp_get_thread_num() * (p->dims + 8);
#pragma omp for schedule(static)
    for (size_t i = 0; i < p->rows; i++) {
      double z = p->labels[i] * row_product(p, i, f), e = exp(-fabs(z));
      if (value) {
        loss += log1p(e) + (z < 0 ? -z : 0);
      }
      add_row(p, i, -p->labels[i] * (z >= 0 ? e / (1 + e) : 1 / (1 + e)), g);
    }
  }
  for (size_t j = 0; j < p->dims; j++) {
    double sum = 0;
    for (size_t t = 0; t < teams; t++) {
      sum += parts[t * (p->dims + 8) + j];
    }
    gradient[j] = sum / (double)p->rows + lambda * f[j];
    squares += gradient[j] * gradient[j];
    length += f[j] * f[j];
  }
  free(parts);
  if (value) {
    *value = loss / (double)p->rows + 0.5 * lambda * length;
  }
  return sqrt(squares);
}

double peer_gradient(const peer_problem *p, double lambda, const double *f, double *gradient) {
  return peer_evaluate(p, lambda, f, gradient, NULL);
}

double peer_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void peer_report(const double *seconds, int runs, double gradient) {
  printf("{\"gradient\": %.3e, \"seconds\": [", gradient);
  for (int i = 0; i < runs; i++) {
    printf("%s%.6f", i ? ", " : "", seconds[i]);
  }
  printf("]}\n");
}
