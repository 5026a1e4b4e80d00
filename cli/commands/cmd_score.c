/* dperm score: how often a model errs on labelled records; exact counts for records that the user
 * calls public, or with --epsilon a private answer. */
#include <dperm/score.h>
#include <math.h>
#include <stdio.h>

#include "arguments/arguments.h"
#include "arguments/choices.h"
#include "commands/commands.h"
#include "commands/ledger_settings.h"
#include "output/handles.h"
#include "output/json_report.h"
#include "output/message.h"
#include "output/progress_bar.h"
#include "output/signals.h"

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
  bool two = m.classes == 2;
  json_t *report = json_pack("{s:I, s:I, s:o}", "rows", (json_int_t)m.rows, "errors",
                             (json_int_t)m.errors, "error_rate", report_figure(m.error_rate));
  if (!two) {
    (void)json_object_set_new(report, "classes", json_integer((json_int_t)m.classes));
  }
  json_auto_t *rest =
      json_pack("{s:o, s:o, s:o, s:o}", "false_positives",
                two ? json_integer((json_int_t)m.false_positives) : json_null(), "false_negatives",
                two ? json_integer((json_int_t)m.false_negatives) : json_null(), "auc",
                report_figure(m.auc), "log_loss", report_figure(m.log_loss));
  (void)json_object_update(report, rest);
  report_print(report);
  return DPERM_OK;
}

/* ---- private */

static void set_count(json_t *report, const char *key, int64_t count) {
  (void)json_object_set_new(report, key, json_integer((json_int_t)count));
}

static void print_private(const score_settings *s, const dperm_private_score *p) {
  bool adding = s->whom == DPERM_NEIGHBOURS_ADD_REMOVE;
  json_t *report =
      json_pack("{s:b, s:f, s:f, s:I, s:s}", "private", (int)p->is_private, "epsilon", s->epsilon,
                "delta", 0.0 /* integers only: no numerics to cover */, "rows_per_person",
                (json_int_t)s->rows_per_person, "neighbours", s->neighbours);
  (void)json_object_set_new(report, "rows",
                            adding ? json_null() : json_integer((json_int_t)p->rows));
  if (adding) {
    set_count(report, "correct", p->correct);
  }
  set_count(report, "errors", p->errors);
  json_auto_t *rates = json_pack(
      "{s:o, s:[o, o], s:[o, o], s:f}", "error_rate", report_figure(p->error_rate), "interval",
      report_figure(p->low), report_figure(p->high), "population_interval",
      report_figure(p->population_low), report_figure(p->population_high), "confidence", 0.95);
  (void)json_object_update(report, rates);
  if (s->counts) {
    set_count(report, "true_positives", p->true_positives);
    set_count(report, "false_positives", p->false_positives);
    set_count(report, "false_negatives", p->false_negatives);
    set_count(report, "true_negatives", p->true_negatives);
  }
  const dperm_charge *paid = run_charge();
  (void)json_object_set_new(
      report, "ledger",
      paid->entry ? json_pack("{s:I, s:s}", "id", (json_int_t)paid->entry, "digest", paid->digest)
                  : json_null());
  report_print(report);
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
  TRY(flush_stdout(err));
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
