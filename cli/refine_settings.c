/* See refine_settings.h. */
#include "refine_settings.h"

#include <dperm/bins.h>
#include <math.h>
#include <string.h>

#include "handles.h"
#include "message.h"

argument refine_argument(const char **word) {
  *word = "ask";
  return (argument){"--refine",
                    ARGUMENT_TEXT,
                    word,
                    false,
                    "SHARE|auto|ask|none",
                    "of epsilon: ask (default), a little to ask the records whether bins serve "
                    "them; SHARE or auto, for bins and groups from noisy counts of them; or none"};
}

bool refine_share(const char *word, double *share) {
  *share = strcmp(word, "auto") == 0 ? (double)NAN : 0;
  if (strcmp(word, "auto") == 0 || strcmp(word, "ask") == 0 || strcmp(word, "none") == 0 ||
      (read_number(word, share) && *share > 0 && *share < 1)) {
    return true;
  }
  return refuse(wrong_usage(
      "--refine must be a share above 0 and below 1, auto, ask or none, not \"%.40s\"", word));
}

dperm_status refine_check_source(const dperm_source *source, dperm_error *err) {
  dperm_format format = DPERM_FORMAT_AUTO;
  TRY(dperm_source_format(source, &format, err));
  if (format != DPERM_FORMAT_CSV) {
    return fail(err, DPERM_INVALID_DATA,
                "%s: a refinement counts CSV records, and these rows are encoded already; give the "
                "records, and encode them under the refined schema",
                visible(source->path).text);
  }
  return DPERM_OK;
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
