/* dperm verify: a model's privacy claim, derived again from the file alone, and whether its charge
 * in a ledger covers it. The lines are the library's. */
#include "commands/commands.h"
#include "output/verification_lines.h"

dperm_status run_verify(int argc, char **argv, dperm_error *err) {
  static const char *const verdicts[] = {"does not follow", "follows"};
  const char *model_path = NULL, *ledger_path = NULL;
  bool json = false;
  argument table[] = {
      shared_argument("--model", &model_path),
      {"--ledger", ARGUMENT_INPUT, &ledger_path, false, "FILE",
       "ledger the model was charged to; its entry must cover what the file shows"},
      shared_argument("--json", &json),
  };
  TRY(arguments_parse(
      table, sizeof table / sizeof *table, argc, argv,
      "Derives the claim again from the file's public fields, with arithmetic that shares "
      "nothing with training (256 bits, rounded outwards, or exact). Prints a line for each "
      "step: \"ok\" if it holds, \"FAILS\" if not, \"note\" for what no file can show. The exit "
      "status is 0 if every step holds, else 1. docs/guide.md explains.",
      err));
  json_auto_t *lines = json_array();
  OWNED(dperm_ledger_free_at) dperm_ledger *ledger = NULL;
  bool holds = false;
  TRY(ledger_path ? dperm_ledger_open(ledger_path, &ledger, err) : DPERM_OK);
  TRY(dperm_model_verify(model_path, NULL, 0, ledger, findings_collect, lines, &holds, err));
  return findings_show(lines, model_path, "the privacy claim", verdicts, holds, json, err);
}
