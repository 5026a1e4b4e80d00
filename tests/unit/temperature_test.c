/* The temperature of probabilities: what records add to its sums and how far one can move them
 * (docs/proofs/calibration.md), the choice, and models that have one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "dperm/score.h"
#include "dperm/sweep.h"
#include "dperm/tune.h"
#include "mechanism/temperature.h"
#include "model/model_file.h"
#include "run/stage.h"
#include "support.h"
#include "thread_ranks.h"
#include "written_models.h"

/* ---- sums */

enum { MOST = 40, SOME = TEMPERATURE_ROWS };

static void sums_of(size_t classes, size_t rows, const double *scores, const double *labels,
                    const double *shares, int64_t sums[TEMPERATURES]) {
  OWNED_MEMORY double *room = malloc(temperature_room(classes) * sizeof *room);
  assert_non_null(room);
  memset(sums, 0, TEMPERATURES * sizeof *sums);
  temperature_add(classes, rows, scores, labels, shares, room, sums);
}

TEST(the_grid_has_quarter_octaves) {
  assert_true(temperature_at(0) == 0.25 && temperature_at(8) == 1 && temperature_at(32) == 64);
  for (size_t j = 0; j < TEMPERATURES; j++) {
    assert_close(log2(temperature_at(j)) * 4, (double)j + TEMPERATURE_FIRST, 1e-13);
  }
}

/* Against the definition, in long doubles. */
TEST(a_record_adds_its_excess) {
  const double scores[] = {0.3, -1.2, 2, 0.1}, label = 2, score = -0.7, up = 1;
  int64_t sums[TEMPERATURES], two[TEMPERATURES];
  sums_of(4, 1, scores, &label, NULL, sums);
  sums_of(2, 1, &score, &up, NULL, two);
  for (size_t j = 0; j < TEMPERATURES; j++) {
    long double b = powl(2, ((long double)j - 8) / 4), sum = 0, mean = 0;
    for (int c = 0; c < 4; c++) {
      sum += expl(b * (long double)scores[c]);
    }
    for (int c = 0; c < 4; c++) {
      mean += (long double)scores[c] * expl(b * (long double)scores[c]) / sum;
    }
    assert_close((double)sums[j], (double)((2 - mean) / 3.2L * 1024), 0.5 + 1e-9);
    assert_close((double)two[j], (double)(-1024 * expl(0.7L * b) / (1 + expl(0.7L * b))),
                 0.5 + 1e-9);
  }
}

static double any_score(random_source *r) {
  static const double odd[] = {0, -0.0, 1e-310, 1e300, -1e308, 1.7e308, INFINITY, -INFINITY, NAN};
  double size = ldexp(1, (int)random_below(r, 30) - 20);
  return random_below(r, 8) ? size * (random_unit(r) - 0.5) : odd[random_below(r, 9)];
}

/* What a record adds is at most 2^10 whatever its scores are, falls with b, and is the same beside
 * other records, at any place: so one record moves a sum by as much, or twice that if replaced. */
TEST(a_record_moves_sums_by_its_own_alone) {
  random_source r = seeded(21);
  for (size_t round = 0; round < repetitions(300, 20000); round++) {
    size_t classes = 2 + (size_t)random_below(&r, MOST - 1), fits = classes > 2 ? classes : 1;
    size_t rows = 1 + (size_t)random_below(&r, SOME), place = (size_t)random_below(&r, rows);
    double *scores = calloc(rows * fits, sizeof *scores), labels[SOME], shares[SOME];
    int64_t all[TEMPERATURES], less[TEMPERATURES], own[TEMPERATURES];
    assert_non_null(scores);
    for (size_t i = 0; i < rows; i++) {
      double label = (double)random_below(&r, classes);
      labels[i] = classes > 2 ? label : 2 * label - 1;
      shares[i] = random_below(&r, 2) ? 1 : random_unit(&r);
      for (size_t c = 0; c < fits; c++) {
        scores[i * fits + c] = any_score(&r);
      }
    }
    sums_of(classes, rows, scores, labels, shares, all);
    sums_of(classes, 1, scores + place * fits, &labels[place], &shares[place], own);
    memmove(scores + place * fits, scores + (place + 1) * fits,
            (rows - place - 1) * fits * sizeof *scores);
    memmove(labels + place, labels + place + 1, (rows - place - 1) * sizeof *labels);
    memmove(shares + place, shares + place + 1, (rows - place - 1) * sizeof *shares);
    sums_of(classes, rows - 1, scores, labels, shares, less);
    for (size_t j = 0; j < TEMPERATURES; j++) {
      assert_true(all[j] - less[j] == own[j]);
      assert_true(own[j] <= TEMPERATURE_UNIT && own[j] >= -TEMPERATURE_UNIT);
      assert_true(j == 0 || own[j] <= own[j - 1]);
    }
    free(scores);
  }
}

/* Far from zero but at one place, that one is chosen; where all are alike one near b = 1, each with
 * probability e^(−½) for a step from there at most. (6600 choices; 42 on average are 12 or more
 * steps away, and more than 150 once in 1e-30.) */
TEST(the_choice_is_where_the_sum_is_least) {
  random_source r;
  size_t counts[TEMPERATURES] = {0};
  assert_ok(random_seeded(22, &r, err));
  for (size_t j = 0; j < TEMPERATURES; j++) {
    int64_t sums[TEMPERATURES], flat[TEMPERATURES];
    for (size_t i = 0; i < TEMPERATURES; i++) {
      sums[i] = i < j ? 1 << 30 : i > j ? -(1 << 30) : 17;
      flat[i] = i < j ? 50 : -50;
    }
    assert_true(temperature_choose(&r, sums, DPERM_NEIGHBOURS_REPLACE, 0.01) == j);
    for (int k = 0; k < 200; k++) {
      counts[temperature_choose(&r, flat, DPERM_NEIGHBOURS_ADD_REMOVE, 1)]++;
    }
  }
  size_t far = 0;
  for (size_t j = 20; j < TEMPERATURES; j++) {
    far += counts[j];
  }
  assert_true(far < 150 && counts[8] > counts[12] && counts[12] > counts[17]);
}

/* ---- models */

enum { ROWS = 4000 };

/* Classes on a circle, a fifth of them wrong; two, or three. */
static dperm_data *circle(size_t classes) {
  static double x[ROWS * 2];
  static uint32_t labels[ROWS];
  dperm_data *data = NULL;
  random_source r = seeded(23);
  for (size_t i = 0; i < ROWS; i++) {
    size_t kind = (size_t)random_below(&r, classes);
    double angle = 2 * 3.14159265 * ((double)kind + 0.3 * random_unit(&r)) / (double)classes;
    x[2 * i] = 0.7 * cos(angle);
    x[2 * i + 1] = 0.7 * sin(angle);
    kind = random_below(&r, 5) ? kind : (size_t)random_below(&r, classes);
    labels[i] = (uint32_t)kind;
  }
  assert_ok(dperm_data_from_dense(ROWS, 2, x, NULL, 1, &data, err));
  assert_ok(dperm_data_label(data, labels, classes, NULL, err));
  return data;
}

static dperm_options asking(double calibrate) {
  dperm_options o = options_for(4);
  o.lambda = 0.5; /* scores that are far too small */
  o.threads = 1;
  o.calibrate = calibrate;
  return o;
}

TEST(probabilities_become_right) {
  for (size_t classes = 2; classes <= 3; classes++) {
    auto_data *data = circle(classes);
    auto_model *plain = NULL, *sharp = NULL;
    dperm_metrics before, after;
    dperm_options without = asking(0), with = asking(0.25);
    assert_ok(dperm_random_seeded(classes, &without.random, err));
    with.random = without.random;
    assert_ok(dperm_train(data, &without, &plain, err));
    assert_ok(dperm_train(data, &with, &sharp, err));
    assert_ok(dperm_model_score(plain, data, &before, err));
    assert_ok(dperm_model_score(sharp, data, &after, err));
    assert_true(plain->inverse_temperature == 1);
    assert_true(sharp->inverse_temperature > 2);
    assert_true(after.log_loss < 0.9 * before.log_loss);
    assert_true(fabs(after.error_rate - before.error_rate) < 0.05);
    dperm_random_free(with.random);
  }
}

/* Shares add up to epsilon, for one record and for a person, with a delta and without. */
TEST(the_claim_counts_the_choice) {
  auto_data *data = circle(3);
  for (int i = 0; i < 8; i++) {
    auto_model *model = NULL;
    dperm_options o = asking(0.3);
    o.rows_per_person = i & 1 ? 3 : 1;
    o.neighbours = i & 2 ? DPERM_NEIGHBOURS_ADD_REMOVE : DPERM_NEIGHBOURS_REPLACE;
    o.rows_about = i & 2 ? 3000 : 0;
    o.noise = i & 4 ? DPERM_NOISE_GAUSSIAN : DPERM_NOISE_AUTO;
    o.delta = i & 4 ? 1e-6 : 0;
    assert_ok(dperm_train(data, &o, &model, err));
    const guarantee *g = &model->claim;
    assert_true(g->epsilon == 4 && g->epsilon_charged == 4 &&
                g->shares[SHARE_CALIBRATION] == 0.3 * 4);
    assert_true(g->epsilon_row * (double)o.rows_per_person + g->shares[SHARE_CALIBRATION] <= 4);
    assert_close(g->epsilon_row * (double)o.rows_per_person, 2.8, 1e-12);
  }
}

TEST(models_are_read_as_they_were_written) {
  auto_data *data = circle(2);
  auto_model *model = NULL, *back = NULL;
  dperm_options o = asking(0.25);
  size_t length = 0;
  assert_ok(dperm_train(data, &o, &model, err));
  OWNED_MEMORY char *text = model_text(model, &length);
  assert_ok(model_read_bytes(text, length, &back, err));
  assert_true(back->inverse_temperature == model->inverse_temperature);
  assert_true(back->claim.shares[SHARE_CALIBRATION] == 1);
}

/* Each of the section's members, edited, with a digest that fits. */
TEST(a_number_off_the_grid_is_refused) {
  static const char *const edits[] = {"{\"inverse_temperature\": 3.0}",
                                      "{\"quarter_octaves\": 25}",
                                      "{\"quarter_octaves\": -9}",
                                      "{\"quarter_octaves\": 4.5}",
                                      "{\"grid\": [-8, 25]}",
                                      "{\"grid\": [-8, 24, 0]}",
                                      "{\"epsilon\": 0}",
                                      "{\"epsilon\": 4.5}",
                                      "{\"epsilon\": \"1\"}",
                                      "{\"inverse_temperature\": null}"};
  auto_data *data = circle(2);
  dperm_model *model = NULL, *back = NULL;
  dperm_options o = asking(0.25);
  size_t length = 0;
  char digest[DIGEST_TEXT_SIZE];
  assert_ok(dperm_train(data, &o, &model, err));
  OWNED_MEMORY char *text = model_text(model, &length);
  for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
    json_auto_t *root = json_loadb(text, length, 0, NULL), *edit = json_loads(edits[i], 0, NULL);
    assert_int_equal(json_object_update(json_object_get(root, "calibration"), edit), 0);
    assert_ok(model_digest(root, digest, err));
    (void)json_object_set_new(root, "digest", json_string(digest));
    OWNED_MEMORY char *edited = json_dumps(root, JSON_REAL_PRECISION(17));
    assert_fails(model_read_bytes(edited, strlen(edited), &back, err), DPERM_INVALID_MODEL,
                 "its calibration is not clear");
  }
  dperm_model_free(model);
}

TEST(what_cannot_be_calibrated_is_refused_by_name) {
  static const struct {
    double share;
    const char *words;
  } shares[] = {{1, "above 0 and below 1"},
                {-0.1, "above 0 and below 1"},
                {(double)INFINITY, "above 0 and below 1"},
                {1e-13, "give it a larger share"}};
  auto_data *data = circle(3);
  dperm_model *model = NULL;
  dperm_plan plan;
  dperm_tune_options how = USUAL(dperm_tune_options);
  dperm_sweep_options sweeping = USUAL(dperm_sweep_options);
  for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
    dperm_options o = asking(shares[i].share);
    assert_fails(dperm_train(data, &o, &model, err), DPERM_INVALID_ARGUMENT, shares[i].words);
    assert_fails(dperm_plan_make(ROWS, 2, 1, &o, &plan, err), DPERM_INVALID_ARGUMENT,
                 shares[i].words);
  }
  dperm_options o = asking(0.1), candidates[2] = {o, o};
  o.multiclass = DPERM_MULTICLASS_ONE_VS_REST;
  assert_fails(dperm_train(data, &o, &model, err), DPERM_INVALID_ARGUMENT, "with one-vs-rest");
  o = asking(0.1);
  assert_ok(dperm_loss_huber(0.5, &o.loss, err));
  assert_fails(dperm_train(data, &o, &model, err), DPERM_INVALID_ARGUMENT, "only logistic loss");
  o = asking(0.1);
  o.mechanism = DPERM_MECHANISM_NONE;
  assert_fails(dperm_train(data, &o, &model, err), DPERM_INVALID_ARGUMENT, "mechanism none");
  assert_fails(dperm_tune(data, candidates, 2, &how, &model, err), DPERM_INVALID_ARGUMENT,
               "tune does not calibrate");
  o = asking(0.1);
  assert_fails(dperm_sweep(data, &o, 1, &sweeping, NULL, NULL, err), DPERM_INVALID_ARGUMENT,
               "sweep does not calibrate");
  o = asking(0.1);
  o.classes = 3;
  assert_ok(dperm_plan_make(ROWS, 2, 1, &o, &plan, err));
  assert_true(plan.epsilon == 4 && plan.epsilon_calibrated == 0.1 * 4);
  assert_close(plan.epsilon_row, 3.6, 1e-12);
}

/* ---- rows */

enum { WIDE = 19, PLACES = 700 };

/* Rows from `from` on, dense or sparse. */
static dperm_data *wide_rows(const double *x, size_t from, size_t classes, bool sparse) {
  static size_t starts[PLACES + 1];
  static uint32_t columns[PLACES * WIDE], labels[PLACES];
  size_t rows = PLACES - from;
  dperm_data *data = NULL;
  for (size_t i = 0; i < rows; i++) {
    labels[i] = (uint32_t)((i + from) % classes);
    starts[i + 1] = (i + 1) * WIDE;
    for (uint32_t j = 0; j < WIDE; j++) {
      columns[i * WIDE + j] = j;
    }
  }
  x += from * WIDE;
  assert_ok(sparse ? dperm_data_from_csr(rows, WIDE, starts, columns, x, NULL, 1, &data, err)
                   : dperm_data_from_dense(rows, WIDE, x, NULL, 1, &data, err));
  assert_ok(dperm_data_label(data, labels, classes, NULL, err));
  return data;
}

/* To the bit, wherever it stands: else an added record could change what others add to the sums
 * (Lemma T1). */
TEST(scores_of_a_row_do_not_depend_on_its_place) {
  static double x[PLACES * WIDE], whole[PLACES * 30], part[PLACES * 30];
  static const size_t classes[] = {2, 3, 30};
  random_source r = seeded(24);
  for (size_t i = 0; i < PLACES * WIDE; i++) {
    x[i] = 0.2 * (random_unit(&r) - 0.5);
  }
  for (size_t c = 0; c < 12; c++) {
    size_t k = classes[c % 3], fits = k > 2 ? k : 1;
    bool sparse = c / 3 % 2, kernel = c / 6;
    dperm_data *all = wide_rows(x, 0, k, sparse);
    auto_model *model = NULL;
    dperm_options o = asking(0);
    o.kernel = kernel ? (dperm_kernel){DPERM_KERNEL_GAUSSIAN, 1, 38, 0, 7} : o.kernel;
    assert_ok(dperm_train(all, &o, &model, err));
    assert_ok(dperm_model_scores(model, all, whole, err));
    dperm_data_free(all);
    for (size_t from = 1; from < 10; from += 4) {
      auto_data *less = wide_rows(x, from, k, sparse);
      assert_ok(dperm_model_scores(model, less, part, err));
      assert_memory_equal(part, whole + from * fits, (PLACES - from) * fits * sizeof *part);
    }
  }
}

/* ---- processes */

enum { RANKS = 3 };
typedef struct job {
  dperm_source source;
  dperm_model *model[RANKS];
  dperm_status status[RANKS];
  dperm_error error[RANKS];
} job;

static dperm_status fitted(const dperm_source *source, ranks *r, dperm_model **model,
                           dperm_error *failure) {
  auto_data *data = NULL;
  auto_random *random = NULL;
  dperm_options o = asking(0.2);
  dperm_status status = dperm_data_read_spread(source, r, NULL, &data, failure);
  if (status == DPERM_OK) {
    status = dperm_random_seeded(5, &random, failure);
  }
  if (status == DPERM_OK) {
    o.random = random;
    status = dperm_train(data, &o, model, failure);
  }
  return status;
}

static void fit_rank(ranks *r, void *context) {
  job *j = context;
  dperm_status status = fitted(&j->source, r, &j->model[r->rank], &j->error[r->rank]);
  j->status[r->rank] = ranks_agree(r, status, &j->error[r->rank]);
}

TEST(processes_choose_what_one_does) {
  static char text[ROWS * 24];
  size_t used = 0;
  for (size_t i = 0; i < ROWS; i++) {
    used += (size_t)sprintf(text + used, "%d 1:%.2f 2:%.2f\n", i % 3 ? 1 : -1,
                            (i % 3 ? 0.3 : -0.3) + 0.01 * (double)(i % 37), 0.02 * (double)(i % 9));
  }
  auto_file *path = file_with(text, used);
  job j = {.source = {.path = path, .format = DPERM_FORMAT_SVMLIGHT, .dims = 2}};
  dperm_model *one = NULL;
  assert_ok(fitted(&j.source, NULL, &one, err));
  thread_ranks_run(RANKS, fit_rank, &j);
  for (size_t i = 0; i < RANKS; i++) {
    assert_int_equal(j.status[i], DPERM_OK);
  }
  assert_true(one->inverse_temperature != 1);
  assert_true(j.model[0]->inverse_temperature == one->inverse_temperature);
  assert_null(j.model[1]);
  dperm_model_free(one);
  dperm_model_free(j.model[0]);
}
