/* dperm statement: a page for those who must review or defend a release. */
#include <dperm/verify.h>

#include "commands/commands.h"

dperm_status run_statement(int argc, char **argv, dperm_error *err) {
  const char *model = NULL, *ledger_path = NULL, *out_path = NULL;
  bool html = false;
  argument table[] = {
      shared_argument("--model", &model),
      {"--ledger", ARGUMENT_INPUT, &ledger_path, false, "FILE",
       "ledger, to add what was spent and what is left of the budget"},
      {"--html", ARGUMENT_FLAG, &html, false, NULL, "HTML instead of Markdown"},
      {"--out", ARGUMENT_OUTPUT, &out_path, false, "FILE",
       "file to write the page to (default: standard output)"},
  };
  TRY(arguments_parse(table, sizeof table / sizeof *table, argc, argv,
                      "The page says what the model guarantees and to whom, in words and in "
                      "mathematics, what was spent, what is assumed and how to check it. It is "
                      "written for lawyers and data-protection officers.",
                      err));
  OWNED(dperm_ledger_free_at) dperm_ledger *ledger = NULL;
  TRY(ledger_path ? dperm_ledger_open(ledger_path, &ledger, err) : DPERM_OK);
  OWNED(dperm_text_free_at) char *page = NULL;
  TRY(dperm_statement(model, NULL, 0, ledger, html, &page, err));
  return write_text(out_path, page, strlen(page), err);
}
