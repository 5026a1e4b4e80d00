/* A schema from a data dictionary: one of the formats is read, each column judged, and what comes
 * out goes through the parser like any other schema. No record is looked at. */
#include <math.h>
#include <string.h>

#include "base/file_read.h"
#include "base/lookup.h"
#include "base/memory.h"
#include "base/options_defaults.h"
#include "draft/draft_remarks.h"
#include "draft/import_column.h"
#include "draft/import_label.h"
#include "schema/schema.h"

enum {
  DICTIONARY_LIMIT = 64 << 20,
  MARKER_LIMIT = 100 /* texts that mean "missing"; each is compared with every column's values */
};

/* A text that means "missing", and the list where it stands first. */
typedef struct marker {
  const json_t *list;
  json_t *text;
} marker;

typedef struct import {
  dictionary d;
  import_use *uses;
  size_t label;
  marker markers[MARKER_LIMIT];
  size_t marker_count;
  json_t *missing; /* the schema's list */
} import;

static void import_clear(import *task) {
  dictionary_clear(&task->d);
  free(task->uses);
  json_decref(task->missing);
}

/* ---- reading */

static dperm_dictionary recognize(const json_t *root) {
  static const char *const csvw[] = {"@context", "tableSchema", "tables", "columns"};
  static const char *const frictionless[] = {"fields", "resources", "schema"};
  for (size_t i = 0; i < 4; i++) {
    if (json_object_get(root, csvw[i])) {
      return DPERM_DICTIONARY_CSVW;
    }
  }
  for (size_t i = 0; i < 3; i++) {
    if (json_object_get(root, frictionless[i])) {
      return DPERM_DICTIONARY_FRICTIONLESS;
    }
  }
  return DPERM_DICTIONARY_AUTO;
}

static dperm_status read_dictionary(dictionary *d, const dperm_import_options *options,
                                    dperm_error *err) {
  const json_t *root = d->doc->root;
  dperm_dictionary kind = options->dictionary ? options->dictionary : recognize(root);
  if (!json_is_object(root) || kind == DPERM_DICTIONARY_AUTO) {
    return json_fail_at(d->doc, root, err,
                        "this is no data dictionary that dperm knows: neither a Frictionless table "
                        "schema (\"fields\") nor CSVW metadata (\"tableSchema\")");
  }
  return kind == DPERM_DICTIONARY_CSVW ? dictionary_read_csvw(d, options->table, err)
                                       : dictionary_read_frictionless(d, options->table, err);
}

/* Columns have different names, and one of them is the label's. */
static dperm_status find_label(import *task, const char *label, dperm_error *err) {
  OWNED(lookup_clear) lookup names = {0};
  size_t found = SIZE_MAX;
  for (size_t c = 0; c < task->d.column_count; c++) {
    const dictionary_column *column = &task->d.columns[c];
    bool added = false;
    TRY(lookup_add(&names, slice_of(column->name), 0, &added, err));
    if (!added) {
      return json_fail_at(task->d.doc, column->place, err,
                          "column \"%.64s\" stands here a second time; keep one", column->name);
    }
    bool by_name = strcmp(column->name, label) == 0;
    bool by_other = column->other_name && strcmp(column->other_name, label) == 0;
    found = by_name || (by_other && found == SIZE_MAX) ? c : found;
  }
  if (found == SIZE_MAX) {
    return json_fail_at(task->d.doc, task->d.doc->root, err,
                        "no column is called \"%.64s\"; name the label's as the dictionary does",
                        label);
  }
  task->label = found;
  return DPERM_OK;
}

/* ---- what means "missing" */

/* Whether the text, which `list` holds, means "missing" in this column. Most columns share one
 * list.
 */
static bool means_missing(const dictionary_column *column, const json_t *list, const char *text) {
  return column->missing == list || dictionary_holds(column->missing, text);
}

/* Whether it is a value of the column, so that it cannot mean "missing" there. */
static bool is_value(const dictionary_column *column, import_use use, const json_t *list,
                     const char *text) {
  double x = NAN;
  if (!import_is_used(use) || means_missing(column, list, text)) {
    return false;
  }
  for (size_t i = 0; i < json_array_size(column->categories); i++) {
    if (dictionary_holds(json_array_get(column->categories, i), text)) {
      return true;
    }
  }
  return use == IMPORT_NUMBER && parse_double(slice_of(text), &x) == NUMBER_OK &&
         x >= column->min && x <= column->max;
}

/* A schema has one list for all columns. A text that is a value elsewhere cannot be in it, and then
 * a number for which it means "missing" cannot be used: it would be read as one, or not at all. As
 * a category it is simply not listed, which encodes as zeros like a missing value. */
static dperm_status add_marker(import *task, const marker *added, dperm_error *err) {
  const char *text = json_string_value(added->text);
  bool clash = false;
  for (size_t c = 0; c < task->d.column_count && !clash; c++) {
    clash = is_value(&task->d.columns[c], task->uses[c], added->list, text);
  }
  for (size_t c = 0; c < task->d.column_count && clash; c++) {
    if (task->uses[c] == IMPORT_NUMBER && means_missing(&task->d.columns[c], added->list, text)) {
      task->uses[c] = IMPORT_MISSING_CLASH;
    }
  }
  if (!clash) {
    json_append(&task->missing, json_incref(added->text));
  }
  return task->missing ? DPERM_OK : dictionary_no_memory(err);
}

/* Runs before any of them is compared with a value: a dictionary with many of both would take
 * their product in time. */
static dperm_status find_markers(import *task, dperm_error *err) {
  OWNED(lookup_clear) lookup seen = {0};
  const json_t *last = NULL;
  for (size_t c = 0; c < task->d.column_count; c++) {
    const json_t *list = task->d.columns[c].missing;
    if (list == last) {
      continue; /* most columns share one */
    }
    last = list;
    for (size_t m = 0; m < json_array_size(list); m++) {
      json_t *text = json_array_get(list, m);
      bool added = false;
      TRY(lookup_add(&seen, slice_of(json_string_value(text)), 0, &added, err));
      if (seen.count > MARKER_LIMIT) {
        return json_fail_at(task->d.doc, task->d.columns[c].place, err,
                            "more than %d different texts mean \"missing\"; list fewer",
                            MARKER_LIMIT);
      }
      if (added) {
        task->markers[task->marker_count++] = (marker){list, text};
      }
    }
  }
  return DPERM_OK;
}

/* ---- the schema */

static dperm_status judge_columns(import *task, dperm_error *err) {
  TRY(memory_new(task->d.column_count, sizeof *task->uses, &task->uses, err));
  for (size_t c = 0; c < task->d.column_count; c++) {
    dictionary_column *column = &task->d.columns[c];
    TRY(import_drop_missing(&task->d, column, err));
    task->uses[c] = c == task->label ? IMPORT_LABEL : import_judge(column);
  }
  return DPERM_OK;
}

static dperm_status schema_json(import *task, const dperm_import_options *options, json_t **out,
                                dperm_error *err) {
  json_auto_t *label = NULL, *columns = json_array();
  const char separator[2] = {task->d.separator, '\0'};
  TRY(find_markers(task, err));
  TRY(judge_columns(task, err));
  TRY(import_label_json(&task->d, &task->d.columns[task->label], options, &label, err));
  for (size_t m = 0; m < task->marker_count; m++) {
    TRY(add_marker(task, &task->markers[m], err));
  }
  for (size_t c = 0; c < task->d.column_count; c++) {
    json_t *column = NULL;
    TRY(import_column_json(&task->d, &task->d.columns[c], task->uses[c], &column, err));
    json_append(&columns, column);
  }
  if (!columns) {
    return dictionary_no_memory(err);
  }
  *out = json_pack("{s:b, s:s*, s:s*, s:O, s:s, s:b, s:s, s:O, s:O}", "header", task->d.header,
                   "separator", *separator == ',' ? NULL : separator, "comment", task->d.comment,
                   "missing", task->missing, "on_missing", "zero", "intercept", true, "rows",
                   "clip", "label", label, "columns", columns);
  return *out ? DPERM_OK : dictionary_no_memory(err);
}

/* ---- the interface */

static dperm_status check_options(const char *path, const dperm_import_options *options,
                                  dperm_error *err) {
  if (!path) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "the import has no path; name a dictionary");
  }
  if (!options->label) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "the import has no label; name its column");
  }
  if (!dperm_dictionary_name(options->dictionary)) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "%d is no kind of dictionary; see dperm_dictionary",
         (int)options->dictionary);
  }
  if (options->positive && options->positive_count == 0) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "the list of positive labels is empty; name at least one");
  }
  OWNED(lookup_clear) lookup seen = {0};
  for (size_t i = 0; options->positive && i < options->positive_count; i++) {
    bool added = false;
    json_auto_t *valid = json_string(options->positive[i]);
    if (!valid) {
      FAIL(err, DPERM_INVALID_ARGUMENT,
           "a positive label is not UTF-8, as a schema is; give one that is");
    }
    TRY(lookup_add(&seen, slice_of(options->positive[i]), 0, &added, err));
    if (!added) {
      FAIL(err, DPERM_INVALID_ARGUMENT, "positive label \"%.64s\" is given twice; keep one",
           options->positive[i]);
    }
  }
  return DPERM_OK;
}

static dperm_status import_document(const json_document *doc, const dperm_import_options *options,
                                    dperm_remark *remark, void *context, dperm_schema **out,
                                    dperm_error *err) {
  OWNED(import_clear)
import task = {.d = {.doc = doc, .remarks = json_array(), .header = true, .separator = ',' }, .missing = json_array() };
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  json_auto_t *json = NULL;
  draft_remark(&task.d.remarks,
               "the dictionary is taken to say what is known in public: if its ranges "
               "or values were counted from the private records, they betray them");
  TRY(read_dictionary(&task.d, options, err));
  TRY(find_label(&task, options->label, err));
  TRY(schema_json(&task, options, &json, err));
  TRY(schema_from_json(json, "the import", &schema, err));
  if (dperm_schema_dims(schema) == 1) {
    draft_remark(&task.d.remarks, "no column is left to learn from: see why each is ignored");
  }
  if (!task.d.remarks) {
    return dictionary_no_memory(err);
  }
  for (size_t r = 0; remark && r < json_array_size(task.d.remarks); r++) {
    remark(context, json_string_value(json_array_get(task.d.remarks, r)));
  }
  *out = schema;
  schema = NULL;
  return DPERM_OK;
}

dperm_status dperm_schema_import(const char *path, const dperm_import_options *given,
                                 dperm_remark *remark, void *context, dperm_schema **out,
                                 dperm_error *err) {
  dperm_import_options options;
  TRY(options_take(DPERM_OPTIONS_IMPORT, given, &options, err));
  TRY(check_options(path, &options, err));
  OWNED_MEMORY char *text = NULL;
  size_t length = 0;
  TRY(file_read_all(path, DICTIONARY_LIMIT, &text, &length, err));
  OWNED(json_document_free)
  json_document doc = {
      .name = path_for_people(path), .text = text, .length = length, .blame = DPERM_INVALID_SCHEMA};
  TRY(json_document_parse(&doc, err));
  return import_document(&doc, &options, remark, context, out, err);
}
