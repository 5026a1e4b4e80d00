/* dperm verify: a model's privacy claim, derived again from the file alone. The lines are the
 * library's. */
#include <stdio.h>

#include "arguments.h"
#include "finding_lines.h"
#include "session.h"

int run_verify(int argc, char **argv) {
  static const char *const verdicts[] = {"does not follow", "follows"};
  const char *model_path = NULL;
  bool json = false;
  argument table[] = {
      {"--model", ARGUMENT_INPUT, &model_path, true, "FILE", "a model that dperm wrote"},
      {"--json", ARGUMENT_FLAG, &json, false, NULL, "for programs"},
  };
  int exit_status = 0;
  if (!arguments_parse(
          table, sizeof table / sizeof *table, argc, argv,
          "Derives the claim again from the file's public fields, with arithmetic that shares "
          "nothing with training (256 bits, rounded outwards, or exact). A line for each step: "
          "\"ok\" holds, \"FAILS\" does not, \"note\" is what no file can show. Exit status 0 if "
          "every step holds, 1 if not. docs/guide.md explains.")) {
    return refused();
  }
  dperm_error err;
  findings all = {0};
  int holds = 0;
  dperm_status status = dperm_model_verify(model_path, findings_collect, &all, &holds, &err);
  if (status == DPERM_OK && all.out_of_memory) {
    exit_status = complain_of_memory();
  } else if (status != DPERM_OK) {
    exit_status = report_error(&err);
  } else {
    if (json) {
      findings_print_json(&all, holds, verdicts);
    } else {
      findings_print(&all);
    }
    exit_status =
        holds ? 0 : findings_report(&all, model_path, "the privacy claim does not follow");
  }
  findings_clear(&all);
  return exit_status;
}
