/* Model files that are whole but wrong: a field edited, and the digest made to fit. Each is refused
 * with a message that says what is wrong. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "model/model_file.h"
#include "support.h"
#include "written_models.h"

typedef void edit(json_t *root);

static dperm_status read_edited(dperm_model *model, edit *change, dperm_model **out,
                                dperm_error *err) {
  size_t length = 0;
  char *text = model_text(model, &length), digest[DIGEST_TEXT_SIZE];
  json_t *root = json_loadb(text, length, 0, NULL);
  assert_non_null(root);
  change(root);
  assert_int_equal(model_digest(root, digest, NULL), DPERM_OK);
  assert_int_equal(json_object_set_new(root, "digest", json_string(digest)), 0);
  char *edited = json_dumps(root, JSON_REAL_PRECISION(17));
  assert_non_null(edited);
  dperm_status status = model_read_bytes(edited, strlen(edited), out, err);
  free(edited);
  json_decref(root);
  free(text);
  dperm_model_free(model);
  return status;
}

#define assert_edit_refused(model, change, text)                                                   \
  do {                                                                                             \
    dperm_model *back_ = NULL;                                                                     \
    assert_fails(read_edited(model, change, &back_, err), DPERM_INVALID_MODEL, text);              \
    assert_null(back_);                                                                            \
  } while (0)

static void change_nothing(json_t *root) {
  (void)root;
}
static void make_newer(json_t *root) {
  (void)json_object_set_new(root, "format", json_string("dperm-model/2"));
}
static void drop_a_weight(json_t *root) {
  (void)json_array_remove(json_object_get(root, "weights"), 0);
}
static void add_a_weight(json_t *root) {
  (void)json_array_append_new(json_object_get(root, "weights"), json_real(0.5));
}
static void spell_a_weight(json_t *root) {
  (void)json_array_set_new(json_object_get(root, "weights"), 0, json_string("0.5"));
}
static void nest_the_weights(json_t *root) {
  json_t *weights = json_object_get(root, "weights");
  for (size_t j = 0; j < json_array_size(weights); j++) {
    (void)json_array_set_new(weights, j, json_array());
  }
}
static void claim_privacy(json_t *root) {
  (void)json_object_set_new(root, "private", json_true());
}
static void claim_a_mechanism(json_t *root) {
  (void)json_object_set_new(json_object_get(root, "privacy"), "mechanism",
                            json_string("objective"));
}
static void forget_epsilon(json_t *root) {
  (void)json_object_del(json_object_get(root, "privacy"), "epsilon");
}
static void zero_epsilon(json_t *root) {
  (void)json_object_set_new(json_object_get(root, "privacy"), "epsilon", json_real(0));
}
static void negative_beta(json_t *root) {
  (void)json_object_set_new(json_object_get(root, "privacy"), "beta", json_real(-1));
}
static void negative_delta_reg(json_t *root) {
  (void)json_object_set_new(json_object_get(root, "privacy"), "delta_reg", json_real(-1e-9));
}
static void unknown_noise(json_t *root) {
  (void)json_object_set_new(json_object_get(root, "privacy"), "noise", json_string("l7"));
}
static void other_weight(json_t *root) {
  json_t *privacy = json_object_get(root, "privacy");
  double t = json_real_value(json_object_get(privacy, "noise_weight"));
  (void)json_object_set_new(privacy, "noise_weight", json_real(nextafter(t, 0)));
}
static void no_weight(json_t *root) {
  (void)json_object_set_new(json_object_get(root, "privacy"), "noise_weight", json_null());
}
static void other_block_weight(json_t *root) {
  json_t *weights = json_object_get(json_object_get(root, "privacy"), "noise_weights");
  (void)json_array_set_new(weights, 0, json_real(json_real_value(json_array_get(weights, 0)) / 2));
}
static void one_block_more(json_t *root) {
  json_t *weights = json_object_get(json_object_get(root, "privacy"), "noise_weights");
  (void)json_array_append_new(weights, json_real(1));
}
static void no_block(json_t *root) {
  (void)json_array_clear(json_object_get(json_object_get(root, "privacy"), "noise_weights"));
}
static void no_block_weights(json_t *root) { /* an older law, with another t */
  (void)json_object_del(json_object_get(root, "privacy"), "noise_weights");
}
static void weightless_mixed_noise(json_t *root) {
  json_t *privacy = json_object_get(root, "privacy");
  (void)json_object_set_new(privacy, "noise", json_string("mixed"));
  (void)json_object_set_new(privacy, "noise_weight", json_null());
}
static void blockless_mixed_noise(json_t *root) {
  weightless_mixed_noise(root);
  (void)json_object_set_new(json_object_get(root, "privacy"), "noise_weights", json_array());
}
static void mixed_noise(json_t *root) {
  (void)json_object_set_new(json_object_get(root, "privacy"), "noise", json_string("mixed"));
  (void)json_object_set_new(json_object_get(root, "privacy"), "noise_weight", json_real(1));
}
static void unknown_analysis(json_t *root) {
  (void)json_object_set_new(json_object_get(root, "privacy"), "analysis", json_string("hopeful"));
}
static void unknown_mechanism(json_t *root) {
  (void)json_object_set_new(json_object_get(root, "privacy"), "mechanism", json_string("magic"));
}
static void spell_private(json_t *root) {
  (void)json_object_set_new(root, "private", json_string("true"));
}
static void use_a_kernel(json_t *root) {
  (void)json_object_set_new(root, "kernel", json_pack("{s:s}", "name", "gaussian"));
}
static void forget_the_schema(json_t *root) {
  (void)json_object_set_new(root, "schema", json_null());
}
static void three_classes(json_t *root) {
  (void)json_array_append_new(json_object_get(root, "classes"), json_string("third"));
}
static void no_rows(json_t *root) {
  (void)json_object_set_new(root, "rows", json_integer(0));
}
static void negative_lambda(json_t *root) {
  (void)json_object_set_new(json_object_get(root, "privacy"), "lambda", json_real(-1));
}
static void zero_norm(json_t *root) {
  (void)json_object_set_new(json_object_get(root, "encoding"), "norm", json_integer(0));
}
static void unknown_source(json_t *root) {
  (void)json_object_set_new(json_object_get(root, "encoding"), "source", json_string("moon"));
}

static void files_that_do_not_fit_together_are_refused(void **state) {
  (void)state;
  dperm_model *back = NULL;
  assert_ok(read_edited(schema_model(), change_nothing, &back, err));
  dperm_model_free(back);
  assert_edit_refused(schema_model(), make_newer, "format 2 is newer");
  assert_edit_refused(schema_model(), drop_a_weight, "number of weights");
  assert_edit_refused(schema_model(), add_a_weight, "number of weights");
  assert_edit_refused(svmlight_model(), drop_a_weight, "number of weights");
  assert_edit_refused(memory_model(1), add_a_weight, "number of weights");
  assert_edit_refused(schema_model(), spell_a_weight, "not a number");
  assert_edit_refused(memory_model(1), nest_the_weights, "not a number");
  assert_edit_refused(schema_model(), claim_privacy, "privacy block");
  assert_edit_refused(schema_model(), claim_a_mechanism, "kind of noise");
  assert_edit_refused(private_model(), forget_epsilon, "privacy block");
  assert_edit_refused(private_model(), zero_epsilon, "privacy block");
  assert_edit_refused(private_model(), negative_beta, "privacy block");
  assert_edit_refused(private_model(), negative_delta_reg, "privacy block");
  assert_edit_refused(private_model(), unknown_noise, "kind of noise");
  assert_edit_refused(mixed_model(), other_weight, "noise does not fit");
  assert_edit_refused(mixed_model(), no_weight, "noise does not fit");
  assert_edit_refused(mixed_model(), other_block_weight, "noise does not fit");
  assert_edit_refused(mixed_model(), one_block_more, "noise does not fit");
  assert_edit_refused(mixed_model(), no_block, "noise does not fit");
  assert_edit_refused(mixed_model(), no_block_weights, "noise does not fit");
  assert_edit_refused(private_model(), weightless_mixed_noise, "noise does not fit");
  assert_edit_refused(private_model(), blockless_mixed_noise, "noise does not fit");
  assert_edit_refused(private_model(), mixed_noise, "noise does not fit");
  assert_edit_refused(private_model(), unknown_analysis, "privacy block");
  assert_edit_refused(private_model(), unknown_mechanism, "privacy mechanism");
  assert_edit_refused(private_model(), spell_private, "privacy block");
  assert_edit_refused(schema_model(), use_a_kernel, "kernel");
  assert_edit_refused(schema_model(), forget_the_schema, "encoding");
  assert_edit_refused(memory_model(1), three_classes, "number of weights");
  assert_edit_refused(memory_model(1), no_rows, "number of rows");
  assert_edit_refused(memory_model(1), negative_lambda, "privacy block");
  assert_edit_refused(memory_model(1), zero_norm, "norm bound");
  assert_edit_refused(memory_model(1), unknown_source, "encoding");
}

static const char *dropped;
static void drop_a_key(json_t *root) {
  assert_int_equal(json_object_del(root, dropped), 0);
}

static void each_needed_key_must_be_there(void **state) {
  (void)state;
  static const char *const needed[] = {"format",  "private", "reason",     "privacy",
                                       "loss",    "rows",    "classes",    "encoding",
                                       "weights", "schema",  "rows_fitted"};
  for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
    dropped = needed[i];
    assert_edit_refused(schema_model(), drop_a_key, "model");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_that_do_not_fit_together_are_refused),
      cmocka_unit_test(each_needed_key_must_be_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
