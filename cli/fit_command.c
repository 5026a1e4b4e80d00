/* See fit_command.h. */
#include "fit_command.h"

#include <dperm/random.h>
#include <string.h>

#include "choices.h"
#include "handles.h"
#include "progress_bar.h"
#include "session.h"

void fit_command_init(fit_command *c, argument *table, size_t own) {
  const argument lines[FIT_COMMAND_FIRST] = {
      {"--data", ARGUMENT_INPUT, &c->data, true, "FILE", "the records"},
      {"--schema", ARGUMENT_INPUT, &c->schema, false, "FILE", "what is public about them (JSON)"},
      {"--out", ARGUMENT_OUTPUT, &c->out, true, "FILE", "where the model goes"},
      {"--format", ARGUMENT_TEXT, &c->format, false, choices(format_name, DPERM_FORMAT_CSV),
       "when the file's name does not tell"},
      {"--dims", ARGUMENT_COUNT, &c->dims, false, "D", "columns of svmlight data"},
      {"--threads", ARGUMENT_COUNT, &c->threads, false, "N",
       "default: $DPERM_THREADS, or all cores; the model does not depend on it"},
      {"--seed", ARGUMENT_SEED, &c->seed, false, "N",
       "reproducible noise for tests: the model is not private"},
      {"--json", ARGUMENT_FLAG, &c->json, false, NULL, "what was done, for programs"},
  };
  memcpy(table, lines, sizeof lines);
  fit_settings_init(&c->fit, table + FIT_COMMAND_FIRST + own);
  ledger_settings_init(&c->ledger, table + FIT_COMMAND_FIRST + own + FIT_ARGUMENTS);
}

bool fit_command_check(const fit_command *c) {
  if (c->threads > 4096) {
    return refuse(wrong_usage("--threads must be at most 4096"));
  }
  if (c->json && !c->ledger.dry_run && strcmp(c->out, "-") == 0) {
    return refuse(wrong_usage("--json and --out - both go to standard output"));
  }
  return true;
}

static dperm_status fit_to_file(const fit_command *c, const dperm_options *candidates, size_t count,
                                fit_choice *choice, dperm_format format, bool is_private,
                                dperm_error *err) {
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  OWNED(dperm_data_free_at) dperm_data *data = NULL, *public_data = NULL;
  OWNED(dperm_model_free_at) dperm_model *model = NULL;
  OWNED(ledger_settings_leave) dperm_output *out = NULL;
  TRY(ledger_settings_place(&c->ledger, c->out, c->json, &out, err));
  if (c->schema) {
    TRY(dperm_schema_read(c->schema, &schema, err));
  }
  dperm_source source = {.path = c->data,
                         .format = format,
                         .schema = schema,
                         .dims = c->dims,
                         .no_identity = !c->ledger.path};
  TRY(dperm_data_read_spread(&source, session_ranks(), progress_bar(), &data, err));
  if (choice && choice->public_data) {
    source.path = choice->public_data;
    TRY(dperm_data_read_spread(&source, session_ranks(), progress_bar(), &public_data, err));
    choice->how.public_data = public_data;
  }
  TRY(ledger_settings_reserve(&c->ledger, out, data, candidates, count, err));
  TRY(choice ? dperm_tune(data, candidates, count, &choice->how, &model, err)
             : dperm_train(data, candidates, &model, err));
  progress_bar_wipe();
  if (!model) { /* shown nowhere, if another process has the model */
    ledger_settings_show(&c->ledger, is_private, c->json);
    return DPERM_OK;
  }
  TRY(dperm_model_write_output(model, out, err));
  const fit_report report = {c->out, c->fit.mechanism, choice ? choice->method : NULL, count,
                             c->json};
  return fit_report_print(&report, model, data, &c->ledger, err);
}

int fit_command_run(fit_command *c, dperm_options *candidates, size_t count, fit_choice *choice,
                    bool is_private) {
  dperm_error err;
  OWNED(dperm_random_free_at) dperm_random *random = NULL;
  dperm_account account;
  dperm_format format = DPERM_FORMAT_AUTO;
  bool chargeable = is_private && !candidates[0].unsafe_diagnostics;
  if (!parse_format(c->format, &format) ||
      !ledger_settings_open(&c->ledger, chargeable, &account)) {
    return refused();
  }
  dperm_status status =
      argument_given(&c->seed) ? dperm_random_seeded(c->seed, &random, &err) : DPERM_OK;
  for (size_t i = 0; i < count; i++) {
    candidates[i].account = account; /* one run, one account */
    candidates[i].random = random;
    candidates[i].progress = *progress_bar();
    candidates[i].threads = (int)c->threads;
  }
  if (status == DPERM_OK) {
    status = fit_to_file(c, candidates, count, choice, format, is_private, &err);
  }
  ledger_settings_close(&c->ledger);
  return status == DPERM_OK ? 0 : report_error(&err);
}
