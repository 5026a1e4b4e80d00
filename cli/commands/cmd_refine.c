/* dperm refine: a wide schema and private records in, a refined schema out, for an epsilon. */
#include <dperm/refine.h>

#include "arguments/fit_settings.h"
#include "commands/charged_run.h"
#include "commands/commands.h"
#include "output/mpi_job.h"

static const char closing[] =
    "Counts the records in cells that follow from the schema, adds noise to every count, and uses "
    "the noisy counts to derive bins of equal mass for numeric columns and groups of rare "
    "categories. The schema states its cost, and every model trained with it adds that to its own "
    "epsilon. If there are too few rows for this epsilon, the schema stays as it is and nothing is "
    "spent. 'dperm train --refine' refines and trains in one run, for one epsilon.";

typedef struct refine_command {
  const char *data, *schema, *out;
  dperm_format format;
  dperm_refine_options options;
  charged_run ledger;
  bool persons; /* the schema tells them apart */
} refine_command;

/* ---- what is said of it: public words only */

static size_t unit_of_run(const refine_command *c) {
  return c->persons ? 0 : c->options.rows_per_person;
}

static void print_json(const refine_command *c, const json_t *schema, size_t rows) {
  double spent = report_number(schema, "epsilon_refined");
  size_t about = c->options.rows_about;
  report_print(json_pack(
      "{s:o, s:o, s:o*, s:O, s:b, s:b, s:f, s:I, s:s, s:o}", "schema", json_words(c->out), "rows",
      about ? json_null() : json_integer((json_int_t)rows), "rows_about",
      about ? json_integer((json_int_t)about) : NULL, "weights", json_object_get(schema, "dims"),
      "refined", spent > 0, "private", c->ledger.is_private, "epsilon", spent, "rows_per_person",
      (json_int_t)unit_of_run(c), "neighbours", dperm_neighbours_name(c->options.neighbours),
      "ledger", charged_run_json(&c->ledger)));
}

static void say(const refine_command *c, const json_t *schema, size_t rows) {
  const char *name = strcmp(c->out, "-") == 0 ? "schema" : c->out;
  double spent = report_number(schema, "epsilon_refined");
  char number[40]; /* nothing tells it where it is private */
  (void)snprintf(number, sizeof number, c->options.rows_about ? "about %zu" : "%zu",
                 c->options.rows_about ? c->options.rows_about : rows);
  if (!(spent > 0)) {
    note("%s: the schema is unchanged and nothing was spent: it has nothing to refine, or %s rows "
         "are too few at this epsilon",
         name, number);
    return;
  }
  char claim[200] = "not private: the noise came from a seed";
  if (c->ledger.is_private) {
    (void)snprintf(claim, sizeof claim,
                   "epsilon = %g for every %s%s, added to that of every model trained with it",
                   spent, unit_of(unit_of_run(c), "record").text,
                   c->options.rows_about ? ", added or removed" : "");
  }
  note("%s: %.0f encoded columns from %s rows; %s", name, report_number(schema, "dims"), number,
       claim);
  if (c->ledger.is_private) {
    charged_run_say(&c->ledger);
  }
}

/* ---- the work */

static dperm_status refine_to_file(refine_command *c, dperm_error *err) {
  OWNED(dperm_schema_free_at) dperm_schema *wide = NULL, *made = NULL;
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  OWNED(charged_run_leave) dperm_output *out = NULL;
  TRY(charged_run_place(&c->ledger, c->out, &out, err));
  TRY(dperm_schema_read(c->schema, &wide, err));
  const dperm_source source = {.path = c->data,
                               .format = c->format,
                               .schema = wide,
                               .no_identity = !c->ledger.path,
                               .may_be_empty = c->options.rows_about != 0};
  TRY(dperm_data_read_spread(&source, job_ranks(), progress_bar(), &data, err));
  c->options.account.output = out;
  TRY(dperm_refine(data, &c->options, &made, err));
  progress_bar_wipe();
  if (!made) {
    charged_run_show(&c->ledger);
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
  json_auto_t *schema = parsed_report(description);
  c->persons = json_is_string(json_object_get(schema, "person"));
  TRY(dperm_output_write(out, text, length, err));
  if (c->ledger.json) {
    print_json(c, schema, dperm_data_units(data));
    return flush_stdout(err);
  }
  say(c, schema, dperm_data_units(data));
  return DPERM_OK;
}

dperm_status run_refine(int argc, char **argv, dperm_error *err) {
  refine_command c = {.out = NULL};
  dperm_refine_options *o = &c.options;
  enum { OWN = 10 };
  bool force = false;
  dperm_refine_options_init(o);
  argument table[OWN + CHARGED_RUN_ARGUMENTS] = {
      shared_argument("--data", &c.data),
      {"--schema", ARGUMENT_INPUT, &c.schema, true, "FILE",
       "the schema to refine: what is public about the records (JSON)"},
      {"--epsilon", ARGUMENT_POSITIVE, &o->epsilon, true, "E",
       "epsilon to spend on the refinement"},
      {"--out", ARGUMENT_OUTPUT, &c.out, true, "FILE", "file to write the refined schema to"},
      {"--fit-epsilon", ARGUMENT_POSITIVE, &o->fit_epsilon, false, "E",
       "epsilon of the fit to follow, which determines the number of bins (default: 11.5 times "
       "--epsilon)"},
      shared_argument("--rows-per-person", &o->rows_per_person),
      shared_argument("--neighbours", &o->neighbours),
      shared_argument("--rows-about", &o->rows_about),
      shared_argument("--format", &c.format),
      shared_argument("--force", &force),
  };
  charged_run_init(&c.ledger, table + OWN);
  TRY(arguments_parse(table, sizeof table / sizeof *table, argc, argv, closing, err));
  TRY(neighbours_agree(o->neighbours, o->rows_about, err));
  TRY(charged_run_begin(&c.ledger, true, true, &o->account, err));
  o->random = c.ledger.random;
  return charged_run_end(&c.ledger, refine_to_file(&c, err));
}
