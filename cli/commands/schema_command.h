/* What the commands that make a schema share: lists of texts, and remarks. */
#pragma once

#include <stddef.h>

/* The texts of "a,b" in one block, to be freed, or NULL where memory ran out. An empty list is one
 * empty text: "" means missing. */
const char **split_texts(const char *list, size_t *count);

/* A dperm_remark: a line on stderr. `context` is NULL, or a size_t that counts them. */
void print_remark(void *context, const char *line);
