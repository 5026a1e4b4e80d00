/* See report.h. */
#include "pipeline/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/visible.h"

enum { TEXT_SIZE = 2048 };

static const char html_head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>";
static const char html_style[] =
    "</title>\n<style>\n"
    "body{font:15px/1.45 Georgia,'Times New Roman',serif;color:#1b1b1b;background:#fff;"
    "max-width:46rem;margin:2rem auto;padding:0 1.2rem}\n"
    "h1{font-size:1.5rem;margin:0 0 .8rem;line-height:1.2;overflow-wrap:anywhere}\n"
    "h2{font-size:1.02rem;margin:1.1rem 0 .3rem;border-bottom:1px solid "
    "#bbb;padding-bottom:.1rem}\n"
    "p,ul{margin:.35rem 0}ul{padding-left:1.2rem}li{margin:.15rem 0}\n"
    ".lead{border-left:4px solid #24508c;background:#f2f5fa;padding:.5rem .8rem;margin:.6rem 0}\n"
    ".line{font-family:'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:.86rem;"
    "margin:.3rem 0 .3rem 1.2rem;overflow-wrap:anywhere}\n"
    "table{border-collapse:collapse;width:100%;margin:.4rem 0}\n"
    "th,td{text-align:left;vertical-align:top;padding:.14rem .5rem .14rem 0;font-weight:normal;"
    "border-bottom:1px solid #e4e4e4;overflow-wrap:anywhere}\n"
    "th{color:#555;width:11rem}\n"
    "@media print{body{font-size:9pt;line-height:1.25;margin:0;max-width:none}"
    "h2{margin:.5rem 0 .2rem}p,ul,table{margin:.2rem 0}@page{size:A4;margin:12mm 16mm}}\n"
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

static void leave_block(report *p) {
  if (p->inside != REPORT_NONE) {
    put(p, !p->html ? "\n" : p->inside == REPORT_TABLE ? "</table>\n" : "</ul>\n");
    p->inside = REPORT_NONE;
  }
}

/* The pieces around a text: those of HTML, or those of Markdown. */
static void put_between(report *p, const char *const html[2], const char *const markdown[2],
                        const char *text) {
  put(p, p->html ? html[0] : markdown[0]);
  put_escaped(p, text);
  put(p, p->html ? html[1] : markdown[1]);
}

/* `text` is made of `format` and what follows it in the call; names in it may hold anything. */
#define FORMAT_INTO(text, format)                                                                  \
  char text[TEXT_SIZE];                                                                            \
  do {                                                                                             \
    va_list args_;                                                                                 \
    va_start(args_, format);                                                                       \
    char words_[TEXT_SIZE];                                                                        \
    (void)vsnprintf(words_, TEXT_SIZE, (format), args_);                                           \
    text_visible(words_, (text), TEXT_SIZE);                                                       \
    va_end(args_);                                                                                 \
  } while (0)

/* ---- the page */

dperm_status report_open(report *p, const char *path, bool html, const char *title,
                         dperm_error *err) {
  static const char *const tags[] = {"<h1>", "</h1>\n"}, *const marks[] = {"# ", "\n\n"};
  *p = (report){.html = html};
  TRY(output_open(path, &p->out, err));
  if (html) {
    put(p, html_head);
    put_escaped(p, title);
    put(p, html_style);
  }
  put_between(p, tags, marks, title);
  return DPERM_OK;
}

dperm_status report_close(report *p, dperm_error *err) {
  leave_block(p);
  put(p, p->html ? "</body>\n</html>\n" : "");
  if (p->status != DPERM_OK) {
    FAIL(err, p->status, "%s", p->error.message);
  }
  output_file *out = p->out;
  p->out = NULL;
  return output_commit(out, err);
}

void report_discard(report *p) {
  output_discard(p->out);
  p->out = NULL;
}

void report_heading(report *p, const char *text) {
  static const char *const tags[] = {"<h2>", "</h2>\n"}, *const marks[] = {"## ", "\n\n"};
  leave_block(p);
  put_between(p, tags, marks, text);
}

void report_text(report *p, const char *format, ...) {
  static const char *const tags[] = {"<p>", "</p>\n"}, *const marks[] = {"", "\n\n"};
  FORMAT_INTO(text, format);
  leave_block(p);
  put_between(p, tags, marks, text);
}

void report_lead(report *p, const char *format, ...) {
  static const char *const tags[] = {"<p class=\"lead\">", "</p>\n"}, *const marks[] = {"> ",
                                                                                        "\n\n"};
  FORMAT_INTO(text, format);
  leave_block(p);
  put_between(p, tags, marks, text);
}

void report_row(report *p, const char *name, const char *format, ...) {
  static const char *const left[] = {"<tr><th>", "</th>"}, *const left_marks[] = {"| ", " "};
  static const char *const right[] = {"<td>", "</td></tr>\n"}, *const right_marks[] = {"| ",
                                                                                       " |\n"};
  FORMAT_INTO(text, format);
  if (p->inside != REPORT_TABLE) {
    leave_block(p);
    put(p, p->html ? "<table>\n" : "| | |\n|---|---|\n");
    p->inside = REPORT_TABLE;
  }
  put_between(p, left, left_marks, name);
  put_between(p, right, right_marks, text);
}

void report_item(report *p, const char *format, ...) {
  static const char *const tags[] = {"<li>", "</li>\n"}, *const marks[] = {"- ", "\n"};
  FORMAT_INTO(text, format);
  if (p->inside != REPORT_LIST) {
    leave_block(p);
    put(p, p->html ? "<ul>\n" : "");
    p->inside = REPORT_LIST;
  }
  put_between(p, tags, marks, text);
}

void report_line(report *p, const char *format, ...) {
  FORMAT_INTO(text, format);
  leave_block(p);
  put(p, p->html ? "<p class=\"line\">" : "    ");
  if (p->html) {
    put_escaped(p, text);
  } else { /* indented text is taken as it is */
    put(p, text);
  }
  put(p, p->html ? "</p>\n" : "\n\n");
}
