/* See usage.h. */
#include "usage.h"

#include <stdarg.h>
#include <stdio.h>

const common_argument common_arguments[COMMON_ARGUMENTS] = {
    {"-q", "--quiet", "only errors on stderr, no notes and no progress"},
    {"-h", "--help", "explain the command"},
};

const char *argument_value(const argument *a) {
  return a->kind == ARGUMENT_FLAG ? "" : a->value;
}

bool argument_is_positional(const argument *a) {
  return a->name[0] != '-';
}

static const char *command_name = "", *action = "";
static int refused_with;

void usage_of_command(const char *name) {
  command_name = name;
}

void usage_of_action(const char *name) {
  action = name;
}

int wrong_usage(const char *format, ...) {
  char sentence[512];
  va_list args;
  va_start(args, format);
  (void)vsnprintf(sentence, sizeof sentence, format, args);
  va_end(args);
  char whole[64];
  (void)snprintf(whole, sizeof whole, "%.30s%s%.30s", command_name, *action ? " " : "", action);
  (void)complain("%s%s%s; see 'dperm help%s%s'", whole, *whole ? ": " : "", sentence,
                 *whole ? " " : "", whole);
  return EXIT_WRONG_USAGE;
}

bool refuse(int exit_status) {
  refused_with = exit_status;
  return false;
}

int refused(void) {
  return refused_with;
}
