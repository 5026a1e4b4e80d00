/* See gram_noise.h. A Wishart matrix of k + 1 degrees, Σ gᵢgᵢᵀ with normal vectors g, has the
 * density ∝ exp(−tr W/2) on positive matrices, without a power of its determinant; so the
 * difference E of two has the density e^(−τ tr E) times what grows where E does, and a product vvᵀ
 * more makes any outcome at most e^(τ|v|²) times as likely, or as unlikely. A replaced record is
 * two of them: τ = ε/2·most.
 *
 * On doubles: an entry is s(G_j·G_l − H_j·H_l), s = 1/2τ. A normal number has a relative error
 * below 12u (noise_l1_l2.c), a product 25u, a sum of k + 1 of them (k + 1)u more, whatever its
 * order. With |G_j|² ≤ L for all, but for the tail of 2k laws of χ² (noise_law.c's chi_limit), an
 * entry is within s(2(k + 1) + 60)uL of what the same bits give without rounding; so the nearest
 * whole numbers differ by that and 1, and integer noise hides it (privacy.md, Lemma 5). */
#include "random/gram_noise.h"

#include <math.h>

#include "base/defect.h"
#include "base/memory.h"
#include "base/vector.h"
#include "random/noise.h"

enum { HIDES = 1000 }; /* of epsilon two of so many parts are for rounding */
static const double tail = 300;

static double scale_of(const gram_noise *g) {
  const double core = ratio_value(g->epsilon) * (HIDES - 2) / HIDES;
  return (double)g->most / core * (1 + 0x1p-40) / (DEFECT("gram-half") ? 2 : 1);
}

/* L. */
static double longest(const gram_noise *g) {
  const double degrees = (double)g->size + 1, t = tail + ratio_value(g->epsilon);
  return (degrees + 2 * sqrt(degrees * t) + 2 * t) * (1 + 0x1p-30);
}

/* By how much all entries together may differ from what they stand for, once they are whole. */
static double sensitivity_of(const gram_noise *g) {
  const double degrees = (double)g->size + 1,
               error = scale_of(g) * (2 * degrees + 60) * 0x1p-53 * longest(g);
  return (double)gram_entries(g->size) * floor(1 + error);
}

double gram_noise_deviation(const gram_noise *g, bool of_square) {
  const double s = scale_of(g), degrees = (double)g->size + 1,
               hidden = HIDES * sensitivity_of(g) / ratio_value(g->epsilon);
  return sqrt(2 * degrees * s * s * (of_square ? 2 : 1) + 2 * hidden * hidden);
}

/* What is beyond has a probability below e^−300. */
static int64_t held(wide_signed y) {
  const wide_signed most = (wide_signed)1 << 61;
  return (int64_t)(y > most ? most : y < -most ? -most : y);
}

static void set_noise(const gram_noise *g, const double *from, const double *less,
                      random_source *source, int64_t *noise) {
  const size_t k = g->size, degrees = k + 1;
  const wide_integer under = (wide_integer)g->epsilon.under * HIDES * (uint64_t)sensitivity_of(g);
  const double s = scale_of(g);
  for (size_t j = 0; j < k; j++) {
    for (size_t l = j; l < k; l++) {
      const double sum = vector_dot(from + j * degrees, from + l * degrees, degrees) -
                         vector_dot(less + j * degrees, less + l * degrees, degrees);
      *noise++ = (int64_t)rint(s * sum) +
                 held(random_discrete_laplace_wide(source, g->epsilon.over, under));
    }
  }
}

dperm_status gram_noise_check(const gram_noise *g, dperm_error *err) {
  const double most = 0x1p60;
  FAIL_IF(!(2 * scale_of(g) * longest(g) < most &&
            (tail + 1) * HIDES * sensitivity_of(g) / ratio_value(g->epsilon) < most),
          err, DPERM_INVALID_ARGUMENT,
          "an epsilon of %g leaves noise beyond all numbers; give a larger one",
          ratio_value(g->epsilon));
  return DPERM_OK;
}

dperm_status gram_noise_draw(const gram_noise *g, random_source *source, int64_t *noise,
                             dperm_error *err) {
  const size_t normals = g->size * (g->size + 1);
  OWNED_MEMORY double *room = NULL;
  TRY(gram_noise_check(g, err));
  TRY(memory_new(2 * normals, sizeof *room, &room, err));
  noise_draw_normals(source, 2 * normals, room);
  set_noise(g, room, room + normals, source, noise);
  return DPERM_OK;
}
