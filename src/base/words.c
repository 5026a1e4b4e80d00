/* The words for the values of enums; one place, so that command, files and messages agree. Losses,
 * kinds of noise and formats have theirs in their tables, since adding one is a line there. */
#include <stdbool.h>

#include "base/status.h"
#include "dperm/draft.h"
#include "dperm/tune.h"

static const char *const words[][8] = {
    [DPERM_WORDS_ANALYSIS] = {"tight", "paper"},
    [DPERM_WORDS_BINS] = {"ask", "none", "auto"},
    [DPERM_WORDS_DICTIONARY] = {"auto", "frictionless", "csvw"},
    [DPERM_WORDS_KERNEL] = {"none", "gaussian", "laplacian", "cauchy"},
    [DPERM_WORDS_MECHANISM] = {"objective", "output", "none"},
    [DPERM_WORDS_MULTICLASS] = {"auto", "joint", "one-vs-rest"},
    [DPERM_WORDS_NEIGHBOURS] = {"replace", "add-remove"},
    [DPERM_WORDS_ROUNDS] = {"logarithmic", "geometric"},
    [DPERM_WORDS_SELECTOR] = {"permute-and-flip", "exponential"},
    [DPERM_WORDS_TAKEN] = {"classes", "norm", "ranges", "categories", "columns", "scales",
                           "weights"},
    [DPERM_WORDS_TUNE_METHOD] = {"split", "stopping", "public"},
};

const char *dperm_word(dperm_words list, unsigned value) {
  bool known = (size_t)list < sizeof words / sizeof *words && value < 8;
  return known ? words[list][value] : NULL;
}
