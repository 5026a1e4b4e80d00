/* What costs accuracy and can be seen in a schema alone: each remark names the columns and says
 * what to do. Nothing here is an error, and nothing depends on a record. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "schema/identifier_name.h"
#include "schema/schema.h"

enum {
  NAMES_SHOWN = 4,
  MANY_CATEGORIES = 30, /* more encoded columns than most schemas have in all */
  REMARK_SIZE = 1024
};
static const double wide_from =
    1e4; /* a range so wide, and its end so much nearer to zero, may be */
static const double wide_ratio = 1e-3; /* of amounts that are mostly small */

/* Names and values may hold anything. */
static json_t *visible_text(const char *words) {
  char line[REMARK_SIZE];
  dperm_text_visible(words, line, sizeof line);
  return json_string_nocheck(line);
}

/* ---- columns of which one thing is to be said */

typedef bool column_test(const schema_column *column);

typedef struct column_names {
  char text[400]; /* "column "a"", "columns "a", "b" and 3 more" */
  size_t count;
} column_names;

static column_names names_of(const dperm_schema *schema, column_test *test) {
  column_names out = {"", 0};
  char list[320] = "";
  size_t used = 0;
  for (size_t i = 0; i < schema->column_count; i++) {
    const schema_column *column = &schema->columns[i];
    if (test(column) && out.count++ < NAMES_SHOWN) {
      used += (size_t)snprintf(list + used, sizeof list - used, "%s\"%.64s\"", used ? ", " : "",
                               column->name);
    }
  }
  char more[32] = "";
  if (out.count > NAMES_SHOWN) {
    (void)snprintf(more, sizeof more, " and %zu more", out.count - NAMES_SHOWN);
  }
  (void)snprintf(out.text, sizeof out.text, "column%s %s%s", out.count == 1 ? "" : "s", list, more);
  return out;
}

/* A straight line has a scale; where bins are all there is of a number, nothing is scaled. */
static bool has_line(const schema_column *column) {
  return column->type == COLUMN_NUMERIC && (!column->binned || column->line > 0);
}

static bool version_2_centres(const schema_column *column) {
  return has_line(column) && !column->scale_given && column->min != -column->max;
}

/* Zero is outside of the range, and not near it: what is encoded is nearly the same for all. */
static bool far_from_zero(const schema_column *column) {
  const double low = column_transformed(column, column->min),
               high = column_transformed(column, column->max), nearer = fmin(fabs(low), fabs(high));
  return has_line(column) && column->scale == SCALE_MAX && low * high > 0 &&
         nearer >= 0.1 * (high - low);
}

/* Amounts of many sizes, most of which a straight line from end to end cannot tell from zero. */
static bool spans_magnitudes(const schema_column *column) {
  return column->type == COLUMN_NUMERIC && !column->binned && column->transform == TRANSFORM_NONE &&
         column->min > -1 && column->max - column->min >= wide_from &&
         column->min <= wide_ratio * column->max;
}

static bool is_named_like_identifier(const schema_column *column) {
  return column->type == COLUMN_NUMERIC && name_is_identifier(column->name);
}

static bool is_ignored_identifier(const schema_column *column) {
  return column->type == COLUMN_IGNORE && name_is_identifier(column->name);
}

static bool has_one_value(const schema_column *column) {
  return column->type == COLUMN_CATEGORICAL && column->categories.count == 1;
}

static bool has_many_values(const schema_column *column) {
  return column->type == COLUMN_CATEGORICAL && column->categories.count >= MANY_CATEGORIES;
}

/* ---- two columns that may be one */

/* Whether the names differ in capitals and signs alone. */
static bool same_letters(const char *a, const char *b) {
  for (;; a++, b++) {
    while (*a && !isalnum((unsigned char)*a) && (unsigned char)*a < 0x80) {
      a++;
    }
    while (*b && !isalnum((unsigned char)*b) && (unsigned char)*b < 0x80) {
      b++;
    }
    if (tolower((unsigned char)*a) != tolower((unsigned char)*b)) {
      return false;
    }
    if (!*a) {
      return true;
    }
  }
}

static bool is_encoded(const schema_column *column) {
  return column->type == COLUMN_NUMERIC || column->type == COLUMN_CATEGORICAL;
}

/* The first pair alone: a schema with one such slip is looked through for others. */
static void add_twins(const dperm_schema *schema, json_t **remarks) {
  enum { COLUMNS_MOST = 2000 }; /* pairs are quadratic in them */
  const size_t count = schema->column_count;
  for (size_t i = 0; i < count && count <= COLUMNS_MOST; i++) {
    for (size_t j = i + 1; is_encoded(&schema->columns[i]) && j < count; j++) {
      const char *a = schema->columns[i].name, *b = schema->columns[j].name;
      if (is_encoded(&schema->columns[j]) && same_letters(a, b)) {
        json_append_line(
            remarks,
            "columns \"%.64s\" and \"%.64s\" are called almost the same: where one repeats the "
            "other, ignore one, since each has noise of its own",
            a, b);
        return;
      }
    }
  }
}

/* ---- all of them */

json_t *schema_version_remark(const dperm_schema *schema) {
  const column_names names = names_of(schema, version_2_centres);
  const bool intercept = !schema->intercept_given;
  char centred[480] = "", words[REMARK_SIZE];
  if (schema->version_given || schema->version > SCHEMA_VERSION_1 ||
      (names.count == 0 && !intercept)) {
    return json_null();
  }
  if (names.count > 0) {
    (void)snprintf(centred, sizeof centred, "centre %s (\"scale\": \"center\")", names.text);
  }
  (void)snprintf(words, sizeof words,
                 "the schema has no \"version\", so it is read as 1: \"version\": 2 would %s%s%s; "
                 "with \"version\": 1 it stays as it is",
                 intercept ? "add an intercept" : "", intercept && *centred ? " and " : "",
                 centred);
  return visible_text(words);
}

json_t *schema_remarks(const dperm_schema *schema) {
  static const struct {
    column_test *test;
    const char *words;
  } table[] = {
      {far_from_zero,
       "a range far from 0 with \"scale\": \"max\", so all values encode as nearly the same "
       "number, and the noise hides what is left: \"scale\": \"center\" maps the range to -1 to 1"},
      {spans_magnitudes,
       "a range over several powers of ten: if most values are small, \"transform\": \"log1p\" "
       "tells them apart; a narrower range does too, since values outside are clamped"},
      {has_many_values, "so many values that noise may cost more than they tell: merge rare ones "
                        "(\"groups\", with \"*\" for all others), or ignore it"},
      {has_one_value,
       "a list of one value tells only who has it: list the others too, or ignore it"},
      {is_named_like_identifier,
       "a number, but called like an identifier of people or records; if it is one, its type is "
       "\"ignore\", and where it repeats, put it into the schema as \"person\""},
  };
  json_t *remarks = json_array(), *version = schema_version_remark(schema);
  if (json_is_null(version)) {
    json_decref(version);
  } else {
    json_append(&remarks, version);
  }
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const column_names names = names_of(schema, table[i].test);
    if (names.count > 0) {
      json_append_line(&remarks, "%s: %s", names.text, table[i].words);
    }
  }
  const column_names whose = names_of(schema, is_ignored_identifier);
  if (whose.count > 0 && schema->person == NO_PERSON) {
    json_append_line(
        &remarks,
        "%s: called like an identifier; if it tells persons apart and one has several records, put "
        "it into the schema as \"person\", so that each is protected as a whole",
        whose.text);
  }
  add_twins(schema, &remarks);
  return remarks;
}
