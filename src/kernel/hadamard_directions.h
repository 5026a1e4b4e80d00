/* Fast rotations, and orthogonal directions made of them that are never written out: ωᵀx for all of
 * them costs O((d + D) log d) time and they take O(d + D) memory, where a matrix has d·D/2 numbers.
 *
 * Fast rotations give as many directions as they have entries. For more, there are several of
 * them, one behind the other. For fewer, x is cut into pieces of at least as many columns as there
 * are directions, each with a rotation of its own; a direction is one row of every rotation, and
 * orthogonal to the others in each piece. Every row in every piece gets the length of a gaussian
 * vector of its own, so a direction has the law of N(0, scale²·I) as far as rows of fast rotations
 * have that of uniform ones.
 *
 * All of it comes from the public seed and public sizes, nothing from records, so privacy does not
 * depend on it: a row of features has norm 1 whatever the directions. Integers, and sums, products,
 * quotients and roots of IEEE doubles in a fixed order: all machines have the same bits. */
#pragma once

#include "base/owned.h"
#include "random/random_source.h"

/* From so many columns on fast rotations stand in for uniformly random ones: entries have their
 * second and fourth moments up to O(1/n²) (tests/property/hadamard_features_test.c). */
enum { FAST_ROTATION_LEAST = 64 };

typedef struct hadamard_directions hadamard_directions;

/* `count` directions over `inputs` ≥ FAST_ROTATION_LEAST columns, below 2^31. */
dperm_status hadamard_directions_new(random_source *source, double scale, size_t inputs,
                                     size_t count, const dperm_progress *progress,
                                     hadamard_directions **out, dperm_error *err);
void hadamard_directions_free(hadamard_directions *h);
OWNED_HANDLE(hadamard_directions, hadamard_directions_free)

/* What one of these sizes takes, in bytes, and the doubles that the functions below need. */
double hadamard_bytes(size_t inputs, size_t count);
size_t hadamard_work_size(size_t inputs, size_t count);

/* The angles ωᵀx of all directions for the entries of a row, on which alone they depend; `columns`
 * is NULL for those of all columns. Pieces without entries cost nothing. `work` may follow the row
 * itself in a space of hadamard_work_size. */
void hadamard_angles(const hadamard_directions *h, size_t entries, const uint32_t *columns,
                     const double *values, double *angles, double *work);

/* Direction r, written out: `inputs` numbers. */
void hadamard_direction(const hadamard_directions *h, size_t r, double *out, double *work);
