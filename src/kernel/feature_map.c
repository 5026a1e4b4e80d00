/* Drawing the directions: ω ~ N(0, 2γI) for the gaussian kernel, independent Cauchy(γ) entries for
 * the laplacian, independent Laplace(γ) entries for the cauchy one (each the kernel's Fourier
 * transform). Orthogonal directions keep each direction's law only where it looks the same from
 * every side, so they are for the gaussian alone. */
#include <math.h>
#include <unistd.h>

#include "base/functions.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/vector.h"
#include "kernel/features.h"
#include "random/random_source.h"

static const char *const kinds[] = {"iid", "orthogonal", "hadamard"};

const char *feature_kind_name(feature_kind kind) {
  return kinds[kind];
}

bool feature_kind_find(const char *name, feature_kind *out) {
  for (int k = 0; k < (int)(sizeof kinds / sizeof *kinds); k++) {
    if (name && strcmp(name, kinds[k]) == 0) {
      *out = (feature_kind)k;
      return true;
    }
  }
  return false;
}

/* Rotations of few columns are drawn by QR: exact, and little of a fit's time. */
feature_kind feature_kind_of_new(const dperm_kernel *kernel, size_t inputs) {
  bool orthogonal = kernel->kind == DPERM_KERNEL_GAUSSIAN && !kernel->independent;
  return !orthogonal                    ? FEATURES_IID
         : inputs < FAST_ROTATION_LEAST ? FEATURES_ORTHOGONAL
                                        : FEATURES_HADAMARD;
}

static bool written_out(feature_kind kind, size_t inputs, size_t count) {
  return kind != FEATURES_HADAMARD || (double)inputs * (double)count <= FEATURES_WRITTEN;
}

double feature_map_bytes(feature_kind kind, size_t inputs, size_t features) {
  size_t count = features / 2;
  double d = (double)inputs, most = (double)count;
  double own = kind == FEATURES_ORTHOGONAL ? 8 * d * fmin(d, most)
               : kind == FEATURES_HADAMARD ? hadamard_bytes(inputs, count)
                                           : 0;
  return own + (written_out(kind, inputs, count) ? 8 * d * most : 0);
}

/* Bytes of the machine; generous where it does not tell. */
static double physical_memory(void) {
  double pages = (double)sysconf(_SC_PHYS_PAGES), size = (double)sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? pages * size : 64e9;
}

dperm_status kernel_validate_numbers(const dperm_kernel *k, dperm_error *err) {
  if (k->kind == DPERM_KERNEL_NONE) {
    return DPERM_OK;
  }
  FAIL_IF(k->kind > DPERM_KERNEL_CAUCHY, err, DPERM_INVALID_ARGUMENT,
          "kernel number %d is none of the three", (int)k->kind);
  FAIL_IF(!(k->gamma > 0 && k->gamma <= 1e100), err, DPERM_INVALID_ARGUMENT,
          "gamma = %g; choose it above 0 and at most 1e100", k->gamma);
  FAIL_IF(k->features == 0 || k->features % 2 != 0, err, DPERM_INVALID_ARGUMENT,
          "%zu features; give an even number from 2", k->features);
  FAIL_IF(k->seed >> 53, err, DPERM_INVALID_ARGUMENT, "the features' seed must be below 2^53");
  return DPERM_OK;
}

dperm_status kernel_validate_kind(const dperm_kernel *k, feature_kind kind, size_t inputs,
                                  dperm_error *err) {
  TRY(kernel_validate_numbers(k, err));
  if (k->kind == DPERM_KERNEL_NONE) {
    return DPERM_OK;
  }
  FAIL_IF(inputs == 0, err, DPERM_INVALID_ARGUMENT,
          "features of no columns; give data with at least one");
  FAIL_IF(kind == FEATURES_HADAMARD && (k->kind != DPERM_KERNEL_GAUSSIAN ||
                                        inputs < FAST_ROTATION_LEAST || inputs > INT32_MAX),
          err, DPERM_INVALID_ARGUMENT,
          "fast rotations are for the gaussian kernel and %d columns or more", FAST_ROTATION_LEAST);
  /* Directions, and a few threads' blocks of rows; D × D matrices only up to the number of columns
   * that the solver factors, which is small. */
  double bytes = feature_map_bytes(kind, inputs, k->features) + 16000.0 * (double)k->features;
  double most = 0.8 * physical_memory();
  FAIL_IF(bytes > most, err, DPERM_INVALID_ARGUMENT,
          "%zu features would take %.0f GB of memory, of %.0f that fit here; give fewer",
          k->features, bytes / 1e9, most / 1e9);
  return DPERM_OK;
}

dperm_status kernel_validate(const dperm_kernel *k, size_t inputs, dperm_error *err) {
  return kernel_validate_kind(k, feature_kind_of_new(k, inputs), inputs, err);
}

/* By the root mean square of an angle ωᵀx of the longest row. (The laplacian kernel's have none,
 * but for a row of a single number half of them are below it.) */
dperm_status kernel_validate_angles(const dperm_kernel *k, const row_bounds *rows,
                                    dperm_error *err) {
  if (k->kind == DPERM_KERNEL_NONE) {
    return DPERM_OK;
  }
  bool gaussian = k->kind == DPERM_KERNEL_GAUSSIAN;
  double size = sqrt(2.0) * rows->norm2 * (gaussian ? sqrt(k->gamma) : k->gamma);
  double share = FEATURES_ANGLE / size;
  FAIL_IF(!(size <= FEATURES_ANGLE), err, DPERM_INVALID_ARGUMENT,
          "gamma = %g is too large for rows of norm up to %g, whose features would be made of "
          "rounding errors; choose it at most about %.2g, or bound the rows more tightly",
          k->gamma, rows->norm2, k->gamma * (gaussian ? share * share : share));
  return DPERM_OK;
}

static double draw_entry(dperm_kernel_kind name, double gamma, random_source *source) {
  if (name == DPERM_KERNEL_LAPLACIAN) {
    double sine = 0, cosine = 0;
    math_sincos(3.141592653589793 * (random_unit(source) - 0.5), &sine, &cosine);
    return gamma * (sine / cosine);
  }
  if (name == DPERM_KERNEL_CAUCHY) {
    double size = gamma * random_exponential(source);
    return random_bits(source) >> 63 ? size : -size;
  }
  return sqrt(2 * gamma) * random_normal(source);
}

static dperm_status draw_independent(feature_map *map, random_source *source,
                                     const dperm_progress *progress, dperm_error *err) {
  size_t count = map->inputs * (map->kernel.features / 2);
  for (size_t i = 0; i < count; i++) {
    if (i % 65536 == 0) {
      TRY(progress_tick(progress, "drawing directions", 0, 0, err));
    }
    map->directions[i] = draw_entry(map->kernel.kind, map->kernel.gamma, source);
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

/* Rows of uniformly random rotations, given the lengths of independent gaussian vectors, which
 * keeps each direction's law and lowers the estimate's variance (Yu et al., 2016). Exact for every
 * number of columns; time grows with the square of their number, or of the directions'. */
static dperm_status draw_orthogonal(feature_map *map, random_source *source,
                                    const dperm_progress *progress, dperm_error *err) {
  size_t d = map->inputs, count = map->kernel.features / 2, most = d < count ? d : count;
  OWNED_MEMORY double *q = NULL, *work = NULL;
  TRY(memory_new(d * most, sizeof *q, &q, err));
  TRY(memory_new(most, sizeof *work, &work, err));
  for (size_t from = 0; from < count; from += d) { /* a rotation has d directions */
    size_t some = count - from < d ? count - from : d;
    for (size_t i = 0; i < d * some; i++) {
      q[i] = random_normal(source);
    }
    householder_rotation(d, some, q, work); /* the Q of a gaussian matrix, R's diagonal positive */
    for (size_t r = 0; r < some; r++) {
      TRY(progress_tick(progress, "drawing directions", 0, 0, err));
      double length = sqrt(2 * map->kernel.gamma) * gaussian_length(source, d);
      for (size_t i = 0; i < d; i++) {
        map->directions[i * count + from + r] = length * q[r * d + i];
      }
    }
  }
  return DPERM_OK;
}

/* The matrix, where public sizes say that it is to be written out: a few directions at a time. */
enum { SIDE_BY_SIDE = 8 };

static dperm_status draw_hadamard(feature_map *map, random_source *source,
                                  const dperm_progress *progress, dperm_error *err) {
  size_t d = map->inputs, count = map->kernel.features / 2;
  OWNED_MEMORY double *made = NULL, *work = NULL;
  TRY(hadamard_directions_new(source, sqrt(2 * map->kernel.gamma), d, count, progress, &map->fast,
                              err));
  if (!map->directions) {
    return DPERM_OK;
  }
  TRY(memory_new(SIDE_BY_SIDE * d, sizeof *made, &made, err));
  TRY(memory_new(hadamard_work_size(d, count), sizeof *work, &work, err));
  for (size_t from = 0; from < count; from += SIDE_BY_SIDE) {
    size_t some = count - from < SIDE_BY_SIDE ? count - from : SIDE_BY_SIDE;
    TRY(progress_tick(progress, "drawing directions", 0, 0, err));
    for (size_t r = 0; r < some; r++) {
      hadamard_direction(map->fast, from + r, made + r * d, work);
    }
    for (size_t i = 0; i < d; i++) {
      for (size_t r = 0; r < some; r++) {
        map->directions[i * count + from + r] = made[r * d + i];
      }
    }
  }
  hadamard_directions_free(TAKE(map->fast));
  return DPERM_OK;
}

dperm_status feature_map_draw(const dperm_kernel *kernel, feature_kind kind, size_t inputs,
                              const dperm_progress *progress, feature_map **out, dperm_error *err) {
  OWNED(feature_map_free_at) feature_map *map = NULL;
  size_t count = kernel->features / 2;
  random_source source;
  TRY(kernel_validate_kind(kernel, kind, inputs, err));
  TRY(random_public(kernel->seed, "features", &source, err));
  TRY(memory_new(1, sizeof *map, &map, err));
  *map = (feature_map){.kernel = *kernel, .kind = kind, .inputs = inputs};
  if (written_out(kind, inputs, count)) {
    TRY(memory_new(inputs * count, sizeof *map->directions, &map->directions, err));
  }
  TRY((kind == FEATURES_ORTHOGONAL ? draw_orthogonal
       : kind == FEATURES_HADAMARD ? draw_hadamard
                                   : draw_independent)(map, &source, progress, err));
  *out = TAKE(map);
  return DPERM_OK;
}

dperm_status feature_map_new(const dperm_kernel *kernel, size_t inputs,
                             const dperm_progress *progress, feature_map **out, dperm_error *err) {
  return feature_map_draw(kernel, feature_kind_of_new(kernel, inputs), inputs, progress, out, err);
}

void feature_map_free(feature_map *map) {
  if (map) {
    hadamard_directions_free(map->fast);
    free(map->directions);
    free(map);
  }
}
