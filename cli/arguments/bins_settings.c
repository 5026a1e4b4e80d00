/* See bins_settings.h. */
#include "arguments/bins_settings.h"

#include <math.h>
#include <string.h>

#include "arguments/choices.h"
#include "output/message.h"

argument bins_argument(const char **word) {
  return (argument){"--bins",
                    ARGUMENT_TEXT,
                    word,
                    false,
                    choices(bins_name, DPERM_BINS_NONE),
                    "bins for numeric columns that have none in the schema: none, or auto, as many "
                    "as the rows can pay for (default: train tests privately whether they help; "
                    "tune and sweep use none)"};
}

argument refine_argument(const char **word) {
  *word = "ask";
  return (argument){
      "--refine",
      ARGUMENT_TEXT,
      word,
      false,
      "SHARE|auto|ask|none",
      "share of epsilon for bins and groups of categories from noisy counts of the records; "
      "ask tests privately whether bins help, for a few percent (default: ask for records with a "
      "schema, without --bins or --kernel)"};
}

static bool read_share(const char *word, double *share) {
  *share = 0;
  if (strcmp(word, "auto") == 0) {
    *share = (double)NAN;
    return true;
  }
  return strcmp(word, "ask") == 0 || strcmp(word, "none") == 0 ||
         (read_number(word, share) && *share > 0 && *share < 1) ||
         refuse(wrong_usage(
             "--refine must be a share above 0 and below 1, auto, ask or none, not \"%.40s\"",
             word));
}

static bool asked_for(const bins_settings *given) {
  return argument_given(&given->refine) && strcmp(given->refine, "none") != 0;
}

bool refine_has_schema(const bins_settings *given, const char *schema) {
  return schema || !asked_for(given) ||
         refuse(wrong_usage("--refine needs --schema: it refines one"));
}

bool bins_choose(const bins_settings *given, dperm_options *o) {
  bool asked = asked_for(given);
  bool lines = given->bins && strcmp(given->bins, "none") == 0;
  bool none = o->mechanism == DPERM_MECHANISM_NONE;
  int bins = DPERM_BINS_ASK;
  if (!read_share(given->refine, &o->refine) ||
      (given->bins && !choose("--bins", given->bins, bins_name, DPERM_BINS_NONE, &bins))) {
    return false;
  }
  const usage_rule rules[] = {
      {asked && none, "--refine does not go with --mechanism none: it spends a share of epsilon"},
      {asked && lines,
       "--bins none leaves numbers lines, and --refine makes bins of them; give one of the two"},
      {asked && strcmp(given->refine, "ask") == 0 && given->bins,
       "--bins says what numbers become, and --refine ask has the records say; give one of the "
       "two"},
  };
  if (!given->bins && strcmp(given->refine, "none") == 0) {
    bins = DPERM_BINS_NONE;
  }
  o->bins = (dperm_bins)bins;
  return usage_rules_hold(rules, sizeof rules / sizeof *rules);
}

argument refine_elsewhere_argument(const char **word) {
  *word = "none";
  return (argument){
      "--refine", ARGUMENT_TEXT,
      word,       false,
      "none",     "other values are for train; 'dperm refine' makes a schema beforehand"};
}

bool refine_elsewhere(const char *word) {
  return strcmp(word, "none") == 0 ||
         refuse(wrong_usage("--refine is for train; here --bins auto gives bins by public numbers, "
                            "or give a schema that 'dperm refine' made: its epsilon is counted"));
}
