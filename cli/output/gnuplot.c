/* The script goes in by gnuplot's standard input, the picture comes out by its standard output. */
#define _GNU_SOURCE /* asprintf */
#include "output/gnuplot.h"

#include <errno.h>

#include "output/handles.h"
#include "output/message.h"

dperm_status gnuplot_check(const char *path, dperm_error *err) {
  const char *end = path ? strrchr(path, '.') : NULL;
  RETURN_IF(path && file_is_plain(path) && (!end || strcmp(end, ".svg") != 0),
            wrong_usage(err, "the name after --plot must end in .svg, not \"%s\"", path));
  return system("exec gnuplot --version > /dev/null 2>&1") == 0
             ? DPERM_OK
             : fail(err, DPERM_IO_ERROR, "cannot run gnuplot; install it (Debian: gnuplot-nox)");
}

dperm_status gnuplot_begin(int width, int height, FILE **script, dperm_error *err) {
  *script = tmpfile();
  RETURN_IF(!*script, fail(err, DPERM_IO_ERROR, "cannot prepare a picture: %s", strerror(errno)));
  fprintf(*script,
          "set terminal svg size %d,%d font 'sans-serif,12' background 'white' dynamic\n"
          "set encoding utf8\nset border 3\nset tics nomirror\n",
          width, height);
  return DPERM_OK;
}

/* gnuplot ends well even where it could not write: a picture is one that has its end. */
dperm_status gnuplot_draw(FILE *script, char **svg, dperm_error *err) {
  OWNED_STREAM FILE *picture = tmpfile();
  OWNED_MEMORY char *line = NULL, *text = NULL;
  size_t capacity = 0;
  bool drawn = picture && fflush(script) == 0 && !ferror(script) &&
               asprintf(&line, "exec gnuplot - < /dev/fd/%d > /dev/fd/%d 2> /dev/null",
                        fileno(script), fileno(picture)) > 0 &&
               system(line) == 0 && getdelim(&text, &capacity, '\0', picture) > 0 &&
               strstr(text, "</svg>");
  RETURN_IF(!drawn, fail(err, DPERM_IO_ERROR,
                         "gnuplot has not drawn the whole picture; check free space and limits on "
                         "the size of files"));
  *svg = text;
  text = NULL;
  return DPERM_OK;
}
