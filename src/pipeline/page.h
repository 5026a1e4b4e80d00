/* A page of text as Markdown or as self-contained HTML: headings, paragraphs, a table of two
 * columns, a list, lines set apart. What is given is plain text; each form escapes what it must.
 * The first failure to write is kept, and page_close reports it. */
#ifndef DPERM_PIPELINE_PAGE_H
#define DPERM_PIPELINE_PAGE_H

#include <stdbool.h>

#include "base/file_write.h"

typedef enum page_block { PAGE_NONE, PAGE_TABLE, PAGE_LIST } page_block;

typedef struct page {
  output_file *out;
  bool html;
  page_block inside; /* the table or list that is open */
  dperm_status status;
  dperm_error error;
} page;

dperm_status page_open(page *p, const char *path, bool html, const char *title, dperm_error *err);
/* Success means that the whole page is where it belongs. */
dperm_status page_close(page *p, dperm_error *err);
/* Leaves nothing behind; fine after page_close. */
void page_discard(page *p);

void page_heading(page *p, const char *text);
void page_text(page *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What must be seen first. */
void page_lead(page *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void page_row(page *p, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void page_item(page *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A formula or a command, on a line of its own. */
void page_line(page *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
