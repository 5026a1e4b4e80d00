/* One line of a command's table of arguments, and what is said of a call that does not fit it. */
#ifndef DPERM_CLI_USAGE_H
#define DPERM_CLI_USAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EXIT_WORK_FAILED = 1, EXIT_WRONG_USAGE = 2 };

typedef enum argument_kind {
  ARGUMENT_TEXT,     /* const char * */
  ARGUMENT_INPUT,    /* the same, for a file that is read */
  ARGUMENT_OUTPUT,   /* or written: never an input, a ledger or another output (file_guard.h) */
  ARGUMENT_NUMBER,   /* double, finite */
  ARGUMENT_POSITIVE, /* double > 0 */
  ARGUMENT_COUNT,    /* size_t ≥ 1 */
  ARGUMENT_SEED,     /* uint64_t */
  ARGUMENT_FLAG      /* bool */
} argument_kind;

typedef struct argument {
  const char *name; /* "--lambda"; a name without dashes is a positional one */
  argument_kind kind;
  void *target;
  bool required;
  const char *value; /* what to write for the value in help: "X", "FILE" */
  const char *help;
  const char *word; /* a word allowed instead of a number ("auto"): leaves the target alone */
  bool given;       /* set by the parser */
} argument;

/* One line on stderr that says what is wrong with the call; returns 2. */
int wrong_usage(const char *command_name, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
