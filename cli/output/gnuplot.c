/* gnuplot is run as a program of its own, without a shell: the script goes in by its standard
 * input, the picture comes out by its standard output. */
#define _GNU_SOURCE /* memmem */
#include "output/gnuplot.h"

#include <errno.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output/atomic_file.h"
#include "output/handles.h"
#include "output/message.h"

extern char **environ;

bool path_ends(const char *path, const char *end) {
  size_t length = strlen(path), tail = strlen(end);
  return length >= tail && strcmp(path + length - tail, end) == 0;
}

void gnuplot_begin(FILE *script, bool png, int width, int height) {
  if (png) { /* twice as fine, for print */
    fprintf(script,
            "set terminal pngcairo size %d,%d font 'sans,22' linewidth 2 background 'white'\n",
            2 * width, 2 * height);
  } else {
    fprintf(script, "set terminal svg size %d,%d font 'sans-serif,12' background 'white' dynamic\n",
            width, height);
  }
}

/* Passes on the first line of what gnuplot said, without its blanks. */
static dperm_status fail_as_said(FILE *said, dperm_error *err) {
  char line[256];
  rewind(said);
  while (fgets(line, sizeof line, said)) {
    const char *text = line + strspn(line, " \t^\r\n");
    if (*text) {
      return fail(err, DPERM_IO_ERROR, "gnuplot failed: %.*s", (int)strcspn(text, "\r\n"), text);
    }
  }
  return fail(err, DPERM_IO_ERROR, "gnuplot failed and said nothing");
}

/* Returns 0, or the number of an error. */
static int spawn_gnuplot(const int streams[3], pid_t *child) {
  char name[] = "gnuplot", reads[] = "-";
  char *const words[] = {name, reads, NULL};
  posix_spawn_file_actions_t actions;
  int failed = posix_spawn_file_actions_init(&actions);
  if (failed) {
    return failed;
  }
  for (int fd = 0; fd < 3 && !failed; fd++) {
    failed = posix_spawn_file_actions_adddup2(&actions, streams[fd], fd);
  }
  failed = failed ? failed : posix_spawnp(child, name, &actions, NULL, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  return failed;
}

/* gnuplot ends well even where it could not write, or had nothing to draw: a picture is one that
 * has its end. */
static bool whole_picture(FILE *picture) {
  char end[12];
  struct stat about;
  int fd = fileno(picture);
  if (fstat(fd, &about) != 0 || about.st_size < (off_t)sizeof end ||
      pread(fd, end, sizeof end, about.st_size - (off_t)sizeof end) != (ssize_t)sizeof end) {
    return false;
  }
  return memmem(end, sizeof end, "</svg>", 6) || memmem(end, sizeof end, "IEND", 4);
}

dperm_status gnuplot_run(FILE *script, FILE *picture, dperm_error *err) {
  OWNED_STREAM FILE *said = tmpfile();
  if (!script || !picture || !said || fflush(script) != 0 || ferror(script) ||
      fflush(picture) != 0 || fseek(script, 0, SEEK_END) != 0) {
    return fail(err, DPERM_IO_ERROR, "cannot prepare a picture: %s", strerror(errno));
  }
  bool draws = ftell(script) > 0;
  (void)lseek(fileno(script), 0, SEEK_SET);
  pid_t child = 0;
  int status = 0,
      failed = spawn_gnuplot((int[]){fileno(script), fileno(picture), fileno(said)}, &child);
  if (failed) {
    return fail(err, DPERM_IO_ERROR, "cannot run gnuplot: %s; install it (Debian: gnuplot-nox)",
                strerror(failed));
  }
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return fail_as_said(said, err);
  }
  if ((draws && !whole_picture(picture)) || fseek(picture, 0, SEEK_END) != 0) {
    return fail(err, DPERM_IO_ERROR,
                "gnuplot has not drawn the whole picture; check free space and limits on the "
                "size of files");
  }
  return DPERM_OK;
}

dperm_status gnuplot_write(FILE *script, const char *path, dperm_error *err) {
  OWNED(atomic_file_discard) atomic_file file = {0};
  OWNED_STREAM FILE *picture = tmpfile();
  TRY(atomic_file_open(path, &file, err));
  TRY(gnuplot_run(script, picture, err));
  rewind(picture);
  for (int c; (c = getc(picture)) != EOF;) {
    (void)putc(c, file.stream);
  }
  return atomic_file_commit(&file, err);
}

dperm_status gnuplot_check(dperm_error *err) {
  OWNED_STREAM FILE *script = tmpfile(), *nothing = tmpfile();
  return gnuplot_run(script, nothing, err);
}
