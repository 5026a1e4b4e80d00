/* Words for people on stderr, one line each whatever names and files hold, and the end of a program
 * that they announce. */
#pragma once

#include <dperm.h>
#include <stdbool.h>

enum { EXIT_WORK_FAILED = 1, EXIT_WRONG_USAGE = 2 };

/* "dperm: " and the sentence. Returns EXIT_WORK_FAILED. */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
int complain_of_memory(void);

/* Makes a failure of the command's own, for report_error (session.h). */
dperm_status fail(dperm_error *err, dperm_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A line about what was done; with -q nothing. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void notes_off(void);
bool notes_are_off(void);

/* A name as it may stand in text for people (dperm_text_visible), cut where it is very long. */
typedef struct visible_text {
  char text[1024];
} visible_text;
visible_text visible(const char *text);
