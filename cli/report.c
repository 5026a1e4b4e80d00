/* See report.h. */
#include "report.h"

#include <dperm.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *report_of(char *text) {
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
  if (words) {
    return words;
  }
  const char *bad = "\xef\xbf\xbd";
  char *mended = calloc(strlen(text) + 1, strlen(bad));
  char *to = mended;
  for (const char *from = text; mended && *from;) {
    size_t length = 1; /* of what is UTF-8 here: one to four bytes that jansson takes */
    json_t *part = NULL;
    for (; length <= 4 && strlen(from) >= length && !part; length++) {
      part = json_stringn(from, length);
    }
    if (part) {
      memcpy(to, from, length - 1);
      to += length - 1;
      from += length - 1;
    } else {
      to = stpcpy(to, bad);
      from++;
    }
    json_decref(part);
  }
  words = mended ? json_string(mended) : NULL;
  free(mended);
  return words;
}

json_t *json_figure(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}

void report_print(json_t *report) {
  char *text = json_dumps(report, JSON_INDENT(2) | JSON_ENSURE_ASCII);
  if (text) {
    (void)puts(text);
  }
  free(text);
  json_decref(report);
}
