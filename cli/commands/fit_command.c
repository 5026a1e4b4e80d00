/* See fit_command.h. */
#include "commands/fit_command.h"

#include "commands/commands.h"
#include "output/mpi_job.h"
#include "output/signals.h"

void fit_command_init(fit_command *c, bool many, argument *table) {
  const argument lines[FIT_COMMAND_OWN] = {
      shared_argument("--data", &c->data),
      shared_argument("--schema", &c->schema),
      {"--out", ARGUMENT_OUTPUT, &c->out, true, "FILE", "file to write the model to"},
      shared_argument("--format", &c->format),
      shared_argument("--dims", &c->dims),
      shared_argument("--threads", &c->fit.options.threads),
      shared_argument("--force", &c->force),
  };
  memcpy(table, lines, sizeof lines);
  fit_settings_init(&c->fit, many ? FIT_CHOICE : FIT_ONE, table + FIT_COMMAND_OWN);
  charged_run_init(&c->ledger, table + FIT_COMMAND_OWN + FIT_ARGUMENTS);
}

/* ---- what is said of the model; public words only: nothing here depends on a record but through
 * the model and what the run reported */

static void print_json(const fit_command *c, json_t *report) {
  json_t *all = json_pack("{s:o}", "model", json_words(c->out));
  (void)json_object_update(all, report);
  (void)json_object_set_new(all, "ledger", charged_run_json(&c->ledger));
  report_print(all);
}

/* A number of a claim with as many digits as it takes, so that 0.999999 does not read as 1; but two
 * are enough for a delta of rounding alone. */
static number_text claimed(double value) {
  number_text out;
  (void)snprintf(out.text, sizeof out.text, "%.2g", value);
  return value < 1e-30 ? out : shortest(value, 6);
}

/* "(epsilon, delta) = (0.1, 7.8e-44) for every record", or "not private: why": the model's own
 * words, so that no command can say another pair. */
static const char *claim_of(const dperm_model *model, char out[1024]) {
  dperm_guarantee g;
  dperm_model_guarantee(model, &g);
  if (g.is_private) {
    (void)snprintf(out, 1024, "(epsilon, delta) = (%s, %s) for every %s%s", claimed(g.epsilon).text,
                   claimed(g.delta).text, unit_of(g.rows_per_person, "record").text,
                   g.neighbours == DPERM_NEIGHBOURS_ADD_REMOVE ? ", added or removed" : "");
  } else {
    (void)snprintf(out, 1024, "not private: %s", g.reason);
  }
  return out;
}

/* What the schema has of epsilon, and what for: nobody who did not ask shall have to guess. */
static void say_refined(const fit_command *c, const json_t *report, const char *name) {
  double spent = report_number(report, "epsilon_refined");
  const char *answer = report_text(report, "answer");
  char part[64] = "a share of epsilon";
  if (json_is_true(json_object_get(report, "private"))) {
    (void)snprintf(part, sizeof part, "epsilon %g of that", spent);
  }
  if (answer && strcmp(answer, "labels") == 0) {
    note("%s: the records were asked privately how far their labels lie apart, for %s: h = %g, in "
         "halves of the label's range (--h says it without asking)",
         name, part, report_number(report, "h"));
  } else if (answer) {
    char lines[48] = "in bins";
    if (strcmp(answer, "bins") != 0) {
      (void)snprintf(lines, sizeof lines, "as lines of weight %g", report_number(report, "weight"));
    }
    note("%s: the records were asked privately how to use their numbers, for %s: %s (--bins none "
         "asks nothing)",
         name, part, lines);
  } else if (spent > 0) {
    note("%s: %s was spent on refining the schema", name, part);
  } else if (c->fit.refine && strcmp(c->fit.refine, "ask") == 0) {
    note("%s: the records were asked nothing, and nothing was spent on it: questions need a "
         "numeric column without bins, no kernel, and rows times epsilon of at least 400",
         name);
  } else if (c->fit.refine && strcmp(c->fit.refine, "none") != 0) {
    note("%s: the schema stays as it is: it has nothing to refine, or there are too few rows at "
         "this epsilon",
         name);
  }
}

/* A delta that was given and is not in the claim. By a Renyi order the shorter noise, which `auto`
 * takes, may be dearer: fifty pure releases at 0.1 cost seven times fifty gaussian ones. */
static void say_unspent(double delta_given, const dperm_model *model, const char *name) {
  dperm_guarantee g;
  dperm_model_guarantee(model, &g);
  if (g.is_private && g.delta < delta_given / 2) {
    note("%s: the delta of %g is not spent: this noise is pure%s", name, delta_given,
         run_charge()->order > 0 ? "; the ledger composes by a Renyi order, where --noise gaussian "
                                   "may cost less: see --dry-run"
                                 : "");
  }
}

/* Whether the model is of any use comes first, and what the part was. */
static void say_evaluation(const fit_command *c, const json_t *report, const char *name) {
  const json_t *e = json_object_get(report, "evaluation");
  char rows[64];
  if (!json_is_object(e)) {
    return;
  }
  const bool persons = report_number(e, "rows_per_person") == 0;
  (void)snprintf(rows, sizeof rows, "%.0f %s", report_number(e, "rows"),
                 persons ? "persons" : "rows");
  note("%s: on %s that it was not shown, %s", name,
       !json_is_null(json_object_get(e, "rows")) ? rows
       : persons                                 ? "persons"
                                                 : "records",
       report_text(e, "finding"));
  if (!c->ledger.path) {
    note("%s: no ledger keeps which records these were, so nothing else can be scored on them",
         name);
  }
}

static void say(const fit_command *c, const json_t *report, const dperm_model *model) {
  const char *name = strcmp(c->out, "-") == 0 ? "model" : c->out;
  const char *method = report_text(report, "method");
  bool is_private = dperm_model_is_private(model);
  char several[64] = "", how[64] = "", from[64] = "", claim[1024];
  if (report_number(report, "classes") > 2) {
    (void)snprintf(several, sizeof several, "for each of %.0f classes ",
                   report_number(report, "classes"));
  }
  if (is_private) {
    const char *mechanism = report_text(report, "mechanism");
    bool descent = strcmp(mechanism, "descent") == 0;
    (void)snprintf(how, sizeof how, descent ? " (noisy %s)" : " (%s perturbation)", mechanism);
  }
  if (method) {
    note("%s: chosen among %.0f candidates by %s; %s%s", name, report_number(report, "candidates"),
         method, claim_of(model, claim), is_private ? ", the choice included" : "");
  } else {
    const char *units = report_number(report, "rows_per_person") == 0 ? "persons" : "rows";
    const json_t *held = json_object_get(report, "evaluation");
    (void)snprintf(from, sizeof from, "%.0f %s",
                   report_number(report, "rows") -
                       (json_is_object(held) ? report_number(held, "rows") : 0),
                   units);
    note("%s: %zu weights %sfrom %s; %s%s", name, dperm_model_dims(model), several,
         c->fit.options.rows_about
             ? *units == 'p' ? "persons whose number is private" : "records whose number is private"
             : from,
         claim_of(model, claim), how);
  }
  say_evaluation(c, report, name);
  say_refined(c, report, name);
  for (size_t i = 0; i < SHARE_ARGUMENTS; i++) {
    const share_words *share = &share_arguments[i];
    double epsilon = report_number(report, share->figure);
    if (epsilon > 0) {
      char number[32];
      const char *text = share->value ? report_text(report, share->value) : NULL;
      (void)snprintf(number, sizeof number, "%.3g",
                     share->value ? report_number(report, share->value) : 0);
      text = !share->value                                         ? ""
             : json_is_null(json_object_get(report, share->value)) ? "none was found"
                                                                   : text;
      note("%s: epsilon %.6g of that %s%s", name, epsilon, share->says, text ? text : number);
    } else if (c->fit.shares[i] && strcmp(c->fit.shares[i], "auto") == 0) {
      note("%s: nothing was spent %s: it would not pay here", name, share->plan);
    }
  }
  say_unspent(c->fit.options.delta, model, name);
  if (is_private) {
    charged_run_say(&c->ledger);
  }
}

/* What another version of the schema's format would mean for it. */
static void say_version(const char *path, const dperm_schema *schema) {
  char *text = NULL;
  if (schema && dperm_schema_describe(schema, &text, NULL) == DPERM_OK) {
    json_auto_t *described = parsed_report(text);
    const char *change = report_text(described, "version_2");
    if (change) {
      note("%s: %s", path, change);
    }
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
  fit_warn(&candidates[0], dperm_data_units(data));
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
                                fit_choice *choice, dperm_error *err) {
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  OWNED(dperm_model_free_at) dperm_model *model = NULL;
  OWNED(charged_run_leave) dperm_output *out = NULL;
  OWNED(dperm_text_free_at) char *text = NULL;
  TRY(charged_run_place(&c->ledger, c->out, &out, err));
  for (size_t i = 0; i < count; i++) {
    candidates[i].account.output = out;
    candidates[i].report = &text;
  }
  if (c->schema) {
    TRY(dperm_schema_read(c->schema, &schema, err));
  }
  dperm_source source = {.format = c->format,
                         .schema = schema,
                         .dims = c->dims,
                         .may_be_empty = c->fit.options.rows_about != 0};
  TRY(train_or_choose(c, candidates, count, choice, &source, &model, err));
  progress_bar_wipe();
  if (!model) { /* shown nowhere, if another process has the model */
    charged_run_show(&c->ledger);
    return DPERM_OK;
  }
  TRY(write_model(model, out, err));
  json_auto_t *report = parsed_report(text);
  text = NULL;
  if (c->ledger.json) {
    print_json(c, report);
    return flush_json(c, err);
  }
  say(c, report, model);
  say_version(c->schema, schema);
  return DPERM_OK;
}

dperm_status fit_command_run(fit_command *c, dperm_options *candidates, size_t count,
                             fit_choice *choice, dperm_error *err) {
  dperm_account account;
  TRY(charged_run_begin(&c->ledger, candidates[0].mechanism != DPERM_MECHANISM_NONE,
                        !candidates[0].unsafe_diagnostics, &account, err));
  for (size_t i = 0; i < count; i++) {
    candidates[i].account = account; /* one run, one account */
    candidates[i].random = c->ledger.random;
    candidates[i].progress = *progress_bar();
  }
  return charged_run_end(&c->ledger, fit_to_file(c, candidates, count, choice, err));
}
