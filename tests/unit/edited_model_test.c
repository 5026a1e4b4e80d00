/* Model files that are whole but wrong: a field edited, and the digest made to fit. Each is refused
 * with a message that says what is wrong. */
#include <jansson.h>
#include <stdlib.h>

#include "model/model_file.h"
#include "support.h"
#include "verdict.h"
#include "written_models.h"

/* A change of a file (change_field). */
typedef struct edit {
  const char *path, *change;
} edit;

static dperm_status read_edited(dperm_model *given, const edit *edits, size_t count,
                                dperm_model **out, dperm_error *err) {
  auto_model *model = given;
  size_t length = 0;
  char digest[DIGEST_TEXT_SIZE];
  OWNED_MEMORY char *text = model_text(model, &length);
  json_auto_t *root = json_loadb(text, length, 0, NULL);
  assert_non_null(root);
  for (size_t i = 0; i < count && edits[i].path; i++) {
    change_field(root, edits[i].path, edits[i].change);
  }
  assert_int_equal(model_digest(root, digest, NULL), DPERM_OK);
  assert_int_equal(json_object_set_new(root, "digest", json_string(digest)), 0);
  OWNED_MEMORY char *edited = json_dumps(root, JSON_REAL_PRECISION(17));
  assert_non_null(edited);
  return model_read_bytes(edited, strlen(edited), out, err);
}

static dperm_model *unit_model(void) {
  return memory_model(1);
}

TEST(files_that_do_not_fit_together_are_refused) {
  static const struct {
    dperm_model *(*make)(void);
    const char *message;
    edit edits[3];
  } cases[] = {
      {schema_model, "format 2 is newer", {{"format", "\"dperm-model/2\""}}},
      {schema_model, "number of weights", {{"weights.0", "-"}}},
      {schema_model, "number of weights", {{"weights.+", "0.5"}}},
      {svmlight_model, "number of weights", {{"weights.0", "-"}}},
      {unit_model, "number of weights", {{"weights.+", "0.5"}}},
      {schema_model, "not a number", {{"weights.0", "\"0.5\""}}},
      {unit_model, "not a number", {{"weights.0", "[]"}, {"weights.1", "[]"}, {"weights.2", "[]"}}},
      {schema_model, "privacy block", {{"private", "true"}}},
      {schema_model, "kind of noise", {{"privacy.mechanism", "\"objective\""}}},
      {private_model, "privacy block", {{"privacy.epsilon", "-"}}},
      {private_model, "privacy block", {{"privacy.epsilon", "0.0"}}},
      {private_model, "privacy block", {{"privacy.beta", "-1.0"}}},
      {private_model, "privacy block", {{"privacy.delta_reg", "-1e-9"}}},
      {private_model, "kind of noise", {{"privacy.noise", "\"l7\""}}},
      {mixed_model, "noise does not fit", {{"privacy.noise_weight", "*0.99999999999999989"}}},
      {mixed_model, "noise does not fit", {{"privacy.noise_weight", "null"}}},
      {mixed_model, "noise does not fit", {{"privacy.noise_weights.0", "*0.5"}}},
      {mixed_model, "noise does not fit", {{"privacy.noise_weights.+", "1.0"}}},
      {mixed_model, "noise does not fit", {{"privacy.noise_weights", "[]"}}},
      {mixed_model, /* an older law, with another t */
       "noise does not fit",
       {{"privacy.noise_weights", "-"}}},
      {private_model,
       "noise does not fit",
       {{"privacy.noise", "\"mixed\""}, {"privacy.noise_weight", "null"}}},
      {private_model,
       "noise does not fit",
       {{"privacy.noise", "\"mixed\""},
        {"privacy.noise_weight", "null"},
        {"privacy.noise_weights", "[]"}}},
      {private_model,
       "noise does not fit",
       {{"privacy.noise", "\"mixed\""}, {"privacy.noise_weight", "1.0"}}},
      {private_model, "privacy block", {{"privacy.analysis", "\"hopeful\""}}},
      {private_model, "privacy mechanism", {{"privacy.mechanism", "\"magic\""}}},
      {private_model, "privacy block", {{"private", "\"true\""}}},
      {schema_model, "kernel", {{"kernel", "{\"name\": \"gaussian\"}"}}},
      {schema_model, "encoding", {{"schema", "null"}}},
      {unit_model, "number of weights", {{"classes.+", "\"third\""}}},
      {unit_model, "number of rows", {{"rows", "0"}}},
      {unit_model, "privacy block", {{"privacy.lambda", "-1.0"}}},
      {unit_model, "norm bound", {{"encoding.norm", "0"}}},
      {unit_model, "encoding", {{"encoding.source", "\"moon\""}}},
  };
  auto_model *back = NULL;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_fails(read_edited(cases[i].make(), cases[i].edits, 3, &back, err), DPERM_INVALID_MODEL,
                 cases[i].message);
    assert_null(back);
  }
  assert_ok(read_edited(schema_model(), NULL, 0, &back, err));
}

TEST(each_needed_key_must_be_there) {
  static const char *const needed[] = {"format",  "private", "reason",     "privacy",
                                       "loss",    "rows",    "classes",    "encoding",
                                       "weights", "schema",  "rows_fitted"};
  for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
    dperm_model *back = NULL;
    const edit dropped = {needed[i], "-"};
    assert_fails(read_edited(schema_model(), &dropped, 1, &back, err), DPERM_INVALID_MODEL,
                 "model");
    assert_null(back);
  }
}
