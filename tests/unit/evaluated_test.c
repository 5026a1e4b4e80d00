/* What a model's file says of its evaluation: verify derives every figure, curve, rate and word of
 * it again from the noisy counts, so that nothing can be altered, taken out or added. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/owned.h"
#include "dperm/score.h"
#include "support.h"
#include "verdict.h"
#include "written_models.h"

enum { ROWS = 1200 };

#define COLUMNS                                                                                    \
  "'group': 'town', 'columns': [{'name': 'a', 'type': 'numeric', 'min': 0, 'max': 1}, {'name': "   \
  "'town', 'type': 'group', 'values': ['north', 'south']}]}"
#define TWO "{'label': {'column': 'y', 'positive': ['1'], 'negative': ['0', '2']}, " COLUMNS
#define THREE "{'label': {'column': 'y', 'classes': ['0', '1', '2']}, " COLUMNS

/* A private model that held a quarter of its records out. What the test asks does not depend on the
 * noise. */
static json_t *evaluated(const char *text, dperm_neighbours neighbours, dperm_loss loss) {
  static const char *const towns[] = {"north", "south", "west"};
  static char records[ROWS * 20];
  size_t used = (size_t)sprintf(records, "a,town,y\n"), length = 0;
  for (size_t i = 0; i < ROWS; i++) { /* a tenth of the labels is out of order */
    const size_t a = i * 7919 % ROWS, class = (a * 3 / ROWS + (i % 10 == 0)) % 3;
    used += (size_t)sprintf(records + used, "%.4f,%s,%zu\n", (double)a / ROWS, towns[i % 3], class);
  }
  auto_schema *schema = schema_quoted(text);
  auto_file *path = file_with_text(records);
  auto_data *data = NULL;
  auto_model *model = NULL;
  const dperm_source source = {.path = path, .schema = schema};
  assert_ok(dperm_data_read(&source, NULL, &data, err));
  dperm_options options = USUAL(dperm_options);
  options.epsilon = 3;
  options.lambda = 0.01;
  options.evaluate = 0.25;
  options.loss = loss;
  options.neighbours = neighbours;
  options.rows_about = neighbours == DPERM_NEIGHBOURS_ADD_REMOVE ? ROWS : 0;
  assert_ok(dperm_train(data, &options, &model, err));
  OWNED_MEMORY char *file = model_text(model, &length);
  json_t *root = json_loadb(file, length, 0, NULL);
  assert_non_null(root);
  return root;
}

static void assert_noticed(json_t *model, const char *what) {
  if (verdict_on(model, false).holds) {
    fail_msg("%s: all follows", what);
  }
}

static json_t *altered(const json_t *value) {
  const double x = json_number_value(value);
  return json_is_integer(value) ? json_integer(json_integer_value(value) + 1)
         : json_is_real(value)  ? json_real(x + 1e-3 * fmax(1, fabs(x)))
         : json_is_null(value)  ? json_integer(0)
                                : json_string("no");
}

/* Of another kind: each in turn. */
static json_t *other_kind(const json_t *value) {
  static const char *const kinds[] = {"null", "[]", "{}", "\"x\"", "1e308", "-1", "[[[]], {}]"};
  static size_t turn;
  json_t *made = NULL;
  do {
    json_decref(made);
    made = json_loads(kinds[turn++ % (sizeof kinds / sizeof *kinds)], JSON_DECODE_ANY, NULL);
  } while (json_typeof(made) == json_typeof(value));
  return made;
}

/* Each value within is another, is gone, or has company; of long lists some are. */
static void alter_all(json_t *model, json_t *value, const char *where) {
  const size_t items = json_array_size(value), stride = repetitions(1 + items / 3, 1);
  char path[200];
  const char *key;
  void *next;
  json_t *item;
  for (size_t i = 0; i<items; i += items> 12 ? stride : 1) {
    json_t *was = json_incref(json_array_get(value, i));
    (void)snprintf(path, sizeof path, "%s[%zu]", where, i);
    if (json_is_array(was) || json_is_object(was)) {
      alter_all(model, was, path);
    } else {
      assert_int_equal(json_array_set_new(value, i, altered(was)), 0);
      assert_noticed(model, path);
      assert_int_equal(json_array_set(value, i, was), 0);
    }
    json_decref(was);
  }
  json_object_foreach_safe(value, next, key, item) {
    json_t *was = json_incref(item);
    (void)snprintf(path, sizeof path, "%s.%s", where, key);
    if (json_is_array(was) || json_is_object(was)) {
      alter_all(model, was, path);
    } else {
      assert_int_equal(json_object_set_new(value, key, altered(was)), 0);
      assert_noticed(model, path);
    }
    assert_int_equal(json_object_set_new(value, key, other_kind(was)), 0);
    assert_noticed(model, path);
    assert_int_equal(json_object_set(value, key, was), 0);
    json_decref(was);
  }
  if (json_is_object(value)) {
    assert_int_equal(json_object_set_new(value, "auc_of_all", json_integer(1)), 0);
    assert_noticed(model, where);
    assert_int_equal(json_object_del(value, "auc_of_all"), 0);
  } else {
    json_t *last = json_incref(json_array_get(value, items - 1));
    assert_int_equal(json_array_append(value, last), 0);
    assert_noticed(model, where);
    assert_int_equal(json_array_remove(value, items), 0);
    json_decref(last);
  }
}

static void nothing_can_be_altered(const char *schema, dperm_neighbours neighbours,
                                   dperm_loss loss) {
  json_auto_t *model = evaluated(schema, neighbours, loss);
  const verdict v = verdict_on(model, false);
  if (!v.holds) {
    fail_msg("%s", v.all);
  }
  alter_all(model, json_object_get(model, "evaluation"), "evaluation");
  assert_true(verdict_on(model, false).holds); /* all is as it was */
}

TEST(what_is_said_of_two_classes_follows_from_the_counts) {
  nothing_can_be_altered(TWO, DPERM_NEIGHBOURS_REPLACE, dperm_loss_logistic());
}

TEST(what_is_said_of_scores_follows_from_the_counts) {
  dperm_loss huber;
  assert_ok(dperm_loss_by_name("huber", 0.5, &huber, err));
  nothing_can_be_altered(TWO, DPERM_NEIGHBOURS_ADD_REMOVE, huber);
}

/* Where the number of rows is private, each count is in every figure. */
TEST(what_is_said_of_three_classes_follows_from_the_counts) {
  nothing_can_be_altered(THREE, DPERM_NEIGHBOURS_ADD_REMOVE, dperm_loss_logistic());
}

TEST(names_of_groups_are_those_of_the_schema_in_its_order) {
  json_auto_t *model = evaluated(TWO, DPERM_NEIGHBOURS_REPLACE, dperm_loss_logistic());
  change_field(model, "evaluation.groups.rates.0.name", "\"south\"");
  change_field(model, "evaluation.groups.rates.1.name", "\"north\"");
  assert_noticed(model, "names exchanged");
}

TEST(a_member_that_no_evaluation_has_is_named) {
  static const char *const places[] = {"evaluation.fairness", "evaluation.auc.epsilon",
                                       "evaluation.cells.a name", "evaluation."};
  json_auto_t *model = evaluated(TWO, DPERM_NEIGHBOURS_REPLACE, dperm_loss_logistic());
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    char message[100];
    (void)snprintf(message, sizeof message, "its evaluation has a member \"%s\" that this dperm",
                   strrchr(places[i], '.') + 1);
    change_field(model, places[i], "1");
    const verdict v = verdict_on(model, false);
    assert_non_null(strstr(v.all, message));
    change_field(model, places[i], "-");
  }
}
