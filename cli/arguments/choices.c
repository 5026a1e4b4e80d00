/* See choices.h. */
#include "arguments/choices.h"

#include <dperm/draft.h>
#include <dperm/tune.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "arguments/arguments.h"

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

/* The names with `between` between them, and `last` before the last. */
static void list_names(value_name *name, int first, const char *between, const char *last,
                       char *out, size_t size) {
  size_t used = 0;
  out[0] = '\0';
  for (int i = first; name(i) && used < size; i++) {
    const char *separator = i == first ? "" : name(i + 1) ? between : last;
    used += (size_t)snprintf(out + used, size - used, "%s%s", separator, name(i));
  }
}

const char *choices(value_name *name, int first) {
  static struct {
    value_name *name;
    char text[96];
  } lists[16];
  size_t i = 0;
  while (lists[i].name && lists[i].name != name && i + 1 < sizeof lists / sizeof *lists) {
    i++;
  }
  lists[i].name = name;
  list_names(name, first, "|", "|", lists[i].text, sizeof lists[i].text);
  return lists[i].text;
}

bool choose(const char *option, const char *text, value_name *name, int first, int *out) {
  char all[96];
  for (*out = first; name(*out); ++*out) {
    if (strcmp(name(*out), text) == 0) {
      return true;
    }
  }
  list_names(name, first, ", ", " or ", all, sizeof all);
  return refuse(wrong_usage("%s must be %s", option, all));
}

bool parse_format(const char *text, dperm_format *out) {
  int format = DPERM_FORMAT_AUTO;
  bool good = !text || choose("--format", text, format_name, DPERM_FORMAT_CSV, &format);
  *out = (dperm_format)format;
  return good;
}
