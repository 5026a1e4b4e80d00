/* Cells become lines of a table; plans are made again from public numbers, for the rows of one fit.
 */
#include "sweep_show.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gnuplot.h"
#include "sweep_picture.h"

bool sweep_show_check(const sweep_show *show) {
  picture_format format;
  if (show->picture && !picture_format_of(show->picture, &format)) {
    return refuse(
        wrong_usage("the name after --plot ends in .svg or .png, not \"%s\"", show->picture));
  }
  if (!show->picture && !show->page) {
    return true;
  }
  FILE *script = tmpfile(), *nothing = tmpfile(); /* an empty script draws nothing */
  bool good = script && nothing && gnuplot_run(script, nothing);
  if (script) {
    fclose(script);
  }
  if (nothing) {
    fclose(nothing);
  }
  return good || refuse(EXIT_WORK_FAILED);
}

bool sweep_show_add(sweep_show *show, const sweep_grid *grid, const dperm_sweep_cell *cell) {
  sweep_table *t = &show->table;
  if (!t->lines) {
    t->lines = calloc(grid->count, sizeof *t->lines);
    if (!t->lines) {
      return false;
    }
  }
  const sweep_words *w = &grid->words[cell->index];
  bool noisy = strcmp(w->mechanism, "none") != 0;
  sweep_line *line = &t->lines[t->count++];
  *line = (sweep_line){.mechanism = w->mechanism,
                       .noise = w->noise,
                       .automatic = strcmp(w->lambda, "auto") == 0,
                       .lambda = cell->lambda,
                       .epsilon = noisy ? grid->options[cell->index].epsilon : (double)NAN,
                       .error_mean = cell->error_mean,
                       .error_se = cell->error_se,
                       .runs = cell->runs};
  snprintf(line->loss, sizeof line->loss, "%s", w->loss);
  return true;
}

/* The plan of a private cell, for the rows of one fit; false for the others. */
static bool plan_of(const sweep_grid *grid, size_t cell, size_t rows, size_t dims,
                    const dperm_schema *schema, dperm_plan *out) {
  dperm_error err;
  const dperm_options *options = &grid->options[cell];
  if (options->mechanism == DPERM_MECHANISM_NONE) {
    return false;
  }
  return (schema ? dperm_plan_for_schema(rows, schema, options, out, &err)
                 : dperm_plan_make(rows, dims, 1, options, out, &err)) == DPERM_OK;
}

static bool write_page(const sweep_show *show, const sweep_grid *grid, const dperm_schema *schema,
                       sweep_story story) {
  dperm_plan *plans = calloc(grid->count, sizeof *plans);
  size_t *lines = calloc(grid->count, sizeof *lines);
  size_t rows = story.test_rows ? story.rows : story.rows - story.rows / story.folds;
  bool written = plans && lines;
  for (size_t i = 0; written && i < show->table.count; i++) {
    if (show->table.lines[i].runs &&
        plan_of(grid, i, rows, story.dims, schema, &plans[story.plan_count])) {
      lines[story.plan_count++] = i;
    }
  }
  story.plans = plans;
  story.plan_lines = lines;
  if (!written) {
    (void)complain_of_memory();
  }
  written = written && sweep_report_write(&show->table, &story, show->page);
  free(plans);
  free(lines);
  return written;
}

bool sweep_show_write(const sweep_show *show, const sweep_grid *grid, const dperm_schema *schema,
                      sweep_story story) {
  return (!show->picture || sweep_picture_write(&show->table, show->picture)) &&
         (!show->page || write_page(show, grid, schema, story));
}

void sweep_show_free(sweep_show *show) {
  free(show->table.lines);
  show->table = (sweep_table){NULL, 0};
}
