/* See refine_settings.h. */
#include "refine_settings.h"

#include <math.h>
#include <string.h>

argument refine_argument(const char **word) {
  *word = "none";
  return (argument){"--refine",
                    ARGUMENT_TEXT,
                    word,
                    false,
                    "SHARE|auto|none",
                    "a share of epsilon for bins and groups from "
                    "noisy counts of the records (none)"};
}

bool refine_share(const char *word, double *share) {
  *share = strcmp(word, "auto") == 0 ? (double)NAN : 0;
  if (strcmp(word, "auto") == 0 || strcmp(word, "none") == 0 ||
      (read_number(word, share) && *share > 0 && *share < 1)) {
    return true;
  }
  return refuse(wrong_usage(
      "--refine must be a share above 0 and below 1, auto or none, not \"%.40s\"", word));
}

argument refine_elsewhere_argument(const char **word) {
  *word = "none";
  return (argument){"--refine", ARGUMENT_TEXT, word,
                    false,      "none",        "is for train; here, refine the schema before"};
}

bool refine_elsewhere(const char *word) {
  return strcmp(word, "none") == 0 ||
         refuse(wrong_usage("--refine is for train; make a refined schema with 'dperm refine' and "
                            "give that, its epsilon is counted"));
}
