/* Orthogonal directions as rows of uniformly random rotations, written out. Exact for every number
 * of columns; time grows with the square of their number, or of the directions'. What models of
 * kind "orthogonal" are made of. */
#pragma once

#include "random/random_source.h"

/* `count` directions over d columns, each of law N(0, scale²·I), as the columns of `directions` (d
 * × count, row-major). */
dperm_status orthogonal_qr_draw(random_source *source, double scale, size_t d, size_t count,
                                const dperm_progress *progress, double *directions,
                                dperm_error *err);
