/* See group_column.h. */
#include "table/group_column.h"

#include "base/memory.h"
#include "table/cell.h"

static const schema_column *column_of(const record_table *t) {
  return t && t->schema->group != NO_GROUP ? &t->schema->columns[t->schema->group] : NULL;
}

static dperm_status copied(const char *text, char **out, dperm_error *err) {
  return memory_copy_text(text, strlen(text), out, err);
}

dperm_status group_names(const record_table *t, char **column, class_list *names,
                         dperm_error *err) {
  const schema_column *group = column_of(t);
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

void groups_of_records(const record_table *t, uint32_t *groups) {
  const uint32_t other = (uint32_t)column_of(t)->categories.count;
  size_t place = 0;
  while (t->layout.places[place] != t->schema->group) {
    place++;
  }
  for (size_t i = 0; i < t->rows; i++) {
    const uint32_t code = (uint32_t)table_cell(t, i, place);
    groups[i] = code < CELL_CATEGORY ? other : code - CELL_CATEGORY;
  }
}
