/* What dperm_model_verify says of a model, and models with one field changed. */
#ifndef DPERM_TESTS_VERDICT_H
#define DPERM_TESTS_VERDICT_H

#include <jansson.h>
#include <stdbool.h>

typedef struct verdict {
  bool holds;
  int lines, remarks;
  char first[64], all[8192]; /* the name of the first line that fails; all that fail */
} verdict;

/* With a digest that fits, unless `as_is`. What verifies must be a model that predict reads. */
verdict verdict_on(json_t *model, bool as_is);

/* `change`: "*X" multiplies, "+X" adds, "-" takes the field out, anything else is the new value. In
 * a list the field is a place, or "+" for the one behind the last. */
void change_field(json_t *root, const char *path, const char *change);

#endif
