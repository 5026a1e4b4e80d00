/* What people read on stderr, one line each whatever names hold, the exit status, and stdout. */
#pragma once

#include <dperm.h>
#include <stdbool.h>
#include <stddef.h>

enum { EXIT_WORK_FAILED = 1, EXIT_WRONG_USAGE = 2 };

/* Makes a failure of the command's own, for report_error. */
dperm_status fail(dperm_error *err, dperm_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
dperm_status out_of_memory(dperm_error *err);
/* "dperm: message" on stderr, and that a charge stays spent if there was one; nothing for an empty
 * message, a verdict was printed. The exit status: 2 for wrong usage, 130 after Ctrl-C, else 1. */
int report_error(const dperm_error *err);

/* A line about what was done; nothing with -q. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* "warning: ", also with -q: the guarantee is hardly one. */
void warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* From now on neither notes nor a progress bar. */
void notes_off(void);

/* ---- progress_bar.c: on stderr if that is a terminal, the work takes over a second and nobody
 * said -q. It counts public work only. */

/* For the library, which it also asks to stop after Ctrl-C, to clean up behind itself. */
const dperm_progress *progress_bar(void);
void progress_bar_wipe(void);
/* Shows nothing from now on. */
void progress_bar_off(void);

/* ---- results and wrong usage */

/* Writes all results so far to stdout. */
dperm_status flush_stdout(dperm_error *err);
/* Results to a file that appears whole or not at all; `path` NULL or "-" is standard output. */
dperm_status write_text(const char *path, const char *text, size_t length, dperm_error *err);
/* True if `path` is, or can become, a plain file: neither "-" nor a device. */
bool file_is_plain(const char *path);

/* From now on wrong_usage speaks of this command ("train", "schema draft"). */
void usage_of(const char *name);
/* A failure that says what is wrong with the call. */
dperm_status wrong_usage(dperm_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A combination of arguments that is not allowed, and the message about it. */
typedef struct usage_rule {
  bool broken;
  const char *words;
} usage_rule;
/* Fails with the message of the first broken rule. */
dperm_status usage_rules_hold(const usage_rule *rules, size_t count, dperm_error *err);

/* The shortest decimal with at least so many digits that reads back to the same number. */
typedef struct number_text {
  char text[32];
} number_text;
number_text shortest(double value, int digits);

/* What the name of so many things ends in. */
static inline const char *plural(size_t count) {
  return count == 1 ? "" : "s";
}

/* A name as it may stand in text for people (dperm_text_visible), cut where it is very long. */
typedef struct visible_text {
  char text[1024];
} visible_text;
visible_text visible(const char *text);
