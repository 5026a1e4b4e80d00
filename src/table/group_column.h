/* The group that a schema declares, of each record of a table: for rates by group. */
#pragma once

#include "table/table.h"

/* Its column's name and its categories' names, and last one for all records without one of these
 * ("(other)"). Nothing (NULL and an empty list) where none is declared, or there is no table. */
dperm_status group_names(const record_table *t, char **column, class_list *names, dperm_error *err);
/* Which of these each record is of: a function of its own cell. */
void groups_of_records(const record_table *t, uint32_t *groups);
