/* See interval_sums.h. */
#include "run/interval_sums.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "base/vector.h"
#include "intervals/interval_pairs.h"

enum { PIECE_ROWS = 4 * MATRIX_BLOCK };

typedef struct interval_sums {
  const stage_work *work;
  const interval_law *law;
  interval_stage_id which;
  double *centre; /* of the last stage: the inverse times the means */
  size_t *places; /* of the first stage, of each group */
  uint64_t most;  /* of the second stage: the squares of a record's vector */
  int64_t *sums;  /* of each worker */
  size_t size;
} interval_sums;

/* A record as the stages see it. */
typedef struct interval_record {
  double slope, curvature;
  double *z; /* of each group, 0 where it has no entry; of a block that of */
  size_t *column;
  int64_t *v; /* a constant's, then of each group, as pairs count it */
} interval_record;

static void add(int64_t *sum, double value, double low, double high) {
  *sum += interval_entry(value, interval_ends_of(low, high));
}

static void add_scales(const interval_sums *s, const interval_record *r, int64_t *sums) {
  const interval_design *design = s->law->design;
  const double c = design->curve, a = r->curvature;
  add(&sums[0], a, 0, c);
  for (size_t i = 0; i < design->group_count; i++) {
    const interval_group *g = &design->groups[i];
    const double z = r->z[i];
    int64_t *own = sums + s->places[i];
    if (g->kind == INTERVAL_NUMBER) {
      add(&own[0], a * z, c * g->low, c);
      add(&own[1], a * z * z, 0, c);
    } else if (z != 0) {
      add(&own[r->column[i] - g->first], a * z, 0, c);
    }
  }
}

/* As pairs count it. */
static double place_of(const interval_law *law, const interval_record *r, size_t i) {
  const size_t j = r->column[i];
  const bool block = law->design->groups[i].kind == INTERVAL_BLOCK;
  return (block ? r->z[i] : r->z[i] - law->mean[j]) / law->width[j];
}

/* False, and the record adds nothing, where it is longer than it may be, against all arithmetic. */
static bool set_vector(const interval_sums *s, const interval_record *r) {
  const interval_law *law = s->law;
  const size_t groups = law->design->group_count;
  const double share = r->curvature / law->design->curve;
  double squares = interval_constant * interval_constant;
  for (size_t i = 0; i < groups; i++) {
    const double u = place_of(law, r, i);
    squares += u * u;
  }
  const double size = sqrt(fmin(share, law->squares / squares)),
               by = size * (1 << INTERVAL_ROOT_BITS);
  if (!(size >= 0 && size <= 1)) {
    return false;
  }
  r->v[0] = (int64_t)(by * interval_constant);
  uint64_t sum = (uint64_t)(r->v[0] * r->v[0]);
  for (size_t i = 0; i < groups; i++) {
    r->v[1 + i] = (int64_t)(by * place_of(law, r, i));
    sum += (uint64_t)(r->v[1 + i] * r->v[1 + i]);
  }
  return sum <= s->most;
}

static void add_pairs(const interval_sums *s, const interval_record *r, int64_t *sums) {
  const size_t size = 1 + s->law->d, groups = s->law->design->group_count;
  const int64_t *v = r->v;
  if (!set_vector(s, r)) {
    return;
  }
  sums[0] += v[0] * v[0];
  for (size_t i = 0; i < groups; i++) {
    sums[gram_place(size, 0, 1 + r->column[i])] += v[0] * v[1 + i];
  }
  for (size_t i = 0; i < groups; i++) {
    int64_t *row = sums + gram_place(size, 1 + r->column[i], 0);
    for (size_t k = i; v[1 + i] != 0 && k < groups; k++) {
      row[1 + r->column[k]] += v[1 + i] * v[1 + k];
    }
  }
}

static void add_spread(const interval_sums *s, const interval_record *r, int64_t *sums,
                       double *lever) {
  const interval_law *law = s->law;
  const interval_design *design = law->design;
  const size_t d = law->d;
  const double q = law->spread_most, a = r->curvature,
               low = design->logistic ? -0.125 : -law->omega * design->curve;
  const double more = r->slope * r->slope - law->omega * a;
  memcpy(lever, s->centre, d * sizeof *lever);
  for (size_t i = 0; i < design->group_count; i++) {
    if (r->z[i] != 0) {
      vector_axpy(lever, r->z[i], law->inverse + r->column[i] * d, d);
    }
  }
  for (size_t j = 0; j < d; j++) {
    const double p = fmin(lever[j] * lever[j] / law->inverse[j * d + j], q);
    add(&sums[j], p * more, q * low, q);
    add(&sums[d + j], p * a, 0, q * design->curve);
  }
}

/* Slopes and curvatures of a block of rows, in place of their scores. */
static void turn(const stage_work *w, size_t from, size_t count, double *scores, double *slopes,
                 double *curvatures) {
  const bool residual = loss_is_residual(w->loss);
  for (size_t i = 0; i < count; i++) {
    const double label = w->labels[from + i];
    scores[i] = residual ? scores[i] - label : label * scores[i];
  }
  w->loss->eval(w->loss, count, scores, NULL, slopes, curvatures);
}

static void read_record(const interval_design *design, row_view row, interval_record *r) {
  for (size_t i = 0; i < design->group_count; i++) {
    r->z[i] = 0;
    r->column[i] = design->groups[i].first;
  }
  for (size_t e = 0; e < row.count; e++) {
    const size_t j = row.columns[e];
    if (j < design->columns && row.values[e] != 0) {
      const size_t i = design->group_of[j];
      const interval_group *g = &design->groups[i];
      r->z[i] = fmin(fmax(row.values[e] / g->radius, g->low), 1);
      r->column[i] = j;
    }
  }
}

/* Of a worker: the matrix's, what is made of scores, leverages and a record. */
static size_t worker_room(const dperm_model *model, const matrix *view) {
  return view->work_size + (size_t)3 * MATRIX_BLOCK + 4 * (model->dims + 1);
}

size_t interval_sums_room(const dperm_model *model, const matrix *view) {
  return pool_workers() * worker_room(model, view);
}

static void add_piece(void *context, size_t piece, size_t worker) {
  const interval_sums *s = context;
  const stage_work *w = s->work;
  const matrix *x = w->view;
  const size_t begin = piece * PIECE_ROWS, left = x->rows - begin,
               end = begin + (left < PIECE_ROWS ? left : PIECE_ROWS), dims = w->model->dims;
  double *work = w->room + worker * worker_room(w->model, x), *scores = work + x->work_size,
         *slopes = scores + MATRIX_BLOCK, *curvatures = slopes + MATRIX_BLOCK,
         *lever = curvatures + MATRIX_BLOCK;
  interval_record r = {.z = lever + dims + 1,
                       .column = (size_t *)(lever + 2 * (dims + 1)),
                       .v = (int64_t *)(lever + 3 * (dims + 1))};
  row_view rows[MATRIX_BLOCK];
  int64_t *sums = s->sums + worker * s->size;
  for (size_t from = begin; from < end; from += MATRIX_BLOCK) {
    const size_t count = end - from < MATRIX_BLOCK ? end - from : MATRIX_BLOCK;
    x->kind->apply_rows(x, from, count, w->model->weights, 1, scores, work);
    turn(w, from, count, scores, slopes, curvatures);
    x->kind->views(x, from, count, work, rows);
    for (size_t i = 0; i < count; i++) {
      read_record(s->law->design, rows[i], &r);
      r.slope = slopes[i];
      r.curvature = curvatures[i];
      switch (s->which) {
      case INTERVAL_SCALES:
        add_scales(s, &r, sums);
        break;
      case INTERVAL_PAIRS:
        add_pairs(s, &r, sums);
        break;
      default:
        add_spread(s, &r, sums, lever);
      }
    }
  }
}

/* ---- what a stage needs to know */

static void set_places(interval_sums *s) {
  const interval_design *design = s->law->design;
  size_t at = 1;
  for (size_t i = 0; i < design->group_count; i++) {
    s->places[i] = at;
    at += design->groups[i].kind == INTERVAL_NUMBER ? 2 : design->groups[i].count;
  }
}

static void set_centre(interval_sums *s) {
  const interval_law *law = s->law;
  for (size_t j = 0; j < law->d; j++) {
    s->centre[j] = -vector_dot(law->inverse + j * law->d, law->mean, law->d);
  }
}

/* ---- all of them */

static dperm_status add_all(interval_sums *s, dperm_error *err) {
  const size_t workers = pool_workers();
  pool_run((s->work->view->rows + PIECE_ROWS - 1) / PIECE_ROWS, add_piece, s);
  for (size_t w = 1; w < workers; w++) {
    for (size_t j = 0; j < s->size; j++) {
      s->sums[j] += s->sums[w * s->size + j];
    }
  }
  return ranks_add(s->work->view->spread, cancel_check(err), (uint64_t *)s->sums, s->size, err);
}

dperm_status interval_sums_of(const stage_work *w, const interval_law *law, interval_stage_id which,
                              int64_t *sums, dperm_error *err) {
  const size_t size = interval_released(law->design, which);
  OWNED_MEMORY int64_t *all = NULL;
  OWNED_MEMORY double *centre = NULL;
  OWNED_MEMORY size_t *places = NULL;
  TRY(memory_new(pool_workers() * size, sizeof *all, &all, err));
  TRY(memory_new(law->d, sizeof *centre, &centre, err));
  TRY(memory_new(law->design->group_count, sizeof *places, &places, err));
  const uint64_t most = which == INTERVAL_PAIRS ? interval_pairs_noise(law).most : 0;
  interval_sums s = {w, law, which, centre, places, most, all, size};
  set_places(&s);
  if (which == INTERVAL_SPREAD) {
    set_centre(&s);
  }
  TRY(add_all(&s, err));
  memcpy(sums, all, size * sizeof *sums);
  return DPERM_OK;
}
