/* One line of a command's table of arguments, and what is said of a call that does not fit it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "message.h"

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
  const char *value; /* what to write for the value in help: "X", "FILE", "words|to|choose"; of a
                      * number, "X|auto" allows a word, which leaves the target alone */
  const char *help;
} argument;

/* All that there is to know of a command: for --help, its manual and completion by shells. */
typedef struct command_page {
  const char *name, *summary;
  const argument *table;
  size_t count;
  const char *rest; /* closing paragraphs, a line each, "TERM\tTEXT" for one of a list; or NULL */
} command_page;
typedef void page_reader(void *context, const command_page *page);

/* What every command has beside its table. */
typedef struct common_argument {
  const char *letter, *name, *help;
} common_argument;
enum { COMMON_ARGUMENTS = 2, QUIET = 0, HELP = 1 };
extern const common_argument common_arguments[COMMON_ARGUMENTS];

/* Whether the word is the name or the letter of that one. */
bool argument_is_common(const char *word, int which);

/* The value of an argument as help shows it; "" for flags. */
const char *argument_value(const argument *a);
bool argument_is_positional(const argument *a);
/* Whether it names a file that is read or written. */
bool argument_is_file(const argument *a);

/* From now on wrong_usage speaks of this command, or "COMMAND ACTION", one that has its own page.
 */
void usage_of(const char *name);
/* One line on stderr that says what is wrong with the call; returns 2. */
int wrong_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* What a call must not say, or not together, and the words about it. */
typedef struct usage_rule {
  bool broken;
  const char *words;
} usage_rule;
/* Refuses a call with the words of the first rule that is broken. */
bool usage_rules_hold(const usage_rule *rules, size_t count);
/* Checks of a call return true to go on, or refuse(wrong_usage(...)): false, and the command ends
 * with the status that refused() gives. */
bool refuse(int exit_status);
int refused(void);
