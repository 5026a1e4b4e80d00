/* The group that a schema declares, by whose categories evaluations give rates: a categorical
 * column, from which models learn, or one of type group, which is never part of a row. */
#include "schema/schema_parse.h"

dperm_status schema_parse_group(const json_document *doc, const lookup *names, dperm_schema *schema,
                                dperm_error *err) {
  const json_t *given = json_object_get(doc->root, "group");
  const char *name = "";
  schema->group = NO_GROUP;
  if (given) {
    TRY(schema_get_text(doc, doc->root, "group", NULL, &name, err));
    const int32_t column = lookup_find(names, slice_of(name));
    const column_type type = column == LOOKUP_NONE ? COLUMN_IGNORE : schema->columns[column].type;
    JSON_FAIL_IF(type != COLUMN_GROUP && type != COLUMN_CATEGORICAL, doc, given, err,
                 "\"group\" must name a column with listed values: one of type categorical, or of "
                 "type group if nothing is to be learned from it");
    schema->group = (size_t)column;
  }
  for (size_t c = 0; c < schema->column_count; c++) {
    JSON_FAIL_IF(schema->columns[c].type == COLUMN_GROUP && c != schema->group, doc,
                 json_array_get(json_object_get(doc->root, "columns"), c), err,
                 "column \"%.64s\" has the type group, but the schema's \"group\" does not name it",
                 schema->columns[c].name);
  }
  return DPERM_OK;
}
