/* Results for programs: JSON on stdout, a member on a line of its own. `end` is "," or "". */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* In quotes; what is not UTF-8 becomes U+FFFD. NULL is null. */
void json_quote(FILE *out, const char *text);

void print_json_text(const char *name, const char *text, const char *end);
/* What is not finite becomes null. */
void print_json_number(const char *name, double value, const char *end);
void print_json_count(const char *name, size_t value, const char *end);
void print_json_flag(const char *name, bool value, const char *end);
