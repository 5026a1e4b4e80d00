/* k-fold cross-validation on public data: one line per cell, a cell being
 * LOSS,MECHANISM,ANALYSIS,LAMBDA,EPSILON[,NOISE] (h = 0.5; empty fields where they do not apply;
 * NOISE is auto, l2, l1, group, linf or mixed, and l2 where it is left out).
 *
 *   cross_validate DATA.csv SCHEMA.json FOLDS DRAWS SEED CELL...
 *   cross_validate adult.csv adult.json 10 5 1 huber,objective,paper,3e-3,0.1 logistic,none,,1e-7,
 *
 * Noise is seeded, since the data are public and the figures must be reproducible.
 */
#include <dperm.h>
#include <dperm/random.h>
#include <dperm/score.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct folds {
  dperm_data **train, **test;
  size_t count;
} folds;

static void check(dperm_status status, const dperm_error *err) {
  if (status != DPERM_OK) {
    fprintf(stderr, "cross_validate: %s\n", err->message);
    exit(1);
  }
}

/* splitmix64: the folds need to be reproducible, not secret. */
static uint64_t next_random(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

/* A random order of the rows; fold f is every count-th of them from f on. */
static size_t *random_order(size_t rows, uint64_t seed) {
  size_t *order = malloc(rows * sizeof *order);
  if (!order) {
    abort();
  }
  for (size_t i = 0; i < rows; i++) {
    size_t j = (size_t)(next_random(&seed) % (i + 1));
    order[i] = order[j];
    order[j] = i;
  }
  return order;
}

static folds make_folds(const dperm_data *data, size_t count, uint64_t seed) {
  dperm_error err;
  size_t rows = dperm_data_rows(data), *order = random_order(rows, seed);
  size_t *inside = malloc(rows * sizeof *inside), *outside = malloc(rows * sizeof *outside);
  folds f = {calloc(count, sizeof *f.train), calloc(count, sizeof *f.test), count};
  if (!inside || !outside || !f.train || !f.test) {
    abort();
  }
  for (size_t fold = 0; fold < count; fold++) {
    size_t kept = 0, held = 0;
    for (size_t i = 0; i < rows; i++) {
      if (i % count == fold) {
        outside[held++] = order[i];
      } else {
        inside[kept++] = order[i];
      }
    }
    check(dperm_data_select(data, inside, kept, &f.train[fold], &err), &err);
    check(dperm_data_select(data, outside, held, &f.test[fold], &err), &err);
  }
  free(order);
  free(inside);
  free(outside);
  return f;
}

typedef struct cell {
  char loss[24], mechanism[16], analysis[16], lambda[32], epsilon[32], noise[16];
} cell;

static const char *const noise_names[] = {"auto", "l2", "l1", "group", "linf", "mixed"};

static int noise_number(const char *name) {
  int number = 0;
  while (number < 6 && strcmp(noise_names[number], name) != 0) {
    number++;
  }
  return number;
}

/* Splits at commas; the first five fields must be there, even if empty. */
static int parse_cell(const char *text, cell *out) {
  char *fields[] = {out->loss, out->mechanism, out->analysis, out->lambda, out->epsilon};
  size_t sizes[] = {sizeof out->loss, sizeof out->mechanism, sizeof out->analysis,
                    sizeof out->lambda, sizeof out->epsilon};
  for (int i = 0; i < 5; i++) {
    size_t length = strcspn(text, ",");
    if (length >= sizes[i] || (i < 4 && text[length] != ',')) {
      return 0;
    }
    memcpy(fields[i], text, length);
    fields[i][length] = '\0';
    text += length + (text[length] == ',');
  }
  int given = snprintf(out->noise, sizeof out->noise, "%s", *text ? text : "l2");
  return given < (int)sizeof out->noise && noise_number(out->noise) < 6;
}

static dperm_options options_of(const cell *c) {
  dperm_error err;
  dperm_options options;
  dperm_options_init(&options);
  options.bins = DPERM_BINS_NONE;
  options.mechanism = strcmp(c->mechanism, "none") == 0     ? DPERM_MECHANISM_NONE
                      : strcmp(c->mechanism, "output") == 0 ? DPERM_MECHANISM_OUTPUT
                                                            : DPERM_MECHANISM_OBJECTIVE;
  options.analysis =
      strcmp(c->analysis, "paper") == 0 ? DPERM_ANALYSIS_PAPER : DPERM_ANALYSIS_TIGHT;
  options.noise = (dperm_noise)noise_number(c->noise);
  options.lambda = strcmp(c->lambda, "auto") == 0 ? (double)NAN : strtod(c->lambda, NULL);
  options.epsilon = strtod(c->epsilon, NULL);
  check(dperm_loss_by_name(c->loss, 0.5, &options.loss, &err), &err);
  return options;
}

static void evaluate(const folds *f, const cell *c, size_t draws, dperm_random *random) {
  dperm_error err;
  dperm_options options = options_of(c);
  double sum = 0, squares = 0;
  options.random = random;
  draws = options.mechanism == DPERM_MECHANISM_NONE ? 1 : draws;
  for (size_t fold = 0; fold < f->count; fold++) {
    double fold_sum = 0;
    for (size_t draw = 0; draw < draws; draw++) {
      dperm_model *model = NULL;
      dperm_metrics metrics;
      check(dperm_train(f->train[fold], &options, &model, &err), &err);
      check(dperm_model_score(model, f->test[fold], &metrics, &err), &err);
      dperm_model_free(model);
      fold_sum += metrics.error_rate / (double)draws;
    }
    sum += fold_sum;
    squares += fold_sum * fold_sum;
  }
  double n = (double)f->count, mean = sum / n;
  double deviation = sqrt(fmax(0, squares / n - mean * mean) * n / (n - 1));
  printf("%s,%s,%s,%s,%s,%s,%.5f,%.5f,%zu\n", c->loss, c->mechanism, c->analysis,
         options.mechanism == DPERM_MECHANISM_NONE ? "" : c->noise, c->lambda, c->epsilon, mean,
         deviation / sqrt(n), f->count * draws);
  fflush(stdout);
}

int main(int argc, char **argv) {
  if (argc < 7) {
    fprintf(stderr, "usage: cross_validate DATA.csv SCHEMA.json FOLDS DRAWS SEED CELL...\n");
    return 2;
  }
  dperm_error err;
  dperm_schema *schema = NULL;
  dperm_data *data = NULL;
  dperm_random *random = NULL;
  size_t count = strtoul(argv[3], NULL, 10), draws = strtoul(argv[4], NULL, 10);
  uint64_t seed = strtoull(argv[5], NULL, 10);
  check(dperm_schema_read(argv[2], &schema, &err), &err);
  const dperm_source source = {.path = argv[1], .format = DPERM_FORMAT_CSV, .schema = schema};
  check(dperm_data_read(&source, NULL, &data, &err), &err);
  check(dperm_random_seeded(seed, &random, &err), &err);
  if (count < 2 || count > dperm_data_rows(data) || draws == 0) {
    fprintf(stderr, "cross_validate: FOLDS must be from 2 to the number of rows, DRAWS from 1\n");
    return 2;
  }
  printf("# %zu rows x %zu columns, %zu folds\n", dperm_data_rows(data), dperm_data_dims(data),
         count);
  printf("loss,mechanism,analysis,noise,lambda,epsilon,error_mean,error_se,runs\n");
  folds f = make_folds(data, count, seed);
  for (int i = 6; i < argc; i++) {
    cell c;
    if (!parse_cell(argv[i], &c)) {
      fprintf(stderr, "cross_validate: \"%s\" is not a cell\n", argv[i]);
      return 2;
    }
    evaluate(&f, &c, draws, random);
  }
  for (size_t fold = 0; fold < count; fold++) {
    dperm_data_free(f.train[fold]);
    dperm_data_free(f.test[fold]);
  }
  free(f.train);
  free(f.test);
  dperm_random_free(random);
  dperm_data_free(data);
  dperm_schema_free(schema);
  return 0;
}
