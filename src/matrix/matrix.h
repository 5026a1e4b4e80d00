/* The matrix seam: encoded rows behind a few operations that work on k right-hand sides at once.
 * Tall arrays (one row per record, k numbers each) and wide ones (one row per column of X, k
 * numbers each) are row-major, so the k numbers stand together. The solver never knows which kind
 * it holds; tests/unit/matrix_conformance_test.c runs one suite over every kind.
 *
 * Results do not depend on the number of threads or of processes: rows are cut into stripes by
 * public sizes alone, each stripe is summed in its own buffer, and the buffers are added in order.
 *
 * An operation that was stopped on the way (base/progress.h) fails, and what it was to make is
 * anything. */
#pragma once

#include "base/owned.h"
#include "base/progress.h"
#include "base/ranks.h"
#include "base/status.h"
#include "matrix/growing_rows.h"

typedef struct matrix matrix;

/* What rows say: the margins of rows from, …, from + count − 1 become their weights, in place.
 * Called on several threads, each row once. */
typedef void matrix_turn(void *context, size_t from, size_t count, double *z);

typedef struct matrix_kind {
  const char *name;
  /* Z = X F, count × k from cols × k, for rows from, …, from + count − 1, at most MATRIX_BLOCK:
   * sequential, in space of the caller's own (x->work_size doubles). A row's numbers depend on its
   * place, never on the call. */
  void (*apply_rows)(const matrix *x, size_t from, size_t count, const double *f, size_t k,
                     double *z, double *work);
  /* G = Xᵀ W, cols × k, where `turn` makes W of Z = X F on the way: one pass over the rows. */
  dperm_status (*apply_both)(const matrix *x, const double *f, size_t k, matrix_turn *turn,
                             void *context, double *g, dperm_error *err);
  /* The upper triangle (row-major) of H = Xᵀ diag(w) X, cols × cols; and the diagonals alone of k
   * of them, cols × k from rows × k. */
  dperm_status (*gram)(const matrix *x, const double *w, double *h, dperm_error *err);
  dperm_status (*gram_diagonal)(const matrix *x, const double *w, size_t k, double *d,
                                dperm_error *err);
  /* Row i as `cols` doubles. */
  void (*row)(const matrix *x, size_t i, double *values);
  /* The entries of up to MATRIX_BLOCK rows, made in `work` (x->work_size doubles) or where they
   * stand; NULL for a kind that keeps zeros too. */
  void (*views)(const matrix *x, size_t from, size_t count, double *work, row_view *out);
  /* A new matrix of the same kind with copies of some rows, in the order given. */
  dperm_status (*select)(const matrix *x, const size_t *rows, size_t count, matrix **out,
                         dperm_error *err);
  /* Rows as a dense block, count × cols, made in `work` or where they stand; NULL for a kind that
   * has a better way (matrix/matrix_dense.h). `from` is a multiple of MATRIX_BLOCK. Half made
   * where the watch has stopped meanwhile: ask blocks_rows, which looks. */
  const double *(*block)(const matrix *x, size_t from, size_t count, double *work);
  void (*free)(matrix *x);
} matrix_kind;

/* What every kind starts with. */
struct matrix {
  const matrix_kind *kind;
  size_t rows, cols;
  size_t row_entries; /* at most so many nonzero entries in a row */
  size_t work_size;   /* doubles that apply_rows and views need beside their arguments */
  size_t row_depth;   /* at most so many additions stand behind an entry of X f, for one f */
  size_t sum_depth;   /* at most so many additions stand behind an entry of Xᵀ w, for one w */
  /* Rows spread over the processes of a job: `rows` counts those here, tall arrays have as many. */
  ranks *spread;       /* NULL where all rows are here */
  size_t total, first; /* rows in all, and the first one here; used only with `spread` */
};

static inline size_t rows_in_all(const matrix *x) {
  return x->spread ? x->total : x->rows;
}

enum { MATRIX_BLOCK = 256 };

void matrix_free(matrix *x);
OWNED_HANDLE(matrix, matrix_free)

/* Calls `each` on blocks of MATRIX_BLOCK rows, side by side, with x->work_size doubles for each. */
typedef void block_pass(const void *context, const matrix *x, size_t from, size_t count,
                        double *work);
dperm_status matrix_for_blocks(const matrix *x, block_pass *each, const void *context,
                               dperm_error *err);

/* Z = X F: rows × k from cols × k, by apply_rows. */
dperm_status matrix_apply(const matrix *x, const double *f, size_t k, double *z, dperm_error *err);

/* The two products in twice the precision (base/double_double.h), for one right-hand side:
 * z + z_rest = X (f + f_rest), and g = Xᵀ w, cols high halves and then as many low ones. */
dperm_status matrix_apply_dd(const matrix *x, const double *f, const double *f_rest, double *z,
                             double *z_rest, dperm_error *err);
dperm_status matrix_apply_transposed_dd(const matrix *x, const double *w, double *g,
                                        dperm_error *err);

/* Compressed sparse rows: takes over the arrays of `rows` on success, but for the labels. */
dperm_status matrix_sparse_take(growing_rows *rows, size_t cols, matrix **out, dperm_error *err);
/* Makes a sparse matrix this process's part of `total` rows: it holds those that stripes_of_rank
 * gives it. Every process of the job does so at once. */
dperm_status matrix_sparse_spread(matrix *x, ranks *r, size_t total, dperm_error *err);

/* Rows that are made when they are asked for, of what is smaller than they are (table/rows.h). In
 * many threads; a row depends on its place alone. */
typedef struct row_maker row_maker;
struct row_maker {
  size_t most_entries; /* of any row */
  size_t entries;      /* of all rows together, or what they can be: sums are cut by their mean */
  /* Rows from, …, from + count − 1: starts has count + 1 numbers, the first of them 0; there is
   * space for most_entries of each row, and for one more, which may be written and is not read.
   * Returns how many were made: with `places`, which comes with full blocks, equal rows may be made
   * once, and row i is the places[i]-th (equal_rows.h). */
  size_t (*make)(const row_maker *maker, size_t from, size_t count, size_t *places, size_t *starts,
                 uint32_t *columns, double *values);
  void (*free)(row_maker *maker);
};
/* The same kind of matrix over rows that are made in every pass. Takes `maker` on success. */
dperm_status matrix_made_new(row_maker *maker, size_t rows, size_t cols, matrix **out,
                             dperm_error *err);
/* Such a matrix with its rows made once for all passes; the same bits. NULL for any other. */
dperm_status matrix_keep(const matrix *x, matrix **out, dperm_error *err);
/* Dense row-major. Takes over `values` on success only. */
dperm_status matrix_dense_new(size_t rows, size_t cols, double *values, matrix **out,
                              dperm_error *err);

/* ---- a fixed cut of the rows, and sums over it: for the kinds, and for other sums over rows */

/* Pieces of the rows that depend on sizes only: a power of two, at most STRIPES_MOST, of about
 * STRIPE_UNIT rows each at least, and no more than fit in 256 MB of `work` doubles each (but two,
 * if the rows allow). They begin at multiples of STRIPE_UNIT, and a cut into fewer is coarser, so
 * that every operation's cut respects that of the rows among processes. */
enum { STRIPES_MOST = 16, STRIPE_UNIT = 2 * MATRIX_BLOCK, STRIPE_DEPTH = 4 };
size_t stripe_count(uint64_t rows, size_t doubles);
/* The first row of stripe s of `count`, among all. */
size_t stripe_start(size_t rows, size_t count, size_t s);

/* The cut as an operation finds it: `count` stripes of which from, …, to − 1 are here. */
typedef struct stripe_cut {
  size_t count, from, to;
} stripe_cut;
stripe_cut stripes_here(const matrix *x, size_t doubles);
/* Where stripe s begins (and the one before ends) among the rows here. */
size_t stripe_row(const matrix *x, const stripe_cut *cut, size_t s);
/* Which rows a process has: whole stripes. */
void stripes_of_rank(size_t total, const ranks *r, size_t *first, size_t *rows);

/* A sum over rows, stripe by stripe: `add` adds rows from, …, to − 1 (of those here) to `total`,
 * `size` doubles, which are zero at first. `work` has work_size doubles of the thread's own, not
 * initialized. */
typedef struct stripe_sum {
  size_t size, work_size;
  size_t beside; /* doubles a stripe beside `size` that count for the cut */
  void (*add)(const void *context, size_t from, size_t to, double *total, double *work);
  const void *context;
  bool dd; /* in twice the precision: `size` counts high halves, then as many low ones */
} stripe_sum;

/* *out = the sum over all stripes, here and elsewhere, pairwise in a fixed order: at most
 * STRIPE_DEPTH additions are behind it that are not in `add`. A failure in one process is one in
 * all. */
dperm_status stripes_sum(const matrix *x, const stripe_sum *how, double *out, dperm_error *err);

/* ---- rows among processes: each has whole stripes, and tall arrays have the rows that are here */

/* Numbers for each row of any matrix (a tall array): those of the listed rows, in their new places,
 * as many as a selection of them has rows here. `rows` are numbered among all rows and the same on
 * every process. */
dperm_status tall_select(const matrix *x, const double *tall, const size_t *rows, size_t count,
                         double *out, dperm_error *err);

/* The listed rows of a spread matrix's tall array, `width` numbers each, on every process. */
dperm_status spread_everywhere(const matrix *x, const double *tall, size_t width,
                               const size_t *rows, size_t count, double *out, dperm_error *err);

/* The listed rows out of `total`, of which each process holds those in `here` that stripes_of_rank
 * gives it: each goes to where its new place is. Labels stay behind. */
dperm_status spread_select(ranks *r, const growing_rows *here, size_t total, const size_t *rows,
                           size_t count, growing_rows *out, dperm_error *err);
