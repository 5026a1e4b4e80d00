/* dperm demo: the whole way on records that are nobody's, and a look at what came out. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "session.h"

enum { PATH_SIZE = 4096, NAME_SIZE = 64, BAR = 28 };

static const size_t shown = 6; /* weights at either end */

typedef struct demo {
  const char *folder;
  size_t rows;
  uint64_t seed;
  char schema_path[PATH_SIZE], train_path[PATH_SIZE], test_path[PATH_SIZE];
  char model_path[PATH_SIZE], predictions_path[PATH_SIZE];
  dperm_schema *schema;
  dperm_data *train, *test;
} demo;

#define TRY_DEMO(call)                                                                             \
  do {                                                                                             \
    dperm_status try_status_ = (call);                                                             \
    if (try_status_ != DPERM_OK) {                                                                 \
      return try_status_;                                                                          \
    }                                                                                              \
  } while (0)

static dperm_status demo_fail(dperm_error *err, const char *what, const char *path) {
  err->status = DPERM_IO_ERROR;
  (void)snprintf(err->message, sizeof err->message, "%.512s: cannot %s (%s); choose another --out",
                 path, what, strerror(errno));
  return err->status;
}

/* ---- the files */

static dperm_status write_schema(const demo *d, dperm_error *err) {
  FILE *file = fopen(d->schema_path, "w");
  if (!file) {
    return demo_fail(err, "write", d->schema_path);
  }
  int written = fputs(dperm_synthetic_census_schema(), file);
  return fclose(file) != 0 || written < 0 ? demo_fail(err, "write", d->schema_path) : DPERM_OK;
}

static dperm_status make_files(demo *d, dperm_error *err) {
  if (mkdir(d->folder, 0777) != 0 && errno != EEXIST) {
    return demo_fail(err, "make the folder", d->folder);
  }
  (void)snprintf(d->schema_path, PATH_SIZE, "%s/schema.json", d->folder);
  (void)snprintf(d->train_path, PATH_SIZE, "%s/people.csv", d->folder);
  (void)snprintf(d->test_path, PATH_SIZE, "%s/others.csv", d->folder);
  (void)snprintf(d->model_path, PATH_SIZE, "%s/model.json", d->folder);
  (void)snprintf(d->predictions_path, PATH_SIZE, "%s/predictions.csv", d->folder);
  TRY_DEMO(write_schema(d, err));
  TRY_DEMO(dperm_synthetic_census_write(d->train_path, d->rows, d->seed, err));
  return dperm_synthetic_census_write(d->test_path, d->rows / 3 + 1, d->seed + 1, err);
}

static dperm_status read_files(demo *d, dperm_error *err) {
  TRY_DEMO(dperm_schema_read(d->schema_path, &d->schema, err));
  const dperm_source train = {d->train_path, DPERM_FORMAT_CSV, d->schema, 0};
  const dperm_source test = {d->test_path, DPERM_FORMAT_CSV, d->schema, 0};
  TRY_DEMO(dperm_data_read(&train, session_progress(), &d->train, err));
  return dperm_data_read(&test, session_progress(), &d->test, err);
}

/* ---- what is shown */

static void print_bar(double share) {
  int full = (int)lround(fmin(fmax(share, 0.0), 1.0) * BAR);
  for (int i = 0; i < full; i++) {
    fputs("█", stdout);
  }
}

static void print_first_lines(const char *path, int lines) {
  char line[512];
  FILE *file = fopen(path, "r");
  for (int i = 0; file && i < lines && fgets(line, sizeof line, file); i++) {
    printf("   %.92s%s", line, strlen(line) > 92 ? "…\n" : "");
  }
  if (file) {
    fclose(file);
  }
}

static double share_of_positives(const dperm_data *data) {
  double positives = 0;
  for (size_t i = 0; i < dperm_data_rows(data); i++) {
    positives += dperm_data_labels(data)[i] > 0;
  }
  return positives / (double)dperm_data_rows(data);
}

static dperm_status fit(const demo *d, const char *loss, double lambda, dperm_model **model,
                        dperm_error *err) {
  dperm_options options;
  dperm_options_init(&options);
  options.mechanism = DPERM_MECHANISM_NONE;
  options.lambda = lambda;
  options.progress = *session_progress();
  TRY_DEMO(dperm_loss_by_name(loss, 0.5, &options.loss, err));
  return dperm_train(d->train, &options, model, err);
}

/* One line of the table: error on people the model has not seen, as number and bar. */
static dperm_status show_fit(const demo *d, const char *loss, double lambda, dperm_model **keep,
                             dperm_error *err) {
  dperm_model *model = NULL;
  dperm_metrics m;
  TRY_DEMO(fit(d, loss, lambda, &model, err));
  dperm_status status = dperm_model_score(model, d->test, &m, err);
  if (status == DPERM_OK) {
    printf("   %-14s %8.0e   %6.2f%%   %.3f   ", loss, lambda, 100 * m.error_rate, m.auc);
    print_bar(m.error_rate / 0.35);
    printf("\n");
  }
  if (status == DPERM_OK && keep && !*keep) {
    *keep = model;
  } else {
    dperm_model_free(model);
  }
  return status;
}

typedef struct feature {
  size_t index;
  double weight;
} feature;

static int by_weight(const void *a, const void *b) {
  double x = ((const feature *)a)->weight, y = ((const feature *)b)->weight;
  return (x < y) - (x > y);
}

static void show_weight(const demo *d, const feature *f, double peak) {
  char name[NAME_SIZE];
  (void)dperm_schema_feature_name(d->schema, f->index, name, sizeof name);
  printf("   %-30s %+7.2f   ", name, f->weight);
  print_bar(fabs(f->weight) / peak);
  printf("\n");
}

/* The weights that push hardest towards each class. */
static void show_weights(const demo *d, const dperm_model *model) {
  size_t dims = dperm_model_dims(model);
  feature *features = calloc(dims, sizeof *features);
  if (!features || dims < 2 * shown) {
    free(features);
    return;
  }
  double peak = 0;
  for (size_t j = 0; j < dims; j++) {
    features[j] = (feature){j, dperm_model_weights(model)[j]};
    peak = fmax(peak, fabs(features[j].weight));
  }
  qsort(features, dims, sizeof *features, by_weight);
  for (size_t i = 0; i < shown; i++) {
    show_weight(d, &features[i], peak);
  }
  printf("   …\n");
  for (size_t i = dims - shown; i < dims; i++) {
    show_weight(d, &features[i], peak);
  }
  free(features);
}

static dperm_status show(demo *d, dperm_model **model, dperm_error *err) {
  const dperm_source others = {.path = d->test_path};
  printf("1. %zu made-up census records (seed %llu). The first ones:\n\n", d->rows,
         (unsigned long long)d->seed);
  print_first_lines(d->train_path, 4);
  printf("\n   A public schema says what a record may hold; each becomes a row of %zu numbers\n"
         "   whose norm is at most %g, whatever the record says.\n\n",
         dperm_schema_dims(d->schema), dperm_schema_norm_bound(d->schema));
  printf("2. Who earns \"%s\"? Trained on these, tested on %zu others:\n\n",
         dperm_schema_class_name(d->schema, 1), dperm_data_rows(d->test));
  double share = share_of_positives(d->test);
  printf("   %-14s %8s   %7s   %5s\n", "loss", "lambda", "error", "AUC");
  printf("   %-14s %8s   %6.2f%%   %.3f   ", "always \"low\"", "", 100 * share, 0.5);
  print_bar(share / 0.35);
  printf("\n");
  TRY_DEMO(show_fit(d, "logistic", 1e-4, model, err));
  TRY_DEMO(show_fit(d, "huber", 1e-4, NULL, err));
  TRY_DEMO(show_fit(d, "smooth-hinge", 1e-4, NULL, err));
  TRY_DEMO(show_fit(d, "logistic", 1e-2, NULL, err));
  printf("\n3. What the first model learned: weights towards \"%s\" (+) and \"%s\" (-)\n\n",
         dperm_schema_class_name(d->schema, 1), dperm_schema_class_name(d->schema, 0));
  show_weights(d, *model);
  TRY_DEMO(dperm_model_write(*model, d->model_path, err));
  TRY_DEMO(dperm_predict_file(*model, &others, d->predictions_path, session_progress(), err));
  printf("\n4. Predictions for the others:\n\n");
  print_first_lines(d->predictions_path, 4);
  printf("\nThese models are not private: the records are nobody's, so nobody needs protection.\n"
         "Everything is in %s/: schema.json, people.csv, others.csv, model.json,\n"
         "predictions.csv. Try it yourself:\n\n"
         "   dperm train --data %s --schema %s \\\n"
         "     --mechanism none --loss huber --lambda 1e-3 --out huber.json\n"
         "   dperm score --model huber.json --data %s\n",
         d->folder, d->train_path, d->schema_path, d->test_path);
  return DPERM_OK;
}

int run_demo(int argc, char **argv) {
  demo d = {.folder = "dperm-demo", .rows = 30000, .seed = 1};
  argument table[] = {
      {"--rows", ARGUMENT_COUNT, &d.rows, false, "N", "records to make (30000)", NULL, false},
      {"--seed", ARGUMENT_SEED, &d.seed, false, "N", "which records (1)", NULL, false},
      {"--out", ARGUMENT_TEXT, &d.folder, false, "FOLDER", "where the files go (dperm-demo)", NULL,
       false},
  };
  int exit_status = 0;
  if (!arguments_parse("demo", table, sizeof table / sizeof *table, argc, argv, NULL,
                       &exit_status)) {
    return exit_status;
  }
  if (strlen(d.folder) > PATH_SIZE - 64) {
    return wrong_usage("demo", "--out is too long a path");
  }
  dperm_error err;
  dperm_model *model = NULL;
  dperm_status status = make_files(&d, &err);
  if (status == DPERM_OK) {
    status = read_files(&d, &err);
  }
  if (status == DPERM_OK) {
    status = show(&d, &model, &err);
  }
  dperm_model_free(model);
  dperm_data_free(d.train);
  dperm_data_free(d.test);
  dperm_schema_free(d.schema);
  return status == DPERM_OK ? 0 : report_error(&err);
}
