/* A page of text as Markdown or as self-contained HTML: headings, paragraphs, a table of two
 * columns, a list, lines set apart. The caller gives plain text; each form escapes what it must.
 * The first failure to write is kept, and report_close reports it. */
#pragma once

#include <stdbool.h>

#include "base/file_write.h"

typedef enum report_element {
  REPORT_TITLE,
  REPORT_HEADING,
  REPORT_LEAD, /* what must be seen first */
  REPORT_TEXT,
  REPORT_LINE, /* a formula or a command, on a line of its own */
  REPORT_ITEM, /* of a list */
  REPORT_NAME, /* of a row of the table */
  REPORT_VALUE
} report_element;
typedef enum report_block { REPORT_NONE, REPORT_TABLE, REPORT_LIST } report_block;

typedef struct report {
  output_file *out;
  bool html;
  report_block inside; /* the table or list that is open */
  dperm_status status;
  dperm_error error;
} report;

dperm_status report_open(report *p, bool html, const char *title, dperm_error *err);
/* The whole page, to be given back with free(). */
dperm_status report_close(report *p, char **page, dperm_error *err);
/* Leaves nothing behind; fine after report_close. */
void report_discard(report *p);

void report_add(report *p, report_element kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define report_heading(p, text) report_add(p, REPORT_HEADING, text)
#define report_text(p, ...) report_add(p, REPORT_TEXT, __VA_ARGS__)
#define report_item(p, ...) report_add(p, REPORT_ITEM, __VA_ARGS__)
/* A row of the table: REPORT_NAME and REPORT_VALUE. */
void report_row(report *p, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with a text of any length, and for a row with a name that may hold anything. */
void report_words(report *p, report_element kind, const char *text);
void report_row_words(report *p, const char *name, const char *text);
