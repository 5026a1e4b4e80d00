/* See finding.h. */
#include "verify/finding.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LINE_SIZE = 640 };

/* Beyond this a whole number is not a double, and no count of anything real. */
static const json_int_t largest_count = (json_int_t)1 << 53;

bool finding_line(verifier *v, dperm_finding kind, const char *name, const char *mark,
                  const char *format, ...) {
  char line[LINE_SIZE];
  int used = snprintf(line, sizeof line, "%s%s", name, mark);
  va_list args;
  va_start(args, format);
  (void)vsnprintf(line + used, sizeof line - (size_t)used, format, args);
  va_end(args);
  for (char *c = line; *c; c++) {
    if (*c < 0x20 || *c > 0x7e) {
      *c = '?';
    }
  }
  if (v->line) {
    v->line(v->context, kind, line);
  }
  v->holds = v->holds && kind != DPERM_FINDING_FAILS;
  return kind == DPERM_FINDING_HOLDS;
}

const json_t *field_at(const json_t *root, const char *path) {
  char key[64];
  const char *dot = strchr(path, '.');
  if (!dot) {
    return json_object_get(root, path);
  }
  (void)snprintf(key, sizeof key, "%.*s", (int)(dot - path), path);
  return field_at(json_object_get(root, key), dot + 1);
}

bool field_is(const json_t *root, const char *path, const char *word) {
  const char *text = json_string_value(field_at(root, path));
  return text && strcmp(text, word) == 0;
}

bool field_among(const json_t *root, const char *path, const char *const *words) {
  while (*words && !field_is(root, path, *words)) {
    words++;
  }
  return *words != NULL;
}

bool field_is_null(const verifier *v, const char *path) {
  return json_is_null(field_at(v->root, path));
}

bool field_is_object(const verifier *v, const char *path) {
  return json_is_object(field_at(v->root, path));
}

bool field_number(verifier *v, const char *name, const char *path, double *out) {
  const json_t *value = field_at(v->root, path);
  bool whole = json_is_integer(value);
  json_int_t integer = json_integer_value(value);
  *out = json_number_value(value);
  bool sound = whole ? integer <= largest_count && integer >= -largest_count
                     : json_is_real(value) && isfinite(*out);
  return sound || fails(v, name, "%s is not a finite number", path);
}

bool field_positive(verifier *v, const char *name, const char *path, double *out) {
  return field_number(v, name, path, out) &&
         (*out > 0 || fails(v, name, "%s = %s is not above zero", path, shown(*out).text));
}

bool field_count(verifier *v, const char *name, const char *path, unsigned long long *out) {
  const json_t *value = field_at(v->root, path);
  json_int_t integer = json_integer_value(value);
  *out = integer > 0 ? (unsigned long long)integer : 0;
  return (json_is_integer(value) && integer >= 1 && integer <= largest_count) ||
         fails(v, name, "%s is not a whole number from 1 to 2^53", path);
}

bool field_text(verifier *v, const char *name, const char *path, const char **out) {
  *out = json_string_value(field_at(v->root, path));
  return *out || fails(v, name, "%s is not a text", path);
}

number_text shown(double value) {
  number_text number;
  (void)format_double(value, false, number.text);
  return number;
}
