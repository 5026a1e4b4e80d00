/* Crosses that a model adds after its fit (run/pairs.c): schemas with them, which no fit takes. */
#include "schema/schema.h"

dperm_status schema_with_pairs(const dperm_schema *schema, const column_pair *pairs, size_t count,
                               dperm_schema **out, dperm_error *err) {
  json_auto_t *json = NULL;
  TRY(json_made(json_deep_copy(schema->json), &json, err));
  json_t *list = json_object_get(json, "crosses");
  list = list ? json_incref(list) : json_array();
  for (size_t i = 0; i < count; i++) {
    json_append(&list, json_pack("{s:[s, s], s:b}", "columns", schema->columns[pairs[i].a].name,
                                 schema->columns[pairs[i].b].name, "after_fit", true));
  }
  TRY(json_put(json, "crosses", list, err));
  return schema_from_json(json, "schema", out, err);
}

dperm_status schema_check_fit(const dperm_schema *schema, dperm_error *err) {
  if (schema->after_fit == 0) {
    return DPERM_OK;
  }
  const size_t *pair = schema->crosses[schema->cross_count - 1].columns;
  FAIL(err, DPERM_INVALID_SCHEMA,
       "the cross of \"%.64s\" and \"%.64s\" was added to a model after its fit; take it out of "
       "the schema, and train finds its own",
       schema->columns[pair[0]].name, schema->columns[pair[1]].name);
}
