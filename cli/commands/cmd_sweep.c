/* dperm sweep: how often models of many settings err, on public data; a line of CSV for each. */
#define _GNU_SOURCE /* asprintf */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arguments/arguments.h"
#include "arguments/choices.h"
#include "arguments/file_guard.h"
#include "arguments/share_settings.h"
#include "commands/commands.h"
#include "commands/ledger_settings.h"
#include "commands/sweep_grid.h"
#include "output/atomic_file.h"
#include "output/gnuplot.h"
#include "output/handles.h"
#include "output/json_report.h"
#include "output/message.h"
#include "output/mpi_job.h"
#include "output/progress_bar.h"
#include "output/sweep_picture.h"
#include "output/sweep_report.h"

static const char closing[] =
    "For public data: errors are exact counts. Lists go with --loss, --mechanism, --noise, "
    "--lambda and --epsilon: --lambda 1e-4,1e-3,auto. Each of K folds is held out once; models "
    "with noise are drawn R times in each. error_se is the standard error of error_mean, from the "
    "spread between folds (between draws with --test-data).\n"
    "With --out FILE, what is done is kept in FILE.journal: after an interruption the same "
    "command goes on from there, with the same result. It is removed when FILE is written.";

typedef struct sweep_settings {
  fit_settings fit;
  const char *data, *schema, *test_data, *out, *format, *epsilons, *ledger, *picture, *page;
  size_t dims, threads;
  sweep_story story;
  char *journal; /* beside the results; NULL without */
  bool json;
} sweep_settings;

/* ---- results */

/* The same cells for programs, with lambda as it was used. */
static void print_json(const sweep_table *table, FILE *out) {
  json_auto_t *cells = json_array();
  for (size_t i = 0; i < table->count; i++) {
    const sweep_line *line = &table->lines[i];
    const dperm_options *o = &table->options[i];
    bool noisy = sweep_is_private(line);
    (void)json_array_append_new(
        cells,
        json_pack("{s:s, s:s, s:s?, s:s, s:o, s:s, s:o, s:o, s:s?, s:o, s:o, s:I, s:o}", "loss",
                  line->loss, "mechanism", line->mechanism, "noise", noisy ? line->noise : NULL,
                  "multiclass", dperm_multiclass_name(o->multiclass), "lambda",
                  report_figure(line->lambda), "lambda_given", line->lambda_given, "epsilon",
                  report_figure(line->epsilon), "delta_given",
                  noisy ? report_figure(o->delta) : json_null(), "neighbours",
                  noisy ? dperm_neighbours_name(o->neighbours) : NULL, "error_mean",
                  report_figure(line->error_mean), "error_se", report_figure(line->error_se),
                  "runs", (json_int_t)line->runs, "impossible", json_words(line->impossible)));
  }
  (void)json_dumpf(cells, out, JSON_INDENT(2) | JSON_ENSURE_ASCII);
  (void)fputc('\n', out);
}

static void print_csv(const sweep_table *table, FILE *out) {
  fprintf(out, "loss,mechanism,noise,lambda,epsilon,error_mean,error_se,runs\n");
  for (size_t i = 0; i < table->count; i++) {
    const sweep_line *line = &table->lines[i];
    fprintf(out, "%s,%s,%s,%s,%s,", line->loss, line->mechanism, line->noise, line->lambda_given,
            line->epsilon_given);
    fprintf(out, isfinite(line->error_mean) ? "%.6f," : ",", line->error_mean);
    fprintf(out, isfinite(line->error_se) ? "%.6f," : ",", line->error_se);
    fprintf(out, "%zu\n", line->runs);
  }
}

static dperm_status write_cells(const sweep_table *table, const char *path, bool json,
                                dperm_error *err) {
  OWNED(atomic_file_discard) atomic_file file = {0};
  TRY(atomic_file_open(path, &file, err));
  (json ? print_json : print_csv)(table, file.stream);
  return atomic_file_commit(&file, err);
}

static void say(const sweep_table *table, const char *path) {
  size_t runs = 0, impossible = 0;
  for (size_t i = 0; i < table->count; i++) {
    const sweep_line *line = &table->lines[i];
    runs += line->runs;
    if (!line->runs) {
      impossible++;
      note("no fit for %s %s, noise %s, lambda %s, epsilon %s: %s", line->loss, line->mechanism,
           line->noise, line->lambda_given, line->epsilon_given,
           line->impossible ? line->impossible : "out of memory");
    }
  }
  if (path && strcmp(path, "-") != 0) {
    char without[64] = "";
    if (impossible) {
      (void)snprintf(without, sizeof without, "; %zu cells have no fit", impossible);
    }
    note("%s: %zu cells, %zu models%s", path, table->count, runs, without);
  }
}

/* ---- the sweep */

/* A folder, say, is better refused before the work than after; NULL is none. */
static dperm_status check_place(const char *out, dperm_error *err) {
  OWNED(atomic_file_discard) atomic_file file = {0};
  return out && job_leads() ? atomic_file_open(out, &file, err) : DPERM_OK;
}

static dperm_status write_results(const sweep_settings *s, const sweep_table *table,
                                  dperm_error *err) {
  TRY(write_cells(table, s->out, s->json, err));
  if (s->picture) {
    TRY(sweep_picture_write(table, s->picture, err));
  }
  return s->page ? sweep_report_write(table, &s->story, s->page, err) : DPERM_OK;
}

/* A journal that is gone on with is named once the library has taken it: with the first work. */
static void say_taken_up(const char **journal) {
  if (*journal) {
    note("going on with %s", *journal);
    *journal = NULL;
  }
}

static bool tick_sweep(void *context, const char *stage, uint64_t done, uint64_t total) {
  if (strcmp(stage, "sweeping") == 0) {
    say_taken_up(context);
  }
  return progress_bar()->tick(progress_bar()->context, stage, done, total);
}

static dperm_status run_cells(const sweep_settings *s, const dperm_data *data,
                              const dperm_data *test, sweep_table *table, dperm_error *err) {
  struct stat about;
  const char *begun = s->journal && stat(s->journal, &about) == 0 ? s->journal : NULL;
  dperm_sweep_options how;
  dperm_sweep_options_init(&how);
  how.folds = s->story.folds;
  how.draws = s->story.draws;
  how.seed = s->story.seed;
  how.test_data = test;
  how.threads = (int)s->threads;
  how.journal = s->journal;
  how.progress = (dperm_progress){tick_sweep, &begun};
  TRY(dperm_sweep(data, table->options, table->count, &how, sweep_table_keep, table, err));
  progress_bar_wipe();
  say_taken_up(&begun);
  return DPERM_OK;
}

/* The journal beside the file goes when all files are there. */
static dperm_status sweep(sweep_settings *s, sweep_table *table, dperm_format format,
                          dperm_error *err) {
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  OWNED(dperm_data_free_at) dperm_data *data = NULL, *test = NULL;
  const char *const places[] = {s->journal ? NULL : s->out, s->picture, s->page};
  for (int i = 0; i < 3; i++) {
    TRY(check_place(places[i], err));
  }
  if (s->schema) {
    TRY(dperm_schema_read(s->schema, &schema, err));
  }
  dperm_source source = {
      .path = s->data, .format = format, .schema = schema, .dims = s->dims, .no_identity = 1};
  TRY(dperm_data_read_spread(&source, job_ranks(), progress_bar(), &data, err));
  if (s->test_data) {
    source.path = s->test_data;
    TRY(dperm_data_read_spread(&source, job_ranks(), progress_bar(), &test, err));
  }
  s->story.schema = schema;
  s->story.data = data;
  s->story.test_data = test;
  size_t spends = 0; /* the first cell that has a delta: all that do have the same */
  while (spends + 1 < table->count && table->options[spends].delta == 0) {
    spends++;
  }
  if (job_leads() && table->count > 0) {
    delta_warn(&table->options[spends], dperm_data_rows(data));
  }
  TRY(run_cells(s, data, test, table, err));
  if (!job_leads()) {
    return DPERM_OK;
  }
  TRY(write_results(s, table, err));
  if (s->journal) {
    (void)unlink(s->journal);
  }
  say(table, s->out);
  return DPERM_OK;
}

/* What pictures need is asked before the long work. */
static bool check_pictures(const sweep_settings *s) {
  dperm_error err;
  if (s->picture && !path_ends(s->picture, ".svg") && !path_ends(s->picture, ".png")) {
    return refuse(
        wrong_usage("the name after --plot ends in .svg or .png, not \"%s\"", s->picture));
  }
  return (!s->picture && !s->page) || gnuplot_check(&err) == DPERM_OK || refuse(report_error(&err));
}

int run_sweep(int argc, char **argv) {
  sweep_settings s = {
      .story = {.words = (const char *const *)argv, .folds = 10, .draws = 10, .seed = 1}};
  share_settings shares;
  enum { OWN = 15 + SHARE_ARGUMENTS };
  argument table[OWN + FIT_ARGUMENTS] = {
      {"--data", ARGUMENT_INPUT, &s.data, true, "FILE", "the records, which are public"},
      {"--schema", ARGUMENT_INPUT, &s.schema, false, "FILE", "how they are encoded (JSON)"},
      {"--test-data", ARGUMENT_INPUT, &s.test_data, false, "FILE",
       "count errors on these instead of on folds"},
      {"--out", ARGUMENT_OUTPUT, &s.out, false, "FILE", "where the cells go (standard output)"},
      {"--format", ARGUMENT_TEXT, &s.format, false, choices(format_name, DPERM_FORMAT_CSV),
       "when the file's name does not tell"},
      {"--dims", ARGUMENT_COUNT, &s.dims, false, "D", "columns of svmlight data"},
      {"--folds", ARGUMENT_COUNT, &s.story.folds, false, "K", "folds of the cross-validation (10)"},
      {"--draws", ARGUMENT_COUNT, &s.story.draws, false, "R",
       "draws of the noise in each fold (10)"},
      {"--seed", ARGUMENT_SEED, &s.story.seed, false, "N", "of folds and noise (1)"},
      {"--threads", ARGUMENT_COUNT, &s.threads, false, "N",
       "default: $DPERM_THREADS, or all cores; results do not depend on it"},
      {"--plot", ARGUMENT_OUTPUT, &s.picture, false, "FILE",
       "a picture, .svg or .png (needs gnuplot)"},
      {"--html", ARGUMENT_OUTPUT, &s.page, false, "FILE",
       "a page with figures, tables and plans (needs gnuplot)"},
      {"--json", ARGUMENT_FLAG, &s.json, false, NULL, "cells as JSON instead of CSV"},
      refine_elsewhere_argument(&s.fit.bins.refine),
      ledger_guard_argument(&s.ledger),
  };
  dperm_format format = DPERM_FORMAT_AUTO;
  share_settings_init(&shares, true, table + 15);
  fit_settings_init(&s.fit, table + OWN);
  for (size_t i = OWN; i < OWN + FIT_ARGUMENTS; i++) {
    if (strcmp(table[i].name, "--epsilon") == 0) {
      table[i] = (argument){"--epsilon", ARGUMENT_TEXT, &s.epsilons, false, "E", "one or several"};
    }
  }
  if (!arguments_parse(table, sizeof table / sizeof *table, argc, argv, closing) ||
      !refine_elsewhere(s.fit.bins.refine) || !share_settings_elsewhere(&shares) ||
      !parse_format(s.format, &format)) {
    return refused();
  }
  if (s.test_data && argument_given(&s.story.folds)) {
    return wrong_usage("--folds does not go with --test-data");
  }
  if (s.threads > 4096) {
    return wrong_usage("--threads must be at most 4096");
  }
  OWNED(sweep_table_free) sweep_table cells = {0};
  const char *const records[] = {s.data, s.test_data};
  OWNED_MEMORY char *journal = NULL;
  if (atomic_file_plain(s.out) && asprintf(&journal, "%s.journal", s.out) < 0) {
    journal = NULL;
    return complain_of_memory();
  }
  s.journal = journal;
  if ((journal &&
       !file_allowed("the journal of --out", journal, table, sizeof table / sizeof *table)) ||
      !sweep_grid_build(&s.fit, s.epsilons, &cells) || !ledger_guard(s.ledger, records, 2) ||
      (job_leads() && !check_pictures(&s))) {
    return refused();
  }
  dperm_error err;
  return sweep(&s, &cells, format, &err) == DPERM_OK ? 0 : report_error(&err);
}
