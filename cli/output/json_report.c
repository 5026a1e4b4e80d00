/* See json_report.h. */
#include "output/json_report.h"

#include <dperm.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/message.h"

json_t *parsed_report(char *text) {
  json_t *report = text ? json_loads(text, 0, NULL) : NULL;
  dperm_text_free(text);
  return report;
}

double report_number(const json_t *report, const char *key) {
  const json_t *value = json_object_get(report, key);
  return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

const char *report_text(const json_t *report, const char *key) {
  return json_string_value(json_object_get(report, key));
}

json_t *json_words(const char *text) {
  json_t *words = text ? json_string(text) : json_null();
  return words ? words : json_string(visible(text).text);
}

json_t *report_figure(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}

/* The shortest decimal that reads back to the same double; jansson writes 17 digits. */
static void put_number(const char *digits, size_t length) {
  double value = strtod(digits, NULL);
  number_text number = shortest(value, 1);
  bool whole = memchr(digits, '.', length) == NULL && memchr(digits, 'e', length) == NULL;
  if (value > -1e15 && value < 1e15 && !(value < rint(value) || value > rint(value))) {
    (void)snprintf(number.text, sizeof number.text, "%.0f", value);
  }
  (void)fwrite(whole ? digits : number.text, 1, whole ? length : strlen(number.text), stdout);
}

void report_print(json_t *report) {
  char *text = json_dumps(report, JSON_INDENT(2) | JSON_ENSURE_ASCII);
  bool quoted = false;
  for (const char *at = text; at && *at;) {
    size_t length = quoted ? 0 : strspn(at, "-+.0123456789eE");
    if (length > 0 && strspn(at, "eE") == 0) {
      put_number(at, length);
      at += length;
      continue;
    }
    bool escape = quoted && *at == '\\';
    quoted = *at == '"' ? !quoted : quoted;
    length = escape ? 2 : 1;
    if (*at == 0x7f) { /* the one control character that jansson leaves as it is */
      (void)fputs("\\u007f", stdout);
    } else {
      (void)fwrite(at, 1, length, stdout);
    }
    at += length;
  }
  (void)putchar('\n');
  free(text);
  json_decref(report);
}

void report_remarks(const json_t *report) {
  const json_t *line;
  size_t i;
  json_array_foreach(json_object_get(report, "remarks"), i, line) {
    note("remark: %s", json_string_value(line));
  }
}
