/* What whoever publishes a model says of it: what it is for, who answers for it. A short file, JSON
 * or plain text, of which the program checks nothing but its form. */
#pragma once

#include "base/json_text.h"
#include "report/report.h"

typedef struct about {
  json_t *rows;       /* of JSON: label → text, in the order of the page */
  json_t *paragraphs; /* of plain text: a list */
} about;

/* `text`, or where it is NULL the file called `name`; nothing where that is NULL too. */
dperm_status about_read(const char *name, const char *text, size_t length, about *out,
                        dperm_error *err);
void about_clear(about *a);
/* A part of the page; nothing where nothing is said. */
void about_write(report *p, const about *a);
