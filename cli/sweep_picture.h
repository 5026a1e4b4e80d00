/* A sweep as curves with standard errors, a panel for each loss: the error against ε where several
 * were asked for, else against Λ. */
#pragma once

#include <stdio.h>

#include "gnuplot.h"
#include "sweep_table.h"

typedef enum sweep_axis { AXIS_EPSILON, AXIS_LAMBDA } sweep_axis;

/* ε with several of them, else Λ. */
sweep_axis sweep_natural_axis(const sweep_table *table);

/* Draws into `out`. Against ε, a curve has the best Λ at each ε, and one more the automatic Λ;
 * against Λ, `epsilon` chooses the cells (NaN for all). False with a message on stderr. */
bool sweep_picture_draw(const sweep_table *table, sweep_axis axis, double epsilon,
                        picture_format format, FILE *out);

/* The natural picture as a file, .svg or .png, written whole or not at all. */
bool sweep_picture_write(const sweep_table *table, const char *path);
