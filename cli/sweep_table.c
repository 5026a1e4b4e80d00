/* Looking for cells: tables have some hundred lines, so every question walks over all of them. */
#include "sweep_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const sweep_filter sweep_anything = {NULL, NULL, NULL, (double)NAN, (double)NAN, -1};

static bool text_matches(const char *wanted, const char *text) {
  return !wanted || strcmp(wanted, text) == 0;
}

/* Numbers of the user's own lists, compared as such. */
static bool number_matches(double wanted, double number) {
  return isnan(wanted) || !(number < wanted || number > wanted);
}

bool sweep_matches(const sweep_line *line, const sweep_filter *filter) {
  return text_matches(filter->loss, line->loss) &&
         text_matches(filter->mechanism, line->mechanism) &&
         text_matches(filter->noise, line->noise) &&
         number_matches(filter->epsilon, line->epsilon) &&
         number_matches(filter->lambda, line->lambda) &&
         (filter->automatic < 0 || (filter->automatic == 1) == line->automatic);
}

const sweep_line *sweep_best(const sweep_table *table, const sweep_filter *filter) {
  const sweep_line *best = NULL;
  for (size_t i = 0; i < table->count; i++) {
    const sweep_line *line = &table->lines[i];
    if (line->runs && sweep_matches(line, filter) &&
        (!best || line->error_mean < best->error_mean)) {
      best = line;
    }
  }
  return best;
}

bool sweep_first_loss(const sweep_table *table, size_t i) {
  for (size_t j = 0; j < i; j++) {
    if (strcmp(table->lines[j].loss, table->lines[i].loss) == 0) {
      return false;
    }
  }
  return true;
}

bool sweep_first_method(const sweep_table *table, size_t i) {
  for (size_t j = 0; j < i; j++) {
    if (strcmp(table->lines[j].mechanism, table->lines[i].mechanism) == 0 &&
        strcmp(table->lines[j].noise, table->lines[i].noise) == 0) {
      return false;
    }
  }
  return true;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Sorts and keeps one of each. */
static double *different(double *values, size_t *count) {
  size_t kept = 0;
  qsort(values, *count, sizeof *values, ascending);
  for (size_t i = 0; i < *count; i++) {
    if (kept == 0 || values[i] > values[kept - 1]) {
      values[kept++] = values[i];
    }
  }
  *count = kept;
  return values;
}

double *sweep_epsilons(const sweep_table *table, size_t *count) {
  double *values = malloc((table->count + 1) * sizeof *values);
  *count = 0;
  for (size_t i = 0; values && i < table->count; i++) {
    if (!isnan(table->lines[i].epsilon)) {
      values[(*count)++] = table->lines[i].epsilon;
    }
  }
  return values ? different(values, count) : NULL;
}

double *sweep_lambdas(const sweep_table *table, size_t *count) {
  double *values = malloc((table->count + 1) * sizeof *values);
  *count = 0;
  for (size_t i = 0; values && i < table->count; i++) {
    if (!table->lines[i].automatic) {
      values[(*count)++] = table->lines[i].lambda;
    }
  }
  return values ? different(values, count) : NULL;
}

const char *sweep_method_name(const sweep_line *line, char buffer[64]) {
  if (strcmp(line->mechanism, "none") == 0) {
    return "not private";
  }
  snprintf(buffer, 64, "%s, %s noise", line->mechanism, line->noise);
  return buffer;
}
