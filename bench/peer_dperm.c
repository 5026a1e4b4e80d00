/* dperm's own times for bench/peers, one line of JSON. The first word says what is timed:
 *
 * - solve PROBLEM LAMBDA TARGET RUNS THREADS: fits from memory, not private, to a gradient
 *
 * - private PROBLEM LAMBDA EPSILON RUNS THREADS: the same fit with privacy
 *
 * - file DATA SCHEMA LAMBDA EPSILON RUNS MODEL: read, encode, private fit, model written
 *
 * - read DATA SCHEMA RUNS THREADS: read and encode alone, as for a run without a ledger
 *
 * - identify DATA SCHEMA RUNS THREADS: the same with the file's digest
 *
 * - encode DATA SCHEMA RUNS THREADS OUT: to an encoded file, which is not there before
 *
 * - features PROBLEM FEATURES RUNS THREADS: one gradient through random features */
#include <dperm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer_problem.h"

enum { MOST_RUNS = 101 };

static void expect_ok(dperm_status status, const dperm_error *err) {
  if (status != DPERM_OK) {
    fprintf(stderr, "peer_dperm: %s\n", err->message);
    exit(1);
  }
}

static int runs_of(const char *text) {
  long runs = strtol(text, NULL, 10);
  return runs < 1 ? 1 : runs > MOST_RUNS ? MOST_RUNS : (int)runs;
}

static dperm_data *load(const peer_problem *p) {
  dperm_error err;
  dperm_data *data = NULL;
  expect_ok(p->dense
                ? dperm_data_from_dense(p->rows, p->dims, p->values, p->labels, 1.0, &data, &err)
                : dperm_data_from_csr(p->rows, p->dims, p->starts, p->columns, p->values, p->labels,
                                      1.0, &data, &err),
            &err);
  return data;
}

static dperm_options plain(double lambda, double target, int threads) {
  dperm_options options;
  dperm_options_init(&options);
  options.mechanism = DPERM_MECHANISM_NONE;
  options.lambda = lambda;
  options.gradient_tolerance = target;
  options.threads = threads;
  return options;
}

static int run_memory(char **argv, int private) {
  dperm_error err;
  peer_problem p = peer_problem_map(argv[2]);
  double seconds[MOST_RUNS], norm = 0, lambda = strtod(argv[3], NULL);
  int runs = runs_of(argv[5]);
  dperm_options options = plain(lambda, strtod(argv[4], NULL), (int)strtol(argv[6], NULL, 10));
  if (private) {
    options.mechanism = DPERM_MECHANISM_OBJECTIVE;
    options.epsilon = strtod(argv[4], NULL);
  }
  dperm_data *data = load(&p);
  double *gradient = calloc(p.dims, sizeof *gradient);
  for (double warm = peer_seconds() + PEER_WARM; peer_seconds() < warm;) {
    dperm_model *model = NULL;
    expect_ok(dperm_train(data, &options, &model, &err), &err);
    dperm_model_free(model);
  }
  for (int i = 0; i < runs; i++) {
    dperm_model *model = NULL;
    double from = peer_seconds();
    expect_ok(dperm_train(data, &options, &model, &err), &err);
    seconds[i] = peer_seconds() - from;
    if (i + 1 == runs) { /* not between fits: the judge's OpenMP threads spin for a while */
      norm = peer_gradient(&p, lambda, dperm_model_weights(model), gradient);
    }
    dperm_model_free(model);
  }
  free(gradient);
  dperm_data_free(data);
  peer_report(seconds, runs, norm);
  return 0;
}

static dperm_schema *read_schema(const char *path) {
  dperm_error err;
  dperm_schema *schema = NULL;
  expect_ok(dperm_schema_read(path, &schema, &err), &err);
  return schema;
}

static int run_file(char **argv) {
  dperm_error err;
  double seconds[MOST_RUNS];
  int runs = runs_of(argv[6]);
  dperm_options options;
  dperm_options_init(&options);
  options.bins = DPERM_BINS_NONE; /* as the others have the columns */
  options.lambda = strtod(argv[4], NULL);
  options.epsilon = strtod(argv[5], NULL);
  for (int i = 0; i < runs; i++) {
    dperm_data *data = NULL;
    dperm_model *model = NULL;
    double from = peer_seconds();
    dperm_schema *schema = read_schema(argv[3]);
    const dperm_source source = {
        .path = argv[2], .format = DPERM_FORMAT_CSV, .schema = schema, .no_identity = true};
    expect_ok(dperm_data_read(&source, NULL, &data, &err), &err);
    expect_ok(dperm_train(data, &options, &model, &err), &err);
    expect_ok(dperm_model_write(model, argv[7], &err), &err);
    seconds[i] = peer_seconds() - from;
    dperm_model_free(model);
    dperm_data_free(data);
    dperm_schema_free(schema);
  }
  peer_report(seconds, runs, 0);
  return 0;
}

/* `out` is the encoded file to be made, or NULL. */
static int run_read(char **argv, int no_identity, const char *out) {
  dperm_error err;
  double seconds[MOST_RUNS];
  int runs = runs_of(argv[4]);
  (void)setenv("DPERM_THREADS", argv[5], 1); /* 0 is ignored */
  dperm_schema *schema = read_schema(argv[3]);
  const dperm_source source = {
      .path = argv[2], .format = DPERM_FORMAT_CSV, .schema = schema, .no_identity = no_identity};
  for (int i = 0; i < runs; i++) {
    dperm_data *data = NULL;
    if (out) {
      (void)remove(out);
    }
    double from = peer_seconds();
    expect_ok(out ? dperm_encode_file(&source, out, NULL, NULL, &err)
                  : dperm_data_read(&source, NULL, &data, &err),
              &err);
    seconds[i] = peer_seconds() - from;
    dperm_data_free(data);
  }
  dperm_schema_free(schema);
  peer_report(seconds, runs, 0);
  return 0;
}

/* A tolerance that the start meets, so that the fit ends after its first gradient. */
static int run_features(char **argv) {
  dperm_error err;
  peer_problem p = peer_problem_map(argv[2]);
  double seconds[MOST_RUNS];
  int runs = runs_of(argv[4]);
  dperm_options options = plain(1e-3, 10, (int)strtol(argv[5], NULL, 10));
  options.kernel = (dperm_kernel){.kind = DPERM_KERNEL_GAUSSIAN,
                                  .gamma = 1,
                                  .features = strtoull(argv[3], NULL, 10),
                                  .seed = 1};
  dperm_data *data = load(&p);
  for (int i = 0; i < runs; i++) {
    dperm_model *model = NULL;
    double from = peer_seconds();
    expect_ok(dperm_train(data, &options, &model, &err), &err);
    seconds[i] = peer_seconds() - from;
    dperm_model_free(model);
  }
  dperm_data_free(data);
  peer_report(seconds, runs, 0);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 7 && strcmp(argv[1], "solve") == 0) {
    return run_memory(argv, 0);
  }
  if (argc == 7 && strcmp(argv[1], "private") == 0) {
    return run_memory(argv, 1);
  }
  if (argc == 8 && strcmp(argv[1], "file") == 0) {
    return run_file(argv);
  }
  if (argc == 6 && strcmp(argv[1], "read") == 0) {
    return run_read(argv, 1, NULL);
  }
  if (argc == 6 && strcmp(argv[1], "identify") == 0) {
    return run_read(argv, 0, NULL);
  }
  if (argc == 7 && strcmp(argv[1], "encode") == 0) {
    return run_read(argv, 0, argv[6]);
  }
  if (argc == 6 && strcmp(argv[1], "features") == 0) {
    return run_features(argv);
  }
  fprintf(stderr, "peer_dperm: wrong usage; see the top of bench/peer_dperm.c\n");
  return 2;
}
