/* Results as JSON: the library's reports, read for people and printed for programs; what the
 * command itself reports is made of the same. */
#pragma once

#include <jansson.h>

/* The library's text as an object, for json_decref; the text is given back. NULL without one. */
json_t *parsed_report(char *text);

/* Members: NaN and NULL for null, and where there is none. */
double report_number(const json_t *report, const char *key);
const char *report_text(const json_t *report, const char *key);

/* A text of any bytes: one that is not UTF-8 as people see it (`visible`). NULL is null. */
json_t *json_words(const char *text);
/* A number, null where it is not finite. */
json_t *report_figure(double value);

/* A result's "remarks", lines on stderr. */
void report_remarks(const json_t *report);

/* On standard output, with a newline; takes the report over. */
void report_print(json_t *report);
