/* Reading: jansson parses, and when a value turns out to be wrong a second walk over the (now
 * known to be well-formed) text finds its position. The walk visits text and tree together, so
 * the value is recognized by its address and no path bookkeeping is needed. */
#include "base/json_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

dperm_status json_document_parse(json_document *doc, dperm_error *err) {
  if (doc->length >= 3 && memcmp(doc->text, "\xef\xbb\xbf", 3) == 0) { /* byte-order mark */
    doc->text += 3;
    doc->length -= 3;
  }
  json_error_t where;
  doc->root = json_loadb(doc->text, doc->length, JSON_REJECT_DUPLICATES, &where);
  if (!doc->root) {
    enum json_error_code code = json_error_code(&where);
    bool nul = code == json_error_null_character || code == json_error_null_byte_in_key;
    bool cut = code == json_error_premature_end_of_input ||
               (code == json_error_invalid_syntax && (size_t)where.position >= doc->length);
    char *quoted = strstr(where.text, " near '"); /* no message quotes content */
    if (quoted) {
      *quoted = '\0';
    }
    FAIL(err, doc->blame, "%s:%d:%d: not valid JSON (%s); mend the text there", doc->name,
         where.line > 0 ? where.line : 1, where.column > 0 ? where.column : 1,
         nul   ? "\\u0000, which no text may hold"
         : cut ? "it ends too early: a bracket is open, or the file is damaged"
               : where.text);
  }
  return DPERM_OK;
}

void json_document_free(json_document *doc) {
  json_decref(doc->root);
  free(doc->owned);
  *doc = (json_document){0};
}

/* ---- finding a value in the text */

typedef struct walker {
  const char *at, *end;
  const json_t *wanted;
} walker;

static void skip_blanks(walker *w) {
  while (w->at < w->end && strchr(" \t\r\n", *w->at)) {
    w->at++;
  }
}

static void skip_scalar(walker *w) {
  bool text = w->at < w->end && *w->at == '"';
  for (w->at += text; w->at < w->end && !strchr(text ? "\"" : ",]} \t\r\n", *w->at); w->at++) {
    w->at += text && *w->at == '\\';
  }
  w->at += text;
}

/* To the value that is wanted, or else behind this one. jansson keeps the order of members. */
static bool walk(walker *w, json_t *value) {
  const char *key;
  json_t *member;
  size_t i, members = json_object_size(value) + json_array_size(value);
  skip_blanks(w);
  if (value == w->wanted) {
    return true;
  }
  json_object_foreach(value, key, member) {
    w->at++; /* the brace, or a comma */
    skip_blanks(w);
    skip_scalar(w);
    skip_blanks(w);
    w->at++; /* the colon */
    if (walk(w, member)) {
      return true;
    }
    skip_blanks(w);
  }
  json_array_foreach(value, i, member) {
    w->at++;
    if (walk(w, member)) {
      return true;
    }
    skip_blanks(w);
  }
  if (members == 0) {
    skip_scalar(w); /* or the opening bracket, up to the closing one */
    skip_blanks(w);
  }
  w->at += json_is_object(value) || json_is_array(value);
  return false;
}

/* A tree that came without its text, as the schema in a model, has one place only. */
static void place_of(const json_document *doc, const json_t *value, int *line, int *column) {
  walker w = {doc->text, doc->text + doc->length, value};
  bool found = doc->length > 0 && walk(&w, doc->root);
  *line = *column = 1;
  for (const char *c = doc->text; found && c < w.at; c++) {
    *column = *c == '\n' ? 1 : *column + 1;
    *line += *c == '\n';
  }
}

dperm_status json_fail_at(const json_document *doc, const json_t *value, dperm_error *err,
                          const char *format, ...) {
  char sentence[768];
  va_list args;
  va_start(args, format);
  vsnprintf(sentence, sizeof sentence, format, args);
  va_end(args);
  int line = 1, column = 1;
  place_of(doc, value, &line, &column);
  FAIL(err, doc->blame, "%s:%d:%d: %s", doc->name, line, column, sentence);
}

const json_t *json_blamed(const json_t *owner, const json_t *value) {
  return json_is_boolean(value) || json_is_null(value) ? owner : value;
}

dperm_status json_check_keys(const json_document *doc, json_t *object, const char *const *allowed,
                             const char *what, dperm_error *err) {
  const char *key;
  json_t *value;
  json_object_foreach(object, key, value) {
    size_t i = 0;
    while (allowed[i] && strcmp(allowed[i], key) != 0) {
      i++;
    }
    if (!allowed[i]) {
      char known[256] = "";
      for (size_t j = 0, used = 0; allowed[j] && used < sizeof known; j++) {
        used +=
            (size_t)snprintf(known + used, sizeof known - used, "%s%s", j ? ", " : "", allowed[j]);
      }
      return json_fail_at(doc, json_blamed(object, value), err,
                          "%s has an unknown key \"%.64s\"; known keys are %s", what, key, known);
    }
  }
  return DPERM_OK;
}

/* ---- writing */

typedef struct printer {
  output_file *out;
  size_t column;
  bool flowing; /* flat objects flow as arrays of scalars do */
} printer;

static dperm_status put(printer *p, const char *text, size_t length, dperm_error *err) {
  p->column += length;
  return output_write(p->out, text, length, err);
}

static dperm_status put_line(printer *p, int depth, dperm_error *err) {
  TRY(put(p, "\n", 1, err));
  p->column = 0;
  for (int i = 0; i < depth; i++) {
    TRY(put(p, "  ", 2, err));
  }
  return DPERM_OK;
}

static dperm_status put_scalar(printer *p, const json_t *value, dperm_error *err) {
  if (json_is_real(value)) {
    char text[DOUBLE_TEXT_SIZE];
    size_t length = format_double(json_real_value(value), true, text);
    return put(p, text, length, err);
  }
  OWNED_MEMORY char *text = json_dumps(value, JSON_ENCODE_ANY);
  FAIL_IF(!text, err, DPERM_OUT_OF_MEMORY, "out of memory while writing JSON");
  return put(p, text, strlen(text), err);
}

static bool is_container(const json_t *value) {
  return json_is_object(value) || json_is_array(value);
}

/* An array of scalars, so that a schema's value lists and a model's weights stay readable, or an
 * object without objects inside, not even in a list. */
static bool is_flat(const json_t *value) {
  const char *key;
  json_t *member;
  json_object_foreach((json_t *)value, key, member) {
    if (is_container(json_is_array(member) ? json_array_get(member, 0) : member)) {
      return false;
    }
  }
  return !is_container(json_array_get(value, 0));
}

static dperm_status put_value(printer *p, const json_t *value, int depth, dperm_error *err) {
  bool object = json_is_object(value), flows = (!object || p->flowing) && is_flat(value);
  size_t count = json_object_size(value) + json_array_size(value);
  void *at = json_object_iter((json_t *)value);
  if (!is_container(value)) {
    return put_scalar(p, value, err);
  }
  TRY(put(p, object ? "{" : "[", 1, err));
  for (size_t i = 0; i < count; i++) {
    bool full = p->column + (i > 0) > 74 && (object || !p->flowing || i > 0);
    TRY(put(p, ", ", i == 0 ? 0 : !flows || full ? 1 : 2, err));
    TRY(!flows || full ? put_line(p, depth + 1, err) : DPERM_OK);
    if (object) {
      json_auto_t *name = json_string(json_object_iter_key(at));
      TRY(put_scalar(p, name, err));
      TRY(put(p, ": ", 2, err));
    }
    TRY(put_value(p, object ? json_object_iter_value(at) : json_array_get(value, i), depth + 1,
                  err));
    at = object ? json_object_iter_next((json_t *)value, at) : NULL;
  }
  TRY(count > 0 && !flows ? put_line(p, depth, err) : DPERM_OK);
  return put(p, object ? "}" : "]", 1, err);
}

dperm_status json_write(const json_t *value, bool flowing, output_file *out, dperm_error *err) {
  printer p = {out, 0, flowing};
  TRY(put_value(&p, value, 0, err));
  return put(&p, "\n", 1, err);
}

void json_append(json_t **array, json_t *item) {
  if (json_array_append_new(*array, item) != 0) {
    json_decref(*array);
    *array = NULL;
  }
}

void json_append_line(json_t **array, const char *format, ...) {
  char words[1024], line[1024];
  va_list args;
  va_start(args, format);
  (void)vsnprintf(words, sizeof words, format, args);
  va_end(args);
  dperm_text_visible(words, line, sizeof line);
  json_append(array, json_string_nocheck(line));
}

void json_set(json_t **object, const char *key, json_t *value) {
  if (!*object) {
    json_decref(value);
  } else if (!value || json_object_set_new(*object, key, value) != 0) {
    json_decref(*object);
    *object = NULL;
  }
}

const char *json_text_at(const json_t *object, const char *key) {
  return json_string_value(json_object_get(object, key));
}

json_t *json_figure(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_count(size_t count) {
  return json_integer((json_int_t)count);
}

dperm_status json_give(json_t *value, char **text, dperm_error *err) {
  *text = value ? json_dumps(value, JSON_INDENT(2) | JSON_ENSURE_ASCII) : NULL;
  json_decref(value);
  return *text ? DPERM_OK : error_set(err, DPERM_OUT_OF_MEMORY, "out of memory while reporting");
}

void dperm_text_free(char *text) {
  free(text);
}
