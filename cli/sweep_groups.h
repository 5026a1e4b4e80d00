/* The cells of a sweep by the bins that they get: those of one epsilon have the same ones. Records
 * are read once; a group of cells with the same bins is one sweep of the library, with a journal of
 * its own. What a cell finds does not depend on the others, so neither on how they are grouped. */
#pragma once

#include "bins_setting.h"
#include "sweep_table.h"

/* Beside the results, FILE.journal and, for more groups, FILE.journal.2 and so on. */
enum { SWEEP_GROUPS_MOST = 3 };
typedef struct sweep_journals {
  char *names[SWEEP_GROUPS_MOST]; /* NULL without */
} sweep_journals;
/* None for standard output and devices. False without memory. */
bool sweep_journals_open(const char *out, sweep_journals *journals);
void sweep_journals_close(sweep_journals *journals);
/* Removes what there is. */
void sweep_journals_remove(const sweep_journals *journals);

typedef struct sweep_groups {
  dperm_schema *schemas[SWEEP_GROUPS_MOST]; /* the finest first; NULL without a schema */
  size_t count;
  unsigned char *group_of; /* each line of the table */
  double *shares;          /* what each line's fits have of epsilon */
  dperm_options *options;  /* of one group at a time, and which lines they are */
  size_t *lines;
} sweep_groups;
/* Which cells get which bins; the table's lines have them from now on. To be closed when the table
 * is done with, also after a failure. */
dperm_status sweep_groups_form(const binned_schema *schema, const dperm_data *data,
                               const dperm_sweep_options *how, sweep_table *table,
                               sweep_groups *out, dperm_error *err);
void sweep_groups_close(sweep_groups *groups);

/* Runs them all, with the bins of data and test data (or NULL) merged as it goes on; `how` is
 * without a journal. */
dperm_status sweep_groups_run(const sweep_groups *groups, const binned_schema *schema,
                              dperm_data *data, dperm_data *test, dperm_sweep_options how,
                              const sweep_journals *journals, sweep_table *table, dperm_error *err);
