/* See weight_list.h. */
#define _DEFAULT_SOURCE /* strsep */
#include "arguments/weight_list.h"

#include <stdio.h>
#include <string.h>

#include "arguments/arguments.h"

enum { WEIGHTS_MOST = 1000, TEXT_MOST = 1 << 16 };

/* A command has one such argument; options of many candidates point here. */
static char names[TEXT_MOST];
static dperm_class_weight weights[WEIGHTS_MOST];

static bool refuse_word(const char *word) {
  return refuse(
      wrong_usage("--class-weights must be NAME=W,NAME=W with public numbers above zero, not "
                  "\"%.40s\"%s",
                  word,
                  strcmp(word, "balanced") == 0
                      ? "; balanced weights would count the records, which is not private"
                      : ""));
}

bool weight_list_parse(const char *text, dperm_options *options) {
  size_t count = 0;
  if (strlen(text) >= sizeof names) {
    return refuse_word(text);
  }
  (void)snprintf(names, sizeof names, "%s", text);
  for (char *word = NULL, *rest = names; (word = strsep(&rest, ","));) {
    char *equals = strrchr(word, '='); /* the last: a class may be called "<=50K" */
    if (!equals || equals == word || count == WEIGHTS_MOST ||
        !read_number(equals + 1, &weights[count].weight) || !(weights[count].weight > 0)) {
      return refuse_word(word);
    }
    *equals = '\0';
    weights[count++].name = word;
  }
  options->class_weights = weights;
  options->class_weight_count = count;
  return true;
}
