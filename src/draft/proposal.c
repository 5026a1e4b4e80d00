/* Remarks, columns, the label and the whole. */
#include "draft/proposal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

proposal proposal_new(void) {
  return (proposal){
      .remarks = json_array(), .missing = json_array(), .columns = json_array(), .header = true};
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
    [DRAFT_IDENTIFIER] = "its values never repeat, or name records, as identifiers do: ignored",
    [DRAFT_NAMED] = ("called like an identifier of people or records: ignored; where it repeats, "
                     "put it into the schema as \"person\", so that each is protected as a whole"),
    [DRAFT_MANY] = ("too many different values (dates, free text, postal codes, numbers with units "
                    "or commas?): ignored; put into a few public groups, or written plainly "
                    "(1234.5), they could be used"),
    [DRAFT_LEAK] = ("decides the label alone, so it may be known only after it: ignored; use it if "
                    "it is known before"),
    [DRAFT_DATE] =
        "dates or times: ignored; a number made from them, such as an age, could be used",
    [DRAFT_DRESSED] =
        "numbers with commas, signs or units: ignored; written plainly (1234.5) they could be used",
    [DRAFT_SEVERAL] = "a field holds several values: ignored; a column for each could be used",
    [DRAFT_NO_RANGE] = ("a number without a range: ignored; with a minimum and a larger maximum "
                        "that are known in public, never taken from the records, it could be used"),
    [DRAFT_NO_LIST] = ("texts without a list of values: ignored; with one (\"enum\", or a pattern "
                       "or \"format\" such as \"low|high\") it could be used"),
    [DRAFT_NO_TRUTH] = "texts for true or for false are missing: ignored",
    [DRAFT_OTHER] = "neither a number nor a category: ignored",
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

void proposal_add_number(proposal *p, const char *name, const draft_range *range) {
  json_append(&p->columns,
              json_pack("{s:s, s:s, s:o, s:o, s:s*, s:s*}", "name", name, "type", "numeric", "min",
                        json_of_number(range->min), "max", json_of_number(range->max), "transform",
                        range->log1p ? "log1p" : NULL, "scale", range->center ? NULL : "max"));
}

void proposal_source(proposal *p, const char *source) {
  json_t *column = json_array_get(p->columns, json_array_size(p->columns) - 1);
  if (column && json_object_set_new(column, "source", json_string(source)) != 0) {
    json_append(&p->columns, NULL);
  }
}

static bool is_list(json_t *groups) {
  const char *name;
  json_t *texts;
  json_object_foreach(groups, name, texts) {
    if (json_array_size(texts) != 1) {
      return false;
    }
  }
  return groups != NULL;
}

void proposal_add_categories(proposal *p, const char *name, json_t *groups) {
  const char *group;
  json_t *texts, *members = groups;
  if (is_list(groups)) {
    members = json_array();
    json_object_foreach(groups, group, texts) {
      json_append(&members, json_incref(json_array_get(texts, 0)));
    }
    json_decref(groups);
  }
  json_append(&p->columns, json_pack("{s:s, s:s, s:o}", "name", name, "type", "categorical",
                                     json_is_object(members) ? "groups" : "values", members));
}

/* ---- the label */

int draft_custom_label(const char *first, const char *second) {
  static const char *const pairs[][2] = {
      {"0", "1"}, {"-1", "1"},       {"-1", "+1"}, {"no", "yes"},  {"n", "y"},
      {"f", "t"}, {"false", "true"}, {"-", "+"},   {"neg", "pos"}, {"negative", "positive"}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    if (strcasecmp(first, pairs[i][0]) == 0 && strcasecmp(second, pairs[i][1]) == 0) {
      return 1;
    }
    if (strcasecmp(second, pairs[i][0]) == 0 && strcasecmp(first, pairs[i][1]) == 0) {
      return -1;
    }
  }
  return 0;
}

static dperm_status fail_label(const label_values *label, dperm_error *err, const char *sentence) {
  char shown[160];
  const char *name;
  json_t *texts, *firsts = json_array();
  json_object_foreach(label->categories, name, texts) {
    json_append(&firsts, json_incref(json_array_get(texts, 0)));
  }
  json_show_texts(firsts, shown, sizeof shown);
  json_decref(firsts);
  FAIL(err, DPERM_INVALID_ARGUMENT, "%s: %s of the label in column \"%.64s\" (%s)", label->path,
       sentence, label->name, shown);
}

/* The categories that hold one of the caller's texts are positive. */
static dperm_status choose_given(proposal *p, const label_values *label, json_t **positive,
                                 dperm_error *err) {
  size_t known = 0;
  const char *name;
  json_t *texts;
  for (size_t t = 0; t < label->positive_count; t++) {
    json_auto_t *valid = json_string(label->positive[t]);
    FAIL_IF(!valid, err, DPERM_INVALID_ARGUMENT,
            "a positive label is not UTF-8, as a schema is; give one that is");
    json_object_foreach(label->categories, name, texts) {
      if (json_holds_text(texts, label->positive[t])) {
        json_set(positive, name, json_true());
        known++;
      }
    }
  }
  size_t positives = json_object_size(*positive);
  bool unknown = known < label->positive_count;
  RETURN_IF(label->categories && (positives == json_object_size(label->categories) ||
                                  positives == 0 || (unknown && !label->seen)),
            fail_label(label, err, "the positive labels must be some, not all, of the values"));
  if (unknown && label->seen) {
    proposal_remark(
        p, label->name,
        "not all of the positive labels given occur in these records: check their spelling");
  }
  return DPERM_OK;
}

static void choose_of_two(proposal *p, const label_values *label, json_t **positive) {
  void *places[2] = {json_object_iter(label->categories)};
  const char *texts[2];
  places[1] = json_object_iter_next(label->categories, places[0]);
  for (size_t i = 0; i < 2; i++) {
    texts[i] = json_string_value(json_array_get(json_object_iter_value(places[i]), 0));
  }
  int custom = label->truths ? 1 : draft_custom_label(texts[0], texts[1]);
  bool second = custom ? custom > 0 : !label->seen || !label->first_rarer;
  json_set(positive, json_object_iter_key(places[second]), json_true());
  proposal_remark(p, label->name, "the label; \"%.64s\" is positive (%s) unless you say otherwise",
                  texts[second],
                  custom        ? "by convention"
                  : label->seen ? "the rarer value"
                                : "the second in the list");
}

/* Positive are the caller's texts, also those that were not seen, or those of the chosen
 * categories. Negative are the others; of values that were seen, where there are several, all that
 * may come. Without positive ones each category is a class. */
static json_t *label_json(proposal *p, const label_values *label, json_t *positive) {
  const char *name;
  json_t *texts, *sides[] = {json_array(), json_array()};
  const bool several = json_object_size(positive) == 0 && !label->positive;
  const bool given = label->positive && (label->seen || !label->categories);
  size_t negatives = json_object_size(label->categories) - json_object_size(positive);
  const bool rest = !several && (label->seen ? negatives > 1 : !label->categories);
  for (size_t t = 0; given && t < label->positive_count; t++) {
    json_append(&sides[1], json_string(label->positive[t]));
  }
  json_object_foreach(label->categories, name, texts) {
    bool side = json_object_get(positive, name) != NULL, taken = !(side ? given : rest);
    for (size_t t = 0; taken && t < json_array_size(texts); t++) {
      json_append(&sides[side], json_incref(json_array_get(texts, t)));
    }
  }
  if (several) {
    json_decref(sides[1]);
    return json_pack("{s:s, s:o}", "column", label->name, "classes", sides[0]);
  }
  if (rest) {
    json_decref(sides[0]);
    sides[0] = json_string("*");
    proposal_remark(p, label->name,
                    "the label; all values but the positive ones are negative (\"*\"), new and "
                    "misspelt ones too");
  }
  return json_pack("{s:s, s:o, s:o}", "column", label->name, "positive", sides[1], "negative",
                   sides[0]);
}

dperm_status proposal_add_target(proposal *p, const char *name, double min, double max,
                                 dperm_error *err) {
  proposal_remark(p, name,
                  "the label; a number from %g to %g, so models are regressions; naming positive "
                  "values makes two classes of it",
                  min, max);
  return json_made(json_pack("{s:s, s:s, s:o, s:o}", "column", name, "type", "numeric", "min",
                             json_of_number(min), "max", json_of_number(max)),
                   &p->label, err);
}

dperm_status proposal_add_label(proposal *p, const label_values *label, dperm_error *err) {
  size_t count = json_object_size(label->categories);
  json_auto_t *positive = json_object();
  if (label->positive) {
    TRY(choose_given(p, label, &positive, err));
  } else if (count > CLASSES_MOST ||
             (count > FEW_CLASSES && label->seen && label->records < RECORDS_PER_CLASS * count)) {
    return fail_label(label, err,
                      count > CLASSES_MOST
                          ? "name the positive values, or another column: over 1000 values"
                          : "name the positive values, or another column: 10 records or more are "
                            "needed for each of over 20 values");
  } else if (count == 2) {
    choose_of_two(p, label, &positive);
  } else {
    proposal_remark(
        p, label->name,
        "the label; its %zu values are classes%s, which logistic regression learns "
        "in one fit; naming positive ones makes two classes of them",
        count,
        label->numbers && count > FEW_CLASSES
            ? " (amounts? then give it \"type\": \"numeric\", \"min\" and \"max\" instead)"
            : "");
  }
  TRY(json_made(positive, &positive, err));
  return json_made(label_json(p, label, positive), &p->label, err);
}

/* ---- the whole */

dperm_status proposal_finish(proposal *p, const char *name, dperm_remark *remark, void *context,
                             dperm_schema **out, dperm_error *err) {
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  json_auto_t *json = NULL;
  TRY(json_made(json_pack("{s:i, s:b, s:s*, s:s*, s:O, s:s, s:b, s:s, s:O, s:O}", "version",
                          SCHEMA_VERSION, "header", p->header, "separator", p->separator, "comment",
                          p->comment, "missing", p->missing, "on_missing", "zero", "intercept",
                          true, "rows", "clip", "label", p->label, "columns", p->columns),
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
  *out = TAKE(schema);
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

void json_show_texts(const json_t *list, char *out, size_t size) {
  size_t used = 0;
  *out = '\0';
  for (size_t i = 0; i < json_array_size(list) && used < size; i++) {
    used += (size_t)snprintf(out + used, size - used, "%s\"%.24s\"", i ? ", " : "",
                             json_string_value(json_array_get(list, i)));
  }
}
