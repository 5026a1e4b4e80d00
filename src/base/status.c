/* Statuses, their texts, and the one place where an error message is written. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT_OF(x) #x
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *dperm_version(void) {
  return VERSION_TEXT(DPERM_VERSION_MAJOR, DPERM_VERSION_MINOR, DPERM_VERSION_PATCH);
}

const char *dperm_status_text(dperm_status status) {
  switch (status) {
#define STATUS_CASE(name, number, text)                                                            \
  case name:                                                                                       \
    return text;
    DPERM_STATUS_LIST(STATUS_CASE)
#undef STATUS_CASE
  }
  return "unknown status";
}

dperm_status error_set(dperm_error *err, dperm_status status, const char *format, ...) {
  if (!err) {
    return status;
  }
  char sentence[sizeof err->message];
  va_list args;
  va_start(args, format);
  vsnprintf(sentence, sizeof sentence, format, args);
  va_end(args);
  err->status = status;
  dperm_text_visible(sentence, err->message, sizeof err->message);
  return status;
}

void error_append(dperm_error *err, const char *format, ...) {
  char words[256], clause[256];
  if (!err) {
    return;
  }
  va_list args;
  va_start(args, format);
  vsnprintf(words, sizeof words, format, args);
  va_end(args);
  dperm_text_visible(words, clause, sizeof clause);
  size_t used = strnlen(err->message, sizeof err->message);
  size_t most = sizeof err->message - strlen(clause) - 1;
  (void)snprintf(err->message + (used < most ? used : most), strlen(clause) + 1, "%s", clause);
}
