/* Random features over any other matrix: rows √(2/D)·(cos Ωᵀx, sin Ωᵀx), made block by block on the
 * way and never kept. Pairs of cos and sin have norm exactly 1, where the paper's phases may reach
 * √2 (privacy.md 2), and estimate the kernel with less variance.
 *
 * The computed feature vector *is* the row, by definition: a function of the record and of its
 * place among n rows (the last bit of a product of blocks may depend on it), the same in every
 * pass, whatever the other records. So privacy needs no bound on the error of cos and sin, only on
 * the row's norm, FEATURES_NORM. */
#ifndef DPERM_MECHANISM_FEATURES_H
#define DPERM_MECHANISM_FEATURES_H

#include "data/matrix.h"
#include "data/row_bounds.h"

#define FEATURES_NORM (1.0 + 0x1p-48)

/* What is known of a row of features: its norm, and that no entry is longer than √(2/D), the scale
 * as features_block has it; raised as FEATURES_NORM is, for a cos or sin that is rounded up. */
row_bounds features_bounds(size_t cols);

/* The directions, drawn from the kernel's public seed. */
typedef struct feature_map {
  dperm_kernel kernel;
  size_t inputs;
  double *directions; /* inputs × D/2, row-major */
} feature_map;

/* γ, D and the seed in range, memory within reason. DPERM_KERNEL_NONE is fine too. */
dperm_status kernel_validate(const dperm_kernel *kernel, size_t inputs, dperm_error *err);

dperm_status feature_map_new(const dperm_kernel *kernel, size_t inputs, feature_map **out,
                             dperm_error *err);
void feature_map_free(feature_map *map);

/* The matrix of features over `inner`; both must outlive it. */
dperm_status features_new(const feature_map *map, const matrix *inner, matrix **out,
                          dperm_error *err);

/* A small matrix of features as a dense one, so that training does not make them anew in every
 * pass: the same rows to the bit. Left alone, `*kept` = NULL, if it would take more than
 * FEATURES_KEPT bytes, whatever the number of rows. */
enum { FEATURES_KEPT = 128 << 20 };
dperm_status features_keep(const matrix *made, matrix **kept, dperm_error *err);

/* "gaussian", "laplacian", "cauchy"; NULL for none. */
const char *kernel_name(dperm_kernel_name name);

#endif
