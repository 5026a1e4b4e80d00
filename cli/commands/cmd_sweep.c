/* dperm sweep: how often, or how far, models of many settings err, on public data; a line of CSV
 * for each. */
#define _GNU_SOURCE /* asprintf */
#include <dperm/sweep.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arguments/fit_settings.h"
#include "arguments/value_list.h"
#include "commands/charged_run.h"
#include "commands/commands.h"
#include "output/gnuplot.h"
#include "output/mpi_job.h"
#include "output/sweep_results.h"

static const char closing[] =
    "For public data only: errors are exact. --loss, --mechanism, --noise, --lambda and "
    "--epsilon take lists, such as --lambda 1e-4,1e-3,auto. Each of K folds is held out once; "
    "models with noise are drawn R times in each. error_se is the standard error of error_mean, "
    "from the spread between folds (between draws with --test-data).\n"
    "With --out FILE, finished work is kept in FILE.journal: after an interruption the same "
    "command continues from there, with the same result. It is removed when FILE is written.";

typedef struct sweep_settings {
  fit_settings fit;
  const char *mechanism, *noise, *epsilon; /* lists of what has one value in `fit` */
  const char *data, *schema, *test_data, *out, *ledger, *picture, *page;
  dperm_format format;
  size_t dims;
  sweep_story story;
  char *journal; /* beside the results; NULL without */
  bool json;
  sweep_metric metric;
} sweep_settings;

/* ---- the grid: every combination of five lists. Whether one makes sense, fit_settings says. */

enum { CELLS_MOST = 20000 };
enum { LOSS, MECHANISM, NOISE, LAMBDA, EPSILON };
static const char *const list_options[LISTS] = {"--loss", "--mechanism", "--noise", "--lambda",
                                                "--epsilon"};

/* What concerns the lists as a whole; each cell is checked by itself later. */
static dperm_status lists_agree(const fit_settings *fit, const word_list lists[LISTS],
                                bool epsilons, dperm_error *err) {
  const word_list *mechanisms = &lists[MECHANISM], *noises = &lists[NOISE];
  bool objective = word_list_has(mechanisms, "objective"),
       output = word_list_has(mechanisms, "output"), noisy = objective || output;
  size_t known = (size_t)objective + output + word_list_has(mechanisms, "none");
  const dperm_options *o = &fit->options;
  bool shaped =
      !isnan(o->delta_reg) || !isnan(o->norm_guess) || o->analysis != DPERM_ANALYSIS_TIGHT;
  const usage_rule rules[] = {
      {mechanisms->count > known, "--mechanism must be a list of objective, output and none"},
      {!epsilons && noisy, "--epsilon is missing: give one or several"},
      {epsilons && !noisy, "--epsilon does not go with --mechanism none"},
      {o->rows_per_person > 1 && !noisy, "--rows-per-person does not go with --mechanism none"},
      {fit->h && lists[LOSS].count == 1 && !loss_has_h(lists[LOSS].words[0]),
       "--h does not go with this --loss, which has no smooth piece"},
      {!isnan(fit->quantile) && !word_list_has(&lists[LOSS], "quantile"),
       "--quantile is for --loss quantile"},
      {shaped && !objective,
       "--delta-reg, --norm-guess and --analysis are for --mechanism objective"},
      {o->delta != 0 && !noisy, "--delta does not go with --mechanism none"},
      {output && !word_list_has(noises, "auto") && !word_list_has(noises, "l2") &&
           !word_list_has(noises, "gaussian"),
       "--mechanism output has l2 or gaussian noise only; add l2 to --noise, or leave output out"},
  };
  return usage_rules_hold(rules, sizeof rules / sizeof *rules, err);
}

/* Whether these words make a cell of their own. */
static bool counts(const word_list lists[LISTS], const char *const words[LISTS]) {
  if (strcmp(words[MECHANISM], "none") == 0) {
    return words[NOISE] == lists[NOISE].words[0] && words[EPSILON] == lists[EPSILON].words[0];
  }
  const char *only = word_list_has(&lists[NOISE], "l2") ? "l2" : "auto";
  return strcmp(words[MECHANISM], "output") != 0 || strcmp(words[NOISE], only) == 0 ||
         strcmp(words[NOISE], "gaussian") == 0;
}

static dperm_status add_cell(const fit_settings *fit, const char *const words[LISTS],
                             sweep_table *out, dperm_error *err) {
  bool none = strcmp(words[MECHANISM], "none") == 0,
       objective = strcmp(words[MECHANISM], "objective") == 0;
  sweep_line *line = &out->lines[out->count];
  fit_settings one = *fit;
  dperm_options *o = &one.options;
  int noise = none ? DPERM_NOISE_AUTO : choice_value(words[NOISE], noise_name, 0);
  RETURN_IF(noise < 0,
            wrong_usage(err, "--noise must be a list of kinds of noise, without \"%.40s\"",
                        words[NOISE]));
  one.loss = words[LOSS];
  one.lambda = words[LAMBDA];
  one.quantile = strcmp(one.loss, "quantile") == 0 ? fit->quantile : (double)NAN;
  one.h = loss_has_h(one.loss) ? fit->h : NULL; /* it is for the others of the list */
  o->mechanism = (dperm_mechanism)choice_value(words[MECHANISM], mechanism_name, 0);
  o->noise = (dperm_noise)noise;
  if (none) {
    o->delta = 0;
    o->rows_per_person = 1;
    o->neighbours = DPERM_NEIGHBOURS_REPLACE;
    o->rows_about = 0;
  } else if (!read_number(words[EPSILON], &o->epsilon) || !(o->epsilon > 0)) {
    return wrong_usage(err, "--epsilon must be positive, not \"%.40s\"", words[EPSILON]);
  }
  if (!objective) {
    o->delta_reg = o->norm_guess = (double)NAN;
    o->analysis = DPERM_ANALYSIS_TIGHT;
  }
  TRY(fit_settings_one(&one, &out->options[out->count], err));
  const dperm_options *made = &out->options[out->count];
  bool pure = !objective && o->delta == 0; /* output perturbation then has one kind */
  *line = (sweep_line){.loss = made->loss.name,
                       .mechanism = mechanism_name((int)made->mechanism),
                       .noise = none ? "" : noise_name(pure ? DPERM_NOISE_L2 : noise),
                       .lambda_given = {"auto"},
                       .automatic = isnan(made->lambda),
                       .epsilon = made->epsilon};
  if (!line->automatic) {
    line->lambda_given = shortest(made->lambda, 1);
  }
  if (!none) {
    line->epsilon_given = shortest(made->epsilon, 1);
  }
  out->count++;
  return DPERM_OK;
}

/* The cells of all lists, those of `fit` among them, into an empty table. What does not depend on a
 * list is one cell: "none" has no noise and no epsilon, output perturbation l2 noise only. */
static dperm_status sweep_grid_build(const sweep_settings *s, sweep_table *out, dperm_error *err) {
  const fit_settings *fit = &s->fit;
  const char *const texts[LISTS] = {fit->loss, s->mechanism, s->noise, fit->lambda, s->epsilon};
  OWNED(word_lists_free) word_list lists[LISTS] = {{NULL, 0}};
  TRY(word_lists_split(list_options, texts, "", lists, err));
  TRY(lists_agree(fit, lists, s->epsilon != NULL, err));
  size_t all = word_lists_combinations(lists);
  RETURN_IF(all > CELLS_MOST, wrong_usage(err, "%zu cells are too many", all));
  out->lines = calloc(all, sizeof *out->lines);
  out->options = calloc(all, sizeof *out->options);
  RETURN_IF(!out->lines || !out->options, out_of_memory(err));
  for (size_t i = 0; i < all; i++) {
    const char *words[LISTS];
    word_lists_combination(lists, i, words);
    TRY(counts(lists, words) ? add_cell(fit, words, out, err) : DPERM_OK);
  }
  return DPERM_OK;
}

/* ---- results */

static dperm_status write_cells(const sweep_table *table, const char *path, bool json,
                                dperm_error *err) {
  OWNED_MEMORY char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  if (out) {
    (json ? sweep_print_json : sweep_print_csv)(table, out);
  }
  return out && fclose(out) == 0 ? write_text(path, text, length, err) : out_of_memory(err);
}

/* A useless model errs as often as the commoner class is missing, which may look like little. */
static void say_baseline(const sweep_table *table) {
  size_t runs = 0, useless = 0;
  const struct sweep_figure *first = sweep_figure_of(table, &table->lines[0]);
  for (size_t i = 0; i < table->count; i++) {
    runs += table->lines[i].runs > 0;
    useless += table->lines[i].runs > 0 && sweep_useless(table, &table->lines[i]);
  }
  if (useless > 0 && table->metric == METRIC_ERROR) {
    note("%zu of %zu cell%s %s no better than always naming the most frequent class, which is "
         "wrong for %.4g of the records",
         useless, runs, plural(runs), useless == 1 ? "is" : "are", first->baseline);
  } else if (useless > 0 && table->numbers) {
    note("%zu of %zu cell%s %s no better than always saying the %s, which errs by %.4g", useless,
         runs, plural(runs), useless == 1 ? "is" : "are",
         table->metric == METRIC_MAE ? "median" : "mean", first->baseline);
  } else if (useless > 0) {
    note(
        "%zu of %zu cell%s %s no better than saying the same of every record, which has %s of %.4g",
        useless, runs, plural(runs), useless == 1 ? "is" : "are",
        table->metric == METRIC_AUC ? "an AUC" : "a log loss", first->baseline);
  }
}

/* By what is asked for, which the rows that judge have chosen. */
static void say_best(const sweep_table *table) {
  const sweep_line *best = NULL;
  size_t cells = 0;
  for (size_t i = 0; i < table->count; i++) {
    const sweep_line *line = &table->lines[i];
    const double mean = sweep_figure_of(table, line)->mean;
    cells += line->runs > 0 && !isnan(mean);
    if (line->runs > 0 && !isnan(mean) &&
        (!best ||
         sweep_cost(table, mean) < sweep_cost(table, sweep_figure_of(table, best)->mean))) {
      best = line;
    }
  }
  if (best && cells > 1) {
    note("best by %s: %s %s, noise %s, lambda %s, epsilon %s: %.4g", sweep_metric_words(table),
         best->loss, best->mechanism, *best->noise ? best->noise : "none", best->lambda_given.text,
         *best->epsilon_given.text ? best->epsilon_given.text : "none",
         sweep_figure_of(table, best)->mean);
  }
}

static void say(const sweep_table *table, const char *path) {
  size_t runs = 0, impossible = 0;
  say_baseline(table);
  say_best(table);
  for (size_t i = 0; i < table->count; i++) {
    const sweep_line *line = &table->lines[i];
    runs += line->runs;
    if (!line->runs) {
      impossible++;
      note("no fit for %s %s, noise %s, lambda %s, epsilon %s: %s", line->loss, line->mechanism,
           line->noise, line->lambda_given.text, line->epsilon_given.text,
           line->impossible ? line->impossible : "out of memory");
    }
  }
  if (path && strcmp(path, "-") != 0) {
    char without[64] = "";
    if (impossible) {
      (void)snprintf(without, sizeof without, "; %zu cell%s no fit", impossible,
                     impossible == 1 ? " has" : "s have");
    }
    note("%s: %zu cell%s, %zu model%s%s", path, table->count, plural(table->count), runs,
         plural(runs), without);
  }
}

/* ---- the sweep */

/* A folder, say, is better refused before the work than after; NULL is none. */
static dperm_status check_place(const char *out, dperm_error *err) {
  OWNED(dperm_output_free_at) dperm_output *place = NULL;
  return out && job_leads() ? dperm_output_open(out, &place, err) : DPERM_OK;
}

static dperm_status write_results(const sweep_settings *s, const sweep_table *table,
                                  dperm_error *err) {
  OWNED_MEMORY char *svg = NULL;
  TRY(write_cells(table, s->out, s->json, err));
  if (s->picture || s->page) {
    TRY(sweep_picture_draw(table, &svg, err));
  }
  TRY(s->picture ? write_text(s->picture, svg, strlen(svg), err) : DPERM_OK);
  return s->page ? sweep_report_write(table, &s->story, svg, s->page, err) : DPERM_OK;
}

/* A dperm_sweep_visitor: what was found. */
static void keep_cell(void *table, const dperm_sweep_cell *cell) {
  sweep_line *line = &((sweep_table *)table)->lines[cell->index];
  ((sweep_table *)table)->numbers = !isnan(cell->baseline_rmse);
  line->lambda = cell->lambda;
  line->figures[METRIC_ERROR] =
      (struct sweep_figure){cell->error_mean, cell->error_se, cell->baseline};
  line->figures[METRIC_AUC] = (struct sweep_figure){cell->auc_mean, cell->auc_se, 0.5};
  line->figures[METRIC_LOG_LOSS] =
      (struct sweep_figure){cell->log_loss_mean, cell->log_loss_se, cell->baseline_log_loss};
  line->figures[METRIC_RMSE] =
      (struct sweep_figure){cell->rmse_mean, cell->rmse_se, cell->baseline_rmse};
  line->figures[METRIC_MAE] =
      (struct sweep_figure){cell->mae_mean, cell->mae_se, cell->baseline_mae};
  line->runs = cell->runs;
  line->impossible = cell->impossible ? strdup(cell->impossible) : NULL;
}

static void sweep_table_free(sweep_table *table) {
  for (size_t i = 0; i < table->count; i++) {
    free(table->lines[i].impossible);
  }
  free(table->lines);
  free(table->options);
}

static dperm_status run_cells(const sweep_settings *s, const dperm_data *data,
                              const dperm_data *test, sweep_table *table, dperm_error *err) {
  struct stat about;
  bool begun = s->journal && stat(s->journal, &about) == 0;
  dperm_sweep_options how;
  dperm_sweep_options_init(&how);
  how.folds = s->story.folds;
  how.draws = s->story.draws;
  how.seed = s->story.seed;
  how.test_data = test;
  how.threads = s->fit.options.threads;
  how.journal = s->journal;
  how.progress = *progress_bar();
  TRY(dperm_sweep(data, table->options, table->count, &how, keep_cell, table, err));
  progress_bar_wipe();
  if (begun) { /* the library has taken it */
    note("went on with %s", s->journal);
  }
  return DPERM_OK;
}

/* What cells are compared by, once it is known what the label is. */
static dperm_status settle_metric(const sweep_settings *s, sweep_table *table, dperm_error *err) {
  table->metric = s->metric == METRIC_ERROR && table->numbers && !argument_given(&s->metric)
                      ? METRIC_RMSE
                      : s->metric;
  RETURN_IF((table->metric >= METRIC_RMSE) != table->numbers,
            wrong_usage(err, "the label is %s; give --metric %s",
                        table->numbers ? "a number" : "a class",
                        table->numbers ? "rmse or mae" : "error, auc or log-loss"));
  return DPERM_OK;
}

/* The journal beside the file goes when all files are there. */
static dperm_status sweep(sweep_settings *s, const dperm_schema *schema, sweep_table *table,
                          dperm_error *err) {
  OWNED(dperm_data_free_at) dperm_data *data = NULL, *test = NULL;
  const char *const places[] = {s->journal ? NULL : s->out, s->picture, s->page};
  for (int i = 0; i < 3; i++) {
    TRY(check_place(places[i], err));
  }
  dperm_source source = {
      .path = s->data, .format = s->format, .schema = schema, .dims = s->dims, .no_identity = 1};
  TRY(dperm_data_read_spread(&source, job_ranks(), progress_bar(), &data, err));
  if (s->test_data) {
    source.path = s->test_data;
    TRY(dperm_data_read_spread(&source, job_ranks(), progress_bar(), &test, err));
  }
  s->story.data = data;
  s->story.test_data = test;
  size_t spends = 0; /* the first cell that has a delta: all that do have the same */
  while (spends + 1 < table->count && table->options[spends].delta == 0) {
    spends++;
  }
  if (job_leads() && table->count > 0) {
    fit_warn(&table->options[spends], dperm_data_rows(data));
  }
  TRY(run_cells(s, data, test, table, err));
  if (job_leads()) { /* whose cells have been visited */
    TRY(settle_metric(s, table, err));
  }
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

static const char *metric_name(int metric) {
  static const char *const words[] = {"error", "auc", "log-loss", "rmse", "mae", NULL};
  return words[metric];
}

dperm_status run_sweep(int argc, char **argv, dperm_error *err) {
  sweep_settings s = {
      .mechanism = "objective",
      .noise = "auto",
      .story = {.words = (const char *const *)argv, .folds = 10, .draws = 10, .seed = 1}};
  enum { OWN = 15, ALL = OWN + FIT_ARGUMENTS };
  argument table[ALL] = {
      {"--data", ARGUMENT_INPUT, &s.data, true, "FILE", "the records, which must be public"},
      shared_argument("--schema", &s.schema),
      {"--out", ARGUMENT_OUTPUT, &s.out, false, "FILE",
       "file to write the cells to (default: standard output)"},
      {"--test-data", ARGUMENT_INPUT, &s.test_data, false, "FILE",
       "records to count errors on, instead of cross-validation", GROUP_DATA},
      {"--folds", ARGUMENT_COUNT, &s.story.folds, false, "K",
       "number of cross-validation folds (default: 10)", GROUP_DATA},
      {"--draws", ARGUMENT_COUNT, &s.story.draws, false, "R", "noise draws per fold (default: 10)",
       GROUP_DATA},
      {"--seed", ARGUMENT_SEED, &s.story.seed, false, "N", "seed for folds and noise (default: 1)",
       GROUP_DATA},
      shared_argument("--format", &s.format),
      shared_argument("--dims", &s.dims),
      shared_argument("--threads", &s.fit.options.threads),
      ledger_guard_argument(&s.ledger),
      {"--plot", ARGUMENT_OUTPUT, &s.picture, false, "FILE", "plot to write, .svg (needs gnuplot)",
       GROUP_OUTPUT},
      {"--html", ARGUMENT_OUTPUT, &s.page, false, "FILE",
       "page to write, with the plot and all cells (needs gnuplot)", GROUP_OUTPUT},
      {"--json", ARGUMENT_FLAG, &s.json, false, NULL, "write the cells as JSON, not CSV",
       GROUP_OUTPUT},
      {"--metric", ARGUMENT_CHOICE, &s.metric, false, NULL,
       "what cells are compared and drawn by (default: error; rmse of a numeric label)",
       GROUP_OUTPUT, metric_name, 0},
  };
  fit_settings_init(&s.fit, FIT_SWEEP, table + OWN);
  for (size_t i = OWN; i < ALL; i++) { /* those that are lists here */
    const char *name = table[i].name;
    const char **list = strcmp(name, "--epsilon") == 0     ? &s.epsilon
                        : strcmp(name, "--mechanism") == 0 ? &s.mechanism
                        : strcmp(name, "--noise") == 0     ? &s.noise
                                                           : NULL;
    if (list) {
      table[i].kind = ARGUMENT_TEXT;
      table[i].target = list;
    }
  }
  TRY(arguments_parse(table, ALL, argc, argv, closing, err));
  RETURN_IF(s.test_data && argument_given(&s.story.folds),
            wrong_usage(err, "--folds does not go with --test-data"));
  OWNED(sweep_table_free) sweep_table cells = {0};
  const char *const records[] = {s.data, s.test_data};
  OWNED_MEMORY char *journal = NULL;
  if (s.out && file_is_plain(s.out) && asprintf(&journal, "%s.journal", s.out) < 0) {
    journal = NULL;
    return out_of_memory(err);
  }
  s.journal = journal;
  TRY(journal ? file_allowed("the journal of --out", journal, table, ALL, err) : DPERM_OK);
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  if (s.schema) {
    TRY(dperm_schema_read(s.schema, &schema, err));
    cells.numbers = !dperm_schema_class_name(schema, 0);
    s.fit.loss = cells.numbers && !argument_given(&s.fit.loss) ? "log-cosh" : s.fit.loss;
    TRY(settle_metric(&s, &cells, err));
  }
  TRY(sweep_grid_build(&s, &cells, err));
  TRY(ledger_guard(s.ledger, records, 2, err));
  if (job_leads() && (s.picture || s.page)) { /* before the long work */
    TRY(gnuplot_check(s.picture, err));
  }
  return sweep(&s, schema, &cells, err);
}
