/* dperm schema draft: a first schema from records that are public, with remarks on what to check.
 */
#include <string.h>

#include "arguments/arguments.h"
#include "commands/commands.h"
#include "commands/ledger_settings.h"
#include "commands/schema_command.h"
#include "output/handles.h"
#include "output/message.h"
#include "output/progress_bar.h"
#include <dperm/draft.h>

/* One byte, or the word "tab", which is hard to type. */
static bool read_separator(const char *text, char *out) {
  bool tab = strcmp(text, "tab") == 0 || strcmp(text, "\\t") == 0;
  if (!tab && strlen(text) != 1) {
    return refuse(wrong_usage("--separator must be one byte or tab, not \"%.40s\"", text));
  }
  *out = *(tab ? "\t" : text);
  return true;
}

static dperm_status draft(const char *data_path, const dperm_draft_options *options,
                          const char *out_path, dperm_error *err) {
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  TRY(dperm_schema_draft(data_path, options, progress_bar(), print_remark, NULL, &schema, err));
  progress_bar_wipe();
  return dperm_schema_write(schema, out_path, err);
}

int run_schema_draft(int argc, char **argv) {
  const char *action = NULL, *data_path = NULL, *out_path = NULL, *separator = NULL;
  const char *positive = NULL, *missing = NULL, *ledger = NULL;
  bool header = false, no_header = false;
  dperm_draft_options options;
  dperm_draft_options_init(&options);
  argument table[] = {
      {"action", ARGUMENT_TEXT, &action, true, "draft", "what to do"},
      {"--public-data", ARGUMENT_INPUT, &data_path, true, "FILE",
       "CSV records that are public, and labelled"},
      {"--label", ARGUMENT_TEXT, &options.label, false, "COLUMN",
       "the label's (default: the last)"},
      {"--positive", ARGUMENT_TEXT, &positive, false, "V[,V...]",
       "labels of the positive class (default: of two, the rarer)"},
      {"--header", ARGUMENT_FLAG, &header, false, NULL, "the first line names the columns"},
      {"--no-header", ARGUMENT_FLAG, &no_header, false, NULL,
       "it does not; they are column1, ... (default: a guess)"},
      {"--separator", ARGUMENT_TEXT, &separator, false, "C",
       "between fields; \"tab\" is a word for it"},
      {"--missing", ARGUMENT_TEXT, &missing, false, "T[,T...]",
       "texts that mean \"no value\" (default: the usual ones)"},
      {"--out", ARGUMENT_OUTPUT, &out_path, false, "FILE", "the schema (default: standard output)"},
      ledger_guard_argument(&ledger),
  };
  usage_of("schema draft");
  if (!arguments_parse(
          table, sizeof table / sizeof *table, argc, argv,
          "Guesses types, bounds, categories and classes from records that you declare public: "
          "last year's open file, a published sample, made-up rows. Never from the records to be "
          "protected: a schema made from them would betray them. Remarks on stderr say what to "
          "check. docs/formats.md has the rules.")) {
    return refused();
  }
  if (header && no_header) {
    return wrong_usage("--header and --no-header exclude each other");
  }
  options.header = header ? 1 : no_header ? 0 : -1;
  if (separator && !read_separator(separator, &options.separator)) {
    return refused();
  }
  if (!ledger_guard(ledger, &data_path, 1)) {
    return refused();
  }
  OWNED_MEMORY const char **positives =
      positive ? split_texts(positive, &options.positive_count) : NULL;
  OWNED_MEMORY const char **markers = missing ? split_texts(missing, &options.missing_count) : NULL;
  if ((positive && !positives) || (missing && !markers)) {
    return complain_of_memory();
  }
  options.positive = positives;
  options.missing = markers;
  dperm_error err;
  return draft(data_path, &options, out_path, &err) == DPERM_OK ? 0 : report_error(&err);
}
