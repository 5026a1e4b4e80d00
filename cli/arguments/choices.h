/* Options that take one of an enum's names. The library lists them; help, completion, the parser
 * and its messages use the same list. */
#pragma once

#include <dperm.h>
#include <stdbool.h>

/* The name of a value; NULL after the last. */
typedef const char *value_name(int value);
value_name format_name, mechanism_name, analysis_name, neighbours_name, noise_name, kernel_name,
    direction_name, loss_name, tune_method_name, selector_name, rounds_name, dictionary_name,
    bins_name, multiclass_name;

/* Whether the loss of this name has a parameter h; true for a name that is none, which is refused
 * elsewhere. */
bool loss_has_h(const char *name);

/* "auto|l2|l1" from value `first` on, for help. */
const char *choices(value_name *name, int first);

/* The value, from `first` on, that `text` names; false with a message about the option. */
bool choose(const char *option, const char *text, value_name *name, int first, int *out);
/* The same for --format; NULL is by the file's name. */
bool parse_format(const char *text, dperm_format *out);
