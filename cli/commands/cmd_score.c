/* dperm score: how well a model tells classes apart on labelled records; exactly for records that
 * the user calls public, or with --epsilon in private. */
#include <dperm/score.h>
#include <math.h>

#include "commands/charged_run.h"
#include "commands/commands.h"
#include "output/signals.h"

static const char closing[] =
    "Without --epsilon the figures are exact, so they are not private: for public data only; "
    "\"sampling_intervals\" hold those of the population that the records are a random sample of "
    "in 95 of 100 such samples. With --epsilon they are made of counts with discrete Laplace "
    "noise, \"low\" and \"high\" are for noise and sampling together, and only the number of "
    "records is taken to be public; with --neighbours add-remove that is private too. --error-only "
    "asks for the error rate with the least noise: its \"interval\" contains the error rate on "
    "these records, and \"population_interval\" that of the population, in 95 of 100 runs.";

typedef struct score_settings {
  charged_run ledger;
  const char *model, *data;
  dperm_format format;
  bool error_only;
  dperm_score_options options;
} score_settings;

/* A model that is no better than always naming one class, or not seen to be, is said to be so. */
static void say_finding(const json_t *evaluation) {
  const char *finding = report_text(evaluation, "finding");
  if (finding && !strstr(finding, "errs less than")) {
    note("%s", finding);
  }
}

/* ---- exact */

static json_t *count_or_null(bool there, int64_t count) {
  return there ? json_integer((json_int_t)count) : json_null();
}

static const char *const figure_keys[] = {"error_rate", "difference", "auc",     "log_loss",
                                          "precision",  "recall",     "baseline"};
enum { FIGURES = sizeof figure_keys / sizeof *figure_keys };

/* Figures as plain numbers, their intervals under a name that says what they are. */
static json_t *exact_report(const dperm_model *model, json_t *evaluation) {
  json_t *intervals = json_object();
  for (size_t i = 0; i < FIGURES; i++) {
    const json_t *figure = json_object_get(evaluation, figure_keys[i]);
    const double low = report_number(figure, "low"), high = report_number(figure, "high");
    if (!isnan(low)) {
      (void)json_object_set_new(intervals, figure_keys[i],
                                json_pack("[o, o]", report_figure(low), report_figure(high)));
    }
    if (i + 1 < FIGURES) {
      (void)json_object_set_new(evaluation, figure_keys[i],
                                report_figure(report_number(figure, "value")));
    }
  }
  json_t *baseline = json_object_get(evaluation, "baseline");
  (void)json_object_del(baseline, "low");
  (void)json_object_del(baseline, "high");
  (void)json_object_del(evaluation, "intervals");
  (void)json_object_del(evaluation, "cells");
  if (dperm_model_classes(model) > 2) {
    (void)json_object_set_new(evaluation, "classes",
                              json_integer((json_int_t)dperm_model_classes(model)));
  }
  (void)json_object_set_new(evaluation, "sampling_intervals", intervals);
  return evaluation;
}

/* A regression's figures are on the label's scale. */
static json_t *number_report(json_t *evaluation) {
  static const char *const keys[] = {"rmse", "mae", "r2", "pinball", "at_or_below"};
  json_t *intervals = json_object();
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    const json_t *figure = json_object_get(evaluation, keys[i]);
    if (figure) {
      (void)json_object_set_new(intervals, keys[i],
                                json_pack("[o, o]", report_figure(report_number(figure, "low")),
                                          report_figure(report_number(figure, "high"))));
      (void)json_object_set_new(evaluation, keys[i], report_figure(report_number(figure, "value")));
    }
  }
  (void)json_object_del(evaluation, "intervals");
  (void)json_object_set_new(evaluation, "sampling_intervals", intervals);
  return evaluation;
}

static dperm_status score_exactly(const dperm_model *model, const dperm_source *source,
                                  dperm_error *err) {
  char *text = NULL;
  TRY(dperm_evaluate_file(model, source, progress_bar(), &text, err));
  json_t *evaluation = parsed_report(text);
  progress_bar_wipe();
  say_finding(evaluation);
  report_print(dperm_model_classes(model) == 0 ? number_report(evaluation)
                                               : exact_report(model, evaluation));
  return DPERM_OK;
}

/* ---- private */

static json_t *count_if(bool there, int64_t count) {
  return there ? json_integer((json_int_t)count) : NULL;
}

static json_t *charge_json(void) {
  const dperm_charge *paid = run_charge();
  return paid->entry
             ? json_pack("{s:I, s:s}", "id", (json_int_t)paid->entry, "digest", paid->digest)
             : json_null();
}

/* From noisy counts of both classes. */
static json_t *private_baseline(const dperm_model *model, const dperm_private_score *p) {
  const char *name = dperm_model_class_name(model, p->baseline_class);
  if (p->baseline_low > 0 && p->error_rate >= p->baseline) { /* no word where noise hides them */
    note("the model seems no better than always saying \"%s\", which is wrong for %.4g of these "
         "records",
         visible(name).text, p->baseline);
  }
  return json_pack("{s:o, s:o, s:[o, o]}", "class", json_words(name), "error_rate",
                   report_figure(p->baseline), "interval", report_figure(p->baseline_low),
                   report_figure(p->baseline_high));
}

static void print_private(const score_settings *s, const dperm_model *model,
                          const dperm_private_score *p) {
  const dperm_score_options *o = &s->options;
  dperm_guarantee of_model; /* whose schema tells persons apart, where it has none */
  dperm_model_guarantee(model, &of_model);
  const size_t unit = of_model.rows_per_person == 0 ? 0 : o->rows_per_person;
  bool adding = o->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  report_print(
      json_pack("{s:b, s:f, s:f, s:I, s:s, s:o, s:o*, s:I, s:o, s:[o, o], s:[o, o], s:f, s:o*, "
                "s:o*, s:o*, s:o*, s:o*, s:o}",
                "private", (int)p->is_private, "epsilon", o->epsilon, "delta",
                0.0 /* integers only: no numerics to cover */, "rows_per_person", (json_int_t)unit,
                "neighbours", dperm_neighbours_name(o->neighbours), "rows",
                count_or_null(!adding, (int64_t)p->rows), "correct", count_if(adding, p->correct),
                "errors", (json_int_t)p->errors, "error_rate", report_figure(p->error_rate),
                "interval", report_figure(p->low), report_figure(p->high), "population_interval",
                report_figure(p->population_low), report_figure(p->population_high), "confidence",
                0.95, "true_positives", count_if(o->counts, p->true_positives), "false_positives",
                count_if(o->counts, p->false_positives), "false_negatives",
                count_if(o->counts, p->false_negatives), "true_negatives",
                count_if(o->counts, p->true_negatives), "baseline",
                o->counts ? private_baseline(model, p) : NULL, "ledger", charge_json()));
}

/* The evaluation, with the charge at its end; words about it when that has arrived. */
static dperm_status print_evaluation(json_t *evaluation, dperm_error *err) {
  json_auto_t *kept = json_incref(evaluation);
  (void)json_object_set_new(evaluation, "ledger", charge_json());
  report_print(evaluation);
  TRY(flush_stdout(err));
  say_finding(kept);
  return DPERM_OK;
}

/* Shows nothing of a dry run. */
static dperm_status make_score(score_settings *s, const dperm_model *model,
                               const dperm_source *source, bool *is_private, dperm_error *err) {
  dperm_private_score found;
  char *text = NULL;
  if (!s->error_only && !s->options.counts) {
    TRY(dperm_evaluate_file_private(model, source, &s->options, &text, err));
    progress_bar_wipe();
    json_t *evaluation = parsed_report(text);
    *is_private = json_is_true(json_object_get(evaluation, "private"));
    return evaluation ? print_evaluation(evaluation, err) : DPERM_OK;
  }
  TRY(dperm_score_file_private(model, source, &s->options, &found, err));
  progress_bar_wipe();
  *is_private = found.is_private;
  if (!s->ledger.dry_run) {
    print_private(s, model, &found);
  }
  return DPERM_OK;
}

static dperm_status score_privately(score_settings *s, const dperm_model *model,
                                    const dperm_source *source, dperm_error *err) {
  bool is_private = false;
  s->options.progress = *progress_bar();
  s->options.random = s->ledger.random;
  TRY(charged_run_place(&s->ledger, NULL, NULL, err));
  TRY(make_score(s, model, source, &is_private, err));
  if (s->ledger.dry_run) {
    charged_run_show(&s->ledger);
    return DPERM_OK;
  }
  TRY(flush_stdout(err));
  if (is_private) {
    charged_run_say(&s->ledger);
  } else if (!dperm_model_is_private(model) && !s->options.public_model) {
    note("not private: the model is not, and may have been made from these records; --public-model "
         "says that it was not");
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
  enum { OWN = 10 };
  dperm_score_options_init(o);
  argument table[OWN + CHARGED_RUN_ARGUMENTS] = {
      shared_argument("--model", &s.model),
      {"--data", ARGUMENT_INPUT, &s.data, true, "FILE",
       "labelled records; public ones unless --epsilon is given"},
      shared_argument("--format", &s.format),
      {"--epsilon", ARGUMENT_POSITIVE, &o->epsilon, false, "E",
       "privacy budget for private figures (default: none, exact figures)"},
      {"--error-only", ARGUMENT_FLAG, &s.error_only, false, NULL,
       "spend all of epsilon on the error rate", GROUP_PRIVACY},
      {"--counts", ARGUMENT_FLAG, &o->counts, false, NULL,
       "spend it on the four confusion counts, each at half of epsilon (all of it with add-remove)",
       GROUP_PRIVACY},
      {"--public-model", ARGUMENT_FLAG, &o->public_model, false, NULL,
       "declare that the model was made without these records; its score is then private even if "
       "the model is not",
       GROUP_PRIVACY},
      {"--held-out", ARGUMENT_FLAG, &o->held_out, false, NULL,
       "of the records that the model was trained from, score those that 'train --evaluate' held "
       "out, which the ledger knows; charged as usual",
       GROUP_PRIVACY},
      shared_argument("--rows-per-person", &o->rows_per_person),
      shared_argument("--neighbours", &o->neighbours),
  };
  charged_run_init(&s.ledger, table + OWN);
  TRY(arguments_parse(table, sizeof table / sizeof *table, argc, argv, closing, err));
  bool noisy = !isnan(o->epsilon);
  RETURN_IF(!noisy && (o->counts || s.error_only || o->public_model || o->held_out ||
                       argument_given(&s.ledger.seed) || o->rows_per_person > 1 ||
                       o->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE || s.ledger.dataset ||
                       s.ledger.dry_run),
            wrong_usage(err,
                        "--error-only, --counts, --public-model, --held-out, --rows-per-person, "
                        "--neighbours, --seed, --dataset and --dry-run go with --epsilon"));
  RETURN_IF(o->counts && s.error_only,
            wrong_usage(err, "--error-only and --counts spend epsilon differently; give one"));
  TRY(noisy ? charged_run_begin(&s.ledger, true, true, &o->account, err)
            : ledger_guard(s.ledger.ledger, &s.data, 1, err));
  return charged_run_end(&s.ledger, score(&s, err));
}
