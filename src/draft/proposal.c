/* Remarks, columns and the whole. */
#include "draft/proposal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/lookup.h"

proposal proposal_new(void) {
  return (proposal){.remarks = json_array(),
                    .missing = json_array(),
                    .columns = json_array(),
                    .header = true,
                    .separator = ','};
}

void proposal_clear(proposal *p) {
  json_decref(p->remarks);
  json_decref(p->missing);
  json_decref(p->columns);
  json_decref(p->label);
}

void proposal_remark(proposal *p, const char *column, const char *format, ...) {
  char words[1024], line[1024];
  int used = column ? snprintf(words, sizeof words, "column \"%.64s\": ", column) : 0;
  va_list args;
  va_start(args, format);
  (void)vsnprintf(words + used, sizeof words - (size_t)used, format, args);
  va_end(args);
  dperm_text_visible(words, line, sizeof line); /* names and values may hold anything */
  json_append(&p->remarks, json_string_nocheck(line));
}

/* ---- columns */

static const char *const why_ignored[] = {
    [DRAFT_EMPTY] = "no value at all: ignored",
    [DRAFT_CONSTANT] = "one value only: ignored",
    [DRAFT_EXTREME] = "numbers too large, too small or too close together for bounds: ignored",
    [DRAFT_IDENTIFIER] = "nearly every value is different, as identifiers are: ignored",
    [DRAFT_DATE] =
        "dates or times: ignored; a number made from them, such as an age, could be used",
    [DRAFT_AMOUNT] =
        "numbers with commas, signs or units: ignored; written plainly (1234.5) they could be used",
    [DRAFT_MANY] = ("too many different values (free text, names, postal codes?): ignored; put "
                    "into a few public groups they could be used"),
    [DRAFT_LEAK] = ("decides the label alone, so it may be known only after it: ignored; use it if "
                    "it is known before"),
    [DRAFT_KEY] = "a primary key, or part of one, which names records: ignored",
    [DRAFT_UNIQUE] = "its values never repeat, as identifiers do: ignored",
    [DRAFT_SEVERAL] = "a field holds several values: ignored; a column for each could be used",
    [DRAFT_NO_RANGE] =
        ("a number without a range: ignored; with a minimum and a maximum that are known in "
         "public, never taken from the records, it could be used"),
    [DRAFT_HALF_RANGE] =
        ("a number with one bound only: ignored; with the other, known in public and never taken "
         "from the records, it could be used"),
    [DRAFT_EMPTY_RANGE] = "its minimum is above its maximum: ignored",
    [DRAFT_NO_TRUTH] = "texts for true and for false are missing, or the same: ignored",
    [DRAFT_MISSING_CLASH] =
        ("what means \"missing\" here is a value of another column, and a schema has one list for "
         "all: ignored; with another text for it, it could be used")};

bool draft_is_extreme(double low, double high) {
  double larger = fmax(fabs(low), fabs(high));
  return larger > 1e100 || larger < 1e-100 || high - low < 1e-12 * larger;
}

void proposal_add_plain(proposal *p, const char *name, const char *type) {
  json_append(&p->columns, json_pack("{s:s, s:s}", "name", name, "type", type));
}

void proposal_add_ignored(proposal *p, const char *name, draft_kind kind) {
  proposal_remark(p, name, "%s", why_ignored[kind]);
  proposal_add_plain(p, name, "ignore");
}

static json_t *json_of_number(double x) {
  return x == floor(x) && fabs(x) <= 1e15 ? json_integer((json_int_t)x) : json_real(x);
}

void proposal_add_number(proposal *p, const char *name, const draft_range *range, bool auto_bins) {
  json_append(&p->columns,
              json_pack("{s:s, s:s, s:o, s:o, s:s*, s:s*, s:s*}", "name", name, "type", "numeric",
                        "min", json_of_number(range->min), "max", json_of_number(range->max),
                        "transform", range->log1p ? "log1p" : NULL, "scale",
                        range->center ? "center" : NULL, "bins", auto_bins ? "auto" : NULL));
}

void proposal_add_categories(proposal *p, const char *name, json_t *members) {
  json_append(&p->columns, json_pack("{s:s, s:s, s:o}", "name", name, "type", "categorical",
                                     json_is_object(members) ? "groups" : "values", members));
}

/* ---- the whole */

dperm_status proposal_check_positive(const char *const *positive, size_t count, dperm_error *err) {
  OWNED(lookup_clear) lookup seen = {0};
  if (positive && count == 0) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "the list of positive labels is empty; name at least one");
  }
  for (size_t i = 0; positive && i < count; i++) {
    bool added = false;
    json_auto_t *valid = json_string(positive[i]);
    if (!valid) {
      FAIL(err, DPERM_INVALID_ARGUMENT,
           "a positive label is not UTF-8, as a schema is; give one that is");
    }
    TRY(lookup_add(&seen, slice_of(positive[i]), 0, &added, err));
    if (!added) {
      FAIL(err, DPERM_INVALID_ARGUMENT, "positive label \"%.64s\" is given twice; keep one",
           positive[i]);
    }
  }
  return DPERM_OK;
}

dperm_status proposal_finish(proposal *p, const char *name, dperm_remark *remark, void *context,
                             dperm_schema **out, dperm_error *err) {
  const char separator[2] = {p->separator, '\0'};
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  json_auto_t *json = NULL;
  TRY(json_made(json_pack("{s:b, s:s*, s:s*, s:O, s:s, s:b, s:s, s:O, s:O}", "header", p->header,
                          "separator", *separator == ',' ? NULL : separator, "comment", p->comment,
                          "missing", p->missing, "on_missing", "zero", "intercept", true, "rows",
                          "clip", "label", p->label, "columns", p->columns),
                &json, err));
  TRY(schema_from_json(json, name, &schema, err));
  if (dperm_schema_dims(schema) == 1) {
    proposal_remark(p, NULL, "no column is left to learn from: see why each is ignored");
  }
  if (!p->remarks) {
    return json_made(NULL, &json, err);
  }
  for (size_t i = 0; remark && i < json_array_size(p->remarks); i++) {
    remark(context, json_string_value(json_array_get(p->remarks, i)));
  }
  *out = schema;
  schema = NULL;
  return DPERM_OK;
}

bool json_holds_text(const json_t *list, const char *text) {
  for (size_t i = 0; i < json_array_size(list); i++) {
    if (strcmp(json_string_value(json_array_get(list, i)), text) == 0) {
      return true;
    }
  }
  return false;
}
