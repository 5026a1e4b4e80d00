/* LIBLINEAR's logistic regression (primal, solver 0) on the objective of bench/peers:
 * peer_liblinear PROBLEM LAMBDA TARGET RUNS LIMIT. Its stopping rule is relative to the gradient at
 * zero and to the share of the rarer class, so the tolerance is found first: divided by ten until
 * the gradient of our objective is short enough. Only fits with that tolerance are timed. */
#include <linear.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "peer_problem.h"

static void quiet(const char *text) {
  (void)text;
}

static struct feature_node *nodes_of(const peer_problem *p, struct feature_node ***rows) {
  size_t count = p->entries + p->rows, at = 0;
  struct feature_node *nodes = malloc(count * sizeof *nodes);
  *rows = malloc(p->rows * sizeof **rows);
  if (!nodes || !*rows) {
    fprintf(stderr, "peer_liblinear: out of memory\n");
    exit(1);
  }
  for (size_t i = 0; i < p->rows; i++) {
    (*rows)[i] = nodes + at;
    size_t from = p->dense ? i * p->dims : p->starts[i];
    size_t to = p->dense ? from + p->dims : p->starts[i + 1];
    for (size_t e = from; e < to; e++) {
      int column = p->dense ? (int)(e - from) : (int)p->columns[e];
      nodes[at++] = (struct feature_node){column + 1, p->values[e]};
    }
    nodes[at++] = (struct feature_node){-1, 0};
  }
  return nodes;
}

static double fit(const struct problem *prob, const struct parameter *how, const peer_problem *p,
                  double lambda, double *norm) {
  double from = peer_seconds();
  struct model *model = train(prob, how);
  double took = peer_seconds() - from, *gradient = calloc(p->dims, sizeof *gradient);
  double *f = calloc(p->dims, sizeof *f), sign = model->label[0] > 0 ? 1 : -1;
  for (size_t j = 0; j < p->dims; j++) {
    f[j] = sign * model->w[j];
  }
  *norm = peer_gradient(p, lambda, f, gradient);
  free(gradient);
  free(f);
  free_and_destroy_model(&model);
  return took;
}

int main(int argc, char **argv) {
  if (argc != 6) {
    fprintf(stderr, "usage: peer_liblinear PROBLEM LAMBDA TARGET RUNS LIMIT\n");
    return 2;
  }
  peer_problem p = peer_problem_map(argv[1]);
  double lambda = strtod(argv[2], NULL), target = strtod(argv[3], NULL), norm = INFINITY;
  double seconds[101], limit = strtod(argv[5], NULL), spent = 0;
  int runs = (int)strtol(argv[4], NULL, 10), done = 0;
  struct feature_node **rows = NULL, *nodes = nodes_of(&p, &rows);
  double *labels = malloc(p.rows * sizeof *labels);
  for (size_t i = 0; i < p.rows; i++) {
    labels[i] = p.labels[i];
  }
  const struct problem prob = {
      .l = (int)p.rows, .n = (int)p.dims, .y = labels, .x = rows, .bias = -1};
  struct parameter how = {
      .solver_type = L2R_LR, .eps = 1e-4, .C = 1 / ((double)p.rows * lambda), .p = 0.1};
  set_print_string_function(quiet);
  while (!(norm <= target) && spent < limit && how.eps > 1e-16) {
    how.eps /= 10;
    seconds[0] = fit(&prob, &how, &p, lambda, &norm);
    spent += seconds[0];
  }
  done = 1;
  while (norm <= target && done < runs && done < 101) {
    double again = 0;
    seconds[done++] = fit(&prob, &how, &p, lambda, &again);
  }
  peer_report(seconds, done, norm);
  free(labels);
  free(rows);
  free(nodes);
  return 0;
}
