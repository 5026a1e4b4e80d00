/* See choices.h. */
#include "choices.h"

#include <dperm.h>
#include <dperm/tune.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "usage.h"

const char *format_name(int value) {
  return dperm_format_name((dperm_format)value);
}

const char *mechanism_name(int value) {
  return dperm_mechanism_name((dperm_mechanism)value);
}

const char *analysis_name(int value) {
  return dperm_analysis_name((dperm_analysis)value);
}

const char *noise_name(int value) {
  return dperm_noise_name((dperm_noise)value);
}

const char *kernel_name(int value) {
  return dperm_kernel_name((dperm_kernel_kind)value);
}

const char *tune_method_name(int value) {
  return dperm_tune_method_name((dperm_tune_method)value);
}

const char *selector_name(int value) {
  return dperm_selector_name((dperm_selector)value);
}

const char *rounds_name(int value) {
  return dperm_rounds_name((dperm_rounds)value);
}

const char *loss_name(int value) {
  return dperm_loss_name((size_t)value);
}

bool loss_has_h(const char *name) {
  dperm_loss loss;
  return dperm_loss_by_name(name, 1, &loss, NULL) != DPERM_OK || !isnan(loss.parameter);
}

/* dperm_kernel.independent */
const char *direction_name(int value) {
  static const char *const names[] = {"orthogonal", "iid"};
  return value < 2 ? names[value] : NULL;
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
