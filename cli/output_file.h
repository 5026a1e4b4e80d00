/* A text file that the command itself writes, whole or not at all: into a temporary file beside it,
 * then renamed. (What the library writes, it writes in the same way.) */
#ifndef DPERM_CLI_OUTPUT_FILE_H
#define DPERM_CLI_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct output_file {
  FILE *stream;
  const char *path;
  char *temporary;
} output_file;

/* False, with a message on stderr, if nothing can be written there. */
bool output_file_begin(output_file *file, const char *path);
/* Puts the file in its place; false, with a message and nothing left behind, if that fails. */
bool output_file_end(output_file *file);
/* Leaves nothing behind. */
void output_file_drop(output_file *file);

#endif
