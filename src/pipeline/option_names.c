/* Names of the values of public enums that no table inside the library holds: as model files, the
 * command and Python spell them. Those of noise, kernels, mechanisms, analyses and methods of
 * tuning are with them. */
#include "dperm.h"
#include "dperm/tune.h"

#define NAME_OF(names, value)                                                                      \
  ((size_t)(value) < sizeof(names) / sizeof *(names) ? (names)[value] : NULL)

const char *dperm_format_name(dperm_format format) {
  static const char *const names[] = {"auto", "csv", "svmlight", "encoded"};
  return NAME_OF(names, format);
}

const char *dperm_selector_name(dperm_selector selector) {
  static const char *const names[] = {"permute-and-flip", "exponential"};
  return NAME_OF(names, selector);
}

const char *dperm_rounds_name(dperm_rounds rounds) {
  static const char *const names[] = {"logarithmic", "geometric"};
  return NAME_OF(names, rounds);
}

const char *dperm_taken_name(unsigned bit) {
  static const char *const names[] = {"classes", "norm",   "ranges", "categories",
                                      "columns", "scales", "weights"};
  return NAME_OF(names, bit);
}
