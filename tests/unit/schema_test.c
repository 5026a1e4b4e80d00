/* The schema: every key with its default, the layout that follows from it, and every refusal with
 * its place. Texts are written with ' for ", to keep them readable. */
#include "base/functions.h"
#include "support.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "schema/schema.h"

#define LABEL "'label': {'column': 'y', 'positive': ['p'], 'negative': ['n']}"
#define NUMERIC "{'name': 'a', 'type': 'numeric', 'min': 0, 'max': 10}"

/* A schema with this one column, and with these members besides label and columns. */
static const char *with_column(const char *column) {
  static char buffer[4096];
  (void)snprintf(buffer, sizeof buffer, "{" LABEL ",\n'columns': [\n  %s]}", column);
  return buffer;
}
static const char *with_numeric(const char *members) {
  char column[256];
  (void)snprintf(column, sizeof column, "{'name': 'a', 'type': 'numeric', %s}", members);
  return with_column(column);
}
static const char *with_categorical(const char *members) {
  char column[256];
  (void)snprintf(column, sizeof column, "{'name': 'a', 'type': 'categorical', %s}", members);
  return with_column(column);
}
static const char *with_member(const char *member) {
  static char buffer[4096];
  (void)snprintf(buffer, sizeof buffer, "{" LABEL ",\n'columns': [" NUMERIC "],\n  %s}", member);
  return buffer;
}
static const char *with_label(const char *label) {
  static char buffer[4096];
  (void)snprintf(buffer, sizeof buffer, "{'columns': [" NUMERIC "],\n'label': %s}", label);
  return buffer;
}

/* ---- what is accepted */

TEST(only_label_and_columns_are_required) {
  auto_schema *schema = schema_quoted("{" LABEL ", 'columns': [" NUMERIC "]}");
  assert_true(schema->header && !schema->intercept);
  assert_int_equal(schema->rows, ROWS_CLIP);
  assert_int_equal(schema->on_missing, MISSING_ZERO);
  assert_null(schema->comment);
  assert_int_equal(schema->separator, ',');
  assert_int_equal(schema->missing.count, 1);
  assert_true(lookup_find(&schema->missing, slice_of("")) != LOOKUP_NONE);
  assert_int_equal(dperm_schema_dims(schema), 1);
  assert_true(dperm_schema_norm_bound(schema) == 1.0);
  const schema_column *a = &schema->columns[0];
  assert_int_equal(a->type, COLUMN_NUMERIC);
  assert_true(a->weight == 1.0 && a->min == 0 && a->max == 10);
  assert_int_equal(a->transform, TRANSFORM_NONE);
  assert_int_equal(a->scale, SCALE_MAX);
}

TEST(every_key_takes_effect) {
  auto_schema *schema = schema_quoted(
      "{'header': false, 'missing': ['?', 'NA'], 'intercept': true, 'rows': 'fixed',"
      " 'on_missing': 'drop', 'comment': '|', 'separator': ';',"
      " 'label': {'column': 'y', 'positive': ['>50K', '>50K.'], 'negative': ['<=50K']},"
      " 'columns': [{'name': 'g', 'type': 'numeric', 'min': 0, 'max': 99999,"
      "              'transform': 'log1p', 'scale': 'center', 'weight': 2.5},"
      "             {'name': 'w', 'type': 'categorical', 'values': ['P', 'S'], 'weight': 0.5},"
      "             {'name': 'f', 'type': 'ignore'}, {'name': 'y', 'type': 'label'}]}");
  assert_false(schema->header);
  assert_true(schema->intercept);
  assert_int_equal(schema->rows, ROWS_FIXED);
  assert_int_equal((schema->on_missing == MISSING_DROP), 1);
  assert_string_equal(schema->comment, "|");
  assert_int_equal(schema->separator, ';');
  assert_int_equal(schema->missing.count, 2);
  assert_int_equal(lookup_find(&schema->missing, slice_of("")), LOOKUP_NONE);
  assert_int_equal(lookup_find(&schema->labels, slice_of(">50K.")), 1);
  assert_int_equal(lookup_find(&schema->labels, slice_of("<=50K")), 0);
  assert_int_equal(lookup_find(&schema->labels, slice_of("x")), LOOKUP_NONE);
  assert_int_equal(schema->columns[0].transform, TRANSFORM_LOG1P);
  assert_int_equal(schema->columns[0].scale, SCALE_CENTER);
  assert_true(schema->columns[0].weight == 2.5);
  assert_true(schema->columns[1].weight == 0.5);
  assert_string_equal(dperm_schema_class_name(schema, 0), "<=50K");
  assert_string_equal(dperm_schema_class_name(schema, 1), ">50K");
  assert_null(dperm_schema_class_name(schema, 2));
  assert_int_equal(schema->column_count, 4);
  static const char *const types[] = {"numeric", "categorical", "ignore", "label"};
  static const char *const names[] = {"g", "w", "f", "y"};
  static const size_t widths[] = {1, 2, 0, 0};
  for (size_t i = 0; i < 4; i++) {
    assert_string_equal(schema->columns[i].name, names[i]);
    assert_string_equal(column_type_names[schema->columns[i].type], types[i]);
    assert_int_equal(schema->columns[i].width, widths[i]);
  }
  dperm_schema_free(NULL);
}

/* Version 2 with nothing said is version 1 with all of it said, and the other way round. */
TEST(versions_have_their_own_defaults) {
  auto_schema *two = schema_quoted("{'version': 2, " LABEL ", 'columns': [" NUMERIC "]}");
  assert_true(two->intercept);
  assert_int_equal(two->columns[0].scale, SCALE_CENTER);
  assert_true(two->columns[0].middle == 5 && two->columns[0].half == 5);
  assert_int_equal(dperm_schema_dims(two), 2);
  auto_schema *one = schema_quoted("{'version': 1, " LABEL ", 'columns': [" NUMERIC "]}");
  assert_false(one->intercept);
  assert_int_equal(one->columns[0].scale, SCALE_MAX);
  auto_schema *said =
      schema_quoted("{'version': 2, 'intercept': false, " LABEL
                    ", 'columns': [{'name': 'a', 'type': 'numeric', 'min': 0, 'max': 10,"
                    " 'scale': 'max'}]}");
  assert_false(said->intercept);
  assert_int_equal(said->columns[0].scale, SCALE_MAX);
  auto_schema *log = schema_quoted("{'version': 2, " LABEL
                                   ", 'columns': [{'name': 'a', 'type': 'numeric', 'min': 0,"
                                   " 'max': 99, 'transform': 'log1p'}]}");
  assert_true(log->columns[0].middle == 0.5 * math_log1p(99)); /* of what is scaled */
}

TEST(sources_and_sensitive_columns_change_no_row) {
  auto_schema *said = schema_quoted(
      "{" LABEL ", 'columns': [{'name': 'a', 'type': 'numeric', 'min': 0, 'max': 10,"
      " 'source': 'a law', 'sensitive': true}, {'name': 'y', 'type': 'label', 'sensitive': false},"
      " {'name': 'b', 'type': 'categorical', 'values': ['u'], 'source': ''}]}");
  assert_string_equal(said->columns[0].source, "a law");
  assert_true(said->columns[0].sensitive && !said->columns[1].sensitive);
  assert_null(said->columns[2].source);
  assert_int_equal(dperm_schema_dims(said), 2);
}

TEST(defaults_may_be_spelt_out_and_lists_be_empty) {
  auto_schema *schema = schema_quoted(
      "{'header': true, 'missing': [''], 'intercept': false, 'rows': 'clip', 'comment': '',"
      " 'on_missing': 'zero', 'separator': ',', " LABEL ", 'columns': [{'name': 'a', 'type':"
      " 'numeric', 'min': -1.5e0, 'max': 2, 'transform': 'none', 'scale': 'max', 'weight': 1}]}");
  assert_null(schema->comment);
  assert_true(schema->columns[0].half == 2.0 && schema->columns[0].middle == 0.0);
  auto_schema *none = schema_quoted(with_member("'missing': [], 'separator': '\\t'"));
  assert_int_equal(lookup_find(&none->missing, slice_of("")), LOOKUP_NONE);
  assert_int_equal(none->separator, '\t');
}

TEST(numeric_columns_scale_by_the_documented_rule) {
  static const struct {
    const char *rest;
    double middle, half;
  } cases[] = {{"'min': 0, 'max': 100", 0, 100},
               {"'min': -300, 'max': 100", 0, 300},
               {"'min': 0, 'max': 100, 'scale': 'center'", 50, 50},
               {"'min': -2, 'max': 10, 'scale': 'center'", 4, 6}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    auto_schema *schema = schema_quoted(with_numeric(cases[i].rest));
    assert_true(schema->columns[0].middle == cases[i].middle);
    assert_true(schema->columns[0].half == cases[i].half);
  }
  auto_schema *schema = schema_quoted(
      with_column("{'name':'a','type':'numeric','min':0,'max':99999,'transform':'log1p'}"));
  assert_true(schema->columns[0].half == math_log1p(99999));
}

TEST(groups_share_a_category_and_star_takes_the_rest) {
  auto_schema *schema = schema_quoted(
      with_column("{'name': 'c', 'type': 'categorical', 'groups': {'US': ['United-States', 'Guam'],"
                  " 'other': '*', 'EU': ['France', '*']}}"));
  const schema_column *c = &schema->columns[0];
  assert_int_equal(dperm_schema_dims(schema), 3);
  assert_int_equal(lookup_find(&c->values, slice_of("United-States")), 0);
  assert_int_equal(lookup_find(&c->values, slice_of("Guam")), 0);
  assert_int_equal(lookup_find(&c->values, slice_of("France")), 2);
  assert_int_equal(lookup_find(&c->values, slice_of("*")), 2); /* in a list it is a text */
  assert_int_equal(lookup_find(&c->values, slice_of("Peru")), LOOKUP_NONE);
  assert_int_equal(c->other, 1);
  char name[64];
  (void)dperm_schema_feature_name(schema, 1, name, sizeof name);
  assert_string_equal(name, "c=other");
}

TEST(a_reference_category_has_no_column) {
  auto_schema *schema = schema_quoted(
      "{" LABEL ", 'columns': [{'name': 'c', 'type': 'categorical', 'values': ['u', 'v', 'w'],"
      " 'reference': 'v'}, {'name': 'g', 'type': 'categorical', 'groups': {'one': ['1'], 'rest':"
      " '*'}, 'reference': 'rest'}], 'on_missing': 'category'}");
  static const char *const names[] = {"c=u", "c=w", "c=(missing)", "g=one", "g=(missing)"};
  assert_int_equal(dperm_schema_dims(schema), 5);
  for (size_t i = 0; i < 5; i++) {
    char name[64];
    (void)dperm_schema_feature_name(schema, i, name, sizeof name);
    assert_string_equal(name, names[i]);
  }
  assert_int_equal(schema->columns[0].width, 3);
  assert_string_equal(schema->columns[0].categories.names[schema->columns[0].reference], "v");
  assert_string_equal(schema->columns[1].categories.names[schema->columns[1].reference], "rest");
}

TEST(bounds_follow_the_weights) {
  auto_schema *schema = schema_quoted(
      "{" LABEL ", 'columns': [" NUMERIC ", {'name': 'c', 'type': 'categorical', 'values': ['u',"
      " 'v'], 'weight': 2}, {'name': 'd', 'type': 'categorical', 'values': ['u', 'v']},"
      " {'name': 'i', 'type': 'ignore'}], 'intercept': true}");
  double rho = sqrt(6); /* 2² + 1² + 1² */
  assert_close(schema_column_bound(schema, 0), 1 / rho, 1e-14);
  assert_close(schema_column_bound(schema, 1), 2 / rho, 1e-14);
  assert_close(schema_column_bound(schema, 2), 1 / rho, 1e-14);
  assert_true(schema_column_bound(schema, 3) == 0);
  assert_true(schema->bounds.norm1 == 2); /* √4 < 5/√6 */
  const noise_body *body = &schema->bounds.body;
  assert_int_equal(body_dims(body), 6);
  assert_int_equal(body_count(body), 4);
  dperm_schema_free(schema);
  schema = schema_quoted(with_column(NUMERIC));
  assert_true(schema->bounds.norm1 == 1 && schema_column_bound(schema, 0) == 1);
}

TEST(one_side_of_the_label_may_be_all_other_values) {
  auto_schema *schema =
      schema_quoted(with_label("{'column': 'y', 'positive': ['p'], 'negative': '*'}"));
  assert_int_equal(schema->label_other, 0);
  assert_string_equal(dperm_schema_class_name(schema, 0), "negative");
  assert_string_equal(dperm_schema_class_name(schema, 1), "p");
  dperm_schema_free(schema);
  schema = schema_quoted(with_label("{'column': 'y', 'positive': '*', 'negative': ['*']}"));
  assert_int_equal(schema->label_other, 1);
  assert_int_equal(lookup_find(&schema->labels, slice_of("*")), 0);
  assert_string_equal(dperm_schema_class_name(schema, 1), "positive");
}

TEST(dims_and_names_follow_the_columns) {
  auto_schema *schema = schema_quoted(
      "{" LABEL ", 'intercept': true, 'on_missing': 'category', 'columns': ["
      "{'name': 'i', 'type': 'ignore'}, " NUMERIC ", {'name': 'w', 'type': 'categorical',"
      " 'values': ['P', 'S S']}, {'name': 'y', 'type': 'label'}]}");
  static const char *const names[] = {"a",     "a=(missing)", "w=P",
                                      "w=S S", "w=(missing)", "(intercept)"};
  assert_int_equal(dperm_schema_dims(schema), 6);
  assert_int_equal(schema->columns[1].width, 2);
  assert_int_equal(schema->columns[2].width, 3);
  for (size_t i = 0; i < 6; i++) {
    char name[64];
    assert_int_equal(dperm_schema_feature_name(schema, i, name, sizeof name), strlen(names[i]));
    assert_string_equal(name, names[i]);
  }
  char small[4];
  assert_int_equal(dperm_schema_feature_name(schema, 1, small, sizeof small), 11);
  assert_string_equal(small, "a=(");
  assert_int_equal(dperm_schema_feature_name(schema, 1, NULL, 0), 11);
  assert_int_equal(dperm_schema_feature_name(schema, 6, small, sizeof small), 0);
  assert_string_equal(small, "");
  assert_int_equal(dperm_schema_feature_name(schema, SIZE_MAX, NULL, 0), 0);
}

TEST(schema_may_begin_with_a_byte_order_mark_and_be_in_a_file) {
  char text[1024];
  (void)snprintf(text, sizeof text, "\xef\xbb\xbf%s", json_quoted(with_member("'header': true")));
  char *path = file_with_text(text);
  dperm_schema *schema = NULL;
  assert_ok(dperm_schema_read(path, &schema, err));
  dperm_schema_free(schema);
  file_remove(path);
  assert_fails(dperm_schema_read("no/such.json", &schema, err), DPERM_IO_ERROR, "no/such.json: ");
}

/* ---- what is refused */

typedef struct refusal {
  const char *text, *words;
} refusal;

static void all_refused(const char *(*around)(const char *), const refusal *cases, size_t count) {
  for (size_t i = 0; i < count; i++) {
    schema_refused(around(cases[i].text), cases[i].words);
  }
}

TEST(text_that_is_not_a_json_object_is_refused) {
  schema_refused("{'label': \n oops}", "s.json:2:");
  schema_refused("", "s.json:1:1: not valid JSON");
  schema_refused("[]", "s.json:1:1: a schema is an object");
  schema_refused("{'header': true, 'header': true}", "duplicate");
  schema_refused("age,sex\n39,M\n", "s.json:1:3: not valid JSON"); /* the end of the odd word */
}

TEST(unknown_keys_are_refused_where_they_stand) {
  schema_refused(with_member("'headers': 1"),
                 "s.json:3:14: the schema has an unknown key \"headers\"");
  schema_refused(with_member("'header': true, 'x': true"),
                 "s.json:1:1: the schema has an unknown key");
  static const refusal cases[] = {
      {"{'name':'a','type':'numeric','min':0,'maximum':1}",
       "s.json:3:50: this column has an unknown key \"maximum\""},
      {"{'name':'a','type':'numeric','min':0,'max':1,'values':['b']}", "unknown key \"values\""},
      {"{'name':'a','type':'categorical','values':['b'],'min':1}", "unknown key \"min\""},
      {"{'name':'a','type':'ignore','weight':1}", "unknown key \"weight\""},
      {"{'name':'y','type':'label','values':['p']}", "unknown key \"values\""}};
  all_refused(with_column, cases, sizeof cases / sizeof *cases);
  schema_refused(with_label("{'column':'y','positive':['p'],'negative':['n'],'neutral':['o']}"),
                 "s.json:2:68: \"label\" has an unknown key \"neutral\"");
}

TEST(label_is_checked) {
  schema_refused("{'columns': [" NUMERIC "]}", "s.json:1:1: \"label\" must be an object");
  static const refusal cases[] = {
      {"'y'", "s.json:2:10: \"label\" must be an object"},
      {"null", "s.json:1:1: \"label\" must be an object"},
      {"{'positive':['p'],'negative':['n']}", "\"column\" is missing here"},
      {"{'column':3,'positive':['p'],'negative':['n']}", "s.json:2:20: \"column\" must be a text"},
      {"{'column':'y','negative':['n']}", "\"positive\" must be a list"},
      {"{'column':'y','positive':['p'],'negative':[]}",
       "s.json:2:52: \"negative\" must be a list of at least one text"},
      {"{'column':'y','positive':'p','negative':['n']}", "\"positive\" must be a list"},
      {"{'column':'y','positive':[1],'negative':[0]}", "a value in \"positive\" must be a text"},
      {"{'column':'y','positive':['p'],'negative':['n','p']}",
       "s.json:2:57: \"p\" stands here a second time"},
      {"{'column':'y','positive':'*','negative':'*'}", "only one side can be"}};
  all_refused(with_label, cases, sizeof cases / sizeof *cases);
}

TEST(columns_are_checked) {
  schema_refused("{" LABEL "}", "s.json:1:1: \"columns\" must be a list");
  schema_refused("{" LABEL ", 'columns': []}", "\"columns\" must be a list of at least one");
  schema_refused("{" LABEL ", 'columns': {}}", "\"columns\" must be a list");
  schema_refused("{'header': true,\n" LABEL ", 'columns': [\n true]}",
                 "s.json:2:76: a column must be an object");
  static const refusal cases[] = {
      {"'a'", "s.json:3:3: a column must be an object"},
      {"{'type':'ignore'}", "\"name\" is missing here"},
      {"{'name':'a'}", "\"type\" is missing here"},
      {"{'name':1,'type':'ignore'}", "\"name\" must be a text"},
      {"{'name':'a','type':'number'}", "s.json:3:22: no column type is called \"number\""},
      {NUMERIC ",\n" NUMERIC, "s.json:4:1: column \"a\" stands here a second time"},
      {"{'name':'a','type':'ignore'}", "0 encoded columns"}};
  all_refused(with_column, cases, sizeof cases / sizeof *cases);
}

TEST(numeric_columns_are_checked) {
  static const refusal cases[] = {
      {"'min': 0, 'max': 1, 'source': 7", "\"source\" must be a text"},
      {"'min': 0, 'max': 1, 'sensitive': 'yes'", "\"sensitive\" must be true or false"},
      {"'max': 1", "needs \"min\""},
      {"'min': 1", "needs \"max\""},
      {"'min': '0', 'max': 1", "\"min\" must be a number"},
      {"'min': 0, 'max': null", "\"max\" must be a number"},
      {"'min': 1, 'max': 1", "s.json:3:3: \"min\" of column \"a\" must be below its \"max\""},
      {"'min': 0, 'max': 1, 'transform': 'log'", "\"transform\" cannot be \"log\""},
      {"'min': 0, 'max': 1, 'transform': 1", "\"transform\" must be a text"},
      {"'min': 0, 'max': 1, 'scale': 'z'", "\"scale\" cannot be \"z\"; choose \"max\", \"center\""},
      {"'min': -1, 'max': 1, 'transform': 'log1p'", "above -1 for log1p"},
      {"'min': 0, 'max': 1, 'weight': 0", "\"weight\" must be between"},
      {"'min': 0, 'max': 1, 'weight': -1", "\"weight\" must be between"},
      {"'min': 0, 'max': 1, 'weight': 9e-7", "\"weight\" must be between"},
      {"'min': 0, 'max': 1, 'weight': 1000001", "\"weight\" must be between"},
      {"'min': 0, 'max': 1, 'weight': '1'", "\"weight\" must be a number"},
      {"'min': 0, 'max': 5e-324, 'scale': 'center'", "cannot be scaled"},
      {"'min': 0, 'max': 1e999", "not valid JSON"}};
  all_refused(with_numeric, cases, sizeof cases / sizeof *cases);
}

TEST(categorical_columns_are_checked) {
  static const refusal cases[] = {
      {"'weight': 1", "needs either \"values\" or \"groups\""},
      {"'values': ['b'], 'groups': {'g': ['b']}", "needs either \"values\" or \"groups\""},
      {"'values': []", "\"values\" must be a list of at least one"},
      {"'values': '*'", "\"values\" must be a list"},
      {"'values': ['b', 1]", "a value in \"values\" must be a text"},
      {"'values': ['b', null]", "a value in \"values\" must be a text"},
      {"'values': ['b',\n 'c', 'b']", "s.json:4:7: \"b\" stands here a second time"},
      {"'groups': {}", "\"groups\", an object of at least one"},
      {"'groups': ['b']", "\"groups\", an object"},
      {"'groups': null", "s.json:3:3: categorical column \"a\" needs"},
      {"'groups': {'g': []}", "\"g\" must be a list of at least one"},
      {"'groups': {'g': 'b'}", "\"g\" must be a list"},
      {"'groups': {'g': ['b'], 'h': ['b']}", "\"b\" stands here a second time"},
      {"'groups': {'g': '*', 'h': '*'}", "only one group can be"},
      {"'values': ['b', '']", "s.json:3:3: value \"\" of column \"a\" is in \"missing\" too"},
      {"'groups': {'g': ['']}", "is in \"missing\" too"},
      {"'values': ['b', 'c'], 'reference': 'd'", "must be one of its categories"},
      {"'groups': {'g': ['b'], 'h': '*'}, 'reference': 'b'", "must be one of its categories"},
      {"'values': ['b', 'c'], 'reference': 7", "\"reference\" must be a text"},
      {"'values': ['b'],\n 'reference': 'b'",
       "s.json:4:15: \"reference\" of column \"a\" must be one"},
      {"'values': ['b'], 'weight': 1e7", "\"weight\" must be between"}};
  all_refused(with_categorical, cases, sizeof cases / sizeof *cases);
}

TEST(the_other_members_are_checked) {
  static const refusal cases[] = {
      {"'header': 1", "s.json:3:13: \"header\" must be true or false"},
      {"'intercept': 'yes'", "\"intercept\" must be true or false"},
      {"'header': null", "\"header\" must be true or false"},
      {"'version': 0", "\"version\" must be the whole number 1 or 2; a higher one needs a newer"},
      {"'version': 3", "\"version\" must be the whole number 1 or 2"},
      {"'version': 2.0", "\"version\" must be the whole number 1 or 2"},
      {"'version': '2'", "\"version\" must be the whole number 1 or 2"},
      {"'version': null", "\"version\" must be the whole number 1 or 2"},
      {"'rows': 'scale'", "\"rows\" cannot be \"scale\"; choose \"clip\", \"fixed\""},
      {"'rows': false", "\"rows\" must be a text"},
      {"'on_missing': 'mean'", "choose \"zero\", \"category\", \"drop\""},
      {"'missing': 'NA'", "\"missing\" must be a list"},
      {"'missing': ['NA', 'NA']", "\"NA\" stands here a second time"},
      {"'missing': [0]", "a value in \"missing\" must be a text"},
      {"'missing': ['p']", "value \"p\" of column \"y\" is in \"missing\" too"},
      {"'comment': 1", "\"comment\" must be a text"},
      {"'comment': 'a\\nb'", "\"comment\" must be a short prefix"},
      {"'separator': ''", "\"separator\" must be one byte"},
      {"'separator': ',,'", "\"separator\" must be one byte"},
      {"'separator': ' '", "\"separator\" must be one byte"},
      {"'separator': '\\\"'", "\"separator\" must be one byte"},
      {"'separator': '\\n'", "\"separator\" must be one byte"},
      {"'separator': '\\r'", "\"separator\" must be one byte"},
      {"'separator': '\xc2\xa7'", "\"separator\" must be one byte"}};
  all_refused(with_member, cases, sizeof cases / sizeof *cases);
}

TEST(label_column_and_columns_must_agree) {
  schema_refused(with_member("'header': false"), "without a header every column is listed");
  schema_refused(with_column("{'name':'y','type':'numeric','min':0,'max':1}"),
                 "is the label's, but not of type label");
  schema_refused(with_column(NUMERIC ", {'name':'z','type':'label'}"),
                 "is not the label's, but of type label");
  dperm_schema_free(schema_quoted("{'header': false, " LABEL ", 'columns': [" NUMERIC
                                  ", {'name': 'y', 'type': 'label'}]}"));
}

TEST(long_names_fit_into_messages) {
  char column[4000], name[1500];
  memset(name, 'n', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  (void)snprintf(column, sizeof column, "{'name':'%s','type':'numeric','min':1,'max':1}", name);
  schema_refused(with_column(column), "must be below its \"max\"");
}
