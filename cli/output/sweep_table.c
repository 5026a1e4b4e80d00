/* Looking for cells: tables have some hundred lines, so every question walks over all of them. */

#include "output/sweep_results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const sweep_filter sweep_anything = {NULL, NULL, NULL, (double)NAN, (double)NAN, -1};

void sweep_table_keep(void *table, const dperm_sweep_cell *cell) {
  sweep_line *line = &((sweep_table *)table)->lines[cell->index];
  line->lambda = cell->lambda;
  line->error_mean = cell->error_mean;
  line->error_se = cell->error_se;
  line->runs = cell->runs;
  line->dims = cell->dims;
  line->impossible = cell->impossible ? strdup(cell->impossible) : NULL;
}

void sweep_table_free(sweep_table *table) {
  for (size_t i = 0; table->lines && i < table->count; i++) {
    free(table->lines[i].impossible);
  }
  free(table->lines);
  free(table->options);
  free(table->epsilons);
  free(table->lambdas);
}

bool sweep_is_private(const sweep_line *line) {
  return !isnan(line->epsilon);
}

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
  return i == 0 || strcmp(table->lines[i].loss, table->lines[i - 1].loss) != 0;
}

bool sweep_first_method(const sweep_table *table, size_t i) {
  const sweep_line *line = &table->lines[i];
  return i == 0 || (strcmp(line->loss, table->lines[0].loss) == 0 &&
                    (strcmp(line->mechanism, line[-1].mechanism) != 0 ||
                     strcmp(line->noise, line[-1].noise) != 0));
}

const char *sweep_method_name(const sweep_line *line, char buffer[64]) {
  if (!sweep_is_private(line)) {
    return "not private";
  }
  (void)snprintf(buffer, 64, "%s, %s noise", line->mechanism, line->noise);
  return buffer;
}
