/* Which schemas go with a table: see rows.h. */

#include "base/memory.h"
#include "table/cell.h"
#include "table/rows.h"

static bool same_texts(const lookup *a, const lookup *b) {
  bool same = a->count == b->count;
  for (size_t p = 0; same && p < a->capacity; p++) {
    const lookup_entry *e = &a->places[p];
    same = !e->text || lookup_find(b, (slice){e->text, e->length}) == e->value;
  }
  return same;
}

/* Whether every category of `from` lies in one of `to`: all texts of one, and of those that are
 * listed nowhere, are of one category there too. */
static dperm_status groups_of(const schema_column *from, const schema_column *to, bool *out,
                              dperm_error *err) {
  enum { NOT_SEEN = INT32_MIN };
  OWNED_MEMORY int32_t *seen = NULL;
  const size_t count = from->categories.count;
  TRY(memory_new(count + 1, sizeof *seen, &seen, err));
  for (size_t c = 0; c <= count; c++) {
    seen[c] = NOT_SEEN;
  }
  seen[from->other == LOOKUP_NONE ? count : (size_t)from->other] = to->other; /* what is unlisted */
  *out = true;
  for (size_t side = 0; side < 2; side++) {
    const lookup *values = side ? &to->values : &from->values;
    for (size_t p = 0; *out && p < values->capacity; p++) {
      const slice text = {values->places[p].text, values->places[p].length};
      if (text.start) {
        int32_t own = category_of(from, text), category = category_of(to, text);
        int32_t *before = &seen[own == LOOKUP_NONE ? count : (size_t)own];
        *out = *before == NOT_SEEN || *before == category;
        *before = category;
      }
    }
  }
  return DPERM_OK;
}

static bool same_target(const dperm_schema *a, const dperm_schema *b) {
  return a->target && b->target
             ? a->target->min == b->target->min && a->target->max == b->target->max
             : !a->target && !b->target;
}

dperm_status rows_check_schema(const record_table *t, const dperm_schema *schema,
                               dperm_error *err) {
  const dperm_schema *own = t->schema;
  if (own == schema) {
    return DPERM_OK;
  }
  const bool drops = own->on_missing == MISSING_DROP;
  bool fits =
      own->column_count == schema->column_count && same_texts(&own->missing, &schema->missing) &&
      strcmp(own->label_column, schema->label_column) == 0 &&
      same_texts(&own->labels, &schema->labels) && own->label_other == schema->label_other &&
      class_list_equal(&own->classes, &schema->classes) && same_target(own, schema) &&
      drops == (schema->on_missing == MISSING_DROP) && own->person == schema->person;
  for (size_t c = 0; fits && c < schema->column_count; c++) {
    const schema_column *from = &own->columns[c], *to = &schema->columns[c];
    /* a column may be left out, unless records are dropped for what is missing in it */
    fits = strcmp(from->name, to->name) == 0 &&
           (to->type == from->type || (to->type == COLUMN_IGNORE && !drops)) &&
           (to->type != COLUMN_NUMERIC || (to->min >= from->min && to->max <= from->max));
    if (fits && (to->type == COLUMN_CATEGORICAL || to->type == COLUMN_GROUP)) {
      TRY(groups_of(from, to, &fits, err));
    }
  }
  FAIL_IF(!fits, err, DPERM_INVALID_SCHEMA,
          "the records were read under a schema with other columns, ranges, values or labels than "
          "the one given, or the model's; read or encode them under that one");
  return DPERM_OK;
}
