/* From a command to its page. */
#pragma once

#include "arguments.h"

/* Hands the command's page to `reader`, and then that of its action if it has one. */
void command_visit(const command *visited, page_reader *reader, void *context);
/* The command's alone (`action` is NULL), or its action's alone. */
void command_visit_one(const command *visited, const char *action, page_reader *reader,
                       void *context);
