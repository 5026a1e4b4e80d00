/* Rows of a sample are at even distances: the result depends on the rows alone. */
#include "solve/row_sample.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "matrix/matrix.h"
#include "solve/direction.h"

enum { FEWEST_ROWS = 512, SAMPLE_BYTES = 64 << 20 };

static size_t sample_rows(const problem *p, const solver_options *options) {
  bool factored = direction_uses_cholesky(p, options->method);
  size_t rows = rows_in_all(p->x), count = rows / 8, cols = problem_size(p), enough_for = 32 * cols;
  size_t fit = SAMPLE_BYTES / (p->x->row_entries + 1) / (sizeof(double) + sizeof(uint32_t));
  count = count < fit ? count : fit; /* also where the rows are a file larger than memory */
  if (p->x->row_entries > 64 && factored && count > enough_for) {
    count = enough_for; /* Gram matrices of long rows cost most */
  }
  return count < FEWEST_ROWS || (factored && count < 4 * cols) ? 0 : count;
}

/* The sample's part of a number for each row. Of a job's processes each has its share of a sparse
 * sample, or all of a dense one. */
static dperm_status sample_numbers(const problem *p, const double *all, const size_t *rows,
                                   size_t count, const row_sample *s, double **out,
                                   dperm_error *err) {
  TRY(memory_new(count, sizeof **out, out, err));
  return p->x->spread && !s->x->spread ? spread_everywhere(p->x, all, 1, rows, count, *out, err)
                                       : tall_select(p->x, all, rows, count, *out, err);
}

dperm_status row_sample_take(const problem *p, const solver_options *options, row_sample *out,
                             dperm_error *err) {
  bool easy = options->tolerance >= problem_crowd(p) * p->loss->lipschitz * p->norm_bound;
  size_t count = !easy && p->x->kind->select ? sample_rows(p, options) : 0;
  OWNED_MEMORY size_t *rows = NULL;
  if (count == 0) {
    return DPERM_OK;
  }
  TRY(memory_new(count, sizeof *rows, &rows, err));
  for (size_t i = 0; i < count; i++) {
    rows[i] = (size_t)((double)i * ((double)rows_in_all(p->x) / (double)count));
  }
  if (p->x->kind->select(p->x, rows, count, &out->x, NULL) != DPERM_OK) {
    out->x = NULL;
    return DPERM_OK;
  }
  TRY(sample_numbers(p, p->labels, rows, count, out, &out->labels, err));
  if (p->shares) {
    TRY(sample_numbers(p, p->shares, rows, count, out, &out->shares, err));
  }
  out->p = *p;
  out->p.x = out->x;
  out->p.labels = out->labels;
  out->p.divisor = p->divisor * ((double)count / (double)rows_in_all(p->x)); /* as many rows each */
  out->p.shares = out->shares;
  return DPERM_OK;
}

void row_sample_free(row_sample *s) {
  matrix_free(s->x);
  free(s->labels);
  free(s->shares);
}

double row_sample_tolerance(const row_sample *s, const solver_options *options) {
  const problem *p = &s->p;
  return fmax(options->tolerance, 0.1 * problem_crowd(p) * p->loss->lipschitz * p->norm_bound /
                                      sqrt((double)rows_in_all(p->x)));
}
