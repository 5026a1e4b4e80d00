/* Cuts of a numeric column into bins, and pairs of columns, from their JSON. */

#include "base/memory.h"
#include "schema/auto_bins.h"
#include "schema/schema_parse.h"

/* So many bins of equal width; false where that cannot be. */
static dperm_status cut_equally(const json_t *bins, schema_column *column, bool *sound,
                                dperm_error *err) {
  const json_int_t count = json_integer_value(bins);
  *sound = count >= 2 && count <= BINS_MOST;
  if (*sound) {
    column->cut_count = (size_t)count - 1;
    TRY(memory_new(column->cut_count, sizeof *column->cuts, &column->cuts, err));
    *sound = bins_cut_equally(column, (size_t)count, column->cuts);
  }
  return DPERM_OK;
}

/* Cuts in the units of the column; the ends of the range may stand among them and add nothing. */
static dperm_status cut_at(const json_t *bins, schema_column *column, bool *sound,
                           dperm_error *err) {
  size_t i, count = json_array_size(bins);
  *sound = count >= 1 && count <= BINS_MOST + 1;
  TRY(memory_new(count, sizeof *column->cuts, &column->cuts, err));
  const json_t *element;
  double before = -INFINITY;
  json_array_foreach(bins, i, element) {
    double cut = json_number_value(element);
    *sound = *sound && json_is_number(element) && cut > before && cut >= column->min &&
             cut <= column->max;
    before = cut;
    if (cut > column->min && cut < column->max) {
      column->cuts[column->cut_count++] = cut;
    }
  }
  *sound = *sound && column->cut_count < BINS_MOST;
  return DPERM_OK;
}

dperm_status schema_parse_bins(const json_document *doc, json_t *object, schema_column *column,
                               dperm_error *err) {
  const json_t *bins = json_object_get(object, "bins"), *line = json_object_get(object, "line");
  bool sound = true;
  if (!bins) {
    return line ? json_fail_at(doc, json_blamed(object, line), err,
                               "\"line\" stands beside \"bins\"; a column without them is one "
                               "already, with a \"weight\"")
                : DPERM_OK;
  }
  if (line && !(json_is_number(line) && json_number_value(line) == 0)) {
    TRY(schema_get_weight(doc, object, "line", 0, &column->line, err));
  }
  column->bins_auto = json_is_string(bins) && strcmp(json_string_value(bins), "auto") == 0;
  column->binned = !column->bins_auto;
  if (column->binned) {
    TRY(json_is_array(bins) ? cut_at(bins, column, &sound, err)
                            : cut_equally(bins, column, &sound, err));
  }
  return sound ? DPERM_OK
               : json_fail_at(doc, json_blamed(object, bins), err,
                              "\"bins\" of column \"%.64s\" must be a whole number from 2 to %d, "
                              "such that doubles can tell them apart, or a list of cuts that rise "
                              "from \"min\" to \"max\", or \"auto\"",
                              column->name, BINS_MOST);
}

/* The column called so, if it has values to make pairs of (or parts of a line); else none. */
static size_t find_column(const json_t *name, const lookup *names, const dperm_schema *schema,
                          bool lines) {
  const slice text = slice_of(json_is_string(name) ? json_string_value(name) : "");
  int32_t at = json_is_string(name) ? lookup_find(names, text) : LOOKUP_NONE;
  const schema_column *column = at == LOOKUP_NONE ? NULL : &schema->columns[at];
  return column && (column->type == COLUMN_CATEGORICAL || column->binned || column->bins_auto ||
                    (lines && column->type == COLUMN_NUMERIC))
             ? (size_t)at
             : SIZE_MAX;
}

static dperm_status parse_cross(const json_document *doc, json_t *list, json_t *given,
                                const lookup *names, dperm_schema *schema, dperm_error *err) {
  static const char *const keys[] = {"columns", "weight", "after_fit", NULL};
  schema_cross *cross = &schema->crosses[schema->cross_count];
  const json_t *pair = given;
  cross->weight = 1.0;
  if (json_is_object(given)) {
    TRY(json_check_keys(doc, given, keys, "this cross", err));
    TRY(schema_get_weight(doc, given, "weight", 1.0, &cross->weight, err));
    TRY(schema_get_bool(doc, given, "after_fit", &cross->after_fit, err));
    pair = json_object_get(given, "columns");
  }
  const bool after = cross->after_fit;
  const size_t a = find_column(json_array_get(pair, 0), names, schema, after);
  const size_t b = find_column(json_array_get(pair, 1), names, schema, after);
  bool sound = json_array_size(pair) == 2 && a != SIZE_MAX && b != SIZE_MAX && a != b &&
               (!after || cross->weight == 1) &&
               (after || cross == schema->crosses || !cross[-1].after_fit); /* these come last */
  for (const schema_cross *other = schema->crosses; other < cross; other++) {
    bool same = (other->columns[0] == a && other->columns[1] == b) ||
                (other->columns[0] == b && other->columns[1] == a);
    sound = sound && !(same && other->after_fit == after);
  }
  JSON_FAIL_IF(!sound, doc, json_blamed(list, given), err,
               "a cross is a list of two different columns, each categorical or with \"bins\", or "
               "an object with such \"columns\" and a \"weight\"; every pair stands here once "
               "(\"after_fit\" is for models: any two columns, no weight, behind all others)");
  cross->columns[0] = a;
  cross->columns[1] = b;
  for (size_t i = 0; i < 2; i++) {
    schema_column *column = &schema->columns[cross->columns[i]];
    column->level = column->crossed ? column->level : schema->crossed_count++;
    column->crossed = true;
  }
  schema->cross_count++;
  return DPERM_OK;
}

dperm_status schema_parse_crosses(const json_document *doc, const lookup *names,
                                  dperm_schema *schema, dperm_error *err) {
  json_t *list = json_object_get(doc->root, "crosses");
  if (!list) {
    return DPERM_OK;
  }
  JSON_FAIL_IF(!json_is_array(list) || json_array_size(list) > CROSSES_MOST, doc,
               json_blamed(doc->root, list), err,
               "\"crosses\" must be a list of pairs of columns, at most %d", CROSSES_MOST);
  TRY(memory_new(json_array_size(list), sizeof *schema->crosses, &schema->crosses, err));
  size_t i;
  json_t *given;
  json_array_foreach(list, i, given) {
    TRY(parse_cross(doc, list, given, names, schema, err));
  }
  return DPERM_OK;
}
