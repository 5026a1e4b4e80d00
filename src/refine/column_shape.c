/* See column_shape.h. */
#include "refine/column_shape.h"

#include <math.h>
#include <stdatomic.h>

#include "base/defect.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "mechanism/selection.h"
#include "schema/auto_bins.h"

enum { UNIT = 256, CURVE_MOST = 250, ROOT = 205, SLOPES = 24, FLAT_STEP = 2, HEIGHTS = 20 };
static const double slope_least = 0.25, slope_ratio = 1.35, slope_steep = 4, height_step = 0.08;

/* What a score of no shape may be: by chance, √n times; by the grid of curves, n times; and by
 * noise that is larger than so many of its scales, once in 40 answers. */
static const double chance = 1.5, grid = 0.012, scales = 3;

/* What bins of declared ranges may lose in the columns that lose most: of so many records the
 * labels, and half of what the column tells that tells most. */
static const double lost_most = 0.08;
enum { LOSING = 3 };

/* The curves rise from −250 to 250 in units of 1/256, in steps of z/32: as z/√(1 + z²) does, which
 * is what many columns leave of the odds in one, or as the mean of that and z/⁴√(1 + z⁴), which is
 * nearly tanh z. From tables, which need nothing but roots, so that all machines agree. */
enum { STEPS = 1024, STEP_PARTS = 32, TABLES = 2 };
typedef int16_t curve_table[STEPS];

static void make_tables(curve_table tables[TABLES]) {
  for (int i = 0; i < STEPS; i++) {
    double z = (i + 0.5) / STEP_PARTS, square = z * z;
    double gentle = z / sqrt(1 + square), tight = z / sqrt(sqrt(1 + square * square));
    tables[0][i] = (int16_t)rint(CURVE_MOST * gentle);
    tables[1][i] = (int16_t)rint(CURVE_MOST * ((gentle + tight) / 2));
  }
}

static double curve_at(const curve_table table, double z) {
  double steps = fabs(z) * STEP_PARTS;
  int16_t height = table[steps < STEPS ? (size_t)steps : STEPS - 1];
  return z < 0 ? -height : height;
}

/* A cell that is not empty: 256 s_c and n_c, whole numbers below 2^53, exactly, and where it is. */
typedef struct label_sum {
  double sum, count, middle;
} label_sum;

/* The fullest first: most curves are out of the question after one or two. Once a curve is as near
 * as `enough` no other is of interest. */
typedef struct label_sums {
  label_sum *at;
  size_t cells;
  double enough;
} label_sums;

static int fuller(const void *a, const void *b) {
  const double x = ((const label_sum *)a)->count, y = ((const label_sum *)b)->count;
  return (x < y) - (x > y);
}

/* Σ |256 s_c ∓ t_c n_c| for a curve and its mirror image, whichever is less; or `least`, once both
 * are more. */
static double misfit(const label_sums *l, const curve_table table, double slope, double offset,
                     double flat, double least) {
  double rising = 0, falling = 0;
  for (size_t c = 0; c < l->cells && (rising < least || falling < least); c++) {
    const label_sum *cell = &l->at[c];
    double t = flat + (slope > 0 ? curve_at(table, slope * (cell->middle - offset)) : 0);
    rising += fabs(cell->sum - t * cell->count);
    falling += fabs(cell->sum + t * cell->count);
  }
  return fmin(fmin(rising, falling), least);
}

/* How far a number is from an interval, given by any two ends. */
static double gap(double number, double end, double other_end) {
  return fmax(0, fmax(fmin(end, other_end) - number, number - fmax(end, other_end)));
}

/* What no curve with an offset between the two is nearer than, or its mirror image, whichever is
 * less; or at least `least`. In each cell the curves are between the two, as all roundings rise. */
static double misfit_within(const label_sums *l, const curve_table table, double slope,
                            double offset, double last, double least) {
  double rising = 0, falling = 0;
  for (size_t c = 0; c < l->cells && (rising < least || falling < least); c++) {
    const label_sum *cell = &l->at[c];
    double t = cell->count * curve_at(table, slope * (cell->middle - offset)),
           u = cell->count * curve_at(table, slope * (cell->middle - last));
    rising += gap(cell->sum, t, u);
    falling += gap(-cell->sum, t, u);
  }
  return fmin(rising, falling);
}

/* Steep and gentle curves through the middles of all cells, halfway between two, beyond the range;
 * and where a step is a matter of few cells, at many heights in each, if they are wanted. */
static double curves_misfit(const label_sums *l, const curve_table table, bool heights,
                            const double *middles, size_t cells, double least) {
  double slope = slope_least;
  for (int k = 0; k < SLOPES && least > l->enough; k++, slope *= slope_ratio) {
    least = misfit(l, table, slope, -1.5, 0, misfit(l, table, slope, 1.5, 0, least));
    for (size_t c = 0; c < cells && least > l->enough; c++) {
      double next = c + 1 < cells ? middles[c + 1] : 1;
      least = misfit(l, table, slope, middles[c], 0, least);
      least = misfit(l, table, slope, (middles[c] + next) / 2, 0, least);
      const double far = HEIGHTS * height_step / slope;
      const bool many =
          heights && slope >= slope_steep &&
          misfit_within(l, table, slope, middles[c] - far, middles[c] + far, least) < least;
      for (int z = 1; many && z <= HEIGHTS; z++) {
        double away = z * height_step / slope;
        least = misfit(l, table, slope, middles[c] - away, 0, least);
        least = misfit(l, table, slope, middles[c] + away, 0, least);
      }
    }
  }
  return least;
}

static double flat_misfit(const label_sums *l) {
  double least = INFINITY;
  for (int level = 0; level <= CURVE_MOST; level += FLAT_STEP) {
    least = misfit(l, NULL, 0, 0, level, least);
  }
  return least;
}

/* Over these and flat ones: a list that no record has any influence on. */
static double least_misfit(const label_sums *l, const double *middles, size_t cells) {
  curve_table tables[TABLES];
  double least = flat_misfit(l);
  make_tables(tables);
  for (int i = 0; i < TABLES; i++) { /* steps are much the same in both */
    least = curves_misfit(l, tables[i], i == 1, middles, cells, least);
  }
  return least;
}

/* The cells that are not empty, of those from, …, to − 1; returns what chance adds to their sum. */
static double collect(const uint64_t *negative, const uint64_t *positive, const double *middles,
                      size_t from, size_t to, label_sums *out) {
  double roots = 0;
  for (size_t c = from; c < to; c++) {
    double count = (double)(negative[c] + positive[c]);
    if (count > 0) {
      out->at[out->cells++] =
          (label_sum){UNIT * ((double)positive[c] - (double)negative[c]), count, middles[c]};
      roots += floor(ROOT * sqrt(count));
    }
  }
  return roots;
}

int64_t shape_score(const uint64_t *negative, const uint64_t *positive, const double *middles,
                    size_t cells, int64_t above, double *room) {
  label_sums l = {(label_sum *)(void *)room, 0, 0};
  const double roots = collect(negative, positive, middles, 0, cells, &l);
  qsort(l.at, l.cells, sizeof *l.at, fuller);
  l.enough = roots + (double)above;
  return (int64_t)(least_misfit(&l, middles, cells) - roots);
}

int64_t flat_score(const uint64_t *negative, const uint64_t *positive, const double *middles,
                   size_t cells, const double *cuts, size_t bins, double *room) {
  double sum = 0;
  for (size_t b = 0, from = 0; b < bins; b++) {
    label_sums l = {(label_sum *)(void *)room, 0, 0};
    size_t to = from;
    while (to < cells && (b + 1 == bins || middles[to] < cuts[b])) {
      to++;
    }
    const double roots = collect(negative, positive, middles, from, to, &l);
    sum += flat_misfit(&l) - roots;
    from = to;
  }
  return (int64_t)sum;
}

/* Where a number is in a column's range, from −1 to 1. */
static double place_in(const schema_column *column, double number) {
  const double low = column_transformed(column, column->min),
               half = column_transformed(column, column->max) / 2 - low / 2;
  return (column_transformed(column, number) - low) / half - 1;
}

/* The middles of its cells. */
static void place_middles(const schema_column *column, const cell_counts *counts, double *middles) {
  for (size_t c = 0; c < counts->cells; c++) {
    double from = c > 0 ? counts->edges[c - 1] : column->min,
           to = c + 1 < counts->cells ? counts->edges[c] : column->max;
    middles[c] = place_in(column, from / 2 + to / 2);
  }
}

/* All columns, side by side. Most are known not to have the largest score after a few curves. */
typedef struct scoring {
  const refine_counts *counts;
  const dperm_schema *wide;
  const record_tally *tally;
  size_t most;    /* cells of a column */
  uint64_t *room; /* 6 × most for each worker */
  _Atomic int64_t largest;
  int64_t *scores;            /* of each column, no less than 0; or NULL */
  const dperm_schema *ranges; /* with the bins of declared ranges, or NULL: */
  int64_t *lost, *told;       /* what each column loses in them, and tells */
} scoring;

static void note_largest(_Atomic int64_t *largest, int64_t score) {
  int64_t before = atomic_load(largest);
  while (score > before && !atomic_compare_exchange_weak(largest, &before, score)) {
  }
}

static void score_ranges(scoring *s, size_t i, const uint64_t *sides, const double *middles,
                         double *room) {
  const cell_counts *column = &s->counts->columns[i];
  const schema_column *wide = &s->wide->columns[column->column],
                      *binned = &s->ranges->columns[column->column];
  const size_t cells = column->cells, bins = column_bins(binned);
  double cuts[AUTO_BINS_MOST]; /* schema_resolve makes no more bins */
  for (size_t b = 0; b + 1 < bins; b++) {
    cuts[b] = place_in(wide, binned->cuts[b]);
  }
  s->lost[i] = flat_score(sides, sides + cells, middles, cells, cuts, bins, room);
  s->told[i] = flat_score(sides, sides + cells, middles, cells, NULL, 1, room);
}

static int larger_first(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x < y) - (x > y);
}

/* The sum of the largest few; of fewer, as much more of each. Sorts what is of each column. */
static void sum_ranges(scoring *s, size_t columns, range_score *out) {
  const size_t few = columns < LOSING ? columns : LOSING;
  int64_t sum = 0;
  qsort(s->lost, columns, sizeof *s->lost, larger_first);
  qsort(s->told, columns, sizeof *s->told, larger_first);
  for (size_t i = 0; i < few; i++) {
    sum += s->lost[i];
  }
  out->lost = few > 0 ? sum * LOSING / (int64_t)few : 0;
  out->told = few > 0 ? s->told[0] : 0;
}

static void score_column(void *context, size_t i, size_t worker) {
  scoring *s = context;
  const cell_counts *column = &s->counts->columns[i];
  const size_t cells = column->cells;
  uint64_t *sides = s->room + worker * 6 * s->most;
  double *middles = (double *)(void *)(sides + 2 * cells);
  memset(sides, 0, 2 * cells * sizeof *sides);
  for (size_t j = 0; j < column->width; j++) {
    sides[column->cell[j]] += tally_side(s->tally, column->first + j, false);
    sides[cells + column->cell[j]] += tally_side(s->tally, column->first + j, true);
  }
  place_middles(&s->wide->columns[column->column], column, middles);
  const int64_t above = s->scores ? 0 : atomic_load(&s->largest);
  int64_t score = shape_score(sides, sides + cells, middles, cells, above, middles + cells);
  if (s->scores) {
    s->scores[i] = score = score > 0 ? score : 0;
  }
  note_largest(&s->largest, score);
  if (s->ranges) {
    score_ranges(s, i, sides, middles, middles + cells);
  }
}

dperm_status shape_statistic(const refine_counts *counts, const dperm_schema *wide,
                             const record_tally *tally, dperm_neighbours neighbours,
                             int64_t *scores, range_score *ranges, exact_sum *out,
                             dperm_error *err) {
  /* Added to a cell, a record moves |256 s − t n| by at most 506 and the root, of 205√n, by 86, or
   * by 205 where the cell was empty and |256 s − t n| can only rise: between −592 and 506. */
  const int64_t added = UNIT + CURVE_MOST + 86, least = UNIT + CURVE_MOST;
  bool adding = neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  OWNED_MEMORY uint64_t *room = NULL;
  OWNED_MEMORY int64_t *flat = NULL;
  scoring s = {.counts = counts,
               .wide = wide,
               .tally = tally,
               .largest = INT64_MIN,
               .scores = scores,
               .ranges = ranges ? ranges->bins : NULL};
  for (size_t i = 0; i < counts->count; i++) {
    s.most = counts->columns[i].cells > s.most ? counts->columns[i].cells : s.most;
  }
  TRY(memory_new(pool_workers() * 6 * s.most, sizeof *room, &room, err));
  TRY(memory_new(2 * counts->count, sizeof *flat, &flat, err));
  s.room = room;
  s.lost = flat;
  s.told = flat + counts->count;
  pool_run(counts->count, score_column, &s);
  *out = (exact_sum){atomic_load(&s.largest), adding ? added : added + least};
  if (ranges) {
    sum_ranges(&s, counts->count, ranges);
  }
  return cancel_check(err);
}

double shape_bar(int64_t reach, size_t rows, double epsilon) {
  const double n = (double)rows, noise = (double)reach / ratio_value(ratio_below(epsilon));
  return floor(UNIT * (chance * sqrt(n) + grid * n) + scales * noise);
}

bool shape_found(const exact_sum *shape, size_t rows, double epsilon, random_source *source) {
  const ratio rate = ratio_below(epsilon);
  const uint64_t reach = (uint64_t)shape->reach / (DEFECT("shape-half") ? 2 : 1);
  wide_signed noise =
      random_discrete_laplace_wide(source, rate.over, (wide_integer)rate.under * reach);
  return shape->value + (DEFECT("shape-bare") ? 0 : noise) >
         (wide_signed)shape_bar(shape->reach, rows, epsilon);
}

/* Three times what is to spare, which a record moves by three times what it moves a score. */
static int64_t ranges_margin(const range_score *ranges, size_t rows) {
  const int64_t few = (int64_t)floor(LOSING * UNIT * lost_most * (double)rows) - ranges->lost,
                half = ranges->told - 2 * ranges->lost / LOSING;
  return few < half ? few : half;
}

bool ranges_found(const range_score *ranges, int64_t reach, size_t rows, double epsilon,
                  random_source *source) {
  const ratio rate = ratio_below(epsilon);
  _Static_assert(LOSING == 3, "what is told, less twice the mean of what is lost, moves by three");
  const uint64_t moved = LOSING * (uint64_t)reach / (DEFECT("ranges-half") ? 2 : 1);
  const wide_signed noise =
      random_discrete_laplace_wide(source, rate.over, (wide_integer)rate.under * moved);
  return ranges_margin(ranges, rows) + noise > 0;
}

bool shape_many(const int64_t *scores, size_t columns, int64_t reach, size_t rows, double epsilon,
                random_source *source) {
  int64_t first = INT64_MIN, second = INT64_MIN;
  for (size_t j = 0; j < columns; j++) {
    second = scores[j] > first ? first : scores[j] > second ? scores[j] : second;
    first = scores[j] > first ? scores[j] : first;
  }
  return shape_found(&(exact_sum){second, reach}, rows, epsilon, source);
}

/* One of the columns that are left, by permute-and-flip; or none, which counts like one whose score
 * is the bar. Returns SIZE_MAX for none. */
static size_t pick_one(const int64_t *scores, size_t columns, int64_t reach, const int64_t *bar,
                       double epsilon, random_source *source, const bool *picked, uint64_t *costs,
                       size_t *space) {
  size_t *of = space, *order = of + columns + 1, count = 0;
  const uint64_t sensitivity = (uint64_t)reach / (DEFECT("pick-half") ? 2 : 1);
  int64_t top = bar ? *bar : INT64_MIN;
  for (size_t j = 0; j < columns; j++) {
    top = !picked[j] && scores[j] > top ? scores[j] : top;
  }
  for (size_t j = 0; j < columns; j++) { /* only differences of costs matter to the choice */
    if (!picked[j]) {
      of[count] = j;
      costs[count++] = (uint64_t)(top - scores[j]);
    }
  }
  if (bar) {
    of[count] = SIZE_MAX;
    costs[count++] = (uint64_t)(top - *bar);
  }
  return of[select_permute_and_flip(source, costs, count, ratio_below(epsilon), sensitivity,
                                    order)];
}

dperm_status shape_pick(const int64_t *scores, size_t columns, int64_t reach, size_t rows,
                        size_t most, double epsilon, random_source *source, bool *picked,
                        dperm_error *err) {
  OWNED_MEMORY uint64_t *costs = NULL;
  OWNED_MEMORY size_t *space = NULL;
  const int64_t bar = (int64_t)shape_bar(reach, rows, epsilon);
  TRY(memory_new(columns + 1, sizeof *costs, &costs, err));
  TRY(memory_new(2 * (columns + 1), sizeof *space, &space, err));
  for (size_t round = 0; round < most && round < columns; round++) {
    const size_t chosen = pick_one(scores, columns, reach, round > 0 ? &bar : NULL, epsilon, source,
                                   picked, costs, space);
    if (chosen == SIZE_MAX) {
      break;
    }
    picked[chosen] = true;
  }
  return DPERM_OK;
}
