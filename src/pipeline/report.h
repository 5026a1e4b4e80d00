/* A page of text as Markdown or as self-contained HTML: headings, paragraphs, a table of two
 * columns, a list, lines set apart. What is given is plain text; each form escapes what it must.
 * The first failure to write is kept, and report_close reports it. */
#ifndef DPERM_PIPELINE_REPORT_H
#define DPERM_PIPELINE_REPORT_H

#include <stdbool.h>

#include "base/file_write.h"

typedef enum report_block { REPORT_NONE, REPORT_TABLE, REPORT_LIST } report_block;

typedef struct report {
  output_file *out;
  bool html;
  report_block inside; /* the table or list that is open */
  dperm_status status;
  dperm_error error;
} report;

dperm_status report_open(report *p, const char *path, bool html, const char *title,
                         dperm_error *err);
/* Success means that the whole page is where it belongs. */
dperm_status report_close(report *p, dperm_error *err);
/* Leaves nothing behind; fine after report_close. */
void report_discard(report *p);

void report_heading(report *p, const char *text);
void report_text(report *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What must be seen first. */
void report_lead(report *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void report_row(report *p, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void report_item(report *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A formula or a command, on a line of its own. */
void report_line(report *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
