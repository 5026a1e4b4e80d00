/* See arrow_people.h. */
#include "arrow_people.h"

#include "data/dataset.h"

const char people_schema[] =
    "{\"label\": {\"column\": \"ill\", \"classes\": [\"no\", \"yes\"]}, \"missing\": [\"\", \"?\", "
    "\"-9\"], \"columns\": [{\"name\": \"age\", \"type\": \"numeric\", \"min\": 0, \"max\": 100}, "
    "{\"name\": \"code\", \"type\": \"categorical\", \"values\": [\"0\", \"1\", \"2\", \"0.5\", "
    "\"True\", \"False\", \"18446744073709551615\", \"a longer text than a view holds\"]}]}";

const double people_ages[PEOPLE] = {0, 7.5, 40, 100, -9, 12};
const double people_codes[PEOPLE] = {0, 1, 2, 1, 0, 2};
const char *const people_texts[PEOPLE] = {"0", "1", " 2\t", "1", "0", "2"};
const char *const people_labels[PEOPLE] = {"no", "yes", "no", "no", "yes", "yes"};

const made_column age_column = {.name = "age", .format = "g", .numbers = people_ages};
const made_column code_column = {.name = "code", .format = "u", .texts = people_texts};
const made_column label_column = {.name = "ill", .format = "u", .texts = people_labels};

/* ---- reading */

opened arrow_opened(const made_table *table, const dperm_column *beside, bool unlabelled) {
  opened o = {.data = NULL};
  assert_ok(dperm_schema_parse(people_schema, strlen(people_schema), "schema", &o.schema, err));
  struct ArrowArrayStream stream = arrow_made(table);
  const dperm_arrow arrow = {.stream = &stream,
                             .labels = beside,
                             .label_count = beside ? PEOPLE : 0,
                             .unlabelled = unlabelled};
  const dperm_source source = {.arrow = &arrow, .schema = o.schema};
  o.status = dperm_data_read(&source, NULL, &o.data, &o.why);
  assert_null(stream.release);
  assert_int_equal(arrow_live(), 0);
  return o;
}

void opened_close(opened *o) {
  dperm_data_free(o->data);
  dperm_schema_free(o->schema);
}

made_table people_table(const made_column columns[3]) {
  return (made_table){.columns = columns, .column_count = 3, .rows = PEOPLE};
}

/* The cells of both are the same bits. */
void assert_same_cells(const dperm_data *a, const dperm_data *b) {
  assert_int_equal(dperm_data_rows(a), dperm_data_rows(b));
  for (size_t i = 0; i < dperm_data_rows(a); i++) {
    for (size_t c = 0; c < a->table->layout.count; c++) {
      const double one = table_cell(a->table, i, c), two = table_cell(b->table, i, c);
      if (memcmp(&one, &two, sizeof one) != 0) {
        fail_msg("row %zu, column %zu: %g instead of %g", i, c, one, two);
      }
    }
  }
}

opened csv_opened(const char *csv) {
  opened o = {.data = NULL};
  char *path = file_with_text(csv);
  assert_ok(dperm_schema_parse(people_schema, strlen(people_schema), "schema", &o.schema, err));
  const dperm_source source = {.path = path, .format = DPERM_FORMAT_CSV, .schema = o.schema};
  assert_ok(dperm_data_read(&source, NULL, &o.data, err));
  file_remove(path);
  return o;
}

const char people_csv[] =
    "age,code,ill\n0,0,no\n7.5,1,yes\n40,2,no\n100,1,no\n-9,0,yes\n12,2,yes\n";

void assert_read_as_csv(const made_table *table) {
  OWNED(opened_close) opened want = csv_opened(people_csv);
  OWNED(opened_close) opened found = arrow_opened(table, NULL, false);
  if (found.status != DPERM_OK) {
    fail_msg("%s", found.why.message);
  }
  assert_same_cells(found.data, want.data);
}
