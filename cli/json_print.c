/* See json_print.h. */
#include "json_print.h"

#include <math.h>

/* The code point at `s` in UTF-8; returns its length, 0 if it is none. */
static size_t decode(const unsigned char *s, unsigned *point) {
  static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
  size_t length = *s < 0x80 ? 1 : *s < 0xc0 ? 0 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : *s < 0xf8 ? 4 : 0;
  *point = length > 1 ? *s & (0x7fU >> length) : *s;
  for (size_t i = 1; i < length; i++) {
    if ((s[i] & 0xc0) != 0x80) {
      return 0;
    }
    *point = *point << 6 | (s[i] & 0x3fU);
  }
  bool surrogate = *point >= 0xd800 && *point < 0xe000;
  return *point < least[length] || *point > 0x10ffff || surrogate ? 0 : length;
}

/* What a terminal may obey: controls, ends of lines, marks that turn the direction of writing. */
static bool hidden(unsigned point) {
  return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x200e || point == 0x200f ||
         (point >= 0x2028 && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
}

void json_quote(FILE *out, const char *text) {
  if (!text) {
    (void)fputs("null", out);
    return;
  }
  (void)fputc('"', out);
  for (const unsigned char *s = (const unsigned char *)text; *s;) {
    unsigned point = 0;
    size_t length = decode(s, &point);
    if (length == 0 || hidden(point)) {
      fprintf(out, "\\u%04x", length ? point : 0xfffd);
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
  printf(isfinite(value) ? "  \"%s\": %.17g" : "  \"%s\": null", name, value);
  printf("%s\n", end);
}

void print_json_count(const char *name, size_t value, const char *end) {
  printf("  \"%s\": %zu%s\n", name, value, end);
}

void print_json_flag(const char *name, bool value, const char *end) {
  printf("  \"%s\": %s%s\n", name, value ? "true" : "false", end);
}
