/* Cuts of a numeric column into bins, and pairs of columns, from their JSON. */
#include <string.h>

#include "base/memory.h"
#include "schema/auto_bins.h"
#include "schema/schema_parse.h"

static dperm_status cut_equally(const json_document *doc, const json_t *bins, schema_column *column,
                                dperm_error *err) {
  const json_int_t count = json_integer_value(bins);
  if (!json_is_integer(bins) || count < 2 || count > BINS_MOST) {
    return json_fail_at(doc, bins, err, "\"bins\" must be a whole number from 2 to %d", BINS_MOST);
  }
  column->cut_count = (size_t)count - 1;
  TRY(memory_new(column->cut_count, sizeof *column->cuts, &column->cuts, err));
  if (!bins_cut_equally(column, (size_t)count, column->cuts)) {
    return json_fail_at(doc, bins, err,
                        "the range of column \"%.64s\" cannot be cut into %zu bins; give fewer, "
                        "or list the cuts",
                        column->name, (size_t)count);
  }
  return DPERM_OK;
}

/* Cuts in the units of the column; the ends of the range may stand among them and add nothing. */
static dperm_status cut_at(const json_document *doc, const json_t *object, const json_t *bins,
                           schema_column *column, dperm_error *err) {
  size_t i, count = json_array_size(bins);
  if (count == 0 || count > BINS_MOST + 1) {
    return json_fail_at(doc, json_blamed(object, bins), err,
                        "\"bins\" must list from 1 to %d cuts, or be their number, or \"auto\"",
                        BINS_MOST + 1);
  }
  TRY(memory_new(count, sizeof *column->cuts, &column->cuts, err));
  const json_t *element;
  double before = 0;
  json_array_foreach(bins, i, element) {
    double cut = json_number_value(element);
    if (!json_is_number(element)) {
      return json_fail_at(doc, json_blamed(bins, element), err,
                          "a cut in \"bins\" must be a number");
    }
    if (!(cut >= column->min && cut <= column->max)) {
      return json_fail_at(doc, element, err,
                          "a cut in \"bins\" of column \"%.64s\" is outside of its range; keep to "
                          "\"min\" and \"max\"",
                          column->name);
    }
    if (i > 0 && !(cut > before)) {
      return json_fail_at(
          doc, element, err,
          "the cuts in \"bins\" of column \"%.64s\" must rise; sort them, each once", column->name);
    }
    before = cut;
    if (cut > column->min && cut < column->max) {
      column->cuts[column->cut_count++] = cut;
    }
  }
  if (column->cut_count >= BINS_MOST) {
    return json_fail_at(doc, bins, err, "%zu bins are too many; give at most %d",
                        column->cut_count + 1, BINS_MOST);
  }
  return DPERM_OK;
}

dperm_status schema_parse_bins(const json_document *doc, json_t *object, schema_column *column,
                               dperm_error *err) {
  const json_t *bins = json_object_get(object, "bins"), *line = json_object_get(object, "line");
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
  if (json_is_array(bins)) {
    return cut_at(doc, object, bins, column, err);
  }
  if (column->binned && !json_is_number(bins)) {
    return json_fail_at(doc, json_blamed(object, bins), err,
                        "\"bins\" must be a number of bins, a list of cuts, or \"auto\"");
  }
  return column->binned ? cut_equally(doc, bins, column, err) : DPERM_OK;
}

/* The column called so, if it has values to make pairs of. */
static dperm_status find_column(const json_document *doc, const json_t *pair, const json_t *name,
                                const lookup *names, const dperm_schema *schema, size_t *out,
                                dperm_error *err) {
  if (!json_is_string(name)) {
    return json_fail_at(doc, json_blamed(pair, name), err, "a cross is a pair of names of columns");
  }
  int32_t at = lookup_find(names, (slice){json_string_value(name), json_string_length(name)});
  if (at == LOOKUP_NONE) {
    return json_fail_at(doc, name, err,
                        "no column is called \"%.64s\"; cross columns of the schema",
                        json_string_value(name));
  }
  const schema_column *column = &schema->columns[at];
  if (column->type != COLUMN_CATEGORICAL && !column->binned && !column->bins_auto) {
    return json_fail_at(doc, name, err,
                        "column \"%.64s\" has no values to make pairs of; cross categorical "
                        "columns, or numeric ones with \"bins\"",
                        column->name);
  }
  *out = (size_t)at;
  return DPERM_OK;
}

static dperm_status parse_cross(const json_document *doc, json_t *list, json_t *given,
                                const lookup *names, dperm_schema *schema, dperm_error *err) {
  static const char *const keys[] = {"columns", "weight", NULL};
  schema_cross *cross = &schema->crosses[schema->cross_count];
  const json_t *pair = given;
  cross->weight = 1.0;
  if (json_is_object(given)) {
    TRY(json_check_keys(doc, given, keys, "this cross", err));
    TRY(schema_get_weight(doc, given, "weight", 1.0, &cross->weight, err));
    pair = json_object_get(given, "columns");
  }
  if (!json_is_array(pair) || json_array_size(pair) != 2) {
    return json_fail_at(doc, json_blamed(list, given), err,
                        "a cross is a list of two columns, or an object with such \"columns\" and "
                        "a \"weight\"");
  }
  for (size_t i = 0; i < 2; i++) {
    TRY(find_column(doc, pair, json_array_get(pair, i), names, schema, &cross->columns[i], err));
  }
  bool twice = cross->columns[0] == cross->columns[1];
  for (const schema_cross *other = schema->crosses; other < cross; other++) {
    twice = twice ||
            (other->columns[0] == cross->columns[0] && other->columns[1] == cross->columns[1]) ||
            (other->columns[0] == cross->columns[1] && other->columns[1] == cross->columns[0]);
  }
  if (twice) {
    return json_fail_at(doc, json_blamed(list, given), err,
                        "a cross is of two different columns, and each pair stands here once");
  }
  schema->columns[cross->columns[0]].crossed = schema->columns[cross->columns[1]].crossed = true;
  schema->cross_count++;
  return DPERM_OK;
}

dperm_status schema_parse_crosses(const json_document *doc, dperm_schema *schema,
                                  dperm_error *err) {
  OWNED(lookup_clear) lookup names = {0};
  json_t *list = json_object_get(doc->root, "crosses");
  if (!list) {
    return DPERM_OK;
  }
  if (!json_is_array(list) || json_array_size(list) > CROSSES_MOST) {
    return json_fail_at(doc, json_blamed(doc->root, list), err,
                        "\"crosses\" must be a list of pairs of columns, at most %d", CROSSES_MOST);
  }
  for (size_t i = 0; i < schema->column_count; i++) {
    bool added = false;
    TRY(lookup_add(&names, slice_of(schema->columns[i].name), (int32_t)i, &added, err));
  }
  TRY(memory_new(json_array_size(list), sizeof *schema->crosses, &schema->crosses, err));
  size_t i;
  json_t *given;
  json_array_foreach(list, i, given) {
    TRY(parse_cross(doc, list, given, &names, schema, err));
  }
  return DPERM_OK;
}
