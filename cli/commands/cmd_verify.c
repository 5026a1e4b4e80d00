/* dperm verify: a model's privacy claim, derived again from the file alone, and whether its charge
 * in a ledger covers it. The lines are the library's. */
#include "arguments/arguments.h"
#include "commands/commands.h"
#include "output/handles.h"
#include "output/message.h"
#include "output/verification_lines.h"

int run_verify(int argc, char **argv) {
  static const char *const verdicts[] = {"does not follow", "follows"};
  const char *model_path = NULL, *ledger_path = NULL;
  bool json = false;
  argument table[] = {
      {"--model", ARGUMENT_INPUT, &model_path, true, "FILE", "a model that dperm wrote"},
      {"--ledger", ARGUMENT_INPUT, &ledger_path, false, "FILE",
       "the ledger that it was charged to: its entry must have paid for what the file shows"},
      {"--json", ARGUMENT_FLAG, &json, false, NULL, "for programs"},
  };
  if (!arguments_parse(
          table, sizeof table / sizeof *table, argc, argv,
          "Derives the claim again from the file's public fields, with arithmetic that shares "
          "nothing with training (256 bits, rounded outwards, or exact). A line for each step: "
          "\"ok\" holds, \"FAILS\" does not, \"note\" is what no file can show. Exit status 0 if "
          "every step holds, 1 if not. docs/guide.md explains.")) {
    return refused();
  }
  dperm_error err;
  OWNED(findings_clear) findings all = {0};
  OWNED(dperm_ledger_free_at) dperm_ledger *ledger = NULL;
  bool holds = false;
  dperm_status status = ledger_path ? dperm_ledger_open(ledger_path, &ledger, &err) : DPERM_OK;
  if (status == DPERM_OK) {
    status = dperm_model_verify(model_path, NULL, 0, ledger, findings_collect, &all, &holds, &err);
  }
  if (status != DPERM_OK) {
    return report_error(&err);
  }
  return findings_show(&all, model_path, "the privacy claim", verdicts, holds, json);
}
