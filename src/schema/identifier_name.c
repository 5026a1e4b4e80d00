/* See identifier_name.h. A name's words are parted by anything but letters and digits, and where a
 * capital follows a small letter. The last one decides, or the last two. */
#include "schema/identifier_name.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

enum { WORD = 24 };
typedef char word[WORD];

static bool is_among(const char *text, const char *const *list) {
  while (*list && strcmp(text, *list) != 0) {
    list++;
  }
  return *list != NULL;
}

/* The last two words in small letters, "" where there is none; what is too long is cut. */
static void last_words(const char *name, word before, word last) {
  size_t length = 0;
  before[0] = last[0] = '\0';
  for (const char *at = name; *at; at++) {
    const bool inside = isalnum((unsigned char)*at);
    const bool begins = inside && (at == name || !isalnum((unsigned char)at[-1]) ||
                                   (isupper((unsigned char)*at) && islower((unsigned char)at[-1])));
    if (begins) {
      memcpy(before, last, WORD);
      length = 0;
    }
    if (inside && length + 1 < WORD) {
      last[length++] = (char)tolower((unsigned char)*at);
      last[length] = '\0';
    }
  }
}

bool name_is_identifier(const char *name) {
  static const char *const own[] = {"id",         "ids",   "uid", "uuid", "guid",      "mrn", "ssn",
                                    "identifier", "ident", "pid", "eid",  "pseudonym", NULL};
  static const char *const whose[] = {
      "patient", "person",  "subject", "customer",   "client", "member", "user", "case",
      "record",  "account", "policy",  "respondent", "cust",   "pat",    "id",   NULL};
  static const char *const number[] = {"nr", "no", "num", "number", "code", "key", NULL};
  word before, last, joined;
  last_words(name, before, last);
  const size_t length = strlen(last);
  memcpy(joined, last, WORD);
  if (length > 2 && strcmp(last + length - 2, "id") == 0) { /* patientid */
    joined[length - 2] = '\0';
  }
  return is_among(last, own) || (is_among(before, whose) && is_among(last, number)) ||
         (joined[0] && strlen(joined) < length && is_among(joined, whose));
}
