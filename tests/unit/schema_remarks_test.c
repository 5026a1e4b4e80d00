/* What check and plan say of a schema that costs accuracy: every remark where it belongs, and none
 * elsewhere. */
#include <stdio.h>
#include <stdlib.h>

#include "dperm/plan.h"
#include "schema/schema.h"
#include "support.h"

#define LABEL "'label': {'column': 'y', 'positive': ['p'], 'negative': ['n']}, "
#define NUMBER(name, range) "{'name': '" name "', 'type': 'numeric', " range "}"

/* Remarks on a schema of version 2, or of what `members` say, with these columns: a line each. */
static const char *remarks_on(const char *members, const char *columns) {
  static char text[8192], out[8192];
  size_t i, used = 0;
  json_t *line;
  (void)snprintf(text, sizeof text, "{%s" LABEL "'columns': [%s]}", members, columns);
  auto_schema *schema = schema_quoted(text);
  json_auto_t *remarks = schema_remarks(schema);
  assert_non_null(remarks);
  out[0] = '\0';
  json_array_foreach(remarks, i, line) {
    used += (size_t)snprintf(out + used, sizeof out - used, "%s\n", json_string_value(line));
  }
  return out;
}

static void assert_says(const char *members, const char *columns, const char *begin) {
  const char *found = remarks_on(members, columns);
  if (strncmp(found, begin, strlen(begin)) != 0) {
    fail_msg("\"%s\" does not begin \"%s\"", begin, found);
  }
}

static void assert_silent(const char *members, const char *columns) {
  assert_string_equal(remarks_on(members, columns), "");
}

#define TWO "'version': 2, "
#define ONE "'version': 1, "

TEST(a_schema_without_a_version_is_told_what_2_would_change) {
  assert_says("", NUMBER("a", "'min': 0, 'max': 9") ", " NUMBER("b", "'min': -1, 'max': 1"),
              "the schema has no \"version\", so it is read as 1: \"version\": 2 would add an "
              "intercept and centre column \"a\" (\"scale\": \"center\"); with");
  assert_says(
      "'intercept': false, ", NUMBER("a", "'min': 0, 'max': 9"),
      "the schema has no \"version\", so it is read as 1: \"version\": 2 would centre column");
  assert_says("", NUMBER("a", "'min': 0, 'max': 9, 'bins': [3]"),
              "the schema has no \"version\", so it is read as 1: \"version\": 2 would add an "
              "intercept; with");
  assert_silent("'intercept': true, ", NUMBER("a", "'min': 0, 'max': 9, 'scale': 'max'"));
  assert_silent("'intercept': true, ", NUMBER("a", "'min': -9, 'max': 9"));
  assert_silent(ONE, NUMBER("a", "'min': 0, 'max': 9"));
  assert_silent(TWO, NUMBER("a", "'min': 0, 'max': 9"));
}

TEST(a_range_far_from_zero_is_to_be_centred) {
  assert_says(ONE, NUMBER("height", "'min': 100, 'max': 220"),
              "column \"height\": a range far from 0 with \"scale\": \"max\"");
  assert_says(TWO, NUMBER("debt", "'min': -9, 'max': -1, 'scale': 'max'"),
              "column \"debt\": a range");
  assert_silent(ONE, NUMBER("age", "'min': 1, 'max': 99"));
  assert_silent(TWO, NUMBER("height", "'min': 100, 'max': 220"));
  assert_silent(ONE, NUMBER("height", "'min': 100, 'max': 220, 'bins': [150]"));
  assert_says(ONE, NUMBER("height", "'min': 100, 'max': 220, 'bins': [150], 'line': 1"), "column");
}

TEST(ranges_over_powers_of_ten_many_values_and_one_are_pointed_at) {
  assert_says(TWO, NUMBER("pay", "'min': 0, 'max': 1000000"),
              "column \"pay\": a range over several powers of ten");
  assert_silent(TWO, NUMBER("pay", "'min': 0, 'max': 1000000, 'transform': 'log1p'"));
  assert_silent(TWO, NUMBER("pay", "'min': 0, 'max': 9999"));
  assert_silent(TWO, NUMBER("year", "'min': 19000, 'max': 40000"));
  assert_says(TWO, "{'name': 'c', 'type': 'categorical', 'values': ['u']}",
              "column \"c\": a list of one value");
  char list[1024] = "{'name': 'c', 'type': 'categorical', 'values': ['0'";
  for (int i = 1; i < 30; i++) {
    (void)snprintf(list + strlen(list), 8, ",'%d'", i);
  }
  (void)snprintf(list + strlen(list), 8, "]}");
  assert_says(TWO, list, "column \"c\": so many values");
  assert_says(TWO, NUMBER("patient_id", "'min': 0, 'max': 999"),
              "column \"patient_id\": a number, but called like an identifier");
}

TEST(names_that_differ_in_signs_alone_may_be_one_column) {
  assert_says(TWO, NUMBER("a b", "'min': 0, 'max': 9") ", " NUMBER("A_B", "'min': 0, 'max': 9"),
              "columns \"a b\" and \"A_B\" are called almost the same");
  assert_silent(TWO, NUMBER("a", "'min': 0, 'max': 9") ", " NUMBER("ab", "'min': 0, 'max': 9"));
  assert_silent(TWO, NUMBER("a b", "'min': 0, 'max': 9") ", {'name': 'A_B', 'type': 'ignore'}");
  assert_silent(
      TWO, NUMBER("\xc3\xa9", "'min': 0, 'max': 9") ", " NUMBER("\xc3\xa8", "'min': 0, 'max': 9"));
}

TEST(many_columns_are_counted_and_odd_names_are_visible) {
  const char *found = remarks_on(
      ONE,
      NUMBER("a\\u001b", "'min': 5, 'max': 9") ", " NUMBER("b", "'min': 5, 'max': 9") ", " NUMBER(
          "c",
          "'min': 5, 'max': 9") ", " NUMBER("d",
                                            "'min': 5, 'max': 9") ", " NUMBER("e",
                                                                              "'min': 5, "
                                                                              "'max': 9") ","
                                                                                          " " NUMBER(
                                                                                              "f",
                                                                                              "'min"
                                                                                              "': "
                                                                                              "5, "
                                                                                              "'max"
                                                                                              "': "
                                                                                              "9"));
  assert_non_null(strstr(found, "columns \"a\\x1b\", \"b\", \"c\", \"d\" and 2 more: a range"));
}

/* A plan knows the number of rows and epsilon besides. */
TEST(a_plan_says_when_noise_takes_it_all) {
  auto_schema *schema =
      schema_quoted("{" TWO LABEL "'columns': [" NUMBER("a", "'min': 0, 'max': 9") "]}");
  dperm_options options = options_for(1);
  for (size_t rows = 20; rows <= 2000000; rows *= 100000) {
    const dperm_plan_rows of = {.rows = rows, .schema = schema};
    char *text = NULL;
    assert_ok(dperm_plan_report(&of, &options, &text, err));
    json_auto_t *report = json_loads(text, 0, NULL);
    const json_t *remarks = json_object_get(report, "remarks");
    assert_int_equal(json_array_size(remarks), rows == 20);
    assert_true(rows > 20 ||
                strstr(json_string_value(json_array_get(remarks, 0)), "times the signal"));
    dperm_text_free(text);
  }
}
