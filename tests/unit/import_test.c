/* A schema from a data dictionary: what its words about a column become, in both formats, and what
 * they leave open. Texts are written with ' for ", to keep them readable. */
#include "imported.h"

#include <stdio.h>

#include "dperm/draft.h"
#include "draft/dictionary.h"
#include "schema/schema.h"

/* A field of a Frictionless schema, and the column that it becomes. */
static void field_is(const char *members, const char *expected) {
  char text[DICTIONARY_TEXT_SIZE];
  (void)snprintf(text, sizeof text, "{'fields': [{'name': 'a', %s}" Y_FIELD, members);
  member_is(text, NULL, "columns", expected);
}

/* It is ignored, and a remark says why. */
static void field_ignored(const char *members, const char *why) {
  field_is(members, "{'name': 'a', 'type': 'ignore'}");
  remarked(why);
}

static void datatype_is(const char *datatype, const char *expected) {
  char text[DICTIONARY_TEXT_SIZE];
  (void)snprintf(text, sizeof text,
                 "{'tableSchema': {'columns': [{'name': 'a', 'datatype': %s}, {'name': 'y', "
                 "'datatype': 'boolean'}]}}",
                 datatype);
  member_is(text, NULL, "columns", expected);
}

static void datatype_ignored(const char *datatype, const char *why) {
  datatype_is(datatype, "{'name': 'a', 'type': 'ignore'}");
  remarked(why);
}

/* ---- Frictionless */

TEST(ranges_become_numbers) {
  field_is("'type': 'number', 'constraints': {'minimum': -1.5, 'maximum': 3}",
           NUMERIC("-1.5", "3"));
  field_is("'type': 'integer', 'constraints': {'exclusiveMinimum': 0, 'exclusiveMaximum': 99}",
           NUMERIC("0", "99"));
  field_is("'type': 'number', 'constraints': {'minimum': '0', 'maximum': '1e3'}",
           NUMERIC("0", "1000"));
  /* the narrower of two */
  field_is("'type': 'number', 'constraints': {'minimum': 1, 'exclusiveMinimum': 2, 'maximum': 50}",
           NUMERIC("2", "50"));
  field_is("'type': 'year', 'constraints': {'minimum': 1900, 'maximum': 2020}",
           "{'name': 'a', 'type': 'numeric', 'min': 1900, 'max': 2020}");
  field_is("'type': 'number', 'constraints': {'minimum': -20, 'maximum': -15}",
           "{'name': 'a', 'type': 'numeric', 'min': -20, 'max': -15}");
}

TEST(few_whole_numbers_stay_a_number_with_a_remark) {
  field_is("'type': 'integer', 'constraints': {'minimum': 1, 'maximum': 5}",
           "{'name': 'a', 'type': 'numeric', 'min': 1, 'max': 5}");
  remarked("needs one weight instead of 5; if they are codes without an order, list them");
  field_is("'type': 'integer', 'constraints': {'minimum': 0, 'maximum': 1}", NUMERIC("0", "1"));
  not_remarked("codes");
}

TEST(numbers_without_both_bounds_are_for_a_person) {
  static const char *const cases[][2] = {
      {"}", "a number without a range"},
      {"'minimum': true, 'maximum': []}", "without a range"},
      {"'minimum': 'nan', 'maximum': 'inf'}", "without a range"},
      {"'minimum': 0}", "without a range"},
      {"'maximum': 0}", "without a range"},
      {"'minimum': 2, 'maximum': 1}", "without a range"},
      {"'minimum': 1, 'maximum': 1}", "without a range"},
      {"'minimum': 0, 'maximum': 1e300}", "too large"},
      {"'minimum': 0, 'maximum': 1e-300}", "too small"},
      {"'minimum': 1, 'maximum': 1.00000000000001}", "too close together"},
      {"'minimum': 0, 'maximum': 1}, 'decimalChar': ','", "written plainly"},
      {"'minimum': 0, 'maximum': 1}, 'groupChar': ','", "written plainly"},
      {"'minimum': 0, 'maximum': 9}, 'bareNumber': false", "written plainly"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char members[256];
    (void)snprintf(members, sizeof members, "'type': 'number', 'constraints': {%s", cases[i][0]);
    field_ignored(members, cases[i][1]);
  }
  field_ignored("'type': 'number', 'constraints': 7", "a number without a range");
}

TEST(lists_become_categories) {
  field_is("'type': 'string', 'constraints': {'enum': ['low', 'high', 'low']}",
           VALUES("'low', 'high'"));
  field_is("'type': 'integer', 'constraints': {'enum': [3, 1, -2]}", VALUES("'3', '1', '-2'"));
  field_is("'type': 'number', 'constraints': {'enum': [0.5, 2, '1.50']}",
           VALUES("'0.5', '2', '1.50'"));
  field_is("'type': 'string', 'categories': ['a', 'b']", VALUES("'a', 'b'"));
  field_is("'type': 'integer', 'categories': [{'value': 0, 'label': 'no'}, {'value': 1}]",
           VALUES("'0', '1'"));
  field_is("'type': 'string', 'constraints': {'pattern': '^(low|high)$'}", VALUES("'low', 'high'"));
  field_is("'type': 'string', 'constraints': {'enum': ['a', null, {}, [], 'b']}",
           VALUES("'a', 'b'"));
  field_is("'constraints': {'enum': ['a', true]}", VALUES("'a', 'true'"));
  field_ignored("'type': 'string', 'constraints': {'enum': ['a']}", "one value only");
  field_ignored("'type': 'string', 'constraints': {'enum': []}", "one value only");
  field_ignored("'type': 'string', 'constraints': {'enum': 'ab'}", "texts without a list");
  field_ignored("'type': 'string', 'constraints': {'pattern': '[a-z]+'}", "texts without a list");
}

TEST(booleans_become_categories_in_all_spellings) {
  field_is("'type': 'boolean'",
           "{'name': 'a', 'type': 'categorical', 'groups': {'false': ['false', 'False', 'FALSE', "
           "'0'], 'true': ['true', 'True', 'TRUE', '1']}}");
  field_is("'type': 'boolean', 'trueValues': ['ja'], 'falseValues': ['nein']",
           VALUES("'nein', 'ja'"));
  field_ignored("'type': 'boolean', 'trueValues': [], 'falseValues': ['0']",
                "texts for true or for false are missing");
  import_refuses("{'fields': [{'name': 'a', 'type': 'boolean', 'trueValues': ['1'], 'falseValues': "
                 "['1', '0']}" Y_FIELD,
                 NULL, "\"1\" stands here a second time");
}

TEST(what_is_no_feature_is_ignored) {
  field_ignored("'type': 'date'", "dates or times");
  field_ignored("'type': 'datetime', 'constraints': {'minimum': '2000-01-01'}", "dates or times");
  field_ignored("'type': 'string'", "texts without a list of values");
  field_ignored("'type': 'geojson'", "neither a number nor a category");
  field_ignored("'title': 'A'", "neither a number nor a category");
  field_ignored("'type': 7", "neither a number nor a category");
  field_ignored("'type': 'list'", "several values");
  field_ignored("'type': 'integer', 'constraints': {'unique': true, 'minimum': 0, 'maximum': 9}",
                "never repeat");
  for (int composite = 0; composite < 2; composite++) {
    member_is(composite
                  ? "{'primaryKey': ['b', 'a'], 'fields': [{'name': 'a', 'type': 'boolean'}" Y_FIELD
                  : "{'primaryKey': 'a', 'fields': [{'name': 'a', 'type': 'boolean'}" Y_FIELD,
              NULL, "columns", "{'name': 'a', 'type': 'ignore'}");
    remarked("name records");
  }
  remarked("no column is left to learn from");
}

/* ---- CSVW */

TEST(datatypes_become_numbers) {
  datatype_is("{'base': 'integer', 'minimum': 0, 'maximum': 120}", NUMERIC("0", "120"));
  datatype_is("{'base': 'decimal', 'minInclusive': '-1', 'maxExclusive': '1.5'}",
              NUMERIC("-1", "1.5"));
  datatype_is("{'base': 'nonNegativeInteger', 'maximum': 40}", NUMERIC("0", "40"));
  datatype_is("{'base': 'positiveInteger', 'maximum': 40}", NUMERIC("1", "40"));
  datatype_is("{'base': 'unsignedByte', 'minimum': -3, 'maximum': 40}", NUMERIC("0", "40"));
  datatype_is("{'base': 'negativeInteger', 'minimum': -40}", NUMERIC("-40", "-1"));
  datatype_is("{'base': 'nonPositiveInteger', 'minimum': -40}", NUMERIC("-40", "0"));
  datatype_is("{'base': 'double', 'format': '0.##', 'minimum': 0, 'maximum': 1}",
              NUMERIC("0", "1"));
  /* how wide a machine's integers are is no range */
  datatype_ignored("'unsignedByte'", "without a range");
  datatype_ignored("'byte'", "without a range");
  datatype_ignored("{'base': 'double', 'format': '#,##0', 'minimum': 0, 'maximum': 1}",
                   "written plainly");
  datatype_ignored("{'base': 'double', 'format': '0%', 'minimum': 0, 'maximum': 1}",
                   "written plainly");
  datatype_ignored("{'base': 'double', 'format': {'decimalChar': ','}, 'minimum': 0, 'maximum': 1}",
                   "written plainly");
}

TEST(formats_that_are_lists_become_categories) {
  datatype_is("{'base': 'string', 'format': 'low|high'}", VALUES("'low', 'high'"));
  datatype_is("{'base': 'boolean', 'format': 'Y|N'}", VALUES("'N', 'Y'"));
  datatype_is("{'format': '^(?:a|b c|d)$'}", VALUES("'a', 'b c', 'd'"));
  datatype_ignored("{'base': 'boolean', 'format': 'Y'}", "true or for false are missing");
  datatype_ignored("'string'", "or \"format\" such as");
  datatype_ignored("'anyURI'", "neither a number nor a category");
  datatype_ignored("'date'", "dates or times");
  datatype_ignored("17", "texts without a list");
}

TEST(patterns_are_lists_only_where_that_is_plain) {
  static const struct {
    const char *pattern, *words;
  } cases[] = {{"a|b", "a b"},       {"^(a|b)$", "a b"}, {"^a$", NULL},     {"^(?:x|y)$", "x y"},
               {"(x|y z)", "x y z"}, {"", NULL},         {"^a|b$", NULL},   {"^a|b", NULL},
               {"a|b$", NULL},       {"a*|b", NULL},     {"(a|b)|c", NULL}, {"(a)|(b)", NULL},
               {"[a-c]", NULL},      {"[MF]", NULL},     {"\\d|x", NULL},   {"a|b\\", NULL},
               {"^(a|b\\)$", NULL},  {"a.|b", NULL},     {"a{2}|b", NULL},  {"^$", NULL},
               {"()", NULL},         {"(", NULL},        {"^", NULL},       {"^(?:", NULL},
               {"a|a", "a"},         {"ä|ö", "ä ö"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    json_auto_t *found = dictionary_pattern(cases[i].pattern);
    char words[64] = "";
    const char *word;
    json_t *texts;
    json_object_foreach(found, word, texts) {
      size_t used = strlen(words);
      (void)snprintf(words + used, sizeof words - used, "%s%s", used ? " " : "", word);
    }
    if (found ? !cases[i].words || strcmp(words, cases[i].words) != 0 : cases[i].words != NULL) {
      fail_msg("\"%s\" gives \"%s\"", cases[i].pattern, found ? words : "(none)");
    }
  }
}

TEST(titles_are_what_a_header_has) {
#define TITLED(titles, dialect)                                                                    \
  "{'dialect': {'header': " dialect "}, 'tableSchema': {'primaryKey': 'k', 'columns': [{'name': "  \
  "'n', 'titles': " titles ", 'datatype': 'boolean'}, {'name': 'virtual', 'virtual': true}, "      \
  "{'name': 'y', 'datatype': {'format': 'u|v'}}]}}"
#define N                                                                                          \
  "{'name': 'n', 'type': 'categorical', 'groups': {'false': ['false', '0'], 'true': ['true', "     \
  "'1']}}"
#define T                                                                                          \
  "{'name': 'T', 'type': 'categorical', 'groups': {'false': ['false', '0'], 'true': ['true', "     \
  "'1']}}"
  member_is(TITLED("'T'", "true"), NULL, "columns", T);
  member_is(TITLED("'T'", "false"), NULL, "columns", N);
  member_is(TITLED("['T', 'U']", "true"), NULL, "columns", T);
  member_is(TITLED("{'en': ['T'], 'de': 'V'}", "true"), NULL, "columns", T);
  member_is(TITLED("{}", "true"), NULL, "columns", N);
  member_is(TITLED("[]", "true"), NULL, "columns", N);
  member_is(TITLED("7", "true"), NULL, "columns", N);
  /* the label may be named either way */
  auto_schema *schema = NULL;
  assert_ok(import_text(TITLED("'T'", "true"), "n", NULL, &schema, err));
  assert_string_equal(schema->label_column, "T");
}
