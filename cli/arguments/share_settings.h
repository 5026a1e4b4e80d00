/* The arguments that give a share of epsilon to something after the fit (--calibrate), as a table
 * with all that the commands say of it. A command that fits `many` models takes none of them. */
#pragma once

#include <dperm.h>
#include <jansson.h>

#include "arguments/arguments.h"

enum { SHARE_ARGUMENTS = 1 };

typedef struct share_words {
  const char *name;
  size_t option_at; /* where dperm_options has it */
  const char *help;
  const char *figure;            /* its epsilon in reports (docs/formats.md), */
  const char *value;             /* and the number that it bought, or NULL */
  const char *says;              /* what is said of a model, with that number after it */
  const char *plan_label, *plan; /* the line of a plan */
  void (*warn)(const dperm_options *options, size_t rows); /* of too few rows; or NULL */
} share_words;
extern const share_words share_arguments[SHARE_ARGUMENTS];

/* Lines of a command's table; the words as given, NULL before. */
void share_arguments_init(const char *words[SHARE_ARGUMENTS], bool many, argument *table);
/* Into the options, or false with a message. */
bool share_arguments_apply(const char *const words[SHARE_ARGUMENTS], bool many, dperm_options *o);
/* A share above 0 and below 1; words that stand for one are dealt with before. */
bool read_share(const char *option, const char *or_, const char *word, double *out);

void share_arguments_warn(const dperm_options *options, size_t rows);
/* A line for each share that a model has, by the report of its run. */
void share_arguments_say(const json_t *report, const char *name);
