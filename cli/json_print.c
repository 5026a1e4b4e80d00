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
    } else if (length == 2 && s[0] == 0xc2 && s[1] < 0xa0) { /* C1: terminals may obey */
      fprintf(out, "\\u%04x", (unsigned)s[1]);
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
