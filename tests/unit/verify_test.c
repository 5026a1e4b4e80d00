/* dperm_model_verify: a right model of every kind follows; with one field changed, the line that
 * rests on it does not; no field, whatever stands in it, makes it stumble. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "dperm/verify.h"
#include "model/model_file.h"
#include "right_models.h"
#include "support.h"
#include "verdict.h"

TEST(right_models_follow) {
  for (int i = 0; i < LOSSES * CLAIMS * CHOICES * ROWS * NOISES; i++) {
    model_kind k = {(test_loss)(i % LOSSES), (test_claim)(i / LOSSES % CLAIMS),
                    (test_choice)(i / LOSSES / CLAIMS % CHOICES),
                    (test_rows)(i / LOSSES / CLAIMS / CHOICES % ROWS),
                    (test_noise)(i / LOSSES / CLAIMS / CHOICES / ROWS)};
    if ((k.noise != NOISE_L2 && (k.claim == OUTPUT || (k.choice != NONE && k.choice != SPLIT))) ||
        (k.noise == NOISE_MIXED && k.rows != SCHEMA)) {
      continue;
    }
    json_auto_t *model = right_model(k);
    verdict v = verdict_on(model, false);
    if (!v.holds) {
      fail_msg("loss %d, claim %d, choice %d, rows %d, noise %d: %s", (int)k.loss, (int)k.claim,
               (int)k.choice, (int)k.rows, (int)k.noise, v.all);
    }
    assert_true(v.remarks >= 3 && v.lines > v.remarks + 15);
  }
}

/* ---- one field changed */

static const model_kind plain = {LOGISTIC, TIGHT, NONE, MEMORY, NOISE_L2},
                        smooth = {SMOOTH_HINGE, TIGHT, NONE, MEMORY, NOISE_L2},
                        huber = {HUBER, TIGHT, NONE, MEMORY, NOISE_L2},
                        custom = {CUSTOM, TIGHT, NONE, MEMORY, NOISE_L2},
                        output = {HUBER, OUTPUT, NONE, MEMORY, NOISE_L2},
                        paper = {LOGISTIC, PAPER, NONE, MEMORY, NOISE_L2},
                        split = {HUBER, TIGHT, SPLIT, MEMORY, NOISE_L2},
                        stops = {HUBER, TIGHT, LOGARITHMIC, MEMORY, NOISE_L2},
                        geometric = {HUBER, TIGHT, GEOMETRIC, MEMORY, NOISE_L2},
                        open_choice = {HUBER, TIGHT, PUBLIC, MEMORY, NOISE_L2},
                        schema = {LOGISTIC, TIGHT, NONE, SCHEMA, NOISE_L2},
                        kernel = {LOGISTIC, TIGHT, SPLIT, KERNEL, NOISE_L2},
                        sparse = {HUBER, TIGHT, NONE, SCHEMA, NOISE_L1},
                        grouped = {HUBER, TIGHT, NONE, SCHEMA, NOISE_GROUP},
                        boxed = {HUBER, TIGHT, NONE, SCHEMA, NOISE_LINF},
                        dense = {HUBER, TIGHT, NONE, MEMORY, NOISE_L1},
                        box = {HUBER, PAPER, NONE, MEMORY, NOISE_LINF},
                        waves = {HUBER, TIGHT, NONE, KERNEL, NOISE_L1},
                        mixed = {HUBER, TIGHT, NONE, SCHEMA, NOISE_MIXED},
                        mixed_paper = {LOGISTIC, PAPER, NONE, SCHEMA, NOISE_MIXED};

#define UP "*1.000001"
#define DOWN "*0.999999"
static const struct {
  const model_kind *base;
  const char *path, *change, *line; /* the first line that must fail */
} changes[] = {
    {&plain, "format", "\"dperm-model/2\"", "format"},
    {&plain, "private", "false", "private"},
    {&plain, "private", "1", "private"},
    {&plain, "privacy.mechanism", "\"none\"", "mechanism"},
    {&plain, "privacy.mechanism", "\"laplace\"", "mechanism"},
    {&output, "privacy.mechanism", "\"objective\"", "mechanism"},
    {&plain, "privacy.analysis", "\"loose\"", "mechanism"},
    {&plain, "privacy.noise", "\"l7\"", "noise"},
    {&output, "privacy.noise", "\"l1\"", "noise"},
    {&schema, "privacy.noise", "\"l1\"", "beta"}, /* R1 > R2 */
    {&schema, "privacy.noise", "\"group\"", ""},  /* R2 = 1 too */
    {&plain, "privacy.noise", "\"linf\"", ""},    /* R2 > 1 */
    {&sparse, "privacy.noise", "\"l2\"", ""},
    {&sparse, "privacy.beta", UP, "beta"},
    {&dense, "privacy.beta", UP, "beta"},
    {&box, "privacy.beta", UP, "beta"},
    {&waves, "privacy.beta", UP, "beta"},
    {&grouped, "privacy.beta", UP, "beta"},
    {&boxed, "privacy.beta", UP, "beta"},
    {&mixed, "privacy.beta", UP, "beta"},
    {&mixed_paper, "privacy.beta", UP, "beta"},
    {&mixed, "privacy.noise_weight", UP, "beta"}, /* longer rows than the noise hides */
    {&mixed_paper, "privacy.noise_weight", UP, "beta"},
    {&mixed, "privacy.noise_weight", "0.1", "file"},   /* would do, but is not the schema's */
    {&schema, "classes", "[\"yes\", \"no\"]", "file"}, /* predictions upside down */
    {&schema, "classes", "[\"no\", \"Yes\"]", "file"},
    {&plain, "classes", "[\"no\", \"no\"]", "file"},
    {&plain, "ledger", "{}", "file"},
    {&kernel, "kernel.kind", "\"oblique\"", "file"},
    {&schema, "schema.label.column", "7", "file"},
    {&mixed, "privacy.noise_weight", "1e300", "beta"},
    {&mixed, "privacy.noise_weight", "0", "noise_weight"},
    {&mixed, "privacy.noise_weight", "-0.625", "noise_weight"},
    {&mixed, "privacy.noise_weight", "null", "noise_weight"},
    {&mixed, "privacy.noise_weights", "[1.000001]", "beta"},
    {&mixed, "privacy.noise_weights", "[0.999999]", "file"}, /* would do */
    {&mixed, "privacy.noise_weights", "[1, 0.001]", "noise_weights"},
    {&mixed, "privacy.noise_weights", "[]", "noise_weights"},
    {&mixed, "privacy.noise_weights", "[0]", "noise_weights"},
    {&mixed, "privacy.noise_weights", "[-1]", "noise_weights"},
    {&mixed, "privacy.noise_weights", "[1e300]", "noise_weights"},
    {&mixed, "privacy.noise_weights", "1", "noise_weights"},
    {&mixed, "privacy.noise_weights", "-", "file"}, /* the older law had another t */
    {&mixed, "privacy.noise", "\"l2\"", ""},        /* R_2 = 1 is less */
    {&mixed, "privacy.noise", "\"l1\"", "beta"},
    {&grouped, "privacy.noise", "\"mixed\"", "beta"}, /* two blocks of weight 1 */
    {&plain, "privacy.noise", "\"mixed\"", "body"},
    {&waves, "privacy.noise", "\"mixed\"", "body"},
    {&output, "privacy.noise", "\"mixed\"", "noise"},
    {&mixed, "schema.on_missing", "\"category\"", "body"}, /* two columns more than weights */
    {&mixed, "schema.columns",
     "[{\"type\": \"categorical\", \"values\": [\"a\", \"b\", \"c\", \"d\", \"e\"]}]",
     "noise_weight"}, /* of no column */
    {&mixed, "schema.columns",
     "[{\"type\": \"numeric\"}, {\"type\": \"numeric\"}, {\"type\": \"numeric\"}, {\"type\": "
     "\"numeric\"}, {\"type\": \"numeric\"}]",
     "body"}, /* no block */
    {&mixed, "schema.columns",
     "[{\"type\": \"numeric\"}, {\"type\": \"categorical\", \"values\": [\"a\", \"b\"]}, "
     "{\"type\": \"categorical\", \"values\": [\"a\", \"b\"]}]",
     "noise_weights"}, /* two blocks where there was one */
    {&mixed, "schema", "null", "body"},
    {&dense, "encoding.dims", "6", "beta"},
    {&sparse, "schema.on_missing", "\"zero\"", "norm1"}, /* fewer columns than weights */
    {&grouped, "schema.on_missing", "\"zero\"", "body"},
    {&grouped, "schema.columns", "[]", "body"},
    {&grouped, "schema.columns", "[{\"type\": \"odd\"}]", "body"},
    {&grouped, "schema.columns", "[null, 7]", "body"},
    {&grouped, "schema.columns",
     "[{\"type\": \"numeric\", \"weight\": -1}, {\"type\": \"categorical\", \"values\": [\"a\", "
     "\"b\"]}]",
     "body"},
    {&boxed, "schema.rows", "\"loose\"", "body"},
    {&sparse, "schema.rows", "\"fixed\"", ""}, /* shorter rows */
    {&sparse, "schema.intercept", "true", "norm1"},
    {&sparse, "schema.version", "2", "norm1"}, /* with an intercept of its own */
    {&sparse, "schema.version", "3", "norm1"}, /* of which nothing is known */
    {&sparse, "schema.version", "\"1\"", "norm1"},
    {&sparse, "schema", "null", "norm1"},
    {&plain, "privacy.definition", "\"trust me\"", "definition"},
    {&plain, "privacy.neighbours", "\"add-one\"", "neighbours"},
    {&plain, "encoding.source", "\"svmlight\"", "norm"},
    {&plain, "encoding.source", "\"schema\"", "norm"},
    {&plain, "encoding.source", "\"cloud\"", "norm"},
    {&plain, "encoding.norm", UP, "beta"},
    {&plain, "encoding.norm", "0", "norm"},
    {&schema, "encoding.norm", "0.5", "norm"},
    {&schema, "schema.on_missing", "\"drop\"", "on_missing"},
    {&schema, "schema.on_missing", "7", "on_missing"},
    {&schema, "schema", "null", "on_missing"},
    {&kernel, "kernel.name", "\"cubic\"", "kernel"},
    {&kernel, "kernel.kind", "\"hadamard\"", "file"}, /* of five columns */
    {&kernel, "kernel.features", "10", "chosen"},
    {&kernel, "kernel.gamma", "0.6", "chosen"},
    {&plain, "kernel", "7", "kernel"},
    {&plain, "rows_fitted", "9999", "rows_fitted"},
    {&plain, "rows", "9999", "rows_fitted"},
    {&plain, "rows", "-", "rows_fitted"},
    {&split, "rows_fitted", "3334", "rows_fitted"},
    {&split, "rows", "10002", "rows_fitted"},
    {&split, "selection.portion", "5000", "rows_fitted"},
    {&stops, "rows_fitted", "10000", "rows_fitted"},
    {&stops, "selection.holdout_rows", "10000", "rows_fitted"},
    {&split, "selection.selector", "\"argmin\"", "selection"},
    {&split, "selection.chosen", "2", "chosen"},
    {&split, "selection.chosen", "-1", "chosen"},
    {&split, "selection.method", "\"peeking\"", "rows_fitted"},
    {&open_choice, "selection.method", "\"peeking\"", "selection"},
    {&open_choice, "selection.public_rows", "null", "selection"},
    {&plain, "selection", "7", "selection"},
    {&plain, "selection", "-", "selection"},
    {&stops, "selection.rounds", "\"geometric\"", "selection"},
    {&stops, "selection.rounds", "\"fixed\"", "selection"},
    {&stops, "selection.epsilon_round", UP, "selection"},
    {&geometric, "selection.epsilon_round", "0.16667", "selection"},
    {&geometric, "selection.epsilon_round", DOWN, "epsilon"},
    {&stops, "selection.rounds_mean", UP, "delta"},
    {&split, "privacy.lambda", UP, "chosen"},
    {&split, "loss.name", "\"smooth-hinge\"", "chosen"},
    {&split, "loss.h", "0.31", "chosen"},
    {&split, "privacy.mechanism", "\"output\"", "chosen"},
    {&split, "privacy.noise", "\"l1\"", "chosen"},
    {&huber, "loss.h", "0.31", "loss"},
    {&huber, "loss.h", "null", "loss"},
    {&huber, "loss.smoothness", "*0.999999999999", "loss"},
    {&plain, "loss.lipschitz", "0.5", "loss"},
    {&smooth, "loss.smoothness", "\"small\"", "loss"},
    {&custom, "loss.lipschitz", UP, "beta"},
    {&custom, "loss.smoothness", UP, "beta"},
    {&custom, "loss.lipschitz", "-", "loss"},
    {&plain, "privacy.numerics", "null", "numerics"},
    {&plain, "privacy.numerics", "[]", "numerics"},
    {&plain, "privacy.epsilon", DOWN, "epsilon"},
    {&plain, "privacy.epsilon", "0", "epsilon"},
    {&stops, "privacy.epsilon", DOWN, "selection"},
    {&plain, "privacy.numerics.epsilon_core", UP, "epsilon"},
    {&plain, "privacy.numerics.epsilon_core", DOWN, "beta"},
    {&plain, "privacy.numerics.epsilon_num", "*1.001", "epsilon"},
    {&plain, "privacy.numerics.epsilon_num", "0", "epsilon"},
    {&plain, "privacy.numerics.epsilon_num", DOWN, "epsilon_num"},
    {&plain, "privacy.beta", UP, "beta"},
    {&smooth, "privacy.beta", UP, "beta"},
    {&huber, "privacy.beta", UP, "beta"},
    {&custom, "privacy.beta", UP, "beta"},
    {&output, "privacy.beta", UP, "beta"},
    {&paper, "privacy.beta", UP, "beta"},
    {&split, "privacy.beta", UP, "beta"},
    {&stops, "privacy.beta", UP, "beta"},
    {&kernel, "privacy.beta", UP, "beta"},
    {&plain, "privacy.beta", "1e308", "beta"},
    {&smooth, "privacy.beta", "1e308", "beta"},
    {&plain, "privacy.beta", "1e-300", ""}, /* more noise than needed is fine */
    {&smooth, "privacy.beta", "1e-300", ""},
    {&output, "privacy.lambda", DOWN, "beta"},
    {&paper, "privacy.lambda", DOWN, "beta"},
    {&huber, "privacy.lambda", DOWN, "beta"},
    {&smooth, "privacy.lambda", DOWN, "beta"},
    {&huber, "privacy.lambda", "1e-300", "beta"},
    {&smooth, "privacy.delta_reg", DOWN, "beta"},
    {&plain, "privacy.delta_reg", "-0.001", "beta"},
    {&plain, "privacy.numerics.lattice_step", UP, "lattice_step"},
    {&plain, "privacy.numerics.lattice_step", "*3", "lattice_step"},
    {&plain, "privacy.numerics.lattice_step", "*0.5", "lattice_sensitivity"},
    {&plain, "privacy.numerics.lattice_step", "*4", "weights"},
    {&plain, "privacy.numerics.lattice_sensitivity", "+-1", "lattice_sensitivity"},
    {&plain, "privacy.numerics.lattice_sensitivity", "+1", ""},
    {&plain, "privacy.numerics.lattice_sensitivity", "3", "lattice_sensitivity"},
    {&plain, "privacy.numerics.lattice_sensitivity", "24.0", "lattice_sensitivity"},
    {&plain, "privacy.numerics.solution_error", "*1.1", "lattice_sensitivity"},
    {&plain, "privacy.numerics.solution_error", "0.0", "solution_error"},
    {&plain, "privacy.numerics.solution_error", "1e-9", "solution_error"},
    {&plain, "weights", "[0, 0, 0, 0]", "weights"},
    {&plain, "weights", "[0, 0, 0, 0, 1e-11]", "weights"},
    {&plain, "weights", "[0, 0, 0, 0, \"1\"]", "weights"},
    {&plain, "weights", "[0, 0, 0, 0, 1]", ""},
    {&plain, "weights", "7", "weights"},
    {&plain, "encoding.dims", "6", "lattice_sensitivity"},
    {&plain, "privacy.numerics.delta", "0.0", "delta"},
    {&plain, "privacy.numerics.delta", DOWN, "delta"},
    {&plain, "privacy.numerics.delta", "1.0", "delta"},
    {&plain, "privacy.numerics.delta", "2e-30", "delta"},
    {&plain, "privacy.delta", "-1", "headline"},
    {&plain, "reason", "\"the noise came from a seed\"", "private"},
    {&stops, "selection.rounds_mean", "0.001", "delta"},
    {&plain, "classes", "-", "classes"},
    {&plain, "classes", "[\"yes\"]", "classes"},
    {&plain, "privacy.delta", "0", "headline"},
    {&plain, "privacy.delta", DOWN, "headline"},
    {&plain, "privacy.delta", UP, ""},
    {&plain, "privacy.delta", "1e-6", ""}, /* a weaker claim follows */
    {&plain, "privacy.delta", "1", "headline"},
    {&plain, "privacy.delta", "null", "delta"},
    {&plain, "privacy.definition", "\"epsilon-differential privacy\"", "headline"},
};

/* The first line that fails is this one; "" for none. */
static void expect_line(json_t *model, const char *path, const char *change, const char *line) {
  verdict v = verdict_on(model, false);
  if (strcmp(v.first, line) != 0) {
    fail_msg("%s %s: the line \"%s\" must fail, not \"%s\"\n%s", path, change, line, v.first,
             v.all);
  }
}

TEST(one_wrong_field_is_named) {
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    json_auto_t *model = right_model(*changes[i].base);
    change_field(model, changes[i].path, changes[i].change);
    expect_line(model, changes[i].path, changes[i].change, changes[i].line);
  }
}

/* A model for persons with at most 4 rows, from one for rows: the fit is the same, epsilon and
 * delta are those of four steps. */
static json_t *person_model(model_kind kind) {
  json_t *model = right_model(kind), *privacy = json_object_get(model, "privacy");
  json_t *numerics = json_object_get(privacy, "numerics");
  double epsilon = json_number_value(json_object_get(privacy, "epsilon"));
  double delta = json_number_value(json_object_get(numerics, "delta")), factor = 0;
  for (int i = 0; i < 4; i++) {
    factor += exp(i * epsilon);
  }
  (void)json_object_set_new(privacy, "unit", json_string("person"));
  (void)json_object_set_new(privacy, "rows_per_person", json_integer(4));
  (void)json_object_set_new(privacy, "epsilon_row", json_real(epsilon));
  (void)json_object_set_new(privacy, "epsilon", json_real(4 * epsilon));
  (void)json_object_set_new(numerics, "delta", json_real(delta * factor * (1 + 1e-9)));
  (void)json_object_set_new(privacy, "delta", json_real(delta * factor * (1 + 1e-9)));
  return model;
}

TEST(a_persons_claim_needs_a_share_for_each_row) {
  static const struct {
    const char *path, *change, *line;
  } cases[] = {{"privacy.unit", "\"person\"", ""},
               {"privacy.unit", "\"row\"", "unit"},
               {"privacy.unit", "\"town\"", "unit"},
               {"privacy.unit", "7", "unit"},
               {"privacy.unit", "-", "unit"},
               {"privacy.rows_per_person", "5", "unit"},
               {"privacy.rows_per_person", "3", ""}, /* a larger person is promised the same */
               {"privacy.rows_per_person", "1", "unit"},
               {"privacy.rows_per_person", "0", "unit"},
               {"privacy.rows_per_person", "2.5", "unit"},
               {"privacy.epsilon", DOWN, "unit"},
               {"privacy.epsilon", UP, ""},
               {"privacy.epsilon_row", "*0.5", "epsilon"},
               {"privacy.epsilon_row", "*2", "unit"},
               {"privacy.epsilon_row", "null", "epsilon"},
               {"privacy.numerics.delta", "*0.999", "delta"}};
  const model_kind kinds[] = {plain, output, paper, schema};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      json_auto_t *model = person_model(kinds[k]);
      change_field(model, cases[i].path, cases[i].change);
      expect_line(model, cases[i].path, cases[i].change, cases[i].line);
    }
  }
}

/* One candidate that is not private makes the choice not private, whichever was chosen: here the
 * other one. */
TEST(every_candidate_is_looked_at) {
  static const struct {
    const model_kind *base;
    const char *member, *value, *line;
  } cases[] = {{&split, "mechanism", "\"objective\"", ""},
               {&split, "mechanism", "\"none\"", "candidates"},
               {&stops, "mechanism", "\"none\"", "candidates"},
               {&geometric, "mechanism", "\"x\"", "candidates"},
               {&split, "mechanism", "null", "candidates"},
               {&split, "noise", "\"auto\"", ""},
               {&split, "noise", "\"linf\"", ""},
               {&split, "noise", "\"gaussianx\"", "candidates"},
               {&split, "noise", "\"gaussian\"", "candidates"}, /* no delta is claimed for it */
               {&open_choice, "noise", "\"gaussian\"", ""},     /* nor needed */
               {&split, "noise", "7", "candidates"},
               {&split, "lambda", "-0.01", "candidates"},
               {&split, "lambda", "0", "candidates"},
               {&split, "lambda", "\"small\"", "candidates"},
               {&stops, "lambda", "[]", "candidates"},
               {&split, "lambda", "0.5", ""},
               {&split, "loss", "5", "candidates"},
               {&split, "loss", "\"logistic\"", "candidates"}, /* with an h */
               {&split, "loss", "\"smooth-hinge\"", ""},
               {&split, "h", "-0.5", "candidates"},
               {&split, "h", "null", "candidates"},
               {&split, "gamma", "1", "candidates"}, /* without features */
               {&kernel, "gamma", "0", "candidates"},
               {&kernel, "features", "7", "candidates"},
               {&kernel, "features", "-8", "candidates"},
               {&split, "multiclass", "null", ""},
               {&split, "multiclass", "\"joint\"", "candidates"}, /* of two classes */
               {&split, "class_weights", "{\"yes\": 2}", ""},
               {&split, "class_weights", "{\"yes\": -2}", "candidates"},
               {&split, "class_weights", "7", "candidates"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    json_auto_t *model = right_model(*cases[i].base);
    json_t *selection = json_object_get(model, "selection");
    json_t *value = json_loads(cases[i].value, JSON_DECODE_ANY, NULL);
    size_t other = 1 - (size_t)json_integer_value(json_object_get(selection, "chosen"));
    json_t *candidate = json_array_get(json_object_get(selection, "candidates"), other);
    assert_int_equal(json_object_set_new(candidate, cases[i].member, value), 0);
    expect_line(model, cases[i].member, cases[i].value, cases[i].line);
  }
  json_auto_t *model = right_model(split);
  change_field(model, "selection.candidates", "[7, null]");
  assert_string_equal(verdict_on(model, false).first, "candidates");
}

TEST(a_wrong_digest_is_seen) {
  json_auto_t *model = right_model(plain);
  assert_int_equal(json_object_set_new(model, "digest", json_string("00")), 0);
  verdict v = verdict_on(model, true);
  assert_string_equal(v.first, "digest");
  (void)verdict_on(model, false);
  change_field(model, "classes", "[\"a\", \"b\"]");
  v = verdict_on(model, true);
  assert_string_equal(v.first, "digest");
}

/* Known losses may leave their constants out, as files did before they were written. */
TEST(constants_follow_from_the_name) {
  for (int loss = LOGISTIC; loss < CUSTOM; loss++) {
    json_auto_t *model = right_model((model_kind){(test_loss)loss, TIGHT, NONE, MEMORY, NOISE_L2});
    change_field(model, "loss.lipschitz", "-");
    change_field(model, "loss.smoothness", "-");
    assert_true(verdict_on(model, false).holds);
  }
}

/* ---- any field, anything in it */

static bool matters(const char *path) {
  static const char *const idle[] = {"reason",          "ledger",          "classes",
                                     "dperm_version",   "loss.h",          "kernel.kind",
                                     "kernel.seed",     "schema",          "loss.lipschitz",
                                     "loss.smoothness", "privacy.analysis"};
  for (size_t i = 0; i < sizeof idle / sizeof *idle; i++) {
    if (strncmp(path, idle[i], strlen(idle[i])) == 0) {
      return false;
    }
  }
  return true;
}

static void spoil(model_kind k, const char *path) {
  static const char *const values[] = {"-",
                                       "null",
                                       "true",
                                       "\"\\u001b[31m\"",
                                       "-1",
                                       "0",
                                       "1e308",
                                       "9007199254740993",
                                       "9223372036854775807",
                                       "[]",
                                       "{}",
                                       "5e-324",
                                       "[[], {}, null]"};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    json_auto_t *model = right_model(k);
    change_field(model, path, values[i]);
    if (json_is_string(json_object_get(model, "format"))) {
      const char *format = json_string_value(json_object_get(model, "format"));
      verdict v = {0};
      if (strncmp(format, "dperm-model/", 12) == 0) {
        v = verdict_on(model, false);
      }
      bool needed = matters(path) && !(k.rows == KERNEL && strcmp(path, "encoding.dims") == 0) &&
                    !(k.noise != NOISE_MIXED && strcmp(path, "privacy.noise_weight") == 0);
      if (i == 0 && needed && v.holds) {
        fail_msg("without %s the claim still holds", path);
      }
    }
  }
}

static void spoil_all(model_kind k, json_t *object, const char *prefix) {
  const char *key;
  json_t *value;
  json_object_foreach(object, key, value) {
    char path[128];
    (void)snprintf(path, sizeof path, "%s%s%s", prefix, *prefix ? "." : "", key);
    spoil(k, path);
    if (json_is_object(value)) {
      spoil_all(k, value, path);
    }
  }
}

TEST(no_field_makes_it_stumble) {
  const model_kind kinds[] = {plain, output, stops, kernel, schema, custom, sparse, grouped, mixed};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    json_auto_t *model = right_model(kinds[i]);
    spoil_all(kinds[i], model, "");
  }
}

TEST(files_that_are_no_models_fail) {
  static const char *const texts[] = {"",
                                      "[]",
                                      "7",
                                      "{}",
                                      "{\"format\": 1}",
                                      "{\"format\": \"x/1\"}",
                                      "{\"format\": \"dperm-model/1\""};
  bool holds = true;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    auto_file *path = file_with_text(texts[i]);
    assert_int_equal(dperm_model_verify(path, NULL, 0, NULL, NULL, NULL, &holds, NULL),
                     DPERM_INVALID_MODEL);
  }
  assert_int_equal(dperm_model_verify("/nowhere/at/all", NULL, 0, NULL, NULL, NULL, &holds, NULL),
                   DPERM_IO_ERROR);
  assert_true(holds); /* as it was */
  auto_file *path = file_with_text("{\"format\": \"dperm-model/1\"}");
  assert_ok(dperm_model_verify(path, NULL, 0, NULL, NULL, NULL, &holds, err));
  assert_int_equal(holds, 0);
}
