/* The kinds of noise from end to end: a fit of sparse rows from a schema with each of them, whose
 * file verifies and reads back; what `auto` takes; what is refused; and plans of every kind side
 * by side. */
#include <math.h>
#include <stdlib.h>

#include "dperm/synthetic.h"
#include "dperm/tune.h"
#include "dperm/verify.h"
#include "model/model.h"
#include "reference.h"

static dperm_schema *census_schema(void) {
  const char *text = dperm_synthetic_census_schema();
  dperm_schema *schema = NULL;
  assert_ok(dperm_schema_parse(text, strlen(text), "census", &schema, err));
  return schema;
}

static dperm_data *census(const dperm_schema *schema, size_t rows) {
  auto_file *path = file_with_text("");
  const dperm_source source = {.path = path, .format = DPERM_FORMAT_CSV, .schema = schema};
  dperm_data *data = NULL;
  assert_ok(dperm_synthetic_census_write(path, rows, 1, err));
  assert_ok(dperm_data_read(&source, NULL, &data, err));
  return data;
}

static dperm_options asking(dperm_noise noise) {
  dperm_options options = options_for(0.5);
  options.delta = noise == DPERM_NOISE_GAUSSIAN ? 1e-6 : 0;
  options.noise = noise;
  options.loss = library_loss(REF_HUBER, 0.5);
  return options;
}

static void note_failure(void *context, dperm_finding finding, const char *line) {
  if (finding == DPERM_FINDING_FAILS) {
    print_message("# %s\n", line);
  }
}

/* The file's claim follows, and the file gives back the same plan and weights. */
static void check_file(const dperm_model *model) {
  auto_file *path = file_with_text("");
  auto_model *again = NULL;
  bool holds = false;
  assert_ok(dperm_model_write(model, path, err));
  assert_ok(dperm_model_verify(path, NULL, 0, NULL, note_failure, NULL, &holds, err));
  assert_int_equal(holds, 1);
  assert_ok(dperm_model_read(path, &again, err));
  assert_ptr_equal(again->plan.noise.kind, model->plan.noise.kind);
  assert_true(again->plan.noise.beta == model->plan.noise.beta);
  assert_true(noise_rms_norm(&again->plan.noise) == noise_rms_norm(&model->plan.noise));
  assert_memory_equal(again->weights, model->weights, model->dims * sizeof(double));
}

static void check_fit(const dperm_data *data, const dperm_plan *plan, dperm_options options) {
  auto_model *model = NULL;
  assert_ok(dperm_train(data, &options, &model, err));
  assert_true(dperm_model_is_private(model));
  assert_string_equal(model->plan.noise.kind->name, plan->noise);
  assert_true(model->plan.noise.beta == plan->beta && model->plan.lambda == plan->lambda);
  assert_true(model->plan.delta_reg == plan->delta_reg);
  check_file(model);
}

TEST(every_kind_fits_rows_of_a_schema_and_verifies) {
  auto_schema *schema = census_schema();
  auto_data *data = census(schema, 3000);
  for (dperm_noise noise = DPERM_NOISE_AUTO; dperm_noise_name(noise); noise++) {
    for (int way = 0; way < 4; way++) {
      dperm_options options = asking(noise);
      dperm_plan plan;
      options.analysis = way & 1 ? DPERM_ANALYSIS_PAPER : DPERM_ANALYSIS_TIGHT;
      options.lambda = way & 2 ? 1e-3 : (double)NAN;
      options.bins = DPERM_BINS_NONE; /* else the records decide the plan */
      if (noise == DPERM_NOISE_GAUSSIAN && way & 1) {
        assert_fails(dperm_plan_for_schema(3000, schema, &options, &plan, err),
                     DPERM_INVALID_ARGUMENT, "the paper has no gaussian noise");
        continue;
      }
      assert_ok(dperm_plan_for_schema(3000, schema, &options, &plan, err));
      if (noise != DPERM_NOISE_AUTO) {
        assert_string_equal(plan.noise, dperm_noise_name(noise));
      } else {
        assert_string_equal(plan.noise, way & 1 ? "l2" : "mixed");
      }
      check_fit(data, &plan, options);
    }
  }
}

/* Features, rows from memory. The rows' bounds outlive the data they came with. Mixed noise needs
 * to know of one-hot blocks. */
TEST(every_kind_fits_rows_without_a_schema_and_verifies) {
  auto_rows *rows = test_rows_random(5, 300, 4, 0.8);
  auto_data *data = NULL;
  assert_ok(dperm_data_from_dense(300, 4, rows->x, rows->labels, 2.5, &data, err));
  for (dperm_noise noise = DPERM_NOISE_AUTO; dperm_noise_name(noise); noise++) {
    dperm_options options = asking(noise);
    dperm_plan plan;
    if (noise == DPERM_NOISE_MIXED) {
      continue;
    }
    assert_ok(dperm_plan_make(300, 4, 2.5, &options, &plan, err));
    check_fit(data, &plan, options);
    options.kernel = (dperm_kernel){DPERM_KERNEL_GAUSSIAN, 0.5, 12, 0, 3};
    assert_ok(dperm_plan_make(300, 4, 2.5, &options, &plan, err));
    assert_true(plan.dims == 12 && plan.norm == FEATURES_NORM);
    check_fit(data, &plan, options);
  }
  dperm_options options = asking(DPERM_NOISE_MIXED);
  dperm_plan plan;
  dperm_model *model = NULL;
  for (int i = 0; i < 2; i++) {
    assert_fails(dperm_plan_make(300, 4, 2.5, &options, &plan, err), DPERM_INVALID_ARGUMENT,
                 "nothing is known of the rows that mixed noise could be fitted to");
    assert_fails(dperm_train(data, &options, &model, err), DPERM_INVALID_ARGUMENT, "mixed noise");
    options.kernel = (dperm_kernel){DPERM_KERNEL_GAUSSIAN, 0.5, 12, 0, 3};
  }
}

/* A tuned model's plan points into the schema, which it shares; the portion's data are gone. */
TEST(a_tuned_model_keeps_its_body) {
  static const dperm_noise kinds[] = {DPERM_NOISE_GROUP, DPERM_NOISE_MIXED, DPERM_NOISE_GAUSSIAN};
  for (size_t i = 0; i < 3; i++) {
    dperm_schema *schema = census_schema();
    dperm_data *data = census(schema, 2000);
    dperm_options candidates[2] = {asking(kinds[i]), asking(kinds[i])};
    candidates[1].lambda = 0.01;
    dperm_tune_options how = USUAL(dperm_tune_options);
    auto_model *model = NULL;
    assert_ok(dperm_tune(data, candidates, 2, &how, &model, err));
    dperm_data_free(data);
    dperm_schema_free(schema);
    assert_int_equal(body_dims(&model->plan.noise.body), model->dims);
    check_file(model);
  }
}

TEST(other_noise_than_l2_is_for_the_objective) {
  for (dperm_noise noise = DPERM_NOISE_AUTO; dperm_noise_name(noise); noise++) {
    dperm_options options = asking(noise);
    dperm_plan plan;
    options.mechanism = DPERM_MECHANISM_OUTPUT;
    if (noise <= DPERM_NOISE_L2 || noise == DPERM_NOISE_GAUSSIAN) {
      assert_ok(dperm_plan_make(100, 3, 1, &options, &plan, err));
      assert_string_equal(plan.noise, noise <= DPERM_NOISE_L2 ? "l2" : "gaussian");
    } else {
      assert_fails(dperm_plan_make(100, 3, 1, &options, &plan, err), DPERM_INVALID_ARGUMENT,
                   "output perturbation has l2 noise, or gaussian with a delta");
    }
  }
  dperm_options options = asking((dperm_noise)7);
  dperm_plan plan;
  assert_fails(dperm_plan_make(100, 3, 1, &options, &plan, err), DPERM_INVALID_ARGUMENT,
               "there is no noise number 7");
}

/* ---- the kinds side by side */

static void check_auto(double delta) {
  auto_schema *schema = census_schema();
  dperm_options options = asking(DPERM_NOISE_AUTO);
  options.delta = delta;
  dperm_plan chosen, own;
  size_t same = 0;
  assert_ok(dperm_plan_for_schema(3000, schema, &options, &chosen, err));
  options.lambda = chosen.lambda;
  options.delta_reg = chosen.delta_reg;
  for (options.noise = DPERM_NOISE_L2; dperm_noise_name(options.noise); options.noise++) {
    if (options.noise == DPERM_NOISE_GAUSSIAN && delta == 0) {
      continue;
    }
    assert_ok(dperm_plan_for_schema(3000, schema, &options, &own, err));
    assert_string_equal(own.noise, dperm_noise_name(options.noise));
    /* by what is composed with gaussian noise other schemas have a say, whose lambda is set now */
    const double near = delta > 0 ? 0.01 : 0;
    assert_true(own.rms_noise_norm >= chosen.rms_noise_norm * (1 - near));
    assert_true(own.expected_noise_norm <= own.rms_noise_norm);
    assert_true(own.noise_norm_q95 > own.expected_noise_norm);
    if (strcmp(own.noise, chosen.noise) == 0) {
      same++;
      assert_true(fabs(own.beta / chosen.beta - 1) <= near);
      assert_true(fabs(own.rms_noise_norm / chosen.rms_noise_norm - 1) <= near);
      assert_true(fabs(own.noise_norm_q95 / chosen.noise_norm_q95 - 1) <= near);
    }
  }
  assert_int_equal(same, 1);
  assert_int_equal(options.noise, 7);
  assert_string_equal(chosen.noise, delta > 0 ? "gaussian" : "mixed");
}

TEST(auto_takes_the_kind_with_the_least_noise) {
  check_auto(0);
  check_auto(1e-4);
}

/* privacy.md 5: l1 beats l2 iff R₁/R₂ < √((d+1)/2). */
TEST(l1_noise_is_for_sparse_rows) {
  const dperm_options options = asking(DPERM_NOISE_AUTO);
  double edge = sqrt(101.0 / 2);
  dperm_plan plan;
  assert_ok(dperm_plan_for_norms(1000, 100, 1, 0.999 * edge, &options, &plan, err));
  assert_string_equal(plan.noise, "l1");
  assert_true(plan.norm1 == 0.999 * edge);
  assert_ok(dperm_plan_for_norms(1000, 100, 1, 1.001 * edge, &options, &plan, err));
  assert_string_equal(plan.noise, "l2");
  assert_ok(dperm_plan_for_norms(1000, 100, 1, 1e9, &options, &plan, err));
  assert_close(plan.norm1, 10, 1e-14); /* √d·R₂ is known anyway */
  assert_fails(dperm_plan_for_norms(1000, 100, 1, 0, &options, &plan, err), DPERM_INVALID_ARGUMENT,
               "norm1 = 0");
}

/* Every entry of D features is within √(2/D): a box is smaller than the ball. */
TEST(features_get_a_box) {
  dperm_options options = asking(DPERM_NOISE_AUTO);
  dperm_plan plan, ball;
  options.kernel = (dperm_kernel){DPERM_KERNEL_GAUSSIAN, 0.5, 200, 0, 3};
  assert_ok(dperm_plan_make(1000, 3, 1, &options, &plan, err));
  assert_string_equal(plan.noise, "linf");
  options.noise = DPERM_NOISE_L2;
  options.lambda = plan.lambda;
  options.delta_reg = plan.delta_reg;
  assert_ok(dperm_plan_make(1000, 3, 1, &options, &ball, err));
  assert_close(plan.rms_noise_norm / ball.rms_noise_norm, sqrt(2.0 / 3), 0.01);
}

TEST(a_plan_for_a_schema_refuses_what_a_fit_does) {
  const char *text =
      "{\"label\": {\"column\": \"y\", \"positive\": [\"1\"], \"negative\": [\"0\"]}, "
      "\"columns\": [{\"name\": \"a\", \"type\": \"numeric\", \"min\": 0, \"max\": 1}]"
      ", \"on_missing\": \"drop\"}";
  dperm_options options = asking(DPERM_NOISE_AUTO);
  auto_schema *schema = NULL;
  dperm_plan plan;
  assert_ok(dperm_schema_parse(text, strlen(text), "s.json", &schema, err));
  assert_fails(dperm_plan_for_schema(10, schema, &options, &plan, err), DPERM_INVALID_SCHEMA,
               "drops rows");
  options.mechanism = DPERM_MECHANISM_NONE;
  assert_ok(dperm_plan_for_schema(10, schema, &options, &plan, err));
  assert_null(plan.noise);
  assert_fails(dperm_plan_for_schema(0, schema, &options, &plan, err), DPERM_INVALID_ARGUMENT,
               "0 rows");
}
