/* A sweep as curves with standard errors, a panel for each loss: the error against ε or Λ. */
#pragma once

#include <stdio.h>

#include "output/sweep_table.h"

typedef enum sweep_axis { AXIS_EPSILON, AXIS_LAMBDA } sweep_axis;

/* Draws into `out`. Against ε, a curve has the best Λ at each ε, and one more the automatic Λ;
 * against Λ, `epsilon` chooses the cells (NaN for all). PNG, or else SVG. */
dperm_status sweep_picture_draw(const sweep_table *table, sweep_axis axis, double epsilon, bool png,
                                FILE *out, dperm_error *err);

/* Against ε where several were asked for, else against Λ: a file, .svg or .png, written whole or
 * not at all. */
dperm_status sweep_picture_write(const sweep_table *table, const char *path, dperm_error *err);
