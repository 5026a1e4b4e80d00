/* A schema from a data dictionary: no record is looked at, and nothing is guessed. What the
 * dictionary says becomes a numeric or a categorical column; what it leaves open is for a person,
 * so the column is ignored and a remark says what would be needed. */
#include <math.h>
#include <stdio.h>

#include "base/file_read.h"
#include "base/memory.h"
#include "base/options_defaults.h"
#include "draft/dictionary.h"
#include "schema/identifier_name.h"

enum {
  DICTIONARY_LIMIT = 64 << 20,
  MARKER_LIMIT = 100, /* texts that mean "missing"; each is compared with every column's values */
  WHOLE_FEW = 12,     /* so few whole numbers may be codes */
  CODES_MOST = 50,    /* more, under a name that identifiers have, are no codes */
  LABEL_RANGE_MOST = 20, /* whole numbers of a range that are a list of labels */
  SOURCE_SIZE = 400
};

typedef struct import {
  dictionary d;
  draft_kind *kinds;
  size_t label;
  json_t *markers; /* all texts that mean "missing" in some column, as keys */
} import;

static void import_clear(import *task) {
  dictionary_clear(&task->d);
  free(task->kinds);
  json_decref(task->markers);
}

/* Takes what means "missing" out of the column's categories. */
static void drop_missing(dictionary *d, dictionary_column *column) {
  size_t gone = 0;
  const char *name;
  json_t *texts;
  void *next;
  json_object_foreach_safe(column->categories, next, name, texts) {
    for (size_t i = json_array_size(texts); i-- > 0;) {
      if (json_object_get(column->missing, json_string_value(json_array_get(texts, i)))) {
        (void)json_array_remove(texts, i);
        gone++;
      }
    }
    if (json_array_size(texts) == 0) {
      (void)json_object_del(column->categories, name);
    }
  }
  if (gone > 0) {
    proposal_remark(&d->p, column->name,
                    "%zu of its listed values mean \"missing\" and are no categories", gone);
  }
}

static draft_kind judge_column(const dictionary_column *column) {
  double low = column->min, high = column->max;
  bool unfit = column->type == DRAFT_IDENTIFIER || column->type == DRAFT_SEVERAL;
  if (column->categories && !unfit) {
    return json_object_size(column->categories) > 1 ? DRAFT_CATEGORIES : DRAFT_CONSTANT;
  }
  if (column->type != DRAFT_NUMBER) {
    return column->type;
  }
  return column->whole && !(high - low <= CODES_MOST) && name_is_identifier(column->name)
             ? DRAFT_NAMED
         : !(low < high)               ? DRAFT_NO_RANGE
         : draft_is_extreme(low, high) ? DRAFT_EXTREME
                                       : DRAFT_NUMBER;
}

/* By the name in the header, or else by the dictionary's own. */
static dperm_status find_label(import *task, const char *label, dperm_error *err) {
  size_t found = SIZE_MAX;
  for (size_t c = task->d.column_count; c-- > 0;) {
    const dictionary_column *column = &task->d.columns[c];
    found = column->other_name && strcmp(column->other_name, label) == 0 ? c : found;
  }
  for (size_t c = task->d.column_count; c-- > 0;) {
    found = strcmp(task->d.columns[c].name, label) == 0 ? c : found;
  }
  JSON_FAIL_IF(found == SIZE_MAX, task->d.doc, task->d.doc->root, err,
               "no column is called \"%.64s\"; name the label's as the dictionary does", label);
  task->label = found;
  return DPERM_OK;
}

/* ---- what means "missing" */

/* Whether it is a value of the column, so that it cannot mean "missing" there. */
static bool is_value(const dictionary_column *column, draft_kind kind, const char *text) {
  double x = NAN;
  const char *name;
  json_t *texts;
  if (!draft_is_used(kind) || json_object_get(column->missing, text)) {
    return false;
  }
  json_object_foreach(column->categories, name, texts) {
    if (json_holds_text(texts, text)) {
      return true;
    }
  }
  return kind == DRAFT_NUMBER && parse_double(slice_of(text), &x) == NUMBER_OK &&
         x >= column->min && x <= column->max;
}

/* A schema has one list for all columns. A text that is a value elsewhere cannot be in it, and then
 * a number for which it means "missing" cannot be used: it would be read as one, or not at all. As
 * a category it is simply not listed, which encodes as zeros like a missing value. */
static void add_marker(import *task, const char *text) {
  bool clash = false;
  for (size_t c = 0; c < task->d.column_count && !clash; c++) {
    clash = is_value(&task->d.columns[c], task->kinds[c], text);
  }
  for (size_t c = 0; c < task->d.column_count && clash; c++) {
    if (task->kinds[c] == DRAFT_NUMBER && json_object_get(task->d.columns[c].missing, text)) {
      task->kinds[c] = DRAFT_MISSING_CLASH;
    }
  }
  if (!clash) {
    json_append(&task->d.p.missing, json_string(text));
  }
}

/* Runs before any of them is compared with a value: a dictionary with many of both would take
 * their product in time. */
static dperm_status find_markers(import *task, dperm_error *err) {
  const json_t *last = NULL;
  TRY(json_made(json_object(), &task->markers, err));
  for (size_t c = 0; c < task->d.column_count; c++) {
    json_t *own = task->d.columns[c].missing;
    if (own != last && /* most columns share one */
        (json_object_size(own) > MARKER_LIMIT ||
         json_object_update_missing(task->markers, own) != 0 ||
         json_object_size(task->markers) > MARKER_LIMIT)) {
      return json_fail_at(task->d.doc, task->d.columns[c].place, err,
                          "more than %d different texts mean \"missing\"; list fewer",
                          MARKER_LIMIT);
    }
    last = own;
  }
  return DPERM_OK;
}

/* ---- columns */

/* A range that is far from zero, as those of years or of heights, is centred, or all of it would
 * encode as nearly the same number; of one from zero on most may be near it, and stays there. */
static void add_number(dictionary *d, const dictionary_column *column) {
  double low = column->min, high = column->max, nearer = fmin(fabs(low), fabs(high));
  const draft_range range = {low, high, low * high > 0 && 10 * nearer >= high - low, false};
  double count = floor(high) - ceil(low) + 1;
  if (column->whole && count > 2 && count <= WHOLE_FEW) {
    proposal_remark(&d->p, column->name,
                    "whole numbers from %g to %g, taken as a number, which needs one weight "
                    "instead of %g; if they are codes without an order, list them",
                    low, high, count);
  }
  proposal_add_number(&d->p, column->name, &range);
}

/* Who reads the model's statement shall know where the column's bounds or list come from. */
static void add_source(dictionary *d, const char *what) {
  const char *title = dictionary_title(d);
  char source[SOURCE_SIZE];
  (void)snprintf(source, sizeof source, "data dictionary%s%s: %s", title ? ", " : "",
                 title ? title : "", what);
  proposal_source(&d->p, source);
}

static void add_column(dictionary *d, const dictionary_column *column, draft_kind kind) {
  if (kind == DRAFT_NUMBER) {
    add_number(d, column);
    add_source(d, "minimum and maximum");
  } else if (kind == DRAFT_CATEGORIES) {
    proposal_add_categories(&d->p, column->name, json_incref(column->categories));
    add_source(d, column->type == DRAFT_NO_TRUTH ? "true or false" : "list of values");
  } else if (kind == DRAFT_LABEL) {
    proposal_add_plain(&d->p, column->name, "label");
  } else {
    proposal_add_ignored(&d->p, column->name, kind);
  }
}

static dperm_status judge_columns(import *task, dperm_error *err) {
  TRY(memory_new(task->d.column_count, sizeof *task->kinds, &task->kinds, err));
  for (size_t c = 0; c < task->d.column_count; c++) {
    dictionary_column *column = &task->d.columns[c];
    drop_missing(&task->d, column);
    task->kinds[c] = c == task->label ? DRAFT_LABEL : judge_column(column);
  }
  return DPERM_OK;
}

/* ---- the label, whose classes the dictionary must list */

/* Whole numbers between bounds that are near each other are a list, too. */
static dperm_status list_range(dictionary *d, dictionary_column *column, dperm_error *err) {
  double low = ceil(column->min), high = floor(column->max), count = high - low + 1;
  if (column->categories || column->type != DRAFT_NUMBER || !column->whole ||
      !(count >= 2 && count <= LABEL_RANGE_MOST && fabs(low) <= 1e15)) { /* false of NaN as well */
    return DPERM_OK;
  }
  json_auto_t *numbers = json_array();
  for (double x = low; x <= high; x++) {
    json_append(&numbers, json_integer((json_int_t)x));
  }
  TRY(json_made(numbers, &numbers, err));
  TRY(json_made(dictionary_texts(numbers), &column->categories, err));
  drop_missing(d, column);
  return DPERM_OK;
}

static dperm_status add_label(dictionary *d, dictionary_column *column,
                              const dperm_import_options *options, dperm_error *err) {
  JSON_FAIL_IF(column->type == DRAFT_IDENTIFIER || column->type == DRAFT_SEVERAL, d->doc,
               column->place, err,
               "column \"%.64s\" holds identifiers, or several values in a field, so it cannot be "
               "the label; name another column",
               column->name);
  TRY(list_range(d, column, err));
  if (!column->categories && column->type == DRAFT_NUMBER && !options->positive &&
      column->min < column->max) { /* not where one is not given, a NaN */
    return proposal_add_target(&d->p, column->name, column->min, column->max, err);
  }
  JSON_FAIL_IF(
      json_object_size(column->categories) < 2 && (column->categories || !options->positive),
      d->doc, column->place, err,
      "the dictionary lists no two values of the label in column \"%.64s\"; list them there%s",
      column->name, column->categories ? "" : ", or name the positive ones");
  const label_values label = {.path = d->doc->name,
                              .name = column->name,
                              .categories = column->categories,
                              .truths = column->type == DRAFT_NO_TRUTH,
                              .positive = options->positive,
                              .positive_count = options->positive_count};
  return proposal_add_label(&d->p, &label, err);
}

static dperm_status check_options(const char *name, const dperm_import_options *options,
                                  dperm_error *err) {
  FAIL_IF(!name || !options->label, err, DPERM_INVALID_ARGUMENT,
          "the import has no %s; name a dictionary and its label's column",
          name ? "label" : "name");
  FAIL_IF(!dperm_dictionary_name(options->dictionary), err, DPERM_INVALID_ARGUMENT,
          "%d is no kind of dictionary; see dperm_dictionary", (int)options->dictionary);
  return DPERM_OK;
}

static dperm_status import_document(import *task, const dperm_import_options *options,
                                    dperm_error *err) {
  dictionary *d = &task->d;
  const char *text;
  json_t *ignored;
  proposal_remark(&d->p, NULL,
                  "the dictionary is taken to say what is known in public: if its ranges or values "
                  "were counted from the private records, they betray them");
  TRY(dictionary_read(d, options->dictionary, options->table, err));
  TRY(find_label(task, options->label, err));
  TRY(find_markers(task, err));
  TRY(judge_columns(task, err));
  TRY(add_label(d, &d->columns[task->label], options, err));
  json_object_foreach(task->markers, text, ignored) {
    add_marker(task, text);
  }
  for (size_t c = 0; c < d->column_count; c++) {
    add_column(d, &d->columns[c], task->kinds[c]);
  }
  return DPERM_OK;
}

dperm_status dperm_schema_import(const char *name, const char *text, size_t length,
                                 const dperm_import_options *given, dperm_remark *remark,
                                 void *context, dperm_schema **out, dperm_error *err) {
  dperm_import_options options;
  TRY(options_take(DPERM_OPTIONS_IMPORT, given, &options, err));
  TRY(check_options(name, &options, err));
  OWNED_MEMORY char *read = NULL;
  if (!text) {
    TRY(file_read_all(name, DICTIONARY_LIMIT, &read, &length, err));
    text = read;
    name = path_for_people(name);
  }
  OWNED(json_document_free)
  json_document doc = {.name = name, .text = text, .length = length, .blame = DPERM_INVALID_SCHEMA};
  TRY(json_document_parse(&doc, err));
  OWNED(import_clear) import task = {0};
  task.d.doc = &doc;
  task.d.p = proposal_new();
  TRY(import_document(&task, &options, err));
  return proposal_finish(&task.d.p, "the import", remark, context, out, err);
}
