/* dperm statement: a page for those who must review or defend a release. */
#include <dperm/verify.h>

#include "commands/commands.h"

dperm_status run_statement(int argc, char **argv, dperm_error *err) {
  const char *model = NULL, *ledger_path = NULL, *about = NULL, *out_path = NULL;
  bool html = false;
  argument table[] = {
      shared_argument("--model", &model),
      {"--ledger", ARGUMENT_INPUT, &ledger_path, false, "FILE",
       "ledger, to add what was spent and what is left of the budget"},
      {"--about", ARGUMENT_INPUT, &about, false, "FILE",
       "what the model is for and who answers for it, for the page to repeat: JSON or plain text"},
      {"--html", ARGUMENT_FLAG, &html, false, NULL, "HTML instead of Markdown"},
      {"--out", ARGUMENT_OUTPUT, &out_path, false, "FILE",
       "file to write the page to (default: standard output)"},
  };
  TRY(arguments_parse(table, sizeof table / sizeof *table, argc, argv,
                      "The page is a model card: what goes in, how well it predicts where the file "
                      "says so, what is guaranteed to whom, in words and in mathematics, what that "
                      "means for singling out, linking and inferring, what was spent, what is "
                      "assumed and how to check it. It is written for lawyers and data-protection "
                      "officers. JSON of --about has texts as intended_use, not_for, records, "
                      "responsible, contact, date.",
                      err));
  OWNED(dperm_ledger_free_at) dperm_ledger *ledger = NULL;
  TRY(ledger_path ? dperm_ledger_open(ledger_path, &ledger, err) : DPERM_OK);
  OWNED(dperm_text_free_at) char *page = NULL;
  TRY(dperm_statement_about(model, NULL, 0, about, NULL, 0, ledger, html, &page, err));
  return write_text(out_path, page, strlen(page), err);
}
