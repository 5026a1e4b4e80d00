/* Nothing is guessed here. What the dictionary says becomes a numeric or a categorical column; what
 * it leaves open is for a person, so the column is ignored and a remark says what would be needed.
 */
#include "draft/import_column.h"

#include <math.h>

#include "draft/draft_remarks.h"

enum {
  WHOLE_FEW = 12,  /* so few whole numbers may be codes */
  MANY_VALUES = 50 /* so many weights are much noise for one column */
};

static size_t texts_of(const json_t *categories) {
  size_t count = 0;
  for (size_t i = 0; i < json_array_size(categories); i++) {
    count += json_array_size(json_array_get(categories, i));
  }
  return count;
}

dperm_status import_drop_missing(dictionary *d, dictionary_column *column, dperm_error *err) {
  if (!column->categories) {
    return DPERM_OK;
  }
  json_auto_t *kept = json_array();
  for (size_t i = 0; i < json_array_size(column->categories); i++) {
    const json_t *texts = json_array_get(column->categories, i);
    json_auto_t *left = json_array();
    for (size_t j = 0; left && j < json_array_size(texts); j++) {
      json_t *text = json_array_get(texts, j);
      if (!dictionary_holds(column->missing, json_string_value(text))) {
        json_append(&left, json_incref(text));
      }
    }
    if (!left || json_array_size(left) > 0) {
      json_append(&kept, json_incref(left));
    }
  }
  if (!kept) {
    return dictionary_no_memory(err);
  }
  size_t gone = texts_of(column->categories) - texts_of(kept);
  if (gone > 0) {
    draft_remark(
        &d->remarks,
        "column \"%.64s\": %zu of its listed values mean \"missing\" and are no categories",
        column->name, gone);
  }
  json_t *before = column->categories;
  column->categories = kept;
  kept = before;
  return DPERM_OK;
}

/* ---- judging */

static import_use judge_number(const dictionary_column *column) {
  double low = column->min, high = column->max, larger = fmax(fabs(low), fabs(high));
  if (column->dressed) {
    return IMPORT_DRESSED;
  }
  if (isnan(low) || isnan(high)) {
    return isnan(low) && isnan(high) ? IMPORT_NO_RANGE : IMPORT_HALF_RANGE;
  }
  if (!(low < high)) {
    return low == high ? IMPORT_ONE_VALUE : IMPORT_NO_NUMBER;
  }
  bool extreme = larger > 1e100 || larger < 1e-100 || high - low < 1e-12 * larger;
  return extreme ? IMPORT_EXTREME : IMPORT_NUMBER;
}

import_use import_judge(const dictionary_column *column) {
  if (column->key || column->unique) {
    return column->key ? IMPORT_KEY : IMPORT_UNIQUE;
  }
  if (column->several) {
    return IMPORT_SEVERAL;
  }
  if (column->categories) {
    return json_array_size(column->categories) > 1 ? IMPORT_CATEGORIES : IMPORT_ONE_VALUE;
  }
  switch (column->kind) {
  case DICTIONARY_NUMBER:
    return judge_number(column);
  case DICTIONARY_BOOLEAN:
    return IMPORT_NO_TRUTH;
  case DICTIONARY_TEXT:
    return IMPORT_NO_LIST;
  case DICTIONARY_DATE:
    return IMPORT_DATE;
  default:
    return IMPORT_OTHER;
  }
}

/* ---- as JSON */

static const char *const why_ignored[] = {
    [IMPORT_KEY] = "a primary key, or part of one, which names records: ignored",
    [IMPORT_UNIQUE] = "its values never repeat, as identifiers do: ignored",
    [IMPORT_SEVERAL] = "a field holds several values: ignored; a column for each could be used",
    [IMPORT_NO_RANGE] =
        ("a number without a range: ignored; with a minimum and a maximum that are known in "
         "public, never taken from the records, it could be used"),
    [IMPORT_HALF_RANGE] =
        ("a number with one bound only: ignored; with the other, known in public and never taken "
         "from the records, it could be used"),
    [IMPORT_NO_NUMBER] = "its minimum is above its maximum: ignored",
    [IMPORT_EXTREME] = "its bounds are too large, too small or too close together: ignored",
    [IMPORT_DRESSED] =
        "numbers with commas, signs or units: ignored; written plainly (1234.5) they could be used",
    [IMPORT_DATE] =
        "dates or times: ignored; a number made from them, such as an age, could be used",
    [IMPORT_ONE_VALUE] = "one value only: ignored",
    [IMPORT_NO_TRUTH] = "texts for true and for false are missing, or the same: ignored",
    [IMPORT_MISSING_CLASH] =
        ("what means \"missing\" here is a value of another column, and a schema has one list for "
         "all: ignored; with another text for it, it could be used")};

static void remark_ignored(dictionary *d, const dictionary_column *column, import_use use) {
  if (use == IMPORT_NO_LIST) {
    draft_remark(&d->remarks,
                 "column \"%.64s\": texts without a list of values: ignored; with one (%s) it "
                 "could be used",
                 column->name, d->list_hint);
  } else if (use == IMPORT_OTHER) {
    draft_remark(&d->remarks,
                 "column \"%.64s\": %s%.40s%s, neither a number nor a category: ignored",
                 column->name, *column->type ? "of type \"" : "without a type", column->type,
                 *column->type ? "\"" : "");
  } else {
    draft_remark(&d->remarks, "column \"%.64s\": %s", column->name, why_ignored[use]);
  }
}

static json_t *json_of_number(double x) {
  return x == floor(x) && fabs(x) <= 1e15 ? json_integer((json_int_t)x) : json_real(x);
}

/* Zero is in the middle of a range that is far from it, as years are, or all of them would encode
 * as nearly the same number. */
static json_t *number_json(dictionary *d, const dictionary_column *column) {
  double low = column->min, high = column->max, nearer = fmin(fabs(low), fabs(high));
  bool far = low * high > 0 && nearer > high - low;
  double count = floor(high) - ceil(low) + 1;
  if (column->whole && count > 2 && count <= WHOLE_FEW) {
    draft_remark(
        &d->remarks,
        "column \"%.64s\": whole numbers from %g to %g, taken as a number, which needs one "
        "weight instead of %g; if they are codes without an order, list them (%s)",
        column->name, low, high, count, d->list_hint);
  }
  return json_pack("{s:s, s:s, s:o, s:o, s:s*}", "name", column->name, "type", "numeric", "min",
                   json_of_number(low), "max", json_of_number(high), "scale",
                   far ? "center" : NULL);
}

static json_t *categories_json(dictionary *d, const dictionary_column *column) {
  const json_t *all = column->categories;
  size_t count = json_array_size(all);
  if (count > MANY_VALUES) {
    draft_remark(&d->remarks, "column \"%.64s\": %zu values, a weight each: consider \"groups\"",
                 column->name, count);
  }
  if (column->kind == DICTIONARY_NUMBER && !column->whole) {
    draft_remark(&d->remarks,
                 "column \"%.64s\": numbers as categories are compared as texts: 1.5 is not 1.50",
                 column->name);
  }
  if (texts_of(all) > count) { /* a boolean in several spellings */
    return json_pack("{s:s, s:s, s:{s:O, s:O}}", "name", column->name, "type", "categorical",
                     "groups", "false", json_array_get(all, 0), "true", json_array_get(all, 1));
  }
  json_t *values = json_array();
  for (size_t i = 0; i < count && values; i++) {
    json_append(&values, json_incref(json_array_get(json_array_get(all, i), 0)));
  }
  return json_pack("{s:s, s:s, s:o}", "name", column->name, "type", "categorical", "values",
                   values);
}

dperm_status import_column_json(dictionary *d, const dictionary_column *column, import_use use,
                                json_t **out, dperm_error *err) {
  if (use == IMPORT_NUMBER) {
    *out = number_json(d, column);
  } else if (use == IMPORT_CATEGORIES) {
    *out = categories_json(d, column);
  } else {
    *out = json_pack("{s:s, s:s}", "name", column->name, "type",
                     use == IMPORT_LABEL ? "label" : "ignore");
  }
  if (!import_is_used(use)) {
    remark_ignored(d, column, use);
  }
  return *out ? DPERM_OK : dictionary_no_memory(err);
}
