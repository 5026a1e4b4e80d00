/* dperm refine: a wide schema and private records in, a refined schema out, for an epsilon. */
#include <dperm/refine.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "arguments/arguments.h"
#include "arguments/choices.h"
#include "arguments/neighbour_settings.h"
#include "commands/commands.h"
#include "commands/ledger_settings.h"
#include "output/handles.h"
#include "output/json_report.h"
#include "output/message.h"
#include "output/mpi_job.h"
#include "output/progress_bar.h"

static const char closing[] =
    "Counts the records in cells that follow from the schema, adds noise to every count, and makes "
    "bins of equal mass for numeric columns and groups of rare categories of what comes out. The "
    "schema states what it cost; every model trained with it adds that to its own epsilon. Where "
    "rows and epsilon cannot pay for it, the schema stays as it is and nothing is spent. 'dperm "
    "train --refine' does both for one epsilon.";

typedef struct refine_command {
  const char *data, *schema, *out, *format, *neighbours, *about;
  dperm_neighbours whom;
  size_t rows_about; /* 0: the number of records is public */
  double epsilon, fit_epsilon;
  size_t rows_per_person;
  uint64_t seed;
  bool seeded, json;
  ledger_settings ledger;
} refine_command;

/* ---- what is said of it: public words only */

static void print_json(const refine_command *c, const json_t *schema, size_t rows) {
  double spent = report_number(schema, "epsilon_refined");
  json_t *report = json_pack("{s:o}", "schema", json_words(c->out));
  (void)json_object_set_new(report, "rows",
                            c->rows_about ? json_null() : json_integer((json_int_t)rows));
  if (c->rows_about) {
    (void)json_object_set_new(report, "rows_about", json_integer((json_int_t)c->rows_about));
  }
  json_auto_t *rest =
      json_pack("{s:O, s:b, s:b, s:f, s:I, s:s, s:o}", "weights", json_object_get(schema, "dims"),
                "refined", spent > 0, "private", !c->seeded, "epsilon", spent, "rows_per_person",
                (json_int_t)c->rows_per_person, "neighbours", c->neighbours, "ledger",
                ledger_settings_json(&c->ledger));
  (void)json_object_update(report, rest);
  report_print(report);
}

static void say(const refine_command *c, const json_t *schema, size_t rows) {
  const char *name = strcmp(c->out, "-") == 0 ? "schema" : c->out;
  double spent = report_number(schema, "epsilon_refined");
  char number[40]; /* nothing tells it where it is private */
  (void)snprintf(number, sizeof number, c->rows_about ? "about %zu" : "%zu",
                 c->rows_about ? c->rows_about : rows);
  if (!(spent > 0)) {
    note("%s: the schema as it was: it has nothing to refine, or %s rows cannot pay for a "
         "refinement at this epsilon, and nothing is spent",
         name, number);
    return;
  }
  char claim[200] = "not private: the noise came from a seed";
  if (!c->seeded) {
    (void)snprintf(claim, sizeof claim,
                   "epsilon = %g for every %s%s, which models trained with it add to their own",
                   spent, unit_of(c->rows_per_person, "record").text,
                   c->rows_about ? ", added or removed" : "");
  }
  note("%s: %.0f encoded columns from %s rows; %s", name, report_number(schema, "dims"), number,
       claim);
  if (!c->seeded) {
    ledger_settings_say(&c->ledger);
  }
}

/* ---- the work */

static dperm_status refine_to_file(const refine_command *c, dperm_refine_options *options,
                                   dperm_format format, dperm_error *err) {
  OWNED(dperm_schema_free_at) dperm_schema *wide = NULL, *made = NULL;
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  OWNED(ledger_settings_leave) dperm_output *out = NULL;
  TRY(ledger_settings_place(&c->ledger, c->out, c->json, &out, err));
  TRY(dperm_schema_read(c->schema, &wide, err));
  const dperm_source source = {.path = c->data,
                               .format = format,
                               .schema = wide,
                               .no_identity = !c->ledger.path,
                               .may_be_empty = c->rows_about != 0};
  TRY(dperm_data_read_spread(&source, job_ranks(), progress_bar(), &data, err));
  options->account.output = out;
  TRY(dperm_refine(data, options, &made, err));
  progress_bar_wipe();
  if (!made) {
    ledger_settings_show(&c->ledger, !c->seeded, c->json);
    return DPERM_OK;
  }
  if (!out) { /* another process writes it */
    return DPERM_OK;
  }
  OWNED(dperm_text_free_at) char *text = NULL;
  char *description = NULL;
  size_t length = 0;
  TRY(dperm_schema_to_text(made, &text, &length, err));
  TRY(dperm_schema_describe(made, &description, err));
  json_auto_t *schema = report_of(description);
  TRY(dperm_output_write(out, text, length, err));
  if (c->json) {
    print_json(c, schema, dperm_data_rows(data));
    return flush_stdout(err);
  }
  say(c, schema, dperm_data_rows(data));
  return DPERM_OK;
}

static int refine(refine_command *c, dperm_format format) {
  dperm_error err;
  dperm_refine_options options;
  OWNED(dperm_random_free_at) dperm_random *random = NULL;
  dperm_refine_options_init(&options);
  options.epsilon = c->epsilon;
  options.fit_epsilon = c->fit_epsilon;
  options.rows_per_person = c->rows_per_person;
  options.rows_about = c->rows_about;
  options.neighbours = c->whom;
  c->ledger.adding = c->whom == DPERM_NEIGHBOURS_ADD_REMOVE;
  if (!ledger_settings_open(&c->ledger, !c->seeded, &options.account)) {
    return refused();
  }
  dperm_status status = c->seeded ? dperm_random_seeded(c->seed, &random, &err) : DPERM_OK;
  options.random = random;
  status = status == DPERM_OK ? refine_to_file(c, &options, format, &err) : status;
  ledger_settings_close(&c->ledger);
  return status == DPERM_OK ? 0 : report_error(&err);
}

int run_refine(int argc, char **argv) {
  refine_command c = {
      .epsilon = (double)NAN, .fit_epsilon = (double)NAN, .rows_per_person = 1, .out = NULL};
  enum { OWN = 11 };
  argument table[OWN + LEDGER_ARGUMENTS] = {
      {"--data", ARGUMENT_INPUT, &c.data, true, "FILE", "the records, CSV"},
      {"--schema", ARGUMENT_INPUT, &c.schema, true, "FILE",
       "the wide schema: what is public about them (JSON)"},
      {"--epsilon", ARGUMENT_POSITIVE, &c.epsilon, true, "E", "what the refinement costs"},
      {"--out", ARGUMENT_OUTPUT, &c.out, true, "FILE", "where the refined schema goes"},
      {"--fit-epsilon", ARGUMENT_POSITIVE, &c.fit_epsilon, false, "E",
       "what the fit will have besides; decides the number of bins (11.5 times as much)"},
      {"--rows-per-person", ARGUMENT_COUNT, &c.rows_per_person, false, "K",
       "epsilon is for a person with at most K rows (1)"},
      neighbours_argument(&c.neighbours),
      rows_about_argument(&c.about),
      {"--format", ARGUMENT_TEXT, &c.format, false, choices(format_name, DPERM_FORMAT_CSV),
       "when the file's name does not tell"},
      {"--seed", ARGUMENT_SEED, &c.seed, false, "N",
       "reproducible noise for tests: no model of this schema is private"},
      {"--json", ARGUMENT_FLAG, &c.json, false, NULL, "what was done, for programs"},
  };
  dperm_format format = DPERM_FORMAT_AUTO;
  ledger_settings_init(&c.ledger, table + OWN);
  if (!arguments_parse(table, sizeof table / sizeof *table, argc, argv, closing) ||
      !parse_format(c.format, &format) ||
      !neighbours_choose(c.neighbours, c.about, &c.whom, &c.rows_about)) {
    return refused();
  }
  if (c.json && !c.ledger.dry_run && strcmp(c.out, "-") == 0) {
    return wrong_usage("--json and --out - both go to standard output");
  }
  c.seeded = argument_given(&c.seed);
  return refine(&c, format);
}
