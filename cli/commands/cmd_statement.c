/* dperm statement: a page for the person who must defend a release. */
#include <dperm/verify.h>

#include "commands/commands.h"

static dperm_status write_statement(const char *model, dperm_ledger *ledger, bool html,
                                    const char *path, dperm_error *err) {
  OWNED(dperm_output_free_at) dperm_output *out = NULL;
  OWNED(dperm_text_free_at) char *page = NULL;
  TRY(dperm_output_open(path ? path : "-", &out, err));
  TRY(dperm_statement(model, NULL, 0, ledger, html, &page, err));
  return dperm_output_write(out, page, strlen(page), err);
}

int run_statement(int argc, char **argv) {
  const char *model = NULL, *ledger_path = NULL, *out = NULL;
  bool html = false;
  argument table[] = {
      shared_argument("--model", &model),
      {"--ledger", ARGUMENT_INPUT, &ledger_path, false, "FILE",
       "ledger, to state what was spent and what is left of the budget"},
      {"--html", ARGUMENT_FLAG, &html, false, NULL, "HTML instead of Markdown"},
      {"--out", ARGUMENT_OUTPUT, &out, false, "FILE",
       "file to write the page to (default: standard output)"},
  };
  if (!arguments_parse(table, sizeof table / sizeof *table, argc, argv,
                       "What the model guarantees to whom, in words and in mathematics, what was "
                       "spent, what is assumed and how to check it: for lawyers and "
                       "data-protection officers.")) {
    return refused();
  }
  dperm_error err;
  OWNED(dperm_ledger_free_at) dperm_ledger *ledger = NULL;
  if ((ledger_path && dperm_ledger_open(ledger_path, &ledger, &err) != DPERM_OK) ||
      write_statement(model, ledger, html, out, &err) != DPERM_OK) {
    return report_error(&err);
  }
  return 0;
}
