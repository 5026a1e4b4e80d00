/* The files of a demo: where they go, and which of them may be replaced. A demo replaces only what
 * a demo wrote and nobody has touched since; `.dperm-demo` in the folder remembers size and time of
 * each. */
#pragma once

#include <dperm.h>

enum { DEMO_PATH_SIZE = 4096 };

typedef enum demo_file {
  DEMO_SCHEMA,
  DEMO_PEOPLE,
  DEMO_OTHERS,
  DEMO_MODEL,
  DEMO_PREDICTIONS,
  DEMO_FILES
} demo_file;

typedef struct demo_files {
  char paths[DEMO_FILES][DEMO_PATH_SIZE];
  char memory[DEMO_PATH_SIZE]; /* of .dperm-demo */
} demo_files;

/* Makes the folder and the names. Fails if a file is there that is not a demo's. */
dperm_status demo_files_claim(const char *folder, demo_files *out, dperm_error *err);
/* The names of those that are there, with commas between; returns how many. */
size_t demo_files_left(const demo_files *files, char *out, size_t size);
/* Notes what was written so far, for the next demo. */
dperm_status demo_files_note(const demo_files *files, dperm_error *err);
