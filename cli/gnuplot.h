/* Pictures by way of gnuplot, a program of its own: it draws better than we would, and only who
 * wants a picture needs it. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

typedef enum picture_format { PICTURE_SVG, PICTURE_PNG } picture_format;

/* By the end of the name; false for anything but .svg and .png. */
bool picture_format_of(const char *path, picture_format *out);

/* The lines that choose paper, size and fonts; a script begins with them. */
void gnuplot_begin(FILE *script, picture_format format, int width, int height);

/* Runs `script` (from its beginning) and appends the picture to `picture`. False, with a message on
 * stderr, if gnuplot is missing, does not like the script or does not finish a picture that the
 * script asks for (an empty one asks for none). */
bool gnuplot_run(FILE *script, FILE *picture);
