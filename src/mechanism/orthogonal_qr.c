/* Rows of random rotations, given the lengths of independent gaussian vectors, which keeps each
 * direction's law and lowers the estimate's variance (Yu et al., 2016). */
#include "mechanism/orthogonal_qr.h"

#include <math.h>
#include <stdlib.h>

#include "base/householder.h"
#include "base/memory.h"
#include "base/progress.h"

/* The first `count` columns of a uniformly random rotation into q (column-major, d × count): the Q
 * of a gaussian matrix, with the signs that make R's diagonal positive. `work` is for `count`. */
static void draw_rotation(random_source *source, size_t d, size_t count, double *q, double *work) {
  for (size_t i = 0; i < d * count; i++) {
    q[i] = random_normal(source);
  }
  householder_rotation(d, count, q, work);
}

static double gaussian_length(random_source *source, size_t d) {
  double squares = 0;
  for (size_t i = 0; i < d; i++) {
    double g = random_normal(source);
    squares += g * g;
  }
  return sqrt(squares);
}

dperm_status orthogonal_qr_draw(random_source *source, double scale, size_t d, size_t count,
                                const dperm_progress *progress, double *directions,
                                dperm_error *err) {
  dperm_status status = DPERM_OK;
  size_t most = d < count ? d : count;
  double *q = NULL, *work = NULL;
  TRY_OR_DONE(memory_new(d * most, sizeof *q, &q, err));
  TRY_OR_DONE(memory_new(most, sizeof *work, &work, err));
  for (size_t r = 0, used = d; r < count; r++, used++) {
    if (used == d) { /* a rotation has d directions */
      used = 0;
      draw_rotation(source, d, count - r < d ? count - r : d, q, work);
    }
    TRY_OR_DONE(progress_tick(progress, "drawing directions", 0, 0, err));
    double length = scale * gaussian_length(source, d);
    for (size_t i = 0; i < d; i++) {
      directions[i * count + r] = length * q[used * d + i];
    }
  }
done:
  free(q);
  free(work);
  return status;
}
