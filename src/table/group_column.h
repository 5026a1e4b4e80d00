/* The group that a schema declares, of each record of a table: for rates by group. */
#pragma once

#include "table/table.h"

/* Its column's name and its categories' names, and last one for all records without one of these
 * ("(other)"). Nothing (NULL and an empty list) where none is declared, or there is no schema. */
dperm_status group_names(const dperm_schema *schema, char **column, class_list *names,
                         dperm_error *err);
/* Which of these each record is of: a function of its own cell. The schema is the table's, or one
 * that goes with it (rows_check_schema). */
dperm_status groups_of_records(const record_table *t, const dperm_schema *schema, uint32_t *groups,
                               dperm_error *err);
