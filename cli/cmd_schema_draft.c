/* dperm schema draft: a first schema from records that are public, with remarks on what to check.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "dperm/draft.h"
#include "ledger_guard.h"
#include "session.h"

/* A list "a,b" as texts; `work` keeps them. An empty list is one empty text: "" means missing. */
typedef struct text_list {
  char *copy;
  const char **texts;
  size_t count;
} text_list;

static bool split(const char *list, text_list *out) {
  size_t commas = 0;
  for (const char *c = list; *c; c++) {
    commas += *c == ',';
  }
  out->copy = strdup(list);
  out->texts = calloc(commas + 1, sizeof *out->texts);
  if (!out->copy || !out->texts) {
    return false;
  }
  for (char *at = out->copy; at; out->count++) {
    char *comma = strchr(at, ',');
    if (comma) {
      *comma = '\0';
    }
    out->texts[out->count] = at;
    at = comma ? comma + 1 : NULL;
  }
  return true;
}

static void text_list_clear(text_list *list) {
  free(list->copy);
  free(list->texts);
}

static void print_remark(void *context, const char *line) {
  (void)context;
  note("remark: %s", line);
}

/* One byte, or the word "tab", which is hard to type. */
static bool read_separator(const char *text, char *out) {
  bool tab = strcmp(text, "tab") == 0 || strcmp(text, "\\t") == 0;
  if (!tab && strlen(text) != 1) {
    return refuse(wrong_usage("--separator must be one byte or tab, not \"%.40s\"", text));
  }
  *out = *text;
  if (tab) {
    *out = '\t';
  }
  return true;
}

static int draft(const char *data_path, const dperm_draft_options *options, const char *out_path) {
  dperm_error err;
  dperm_schema *schema = NULL;
  dperm_status status =
      dperm_schema_draft(data_path, options, session_progress(), print_remark, NULL, &schema, &err);
  session_quiet();
  if (status == DPERM_OK) {
    status = dperm_schema_write(schema, out_path, &err);
  }
  dperm_schema_free(schema);
  return status == DPERM_OK ? 0 : report_error(&err);
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
  int exit_status = 0;
  usage_of("schema draft");
  if (!arguments_parse(
          table, sizeof table / sizeof *table, argc, argv,
          "Guesses types, bounds, categories and classes from records that you declare public: "
          "last year's open file, a published sample, made-up rows. Never from the records to be "
          "protected: a schema made from them would betray them. Remarks on stderr say what to "
          "check. docs/guide.md has the rules.")) {
    return refused();
  }
  if (header && no_header) {
    return wrong_usage("--header and --no-header exclude each other");
  }
  options.header = header ? 1 : no_header ? 0 : -1;
  if (separator && !read_separator(separator, &options.separator)) {
    return refused();
  }
  const char *const inputs[] = {data_path};
  if (!ledger_guard(ledger, inputs, 1)) {
    return refused();
  }
  text_list positives = {0}, markers = {0};
  if ((positive && !split(positive, &positives)) || (missing && !split(missing, &markers))) {
    exit_status = complain_of_memory();
  } else {
    options.positive = positive ? positives.texts : NULL;
    options.positive_count = positives.count;
    options.missing = missing ? markers.texts : NULL;
    options.missing_count = markers.count;
    exit_status = draft(data_path, &options, out_path);
  }
  text_list_clear(&positives);
  text_list_clear(&markers);
  return exit_status;
}
