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
                    "of epsilon: ask, a little to ask the records whether bins serve them "
                    "(default for CSV files with a schema and noise, without --bins or --kernel); "
                    "SHARE or auto, for bins and groups from noisy counts of them; or none"};
}

static bool read_share(const char *word, double *share) {
  *share = strcmp(word, "auto") == 0 ? (double)NAN : 0;
  if (strcmp(word, "auto") == 0 || strcmp(word, "ask") == 0 || strcmp(word, "none") == 0 ||
      (read_number(word, share) && *share > 0 && *share < 1)) {
    return true;
  }
  return refuse(wrong_usage(
      "--refine must be a share above 0 and below 1, auto, ask or none, not \"%.40s\"", word));
}

/* Whether --bins says that numbers stay lines. */
static bool wants_lines(const fit_settings *fit) {
  return argument_given(&fit->bins) && strcmp(fit->bins, "none") == 0;
}

bool refine_choose(const char *const *word, const fit_settings *fit, const dperm_options *options,
                   const char *schema, bool readable, refine_choice *out) {
  if (!read_share(*word, &out->share)) {
    return false;
  }
  bool none = options->mechanism == DPERM_MECHANISM_NONE;
  bool kernel = options->kernel.kind != DPERM_KERNEL_NONE;
  bool settled = argument_given(&fit->bins); /* by public numbers, or none */
  out->unasked = !argument_given(word);
  out->refined = strcmp(*word, "none") != 0 &&
                 (!out->unasked || (!none && schema && readable && !settled && !kernel));
  const usage_rule rules[] = {
      {out->refined && none,
       "--refine does not go with --mechanism none: it spends a share of epsilon"},
      {out->refined && !schema, "--refine needs --schema: it refines one"},
      {out->refined && !readable,
       "--refine reads the records more than once, and a pipe has them once; name a file"},
      {out->refined && wants_lines(fit),
       "--bins none leaves numbers lines, and --refine makes bins of them; give one of the two"},
  };
  return usage_rules_hold(rules, sizeof rules / sizeof *rules);
}

bool refine_may_bin(const refine_choice *choice, const fit_settings *fit) {
  return (choice->refined && !(choice->share > 0)) || strcmp(fit->bins, "auto") == 0;
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
  return (argument){"--refine",
                    ARGUMENT_TEXT,
                    word,
                    false,
                    "none",
                    "other values are for train: here the records are not asked, and numbers are "
                    "lines unless --bins auto; 'dperm refine' makes a schema beforehand"};
}

bool refine_elsewhere(const char *word) {
  return strcmp(word, "none") == 0 ||
         refuse(wrong_usage("--refine is for train; here --bins auto gives bins by public numbers, "
                            "or give a schema that 'dperm refine' made: its epsilon is counted"));
}
