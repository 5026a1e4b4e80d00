/* dperm sweep: how often models of many settings err, on public data; a line of CSV for each. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arguments.h"
#include "choices.h"
#include "file_guard.h"
#include "json_print.h"
#include "ledger_guard.h"
#include "session.h"
#include "sweep_grid.h"
#include "sweep_show.h"
#include "whole_file.h"

static const char closing[] =
    "For public data: errors are exact counts. Lists go with --loss, --mechanism, --noise, "
    "--lambda and --epsilon: --lambda 1e-4,1e-3,auto. Each of K folds is held out once; models "
    "with noise are drawn R times in each. error_se is the standard error of error_mean, from the "
    "spread between folds (between draws with --test-data).\n"
    "With --out FILE, what is done is kept in FILE.journal: after an interruption the same "
    "command goes on from there, with the same result. It is removed when FILE is written.";

typedef struct sweep_settings {
  fit_settings fit;
  const char *data, *schema, *test_data, *out, *format, *epsilons, *ledger;
  size_t dims, threads, folds, draws;
  uint64_t seed;
  const char *const *words; /* of the command, for the page */
  sweep_show show;
  bool json;
} sweep_settings;

/* ---- results */

/* One cell, as the library tells it and in words. */
typedef struct result {
  dperm_sweep_cell cell;
  char *impossible; /* a copy, or NULL */
} result;

typedef struct results {
  const sweep_grid *grid;
  result *all; /* one for each cell of the grid */
  size_t runs, impossible;
} results;

static void keep_cell(void *context, const dperm_sweep_cell *cell) {
  results *r = context;
  result *to = &r->all[cell->index];
  to->cell = *cell;
  to->cell.errors = NULL; /* the library's own */
  to->impossible = cell->impossible ? strdup(cell->impossible) : NULL;
  r->runs += cell->runs;
  r->impossible += cell->impossible != NULL;
}

static void free_results(results *r) {
  for (size_t i = 0; r->all && i < r->grid->count; i++) {
    free(r->all[i].impossible);
  }
  free(r->all);
}

static void print_share(FILE *csv, double value) {
  if (isfinite(value)) {
    fprintf(csv, "%.6f,", value);
  } else {
    fputc(',', csv);
  }
}

static void print_number(FILE *out, const char *name, double value) {
  fprintf(out, isfinite(value) ? ", \"%s\": %.17g" : ", \"%s\": null", name, value);
}

/* The same cells for programs, with lambda as it was used. */
static void print_json(const results *r, FILE *out) {
  fprintf(out, "[");
  for (size_t i = 0; i < r->grid->count; i++) {
    const sweep_words *w = &r->grid->words[i];
    const dperm_sweep_cell *cell = &r->all[i].cell;
    bool noisy = strcmp(w->mechanism, "none") != 0;
    fprintf(out, "%s\n  {\"loss\": \"%s\", \"mechanism\": \"%s\", \"noise\": ", i ? "," : "",
            w->loss, w->mechanism);
    json_quote(out, noisy ? w->noise : NULL);
    print_number(out, "lambda", cell->lambda);
    fprintf(out, ", \"lambda_given\": \"%s\"", w->lambda);
    print_number(out, "epsilon", noisy ? r->grid->options[i].epsilon : (double)NAN);
    print_number(out, "error_mean", cell->error_mean);
    print_number(out, "error_se", cell->error_se);
    fprintf(out, ", \"runs\": %zu, \"impossible\": ", cell->runs);
    json_quote(out, r->all[i].impossible);
    fprintf(out, "}");
  }
  fprintf(out, "\n]\n");
}

static void print_csv(const results *r, FILE *out) {
  fprintf(out, "loss,mechanism,noise,lambda,epsilon,error_mean,error_se,runs\n");
  for (size_t i = 0; i < r->grid->count; i++) {
    const sweep_words *w = &r->grid->words[i];
    const dperm_sweep_cell *cell = &r->all[i].cell;
    fprintf(out, "%s,%s,%s,%s,%s,", w->loss, w->mechanism, w->noise, w->lambda, w->epsilon);
    print_share(out, cell->error_mean);
    print_share(out, cell->error_se);
    fprintf(out, "%zu\n", cell->runs);
  }
}

static bool write_cells(const results *r, const char *path, bool json) {
  whole_file file;
  dperm_error err;
  if (whole_file_open(path, &file, &err) != DPERM_OK) {
    return report_error(&err) == 0;
  }
  (json ? print_json : print_csv)(r, file.stream);
  return whole_file_commit(&file, &err) == DPERM_OK || report_error(&err) == 0;
}

static void say(const results *r, const char *path) {
  for (size_t i = 0; i < r->grid->count; i++) {
    const sweep_words *w = &r->grid->words[i];
    if (r->all[i].cell.impossible) {
      note("no fit for %s %s, noise %s, lambda %s, epsilon %s: %s", w->loss, w->mechanism, w->noise,
           w->lambda, w->epsilon, r->all[i].impossible ? r->all[i].impossible : "out of memory");
    }
  }
  if (path && strcmp(path, "-") != 0) {
    char without[64] = "";
    if (r->impossible) {
      (void)snprintf(without, sizeof without, "; %zu cells have no fit", r->impossible);
    }
    note("%s: %zu cells, %zu models%s", path, r->grid->count, r->runs, without);
  }
}

/* ---- the sweep */

/* Of the processes of a job one hears the results and writes. */
static bool leads(void) {
  return dperm_ranks_rank(session_ranks()) == 0;
}

static dperm_status read_all(const sweep_settings *s, dperm_format format, dperm_schema **schema,
                             dperm_data **data, dperm_data **test, dperm_error *err) {
  dperm_status status = s->schema ? dperm_schema_read(s->schema, schema, err) : DPERM_OK;
  dperm_source source = {
      .path = s->data, .format = format, .schema = *schema, .dims = s->dims, .no_identity = 1};
  if (status == DPERM_OK) {
    status = dperm_data_read_spread(&source, session_ranks(), session_progress(), data, err);
  }
  source.path = s->test_data;
  if (status == DPERM_OK && s->test_data) {
    status = dperm_data_read_spread(&source, session_ranks(), session_progress(), test, err);
  }
  return status;
}

/* The picture and the page, for those who asked. */
static bool write_shows(sweep_settings *s, const results *found, const dperm_schema *schema,
                        const dperm_data *data, const dperm_data *test) {
  const sweep_story story = {.words = s->words,
                             .rows = dperm_data_rows(data),
                             .dims = dperm_data_dims(data),
                             .test_rows = test ? dperm_data_rows(test) : 0,
                             .folds = s->folds,
                             .draws = s->draws,
                             .seed = s->seed};
  for (size_t i = 0; i < found->grid->count; i++) {
    if (!sweep_show_add(&s->show, found->grid, &found->all[i].cell)) {
      (void)complain_of_memory();
      return false;
    }
  }
  return sweep_show_write(&s->show, found->grid, schema, story);
}

/* A journal that is gone on with is named once the library has taken it: with the first work. */
typedef struct taking_up {
  const char *journal; /* NULL when it is said, or there was none */
} taking_up;

static void say_taken_up(taking_up *t) {
  if (t->journal) {
    note("going on with %s", t->journal);
    t->journal = NULL;
  }
}

static int tick_sweep(void *context, const char *stage, uint64_t done, uint64_t total) {
  if (strcmp(stage, "sweeping") == 0) {
    say_taken_up(context);
  }
  return session_progress()->tick(session_progress()->context, stage, done, total);
}

/* The journal beside the file goes when all files are there. */
static int sweep_to_file(sweep_settings *s, results *found, const dperm_schema *schema,
                         const dperm_data *data, const dperm_data *test, const char *journal) {
  dperm_error err;
  dperm_sweep_options how;
  struct stat about;
  dperm_sweep_options_init(&how);
  how.folds = s->folds;
  how.draws = s->draws;
  how.seed = s->seed;
  how.test_data = test;
  how.journal = journal;
  how.threads = (int)s->threads;
  taking_up begun = {journal && stat(journal, &about) == 0 ? journal : NULL};
  how.progress = (dperm_progress){tick_sweep, &begun};
  if (dperm_sweep(data, found->grid->options, found->grid->count, &how, keep_cell, found, &err) !=
      DPERM_OK) {
    return report_error(&err);
  }
  session_quiet();
  say_taken_up(&begun);
  if (!leads()) {
    return 0;
  }
  if (!write_cells(found, s->out, s->json) || !write_shows(s, found, schema, data, test)) {
    return EXIT_WORK_FAILED;
  }
  if (journal) {
    (void)unlink(journal);
  }
  say(found, s->out);
  return 0;
}

/* FILE.journal beside a plain file; NULL for standard output and devices. */
static char *journal_beside(const char *out) {
  if (!out || !whole_file_plain(out)) {
    return NULL;
  }
  size_t size = strlen(out) + sizeof ".journal";
  char *journal = malloc(size);
  if (journal) {
    (void)snprintf(journal, size, "%s.journal", out);
  }
  return journal;
}

/* The journal is a second output. */
static bool journal_allowed(const sweep_settings *s, const argument *table, size_t count) {
  char *journal = journal_beside(s->out);
  bool good = !journal || file_allowed("the journal of --out", journal, table, count);
  free(journal);
  return good;
}

/* A folder, say, is better refused before the work than after. */
static bool can_write(const char *out) {
  whole_file file;
  dperm_error err;
  if (!leads()) {
    return true;
  }
  if (whole_file_open(out, &file, &err) != DPERM_OK) {
    return report_error(&err) == 0;
  }
  whole_file_discard(&file);
  return true;
}

static int sweep(sweep_settings *s, const sweep_grid *grid, dperm_format format) {
  dperm_error err;
  dperm_schema *schema = NULL;
  dperm_data *data = NULL, *test = NULL;
  results found = {grid, calloc(grid->count, sizeof(result)), 0, 0};
  char *journal = journal_beside(s->out);
  int exit_status = EXIT_WORK_FAILED;
  if (!found.all || (!journal && whole_file_plain(s->out))) {
    (void)complain_of_memory();
  } else if ((!journal && !can_write(s->out)) || (s->show.picture && !can_write(s->show.picture)) ||
             (s->show.page && !can_write(s->show.page))) {
    exit_status = EXIT_WORK_FAILED;
  } else if (read_all(s, format, &schema, &data, &test, &err) != DPERM_OK) {
    exit_status = report_error(&err);
  } else {
    exit_status = sweep_to_file(s, &found, schema, data, test, journal);
  }
  free_results(&found);
  free(journal);
  dperm_data_free(test);
  dperm_data_free(data);
  dperm_schema_free(schema);
  return exit_status;
}

int run_sweep(int argc, char **argv) {
  sweep_settings s = {.folds = 10, .draws = 10, .seed = 1};
  enum { OWN = 14 };
  argument table[OWN + FIT_ARGUMENTS] = {
      {"--data", ARGUMENT_INPUT, &s.data, true, "FILE", "the records, which are public"},
      {"--schema", ARGUMENT_INPUT, &s.schema, false, "FILE", "how they are encoded (JSON)"},
      {"--test-data", ARGUMENT_INPUT, &s.test_data, false, "FILE",
       "count errors on these instead of on folds"},
      {"--out", ARGUMENT_OUTPUT, &s.out, false, "FILE", "where the cells go (standard output)"},
      {"--format", ARGUMENT_TEXT, &s.format, false, choices(format_name, DPERM_FORMAT_CSV),
       "when the file's name does not tell"},
      {"--dims", ARGUMENT_COUNT, &s.dims, false, "D", "columns of svmlight data"},
      {"--folds", ARGUMENT_COUNT, &s.folds, false, "K", "folds of the cross-validation (10)"},
      {"--draws", ARGUMENT_COUNT, &s.draws, false, "R", "draws of the noise in each fold (10)"},
      {"--seed", ARGUMENT_SEED, &s.seed, false, "N", "of folds and noise (1)"},
      {"--threads", ARGUMENT_COUNT, &s.threads, false, "N",
       "default: $DPERM_THREADS, or all cores; results do not depend on it"},
      {"--plot", ARGUMENT_OUTPUT, &s.show.picture, false, "FILE",
       "a picture, .svg or .png (needs gnuplot)"},
      {"--html", ARGUMENT_OUTPUT, &s.show.page, false, "FILE",
       "a page with figures, tables and plans (needs gnuplot)"},
      {"--json", ARGUMENT_FLAG, &s.json, false, NULL, "cells as JSON instead of CSV"},
      ledger_guard_argument(&s.ledger),
  };
  dperm_format format = DPERM_FORMAT_AUTO;
  sweep_grid grid;
  fit_settings_init(&s.fit, table + OWN);
  for (size_t i = OWN; i < OWN + FIT_ARGUMENTS; i++) {
    if (strcmp(table[i].name, "--epsilon") == 0) {
      table[i] = (argument){"--epsilon", ARGUMENT_TEXT, &s.epsilons, false, "E", "one or several"};
    }
  }
  if (!arguments_parse(table, sizeof table / sizeof *table, argc, argv, closing) ||
      !parse_format(s.format, &format)) {
    return refused();
  }
  if (s.test_data && argument_given(&s.folds)) {
    return wrong_usage("--folds does not go with --test-data");
  }
  if (s.threads > 4096) {
    return wrong_usage("--threads must be at most 4096");
  }
  if (!journal_allowed(&s, table, sizeof table / sizeof *table) ||
      !sweep_grid_build(&s.fit, s.epsilons, &grid)) {
    return refused();
  }
  s.words = (const char *const *)argv;
  const char *const records[] = {s.data, s.test_data};
  if (!ledger_guard(s.ledger, records, 2)) {
    sweep_grid_free(&grid);
    return refused();
  }
  int exit_status = !leads() || sweep_show_check(&s.show) ? sweep(&s, &grid, format) : refused();
  sweep_show_free(&s.show);
  sweep_grid_free(&grid);
  return exit_status;
}
