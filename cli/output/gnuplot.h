/* Pictures by gnuplot, a program that draws better than we would; only pictures need it. */
#pragma once

#include <dperm.h>
#include <stdio.h>

/* Fails unless the path is for an SVG (or NULL) and there is a gnuplot to draw it. */
dperm_status gnuplot_check(const char *path, dperm_error *err);
/* A temporary file for a script, which begins with paper, size and fonts. */
dperm_status gnuplot_begin(int width, int height, FILE **script, dperm_error *err);
/* Runs the script; the picture's text is for free(). */
dperm_status gnuplot_draw(FILE *script, char **svg, dperm_error *err);
