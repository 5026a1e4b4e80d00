/* Pictures by way of gnuplot, a program of its own: it draws better than we would, and only who
 * wants a picture needs it. */
#pragma once

#include <dperm.h>
#include <stdbool.h>
#include <stdio.h>

/* Whether a path has this ending: ".svg" and ".png" are pictures. */
bool path_ends(const char *path, const char *end);

/* The lines that choose paper, size and fonts; a script begins with them. PNG, or else SVG. */
void gnuplot_begin(FILE *script, bool png, int width, int height);

/* Runs `script` (from its beginning) and appends the picture to `picture`. Fails if gnuplot is
 * missing, does not like the script or does not finish a picture that the script asks for (an empty
 * one asks for none). */
dperm_status gnuplot_run(FILE *script, FILE *picture, dperm_error *err);
/* The same to a file that appears whole or not at all. */
dperm_status gnuplot_write(FILE *script, const char *path, dperm_error *err);
/* Fails if there is no gnuplot to run. */
dperm_status gnuplot_check(dperm_error *err);
