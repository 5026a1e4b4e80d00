/* See usage.h. */
#include "usage.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const common_argument common_arguments[COMMON_ARGUMENTS] = {
    {"-q", "--quiet", "only errors on stderr, no notes and no progress"},
    {"-h", "--help", "explain the command"},
};

bool argument_is_common(const char *word, int which) {
  return strcmp(word, common_arguments[which].name) == 0 ||
         strcmp(word, common_arguments[which].letter) == 0;
}

const char *argument_value(const argument *a) {
  return a->kind == ARGUMENT_FLAG ? "" : a->value;
}

bool argument_is_positional(const argument *a) {
  return a->name[0] != '-';
}

bool argument_is_file(const argument *a) {
  return a->kind == ARGUMENT_INPUT || a->kind == ARGUMENT_OUTPUT;
}

static const char *command_name = "";
static int refused_with;

void usage_of(const char *name) {
  command_name = name;
}

int wrong_usage(const char *format, ...) {
  char sentence[512];
  va_list args;
  va_start(args, format);
  (void)vsnprintf(sentence, sizeof sentence, format, args);
  va_end(args);
  (void)complain("%s%s%s; see 'dperm help%s%s'", command_name, *command_name ? ": " : "", sentence,
                 *command_name ? " " : "", command_name);
  return EXIT_WRONG_USAGE;
}

bool refuse(int exit_status) {
  refused_with = exit_status;
  return false;
}

bool usage_rules_hold(const usage_rule *rules, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (rules[i].broken) {
      return refuse(wrong_usage("%s", rules[i].words));
    }
  }
  return true;
}

int refused(void) {
  return refused_with;
}
