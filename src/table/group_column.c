/* See group_column.h. */
#include "table/group_column.h"

#include "base/memory.h"
#include "table/cell.h"

static const schema_column *column_of(const dperm_schema *schema) {
  return schema && schema->group != NO_GROUP ? &schema->columns[schema->group] : NULL;
}

static dperm_status copied(const char *text, char **out, dperm_error *err) {
  return memory_copy_text(text, strlen(text), out, err);
}

dperm_status group_names(const dperm_schema *schema, char **column, class_list *names,
                         dperm_error *err) {
  const schema_column *group = column_of(schema);
  *column = NULL;
  *names = (class_list){0};
  if (!group) {
    return DPERM_OK;
  }
  TRY(copied(group->name, column, err));
  TRY(class_list_new(group->categories.count + 1, names, err));
  for (size_t c = 0; c < group->categories.count; c++) {
    TRY(copied(group->categories.names[c], &names->names[c], err));
  }
  return copied("(other)", &names->names[group->categories.count], err);
}

/* What each code of the table's column is in the schema's: a category of the table lies in one of
 * these (rows_check_schema), as any of its texts does. */
static void groups_of_codes(const schema_column *from, const schema_column *to, uint32_t *groups) {
  const uint32_t none = (uint32_t)to->categories.count,
                 other = to->other == LOOKUP_NONE ? none : (uint32_t)to->other;
  groups[CELL_MISSING] = none;
  groups[CELL_UNKNOWN] = other;
  if (from->other != LOOKUP_NONE) {
    groups[from->other + CELL_CATEGORY] = other;
  }
  for (size_t p = 0; p < from->values.capacity; p++) {
    const lookup_entry *value = &from->values.places[p];
    if (value->text) {
      const int32_t category = category_of(to, (slice){value->text, value->length});
      groups[value->value + CELL_CATEGORY] = category == LOOKUP_NONE ? none : (uint32_t)category;
    }
  }
}

dperm_status groups_of_records(const record_table *t, const dperm_schema *schema, uint32_t *groups,
                               dperm_error *err) {
  OWNED_MEMORY uint32_t *of_codes = NULL;
  const schema_column *from = &t->schema->columns[schema->group];
  size_t place = 0;
  while (t->layout.places[place] != schema->group) {
    place++;
  }
  TRY(memory_new(from->categories.count + CELL_CATEGORY, sizeof *of_codes, &of_codes, err));
  groups_of_codes(from, column_of(schema), of_codes);
  for (size_t i = 0; i < t->rows; i++) {
    groups[i] = of_codes[(size_t)table_cell(t, i, place)];
  }
  return DPERM_OK;
}
