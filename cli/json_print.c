/* See json_print.h. */
#include "json_print.h"

#include <math.h>

/* The length of the sequence of UTF-8 at `s`; 0 if it is none. */
static size_t sequence(const unsigned char *s) {
  size_t length = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
  if (s[0] > 0xf4 || (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
      (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) {
    return 0;
  }
  for (size_t i = 1; i < length; i++) {
    if ((s[i] & 0xc0) != 0x80) {
      return 0;
    }
  }
  return length;
}

/* What a terminal may obey beyond ASCII: C1, ends of lines, marks that turn the direction of
 * writing. Returns its number, 0 for all else. */
static unsigned hidden(const unsigned char *s, size_t length) {
  if (length == 2 && s[0] == 0xc2 && s[1] < 0xa0) {
    return s[1];
  }
  unsigned low = length == 3 && s[0] == 0xe2 ? (s[1] & 0x3fU) << 6 | (s[2] & 0x3fU) : 0;
  bool marks =
      (low >= 0x0e && low <= 0x0f) || (low >= 0x28 && low <= 0x2e) || (low >= 0x66 && low <= 0x69);
  return marks ? 0x2000 + low : 0;
}

void json_quote(FILE *out, const char *text) {
  if (!text) {
    (void)fputs("null", out);
    return;
  }
  (void)fputc('"', out);
  for (const unsigned char *s = (const unsigned char *)text; *s;) {
    size_t length = sequence(s);
    if (length == 0) {
      (void)fputs("\\ufffd", out);
    } else if (*s < 0x20 || *s == 0x7f) {
      fprintf(out, "\\u%04x", (unsigned)*s);
    } else if (hidden(s, length)) {
      fprintf(out, "\\u%04x", hidden(s, length));
    } else {
      fprintf(out, *s == '"' || *s == '\\' ? "\\%.*s" : "%.*s", (int)length, (const char *)s);
    }
    s += length ? length : 1;
  }
  (void)fputc('"', out);
}

void print_json_text(const char *name, const char *text, const char *end) {
  printf("  \"%s\": ", name);
  json_quote(stdout, text);
  printf("%s\n", end);
}

void print_json_number(const char *name, double value, const char *end) {
  if (!isfinite(value)) {
    printf("  \"%s\": null%s\n", name, end);
  } else {
    printf("  \"%s\": %.17g%s\n", name, value, end);
  }
}

void print_json_count(const char *name, size_t value, const char *end) {
  printf("  \"%s\": %zu%s\n", name, value, end);
}

void print_json_flag(const char *name, bool value, const char *end) {
  printf("  \"%s\": %s%s\n", name, value ? "true" : "false", end);
}
