/* The picture of an audit: the two output distributions, and the band around one of them that e^ε
 * allows the other. */
#pragma once

#include <dperm.h>
#include <stddef.h>

typedef struct audit_picture {
  const char *title;
  double epsilon;
  double *outcome[2]; /* sorted on the way */
  size_t count;
} audit_picture;

/* Writes an SVG file, whole or not at all, by way of gnuplot. */
dperm_status audit_picture_write(const audit_picture *picture, const char *path, dperm_error *err);
