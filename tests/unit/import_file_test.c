/* A schema from a data dictionary: the file's dialect, missing values, the label, and that no
 * dictionary, however odd, becomes more than it says. Texts are written with ' for ", to keep them
 * readable. */
#include "imported.h"

#include <stdio.h>

#include "dperm/draft.h"

/* ---- the file */

TEST(dialects_become_the_files_own_keys) {
#define FRICTIONLESS(dialect)                                                                      \
  "{'encoding': 'latin-1', 'dialect': " dialect ", 'schema': {'fields': [{'name': 'y', 'type': "   \
  "'boolean'}]}}"
  member_is(FRICTIONLESS("{'delimiter': '\\t'}"), NULL, "separator", "'\\t'");
  remarked("dperm reads UTF-8");
  member_is(FRICTIONLESS("{'csv': {'delimiter': ';'}}"), NULL, "separator", "';'");
  member_is(FRICTIONLESS("{'header': false}"), NULL, "header", "false");
  member_is(FRICTIONLESS("{'headerRows': []}"), NULL, "header", "false");
  member_is(FRICTIONLESS("{'headerRows': [1, 2]}"), NULL, "header", "true");
  member_is(FRICTIONLESS("{'commentChar': '%'}"), NULL, "comment", "'%'");
  member_is(FRICTIONLESS("{'commentRows': [1]}"), NULL, "header", "true");
  member_is(FRICTIONLESS("{'quoteChar': '|'}"), NULL, "header", "true");
  member_is(FRICTIONLESS("'elsewhere.json'"), NULL, "header", "true");
  remarked("its dialect stands in another file");
#define CSVW(dialect)                                                                              \
  "{'dialect': " dialect ", 'tableSchema': {'columns': [{'name': 'y', 'datatype': 'boolean'}]}}"
  member_is(CSVW("{'delimiter': '|'}"), NULL, "separator", "'|'");
  member_is(CSVW("{'headerRowCount': 0}"), NULL, "header", "false");
  member_is(CSVW("{'commentPrefix': '%%'}"), NULL, "comment", "'%%'");
  static const char *const odd[] = {
      CSVW("{'skipRows': 2}"),          CSVW("{'encoding': 'latin-1'}"),
      CSVW("{'headerRows': [1, 2]}"),   CSVW("{'headerRows': [2]}"),
      CSVW("{'headerRowCount': 2}"),    CSVW("{'commentRows': [1]}"),
      CSVW("{'quoteChar': '|'}"),       CSVW("{'doubleQuote': false}"),
      CSVW("{'quoteChar': null}"),      CSVW("{'header': false, 'skipColumns': 1}"),
      CSVW("{'csv': {'quoteChar': 7}}")};
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    member_is(odd[i], NULL, "on_missing", "'zero'");
    remarked("it is to be written anew");
  }
  member_is(CSVW("{'encoding': 'utf-8', 'quoteChar': '\\'', 'headerRowCount': 1, 'header': true, "
                 "'skipColumns': 1}"),
            NULL, "header", "true");
  not_remarked("dperm reads");
}

/* ---- what means "missing" */

TEST(missing_values_are_one_list_for_all_columns) {
  member_is("{'missingValues': ['', '?', '?'], 'fields': [{'name': 'a', 'type': 'string'}" Y_FIELD,
            NULL, "missing", "['', '?']");
  member_is("{'missingValues': [], 'fields': [{'name': 'a', 'type': 'string'}" Y_FIELD, NULL,
            "missing", "[]");
  member_is(
      "{'missingValues': [{'value': 'NA', 'label': 'none'}], 'fields': [{'name': 'a'}" Y_FIELD,
      NULL, "missing", "['NA']");
  /* of a field's own */
  member_is("{'fields': [{'name': 'a', 'type': 'boolean', 'missingValues': ['x']}" Y_FIELD, NULL,
            "missing", "['x', '']");
  member_is(
      "{'null': 'NA', 'tableSchema': {'columns': [{'name': 'a', 'null': ['-', 'NA']}, {'name':"
      " 'y', 'datatype': 'boolean'}]}}",
      NULL, "missing", "['-', 'NA']");
  /* a category that means "missing" is none */
  member_is("{'missingValues': ['9'], 'fields': [{'name': 'a', 'constraints': {'enum': [1, 2, "
            "9]}}" Y_FIELD,
            NULL, "columns", VALUES("'1', '2'"));
  remarked("1 of its listed values mean \"missing\"");
}

TEST(a_text_that_is_a_value_elsewhere_does_not_mean_missing_there) {
#define CLASH(first, second)                                                                       \
  "{'fields': [{'name': 'a', " first "}, {'name': 'b', " second "}" Y_FIELD
#define RANGE(low, high)                                                                           \
  "'type': 'number', 'constraints': {'minimum': " low ", 'maximum': " high "}"
  /* 99 is somebody's age: the other number cannot say "missing" by it */
  const char *text = CLASH(RANGE("0", "9") ", 'missingValues': ['99']", RANGE("0", "120"));
  member_is(text, NULL, "missing", "['']");
  member_is(text, NULL, "columns", "{'name': 'a', 'type': 'ignore'}");
  remarked("what means \"missing\" here is a value of another column");
  /* out of the other's range it may */
  text = CLASH(RANGE("0", "9") ", 'missingValues': ['99']", RANGE("0", "50"));
  member_is(text, NULL, "missing", "['99', '']");
  member_is(text, NULL, "columns", NUMERIC("0", "9"));
  /* as a category it is just not listed */
  text = CLASH("'constraints': {'enum': ['u', 'v', 'w']}, 'missingValues': ['w']",
               "'constraints': {'enum': ['w', 'x']}");
  member_is(text, NULL, "missing", "['']");
  member_is(text, NULL, "columns", VALUES("'u', 'v'"));
  /* the label's values are values */
  text = CLASH(RANGE("5", "9") ", 'missingValues': ['0']", "'type': 'date'");
  member_is(text, NULL, "missing", "['']");
  member_is(text, NULL, "columns", "{'name': 'a', 'type': 'ignore'}");
}

/* ---- labels */

#define LABEL(members) "{'fields': [{'name': 'y', " members "}]}"

TEST(labels_are_what_the_dictionary_lists) {
  member_is(LABEL("'constraints': {'enum': ['yes', 'no']}"), NULL, "label",
            "{'column': 'y', 'positive': ['yes'], 'negative': ['no']}");
  remarked("by convention");
  member_is(LABEL("'constraints': {'enum': ['u', 'v']}"), NULL, "label",
            "{'column': 'y', 'positive': ['v'], 'negative': ['u']}");
  remarked("the second in the list");
  member_is(LABEL("'type': 'boolean', 'trueValues': ['T', 't'], 'falseValues': ['F']"), NULL,
            "label", "{'column': 'y', 'positive': ['T', 't'], 'negative': ['F']}");
  member_is(LABEL("'type': 'boolean', 'trueValues': ['T', 't'], 'falseValues': ['F']"), "t",
            "label", "{'column': 'y', 'positive': ['T', 't'], 'negative': ['F']}");
  member_is(LABEL("'constraints': {'enum': ['u', 'v', 'w']}"), NULL, "label",
            "{'column': 'y', 'classes': ['u', 'v', 'w']}");
  remarked("its 3 values are classes, which logistic regression learns in one fit");
  member_is(LABEL("'constraints': {'enum': ['u', 'v', 'w']}"), "v", "label",
            "{'column': 'y', 'positive': ['v'], 'negative': ['u', 'w']}");
  member_is(LABEL("'type': 'integer', 'constraints': {'minimum': 0, 'maximum': 1}"), NULL, "label",
            "{'column': 'y', 'positive': ['1'], 'negative': ['0']}");
  member_is(LABEL("'type': 'integer', 'constraints': {'minimum': 1, 'maximum': 3}, "
                  "'missingValues': ['3']"),
            NULL, "label", "{'column': 'y', 'positive': ['2'], 'negative': ['1']}");
  member_is(LABEL("'type': 'string'"), "v", "label",
            "{'column': 'y', 'positive': ['v'], 'negative': '*'}");
}

TEST(a_label_with_a_range_is_a_number) {
  member_is(LABEL("'type': 'number', 'constraints': {'minimum': 0, 'maximum': 1.5}"), NULL, "label",
            "{'column': 'y', 'type': 'numeric', 'min': 0, 'max': 1.5}");
  member_is(LABEL("'type': 'integer', 'constraints': {'minimum': 1, 'maximum': 1000}"), NULL,
            "label", "{'column': 'y', 'type': 'numeric', 'min': 1, 'max': 1000}");
  remarked("the label; a number from 1 to 1000");
}

TEST(a_label_that_cannot_be_known_is_refused) {
  import_refuses(LABEL("'type': 'string'"), NULL, "lists no two values of the label");
  import_refuses(LABEL("'type': 'integer', 'constraints': {'minimum': 0}"), NULL,
                 "lists no two values");
  import_refuses(LABEL("'type': 'number', 'constraints': {'maximum': 1}"), NULL,
                 "lists no two values");
  import_refuses(LABEL("'type': 'string', 'constraints': {'enum': ['a']}"), NULL,
                 "lists no two values");
  import_refuses(LABEL("'type': 'string', 'constraints': {'enum': ['a']}"), "a",
                 "lists no two values");
  import_refuses(LABEL("'constraints': {'enum': ['a', 'b']}"), "c", "must be some, not all");
  import_refuses(LABEL("'type': 'boolean', 'constraints': {'unique': true}"), NULL,
                 "holds identifiers");
  import_refuses("{'primaryKey': 'y', 'fields': [{'name': 'y', 'type': 'boolean'}]}", NULL,
                 "holds identifiers");
  import_refuses(LABEL("'type': 'list'"), "a", "several values");
  char text[DICTIONARY_TEXT_SIZE] = "{'fields': [{'name': 'y', 'constraints': {'enum': [0";
  for (int i = 1; i < 1001; i++) {
    (void)snprintf(text + strlen(text), 8, ",%d", i);
  }
  (void)snprintf(text + strlen(text), 8, "]}}]}");
  import_refuses(text, NULL, "over 1000 values");
}

/* ---- structure */

TEST(odd_structures_are_refused_in_one_line) {
  static const char *const odd[] = {
      "7",
      "[]",
      "{}",
      "{'fields': 7}",
      "{'fields': []}",
      "{'fields': [7]}",
      "{'fields': [null]}",
      "{'fields': [{'name': 7}]}",
      "{'fields': [{'name': 'x'}], 'missingValues': ''}",
      "{'resources': 7}",
      "{'resources': []}",
      "{'resources': [7]}",
      "{'resources': [{'name': 'a'}]}",
      "{'schema': 7}",
      "{'schema': {}}",
      "{'schema': {'fields': [{'name': 'y'}]}, 'dialect': {'delimiter': 7}}",
      "{'schema': {'fields': [{'name': 'y'}]}, 'dialect': {'delimiter': ' '}}",
      "{'schema': {'fields': [{'name': 'y'}]}, 'dialect': {'commentChar': '\\n'}}",
      "{'tables': 7}",
      "{'tables': []}",
      "{'tables': [7]}",
      "{'tables': [{'url': 'a'}]}",
      "{'@context': 'x'}",
      "{'tableSchema': 7}",
      "{'tableSchema': {}}",
      "{'columns': [7]}",
      "{'columns': []}",
      "{'columns': [{'datatype': 'string'}]}",
      "{'columns': [{'name': 'y'}, {'name': 'y'}]}"};
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    dperm_schema *schema = NULL;
    dperm_error error = {DPERM_OK, ""};
    dperm_status status = import_text(odd[i], "y", "p", &schema, &error);
    if (status != DPERM_INVALID_SCHEMA || schema || !error.message[0] ||
        strchr(error.message, '\n')) {
      fail_msg("%s: status %d, \"%s\"", odd[i], (int)status, error.message);
    }
  }
}

TEST(options_are_checked) {
  dperm_import_options options;
  dperm_schema *schema = NULL;
  static const char *const twice[] = {"a", "a"}, *const bytes[] = {"\xff"};
  dperm_import_options_init(&options);
  assert_fails(dperm_schema_import("x", NULL, 0, &options, NULL, NULL, &schema, err),
               DPERM_INVALID_ARGUMENT, "has no label");
  options.label = "y";
  assert_fails(dperm_schema_import(NULL, NULL, 0, &options, NULL, NULL, &schema, err),
               DPERM_INVALID_ARGUMENT, "has no name");
  options.dictionary = (dperm_dictionary)9;
  assert_fails(dperm_schema_import("x", NULL, 0, &options, NULL, NULL, &schema, err),
               DPERM_INVALID_ARGUMENT, "9 is no kind of dictionary");
  options.dictionary = DPERM_DICTIONARY_AUTO;
  options.positive = twice;
  static const char text[] = "{\"fields\": [{\"name\": \"y\"}]}";
  assert_fails(dperm_schema_import("x", text, strlen(text), &options, NULL, NULL, &schema, err),
               DPERM_INVALID_SCHEMA, "at least one text");
  options.positive_count = 2;
  assert_fails(dperm_schema_import("x", text, strlen(text), &options, NULL, NULL, &schema, err),
               DPERM_INVALID_SCHEMA, "a second time");
  options.positive = bytes;
  options.positive_count = 1;
  assert_fails(dperm_schema_import("x", text, strlen(text), &options, NULL, NULL, &schema, err),
               DPERM_INVALID_ARGUMENT, "not UTF-8");
  assert_string_equal(dperm_dictionary_name(DPERM_DICTIONARY_CSVW), "csvw");
  assert_null(dperm_dictionary_name((dperm_dictionary)-1));
}

/* Before they are compared with the values of columns, which takes their product in time. The
 * label here would fail for a reason of its own, but only after those comparisons. */
TEST(very_many_markers_are_refused_first) {
  char text[DICTIONARY_TEXT_SIZE] = "{'missingValues': ['m'";
  for (int i = 0; i < 100; i++) {
    (void)snprintf(text + strlen(text), 16, ", '%d'", i);
  }
  (void)snprintf(text + strlen(text), 128, "], 'fields': [{'name': 'y', 'type': 'string'}]}");
  import_refuses(text, NULL, "more than 100 different texts");
}
