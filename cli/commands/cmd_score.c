/* dperm score: how often a model errs on labelled records; exact counts for records that the user
 * calls public, or with --epsilon a private answer. */
#include <dperm/score.h>
#include <math.h>

#include "commands/charged_run.h"
#include "commands/commands.h"
#include "output/signals.h"

static const char closing[] =
    "Without --epsilon the counts are exact, so they are not private: for public data only. With "
    "--epsilon they carry discrete Laplace noise, and only the number of records is taken to be "
    "public; with --neighbours add-remove that is private too, and \"correct\" is a noisy count, "
    "as "
    "\"errors\" is. In 95 of 100 runs \"interval\" contains the error rate on these records, and "
    "\"population_interval\" that of the population they are a random sample of.";

typedef struct score_settings {
  charged_run ledger;
  const char *model, *data;
  dperm_format format;
  dperm_score_options options;
} score_settings;

/* ---- exact */

static json_t *count_or_null(bool there, int64_t count) {
  return there ? json_integer((json_int_t)count) : json_null();
}

/* The class, the error rate of always naming it, and the interval of a noisy one (or NULL). Says
 * where the model is no better. */
static json_t *baseline_json(const char *name, double baseline, double error_rate,
                             json_t *interval) {
  if (error_rate >= baseline) {
    note("the model %s no better than always saying \"%s\", which is wrong for %.4g of these "
         "records",
         interval ? "seems" : "is", visible(name).text, baseline);
  }
  return json_pack("{s:o, s:o, s:o*}", "class", json_words(name), "error_rate",
                   report_figure(baseline), "interval", interval);
}

static dperm_status score_exactly(const dperm_model *model, const dperm_source *source,
                                  dperm_error *err) {
  dperm_metrics m;
  TRY(dperm_score_file(model, source, progress_bar(), &m, err));
  bool two = m.classes == 2;
  report_print(json_pack("{s:I, s:I, s:o, s:o, s:o*, s:o, s:o, s:o, s:o}", "rows",
                         (json_int_t)m.rows, "errors", (json_int_t)m.errors, "error_rate",
                         report_figure(m.error_rate), "baseline",
                         baseline_json(dperm_model_class_name(model, m.baseline_class), m.baseline,
                                       m.error_rate, NULL),
                         "classes", two ? NULL : json_integer((json_int_t)m.classes),
                         "false_positives", count_or_null(two, (int64_t)m.false_positives),
                         "false_negatives", count_or_null(two, (int64_t)m.false_negatives), "auc",
                         report_figure(m.auc), "log_loss", report_figure(m.log_loss)));
  return DPERM_OK;
}

/* ---- private */

static json_t *count_if(bool there, int64_t count) {
  return there ? json_integer((json_int_t)count) : NULL;
}

/* From noisy counts of both classes: no word where noise hides them. */
static json_t *private_baseline(const dperm_model *model, const dperm_private_score *p) {
  return baseline_json(
      dperm_model_class_name(model, p->baseline_class), p->baseline,
      p->baseline_low > 0 ? p->error_rate : -1,
      json_pack("[o, o]", report_figure(p->baseline_low), report_figure(p->baseline_high)));
}

static void print_private(const score_settings *s, const dperm_model *model,
                          const dperm_private_score *p) {
  const dperm_score_options *o = &s->options;
  const dperm_charge *paid = run_charge();
  bool adding = o->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  report_print(json_pack(
      "{s:b, s:f, s:f, s:I, s:s, s:o, s:o*, s:I, s:o, s:[o, o], s:[o, o], s:f, s:o*, s:o*, s:o*, "
      "s:o*, s:o*, s:o}",
      "private", (int)p->is_private, "epsilon", o->epsilon, "delta",
      0.0 /* integers only: no numerics to cover */, "rows_per_person",
      (json_int_t)o->rows_per_person, "neighbours", dperm_neighbours_name(o->neighbours), "rows",
      count_or_null(!adding, (int64_t)p->rows), "correct", count_if(adding, p->correct), "errors",
      (json_int_t)p->errors, "error_rate", report_figure(p->error_rate), "interval",
      report_figure(p->low), report_figure(p->high), "population_interval",
      report_figure(p->population_low), report_figure(p->population_high), "confidence", 0.95,
      "true_positives", count_if(o->counts, p->true_positives), "false_positives",
      count_if(o->counts, p->false_positives), "false_negatives",
      count_if(o->counts, p->false_negatives), "true_negatives",
      count_if(o->counts, p->true_negatives), "baseline",
      o->counts ? private_baseline(model, p) : NULL, "ledger",
      paid->entry ? json_pack("{s:I, s:s}", "id", (json_int_t)paid->entry, "digest", paid->digest)
                  : json_null()));
}

static dperm_status score_privately(score_settings *s, const dperm_model *model,
                                    const dperm_source *source, dperm_error *err) {
  dperm_private_score found;
  s->options.progress = *progress_bar();
  s->options.random = s->ledger.random;
  TRY(charged_run_place(&s->ledger, NULL, NULL, err));
  TRY(dperm_score_file_private(model, source, &s->options, &found, err));
  progress_bar_wipe();
  if (s->ledger.dry_run) {
    charged_run_show(&s->ledger);
    return DPERM_OK;
  }
  print_private(s, model, &found);
  TRY(flush_stdout(err));
  if (found.is_private) {
    charged_run_say(&s->ledger);
  } else if (!dperm_model_is_private(model) && !s->options.public_model) {
    note("not private: the model is not, and may have been made from these records; "
         "--public-model says that it was not");
  }
  return DPERM_OK;
}

static dperm_status score(score_settings *s, dperm_error *err) {
  OWNED(dperm_model_free_at) dperm_model *model = NULL;
  const dperm_source source = {.path = s->data, .format = s->format};
  TRY(dperm_model_read(s->model, &model, err));
  return isnan(s->options.epsilon) ? score_exactly(model, &source, err)
                                   : score_privately(s, model, &source, err);
}

dperm_status run_score(int argc, char **argv, dperm_error *err) {
  score_settings s = {.model = NULL};
  dperm_score_options *o = &s.options;
  enum { OWN = 8 };
  dperm_score_options_init(o);
  argument table[OWN + CHARGED_RUN_ARGUMENTS] = {
      shared_argument("--model", &s.model),
      {"--data", ARGUMENT_INPUT, &s.data, true, "FILE",
       "labelled records; public ones unless --epsilon is given"},
      shared_argument("--format", &s.format),
      {"--epsilon", ARGUMENT_POSITIVE, &o->epsilon, false, "E",
       "privacy budget for a private error rate (default: none, exact counts)"},
      {"--counts", ARGUMENT_FLAG, &o->counts, false, NULL,
       "also give the four confusion counts, each at half of epsilon (all of it with add-remove)",
       GROUP_PRIVACY},
      {"--public-model", ARGUMENT_FLAG, &o->public_model, false, NULL,
       "declare that the model was made without these records; its score is then private even if "
       "the model is not",
       GROUP_PRIVACY},
      shared_argument("--rows-per-person", &o->rows_per_person),
      shared_argument("--neighbours", &o->neighbours),
  };
  charged_run_init(&s.ledger, table + OWN);
  TRY(arguments_parse(table, sizeof table / sizeof *table, argc, argv, closing, err));
  bool noisy = !isnan(o->epsilon);
  if (!noisy &&
      (o->counts || o->public_model || argument_given(&s.ledger.seed) || o->rows_per_person > 1 ||
       o->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE || s.ledger.dataset || s.ledger.dry_run)) {
    return wrong_usage(err, "--counts, --public-model, --rows-per-person, --neighbours, --seed, "
                            "--dataset and --dry-run go with --epsilon");
  }
  TRY(noisy ? charged_run_begin(&s.ledger, true, true, &o->account, err)
            : ledger_guard(s.ledger.ledger, &s.data, 1, err));
  return charged_run_end(&s.ledger, score(&s, err));
}
