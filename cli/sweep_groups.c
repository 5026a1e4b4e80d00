/* See sweep_groups.h. */
#define _GNU_SOURCE /* asprintf */
#include "sweep_groups.h"

#include <dperm/bins.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "atomic_file.h"
#include "handles.h"
#include "message.h"
#include "progress_bar.h"

/* ---- journals */

bool sweep_journals_open(const char *out, sweep_journals *journals) {
  for (int i = 0; i < SWEEP_GROUPS_MOST && atomic_file_plain(out); i++) {
    int length = i ? asprintf(&journals->names[i], "%s.journal.%d", out, i + 1)
                   : asprintf(&journals->names[i], "%s.journal", out);
    if (length < 0) {
      journals->names[i] = NULL;
      return false;
    }
  }
  return true;
}

void sweep_journals_close(sweep_journals *journals) {
  for (int i = 0; i < SWEEP_GROUPS_MOST; i++) {
    free(journals->names[i]);
  }
}

void sweep_journals_remove(const sweep_journals *journals) {
  for (int i = 0; i < SWEEP_GROUPS_MOST && journals->names[i]; i++) {
    (void)unlink(journals->names[i]);
  }
}

/* ---- forming them */

void sweep_groups_close(sweep_groups *groups) {
  for (size_t g = 0; g < groups->count; g++) {
    dperm_schema_free(groups->schemas[g]);
  }
  free(groups->group_of);
  free(groups->shares);
  free(groups->options);
  free(groups->lines);
}

/* The group that has this schema, a new one perhaps. The cuts of fewer bins are among those of
 * more, so schemas with as many encoded columns are the same. */
static dperm_status place_schema(dperm_schema **schema, sweep_groups *groups, size_t *out,
                                 dperm_error *err) {
  size_t g = 0;
  while (g < groups->count && *schema &&
         dperm_schema_dims(groups->schemas[g]) != dperm_schema_dims(*schema)) {
    g++;
  }
  if (g == SWEEP_GROUPS_MOST) {
    return fail(err, DPERM_UNSUPPORTED, "the cells have more kinds of bins than can be");
  }
  if (g == groups->count) {
    groups->schemas[groups->count++] = *schema;
    *schema = NULL;
  }
  *out = g;
  return DPERM_OK;
}

/* The finest first, since bins can only be merged. */
static void sort_groups(sweep_groups *groups, size_t lines) {
  for (size_t g = 1; g < groups->count; g++) {
    for (size_t h = g;
         h > 0 && dperm_schema_dims(groups->schemas[h]) > dperm_schema_dims(groups->schemas[h - 1]);
         h--) {
      dperm_schema *finer = groups->schemas[h];
      groups->schemas[h] = groups->schemas[h - 1];
      groups->schemas[h - 1] = finer;
      for (size_t i = 0; i < lines; i++) {
        size_t of = groups->group_of[i];
        groups->group_of[i] = (unsigned char)(of == h ? h - 1 : of == h - 1 ? h : of);
      }
    }
  }
}

/* The cell before with the same share of epsilon, which has the same bins; itself if none. */
static size_t like_before(const double *shares, size_t i) {
  size_t first = 0;
  while (first < i &&
         (isnan(shares[i]) ? !isnan(shares[first])
                           : !(shares[first] >= shares[i] && shares[first] <= shares[i]))) {
    first++;
  }
  return first;
}

static bool allocate(sweep_groups *groups, size_t lines) {
  groups->group_of = calloc(lines, sizeof *groups->group_of);
  groups->shares = calloc(lines, sizeof *groups->shares);
  groups->options = calloc(lines, sizeof *groups->options);
  groups->lines = calloc(lines, sizeof *groups->lines);
  return groups->group_of && groups->shares && groups->options && groups->lines;
}

dperm_status sweep_groups_form(const binned_schema *schema, const dperm_data *data,
                               const dperm_sweep_options *how, sweep_table *table,
                               sweep_groups *out, dperm_error *err) {
  if (!allocate(out, table->count)) {
    return fail(err, DPERM_OUT_OF_MEMORY, "out of memory; close other programs");
  }
  for (size_t i = 0; i < table->count; i++) {
    OWNED(dperm_schema_free_at) dperm_schema *resolved = NULL;
    size_t rows = 0, group = 0;
    double *share = &out->shares[i];
    *share = (double)NAN;
    if (schema->waits) {
      TRY(dperm_sweep_share(dperm_data_rows(data), dperm_data_classes(data), &table->options[i],
                            how, &rows, share, err));
    }
    size_t like = like_before(out->shares, i);
    if (like < i) {
      out->group_of[i] = out->group_of[like];
      continue;
    }
    TRY(binned_schema_resolve(schema, rows, *share, &resolved, err));
    TRY(place_schema(&resolved, out, &group, err));
    out->group_of[i] = (unsigned char)group;
  }
  sort_groups(out, table->count);
  for (size_t i = 0; i < table->count; i++) {
    table->lines[i].schema = out->schemas[out->group_of[i]];
  }
  return DPERM_OK;
}

/* ---- running them */

/* A journal that is gone on with is named once the library has taken it: with the first work. */
static void say_taken_up(const char **journal) {
  if (*journal) {
    note("going on with %s", *journal);
    *journal = NULL;
  }
}

static bool tick_sweep(void *context, const char *stage, uint64_t done, uint64_t total) {
  if (strcmp(stage, "sweeping") == 0) {
    say_taken_up(context);
  }
  return progress_bar()->tick(progress_bar()->context, stage, done, total);
}

/* Where the results of a group's cells go. */
typedef struct group_results {
  const size_t *lines;
  sweep_table *table;
} group_results;

static void keep_cell(void *context, const dperm_sweep_cell *cell) {
  const group_results *results = context;
  dperm_sweep_cell moved = *cell;
  moved.index = results->lines[cell->index];
  sweep_table_keep(results->table, &moved);
}

static dperm_status run_group(const sweep_groups *groups, size_t g, const dperm_data *data,
                              dperm_sweep_options *how, sweep_table *table, dperm_error *err) {
  struct stat about;
  const char *begun = how->journal && stat(how->journal, &about) == 0 ? how->journal : NULL;
  group_results results = {groups->lines, table};
  size_t count = 0;
  for (size_t i = 0; i < table->count; i++) {
    if (groups->group_of[i] == g) {
      groups->options[count] = table->options[i];
      groups->lines[count++] = i;
    }
  }
  how->progress = (dperm_progress){tick_sweep, &begun};
  TRY(dperm_sweep(data, groups->options, count, how, keep_cell, &results, err));
  progress_bar_wipe();
  say_taken_up(&begun);
  return DPERM_OK;
}

dperm_status sweep_groups_run(const sweep_groups *groups, const binned_schema *schema,
                              dperm_data *data, dperm_data *test, dperm_sweep_options how,
                              const sweep_journals *journals, sweep_table *table,
                              dperm_error *err) {
  how.all_impossible = groups->count > 1; /* then another group has the cells that are possible */
  for (size_t g = 0; g < groups->count; g++) {
    TRY(binned_schema_settle(schema, groups->schemas[g], data, err));
    TRY(binned_schema_settle(schema, groups->schemas[g], test, err));
    how.journal = journals->names[g];
    TRY(run_group(groups, g, data, &how, table, err));
  }
  return DPERM_OK;
}
