/* See report.h. */
#include "report/report.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/memory.h"

enum { TEXT_SIZE = 2048 };

static const char html_head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>";
static const char html_style[] =
    "</title>\n<style>\n"
    "body{font:15px/1.45 serif;max-width:46rem;margin:2rem auto;padding:0 1.2rem}\n"
    ".lead{border-left:4px solid #24508c;background:#f2f5fa;padding:.5rem .8rem}\n"
    ".line{font-family:monospace;margin-left:1.2rem}\n"
    "h1,p,td,th{overflow-wrap:anywhere}table{width:100%;border-collapse:collapse}"
    "th,td{text-align:left;vertical-align:top;padding:.2rem .6rem .2rem 0;"
    "border-bottom:1px solid #e4e4e4}th{width:11rem;font-weight:normal}h2{font-size:1.15rem}\n"
    "@media (max-width:34rem){th,td{display:block;width:auto}th{border:0;padding-bottom:0;"
    "font-weight:bold}}\n"
    "@page{margin:18mm}@media print{body{font-size:10.5pt;max-width:none;margin:0;padding:0}"
    "h2{break-after:avoid}tr,li,.lead,.line{break-inside:avoid}p{orphans:3;widows:3}"
    ".lead{-webkit-print-color-adjust:exact;print-color-adjust:exact}}\n"
    "</style>\n</head>\n<body>\n";

/* ---- writing */

static void put(report *p, const char *text) {
  if (p->status == DPERM_OK) {
    p->status = output_write(p->out, text, strlen(text), &p->error);
  }
}

static void put_escaped(report *p, const char *text) {
  for (; *text; text++) {
    const char plain[2] = {*text, '\0'};
    const char *as = plain;
    if (p->html) {
      as = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : plain;
      as = *text == '"' ? "&quot;" : as;
    } else if (strchr("\\`*_[]<>|#", *text)) {
      put(p, "\\");
    }
    put(p, as);
  }
}

/* The text of an element between the tags or marks of its form. */
typedef const char *const ends[2];

typedef struct element {
  ends html, markdown;
  report_block block; /* what it stands in */
} element;

static const element elements[] = {
    [REPORT_TITLE] = {{"<h1>", "</h1>\n"}, {"# ", "\n\n"}, REPORT_NONE},
    [REPORT_HEADING] = {{"<h2>", "</h2>\n"}, {"## ", "\n\n"}, REPORT_NONE},
    [REPORT_LEAD] = {{"<p class=\"lead\">", "</p>\n"}, {"> ", "\n\n"}, REPORT_NONE},
    [REPORT_TEXT] = {{"<p>", "</p>\n"}, {"", "\n\n"}, REPORT_NONE},
    [REPORT_LINE] = {{"<p class=\"line\">", "</p>\n"}, {"    ", "\n\n"}, REPORT_NONE},
    [REPORT_ITEM] = {{"<li>", "</li>\n"}, {"- ", "\n"}, REPORT_LIST},
    [REPORT_NAME] = {{"<tr><th>", "</th>"}, {"| ", " "}, REPORT_TABLE},
    [REPORT_VALUE] = {{"<td>", "</td></tr>\n"}, {"| ", " |\n"}, REPORT_TABLE}};

/* Ends the open table or list unless it is this one, and begins it. */
static void enter_block(report *p, report_block block) {
  static ends html[] = {{"", ""}, {"<table>\n", "</table>\n"}, {"<ul>\n", "</ul>\n"}};
  static ends markdown[] = {{"", ""}, {"| | |\n|---|---|\n", "\n"}, {"", "\n"}};
  ends *tags = p->html ? html : markdown;
  if (p->inside != block) {
    put(p, tags[p->inside][1]);
    put(p, tags[block][0]);
    p->inside = block;
  }
}

static void put_element(report *p, report_element kind, const char *text) {
  const element *e = &elements[kind];
  enter_block(p, e->block);
  put(p, p->html ? e->html[0] : e->markdown[0]);
  if (kind == REPORT_LINE && !p->html) { /* Markdown escapes nothing in indented text */
    put(p, text);
  } else {
    put_escaped(p, text);
  }
  put(p, p->html ? e->html[1] : e->markdown[1]);
}

/* `text` is made of `format` and what follows it in the call; names in it may hold anything. */
#define FORMAT_INTO(text, format)                                                                  \
  char text[TEXT_SIZE];                                                                            \
  do {                                                                                             \
    va_list args_;                                                                                 \
    va_start(args_, format);                                                                       \
    char words_[TEXT_SIZE];                                                                        \
    (void)vsnprintf(words_, TEXT_SIZE, (format), args_);                                           \
    dperm_text_visible(words_, (text), TEXT_SIZE);                                                 \
    va_end(args_);                                                                                 \
  } while (0)

/* ---- the page */

dperm_status report_open(report *p, bool html, const char *title, dperm_error *err) {
  *p = (report){.html = html};
  TRY(output_open_memory(&p->out, err));
  if (html) {
    put(p, html_head);
    put_escaped(p, title);
    put(p, html_style);
  }
  put_element(p, REPORT_TITLE, title);
  return DPERM_OK;
}

dperm_status report_close(report *p, char **page, dperm_error *err) {
  enter_block(p, REPORT_NONE);
  put(p, p->html ? "</body>\n</html>\n" : "");
  FAIL_IF(p->status != DPERM_OK, err, p->status, "%s", p->error.message);
  output_file *out = p->out;
  size_t length = 0;
  p->out = NULL;
  return output_take(out, page, &length, err);
}

void report_discard(report *p) {
  output_discard(p->out);
  p->out = NULL;
}

void report_add(report *p, report_element kind, const char *format, ...) {
  FORMAT_INTO(text, format);
  put_element(p, kind, text);
}

void report_row(report *p, const char *name, const char *format, ...) {
  FORMAT_INTO(text, format);
  put_element(p, REPORT_NAME, name);
  put_element(p, REPORT_VALUE, text);
}

void report_words(report *p, report_element kind, const char *text) {
  OWNED_MEMORY char *shown = NULL;
  const size_t size = 6 * strlen(text) + 1; /* what becomes of a byte is at most \u202e */
  p->status = p->status == DPERM_OK ? memory_new(size, 1, &shown, &p->error) : p->status;
  if (shown) {
    dperm_text_visible(text, shown, size);
    put_element(p, kind, shown);
  }
}

void report_row_words(report *p, const char *name, const char *text) {
  report_words(p, REPORT_NAME, name);
  report_words(p, REPORT_VALUE, text);
}
