/* A command's arguments as a table: it is parsed, checked and shown as help from the same lines, so
 * a flag cannot exist without a meaning or a text. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/message.h"

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

typedef struct command {
  const char *name, *summary;
  int (*run)(int argc, char **argv); /* argv[0] is the first word after the command */
  bool many;                         /* whether the processes of a job can share its work */
  const char *const *actions;        /* those that have tables of their own, up to NULL; or NULL */
} command;

/* Tables of commands end with one that has no name. NULL if none is called so. */
const command *command_named(const command *commands, const char *name);
/* The action of this name that has a table of its own, or NULL. */
const char *command_action(const command *c, const char *name);
/* Hands the command's page to `reader`, and then those of its actions. */
void command_visit(const command *visited, page_reader *reader, void *context);
/* The command's alone (`action` is NULL), or one action's alone. */
void command_visit_one(const command *visited, const char *action, page_reader *reader,
                       void *context);

/* The command that runs next: --help hands its table to `reader` (help_print, help.h). */
void arguments_announce(const command *next, page_reader *reader, void *context);

/* Fills the targets. Returns true to go on; else the command ends with refused(): 0 after
 * --help, 2 after one line about what is wrong. `rest` is as in command_page. */
bool arguments_parse(const argument *table, size_t count, int argc, char **argv, const char *rest);
/* Whether the call has set this target. */
bool argument_given(const void *target);

/* A decimal number, near a double; digits only. False on anything else. */
bool read_number(const char *text, double *out);
/* What to say behind the text that read_number just refused: a reason, or nothing. */
const char *number_trouble(void);
bool read_whole(const char *text, uint64_t *out);
