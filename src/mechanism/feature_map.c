/* Drawing the directions: ω ~ N(0, 2γI) for the gaussian kernel, independent Cauchy(γ) entries for
 * the laplacian, independent Laplace(γ) entries for the cauchy one (each the kernel's Fourier
 * transform). Orthogonal directions for the gaussian: rows of random rotations, given the lengths
 * of independent gaussian vectors, which keeps each direction's law and lowers the estimate's
 * variance (Yu et al., 2016). */
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/threads.h"
#include "mechanism/features.h"
#include "random/exponential.h"

static const char *const names[] = {NULL, "gaussian", "laplacian", "cauchy"};

const char *kernel_name(dperm_kernel_name name) {
  return names[name];
}

/* Bytes of the machine; generous where it does not tell. */
static double physical_memory(void) {
  double pages = (double)sysconf(_SC_PHYS_PAGES), size = (double)sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? pages * size : 64e9;
}

dperm_status kernel_validate(const dperm_kernel *k, size_t inputs, dperm_error *err) {
  if (k->name == DPERM_KERNEL_NONE) {
    return DPERM_OK;
  }
  if (k->name > DPERM_KERNEL_CAUCHY) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "kernel number %d is none of the three", (int)k->name);
  }
  if (!(k->gamma > 0 && k->gamma <= 1e100)) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "gamma = %g; it must be positive and finite", k->gamma);
  }
  if (k->features == 0 || k->features % 2 != 0) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "%zu features; give an even number from 2", k->features);
  }
  if (inputs == 0) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "features of no columns; give data with at least one");
  }
  /* Half of D directions, and a few threads' blocks of rows; D × D matrices only up to the number
   * of columns that the solver factors, which is small. */
  double most = 0.8 * physical_memory(), each = 8.0 * (0.5 * (double)inputs + 2000.0);
  if ((double)k->features * each > most) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "%zu features would take %.0f GB of memory; at most about %zu fit here", k->features,
         (double)k->features * each / 1e9, (size_t)(most / each) / 2 * 2);
  }
  if (k->seed >> 53) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "the features' seed must be below 2^53");
  }
  return DPERM_OK;
}

static double draw_entry(dperm_kernel_name name, double gamma, random_source *source) {
  switch (name) {
  case DPERM_KERNEL_LAPLACIAN:
    return gamma * tan(3.141592653589793 * (random_unit(source) - 0.5));
  case DPERM_KERNEL_CAUCHY: {
    double size = gamma * random_exponential(source);
    return random_bits(source) >> 63 ? size : -size;
  }
  case DPERM_KERNEL_GAUSSIAN:
  case DPERM_KERNEL_NONE:
    break;
  }
  return sqrt(2 * gamma) * random_normal(source);
}

static void draw_independent(feature_map *map, random_source *source) {
  size_t count = map->inputs * (map->kernel.features / 2);
  for (size_t i = 0; i < count; i++) {
    map->directions[i] = draw_entry(map->kernel.name, map->kernel.gamma, source);
  }
}

/* The first `count` columns of a uniformly random rotation into q (column-major, d × count): the Q
 * of a gaussian matrix, with the signs that make R's diagonal positive. `room` is for 2·count. */
static dperm_status draw_rotation(random_source *source, size_t d, size_t count, double *q,
                                  double *room, dperm_error *err) {
  double *tau = room, *signs = room + count;
  for (size_t i = 0; i < d * count; i++) {
    q[i] = random_normal(source);
  }
  lapack_int n = (lapack_int)d, k = (lapack_int)count;
  if (LAPACKE_dgeqrf(LAPACK_COL_MAJOR, n, k, q, n, tau) != 0) {
    FAIL(err, DPERM_OUT_OF_MEMORY, "out of memory while drawing directions");
  }
  for (size_t j = 0; j < count; j++) {
    signs[j] = q[j * d + j] < 0 ? -1.0 : 1.0;
  }
  if (LAPACKE_dorgqr(LAPACK_COL_MAJOR, n, k, k, q, n, tau) != 0) {
    FAIL(err, DPERM_OUT_OF_MEMORY, "out of memory while drawing directions");
  }
  for (size_t j = 0; j < count; j++) {
    for (size_t i = 0; i < d; i++) {
      q[j * d + i] *= signs[j];
    }
  }
  return DPERM_OK;
}

static double gaussian_length(random_source *source, size_t d) {
  double squares = 0;
  for (size_t i = 0; i < d; i++) {
    double g = random_normal(source);
    squares += g * g;
  }
  return sqrt(squares);
}

/* With one BLAS thread: the directions must not depend on the number of cores. */
static dperm_status draw_orthogonal(feature_map *map, random_source *source, dperm_error *err) {
  dperm_status status = DPERM_OK;
  size_t d = map->inputs, half = map->kernel.features / 2, most = d < half ? d : half;
  double *q = NULL, *room = NULL;
  thread_scope threads = threads_enter(0);
  TRY_OR_DONE(memory_new(d * most, sizeof *q, &q, err));
  TRY_OR_DONE(memory_new(2 * most, sizeof *room, &room, err));
  for (size_t r = 0, used = d; r < half; r++, used++) {
    if (used == d) { /* a rotation has d directions */
      used = 0;
      TRY_OR_DONE(draw_rotation(source, d, half - r < d ? half - r : d, q, room, err));
    }
    double length = sqrt(2 * map->kernel.gamma) * gaussian_length(source, d);
    for (size_t i = 0; i < d; i++) {
      map->directions[i * half + r] = length * q[used * d + i];
    }
  }
done:
  threads_leave(threads);
  free(q);
  free(room);
  return status;
}

dperm_status feature_map_new(const dperm_kernel *kernel, size_t inputs, feature_map **out,
                             dperm_error *err) {
  dperm_status status = DPERM_OK;
  feature_map *map = NULL;
  random_source source;
  TRY(kernel_validate(kernel, inputs, err));
  TRY(random_public(kernel->seed, "features", &source, err));
  TRY(memory_new(1, sizeof *map, &map, err));
  map->kernel = *kernel;
  map->inputs = inputs;
  TRY_OR_DONE(
      memory_new(inputs * (kernel->features / 2), sizeof *map->directions, &map->directions, err));
  if (kernel->name == DPERM_KERNEL_GAUSSIAN && !kernel->independent) {
    TRY_OR_DONE(draw_orthogonal(map, &source, err));
  } else {
    draw_independent(map, &source);
  }
  *out = map;
  return DPERM_OK;
done:
  feature_map_free(map);
  return status;
}

void feature_map_free(feature_map *map) {
  if (map) {
    free(map->directions);
    free(map);
  }
}
