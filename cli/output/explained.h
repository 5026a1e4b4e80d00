/* An explanation (dperm_model_explain) as text, as a page, and as the pictures in that page. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "output/handles.h"
#include "output/json_report.h"
#include "output/message.h"

/* The whole of it, to be given back with free(); `name` is the model's file. */
dperm_status explain_text(const json_t *report, const char *name, char **out, dperm_error *err);
dperm_status explain_page(const json_t *report, const char *name, char **out, dperm_error *err);

/* ---- interval_lines.c: nothing of a model without any */

void explain_intervals_text(FILE *out, const json_t *report);
void explain_intervals_page(FILE *out, const json_t *report);

/* ---- explain_picture.c */

/* Text as HTML and SVG have it, visible (dperm_text_visible). */
void put_html(FILE *out, const char *text);
/* The same, cut to so many characters, with "…" for the rest. */
void put_html_cut(FILE *out, const char *text, size_t most);
/* One column's shape as SVG: a line, cells side by side, or a bar for each level; grey for what
 * cannot be told from the noise, which alone reaches as far as a band of so many deviations. */
void explain_picture(FILE *out, const json_t *column, double deviations);

/* ---- what the three have in common */

typedef enum effect_kind { EFFECT_GREY, EFFECT_SHOWN, EFFECT_BEYOND } effect_kind;
/* What there was no noise for, or nobody examined, is shown. */
effect_kind effect_kind_of(const json_t *level);
/* Levels of a column, and its line, that are not grey. */
size_t explain_shown(const json_t *column);
/* A column's levels, those that are shown before grey ones, each by size; to be given back with
 * free(), NULL for want of memory. */
typedef struct ranked_level {
  const json_t *level;
  double size;
  size_t place;
} ranked_level;
ranked_level *explain_ranked(const json_t *levels);
/* Whether nobody compared it with noise, although there was some: a pair after the fit. */
bool explain_unexamined(const json_t *column);
/* "29 of 173 effects stand out from the privacy noise (epsilon 1); none is beyond all of it" */
typedef struct explain_head {
  char text[400];
} explain_head;
explain_head explain_head_of(const json_t *report);
/* What a positive effect speaks for: "log-odds of x", "score of x". */
explain_head explain_scale_of(const json_t *report, const json_t *output);
