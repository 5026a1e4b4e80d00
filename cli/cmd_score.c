/* dperm score: how often a model errs on labelled records; exact counts for records that the user
 * calls public, or with --epsilon a private answer. */
#include <dperm/score.h>
#include <math.h>
#include <stdio.h>

#include "arguments.h"
#include "choices.h"
#include "handles.h"
#include "json_print.h"
#include "ledger_settings.h"
#include "progress_bar.h"
#include "session.h"
#include "signals.h"

static const char closing[] =
    "Without --epsilon the counts are exact, so they are not private: for public data only. With "
    "it they carry discrete Laplace noise, and the number of records alone is taken to be public; "
    "with --neighbours add-remove that is private too, and \"correct\" is a noisy count as "
    "\"errors\" is. "
    "\"interval\" holds the error rate on these very records in 95 of 100 runs, whatever the "
    "noise; \"population_interval\" that of those they are a random sample of.";

typedef struct score_settings {
  ledger_settings ledger;
  const char *model, *data, *format, *neighbours;
  dperm_neighbours whom;
  double epsilon;
  size_t rows_per_person;
  uint64_t seed;
  bool counts, public_model, seeded, json;
} score_settings;

/* ---- exact */

static dperm_status score_exactly(const dperm_model *model, const dperm_source *source,
                                  dperm_error *err) {
  dperm_metrics m;
  TRY(dperm_score_file(model, source, progress_bar(), &m, err));
  printf("{\n  \"rows\": %zu,\n  \"errors\": %zu,\n", m.rows, m.errors);
  print_json_number("error_rate", m.error_rate, ",");
  if (m.classes == 2) {
    printf("  \"false_positives\": %zu,\n  \"false_negatives\": %zu,\n", m.false_positives,
           m.false_negatives);
  } else {
    printf("  \"classes\": %zu,\n  \"false_positives\": null,\n  \"false_negatives\": null,\n",
           m.classes);
  }
  print_json_number("auc", m.auc, ",");
  print_json_number("log_loss", m.log_loss, "");
  printf("}\n");
  return DPERM_OK;
}

/* ---- private */

static void print_private(const score_settings *s, const dperm_private_score *p) {
  printf("{\n  \"private\": %s,\n", p->is_private ? "true" : "false");
  print_json_number("epsilon", s->epsilon, ",");
  print_json_number("delta", 0, ","); /* integers only: no numerics to cover */
  print_json_count("rows_per_person", s->rows_per_person, ",");
  print_json_text("neighbours", s->neighbours, ",");
  if (s->whom == DPERM_NEIGHBOURS_ADD_REMOVE) {
    printf("  \"rows\": null,\n  \"correct\": %lld,\n", (long long)p->correct);
  } else {
    print_json_count("rows", p->rows, ",");
  }
  printf("  \"errors\": %lld,\n", (long long)p->errors);
  print_json_number("error_rate", p->error_rate, ",");
  printf("  \"interval\": [%.17g, %.17g],\n", p->low, p->high);
  printf("  \"population_interval\": [%.17g, %.17g],\n", p->population_low, p->population_high);
  printf("  \"confidence\": 0.95,\n");
  if (s->counts) {
    printf(
        "  \"true_positives\": %lld,\n  \"false_positives\": %lld,\n  \"false_negatives\": %lld,\n"
        "  \"true_negatives\": %lld,\n",
        (long long)p->true_positives, (long long)p->false_positives, (long long)p->false_negatives,
        (long long)p->true_negatives);
  }
  if (run_charge()->entry) {
    printf("  \"ledger\": {\"id\": %llu, \"digest\": \"%s\"}\n}\n",
           (unsigned long long)run_charge()->entry, run_charge()->digest);
  } else {
    printf("  \"ledger\": null\n}\n");
  }
}

/* A place for the answer that is only asked whether it can be written. */
static dperm_status check_output(const ledger_settings *ledger, dperm_error *err) {
  OWNED(ledger_settings_leave) dperm_output *out = NULL;
  TRY(ledger_settings_place(ledger, "-", false, &out, err));
  return out ? dperm_output_reserve(out, 8192, err) : DPERM_OK;
}

static dperm_status score_privately(const score_settings *s, const dperm_account *account,
                                    const dperm_model *model, const dperm_source *source,
                                    dperm_error *err) {
  dperm_private_score found;
  dperm_score_options options;
  OWNED(dperm_random_free_at) dperm_random *random = NULL;
  if (s->seeded) {
    TRY(dperm_random_seeded(s->seed, &random, err));
  }
  dperm_score_options_init(&options);
  options.epsilon = s->epsilon;
  options.rows_per_person = s->rows_per_person;
  options.counts = s->counts;
  options.public_model = s->public_model;
  options.neighbours = s->whom;
  options.account = *account;
  options.progress = *progress_bar();
  options.random = random;
  TRY(check_output(&s->ledger, err));
  TRY(dperm_score_file_private(model, source, &options, &found, err));
  progress_bar_wipe();
  if (s->ledger.dry_run) {
    ledger_settings_show(&s->ledger, !s->seeded, s->json);
    return DPERM_OK;
  }
  print_private(s, &found);
  TRY(session_flush_stdout(err));
  if (found.is_private) {
    ledger_settings_say(&s->ledger);
  } else if (!dperm_model_is_private(model) && !s->public_model) {
    note("not private: the model is not, and may have been made from these records; "
         "--public-model says that it was not");
  }
  return DPERM_OK;
}

static dperm_status score(const score_settings *s, const dperm_account *account,
                          dperm_format format, dperm_error *err) {
  OWNED(dperm_model_free_at) dperm_model *model = NULL;
  const dperm_source source = {.path = s->data, .format = format};
  TRY(dperm_model_read(s->model, &model, err));
  return isnan(s->epsilon) ? score_exactly(model, &source, err)
                           : score_privately(s, account, model, &source, err);
}

int run_score(int argc, char **argv) {
  score_settings s = {.epsilon = (double)NAN, .rows_per_person = 1, .neighbours = "replace"};
  enum { OWN = 10 };
  int whom = 0;
  argument table[OWN + LEDGER_ARGUMENTS] = {
      {"--model", ARGUMENT_INPUT, &s.model, true, "FILE", "a model that dperm train wrote"},
      {"--data", ARGUMENT_INPUT, &s.data, true, "FILE",
       "labelled records; public ones, unless --epsilon is given"},
      {"--format", ARGUMENT_TEXT, &s.format, false, choices(format_name, DPERM_FORMAT_CSV),
       "when the file's name does not tell"},
      {"--epsilon", ARGUMENT_POSITIVE, &s.epsilon, false, "E",
       "a private error rate at this budget"},
      {"--counts", ARGUMENT_FLAG, &s.counts, false, NULL,
       "the four confusion counts too, each at half of epsilon (all of it with add-remove)"},
      {"--public-model", ARGUMENT_FLAG, &s.public_model, false, NULL,
       "the model was made without these records: its score is private even if it is not"},
      {"--rows-per-person", ARGUMENT_COUNT, &s.rows_per_person, false, "K",
       "epsilon is for a person with at most K rows (1)"},
      {"--neighbours", ARGUMENT_TEXT, &s.neighbours, false, choices(neighbours_name, 0),
       "add-remove: epsilon is for a record added or removed, and how many there are is private "
       "(replace)"},
      {"--seed", ARGUMENT_SEED, &s.seed, false, "N",
       "reproducible noise for tests: the answer is not private"},
      {"--json", ARGUMENT_FLAG, &s.json, false, NULL,
       "for programs; a score always is, --dry-run is not"},
  };
  dperm_format format;
  ledger_settings_init(&s.ledger, table + OWN);
  if (!arguments_parse(table, sizeof table / sizeof *table, argc, argv, closing) ||
      !parse_format(s.format, &format) ||
      !choose("--neighbours", s.neighbours, neighbours_name, 0, &whom)) {
    return refused();
  }
  s.whom = (dperm_neighbours)whom;
  s.ledger.adding = s.whom == DPERM_NEIGHBOURS_ADD_REMOVE;
  s.seeded = argument_given(&s.seed);
  bool noisy = !isnan(s.epsilon);
  if (!noisy && (s.counts || s.public_model || s.seeded || s.rows_per_person > 1 || whom != 0 ||
                 s.ledger.dataset || s.ledger.dry_run)) {
    return wrong_usage("--counts, --public-model, --rows-per-person, --neighbours, --seed, "
                       "--dataset and --dry-run go with --epsilon");
  }
  dperm_account account = {0};
  if (!(noisy ? ledger_settings_open(&s.ledger, !s.seeded, &account)
              : ledger_guard(s.ledger.ledger, &s.data, 1))) {
    return refused();
  }
  dperm_error err;
  dperm_status status = score(&s, &account, format, &err);
  ledger_settings_close(&s.ledger);
  return status == DPERM_OK ? 0 : report_error(&err);
}
