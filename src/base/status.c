/* What the library says: statuses and their texts, the words for the values of enums, text of
 * others as it may appear in a message, and the one place where an error message is written. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "dperm/draft.h"
#include "dperm/tune.h"

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

/* ---- words: one place, so that command, files and messages agree. Losses, kinds of noise and
 * formats have theirs in their tables, since adding one is a line there */

static const char *const words[][8] = {
    [DPERM_WORDS_ANALYSIS] = {"tight", "paper"},
    [DPERM_WORDS_BINS] = {"ask", "none", "auto"},
    [DPERM_WORDS_DICTIONARY] = {"auto", "frictionless", "csvw"},
    [DPERM_WORDS_KERNEL] = {"none", "gaussian", "laplacian", "cauchy"},
    [DPERM_WORDS_MECHANISM] = {"objective", "output", "none", "descent"},
    [DPERM_WORDS_MULTICLASS] = {"auto", "joint", "one-vs-rest"},
    [DPERM_WORDS_NEIGHBOURS] = {"replace", "add-remove"},
    [DPERM_WORDS_ROUNDS] = {"logarithmic", "geometric"},
    [DPERM_WORDS_SELECTOR] = {"permute-and-flip", "exponential"},
    [DPERM_WORDS_TAKEN] = {"classes", "norm", "ranges", "categories", "columns", "scales",
                           "weights"},
    [DPERM_WORDS_TUNE_METHOD] = {"split", "stopping", "public"},
};

const char *dperm_word(dperm_words list, unsigned value) {
  bool known = (size_t)list < sizeof words / sizeof *words && value < 8;
  return known ? words[list][value] : NULL;
}

/* ---- text that somebody else wrote, as a message may have it: one line that no terminal obeys */

size_t text_character(const char *s, size_t size, uint32_t *out) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned char *at = (const unsigned char *)s;
  size_t length = at[0] < 0x80 ? 1 : at[0] < 0xc0 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
  if (length < 2 || at[0] > 0xf4) {
    *out = at[0];
    return at[0] > 0xf4 ? 0 : length;
  }
  uint32_t code = at[0] & (0x7fU >> length);
  for (size_t i = 1; i < length; i++) {
    if (i == size || (at[i] & 0xc0) != 0x80) {
      return 0;
    }
    code = code << 6 | (at[i] & 0x3fU);
  }
  *out = code;
  bool sound = code >= least[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return sound ? length : 0;
}

static bool is_control(uint32_t code) {
  static const struct {
    uint32_t first, last;
  } ranges[] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},   {0x200e, 0x200f},
                {0x2028, 0x202e}, {0x2066, 0x2069}, {0xfeff, 0xfeff}, {0xe0000, 0xe007f}};
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
    if (code >= ranges[i].first && code <= ranges[i].last) {
      return true;
    }
  }
  return false;
}

void dperm_text_visible(const char *text, char *out, size_t size) {
  const char *end = text + strlen(text);
  for (const unsigned char *s = (const unsigned char *)text; *s && size > 1;) {
    char shown[16];
    uint32_t code = 0;
    size_t length = text_character((const char *)s, (size_t)(end - (const char *)s), &code);
    if (length > 0 && !is_control(code)) {
      memcpy(shown, s, length);
      shown[length] = '\0';
    } else if (length < 2) {
      (void)snprintf(shown, sizeof shown, "\\x%02x", (unsigned)*s);
    } else {
      (void)snprintf(shown, sizeof shown, "\\u%04x", (unsigned)code);
    }
    size_t used = strlen(shown);
    if (used >= size) {
      break;
    }
    memcpy(out, shown, used);
    out += used;
    size -= used;
    s += length > 0 ? length : 1;
  }
  if (size > 0) {
    *out = '\0';
  }
}

/* ---- messages */

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
  char said[256], clause[256];
  if (!err) {
    return;
  }
  va_list args;
  va_start(args, format);
  vsnprintf(said, sizeof said, format, args);
  va_end(args);
  dperm_text_visible(said, clause, sizeof clause);
  size_t used = strnlen(err->message, sizeof err->message);
  size_t most = sizeof err->message - strlen(clause) - 1;
  (void)snprintf(err->message + (used < most ? used : most), strlen(clause) + 1, "%s", clause);
}
