/* See column_shape.h. */
#include "refine/column_shape.h"

#include <math.h>

#include "base/defect.h"
#include "base/memory.h"
#include "random/discrete_sampling.h"

enum { UNIT = 256, CURVE_MOST = 250, ROOT = 205, SLOPES = 24, FLAT = 16 };
static const double slope_least = 0.25, slope_ratio = 1.35;

/* What a score of no shape may be: by chance, √n times; by the grid of curves, n times; and by
 * noise that is larger than so many of its scales, once in 40 answers. */
static const double chance = 1.5, grid = 0.03, scales = 3;

/* The curves rise from −250 to 250 in units of 1/256, as z/√(1 + z²) does, in steps of z/32: from a
 * table, which needs nothing but a root, so that all machines agree. */
enum { STEPS = 1024, STEP_PARTS = 32 };

static void make_table(int16_t table[STEPS]) {
  for (int i = 0; i < STEPS; i++) {
    double z = (i + 0.5) / STEP_PARTS;
    table[i] = (int16_t)rint(CURVE_MOST * z / sqrt(1 + z * z));
  }
}

static double curve_at(const int16_t table[STEPS], double z) {
  double steps = fabs(z) * STEP_PARTS;
  int16_t height = table[steps < STEPS ? (size_t)steps : STEPS - 1];
  return z < 0 ? -height : height;
}

/* The cells that are not empty. Whole numbers below 2^53, exactly. */
typedef struct label_sums {
  double *sums, *counts, *middles; /* 256 s_c, n_c, and where c is */
  size_t cells;
} label_sums;

/* Σ |256 s_c ∓ t_c n_c| for a curve and its mirror image, whichever is less; or `least`, once both
 * are more. */
static double misfit(const label_sums *l, const int16_t table[STEPS], double slope, double offset,
                     double flat, double least) {
  double rising = 0, falling = 0;
  for (size_t c = 0; c < l->cells && (rising < least || falling < least); c++) {
    double t = flat + (slope > 0 ? curve_at(table, slope * (l->middles[c] - offset)) : 0);
    rising += fabs(l->sums[c] - t * l->counts[c]);
    falling += fabs(l->sums[c] + t * l->counts[c]);
  }
  return fmin(fmin(rising, falling), least);
}

/* Over flat curves, and steep and gentle ones through the middles of all cells, halfway between
 * two, and beyond the range: a list that no record has any influence on. */
static double least_misfit(const label_sums *l, const double *middles, size_t cells) {
  int16_t table[STEPS];
  double least = INFINITY, slope = slope_least;
  make_table(table);
  for (int level = 0; level <= FLAT; level++) {
    least = misfit(l, table, 0, 0, floor((double)(CURVE_MOST * level) / FLAT), least);
  }
  for (int k = 0; k < SLOPES; k++, slope *= slope_ratio) {
    least = misfit(l, table, slope, -1.5, 0, misfit(l, table, slope, 1.5, 0, least));
    for (size_t c = 0; c < cells; c++) {
      double next = c + 1 < cells ? middles[c + 1] : 1;
      least = misfit(l, table, slope, middles[c], 0, least);
      least = misfit(l, table, slope, (middles[c] + next) / 2, 0, least);
    }
  }
  return least;
}

int64_t shape_score(const uint64_t *negative, const uint64_t *positive, const double *middles,
                    size_t cells, double *room) {
  label_sums l = {room, room + cells, room + 2 * cells, 0};
  double roots = 0;
  for (size_t c = 0; c < cells; c++) {
    double count = (double)(negative[c] + positive[c]);
    if (count > 0) {
      l.sums[l.cells] = UNIT * ((double)positive[c] - (double)negative[c]);
      l.counts[l.cells] = count;
      l.middles[l.cells++] = middles[c];
      roots += floor(ROOT * sqrt(count));
    }
  }
  return (int64_t)(least_misfit(&l, middles, cells) - roots);
}

/* Where the middles of a column's cells are in its range, from −1 to 1. */
static void place_middles(const schema_column *column, const cell_counts *counts, double *middles) {
  const double low = column_transformed(column, column->min),
               half = column_transformed(column, column->max) / 2 - low / 2;
  for (size_t c = 0; c < counts->cells; c++) {
    double from = c > 0 ? counts->edges[c - 1] : column->min,
           to = c + 1 < counts->cells ? counts->edges[c] : column->max;
    middles[c] = (column_transformed(column, from / 2 + to / 2) - low) / half - 1;
  }
}

dperm_status shape_of(const refine_counts *counts, const dperm_schema *wide,
                      const record_tally *tally, dperm_neighbours neighbours, exact_sum *out,
                      dperm_error *err) {
  /* Added to a cell, a record moves |256 s − t n| by at most 506 and the root, of 205√n, by 86, or
   * by 205 where the cell was empty and |256 s − t n| can only rise: between −592 and 506. */
  const int64_t added = UNIT + CURVE_MOST + 86, least = UNIT + CURVE_MOST;
  bool adding = neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  *out = (exact_sum){INT64_MIN, adding ? added : added + least};
  for (size_t i = 0; i < counts->count; i++) {
    const cell_counts *column = &counts->columns[i];
    const size_t cells = column->cells;
    OWNED_MEMORY uint64_t *sides = NULL;
    OWNED_MEMORY double *room = NULL;
    TRY(memory_new(2 * cells, sizeof *sides, &sides, err));
    TRY(memory_new(4 * cells, sizeof *room, &room, err));
    for (size_t j = 0; j < column->width; j++) {
      sides[column->cell[j]] += tally_side(tally, column->first + j, false);
      sides[cells + column->cell[j]] += tally_side(tally, column->first + j, true);
    }
    place_middles(&wide->columns[column->column], column, room + 3 * cells);
    int64_t score = shape_score(sides, sides + cells, room + 3 * cells, cells, room);
    out->value = score > out->value ? score : out->value;
  }
  return DPERM_OK;
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
