/* dperm_model_verify on models that were chosen: every candidate counts, not only the one that the
 * file holds. */
#include <jansson.h>

#include "right_models.h"
#include "support.h"
#include "verdict.h"

static const model_kind split = {HUBER, TIGHT, SPLIT, MEMORY, NOISE_L2},
                        stops = {HUBER, TIGHT, LOGARITHMIC, MEMORY, NOISE_L2},
                        geometric = {HUBER, TIGHT, GEOMETRIC, MEMORY, NOISE_L2},
                        open_choice = {HUBER, TIGHT, PUBLIC, MEMORY, NOISE_L2},
                        kernel = {LOGISTIC, TIGHT, SPLIT, KERNEL, NOISE_L2};

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
    json_t *model = right_model(*cases[i].base), *selection = json_object_get(model, "selection");
    json_t *value = json_loads(cases[i].value, JSON_DECODE_ANY, NULL);
    size_t other = 1 - (size_t)json_integer_value(json_object_get(selection, "chosen"));
    json_t *candidate = json_array_get(json_object_get(selection, "candidates"), other);
    assert_int_equal(json_object_set_new(candidate, cases[i].member, value), 0);
    verdict v = verdict_on(model, false);
    if (strcmp(v.first, cases[i].line) != 0) {
      fail_msg("%s %s: the line \"%s\" must fail, not \"%s\"\n%s", cases[i].member, cases[i].value,
               cases[i].line, v.first, v.all);
    }
    json_decref(model);
  }
  json_auto_t *model = right_model(split);
  change_field(model, "selection.candidates", "[7, null]");
  assert_string_equal(verdict_on(model, false).first, "candidates");
}
