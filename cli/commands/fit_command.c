/* See fit_command.h. */
#include "commands/fit_command.h"

#include <dperm/random.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments/choices.h"
#include "arguments/share_settings.h"
#include "output/handles.h"
#include "output/json_report.h"
#include "output/message.h"
#include "output/mpi_job.h"
#include "output/progress_bar.h"

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

/* ---- what is said of the model; public words only: nothing here depends on a record but through
 * the model and what the run reported */

static void print_json(const fit_command *c, json_t *report) {
  json_t *all = json_pack("{s:o}", "model", json_words(c->out));
  (void)json_object_update(all, report);
  (void)json_object_set_new(all, "ledger", ledger_settings_json(&c->ledger));
  report_print(all);
}

/* A number of a claim with as many digits as it takes, so that 0.999999 does not read as 1; but two
 * are enough for a delta of rounding alone. */
static const char *claimed(double value, char out[32]) {
  int digits = value < 1e-30 ? 2 : 6;
  do {
    (void)snprintf(out, 32, "%.*g", digits, value);
  } while (value >= 1e-30 && strtod(out, NULL) != value && digits++ < 17);
  return out;
}

/* "(epsilon, delta) = (0.1, 7.8e-44) for every record", or "not private: why": the model's own
 * words, so that no command can say another pair. */
static const char *claim_of(const dperm_model *model, char out[1024]) {
  dperm_guarantee g;
  dperm_model_guarantee(model, &g);
  if (g.is_private) {
    char epsilon[32], delta[32];
    (void)snprintf(out, 1024, "(epsilon, delta) = (%s, %s) for every %s%s",
                   claimed(g.epsilon, epsilon), claimed(g.delta, delta),
                   unit_of(g.rows_per_person, "record").text,
                   g.neighbours == DPERM_NEIGHBOURS_ADD_REMOVE ? ", added or removed" : "");
  } else {
    (void)snprintf(out, 1024, "not private: %s", g.reason);
  }
  return out;
}

/* What the schema has of epsilon, and what for: nobody shall have to guess who did not ask for it.
 */
static void say_refined(const fit_command *c, const dperm_options *o, const json_t *report,
                        const char *name) {
  double spent = report_number(report, "epsilon_refined");
  const char *answer = report_text(report, "answer");
  char part[64] = "a share of epsilon";
  if (json_is_true(json_object_get(report, "private"))) {
    (void)snprintf(part, sizeof part, "epsilon %g of that", spent);
  }
  if (answer) {
    note("%s: the records were tested privately for binning, for %s: %s (--bins none leaves the "
         "test out)",
         name, part, strcmp(answer, "bins") == 0 ? "numbers are binned" : "numbers stay lines");
  } else if (spent > 0) {
    note("%s: %s is for the schema, which was refined from records", name, part);
  } else if (o->refine != 0) {
    note("%s: the schema stays as it is: it has nothing to refine, or so few rows cannot pay for "
         "it at this epsilon",
         name);
  } else if (argument_given(&c->fit.bins.refine) && strcmp(c->fit.bins.refine, "ask") == 0) {
    note("%s: the records were not tested for binning, and nothing is spent on it: that takes two "
         "classes, a numeric column without bins, and rows times epsilon of 2600",
         name);
  }
}

/* A delta that was given and is not in the claim. By a Renyi order the shorter noise, which
 * `auto` takes, may be the dearer one: fifty pure releases at 0.1 cost seven times fifty gaussian
 * ones. */
static void say_unspent(const fit_command *c, double delta_given, const dperm_model *model,
                        const char *name) {
  dperm_guarantee g;
  dperm_model_guarantee(model, &g);
  if (g.is_private && g.delta < delta_given / 2) {
    note("%s: the delta of %g is not spent: this noise is pure, and needs none%s", name,
         delta_given,
         ledger_settings_by_order(&c->ledger)
             ? "; its ledger adds up by a Renyi order, where --noise gaussian may cost less, as "
               "--dry-run says"
             : "");
  }
}

static void say(const fit_command *c, const dperm_options *o, const json_t *report,
                const dperm_model *model) {
  const char *name = strcmp(c->out, "-") == 0 ? "model" : c->out;
  const char *method = report_text(report, "method");
  bool is_private = dperm_model_is_private(model);
  char several[64] = "", how[64] = "", from[64] = "", claim[1024];
  if (report_number(report, "classes") > 2) {
    (void)snprintf(several, sizeof several, "for each of %.0f classes ",
                   report_number(report, "classes"));
  }
  if (is_private) {
    (void)snprintf(how, sizeof how, " (%.40s perturbation)", c->fit.mechanism);
  }
  if (method) {
    note("%s: chosen among %.0f candidates by %s; %s%s", name, report_number(report, "candidates"),
         method, claim_of(model, claim), is_private ? ", the choice included" : "");
  } else {
    (void)snprintf(from, sizeof from, "%.0f rows", report_number(report, "rows"));
    note("%s: %zu weights %sfrom %s; %s%s", name, dperm_model_dims(model), several,
         c->fit.rows_about ? "records whose number is private" : from, claim_of(model, claim), how);
  }
  say_refined(c, o, report, name);
  share_settings_say(report, name);
  say_unspent(c, o->delta, model, name);
  if (is_private) {
    ledger_settings_say(&c->ledger);
  }
}

/* A failure says that the model is there all the same. */
static dperm_status flush_json(const fit_command *c, dperm_error *err) {
  dperm_status status = flush_stdout(err);
  if (status != DPERM_OK) {
    size_t used = strlen(err->message);
    (void)snprintf(err->message + used, sizeof err->message - used, "; %.512s is written", c->out);
  }
  return status;
}

/* ---- the fit */

static dperm_status read_records(const fit_command *c, dperm_source *source, const char *path,
                                 dperm_data **out, dperm_error *err) {
  source->path = path;
  source->no_identity = !c->ledger.path;
  return dperm_data_read_spread(source, job_ranks(), progress_bar(), out, err);
}

static dperm_status train_or_choose(const fit_command *c, const dperm_options *candidates,
                                    size_t count, fit_choice *choice, dperm_source *source,
                                    dperm_model **model, dperm_error *err) {
  OWNED(dperm_data_free_at) dperm_data *data = NULL, *public_data = NULL;
  TRY(read_records(c, source, c->data, &data, err));
  delta_warn(&candidates[0], dperm_data_rows(data));
  share_settings_warn(&candidates[0], dperm_data_rows(data));
  if (choice && choice->public_data) {
    TRY(read_records(c, source, choice->public_data, &public_data, err));
    choice->how.public_data = public_data;
  }
  return choice ? dperm_tune(data, candidates, count, &choice->how, model, err)
                : dperm_train(data, candidates, model, err);
}

static dperm_status write_model(const dperm_model *model, dperm_output *out, dperm_error *err) {
  OWNED(dperm_text_free_at) char *text = NULL;
  size_t length = 0;
  TRY(dperm_model_to_text(model, &text, &length, err));
  return dperm_output_write(out, text, length, err);
}

static dperm_status fit_to_file(const fit_command *c, dperm_options *candidates, size_t count,
                                fit_choice *choice, dperm_format format, bool is_private,
                                dperm_error *err) {
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  OWNED(dperm_model_free_at) dperm_model *model = NULL;
  OWNED(ledger_settings_leave) dperm_output *out = NULL;
  OWNED(dperm_text_free_at) char *text = NULL;
  TRY(ledger_settings_place(&c->ledger, c->out, c->json, &out, err));
  for (size_t i = 0; i < count; i++) {
    candidates[i].account.output = out;
    candidates[i].report = &text;
  }
  if (c->schema) {
    TRY(dperm_schema_read(c->schema, &schema, err));
  }
  dperm_source source = {.format = format,
                         .schema = schema,
                         .dims = c->dims,
                         .may_be_empty = c->fit.rows_about != NULL};
  TRY(train_or_choose(c, candidates, count, choice, &source, &model, err));
  progress_bar_wipe();
  if (!model) { /* shown nowhere, if another process has the model */
    ledger_settings_show(&c->ledger, is_private, c->json);
    return DPERM_OK;
  }
  TRY(write_model(model, out, err));
  json_auto_t *report = report_of(text);
  text = NULL;
  if (c->json) {
    print_json(c, report);
    return flush_json(c, err);
  }
  say(c, &candidates[0], report, model);
  return DPERM_OK;
}

int fit_command_run(fit_command *c, dperm_options *candidates, size_t count, fit_choice *choice,
                    bool is_private) {
  dperm_error err;
  OWNED(dperm_random_free_at) dperm_random *random = NULL;
  dperm_account account;
  dperm_format format = DPERM_FORMAT_AUTO;
  bool chargeable = is_private && !candidates[0].unsafe_diagnostics;
  c->ledger.adding = candidates[0].neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
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
