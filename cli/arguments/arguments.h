/* A command's arguments as a table: it is parsed, checked and shown as help from the same lines, so
 * a flag cannot exist without a meaning or a text. */
#pragma once

#include <dperm.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/message.h"

/* ---- choices.c: the names of enums' values, as the library lists them. Help, completion, the
 * parser and its messages use the same list. */

/* The name of a value; NULL after the last. */
typedef const char *value_name(int value);
value_name format_name, mechanism_name, analysis_name, neighbours_name, noise_name, kernel_name,
    direction_name, loss_name, tune_method_name, selector_name, rounds_name, dictionary_name,
    bins_name, multiclass_name;

/* True if the loss of this name has a parameter h, and for a name that no loss has. */
bool loss_has_h(const char *name);

/* The value, from `first` on, that `text` names; -1 for none. */
int choice_value(const char *text, value_name *name, int first);
/* The names from value `first` on, with `between` between them and `last` before the last. */
void choices(value_name *name, int first, const char *between, const char *last, char *out,
             size_t size);

/* ---- the table */

typedef enum argument_kind {
  ARGUMENT_TEXT,     /* const char * */
  ARGUMENT_INPUT,    /* the same, for a file that is read */
  ARGUMENT_OUTPUT,   /* or written: never an input, a ledger or another output (below) */
  ARGUMENT_NUMBER,   /* double, finite */
  ARGUMENT_POSITIVE, /* double > 0 */
  ARGUMENT_COUNT,    /* size_t ≥ 1 */
  ARGUMENT_SEED,     /* uint64_t */
  ARGUMENT_FLAG,     /* bool */
  ARGUMENT_CHOICE,   /* an enum, by the names of its values */
  ARGUMENT_THREADS   /* int from 1 to 4096 */
} argument_kind;

/* Where help shows it, in this order. */
typedef enum argument_group {
  GROUP_USUAL,
  GROUP_PRIVACY,
  GROUP_MODEL,
  GROUP_DATA,
  GROUP_OUTPUT,
  GROUPS
} argument_group;

/* Lines of tables leave out the last members where they are zero. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
typedef struct argument {
  const char *name; /* "--lambda"; a name without dashes is a positional one */
  argument_kind kind;
  void *target;
  bool required;
  const char *value; /* what to write for the value in help: "X", "FILE", "words|to|choose"; of a
                      * number, "X|auto" allows a word, which leaves the target alone */
  const char *help;  /* NULL: taken, but not shown */
  argument_group group;
  value_name *names; /* of a choice, from value `first` on */
  int first;
  const char *letter; /* a second name, "-q" */
} argument;

/* All that there is to know of a command: for --help and completion by shells. */
typedef struct command_page {
  const char *name, *summary;
  const argument *table; /* in the order of groups, then the common ones */
  size_t count;
  bool grouped;     /* there is more than one */
  const char *rest; /* closing paragraphs, a line each; or NULL */
} command_page;
typedef void page_reader(void *context, const command_page *page);
/* The name of the group that begins with line i of a page; NULL if none does. */
const char *page_heading(const command_page *page, size_t i);

/* Every command has them, after its own. */
enum { QUIET, HELP, COMMON_ARGUMENTS };
/* Whether the word is the name or the letter of that one. */
bool argument_is_common(const char *word, int which);

/* An argument that several commands have, by its name, with this target. */
argument shared_argument(const char *name, void *target);
/* The value of an argument as help shows it; "" for flags. */
const char *argument_value(const argument *a);
bool argument_is_positional(const argument *a);
/* Whether it names a file that is read or written. */
bool argument_is_file(const argument *a);

/* argv[0] is the first word after the command's name. */
typedef dperm_status command_run(int argc, char **argv, dperm_error *err);

typedef struct command {
  const char *name, *summary;
  command_run *run;
  bool many;                     /* whether the processes of a job can share its work */
  const struct command *actions; /* of a command whose next word says what to do; or NULL */
} command;

/* Tables of commands end with one that has no name. NULL if none is called so. */
const command *command_named(const command *commands, const char *name);
/* Announces the command that runs next, an action of `parent` or one without (NULL): messages name
 * it, and --help hands its table to `reader`. */
void command_announce(const command *parent, const command *next, page_reader *reader,
                      void *context);
/* Hands the page of the command, or of each of its actions, to `reader`. */
void command_visit(const command *visited, page_reader *reader, void *context);
void command_visit_action(const command *parent, const command *action, page_reader *reader,
                          void *context);
/* The action that the next word names; NULL with an error. */
const command *command_action(const command *c, const char *word, dperm_error *err);

/* Fills the targets. The command ends if this fails, as after help; `rest` as in command_page. */
dperm_status arguments_parse(const argument *table, size_t count, int argc, char **argv,
                             const char *rest, dperm_error *err);
/* Whether the call has set this target. */
bool argument_given(const void *target);

/* A decimal number, near a double; digits only. False on anything else. */
bool read_number(const char *text, double *out);
/* What to say behind the text that read_number just refused: a reason, or nothing. */
const char *number_trouble(void);
bool read_whole(const char *text, uint64_t *out);

/* ---- file_guard.c: which files a command may not write: one of its inputs, one output twice, and
 * a ledger, whoever named it and by whatever name or link; of a command that has --force, a file
 * that is there already, unless that is given */

/* Of a parsed table: every output that was given, and what standard output and standard error are
 * sent to. Refuses standard input that is named twice, too. */
dperm_status files_agree(const argument *table, size_t count, dperm_error *err);

/* The same for one more file to be written, which no output may be; `what` names it in messages. */
dperm_status file_allowed(const char *what, const char *path, const argument *table, size_t count,
                          dperm_error *err);
