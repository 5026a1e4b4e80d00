/* The names of the values that options choose among. */
#include "arguments/arguments.h"

#include <dperm/draft.h>
#include <dperm/tune.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAME_BY_NUMBER(name, type)                                                                 \
  const char *name(int value) {                                                                    \
    return dperm_##name((type)value);                                                              \
  }
NAME_BY_NUMBER(format_name, dperm_format)
NAME_BY_NUMBER(mechanism_name, dperm_mechanism)
NAME_BY_NUMBER(analysis_name, dperm_analysis)
NAME_BY_NUMBER(neighbours_name, dperm_neighbours)
NAME_BY_NUMBER(noise_name, dperm_noise)
NAME_BY_NUMBER(multiclass_name, dperm_multiclass)
NAME_BY_NUMBER(kernel_name, dperm_kernel_kind)
NAME_BY_NUMBER(tune_method_name, dperm_tune_method)
NAME_BY_NUMBER(selector_name, dperm_selector)
NAME_BY_NUMBER(rounds_name, dperm_rounds)
NAME_BY_NUMBER(dictionary_name, dperm_dictionary)
NAME_BY_NUMBER(loss_name, size_t)

bool loss_has_h(const char *name) {
  dperm_loss loss;
  return dperm_loss_by_name(name, 1, &loss, NULL) != DPERM_OK || !isnan(loss.parameter);
}

/* dperm_kernel.independent */
const char *direction_name(int value) {
  static const char *const names[] = {"orthogonal", "iid"};
  return value < 2 ? names[value] : NULL;
}

const char *bins_name(int value) {
  static const char *const names[] = {"ask", "none", "auto"};
  return value <= DPERM_BINS_AUTO ? names[value] : NULL;
}

int choice_value(const char *text, value_name *name, int first) {
  for (int value = first; name(value); value++) {
    if (strcmp(name(value), text) == 0) {
      return value;
    }
  }
  return -1;
}

void choices(value_name *name, int first, const char *between, const char *last, char *out,
             size_t size) {
  size_t used = 0;
  out[0] = '\0';
  for (int i = first; name(i) && used < size; i++) {
    const char *separator = i == first ? "" : name(i + 1) ? between : last;
    used += (size_t)snprintf(out + used, size - used, "%s%s", separator, name(i));
  }
}
