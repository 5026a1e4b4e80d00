/* What the programs of bench/peers share: one learning problem in a file that all of them map into
 * memory, the objective that all of them minimize,
 *
 *   J(f) = (1/n) Σ log(1 + exp(−y_i fᵀx_i)) + (Λ/2)‖f‖²,
 *
 * and the one judge of their answers, the norm of its gradient. The file: five 64-bit words (a
 * mark, n, d, the number of entries, 1 if dense), n labels, then n·d values, or n + 1 row starts
 * (64 bits), the values and the columns (32 bits). */
#ifndef DPERM_BENCH_PEER_PROBLEM_H
#define DPERM_BENCH_PEER_PROBLEM_H

#include <stddef.h>
#include <stdint.h>

typedef struct peer_problem {
  size_t rows, dims, entries;
  int dense;
  const double *labels, *values;
  const size_t *starts;    /* sparse only */
  const uint32_t *columns; /* sparse only */
} peer_problem;

#define PEER_MARK UINT64_C(0x314d424f52505044)

/* Maps the file; ends the program with a message if it cannot. */
peer_problem peer_problem_map(const char *path);

/* The gradient at f into `gradient`, with all threads that OpenMP has; its norm. */
double peer_gradient(const peer_problem *p, double lambda, const double *f, double *gradient);

/* Σ loss/n + penalty into *value beside the gradient: what L-BFGS asks for. */
double peer_evaluate(const peer_problem *p, double lambda, const double *f, double *gradient,
                     double *value);

double peer_seconds(void);

/* Fits during a program's first moments are not counted: memory is new then, and the threads that
 * OpenBLAS starts spin. (Tools whose tolerance has to be found are warm when it is.) */
#define PEER_WARM 0.2 /* seconds */

/* One line of JSON: the runs' seconds, and ‖∇J‖ at the last answer. */
void peer_report(const double *seconds, int runs, double gradient);

#endif
