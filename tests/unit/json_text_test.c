/* JSON for people: a message about a value stands at the line and column of that value, keys are
 * checked, and what is written reads back to the same tree. */
#include "support.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/file_read.h"
#include "base/json_text.h"

static json_document document(const char *text) {
  return (json_document){
      .name = "file.json", .text = text, .length = strlen(text), .blame = DPERM_INVALID_SCHEMA};
}

static json_document parsed(const char *text) {
  json_document doc = document(text);
  assert_ok(json_document_parse(&doc, err));
  return doc;
}

static void refused_at(const char *text, const char *place) {
  json_document doc = document(text);
  assert_fails(json_document_parse(&doc, err), DPERM_INVALID_SCHEMA, place);
  assert_null(doc.root);
}

/* The first value found by following keys and indices ("a", "2", "b", NULL). */
static json_t *follow(json_t *value, const char *const *path) {
  for (; *path; path++) {
    value = json_is_array(value) ? json_array_get(value, (size_t)atoi(*path))
                                 : json_object_get(value, *path);
  }
  return value;
}

static void value_stands_at(const char *text, const char *const *path, const char *place) {
  OWNED(json_document_free) json_document doc = parsed(text);
  const json_t *value = follow(doc.root, path);
  assert_non_null(value);
  assert_fails(json_fail_at(&doc, value, err, "wrong"), DPERM_INVALID_SCHEMA, place);
}
#define PATH(...) ((const char *const[]){__VA_ARGS__, NULL})

TEST(syntax_errors_have_line_and_column) {
  refused_at("{\"a\": 1,\n \"b\": }", "file.json:2:7: not valid JSON");
  refused_at("", "file.json:1:1: not valid JSON");
  refused_at("{\"a\": [1, 2}", "file.json:1:12: not valid JSON");
  refused_at("{}\n\n x", "file.json:3:2: not valid JSON");
  refused_at("3", "file.json:1:1: not valid JSON");
  refused_at("{\"a\": 1e999}", "not valid JSON");
  refused_at("{\"a\": NaN}", "not valid JSON");
  refused_at("{\"a\": 99999999999999999999}", "not valid JSON");
  refused_at("{\"a\": \"\\u0000\"}", "not valid JSON");
  refused_at("{\"a\": \"\xff\"}", "not valid JSON");
  refused_at("{'a': 1}", "not valid JSON");
}

TEST(duplicate_keys_are_refused) {
  refused_at("{\"a\": 1,\n \"a\": 2}", "file.json:2:");
  refused_at("{\"a\": 1, \"\\u0061\": 2}", "duplicate");
}

TEST(deep_nesting_is_refused_not_fatal) {
  enum { DEPTH = 200000 };
  OWNED_MEMORY char *text = malloc(DEPTH + 1);
  assert_non_null(text);
  memset(text, '[', DEPTH);
  text[DEPTH] = '\0';
  refused_at(text, "not valid JSON");
}

/* As the schema in a model: there is nothing to look through, and nothing may be read. */
TEST(a_tree_without_its_text_has_one_place) {
  OWNED(json_document_free)
  json_document doc = parsed("{\"one\": 1, \"list\": [1, 2, {\"deep\": 3}]}");
  const json_t *value = follow(doc.root, PATH("list", "2", "deep"));
  doc.text = "";
  doc.length = 0;
  assert_fails(json_fail_at(&doc, value, err, "wrong"), DPERM_INVALID_SCHEMA,
               "file.json:1:1: wrong");
}

TEST(values_are_found_where_they_stand) {
  static const char text[] = "{\n"
                             "  \"one\": 1,\n"
                             "  \"list\": [10, -2.5e3, \"x,]}\\\"\", {\"deep\": [[], [7]]}],\n"
                             "\t\"k\\u0065y\" :\r\n   {\"a\":0 ,\"b\" : [ 1,2 ] }\n"
                             "}\n";
  value_stands_at(text, PATH("one"), "file.json:2:10: wrong");
  value_stands_at(text, PATH("list"), "file.json:3:11: wrong");
  value_stands_at(text, PATH("list", "0"), "file.json:3:12: wrong");
  value_stands_at(text, PATH("list", "1"), "file.json:3:16: wrong");
  value_stands_at(text, PATH("list", "2"), "file.json:3:24: wrong");
  value_stands_at(text, PATH("list", "3"), "file.json:3:34: wrong");
  value_stands_at(text, PATH("list", "3", "deep", "0"), "file.json:3:44: wrong");
  value_stands_at(text, PATH("list", "3", "deep", "1", "0"), "file.json:3:49: wrong");
  value_stands_at(text, PATH("key"), "file.json:5:4: wrong");
  value_stands_at(text, PATH("key", "b"), "file.json:5:18: wrong");
  value_stands_at(text, PATH("key", "b", "1"), "file.json:5:22: wrong");
  value_stands_at("  [ ]", (const char *const[]){NULL}, "file.json:1:3: wrong");
}

TEST(text_need_not_be_terminated) {
  static const char text[] = "{\"a\": {\"b\": 5}}";
  size_t length = strlen(text);
  OWNED_MEMORY char *exact = malloc(length); /* the sanitizer guards its end */
  assert_non_null(exact);
  memcpy(exact, text, length);
  json_document doc = {
      .name = "file.json", .text = exact, .length = length, .blame = DPERM_INVALID_MODEL};
  assert_ok(json_document_parse(&doc, err));
  const json_t *five = json_object_get(json_object_get(doc.root, "a"), "b");
  assert_fails(json_fail_at(&doc, five, err, "no %d", 5), DPERM_INVALID_MODEL,
               "file.json:1:13: no 5");
  json_t *elsewhere = json_integer(1);
  assert_fails(json_fail_at(&doc, elsewhere, err, "wrong"), DPERM_INVALID_MODEL,
               "file.json:1:1: wrong");
  json_decref(elsewhere);
  json_decref(doc.root);
}

TEST(byte_order_mark_is_skipped_and_not_counted) {
  value_stands_at("\xef\xbb\xbf{\"a\": 1}", PATH("a"), "file.json:1:7: wrong");
  refused_at("\xef\xbb\xbf{\"a\" 1}", "file.json:1:6: not valid JSON");
}

TEST(unknown_key_is_named_where_it_stands) {
  static const char *const allowed[] = {"name", "size", NULL};
  static const char *const cases[][2] = {
      {"{\"name\": 1,\n  \"colour\": 2}", "file.json:2:13: a thing has an unknown key \"colour\""},
      {"{\"colour\": {}}", "known keys are name, size"},
      {"{\"Name\": 1}", "unknown key \"Name\""},
      {"{\"\": 1}", "unknown key \"\""}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    OWNED(json_document_free) json_document doc = parsed(cases[i][0]);
    assert_fails(json_check_keys(&doc, doc.root, allowed, "a thing", err), DPERM_INVALID_SCHEMA,
                 cases[i][1]);
  }
  OWNED(json_document_free) json_document doc = parsed("{\"size\": 1, \"name\": 1}");
  assert_ok(json_check_keys(&doc, doc.root, allowed, "a thing", err));
}

/* true, false and null are one object each in jansson, however often they stand in the text. */
TEST(unknown_key_with_a_constant_is_not_placed_at_another) {
  static const char *const allowed[] = {"first", "inner", NULL};
  static const char *const words[] = {"true", "false", "null"};
  for (size_t i = 0; i < 3; i++) {
    char text[128];
    (void)snprintf(text, sizeof text, "{\"first\": %s,\n \"inner\": {\n \"odd\": %s}}", words[i],
                   words[i]);
    OWNED(json_document_free) json_document doc = parsed(text);
    json_t *inner = json_object_get(doc.root, "inner");
    dperm_error error;
    assert_int_equal(json_check_keys(&doc, inner, allowed, "inner", &error), DPERM_INVALID_SCHEMA);
    assert_null(strstr(error.message, "file.json:1:"));
    assert_non_null(strstr(error.message, "unknown key \"odd\""));
  }
}

TEST(long_list_of_known_keys_is_cut) {
  char name[101];
  memset(name, 'k', 100);
  name[100] = '\0';
  const char *const allowed[] = {name, name, name, name, NULL};
  OWNED(json_document_free) json_document doc = parsed("{\"a\": 1}");
  assert_fails(json_check_keys(&doc, doc.root, allowed, "it", err), DPERM_INVALID_SCHEMA, "kkk");
}

/* ---- writing */

static char *written(const json_t *value) {
  auto_file *path = file_with("", 0);
  output_file *out = NULL;
  assert_ok(output_open(path, false, &out, err));
  assert_ok(json_write(value, false, out, err));
  assert_ok(output_commit(out, err));
  char *text = NULL;
  size_t length = 0;
  assert_ok(file_read_all(path, 1 << 24, &text, &length, err));
  return text;
}

static void reads_back_equal(const json_t *value) {
  OWNED_MEMORY char *text = written(value);
  json_auto_t *back = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
  assert_true(back && json_equal(value, back));
}

TEST(written_documents_read_back_equal) {
  static const char *const texts[] = {
      "{}",
      "[]",
      "{\"a\": {}, \"b\": [], \"c\": [[]], \"d\": [{}]}",
      "{\"a\": [1, [2, 3], 4], \"b\": [{\"x\": 1}, 2]}",
      "{\"a\": 1, \"b\": 1.0, \"c\": 1e300, \"d\": -0.0, \"e\": true, \"f\": null}",
      "{\"\": \"\", \"q\\\"\\\\\": \"\\n\\t\\u0001 \\u20ac \\ud83d\\ude00 /\"}",
      "[9223372036854775807, -9223372036854775808]"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    json_auto_t *value = json_loads(texts[i], 0, NULL);
    assert_non_null(value);
    reads_back_equal(value);
  }
}

TEST(random_reals_read_back_to_the_same_bits) {
  random_source source;
  assert_ok(random_seeded(4, &source, err));
  json_auto_t *list = json_array();
  for (int i = 0; i < 20000; i++) {
    uint64_t bits = random_bits(&source);
    double value;
    memcpy(&value, &bits, sizeof value);
    if (isfinite(value)) {
      assert_int_equal(json_array_append_new(list, json_real(value)), 0);
    }
  }
  reads_back_equal(list);
  OWNED_MEMORY char *text = written(list);
  json_auto_t *back = json_loads(text, 0, NULL);
  for (size_t i = 0; i < json_array_size(list); i++) {
    double a = json_real_value(json_array_get(list, i));
    double b = json_real_value(json_array_get(back, i));
    assert_memory_equal(&a, &b, sizeof a);
  }
}

TEST(lists_of_numbers_flow_over_short_lines) {
  json_auto_t *list = json_array();
  for (int i = 0; i < 1000; i++) {
    assert_int_equal(json_array_append_new(list, json_real(1.0 / (i + 1))), 0);
  }
  OWNED_MEMORY char *text = written(list);
  size_t column = 0, lines = 0;
  for (const char *c = text; *c; c++) {
    column = *c == '\n' ? 0 : column + 1;
    lines += *c == '\n';
    assert_true(column <= 100);
  }
  assert_true(lines > 100 && lines < 400);
}
