/* dperm demo: the story of privacy on records that are nobody's: what it costs in accuracy, at what
 * epsilon, by which mechanism, and where the model is. */
#include <dperm/score.h>
#include <dperm/synthetic.h>
#include <errno.h>
#include <math.h>
#include <sys/stat.h>

#include "commands/commands.h"

enum { BAR = 28, ROWS_MOST = 10000000 };

/* ---- the files: those of an earlier demo may be replaced, but only as it has left them:
 * .dperm-demo, its last one, has a line for each. A link is never a demo's. */

enum { DEMO_PATH_SIZE = 4096, NOTE_SIZE = 96 };

typedef enum demo_file {
  DEMO_SCHEMA,
  DEMO_PEOPLE,
  DEMO_OTHERS,
  DEMO_MODEL,
  DEMO_PREDICTIONS,
  DEMO_LAST,
  DEMO_FILES
} demo_file;

static const char *const names[DEMO_FILES] = {"schema.json", "people.csv",      "others.csv",
                                              "model.json",  "predictions.csv", ".dperm-demo"};

/* A file as it is now; false if there is none. */
static bool note_file(const char *path, const char *name, char note[NOTE_SIZE]) {
  struct stat about;
  return lstat(path, &about) == 0 &&
         snprintf(note, NOTE_SIZE, "%s %o %lld %lld.%09ld\n", name, about.st_mode,
                  (long long)about.st_size, (long long)about.st_ctim.tv_sec,
                  about.st_ctim.tv_nsec) > 0;
}

/* Makes the folder and the names. Fails if a file is there that is not as a demo has left it. */
static dperm_status claim_files(const char *folder, char paths[DEMO_FILES][DEMO_PATH_SIZE],
                                dperm_error *err) {
  char note[NOTE_SIZE], notes[DEMO_FILES * NOTE_SIZE] = "";
  RETURN_IF(mkdir(folder, 0777) != 0 && errno != EEXIST,
            fail(err, DPERM_IO_ERROR, "%.512s: cannot make the folder (%s); choose another --out",
                 folder, strerror(errno)));
  for (size_t i = DEMO_FILES; i-- > 0;) {
    (void)snprintf(paths[i], DEMO_PATH_SIZE, "%s/%s", folder, names[i]);
    TRY(dperm_output_check(paths[i], err));
    OWNED_STREAM FILE *last = i == DEMO_LAST ? fopen(paths[i], "r") : NULL;
    notes[last ? fread(notes, 1, sizeof notes - 1, last) : strlen(notes)] = '\0';
    RETURN_IF(i != DEMO_LAST && note_file(paths[i], names[i], note) && !strstr(notes, note),
              fail(err, DPERM_IO_ERROR,
                   "%.512s: is there already, and not as a demo has left it; choose another --out",
                   paths[i]));
  }
  return DPERM_OK;
}

typedef struct demo {
  const char *folder;
  size_t rows;
  uint64_t seed;
  char paths[DEMO_FILES][DEMO_PATH_SIZE];
  dperm_schema *schema;
  dperm_data *train, *test;
} demo;

static dperm_status make_files(demo *d, dperm_error *err) {
  const char *people = d->paths[DEMO_PEOPLE], *others = d->paths[DEMO_OTHERS];
  dperm_source source = {.path = people, .format = DPERM_FORMAT_CSV};
  const char *schema = dperm_synthetic_census_schema();
  TRY(write_text(d->paths[DEMO_SCHEMA], schema, strlen(schema), err));
  TRY(dperm_synthetic_census_make(people, d->rows, d->seed, progress_bar(), err));
  TRY(dperm_synthetic_census_make(others, d->rows / 3 + 1, d->seed + 1, progress_bar(), err));
  TRY(dperm_schema_read(d->paths[DEMO_SCHEMA], &d->schema, err));
  source.schema = d->schema;
  TRY(dperm_data_read(&source, progress_bar(), &d->train, err));
  source.path = others;
  return dperm_data_read(&source, progress_bar(), &d->test, err);
}

/* ---- what is shown */

static void print_first_lines(const char *path, int lines) {
  char line[512];
  OWNED_STREAM FILE *file = fopen(path, "r");
  for (int i = 0; file && i < lines && fgets(line, sizeof line, file); i++) {
    printf("   %.92s%s", line, strlen(line) > 92 ? "…\n" : "");
  }
}

static double share_of_positives(const dperm_data *data) {
  double positives = 0;
  for (size_t i = 0; i < dperm_data_rows(data); i++) {
    positives += dperm_data_labels(data)[i] > 0;
  }
  return positives / (double)dperm_data_rows(data);
}

/* ---- fits */

static dperm_status fit(const demo *d, dperm_mechanism mechanism, double epsilon,
                        dperm_model **model, dperm_error *err) {
  dperm_options options;
  dperm_options_init(&options);
  options.mechanism = mechanism;
  options.epsilon = epsilon;
  options.progress = *progress_bar();
  TRY(dperm_loss_huber(0.5, &options.loss, err));
  return dperm_train(d->train, &options, model, err);
}

/* Error on people the models have not seen, the average over `runs` models with fresh noise. */
static dperm_status try_fits(const demo *d, dperm_mechanism mechanism, double epsilon, int runs,
                             double *error, dperm_error *err) {
  *error = 0;
  for (int i = 0; i < runs; i++) {
    OWNED(dperm_model_free_at) dperm_model *model = NULL;
    dperm_metrics m;
    TRY(fit(d, mechanism, epsilon, &model, err));
    TRY(dperm_model_score(model, d->test, &m, err));
    *error += m.error_rate / runs;
  }
  return DPERM_OK;
}

static void print_error(const char *mechanism, const char *epsilon, double error) {
  printf("   %-12s %7s   %6.2f%%   ", mechanism, epsilon, 100 * error);
  for (long full = lround(fmin(2 * error, 1) * BAR); full > 0; full--) {
    fputs("█", stdout);
  }
  printf("\n");
}

/* The table: no privacy, then each mechanism from little privacy to much. */
static dperm_status show_table(const demo *d, dperm_error *err) {
  static const char *const epsilons[] = {"3", "1", "0.3", "0.1", "0.03"};
  enum { RUNS = 10 };
  double error = 0;
  printf("   %-12s %7s   %7s\n", "mechanism", "epsilon", "error");
  print_error("always low", "", share_of_positives(d->test));
  TRY(try_fits(d, DPERM_MECHANISM_NONE, (double)NAN, 1, &error, err));
  print_error("none", "-", error);
  for (int m = DPERM_MECHANISM_OBJECTIVE; m <= DPERM_MECHANISM_OUTPUT; m++) {
    printf("\n");
    for (size_t e = 0; e < sizeof epsilons / sizeof *epsilons; e++) {
      TRY(try_fits(d, (dperm_mechanism)m, strtod(epsilons[e], NULL), RUNS, &error, err));
      print_error(dperm_mechanism_name((dperm_mechanism)m), epsilons[e], error);
    }
  }
  return DPERM_OK;
}

static dperm_status show(const demo *d, dperm_error *err) {
  OWNED(dperm_model_free_at) dperm_model *model = NULL;
  const dperm_source others = {.path = d->paths[DEMO_OTHERS]};
  const double epsilon = 1.0;
  printf("1. %zu made-up census records (seed %llu). The first ones:\n\n", d->rows,
         (unsigned long long)d->seed);
  print_first_lines(d->paths[DEMO_PEOPLE], 4);
  printf("\n   A public schema says what a record may hold; each becomes a row of %zu numbers\n"
         "   whose norm is at most %g, whatever the record says.\n\n",
         dperm_schema_dims(d->schema), dperm_schema_norm_bound(d->schema));
  printf(
      "2. Who earns \"%s\"? Huber SVMs trained on these, tested on %zu others. Lambda is chosen\n"
      "   from public numbers; private rows are averages of 10 models with fresh noise:\n\n",
      dperm_schema_class_name(d->schema, 1), dperm_data_rows(d->test));
  TRY(show_table(d, err));
  TRY(fit(d, DPERM_MECHANISM_OBJECTIVE, epsilon, &model, err));
  dperm_guarantee claim;
  dperm_model_guarantee(model, &claim);
  printf("\n   What epsilon = %g means: whatever somebody concludes from the model, they would\n"
         "   conclude from a model trained with any one record replaced, up to a factor of\n"
         "   e^%g = %.2f in probability, but for a probability of delta = %.2g. This holds for\n"
         "   every record, even against somebody who knows all the others.\n",
         epsilon, epsilon, exp(epsilon), claim.delta);
  TRY(dperm_model_write(model, d->paths[DEMO_MODEL], err));
  TRY(dperm_predict_file(model, &others, d->paths[DEMO_PREDICTIONS], progress_bar(), err));
  printf("\n3. One private model with (epsilon, delta) = (%g, %.2g) is in %s;\n"
         "   its predictions for the others are in %s:\n\n",
         claim.epsilon, claim.delta, d->paths[DEMO_MODEL], d->paths[DEMO_PREDICTIONS]);
  print_first_lines(d->paths[DEMO_PREDICTIONS], 4);
  printf("\nTry it yourself (the records and the schema are in %s/ too):\n\n"
         "   dperm plan --rows %zu --schema %s --epsilon 0.5\n"
         "   dperm train --data %s --schema %s \\\n"
         "     --epsilon 0.5 --out model.json\n"
         "   dperm score --model model.json --data %s\n",
         d->folder, d->rows, d->paths[DEMO_SCHEMA], d->paths[DEMO_PEOPLE], d->paths[DEMO_SCHEMA],
         d->paths[DEMO_OTHERS]);
  return DPERM_OK;
}

static dperm_status note_files(const demo *d, dperm_error *err) {
  char notes[DEMO_FILES * NOTE_SIZE] = "";
  for (size_t i = 0; i < DEMO_LAST; i++) {
    (void)note_file(d->paths[i], names[i], notes + strlen(notes));
  }
  return write_text(d->paths[DEMO_LAST], notes, strlen(notes), err);
}

/* What was written is noted, whatever became of the demo. */
static dperm_status run(demo *d, dperm_error *err) {
  dperm_error unnoted;
  struct stat about;
  TRY(claim_files(d->folder, d->paths, err));
  dperm_status status = make_files(d, err);
  status = status == DPERM_OK ? show(d, err) : status;
  if (status == DPERM_OK || stat(d->paths[DEMO_SCHEMA], &about) != 0) {
    return status == DPERM_OK ? note_files(d, err) : status;
  }
  (void)note_files(d, &unnoted);
  char *nothing = strstr(err->message, "; nothing was written"); /* says the library of its file */
  if (nothing) {
    (void)snprintf(nothing, 64, "; other files of the demo stay");
  }
  return status;
}

dperm_status run_demo(int argc, char **argv, dperm_error *err) {
  demo d = {.folder = "dperm-demo", .rows = 30000, .seed = 1};
  argument table[] = {
      {"--rows", ARGUMENT_COUNT, &d.rows, false, "N",
       "number of records, at most 10^7 (default: 30000)"},
      {"--seed", ARGUMENT_SEED, &d.seed, false, "N", "seed of the records (default: 1)"},
      {"--out", ARGUMENT_TEXT, &d.folder, false, "FOLDER",
       "folder for the files (default: dperm-demo)"},
  };
  TRY(arguments_parse(table, sizeof table / sizeof *table, argc, argv, NULL, err));
  RETURN_IF(d.rows > ROWS_MOST,
            wrong_usage(err, "--rows must be at most %d, not %zu", ROWS_MOST, d.rows));
  RETURN_IF(strlen(d.folder) > DEMO_PATH_SIZE - 64, wrong_usage(err, "--out is too long a path"));
  dperm_status status = run(&d, err);
  dperm_data_free(d.train);
  dperm_data_free(d.test);
  dperm_schema_free(d.schema);
  return status;
}
