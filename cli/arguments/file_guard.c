/* Files are compared by what they are (device and inode), and by folder and name where there is no
 * file yet. Standard input has no name, but is a file like others where the shell opened one. */
#include "arguments/arguments.h"

#include <dperm/output.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/handles.h"

/* ---- paths */

static bool is_dash(const char *path) {
  return strcmp(path, "-") == 0;
}

/* One file, disk or pipe; `a` may be "-", standard input. A terminal's two ends are two things. */
static bool same_file(const char *a, const char *b) {
  struct stat left, right;
  int known = is_dash(a) ? fstat(STDIN_FILENO, &left) : stat(a, &left);
  return known == 0 && stat(b, &right) == 0 &&
         (S_ISREG(left.st_mode) || S_ISBLK(left.st_mode) || S_ISFIFO(left.st_mode)) &&
         left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

/* The folder of a path, "." behind it; returns the name in it. */
static const char *split_path(const char *path, char folder[PATH_MAX]) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  (void)snprintf(folder, PATH_MAX, "%.*s.", (int)(name - path), path);
  return name;
}

/* One plain file, or one that both would make. */
static bool same_place(const char *a, const char *b) {
  char folders[2][PATH_MAX];
  struct stat left, right;
  return same_file(a, b) ||
         (strcmp(split_path(a, folders[0]), split_path(b, folders[1])) == 0 &&
          stat(a, &left) != 0 && stat(folders[0], &left) == 0 && stat(folders[1], &right) == 0 &&
          left.st_dev == right.st_dev && left.st_ino == right.st_ino);
}

/* ---- the check */

static const char *given(const argument *a, argument_kind kind) {
  return a->kind == kind ? *(const char *const *)a->target : NULL; /* files have no defaults */
}

/* That it is no input, nor a ledger, whether or not somebody has named it. */
static dperm_status allowed(const char *what, const char *path, const argument *table, size_t count,
                            dperm_error *err) {
  for (size_t i = 0; i < count; i++) {
    const char *input = given(&table[i], ARGUMENT_INPUT);
    RETURN_IF(input && same_file(input, path),
              wrong_usage(err, "%s would replace an input; name another file", what));
  }
  return dperm_output_check(path, err);
}

/* That none of the first `count` outputs is the same file. */
static dperm_status differs(const char *what, const char *path, const argument *table, size_t count,
                            dperm_error *err) {
  for (size_t i = 0; i < count; i++) {
    const char *other = given(&table[i], ARGUMENT_OUTPUT);
    RETURN_IF(other && !is_dash(other) && same_place(path, other),
              wrong_usage(err, "%s and %s name one file; give each its own", table[i].name, what));
  }
  return DPERM_OK;
}

dperm_status file_allowed(const char *what, const char *path, const argument *table, size_t count,
                          dperm_error *err) {
  TRY(differs(what, path, table, count, err));
  return allowed(what, path, table, count, err);
}

/* Appended to by the shell: it is no argument of ours, but our words go there. Where the file
 * cannot be read, it is not for us to know. */
static dperm_status stream_allowed(const char *what, const char *path, const argument *table,
                                   size_t count, dperm_error *err) {
  struct stat about;
  if (stat(path, &about) != 0 || !S_ISREG(about.st_mode) ||
      allowed(what, path, table, count, err) != DPERM_INVALID_ARGUMENT) {
    return DPERM_OK;
  }
  return wrong_usage(err, "%s goes to an input or a ledger; name another file", what);
}

static bool has_flag(const argument *table, size_t count, const char *name, bool set) {
  bool has = false;
  for (size_t i = 0; i < count; i++) {
    has = has || (strcmp(table[i].name, name) == 0 && *(const bool *)table[i].target == set);
  }
  return has;
}

/* Whether a file that is there stays: a model is paid for, and a schema may have been edited. An
 * empty one holds nothing, and a dry run writes none. */
static bool keeps_files(const argument *table, size_t count) {
  return has_flag(table, count, "--force", false) && !has_flag(table, count, "--dry-run", true);
}

static dperm_status is_free(const char *path, dperm_error *err) {
  struct stat about;
  if (stat(path, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size == 0) {
    return DPERM_OK;
  }
  return fail(err, DPERM_IO_ERROR,
              "%s: there is a file already; name another one, or give --force to replace it",
              visible(path).text);
}

/* What begins as a model or a schema does: a command that never writes one has no --force, and does
 * not replace it. */
static dperm_status is_no_treasure(const char *path, dperm_error *err) {
  char head[4096];
  FILE *file = fopen(path, "rb");
  const size_t length = file ? fread(head, 1, sizeof head - 1, file) : 0;
  if (file) {
    (void)fclose(file);
  }
  head[length] = '\0';
  const bool model = strstr(head, "\"dperm-model/") != NULL;
  const bool schema = strstr(head, "\"columns\"") && strstr(head, "\"label\"");
  if (*head != '{' || !(model || schema)) {
    return DPERM_OK;
  }
  return fail(err, DPERM_IO_ERROR, "%s: is a %s, which this would replace; name another file",
              visible(path).text, model ? "model" : "schema");
}

dperm_status files_agree(const argument *table, size_t count, dperm_error *err) {
  const bool keeps = keeps_files(table, count);
  const bool forces =
      has_flag(table, count, "--force", true) || has_flag(table, count, "--dry-run", true);
  size_t from_stdin = 0;
  for (size_t i = 0; i < count; i++) {
    const char *input = given(&table[i], ARGUMENT_INPUT);
    from_stdin += input && is_dash(input);
    const char *output = given(&table[i], ARGUMENT_OUTPUT);
    if (output && !is_dash(output)) {
      TRY(differs(table[i].name, output, table, i, err));
      TRY(allowed(table[i].name, output, table, count, err));
      TRY(keeps ? is_free(output, err) : forces ? DPERM_OK : is_no_treasure(output, err));
    }
  }
  RETURN_IF(from_stdin > 1, wrong_usage(err, "standard input (-) can be only one of the inputs"));
  TRY(stream_allowed("standard output", "/proc/self/fd/1", table, count, err));
  return stream_allowed("standard error", "/proc/self/fd/2", table, count, err);
}
