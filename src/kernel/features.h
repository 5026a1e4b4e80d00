/* Random features over any other matrix: rows √(2/D)·(cos Ωᵀx, sin Ωᵀx), made block by block on the
 * way and never kept. Pairs of cos and sin have norm exactly 1, where the paper's phases may reach
 * √2 (privacy.md 2), and estimate the kernel with less variance.
 *
 * The computed feature vector *is* the row, by definition: a function of the record and of its
 * place among n rows (the last bit of a product of blocks may depend on it), the same in every
 * pass, whatever the other records. So privacy needs no bound on the error of cos and sin, only on
 * the row's norm, FEATURES_NORM. */
#pragma once

#include <stdbool.h>

#include "kernel/hadamard_directions.h"
#include "matrix/matrix.h"
#include "random/row_bounds.h"

#define FEATURES_NORM (1.0 + 0x1p-48)

/* What is known of a row of features: its norm, and that no entry is longer than √(2/D), the scale
 * as features_block has it; raised as FEATURES_NORM is, for a cos or sin that is rounded up. */
row_bounds features_bounds(size_t cols);

/* The columns that a model of this kernel, or of none, has weights for, and what is known of its
 * rows: those of the features, or the encoded ones. */
size_t kernel_dims(const dperm_kernel *kernel, size_t inputs);
row_bounds kernel_bounds(const dperm_kernel *kernel, const row_bounds *encoded);

/* How directions are drawn. A model's file names its kind, and a kind's directions never change: a
 * new way of drawing them is a new kind. */
typedef enum feature_kind {
  FEATURES_IID,
  FEATURES_ORTHOGONAL, /* rows of random rotations, by QR */
  FEATURES_HADAMARD    /* hadamard_directions.h */
} feature_kind;

/* "iid", "orthogonal", "hadamard". */
const char *feature_kind_name(feature_kind kind);
bool feature_kind_find(const char *name, feature_kind *out);
/* What a new model gets, from the options and the number of columns. */
feature_kind feature_kind_of_new(const dperm_kernel *kernel, size_t inputs);

/* Hadamard directions up to so many numbers (64 MB) are written out as a matrix, quicker with short
 * sparse rows. Public sizes decide: the last bits of a row depend on it. */
enum { FEATURES_WRITTEN = 1 << 23 };

/* The directions, drawn from the kernel's public seed. */
typedef struct feature_map {
  dperm_kernel kernel;
  feature_kind kind;
  size_t inputs;
  double *directions;        /* inputs × D/2, row-major; NULL where they are not written out */
  hadamard_directions *fast; /* those that are not; else NULL */
} feature_map;

/* γ, D and the seed in range; the others: and memory within reason. No kernel is fine too. */
dperm_status kernel_validate_numbers(const dperm_kernel *kernel, dperm_error *err);
dperm_status kernel_validate(const dperm_kernel *kernel, size_t inputs, dperm_error *err);
dperm_status kernel_validate_kind(const dperm_kernel *kernel, feature_kind kind, size_t inputs,
                                  dperm_error *err);

/* γ in proportion to the rows, for new fits. An angle has the rounding errors of its sum, units of
 * its last bit, which depend on whether rows are dense or sparse and on the processor; cos and sin
 * pass them on as they are. Sizes up to 10^4 keep angles within the 10^5 that math_sincos_scaled is
 * proven for (ten standard deviations of the gaussian kernel's), where the last bit is 2^−36. Far
 * beyond, features would be made of these errors. */
#define FEATURES_ANGLE 1e4
dperm_status kernel_validate_angles(const dperm_kernel *kernel, const row_bounds *rows,
                                    dperm_error *err);

/* A new model's map, and one of a given kind. `progress` may be NULL. */
dperm_status feature_map_new(const dperm_kernel *kernel, size_t inputs,
                             const dperm_progress *progress, feature_map **out, dperm_error *err);
dperm_status feature_map_draw(const dperm_kernel *kernel, feature_kind kind, size_t inputs,
                              const dperm_progress *progress, feature_map **out, dperm_error *err);
void feature_map_free(feature_map *map);
OWNED_HANDLE(feature_map, feature_map_free)
/* The most that making a map takes. */
double feature_map_bytes(feature_kind kind, size_t inputs, size_t features);
/* The doubles that a block of features needs, without the inner matrix's own. */
size_t features_work_size(feature_kind kind, size_t inputs, size_t cols);

/* The matrix of features over `inner`; both must outlive it. */
dperm_status features_new(const feature_map *map, const matrix *inner, matrix **out,
                          dperm_error *err);

/* A small matrix of features as a dense one, so that training does not make them anew in every
 * pass: the same rows to the bit. Left alone, `*kept` = NULL, if it would take more than
 * FEATURES_KEPT bytes, whatever the number of rows. */
enum { FEATURES_KEPT = 128 << 20 };
dperm_status features_keep(const matrix *made, matrix **kept, dperm_error *err);
