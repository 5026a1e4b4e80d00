/* Attacks on noisy counts. Where a count is 1 in the one data set and 0 in the other, a noisy count
 * of at least 1 is e^rate times as likely in the first, and any other as much less. The best
 * outcome of several such counts, whose rates add up to ε, is e^ε times as likely: all of it
 * exactly tight. The score of an outcome counts them. What runs is the library's own.
 *
 * Refinement. One record is in the first category of two columns in the first data set, and in the
 * second category of both in the second, or not there (neighbours add-remove): four counts at a
 * rate of ε/4, or two at ε/2. The schema of cells, encoding, counting and noise run.
 *
 * Private scores. A record that the model gets wrong is in the first data set; in the second it is
 * replaced by one that it gets right, or there is none at all. Replaced: the number of errors moves
 * alone, at a rate of ε, or two of the four counts at ε/2 each. Added: one count of two or four, at
 * ε; the score of an outcome also looks at how many records there seem to be, which may tell no
 * more (docs/proofs/neighbours.md 8). All from the model's margins to the noise runs.
 *
 * Evaluations. The one record has the other class, or is not there: two counts (or one) of units,
 * of steps and of cells move by one, whose rates add up to ε.
 *
 * Evaluations of numbers. The one record's value is far above its label, or almost on it, or it is
 * not there. Most sums move by all that they can; the score of an outcome adds up how much likelier
 * each is in the first data set, given the caps that were found.
 *
 * Intervals. A vector of whole numbers is at one place of its body, or at the opposite one: the
 * norm of what is seen tells how much likelier it is. A record's products are all of the first of
 * two numbers, or of the second: the nuclear norm tells. */
#include <math.h>
#include <string.h>

#include "audit/attack.h"
#include "data/dataset.h"
#include "dperm/score.h"
#include "evaluate/evaluation.h"
#include "evaluate/number_sums.h"
#include "evaluate/score_cells.h"
#include "model/model.h"
#include "random/gram_noise.h"
#include "random/integer_body.h"
#include "random/random_source.h"
#include "refine/refine_counts.h"

/* ---- refinement */

enum { COLUMNS = 2, CATEGORIES = 8 };

static const char schema_text[] =
    "{\"label\": {\"column\": \"y\", \"positive\": [\"1\"], \"negative\": [\"0\"]}, \"columns\": ["
    "{\"name\": \"a\", \"type\": \"categorical\", \"values\": "
    "[\"0\", \"1\", \"2\", \"3\", \"4\", \"5\", \"6\", \"7\"]}, "
    "{\"name\": \"b\", \"type\": \"categorical\", \"values\": "
    "[\"0\", \"1\", \"2\", \"3\", \"4\", \"5\", \"6\", \"7\"]}]}";

typedef struct refine_target {
  guarantee claim;
  refine_counts exact[2]; /* of each data set */
} refine_target;

static void free_counts(refine_target *t) {
  refine_counts_clear(&t->exact[0]);
  refine_counts_clear(&t->exact[1]);
}

/* A data set of one record, which has this category in both columns, or of none. */
static dperm_status count_side(const dperm_schema *wide, const dperm_schema *cells, int side,
                               size_t records, refine_counts *out, dperm_error *err) {
  static const char *const texts[] = {"0", "1"};
  const int32_t code = side, label = 0;
  const dperm_column column = {.codes = &code, .texts = texts, .text_count = 2};
  const dperm_column columns[COLUMNS] = {column, column};
  const dperm_column labels = {.codes = &label, .texts = texts, .text_count = 2};
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  OWNED(record_tally_clear) record_tally tally = {0};
  const refine_numbers numbers = refine_numbers_of(wide, false, 1, 1);
  TRY(dperm_data_from_table(cells, records, columns, &labels, &data, err));
  TRY(refine_counts_new(wide, cells, &numbers, out, err));
  TRY(record_tally_of(data, NULL, 0, NULL, &tally, err));
  refine_counts_add(&tally, out);
  return DPERM_OK;
}

static dperm_status draw_counts(const attack *a, int side, random_source *source, double *score,
                                dperm_error *err) {
  const refine_target *t = a->context;
  const refine_counts *exact = &t->exact[side];
  int64_t counts[COLUMNS][CATEGORIES];
  cell_counts columns[COLUMNS];
  refine_counts noisy = {.count = COLUMNS, .columns = columns};
  for (size_t c = 0; c < COLUMNS; c++) {
    memcpy(counts[c], exact->columns[c].counts, sizeof counts[c]);
    columns[c] = exact->columns[c];
    columns[c].counts = counts[c];
  }
  refine_blur(&noisy, &t->claim, source);
  *score = 0;
  for (size_t c = 0; c < COLUMNS; c++) {
    *score += counts[c][0] >= 1 ? 1 : -1;
    if (t->claim.neighbours == DPERM_NEIGHBOURS_REPLACE) {
      *score += counts[c][1] >= 1 ? -1 : 1;
    }
  }
  return DPERM_OK;
}

dperm_status audit_refine(const dperm_audit_options *options, int neighbours,
                          dperm_audit_result *out, dperm_error *err) {
  const dperm_neighbours whom = (dperm_neighbours)neighbours;
  OWNED(dperm_schema_free_at) dperm_schema *wide = NULL, *cells = NULL;
  OWNED(free_counts)
  refine_target t = {.claim = guarantee_of_histograms(options->epsilon, 1, COLUMNS, whom)};
  TRY(dperm_schema_parse(schema_text, sizeof schema_text - 1, "audit", &wide, err));
  TRY(refine_cell_schema(wide, false, &cells, err));
  for (int side = 0; side < 2; side++) {
    size_t records = side == 1 && whom == DPERM_NEIGHBOURS_ADD_REMOVE ? 0 : 1;
    TRY(count_side(wide, cells, side, records, &t.exact[side], err));
  }
  const attack a = {.context = &t, .usual_draws = 200000, .block = 1024, .draw = draw_counts};
  return attack_run(&a, options, out, err);
}

/* ---- private scores */

typedef struct score_target {
  const dperm_model *model;
  const dperm_data *data[2];
  dperm_score_options how;
} score_target;

/* A model whose weight is positive: it takes x = 1 for the positive class. */
static dperm_status sign_model(dperm_model **out, dperm_error *err) {
  const double x = 1, label = 1;
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  dperm_options options;
  dperm_options_init(&options);
  options.mechanism = DPERM_MECHANISM_NONE;
  options.lambda = 1;
  options.threads = 1;
  TRY(dperm_data_from_dense(1, 1, &x, &label, 1, &data, err));
  return dperm_train(data, &options, out, err);
}

static double score_of(const dperm_private_score *p, const dperm_score_options *how) {
  bool moved = (how->counts ? p->false_positives : p->errors) >= 1;
  if (how->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE) {
    return 2 * moved + (p->errors + p->correct >= 1 || p->rows >= 1);
  }
  return moved - (how->counts && p->true_positives >= 1);
}

static dperm_status draw_score(const attack *a, int side, random_source *source, double *score,
                               dperm_error *err) {
  const score_target *t = a->context;
  dperm_random random = {*source};
  dperm_score_options how = t->how;
  dperm_private_score found;
  how.random = &random;
  dperm_status status = dperm_model_score_private(t->model, t->data[side], &how, &found, err);
  *source = random.source;
  TRY(status);
  *score = score_of(&found, &how);
  return DPERM_OK;
}

dperm_status audit_score(const dperm_audit_options *options, int detail, dperm_audit_result *out,
                         dperm_error *err) {
  bool adding = (detail & SCORE_ADDED) != 0;
  const double x = 1, wrong = -1, right = 1;
  OWNED(dperm_model_free_at) dperm_model *model = NULL;
  OWNED(dperm_data_free_at) dperm_data *first = NULL, *second = NULL;
  TRY(sign_model(&model, err));
  TRY(dperm_data_from_dense(1, 1, &x, &wrong, 1, &first, err));
  TRY(dperm_data_from_dense(adding ? 0 : 1, 1, &x, &right, 1, &second, err));
  score_target t = {.model = model, .data = {first, second}};
  dperm_score_options_init(&t.how);
  t.how.epsilon = options->epsilon;
  t.how.public_model = true;
  t.how.counts = (detail & SCORE_COUNTS) != 0;
  t.how.neighbours = adding ? DPERM_NEIGHBOURS_ADD_REMOVE : DPERM_NEIGHBOURS_REPLACE;
  const attack a = {.context = &t, .usual_draws = 200000, .block = 1024, .draw = draw_score};
  return attack_run(&a, options, out, err);
}

/* ---- evaluations */

typedef struct evaluation_target {
  const dperm_model *model;
  const dperm_data *data[2];
  evaluation_terms terms;
} evaluation_target;

/* The count of a class where the one record's score is: 1 in the data set that has it. */
static bool seems_there(const count_table *t, size_t class, size_t cell) {
  return t->counts[class * t->cells + cell] >= 1;
}

/* Counts of units, steps and cells: those of the first data set's record, against those of the
 * second's, which differs in its class. */
static dperm_status draw_evaluation(const attack *a, int side, random_source *source, double *score,
                                    dperm_error *err) {
  const evaluation_target *t = a->context;
  const size_t step = step_of_score(dperm_model_weights(t->model)[0]);
  OWNED(evaluation_free_at) model_evaluation *e = NULL;
  TRY(evaluation_private(t->model, t->data[side], &t->terms, source, &e, err));
  size_t cell = 0;
  while (cell + 1 < e->table.cells && step_end(step) > e->edges[cell]) {
    cell++;
  }
  /* fourteen sixteenths of epsilon are the cells'; a step never reaches over the end of one */
  const struct {
    const count_table *of;
    size_t cell;
    double weight;
  } looks[] = {{&e->units, step / STEPS_EACH, 1}, {&e->steps, step, 1}, {&e->table, cell, 14}};
  *score = 0;
  for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
    *score += looks[i].weight * seems_there(looks[i].of, 0, looks[i].cell);
    if (t->terms.neighbours == DPERM_NEIGHBOURS_REPLACE) {
      *score -= looks[i].weight * seems_there(looks[i].of, 1, looks[i].cell);
    }
  }
  return DPERM_OK;
}

dperm_status audit_evaluation(const dperm_audit_options *options, int neighbours,
                              dperm_audit_result *out, dperm_error *err) {
  const dperm_neighbours whom = (dperm_neighbours)neighbours;
  const double x = 1, wrong = -1, right = 1;
  OWNED(dperm_model_free_at) dperm_model *model = NULL;
  OWNED(dperm_data_free_at) dperm_data *first = NULL, *second = NULL;
  TRY(sign_model(&model, err));
  TRY(dperm_data_from_dense(1, 1, &x, &wrong, 1, &first, err));
  TRY(dperm_data_from_dense(whom == DPERM_NEIGHBOURS_ADD_REMOVE ? 0 : 1, 1, &x, &right, 1, &second,
                            err));
  evaluation_target t = {model, {first, second}, {options->epsilon, 1, whom}};
  const attack a = {.context = &t, .usual_draws = 8000, .block = 1024, .draw = draw_evaluation};
  return attack_run(&a, options, out, err);
}

/* ---- evaluations of numbers */

typedef struct sums_target {
  const dperm_data *data[2];
  guarantee claim;
} sums_target;

static const double sums_value = 0.9999;

/* What a record with this label adds to each; nothing if there is none. */
static void sums_of(const number_sums *s, double label, bool there, double out[2 + SUMS]) {
  const double far = sums_value - label, own = fmin(fabs(far) / s->caps[0], 1),
               apart = s->center - label, base = fmin(fabs(apart) / s->caps[1], 1);
  const double exact[2 + SUMS] = {[0] = label <= sums_value,
                                  [1] = label > sums_value,
                                  [2 + SUM_OVER] = far > 0 ? own : 0,
                                  [2 + SUM_UNDER] = far > 0 ? 0 : own,
                                  [2 + SUM_SQUARE] = own * own,
                                  [2 + SUM_OVER_SQUARE] = far > 0 ? own * own : 0,
                                  [2 + SUM_FOURTH] = own * own * own * own,
                                  [2 + BASE_OVER] = apart > 0 ? base : 0,
                                  [2 + BASE_UNDER] = apart > 0 ? 0 : base,
                                  [2 + BASE_SQUARE] = base * base};
  for (size_t i = 0; i < 2 + SUMS; i++) {
    out[i] = there ? exact[i] : 0;
  }
}

static dperm_status draw_sums(const attack *a, int side, random_source *source, double *score,
                              dperm_error *err) {
  const sums_target *t = a->context;
  const bool adding = t->claim.neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  number_sums found;
  double first[2 + SUMS], second[2 + SUMS];
  TRY(number_sums_private(t->data[side], &sums_value, 0.5, &t->claim, source, &found, err));
  sums_of(&found, -1, true, first);
  sums_of(&found, 1, !adding, second);
  *score = 0;
  for (size_t i = 0; i < 2 + BASE_SQUARE + 1; i++) {
    const noisy_number *own = i < 2 ? &found.counts[i] : &found.sums[i - 2];
    *score +=
        sqrt(2 / own->variance) * (fabs(own->value - second[i]) - fabs(own->value - first[i]));
  }
  return DPERM_OK;
}

dperm_status audit_sums(const dperm_audit_options *options, int neighbours, dperm_audit_result *out,
                        dperm_error *err) {
  const double x = 1, far = -1, near = 1;
  const evaluation_terms terms = {options->epsilon, 1, (dperm_neighbours)neighbours};
  OWNED(dperm_data_free_at) dperm_data *first = NULL, *second = NULL;
  TRY(dperm_data_from_dense(1, 1, &x, &far, 1, &first, err));
  TRY(dperm_data_from_dense(neighbours == DPERM_NEIGHBOURS_ADD_REMOVE ? 0 : 1, 1, &x, &near, 1,
                            &second, err));
  sums_target t = {.data = {first, second}};
  TRY(evaluation_claim(&terms, &t.claim, err));
  const attack a = {.context = &t, .usual_draws = 20000, .block = 1024, .draw = draw_sums};
  return attack_run(&a, options, out, err);
}

/* ---- vectors with noise in a body */

enum { BODY_ENTRIES = 5 };

typedef struct body_target {
  const integer_body *body;
  int64_t moved[BODY_ENTRIES];
  ratio epsilon;
} body_target;

/* The least whole k for which the vector is in k times the body. */
static double body_norm(const integer_body *body, const int64_t *vector) {
  double norm = 0;
  for (size_t b = 0; b < body->count; b++) {
    const body_block *block = &body->blocks[b];
    double sum = 0;
    for (size_t i = 0; i < block->entries; i++) {
      const double size = fabs((double)*vector++);
      sum = block->ball ? sum + size : fmax(sum, size);
    }
    norm = fmax(norm, ceil(sum / (double)block->side));
  }
  return norm;
}

static dperm_status draw_body(const attack *a, int side, random_source *source, double *score,
                              dperm_error *err) {
  const body_target *t = a->context;
  int64_t seen[BODY_ENTRIES], apart[BODY_ENTRIES];
  TRY(integer_body_draw(t->body, t->epsilon, source, seen, err));
  for (size_t i = 0; i < BODY_ENTRIES; i++) {
    seen[i] += side == 0 ? t->moved[i] : 0;
    apart[i] = seen[i] - t->moved[i];
  }
  *score = body_norm(t->body, seen) - body_norm(t->body, apart);
  return DPERM_OK;
}

/* Two numbers that both move by all they can, and a block in which a record changes its place. */
dperm_status audit_body(const dperm_audit_options *options, int unused, dperm_audit_result *out,
                        dperm_error *err) {
  const uint64_t one = 1 << 20, half = 1 << 19;
  OWNED(integer_body_clear) integer_body body = {0};
  TRY(integer_body_add(&body, 1, one, one, err));
  TRY(integer_body_add(&body, 1, half, half, err));
  TRY(integer_body_add(&body, 3, one, 2 * one, err));
  const body_target t = {&body,
                         {(int64_t)one, (int64_t)half, (int64_t)one, -(int64_t)one, 0},
                         ratio_below(options->epsilon)};
  const attack a = {.context = &t, .usual_draws = 100000, .block = 1024, .draw = draw_body};
  return attack_run(&a, options, out, err);
}

/* ---- products with noise of Wishart matrices */

static double nuclear_norm(double a, double b, double c) {
  const double middle = (a + c) / 2, radius = sqrt((a - c) * (a - c) / 4 + b * b);
  return fabs(middle + radius) + fabs(middle - radius);
}

static dperm_status draw_products(const attack *a, int side, random_source *source, double *score,
                                  dperm_error *err) {
  const gram_noise *g = a->context;
  const double most = (double)g->most;
  int64_t seen[3];
  TRY(gram_noise_draw(g, source, seen, err));
  seen[side == 0 ? 0 : 2] += (int64_t)g->most;
  const double x = (double)seen[0], y = (double)seen[1], z = (double)seen[2];
  *score = nuclear_norm(x, y, z - most) - nuclear_norm(x - most, y, z);
  return DPERM_OK;
}

dperm_status audit_products(const dperm_audit_options *options, int unused, dperm_audit_result *out,
                            dperm_error *err) {
  const gram_noise g = {2, UINT64_C(1) << 30, ratio_below(options->epsilon)};
  const attack a = {.context = &g, .usual_draws = 100000, .block = 1024, .draw = draw_products};
  return attack_run(&a, options, out, err);
}
