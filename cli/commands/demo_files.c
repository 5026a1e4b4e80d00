/* See demo_files.h. A line of .dperm-demo is "NAME SIZE SECONDS NANOSECONDS". A link is never a
 * demo's, so nothing outside the folder is replaced. */
#include "commands/demo_files.h"
#include <dperm/output.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "output/atomic_file.h"
#include "output/handles.h"
#include "output/message.h"

static const char *const names[DEMO_FILES] = {"schema.json", "people.csv", "others.csv",
                                              "model.json", "predictions.csv"};

static bool describe(const char *path, const char *name, char out[128]) {
  struct stat about;
  if (lstat(path, &about) != 0 || !S_ISREG(about.st_mode)) {
    return false;
  }
  (void)snprintf(out, 128, "%s %lld %lld %ld\n", name, (long long)about.st_size,
                 (long long)about.st_mtim.tv_sec, (long)about.st_mtim.tv_nsec);
  return true;
}

/* Whether the file is as a demo has left it. */
static bool remembered(const demo_files *files, size_t i) {
  char wanted[128], line[128];
  OWNED_STREAM FILE *memory = fopen(files->memory, "r");
  bool found = false, there = describe(files->paths[i], names[i], wanted);
  while (memory && there && !found && fgets(line, sizeof line, memory)) {
    found = strcmp(line, wanted) == 0;
  }
  return found;
}

dperm_status demo_files_claim(const char *folder, demo_files *out, dperm_error *err) {
  struct stat about;
  if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
    return fail(err, DPERM_IO_ERROR, "%.512s: cannot make the folder (%s); choose another --out",
                folder, strerror(errno));
  }
  (void)snprintf(out->memory, DEMO_PATH_SIZE, "%s/.dperm-demo", folder);
  for (size_t i = 0; i < DEMO_FILES; i++) {
    (void)snprintf(out->paths[i], DEMO_PATH_SIZE, "%s/%s", folder, names[i]);
    TRY(dperm_output_check(out->paths[i], err));
    if (lstat(out->paths[i], &about) == 0 && !remembered(out, i)) {
      return fail(err, DPERM_IO_ERROR,
                  "%.512s: is there already, and not as a demo has left it; choose another --out",
                  out->paths[i]);
    }
  }
  return DPERM_OK;
}

size_t demo_files_left(const demo_files *files, char *out, size_t size) {
  char line[128];
  size_t count = 0, used = 0;
  *out = '\0';
  for (size_t i = 0; i < DEMO_FILES; i++) {
    if (describe(files->paths[i], names[i], line) && used < size) {
      used += (size_t)snprintf(out + used, size - used, "%s%s", count++ ? ", " : "", names[i]);
    }
  }
  return count;
}

dperm_status demo_files_note(const demo_files *files, dperm_error *err) {
  OWNED(atomic_file_discard) atomic_file memory = {0};
  char lines[DEMO_FILES][128];
  size_t count = 0;
  for (size_t i = 0; i < DEMO_FILES; i++) {
    count += describe(files->paths[i], names[i], lines[count]);
  }
  if (count == 0) {
    return DPERM_OK;
  }
  TRY(atomic_file_open(files->memory, &memory, err));
  for (size_t i = 0; i < count; i++) {
    (void)fputs(lines[i], memory.stream);
  }
  return atomic_file_commit(&memory, err);
}
