/* Options that take one of an enum's names. The library lists them; help, completion, the parser
 * and its messages use the same list. */
#pragma once

#include <dperm.h>
#include <stdbool.h>
#include <stddef.h>

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
