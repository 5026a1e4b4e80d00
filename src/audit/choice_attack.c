/* Attacks on what chooses among candidates.
 *
 * Selectors. Permute-and-flip with counts (1, 1) and (0, 2) takes the second candidate with
 * probability ½ and ½e^−ε: exactly tight. The exponential mechanism comes as close as one likes
 * where the second candidate is far behind, k against k + 2, k about 8/ε: then it is chosen once in
 * e⁴.
 *
 * Lines or bins. The score that decides it is at its bar for the one data set, and its reach below
 * for the other (asked_records_test.c shows that no record moves it farther): the bit is set with
 * probability ½ and ½e^−ε, tight. So is the bit that says whether ranges suffice.
 *
 * The weight of numbers. Of two records one is of the second length; the other is longer than all
 * lengths, or shorter, or not there. Then the first weight costs nothing or most, and all but the
 * second the other way round: the first is chosen nearly e^ε times as often.
 *
 * The width of labels. Of 1,000 labels nine tenths and one lie within the first width and nine
 * tenths within all others: the first costs one record and the others nothing. With one label less
 * in each it is the other way round, but for the second. Where a record is added it lies apart.
 *
 * Temperatures. The record has scores so close together that every probability is next to 1/k at
 * every temperature of the grid: if its class has the one largest score it adds 1 − 1/k to all
 * sums, if the one smallest it takes as much. The other records leave all sums but the last as far
 * above zero as the last is below, handicaps counted. Then the last is chosen once in 33 draws;
 * where the record is replaced all the others come nearer to zero and the last moves away, and it
 * is chosen e^−ε times as often: tight, up to 1/k.
 *
 * Pairs. The record is in one cell of the first pair, and its residual makes that cell's sum longer
 * and the second pair's shorter; replaced, it is in another, the other way round. With the record
 * both pairs are alike, and then the first is behind by as much as one record can: it is chosen
 * half as often, e^−ε times. That all sums of its table are on the record's side of what they are
 * is e^−ε times as probable, too, for what the table has of ε: tight.
 *
 * Tuning. A record's place in the random order decides which portion it is in, so an attack on the
 * whole cannot be tight: with m + 1 portions the record touches the released model with probability
 * 1/(m+1). Split: seven candidates, all alike, on portions of ten rows; a learner that believed it
 * had all n rows would use (m + 1)-fold ε, and that shows through the dilution from ε = 1 on.
 * Random stopping: rows so short that they push no weight, but are counted as errors by its sign:
 * the holdout favours positive weights. A negative one is released if every round was negative, and
 * the record moves the odds of that as well as the weight itself. */
#include <math.h>

#include "audit/attack.h"
#include "base/memory.h"
#include "dperm/tune.h"
#include "mechanism/pair_table.h"
#include "mechanism/selection.h"
#include "mechanism/temperature.h"
#include "model/model.h"
#include "random/random_source.h"
#include "refine/column_shape.h"
#include "refine/label_width.h"
#include "refine/number_scale.h"

/* ---- selectors */

/* Two candidates. One record moves an error from the second candidate to the first. */
typedef struct selector_target {
  dperm_selector selector;
  ratio epsilon;
  uint64_t errors[2][2]; /* of each data set, of each candidate */
} selector_target;

static dperm_status draw_selected(const attack *a, int side, random_source *source, double *score,
                                  dperm_error *err) {
  const selector_target *t = a->context;
  size_t order[2];
  size_t chosen = t->selector == DPERM_SELECTOR_EXPONENTIAL
                      ? select_exponential(source, t->errors[side], 2, t->epsilon, 1)
                      : select_permute_and_flip(source, t->errors[side], 2, t->epsilon, 1, order);
  *score = chosen == 1 ? 1 : 0;
  return DPERM_OK;
}

dperm_status audit_selector(const dperm_audit_options *options, int selector,
                            dperm_audit_result *out, dperm_error *err) {
  bool exponential = selector == DPERM_SELECTOR_EXPONENTIAL;
  size_t behind = exponential ? 2 + (size_t)ceil(8 / options->epsilon) : 2;
  const selector_target target = {.selector = (dperm_selector)selector,
                                  .epsilon = ratio_below(options->epsilon),
                                  .errors = {{1, behind - 1}, {0, behind}}};
  const attack a = {
      .context = &target, .usual_draws = 400000, .block = 4096, .draw = draw_selected};
  return attack_run(&a, options, out, err);
}

/* ---- lines or bins, of a sample */

enum { REACH = 1 << 20, ASKED_AMONG = 1 << 18 };

typedef struct shape_target {
  exact_sum exact[2]; /* of each data set; the second's also where the record is not asked */
  record_sample sample;
  double epsilon;
} shape_target;

static dperm_status draw_shape(const attack *a, int side, random_source *source, double *score,
                               dperm_error *err) {
  const shape_target *t = a->context;
  OWNED_MEMORY size_t *drawn = NULL;
  size_t asked = 0;
  TRY(record_sample_draw(&t->sample, 1, source, &drawn, &asked, err));
  *score = shape_found(&t->exact[asked ? side : 1], 0, t->epsilon, source);
  return DPERM_OK;
}

dperm_status audit_bins(const dperm_audit_options *options, int unused, dperm_audit_result *out,
                        dperm_error *err) {
  shape_target t = {.sample = record_sample_for(ASKED_AMONG, options->epsilon)};
  t.epsilon = sample_epsilon(&t.sample, options->epsilon);
  const int64_t bar = (int64_t)shape_bar(REACH, 0, t.epsilon);
  t.exact[0] = (exact_sum){bar + 1, REACH};
  t.exact[1] = (exact_sum){bar + 1 - REACH, REACH};
  const attack a = {.context = &t, .usual_draws = 200000, .block = 1024, .draw = draw_shape};
  return attack_run(&a, options, out, err);
}

/* ---- whether ranges suffice: what three columns lose is a reach less, what is told a reach more
 */

typedef struct range_target {
  range_score scores[2];
  double epsilon;
} range_target;

static dperm_status draw_ranges(const attack *a, int side, random_source *source, double *score,
                                dperm_error *err) {
  const range_target *t = a->context;
  *score = ranges_found(&t->scores[side], REACH, 0, t->epsilon, source);
  return DPERM_OK;
}

dperm_status audit_ranges(const dperm_audit_options *options, int unused, dperm_audit_result *out,
                          dperm_error *err) {
  const int64_t lost = -INT64_C(24) * REACH, told = 2 * lost / 3 + 1;
  const range_target t = {
      .scores = {{NULL, lost, told}, {NULL, lost + INT64_C(3) * REACH, told - REACH}},
      .epsilon = options->epsilon};
  const attack a = {.context = &t, .usual_draws = 200000, .block = 1024, .draw = draw_ranges};
  return attack_run(&a, options, out, err);
}

/* ---- which columns have a shape: two that are alike, or the first is behind by two reaches */

typedef struct column_target {
  int64_t scores[2][2];
  double epsilon;
} column_target;

static dperm_status draw_column(const attack *a, int side, random_source *source, double *score,
                                dperm_error *err) {
  const column_target *t = a->context;
  bool picked[2] = {false, false};
  TRY(shape_pick(t->scores[side], 2, REACH, 0, 1, t->epsilon, source, picked, err));
  *score = picked[0];
  return DPERM_OK;
}

dperm_status audit_columns(const dperm_audit_options *options, int unused, dperm_audit_result *out,
                           dperm_error *err) {
  const int64_t far = INT64_C(8) * REACH;
  const column_target t = {.scores = {{far, far}, {far - REACH, far + REACH}},
                           .epsilon = options->epsilon};
  const attack a = {.context = &t, .usual_draws = 200000, .block = 1024, .draw = draw_column};
  return attack_run(&a, options, out, err);
}

/* ---- the weight of numbers, and the width of labels */

/* Where rising numbers of records cross a share of all. */
typedef struct crossing_target {
  uint64_t counts[2][LENGTHS];
  size_t rows[2];
  unsigned parts;
  dperm_neighbours neighbours;
  double epsilon;
} crossing_target;

static dperm_status draw_crossing(const attack *a, int side, random_source *source, double *score,
                                  dperm_error *err) {
  const crossing_target *t = a->context;
  *score = select_crossing(source, t->counts[side], LENGTHS, t->rows[side],
                           (share_of_all){1, t->parts}, t->neighbours, t->epsilon) == 0;
  return DPERM_OK;
}

static dperm_status audit_crossing(crossing_target *t, int neighbours,
                                   const dperm_audit_options *options, dperm_audit_result *out,
                                   dperm_error *err) {
  const attack a = {.context = t, .usual_draws = 200000, .block = 4096, .draw = draw_crossing};
  t->neighbours = (dperm_neighbours)neighbours;
  t->epsilon = options->epsilon;
  return attack_run(&a, options, out, err);
}

dperm_status audit_scale(const dperm_audit_options *options, int neighbours,
                         dperm_audit_result *out, dperm_error *err) {
  const bool adding = neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  crossing_target t = {.rows = {2, adding ? 1 : 2}, .parts = SCALE_PARTS};
  for (size_t i = 0; i < LENGTHS; i++) {
    t.counts[1][i] = i > 0;
    t.counts[0][i] = t.counts[1][i] + 1;
  }
  return audit_crossing(&t, neighbours, options, out, err);
}

dperm_status audit_width(const dperm_audit_options *options, int neighbours,
                         dperm_audit_result *out, dperm_error *err) {
  const bool adding = neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  crossing_target t = {.rows = {1000, adding ? 999 : 1000}, .parts = LABEL_PARTS};
  for (size_t i = 0; i < LENGTHS; i++) {
    t.counts[0][i] = i > 0 ? 101 : 100;
    t.counts[1][i] = t.counts[0][i] - 1;
  }
  return audit_crossing(&t, neighbours, options, out, err);
}

/* ---- temperatures */

enum { MANY = 500, APART = 4 * TEMPERATURE_UNIT };

typedef struct temperature_target {
  dperm_neighbours neighbours;
  double epsilon;
  int64_t sums[2][TEMPERATURES];
} temperature_target;

static dperm_status draw_temperature(const attack *a, int side, random_source *source,
                                     double *score, dperm_error *err) {
  const temperature_target *t = a->context;
  size_t chosen = temperature_choose(source, t->sums[side], t->neighbours, t->epsilon);
  *score = chosen == TEMPERATURES - 1 ? 1 : 0;
  return DPERM_OK;
}

/* What the record adds if its class has the largest score, or the smallest. */
static dperm_status add_record(bool largest, int64_t sums[TEMPERATURES], dperm_error *err) {
  const double label = 0;
  double scores[MANY] = {largest ? 1e-6 : -1e-6};
  OWNED_MEMORY double *room = NULL;
  TRY(memory_new(temperature_room(MANY), sizeof *room, &room, err));
  temperature_add(MANY, 1, scores, &label, NULL, room, sums);
  return DPERM_OK;
}

dperm_status audit_temperature(const dperm_audit_options *options, int neighbours,
                               dperm_audit_result *out, dperm_error *err) {
  temperature_target t = {.neighbours = (dperm_neighbours)neighbours, .epsilon = options->epsilon};
  TRY(add_record(true, t.sums[0], err));
  if (neighbours == DPERM_NEIGHBOURS_REPLACE) { /* else it is not there */
    TRY(add_record(false, t.sums[1], err));
  }
  const size_t last = TEMPERATURES - 1;
  for (size_t j = 0; j < TEMPERATURES; j++) {
    uint64_t far = APART + temperature_handicap(last, t.neighbours, t.epsilon) -
                   temperature_handicap(j, t.neighbours, t.epsilon);
    int64_t others = (j < last ? (int64_t)far : -(int64_t)far) - t.sums[0][j];
    t.sums[0][j] += others;
    t.sums[1][j] += others;
  }
  const attack a = {.context = &t, .usual_draws = 400000, .block = 4096, .draw = draw_temperature};
  return attack_run(&a, options, out, err);
}

/* ---- pairs */

enum { FAR = 64 * PAIR_SLOPE };

typedef struct pair_target {
  dperm_neighbours neighbours;
  double choice, table;
  int64_t slopes[2][2 * PAIR_CELLS]; /* of each data set, of two pairs; */
  int64_t curvatures[2][PAIR_CELLS]; /* of the first */
} pair_target;

static dperm_status draw_pair(const attack *a, int side, random_source *source, double *score,
                              dperm_error *err) {
  const pair_target *t = a->context;
  uint64_t costs[2];
  size_t order[2],
      chosen = pair_choose(source, t->slopes[side], 2, t->neighbours, t->choice, costs, order);
  cell_sums sums;
  memcpy(sums.slope, t->slopes[side], sizeof sums.slope);
  memcpy(sums.curvature, t->curvatures[side], sizeof sums.curvature);
  pair_blur(source, &sums, t->neighbours, t->table);
  const int64_t *slopes = t->slopes[0], *curvatures = t->curvatures[0];
  *score = chosen == 0 && sums.slope[0] <= slopes[0] && sums.curvature[0] >= curvatures[0] &&
           (t->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE ||
            (sums.slope[1] >= slopes[1] && sums.curvature[1] <= curvatures[1]));
  return DPERM_OK;
}

/* A record whose residual is −1, in this cell of both pairs. */
static void put_record(pair_target *t, int side, size_t cell) {
  t->slopes[side][cell] -= PAIR_SLOPE;
  t->slopes[side][PAIR_CELLS + cell] -= PAIR_SLOPE;
  t->curvatures[side][cell] += PAIR_CURVATURE;
}

dperm_status audit_pairs(const dperm_audit_options *options, int neighbours,
                         dperm_audit_result *out, dperm_error *err) {
  pair_target t = {.neighbours = (dperm_neighbours)neighbours,
                   .choice = pair_choice_share(options->epsilon)};
  t.table = epsilon_rest(options->epsilon, t.choice);
  for (int side = 0; side < 2; side++) { /* with the record, both pairs are alike */
    int64_t *first = t.slopes[side], *second = first + PAIR_CELLS;
    first[0] = -FAR + PAIR_SLOPE;
    second[0] = FAR + PAIR_SLOPE;
    first[1] = FAR;
    second[1] = -FAR;
  }
  put_record(&t, 0, 0);
  if (neighbours == DPERM_NEIGHBOURS_REPLACE) { /* else it is not there */
    put_record(&t, 1, 1);
  }
  const attack a = {.context = &t, .usual_draws = 400000, .block = 4096, .draw = draw_pair};
  return attack_run(&a, options, out, err);
}

/* ---- tuning */

enum { SPLIT_CANDIDATES = 7, STOPPING_CANDIDATES = 2, PORTION = 10, TUNING_ROWS = 100 };

typedef struct tune_target {
  const dperm_data *data[2];
  dperm_options candidates[SPLIT_CANDIDATES];
  size_t count;
  dperm_tune_options how;
} tune_target;

/* One record of norm 1 and either label; the others are next to nothing, or nothing at all. */
static dperm_status tuning_data(size_t rows, double others, int side, dperm_data **out,
                                dperm_error *err) {
  double x[TUNING_ROWS], labels[TUNING_ROWS];
  size_t starts[TUNING_ROWS + 1] = {0};
  const uint32_t columns[TUNING_ROWS] = {0};
  for (size_t i = 0; i < rows; i++) {
    x[i] = i == 0 ? 1 : others;
    labels[i] = i == 0 && side == 0 ? -1 : 1;
    starts[i + 1] = starts[i] + (x[i] != 0);
  }
  return dperm_data_from_csr(rows, 1, starts, columns, x, labels, 1, out, err);
}

/* The first data set pushes the weight down, and negative weights speak for it. */
static dperm_status draw_tuned(const attack *a, int side, random_source *source, double *score,
                               dperm_error *err) {
  const tune_target *t = a->context;
  dperm_options candidates[SPLIT_CANDIDATES];
  dperm_random random = {*source};
  OWNED(dperm_model_free_at) dperm_model *model = NULL;
  for (size_t i = 0; i < t->count; i++) {
    candidates[i] = t->candidates[i];
    candidates[i].random = &random;
  }
  dperm_status status = dperm_tune(t->data[side], candidates, t->count, &t->how, &model, err);
  *source = random.source;
  TRY(status);
  *score = -model->weights[0];
  return DPERM_OK;
}

dperm_status audit_tuning(const dperm_audit_options *options, int how, dperm_audit_result *out,
                          dperm_error *err) {
  bool split = how == SPLIT;
  size_t rows = split ? (SPLIT_CANDIDATES + 1) * PORTION : TUNING_ROWS;
  double fitted = split ? PORTION : 0.9 * TUNING_ROWS, others = split ? 0 : 1e-6;
  OWNED(dperm_data_free_at) dperm_data *first = NULL, *second = NULL;
  TRY(tuning_data(rows, others, 0, &first, err));
  TRY(tuning_data(rows, others, 1, &second, err));
  tune_target t = {.data = {first, second},
                   .count = split ? SPLIT_CANDIDATES : STOPPING_CANDIDATES};
  for (size_t i = 0; i < t.count; i++) {
    dperm_options *o = &t.candidates[i];
    dperm_options_init(o);
    TRY(dperm_loss_huber(0.5, &o->loss, err));
    o->mechanism = DPERM_MECHANISM_OUTPUT;
    o->epsilon = options->epsilon;
    o->lambda = 4 / fitted; /* λ = 4, as for fits alone */
    o->threads = 1;
  }
  dperm_tune_options_init(&t.how);
  t.how.method = split ? DPERM_TUNE_SPLIT : DPERM_TUNE_STOPPING;
  t.how.rounds = split ? DPERM_ROUNDS_LOGARITHMIC : (dperm_rounds)how;
  const attack a = {.context = &t, .usual_draws = 20000, .block = 64, .draw = draw_tuned};
  return attack_run(&a, options, out, err);
}
