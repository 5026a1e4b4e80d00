/* What people read on stderr, one line each whatever names and files hold, and the exit status that
 * goes with it; results on stdout. */
#pragma once

#include <dperm.h>
#include <stdbool.h>
#include <stddef.h>

enum { EXIT_WORK_FAILED = 1, EXIT_WRONG_USAGE = 2 };

/* "dperm: " and the sentence. Returns EXIT_WORK_FAILED. */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
int complain_of_memory(void);

/* Makes a failure of the command's own, for report_error. */
dperm_status fail(dperm_error *err, dperm_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "dperm: message" on stderr, and that a charge stays spent if there was one. Returns the exit
 * status: 2 for wrong usage, 130 after Ctrl-C, else 1. */
int report_error(const dperm_error *err);
/* The error reported last. */
const dperm_error *reported_error(void);

/* A line about what was done; nothing with -q. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* From now on neither notes nor a progress bar. */
void notes_off(void);

/* Writes all results so far to stdout. */
dperm_status flush_stdout(dperm_error *err);
/* The same, with a message if it fails. Returns the exit status. */
int finish_stdout(void);

/* From now on wrong_usage speaks of this command ("train", "schema draft"). */
void usage_of(const char *name);
/* One line on stderr that says what is wrong with the call. Returns EXIT_WRONG_USAGE. */
int wrong_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Checks of a call return true to go on, or refuse(wrong_usage(...)), which is false; the command
 * then ends with refused(). */
bool refuse(int exit_status);
int refused(void);
/* A combination of arguments that is not allowed, and the message about it. */
typedef struct usage_rule {
  bool broken;
  const char *words;
} usage_rule;
/* Refuses a call with the message of the first broken rule. */
bool usage_rules_hold(const usage_rule *rules, size_t count);

/* The shortest decimal with at least so many digits that reads back to the same number. */
typedef struct number_text {
  char text[32];
} number_text;
number_text shortest(double value, int digits);

/* A name as it may stand in text for people (dperm_text_visible), cut where it is very long. */
typedef struct visible_text {
  char text[1024];
} visible_text;
visible_text visible(const char *text);
