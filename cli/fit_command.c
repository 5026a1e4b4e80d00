/* See fit_command.h. */
#include "fit_command.h"

#include <dperm/bins.h>
#include <dperm/random.h>
#include <dperm/refine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bins_setting.h"
#include "calibrate_setting.h"
#include "choices.h"
#include "handles.h"
#include "json_print.h"
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

/* ---- what is said of the model; public words only: nothing here depends on a record but through
 * the model */

/* What was done. */
typedef struct fit_story {
  const dperm_schema *given; /* as the schema's file has it; NULL for none */
  size_t rows;
  bool asked;                     /* the records chose between lines and bins */
  double delta_given, calibrated; /* the latter: of epsilon, for the temperature */
} fit_story;

/* What its schema's refinement has of the model's epsilon. */
static double refined_epsilon(const dperm_model *model) {
  const dperm_schema *schema = dperm_model_schema(model);
  return schema ? dperm_schema_refined_epsilon(schema) : 0;
}

/* Whether a column has bins that the schema as it was given has not. */
static bool got_bins(const dperm_schema *given, const dperm_schema *used) {
  bool any = false;
  for (size_t i = 0; i < dperm_schema_columns(given); i++) {
    any = any || (dperm_schema_column_bins(given, i) == 0 &&
                  !dperm_schema_column_bins_auto(given, i) && dperm_schema_column_bins(used, i));
  }
  return any;
}

/* What the records chose; NULL if they were not asked. */
static const char *answer_of(const fit_story *story, const dperm_model *model) {
  return !story->asked                                       ? NULL
         : got_bins(story->given, dperm_model_schema(model)) ? "bins"
                                                             : "lines";
}

static void print_json(const fit_command *c, const fit_choice *choice, size_t candidates,
                       const dperm_model *model, const fit_story *story) {
  dperm_guarantee g;
  bool counted = !c->fit.rows_about; /* else their number is private */
  dperm_model_guarantee(model, &g);
  printf("{\n");
  print_json_text("model", c->out, ",");
  if (counted) {
    print_json_count("rows", story->rows, ",");
  } else {
    uint64_t about = 0;
    (void)read_whole(c->fit.rows_about, &about); /* as fit_settings did */
    printf("  \"rows\": null,\n");
    print_json_count("rows_about", (size_t)about, ",");
  }
  print_json_count("weights", dperm_model_dims(model), ",");
  print_json_count("classes", dperm_model_classes(model), ",");
  print_json_flag("private", g.is_private, ",");
  print_json_text("reason", g.is_private ? NULL : g.reason, ",");
  print_json_text("mechanism", c->fit.mechanism, ",");
  if (strcmp(c->fit.mechanism, "none") != 0) {
    print_json_number("epsilon", g.epsilon, ",");
    print_json_number("epsilon_refined", refined_epsilon(model), ",");
    print_json_text("answer", answer_of(story, model), ",");
    print_json_number("epsilon_calibrated", story->calibrated, ",");
    print_json_number("delta", g.delta, ",");
    print_json_count("rows_per_person", g.rows_per_person, ",");
    print_json_text("neighbours", dperm_neighbours_name(g.neighbours), ",");
  } else {
    printf("  \"epsilon\": null,\n  \"epsilon_refined\": null,\n  \"answer\": null,\n  "
           "\"epsilon_calibrated\": null,\n  \"delta\": null,\n  \"rows_per_person\": null,\n  "
           "\"neighbours\": null,\n");
  }
  if (choice) {
    print_json_text("method", choice->method, ",");
    print_json_count("candidates", candidates, ",");
  }
  ledger_settings_json(&c->ledger, "");
  printf("}\n");
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
static void say_refined(const refine_choice *how, const fit_story *story, const dperm_model *model,
                        const char *name) {
  double spent = refined_epsilon(model);
  const char *answer = answer_of(story, model);
  char part[64] = "a share of epsilon";
  if (dperm_model_is_private(model)) {
    (void)snprintf(part, sizeof part, "epsilon %g of that", spent);
  }
  if (answer) {
    note("%s: %s went to ask the records whether numeric columns shall have bins: %s; --bins none "
         "asks nothing",
         name, part, strcmp(answer, "bins") == 0 ? "they have them now" : "they stay lines");
  } else if (spent > 0) {
    note("%s: %s is for the schema, which was refined from records", name, part);
  } else if (how->refined && !how->unasked && how->share == 0) {
    note("%s: the records were not asked, and nothing is spent on it: that takes two classes, a "
         "numeric column without bins, and a rows times epsilon of 2600",
         name);
  } else if (how->refined && !how->unasked) {
    note("%s: the schema stays as it is: it has nothing to refine, or so few rows cannot pay for "
         "it at "
         "this epsilon",
         name);
  }
}

static void say_calibrated(const fit_story *story, const dperm_model *model, const char *name) {
  if (story->calibrated > 0) {
    note("%s: epsilon %g of that chose how sure its probabilities are: those of scores times %.3g",
         name, story->calibrated, dperm_model_inverse_temperature(model));
  }
}

/* A delta that was given and is not in the claim. By a Renyi order the shorter noise, which
 * `auto` takes, may be the dearer one: fifty pure releases at 0.1 cost seven times fifty gaussian
 * ones. */
static void say_unspent(const fit_command *c, const fit_story *story, const dperm_model *model,
                        const char *name) {
  dperm_guarantee g;
  dperm_model_guarantee(model, &g);
  if (g.is_private && g.delta < story->delta_given / 2) {
    note("%s: the delta of %g is not spent: this noise is pure, and needs none%s", name,
         story->delta_given,
         ledger_settings_by_order(&c->ledger)
             ? "; its ledger adds up by a Renyi order, where --noise gaussian may cost less, as "
               "--dry-run says"
             : "");
  }
}

static void say(const fit_command *c, const fit_choice *choice, size_t candidates,
                const dperm_model *model, const fit_story *story) {
  const char *name = strcmp(c->out, "-") == 0 ? "model" : c->out;
  bool is_private = dperm_model_is_private(model);
  char several[64] = "", how[64] = "", from[64] = "", claim[1024];
  if (dperm_model_classes(model) > 2) {
    (void)snprintf(several, sizeof several, "for each of %zu classes ", dperm_model_classes(model));
  }
  if (is_private) {
    (void)snprintf(how, sizeof how, " (%.40s perturbation)", c->fit.mechanism);
  }
  if (choice) {
    note("%s: chosen among %zu candidates by %s; %s%s", name, candidates, choice->method,
         claim_of(model, claim), is_private ? ", the choice included" : "");
  } else {
    (void)snprintf(from, sizeof from, "%zu rows", story->rows);
    note("%s: %zu weights %sfrom %s; %s%s", name, dperm_model_dims(model), several,
         c->fit.rows_about ? "records whose number is private" : from, claim_of(model, claim), how);
  }
  say_refined(&c->refine, story, model, name);
  say_calibrated(story, model, name);
  say_unspent(c, story, model, name);
  if (is_private) {
    ledger_settings_say(&c->ledger);
  }
}

/* A failure says that the model is there all the same. */
static dperm_status flush_json(const fit_command *c, dperm_error *err) {
  dperm_status status = session_flush_stdout(err);
  if (status != DPERM_OK) {
    size_t used = strlen(err->message);
    (void)snprintf(err->message + used, sizeof err->message - used, "; %.512s is written", c->out);
  }
  return status;
}

/* ---- the fit */

/* The bins that follow from the number of rows, and from what each fit has of epsilon. */
static dperm_status settle_bins(const binned_schema *binned, const dperm_options *candidates,
                                size_t count, const fit_choice *choice, dperm_data *data,
                                dperm_data *public_data, dperm_error *err) {
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  size_t rows = 0, classes = dperm_data_classes(data);
  double epsilon = 0;
  if (!binned->waits) {
    return DPERM_OK;
  }
  TRY(choice ? dperm_tune_share(dperm_data_rows(data), classes, candidates, count, &choice->how,
                                &rows, &epsilon, err)
             : dperm_train_share(dperm_data_rows(data), classes, candidates, &rows, &epsilon, err));
  TRY(binned_schema_resolve(binned, rows, epsilon, &schema, err));
  TRY(binned_schema_settle(binned, schema, data, err));
  return binned_schema_settle(binned, schema, public_data, err);
}

/* The records of a run that refines its schema: a file that is read twice, or three times. */
typedef struct record_file {
  const fit_command *command;
  const dperm_options *options;
  dperm_source source;
  dperm_output *out; /* the model's; its space is taken before the charge, for the finer rows: */
  size_t finest;     /* which are read this time, from 1 on, */
  const dperm_schema *wide; /* in cells of this; NULL where records choose */
  size_t rows, reads;
} record_file;

/* dperm_record_reader */
static dperm_status read_records(void *context, const dperm_schema *schema, dperm_data **out,
                                 dperm_error *err) {
  record_file *file = context;
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  file->source.schema = schema;
  TRY(dperm_data_read_spread(&file->source, session_ranks(), progress_bar(), &data, err));
  file->rows = dperm_data_rows(data);
  if (file->reads == 0) {
    delta_warn(file->options, file->rows);
    calibrate_warn(file->options, file->rows);
  }
  if (++file->reads <= file->finest) {
    TRY(ledger_settings_reserve(&file->command->ledger, file->out, data, file->wide, file->options,
                                1, err));
  }
  *out = data;
  data = NULL;
  return DPERM_OK;
}

static dperm_status train_refined(const fit_command *c, const dperm_options *options,
                                  const dperm_source *source, const binned_schema *binned,
                                  dperm_output *out, fit_story *story, dperm_model **model,
                                  dperm_error *err) {
  double counts = 0, answer = 0, share = c->refine.share;
  record_file file = {.command = c,
                      .wide = share == 0 ? NULL : binned->given,
                      .options = options,
                      .source = *source,
                      .out = out,
                      .finest = share == 0 ? 2 : 1}; /* lines first, where records choose */
  TRY(refine_check_source(source, err));
  TRY(dperm_train_refined(binned->given, read_records, &file, options, share, binned->all, model,
                          err));
  TRY(dperm_train_refined_cost(binned->given, file.rows, options, share, binned->all, &counts,
                               &answer, err));
  story->rows = file.rows;
  story->asked = answer > 0;
  return DPERM_OK;
}

static dperm_status train_or_choose(const fit_command *c, const dperm_options *candidates,
                                    size_t count, fit_choice *choice, dperm_source *source,
                                    const binned_schema *binned, dperm_output *out,
                                    fit_story *story, dperm_model **model, dperm_error *err) {
  OWNED(dperm_data_free_at) dperm_data *data = NULL, *public_data = NULL;
  TRY(dperm_data_read_spread(source, session_ranks(), progress_bar(), &data, err));
  story->rows = dperm_data_rows(data);
  delta_warn(&candidates[0], story->rows);
  calibrate_warn(&candidates[0], story->rows);
  if (choice && choice->public_data) {
    source->path = choice->public_data;
    TRY(dperm_data_read_spread(source, session_ranks(), progress_bar(), &public_data, err));
    choice->how.public_data = public_data;
  }
  TRY(settle_bins(binned, candidates, count, choice, data, public_data, err));
  TRY(ledger_settings_reserve(&c->ledger, out, data, NULL, candidates, count, err));
  return choice ? dperm_tune(data, candidates, count, &choice->how, model, err)
                : dperm_train(data, candidates, model, err);
}

static dperm_status fit_to_file(const fit_command *c, const dperm_options *candidates, size_t count,
                                fit_choice *choice, dperm_format format, bool is_private,
                                dperm_error *err) {
  OWNED(binned_schema_close) binned_schema binned = {0};
  OWNED(dperm_model_free_at) dperm_model *model = NULL;
  OWNED(ledger_settings_leave) dperm_output *out = NULL;
  fit_story story = {0};
  TRY(ledger_settings_place(&c->ledger, c->out, c->json, &out, err));
  dperm_source source = {.path = c->data,
                         .format = format,
                         .dims = c->dims,
                         .may_be_empty = c->fit.rows_about != NULL};
  TRY(binned_schema_open(c->schema, &c->fit.bins, &source, &binned, err));
  bool refined = c->refine.refined && !(c->refine.unasked && !binned.waits);
  story.given = binned.given;
  story.delta_given = candidates[0].delta;
  story.calibrated =
      candidates[0].calibrate > 0 ? candidates[0].calibrate * candidates[0].epsilon : 0;
  source.no_identity = !c->ledger.path && !refined; /* it tells whether two reads saw the same */
  TRY(refined ? train_refined(c, candidates, &source, &binned, out, &story, &model, err)
              : train_or_choose(c, candidates, count, choice, &source, &binned, out, &story, &model,
                                err));
  progress_bar_wipe();
  if (!model) { /* shown nowhere, if another process has the model */
    ledger_settings_show(&c->ledger, is_private, c->json);
    return DPERM_OK;
  }
  TRY(dperm_model_write_output(model, out, err));
  if (c->json) {
    print_json(c, choice, count, model, &story);
    return flush_json(c, err);
  }
  say(c, choice, count, model, &story);
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
