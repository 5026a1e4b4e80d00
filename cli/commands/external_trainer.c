/* The command is a line for the shell, run as "COMMAND FILE N". It prints a line for each result, a
 * JSON array of numbers or one number; if a call prints fewer than N lines it is called again for
 * the rest. Files are CSV with a header "x1,y": all x are 0 but one, whose label differs. */
#define _GNU_SOURCE /* asprintf */
#include "commands/external_trainer.h"

#include <errno.h>
#include <jansson.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands/commands.h"

enum { PATH_SIZE = 1024, ROWS = 100 };

/* An array of numbers, or one; the first line of all says how many numbers an outcome has. */
static dperm_status take_line(const char *line, int side, size_t index, size_t draws,
                              trainer_outcomes *out, dperm_error *err) {
  json_auto_t *value = json_loads(line, JSON_DECODE_ANY, NULL);
  json_auto_t *list = json_is_array(value) ? json_incref(value) : json_pack("[O]", value);
  size_t count = json_array_size(list);
  bool good = count > 0 && (out->dims == 0 || count == out->dims);
  for (size_t i = 0; i < count && good; i++) {
    good = json_is_number(json_array_get(list, i));
  }
  RETURN_IF(!good, fail(err, DPERM_INVALID_DATA,
                        "the command printed \"%.40s\"; a line must be a JSON array of numbers, "
                        "all of the same length",
                        line));
  out->dims = count;
  if (!out->values[side]) {
    out->values[side] = calloc(draws, count * sizeof(double));
  }
  RETURN_IF(!out->values[side],
            fail(err, DPERM_OUT_OF_MEMORY, "out of memory; give fewer --draws"));
  for (size_t i = 0; i < count; i++) {
    out->values[side][index * count + i] = json_number_value(json_array_get(list, i));
  }
  return DPERM_OK;
}

/* ---- calls */

static dperm_status read_lines(FILE *pipe, int side, size_t draws, size_t *index,
                               trainer_outcomes *out, dperm_error *err) {
  OWNED_MEMORY char *line = NULL;
  size_t capacity = 0;
  const dperm_progress *progress = progress_bar();
  while (*index < draws && getline(&line, &capacity, pipe) > 0) {
    line[strcspn(line, "\n")] = '\0';
    TRY(take_line(line, side, *index, draws, out, err));
    ++*index;
    RETURN_IF(
        progress->tick(progress->context, "auditing", (uint64_t)side * draws + *index, 2 * draws),
        fail(err, DPERM_CANCELLED, "stopped on request"));
  }
  return DPERM_OK;
}

static dperm_status call(const char *line, const char *path, int side, size_t draws, size_t *index,
                         trainer_outcomes *out, dperm_error *err) {
  size_t before = *index;
  OWNED_MEMORY char *text = NULL;
  if (asprintf(&text, "%s '%s' %zu", line, path, draws - *index) < 0) {
    text = NULL;
    return fail(err, DPERM_OUT_OF_MEMORY, "out of memory; give fewer --draws");
  }
  FILE *pipe = popen(text, "r");
  RETURN_IF(!pipe, fail(err, DPERM_IO_ERROR, "cannot start the command (%s)", strerror(errno)));
  dperm_status status = read_lines(pipe, side, draws, index, out, err);
  int ended = pclose(pipe);
  TRY(status);
  RETURN_IF(*index < draws && ended != 0,
            fail(err, DPERM_IO_ERROR, "the command failed with status %d",
                 WIFEXITED(ended) ? WEXITSTATUS(ended) : 128));
  RETURN_IF(
      *index == before,
      fail(err, DPERM_INVALID_DATA,
           "the command printed nothing; it must print a JSON array of weights on each line"));
  return DPERM_OK;
}

/* ---- the pair */

static dperm_status write_records(const char *path, int label, dperm_error *err) {
  FILE *file = fopen(path, "w");
  bool written = file && fprintf(file, "x1,y\n") > 0;
  for (int i = 1; i < ROWS && written; i++) {
    written = fprintf(file, "0,%d\n", i % 2 ? 1 : -1) > 0;
  }
  written = written && fprintf(file, "1,%d\n", label) > 0;
  return file && fclose(file) == 0 && written
             ? DPERM_OK
             : fail(err, DPERM_IO_ERROR, "%s: cannot write (%s)", path, strerror(errno));
}

static dperm_status run_both(const char *line, const char *const paths[2], size_t draws,
                             trainer_outcomes *out, dperm_error *err) {
  for (int side = 0; side < 2; side++) {
    for (size_t index = 0; index < draws;) {
      TRY(call(line, paths[side], side, draws, &index, out, err));
    }
  }
  out->count = draws;
  return DPERM_OK;
}

static dperm_status run_own_pair(const char *line, size_t draws, trainer_outcomes *out,
                                 dperm_error *err) {
  const char *folder = getenv("TMPDIR");
  char place[PATH_SIZE], first[PATH_SIZE + 16], second[PATH_SIZE + 16];
  (void)snprintf(place, sizeof place, "%.900s/dperm-audit-XXXXXX", folder ? folder : "/tmp");
  RETURN_IF(
      strchr(place, '\'') || !mkdtemp(place),
      fail(err, DPERM_IO_ERROR, "%s: cannot make a folder; set TMPDIR to another place", place));
  (void)snprintf(first, sizeof first, "%s/first.csv", place);
  (void)snprintf(second, sizeof second, "%s/second.csv", place);
  dperm_status status = write_records(first, 1, err);
  status = status == DPERM_OK ? write_records(second, -1, err) : status;
  status = status == DPERM_OK ? run_both(line, (const char *[]){first, second}, draws, out, err)
                              : status;
  (void)unlink(first);
  (void)unlink(second);
  (void)rmdir(place);
  return status;
}

dperm_status trainer_run(const char *line, const char *first, const char *second, size_t draws,
                         trainer_outcomes *out, dperm_error *err) {
  if (!first) {
    return run_own_pair(line, draws, out, err);
  }
  RETURN_IF(strchr(first, '\'') || strchr(second, '\''),
            fail(err, DPERM_INVALID_ARGUMENT, "the name of a file contains a quote; rename it"));
  return run_both(line, (const char *[]){first, second}, draws, out, err);
}

void trainer_outcomes_clear(trainer_outcomes *outcomes) {
  free(outcomes->values[0]);
  free(outcomes->values[1]);
}
