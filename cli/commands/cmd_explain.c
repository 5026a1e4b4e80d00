/* dperm explain: what a released model says, and what of it cannot be told from its noise. */
#include <dperm/explain.h>

#include "commands/commands.h"
#include "output/explained.h"

/* The library's text as a file has it; on a terminal no name does more than be read. */
static dperm_status give_json(const char *path, json_t *report, const char *text,
                              dperm_error *err) {
  if (path) {
    return write_text(path, text, strlen(text), err);
  }
  report_print(json_incref(report));
  return DPERM_OK;
}

dperm_status run_explain(int argc, char **argv, dperm_error *err) {
  const char *model_path = NULL, *out = NULL;
  bool html = false, json = false;
  argument table[] = {
      shared_argument("--model", &model_path),
      {"--html", ARGUMENT_FLAG, &html, false, NULL, "a page with pictures instead of text"},
      {"--out", ARGUMENT_OUTPUT, &out, false, "FILE",
       "file to write it to (default: standard output)"},
      shared_argument("--json", &json),
  };
  TRY(arguments_parse(table, sizeof table / sizeof *table, argc, argv,
                      "Shows what each column adds to a record's score, on the scale of the "
                      "records, and in grey what cannot be told from the privacy noise. It is made "
                      "from the model alone, so it costs no privacy.",
                      err));
  const usage_rule rules[] = {{html && json, "give --html or --json, not both"}};
  TRY(usage_rules_hold(rules, sizeof rules / sizeof *rules, err));
  OWNED(dperm_model_free_at) dperm_model *model = NULL;
  OWNED(dperm_text_free_at) char *text = NULL;
  OWNED_MEMORY char *page = NULL;
  TRY(dperm_model_read(model_path, &model, err));
  TRY(dperm_model_explain(model, &text, err));
  json_auto_t *report = json_loads(text, 0, NULL);
  RETURN_IF(!report, out_of_memory(err));
  if (json) {
    return give_json(out, report, text, err);
  }
  TRY((html ? explain_page : explain_text)(report, model_path, &page, err));
  return write_text(out, page, strlen(page), err);
}
