/* Records that change places among the processes of a job, as cells. */
#pragma once

#include "base/ranks.h"
#include "table/table.h"

/* The listed records out of `total`, of which each process has those in `here` that stripes_of_rank
 * gives it: each goes to where its new place is. */
dperm_status table_select_spread(const record_table *here, ranks *r, size_t total,
                                 const size_t *rows, size_t count, record_table **out,
                                 dperm_error *err);
/* Records that were read one share after the other go to where they belong. `*total` is their
 * number in all. */
dperm_status table_settle(const record_table *here, ranks *r, record_table **out, size_t *total,
                          dperm_error *err);
