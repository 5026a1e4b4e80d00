/* The group that a schema declares: what a schema may say of it, which group a record is of, by its
 * own cell alone, and that a column of type group is no part of a row. */
#include <stdio.h>
#include <stdlib.h>

#include "data/dataset.h"
#include "support.h"
#include "table/group_column.h"
#include "table/rows.h"

#define LABEL "'label': {'column': 'y', 'positive': ['1'], 'negative': ['0']}"
#define AGE "{'name': 'a', 'type': 'numeric', 'min': 0, 'max': 10}"
#define TOWN "{'name': 'town', 'type': 'group', 'values': ['north', 'south']}"

TEST(schemas_name_a_column_with_listed_values) {
  schema_refused("{" LABEL ", 'group': 'sex', 'columns': [" AGE "]}", "must name a column with");
  schema_refused("{" LABEL ", 'group': 'a', 'columns': [" AGE "]}", "must name a column with");
  schema_refused("{" LABEL ", 'group': 7, 'columns': [" AGE "]}", "must be a text");
  schema_refused("{" LABEL ", 'columns': [" AGE ", " TOWN "]}", "\"group\" does not name it");
  schema_refused("{" LABEL ", 'group': 'b', 'columns': [" AGE ", {'name': 'b', 'type': 'ignore'}]}",
                 "one of type categorical, or of type group");
  schema_refused("{" LABEL ", 'group': 'b', 'columns': [" AGE ", {'name': 'b', 'type': 'group'}]}",
                 "needs either \"values\" or \"groups\"");
  schema_refused("{" LABEL ", 'group': 'b', 'columns': [" AGE
                 ", {'name': 'b', 'type': 'group', 'values': ['x'], 'weight': 2}]}",
                 "weight");
}

static dperm_data *read_text(const dperm_schema *schema, const char *text) {
  auto_file *path = file_with_text(text);
  dperm_data *data = NULL;
  const dperm_source source = {.path = path, .schema = schema};
  assert_ok(dperm_data_read(&source, NULL, &data, err));
  return data;
}

static void assert_groups(const dperm_data *data, const dperm_schema *schema, const char *column,
                          const uint32_t *expected) {
  class_list names = {0};
  char *name = NULL;
  uint32_t found[8];
  assert_true(dperm_data_rows(data) <= 8);
  assert_ok(group_names(schema, &name, &names, err));
  assert_string_equal(name, column);
  assert_int_equal(names.count, 3);
  assert_string_equal(names.names[2], "(other)");
  assert_ok(groups_of_records(data->table, schema, found, err));
  assert_memory_equal(found, expected, dperm_data_rows(data) * sizeof *expected);
  class_list_clear(&names);
  free(name);
}

TEST(a_record_is_of_the_group_of_its_own_cell_and_dropped_for_none) {
  auto_schema *schema = schema_quoted("{" LABEL ", 'group': 'town', 'on_missing': 'drop', "
                                      "'missing': ['?'], 'columns': [" TOWN ", " AGE "]}");
  static const uint32_t expected[] = {0, 1, 2, 2, 1};
  auto_data *data =
      read_text(schema, "a,town,y\n1,north,1\n2,south,0\n3,?,1\n4,west,1\n?,north,1\n5,south,0\n");
  assert_int_equal(dperm_schema_dims(schema), 1); /* the age alone */
  assert_int_equal(dperm_data_rows(data), 5);
  assert_groups(data, schema, "town", expected);
}

TEST(a_categorical_column_can_be_a_group_too) {
  auto_schema *schema = schema_quoted(
      "{" LABEL ", 'group': 'town', 'columns': [" AGE ", {'name': 'town', "
      "'type': 'categorical', 'groups': {'up': ['north', 'top'], 'down': ['south']}}]}");
  static const uint32_t expected[] = {0, 0, 1, 2};
  auto_data *data = read_text(schema, "a,town,y\n1,north,1\n2,top,0\n3,south,1\n4,,1\n");
  assert_int_equal(dperm_schema_dims(schema), 3);
  assert_groups(data, schema, "town", expected);
}

/* Records are read under one schema and evaluated by a model of another that goes with them. */
TEST(groups_are_those_of_the_schema_that_asks) {
  auto_schema *cells = schema_quoted(
      "{" LABEL ", 'columns': [{'name': 'town', 'type': 'categorical', 'groups': {'n': ['north', "
      "'top'], 's': ['south'], 'w': ['west'], 'rest': '*'}}]}");
  auto_schema *asks = schema_quoted(
      "{" LABEL ", 'group': 'town', 'columns': [{'name': 'town', 'type': 'categorical', 'groups': "
      "{'up': ['north', 'top', 'west'], 'down': ['south']}}]}");
  static const uint32_t expected[] = {0, 0, 1, 0, 2, 2};
  auto_data *data = read_text(cells, "town,y\nnorth,1\ntop,0\nsouth,1\nwest,1\nelse,1\n,0\n");
  assert_ok(rows_check_schema(data->table, asks, err));
  assert_groups(data, asks, "town", expected);
}

TEST(labelled_records_need_the_column) {
  auto_schema *schema =
      schema_quoted("{" LABEL ", 'group': 'town', 'columns': [" AGE ", " TOWN "]}");
  auto_file *path = file_with_text("a,y\n1,1\n");
  dperm_data *none = NULL;
  const dperm_source source = {.path = path, .schema = schema};
  assert_fails(dperm_data_read(&source, NULL, &none, err), DPERM_INVALID_DATA,
               "has no column \"town\"");
}
