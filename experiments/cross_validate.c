/* k-fold cross-validation of non-private models on public data: one line per loss and Λ.
 *
 *   cross_validate DATA.csv SCHEMA.json FOLDS SEED LAMBDA...
 */
#include <dperm.h>
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

static void evaluate(const folds *f, const char *loss, double lambda) {
  dperm_error err;
  dperm_options options;
  double sum = 0, squares = 0;
  dperm_options_init(&options);
  options.mechanism = DPERM_MECHANISM_NONE;
  options.lambda = lambda;
  check(dperm_loss_by_name(loss, 0.5, &options.loss, &err), &err);
  for (size_t fold = 0; fold < f->count; fold++) {
    dperm_model *model = NULL;
    dperm_metrics metrics;
    check(dperm_train(f->train[fold], &options, &model, &err), &err);
    check(dperm_model_score(model, f->test[fold], &metrics, &err), &err);
    dperm_model_free(model);
    sum += metrics.error_rate;
    squares += metrics.error_rate * metrics.error_rate;
  }
  double n = (double)f->count, mean = sum / n;
  double deviation = sqrt(fmax(0, squares / n - mean * mean) * n / (n - 1));
  printf("%s,none,,%.6g,,%.5f,%.5f,%zu\n", loss, lambda, mean, deviation / sqrt(n), f->count);
  fflush(stdout);
}

int main(int argc, char **argv) {
  static const char *const losses[] = {"logistic", "huber", "smooth-hinge"};
  if (argc < 6) {
    fprintf(stderr, "usage: cross_validate DATA.csv SCHEMA.json FOLDS SEED LAMBDA...\n");
    return 2;
  }
  dperm_error err;
  dperm_schema *schema = NULL;
  dperm_data *data = NULL;
  size_t count = (size_t)strtoul(argv[3], NULL, 10);
  check(dperm_schema_read(argv[2], &schema, &err), &err);
  const dperm_source source = {argv[1], DPERM_FORMAT_CSV, schema, 0};
  check(dperm_data_read(&source, NULL, &data, &err), &err);
  if (count < 2 || count > dperm_data_rows(data)) {
    fprintf(stderr, "cross_validate: FOLDS must be from 2 to the number of rows\n");
    return 2;
  }
  printf("# %zu rows x %zu columns, %zu folds\n", dperm_data_rows(data), dperm_data_dims(data),
         count);
  printf("loss,mechanism,noise,lambda,epsilon,error_mean,error_se,runs\n");
  folds f = make_folds(data, count, strtoull(argv[4], NULL, 10));
  for (int i = 5; i < argc; i++) {
    for (size_t l = 0; l < 3; l++) {
      evaluate(&f, losses[l], strtod(argv[i], NULL));
    }
  }
  for (size_t fold = 0; fold < count; fold++) {
    dperm_data_free(f.train[fold]);
    dperm_data_free(f.test[fold]);
  }
  free(f.train);
  free(f.test);
  dperm_data_free(data);
  dperm_schema_free(schema);
  return 0;
}
