/* libLBFGS on the objective of bench/peers: peer_lbfgs PROBLEM LAMBDA TARGET RUNS LIMIT. It stops
 * at the first iterate whose gradient is short enough, so no tolerance has to be guessed. A run of
 * more than LIMIT seconds is given up. */
#include <lbfgs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer_problem.h"

typedef struct run {
  const peer_problem *p;
  double lambda, target, until;
} run;

static lbfgsfloatval_t evaluate(void *instance, const lbfgsfloatval_t *x, lbfgsfloatval_t *g,
                                const int n, const lbfgsfloatval_t step) {
  (void)n;
  (void)step;
  const run *r = instance;
  double value = 0;
  peer_evaluate(r->p, r->lambda, x, g, &value);
  return value;
}

static int progress(void *instance, const lbfgsfloatval_t *x, const lbfgsfloatval_t *g,
                    const lbfgsfloatval_t fx, const lbfgsfloatval_t xnorm,
                    const lbfgsfloatval_t gnorm, const lbfgsfloatval_t step, int n, int k, int ls) {
  (void)x, (void)g, (void)fx, (void)xnorm, (void)step, (void)n, (void)k, (void)ls;
  const run *r = instance;
  return gnorm <= r->target || peer_seconds() > r->until;
}

int main(int argc, char **argv) {
  if (argc != 6) {
    fprintf(stderr, "usage: peer_lbfgs PROBLEM LAMBDA TARGET RUNS LIMIT\n");
    return 2;
  }
  peer_problem p = peer_problem_map(argv[1]);
  run r = {&p, strtod(argv[2], NULL), strtod(argv[3], NULL), 0};
  double seconds[101], norm = 0, limit = strtod(argv[5], NULL);
  int runs = (int)strtol(argv[4], NULL, 10), done = 0;
  lbfgsfloatval_t *f = lbfgs_malloc((int)p.dims);
  double *gradient = calloc(p.dims, sizeof *gradient);
  lbfgs_parameter_t how;
  lbfgs_parameter_init(&how);
  how.epsilon = 1e-16;
  how.m = 10;
  how.max_linesearch = 60;
  const double warm = peer_seconds() + PEER_WARM;
  while (done < runs && done < 101) {
    memset(f, 0, p.dims * sizeof *f);
    double from = peer_seconds();
    r.until = from + limit;
    (void)lbfgs((int)p.dims, f, NULL, evaluate, progress, &r, &how);
    seconds[done] = peer_seconds() - from;
    norm = peer_gradient(&p, r.lambda, f, gradient);
    done += from > warm || seconds[done] >= limit;
    if (done > 0 && seconds[done - 1] >= limit) {
      break;
    }
  }
  peer_report(seconds, done, norm);
  lbfgs_free(f);
  free(gradient);
  return 0;
}
