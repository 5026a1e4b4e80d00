/* gnuplot is run as a program of its own, without a shell: the script goes in by its standard
 * input, the picture comes out by its standard output. */
#define _GNU_SOURCE /* memmem */
#include "gnuplot.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "message.h"

extern char **environ;

static bool ends_with(const char *text, const char *end) {
  size_t length = strlen(text), tail = strlen(end);
  return length > tail && strcmp(text + length - tail, end) == 0;
}

bool picture_format_of(const char *path, picture_format *out) {
  *out = ends_with(path, ".png") ? PICTURE_PNG : PICTURE_SVG;
  return *out == PICTURE_PNG || ends_with(path, ".svg");
}

void gnuplot_begin(FILE *script, picture_format format, int width, int height) {
  if (format == PICTURE_PNG) { /* twice as fine, for print */
    fprintf(script,
            "set terminal pngcairo size %d,%d font 'sans,22' linewidth 2 background 'white'\n",
            2 * width, 2 * height);
  } else {
    fprintf(script, "set terminal svg size %d,%d font 'sans-serif,12' background 'white' dynamic\n",
            width, height);
  }
}

/* The first line of what gnuplot said, without its blanks. */
static void pass_on_complaint(FILE *said) {
  char line[256];
  rewind(said);
  while (fgets(line, sizeof line, said)) {
    const char *text = line + strspn(line, " \t^\r\n");
    if (*text) {
      (void)complain("gnuplot failed: %.*s", (int)strcspn(text, "\r\n"), text);
      return;
    }
  }
  (void)complain("gnuplot failed without a word");
}

static bool spawn_gnuplot(int in, int out, int err, pid_t *child) {
  char name[] = "gnuplot", reads[] = "-";
  char *const words[] = {name, reads, NULL};
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) {
    return false;
  }
  int failed = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  failed = failed ? failed : posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  failed = failed ? failed : posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  failed = failed ? failed : posix_spawnp(child, name, &actions, NULL, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  errno = failed;
  return failed == 0;
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

bool gnuplot_run(FILE *script, FILE *picture) {
  FILE *said = tmpfile();
  pid_t child = 0;
  int status = 0;
  bool draws = fseek(script, 0, SEEK_END) == 0 && ftell(script) > 0;
  if (!said || fflush(script) != 0 || fflush(picture) != 0 ||
      lseek(fileno(script), 0, SEEK_SET) != 0) {
    (void)complain("cannot prepare a picture: %s", strerror(errno));
    if (said) {
      fclose(said);
    }
    return false;
  }
  bool done = spawn_gnuplot(fileno(script), fileno(picture), fileno(said), &child);
  if (!done) {
    (void)complain("cannot run gnuplot: %s; install it (Debian: gnuplot-nox)", strerror(errno));
  } else {
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    done = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!done) {
      pass_on_complaint(said);
    }
  }
  fclose(said);
  if (done && draws && !whole_picture(picture)) {
    (void)complain("gnuplot has not drawn the whole picture; check free space and limits on the "
                   "size of files");
    done = false;
  }
  return done && fseek(picture, 0, SEEK_END) == 0;
}
