/* Several classes in one fit (docs/proofs/softmax.md): what the model, its file, its predictions,
 * its verification, a plan and a choice make of that, and what is refused. */
#include <math.h>
#include <stdlib.h>

#include "dperm/score.h"
#include "dperm/tune.h"
#include "dperm/verify.h"
#include "loss/link.h"
#include "model/model.h"
#include "support.h"

enum { ROWS = 600, DIMS = 3, CLASSES = 4 };

static double values[ROWS * DIMS];
static uint32_t labels[ROWS];

/* Four clouds in the plane, and a constant. */
static dperm_data *four_classes(void) {
  dperm_data *data = NULL;
  random_source source = seeded(7);
  for (size_t i = 0; i < ROWS; i++) {
    labels[i] = (uint32_t)(i % CLASSES);
    for (size_t j = 0; j < 2; j++) {
      double side = (labels[i] >> j & 1) ? 0.4 : -0.4;
      values[i * DIMS + j] = side + 0.5 * (random_unit(&source) - 0.5);
    }
    values[i * DIMS + 2] = 0.3;
  }
  assert_ok(dperm_data_from_dense(ROWS, DIMS, values, NULL, 1, &data, err));
  assert_ok(dperm_data_label(data, labels, CLASSES, NULL, err));
  return data;
}

static dperm_options options_of(double epsilon) {
  dperm_options options = options_for(epsilon);
  options.lambda = 0.01;
  return options;
}

static dperm_model *train(const dperm_data *data, const dperm_options *options) {
  dperm_model *model = NULL;
  assert_ok(dperm_train(data, options, &model, err));
  return model;
}

/* ---- the file, and what is derived from it */

static void see(void *context, dperm_finding finding, const char *line) {
  char *failed = context;
  if (finding == DPERM_FINDING_FAILS) {
    strncat(failed, line, 3999 - strlen(failed));
  }
}

/* The lines that fail. */
static const char *verified(const dperm_model *model) {
  static char failed[4000];
  auto_file *path = file_with_text("");
  bool holds = false;
  failed[0] = '\0';
  assert_ok(dperm_model_write(model, path, err));
  assert_ok(dperm_model_verify(path, NULL, 0, NULL, see, failed, &holds, err));
  assert_int_equal(holds, failed[0] == '\0');
  return failed;
}

TEST(one_fit_has_all_of_epsilon) {
  OWNED(dperm_data_free_at) dperm_data *data = four_classes();
  dperm_options options = options_of(1);
  OWNED(dperm_model_free_at) dperm_model *joint = train(data, &options);
  options.multiclass = DPERM_MULTICLASS_ONE_VS_REST;
  OWNED(dperm_model_free_at) dperm_model *apart = train(data, &options);
  assert_true(joint->joint && !apart->joint);
  assert_true(joint->claim.epsilon_class == 1 && apart->claim.epsilon_class == 0.25);
  assert_true(joint->claim.delta == apart->claim.delta);
  assert_true(joint->plan.noise.beta > 1.5 * apart->plan.noise.beta);
  assert_int_equal(joint->plan.noise.copies, CLASSES);
  assert_string_equal(verified(joint), "");
  assert_string_equal(verified(apart), "");
}

TEST(verification_derives_a_joint_fit_anew) {
  OWNED(dperm_data_free_at) dperm_data *data = four_classes();
  for (int m = 0; m < 2; m++) {
    dperm_options options = options_of(1);
    options.mechanism = m ? DPERM_MECHANISM_OUTPUT : DPERM_MECHANISM_OBJECTIVE;
    OWNED(dperm_model_free_at) dperm_model *model = train(data, &options);
    const dperm_model sound = *model;
    assert_string_equal(verified(model), "");
    model->plan.noise.beta *= 1 + 1e-9;
    assert_non_null(strstr(verified(model), "beta: "));
    model->plan = sound.plan;
    model->claim.epsilon_class = nextafter(1, 2);
    assert_non_null(strstr(verified(model), "classes: does not hold: one fit for all 4"));
    model->claim = sound.claim;
    model->release.sensitivity /= 2; /* enough for the weights of one class */
    assert_non_null(strstr(verified(model), "lattice_sensitivity: "));
    model->release = sound.release;
    model->claim.delta_numerics /= 2;
    assert_non_null(strstr(verified(model), "delta: "));
    model->claim = sound.claim;
    model->loss_lipschitz = 1; /* that of one score */
    assert_non_null(strstr(verified(model), "loss: "));
    model->loss_lipschitz = sound.loss_lipschitz;
    model->joint = false; /* then epsilon is that of each of four fits */
    assert_non_null(strstr(verified(model), "classes: does not hold: one against the rest"));
    model->joint = true;
    assert_string_equal(verified(model), "");
  }
}

TEST(models_come_back_whole) {
  OWNED(dperm_data_free_at) dperm_data *data = four_classes();
  dperm_options options = options_of(2);
  auto_model *model = train(data, &options), *back = NULL;
  auto_file *path = file_with_text("");
  double scores[ROWS * CLASSES], again[ROWS * CLASSES], log_loss = 0;
  size_t errors = 0;
  dperm_metrics metrics;
  assert_ok(dperm_model_write(model, path, err));
  assert_ok(dperm_model_read(path, &back, err));
  assert_true(back->joint);
  assert_int_equal(noise_size(&back->plan.noise), CLASSES * DIMS);
  assert_ok(dperm_model_scores(model, data, scores, err));
  assert_ok(dperm_model_scores(back, data, again, err));
  assert_memory_equal(scores, again, sizeof scores);
  for (size_t i = 0; i < ROWS; i++) { /* probabilities are e^score over their sum */
    double sum = 0, *z = scores + i * CLASSES;
    for (size_t c = 0; c < CLASSES; c++) {
      sum += exp(z[c]);
    }
    log_loss += log(sum) - z[labels[i]];
    errors += model_winner(CLASSES, z) != labels[i];
  }
  assert_ok(dperm_model_score(back, data, &metrics, err));
  assert_close(metrics.log_loss, log_loss / ROWS, 1e-10);
  assert_int_equal(metrics.errors, errors);
  assert_true(metrics.error_rate < 0.15);
}

/* ---- the minimum itself */

/* Without noise the gradient of the softmax loss vanishes; a class's weight counts in it. */
TEST(without_noise_it_is_the_minimum) {
  OWNED(dperm_data_free_at) dperm_data *data = four_classes();
  const dperm_class_weight heavy[] = {{"2", 3}};
  dperm_options options = options_of((double)NAN);
  options.mechanism = DPERM_MECHANISM_NONE;
  for (int weighted = 0; weighted < 2; weighted++) {
    options.class_weights = weighted ? heavy : NULL;
    options.class_weight_count = (size_t)weighted;
    OWNED(dperm_model_free_at) dperm_model *model = train(data, &options);
    double g[CLASSES * DIMS], scores[ROWS * CLASSES];
    assert_ok(dperm_model_scores(model, data, scores, err));
    for (size_t j = 0; j < CLASSES * DIMS; j++) {
      g[j] = 0.01 * model->weights[j];
    }
    for (size_t i = 0; i < ROWS; i++) {
      double slope[CLASSES], label = (double)labels[i];
      double share = !weighted || labels[i] == 2 ? 1 : 1.0 / 3;
      softmax_rows(CLASSES, 1, &label, scores + i * CLASSES, NULL, NULL, slope, NULL);
      for (size_t j = 0; j < CLASSES * DIMS; j++) {
        g[j] += share * slope[j / DIMS] * values[i * DIMS + j % DIMS] / ROWS;
      }
    }
    for (size_t j = 0; j < CLASSES * DIMS; j++) {
      assert_close(g[j], 0, 1e-9);
    }
  }
}

/* ---- planning and choosing */

TEST(a_plan_has_the_noise_that_training_has) {
  OWNED(dperm_data_free_at) dperm_data *data = four_classes();
  dperm_options options = options_of(1);
  dperm_plan plan;
  OWNED(dperm_model_free_at) dperm_model *model = train(data, &options);
  options.classes = CLASSES;
  assert_ok(dperm_plan_make(ROWS, DIMS, 1, &options, &plan, err));
  assert_true(plan.fits == 1 && plan.epsilon_class == 1);
  assert_true(plan.beta == model->plan.noise.beta && plan.delta == model->claim.delta);
  assert_close(plan.rms_noise_norm, noise_rms_norm(&model->plan.noise), 1e-12);
  assert_close(plan.expected_noise_norm, plan.rms_noise_norm, 0.1 * plan.rms_noise_norm);
  assert_true(plan.noise_norm_q50 < plan.noise_norm_q95);
  assert_close(plan.coin_loss, log(CLASSES), 1e-12);
  options.multiclass = DPERM_MULTICLASS_ONE_VS_REST;
  assert_ok(dperm_plan_make(ROWS, DIMS, 1, &options, &plan, err));
  assert_int_equal(plan.fits, CLASSES);
}

/* Candidates of one choice may learn classes in different ways; the file states the chosen one's.
 */
TEST(a_choice_states_how_the_chosen_one_learned) {
  OWNED(dperm_data_free_at) dperm_data *data = four_classes();
  for (size_t first = 0; first < 2; first++) {
    dperm_options candidates[2] = {options_of(2), options_of(2)};
    dperm_tune_options how = USUAL(dperm_tune_options);
    dperm_model *model = NULL;
    candidates[first].multiclass = DPERM_MULTICLASS_ONE_VS_REST;
    candidates[first].lambda = 100; /* not to be chosen */
    for (how.method = DPERM_TUNE_SPLIT; how.method <= DPERM_TUNE_STOPPING; how.method++) {
      assert_ok(dperm_tune(data, candidates, 2, &how, &model, err));
      assert_string_equal(verified(model), "");
      double whole = how.method == DPERM_TUNE_SPLIT ? 2 : 1;
      assert_close(model->claim.epsilon_class, model->joint ? whole : whole / CLASSES, 1e-5);
      dperm_model_free(model);
    }
  }
}

/* ---- gaussian noise */

/* All of delta is the one fit's, and verify derives it again; less noise than that is refused. */
TEST(gaussian_noise_is_for_all_classes_at_once) {
  OWNED(dperm_data_free_at) dperm_data *data = four_classes();
  for (int i = 0; i < 4; i++) {
    dperm_options options = options_of(1);
    options.multiclass = DPERM_MULTICLASS_JOINT;
    options.delta = 1e-6;
    options.noise = DPERM_NOISE_GAUSSIAN;
    options.mechanism = i % 2 ? DPERM_MECHANISM_OUTPUT : DPERM_MECHANISM_OBJECTIVE;
    options.neighbours = i / 2 ? DPERM_NEIGHBOURS_ADD_REMOVE : DPERM_NEIGHBOURS_REPLACE;
    options.rows_about = i / 2 ? dperm_data_rows(data) : 0;
    OWNED(dperm_model_free_at) dperm_model *model = train(data, &options);
    assert_ptr_equal(model->plan.noise.kind, &noise_gaussian);
    assert_true(model->claim.delta == 1e-6 && model->claim.delta_class > 0.99e-6);
    assert_string_equal(verified(model), "");
    model->plan.noise.beta *= 1.01;
    assert_string_not_equal(verified(model), "");
  }
}

/* ---- what does not go together */

TEST(what_has_no_proof_is_refused) {
  OWNED(dperm_data_free_at) dperm_data *data = four_classes();
  auto_model *model = NULL;
  dperm_options options = options_of(1);
  options.multiclass = DPERM_MULTICLASS_JOINT;
  options.analysis = DPERM_ANALYSIS_PAPER;
  assert_fails(dperm_train(data, &options, &model, err), DPERM_INVALID_ARGUMENT,
               "the paper's analysis does not cover");
  options.analysis = DPERM_ANALYSIS_TIGHT;
  assert_ok(dperm_loss_by_name("huber", 0.5, &options.loss, err));
  assert_fails(dperm_train(data, &options, &model, err), DPERM_INVALID_ARGUMENT,
               "only logistic loss learns classes jointly");
  options.loss = dperm_loss_logistic();
  options.multiclass = (dperm_multiclass)3;
  assert_fails(dperm_train(data, &options, &model, err), DPERM_INVALID_ARGUMENT,
               "multiclass number 3");
  assert_null(dperm_multiclass_name((dperm_multiclass)3));
  assert_ok(dperm_loss_by_name("huber", 0.5, &options.loss, err));
  options.multiclass = DPERM_MULTICLASS_AUTO; /* by themselves they learn one against the rest */
  model = train(data, &options);
  assert_false(model->joint);
  dperm_model_free(model);
  options.loss = dperm_loss_logistic();
  options.analysis = DPERM_ANALYSIS_PAPER;
  options.epsilon = 20;
  model = train(data, &options);
  assert_false(model->joint);
}
