/* Learning curves with private tuning, as in the paper's Figures 4 and 5: five values of Λ, each
 * fitted to n rows of its own, one chosen privately on 25,000 more (the paper's Algorithm 3),
 * judged on another 25,000.
 *
 *   learning_curves DATA.csv SCHEMA.json LOSS PERMUTATIONS DRAWS
 *
 * One line of CSV for each method, ε and n: the mean over random permutations of the rows and draws
 * of the noise, and its standard error, from the spread between permutations. The choice among five
 * models with z_i wrong predictions is not drawn but averaged over: its probabilities, ∝ exp(−ε
 * z_i/2), are known. `default` is what dperm does without tuning: one fit to the rows of all five
 * with an automatic Λ, shaped noise and the tight analysis; `none` is the best of the five
 * on the same rows, chosen on the 25,000. */
#include <dperm.h>
#include <dperm/sweep.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CANDIDATES = 5, HELD = 25000, EPSILONS = 2, MOST_DRAWS = 1000 };

static const size_t sizes[] = {40000, 56000, 72000, 88000};
enum { SIZES = sizeof sizes / sizeof *sizes };
static const double epsilons[EPSILONS] = {0.05, 0.01};

/* Powers of ten for which ε′ > 0 with Δ = 0, the paper's regime, for each n, ε and loss here. */
static const double powers[EPSILONS][CANDIDATES] = {{-3, -2.5, -2, -1.5, -1},
                                                    {-2, -1.75, -1.5, -1.25, -1}};

enum { METHOD_NONE, METHOD_OUTPUT, METHOD_OBJECTIVE, METHOD_DEFAULT, METHODS };
static const char *const method_names[METHODS] = {"none", "output", "objective", "default"};

static void check(dperm_status status, const dperm_error *err) {
  if (status != DPERM_OK) {
    fprintf(stderr, "learning_curves: %s\n", err->message);
    exit(1);
  }
}

static void *allocate(size_t count, size_t size) {
  void *block = calloc(count, size);
  if (!block) {
    fprintf(stderr, "learning_curves: out of memory\n");
    exit(1);
  }
  return block;
}

/* splitmix64: permutations need to be reproducible, not secret. */
static uint64_t next_random(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static void permute(size_t *order, size_t rows, uint64_t seed) {
  for (size_t i = 0; i < rows; i++) {
    size_t j = (size_t)(next_random(&seed) % (i + 1));
    order[i] = order[j];
    order[j] = i;
  }
}

static dperm_data *part(const dperm_data *data, const size_t *order, size_t count) {
  dperm_error err;
  dperm_data *out = NULL;
  check(dperm_data_select(data, order, count, &out, &err), &err);
  return out;
}

/* ---- models and their errors */

/* Wrong predictions of a run: on the rows that choose, and on those that judge. */
typedef struct outcome {
  uint64_t chooses, judges;
} outcome;

typedef struct outcomes {
  outcome *all; /* of cell c's run r at c * draws + r */
  size_t draws;
} outcomes;

static void keep(void *context, const dperm_sweep_cell *cell) {
  const outcomes *o = context;
  if (cell->impossible) {
    fprintf(stderr, "learning_curves: %s\n", cell->impossible);
    exit(1);
  }
  for (size_t run = 0; run < cell->runs; run++) {
    o->all[cell->index * o->draws + run] =
        (outcome){cell->errors[2 * run], cell->errors[2 * run + 1]};
  }
}

/* Outcomes of every run of every cell; the first half of `held` chooses, the second judges. */
static outcome *judge(const dperm_data *train, const dperm_data *held, const dperm_options *cells,
                      size_t count, size_t draws, uint64_t seed) {
  dperm_error err;
  dperm_sweep_options how;
  outcomes found = {allocate(count * draws, sizeof *found.all), draws};
  dperm_sweep_options_init(&how);
  how.draws = draws;
  how.seed = seed;
  how.test_data = held;
  how.test_parts = 2;
  check(dperm_sweep(train, cells, count, &how, keep, &found, &err), &err);
  return found.all;
}

static dperm_options options_for(const char *loss, dperm_mechanism mechanism, double lambda,
                                 double epsilon) {
  dperm_error err;
  dperm_options options;
  dperm_options_init(&options);
  options.mechanism = mechanism;
  options.analysis = DPERM_ANALYSIS_PAPER;
  options.noise = DPERM_NOISE_L2;
  options.lambda = lambda;
  options.bins = DPERM_BINS_NONE;
  options.epsilon = epsilon;
  check(dperm_loss_by_name(loss, 0.5, &options.loss, &err), &err);
  if (mechanism == DPERM_MECHANISM_OBJECTIVE) {
    options.delta_reg = 0;
  }
  return options;
}

/* The mean error of a candidate chosen with probability ∝ exp(−ε z/2). */
static double chosen_error(const outcome of[CANDIDATES], double epsilon) {
  double weights = 0, sum = 0, least = INFINITY;
  for (size_t i = 0; i < CANDIDATES; i++) {
    least = fmin(least, (double)of[i].chooses);
  }
  for (size_t i = 0; i < CANDIDATES; i++) {
    double weight = exp(-epsilon / 2 * ((double)of[i].chooses - least));
    weights += weight;
    sum += weight * (double)of[i].judges;
  }
  return sum / weights / HELD;
}

/* ---- one permutation, one n */

typedef struct bench {
  const char *loss;
  const dperm_data *data, *held;
  const size_t *order; /* of the rows that are not held out */
  size_t draws;
  uint64_t seed;
} bench;

/* Output and objective perturbation with five portions. */
static void tuned(const bench *b, size_t n, size_t e, double found[METHODS]) {
  outcome *runs[CANDIDATES];
  for (size_t i = 0; i < CANDIDATES; i++) {
    double lambda = pow(10, powers[e][i]);
    const dperm_options cells[2] = {
        options_for(b->loss, DPERM_MECHANISM_OUTPUT, lambda, epsilons[e]),
        options_for(b->loss, DPERM_MECHANISM_OBJECTIVE, lambda, epsilons[e])};
    dperm_data *portion = part(b->data, b->order + i * n, n);
    runs[i] = judge(portion, b->held, cells, 2, b->draws, b->seed + i);
    dperm_data_free(portion);
  }
  for (size_t m = 0; m < 2; m++) {
    double sum = 0;
    for (size_t run = 0; run < b->draws; run++) {
      outcome of[CANDIDATES];
      for (size_t i = 0; i < CANDIDATES; i++) {
        of[i] = runs[i][m * b->draws + run];
      }
      sum += chosen_error(of, epsilons[e]);
    }
    found[METHOD_OUTPUT + m] = sum / (double)b->draws;
  }
  for (size_t i = 0; i < CANDIDATES; i++) {
    free(runs[i]);
  }
}

/* Without tuning, and without privacy, on all rows. */
static void untuned(const bench *b, size_t n, double found[EPSILONS][METHODS]) {
  enum { CELLS = CANDIDATES + EPSILONS };
  dperm_options cells[CELLS];
  size_t draws = b->draws < 10 ? b->draws : 10; /* they vary little, and cost most */
  for (size_t i = 0; i < CANDIDATES; i++) {
    cells[i] = options_for(b->loss, DPERM_MECHANISM_NONE, pow(10, powers[0][i]), (double)NAN);
  }
  for (size_t e = 0; e < EPSILONS; e++) {
    dperm_options *own = &cells[CANDIDATES + e];
    *own = options_for(b->loss, DPERM_MECHANISM_OBJECTIVE, (double)NAN, epsilons[e]);
    own->analysis = DPERM_ANALYSIS_TIGHT;
    own->noise = DPERM_NOISE_AUTO;
    own->delta_reg = (double)NAN;
  }
  dperm_data *all = part(b->data, b->order, CANDIDATES * n);
  outcome *runs = judge(all, b->held, cells, CELLS, draws, b->seed);
  dperm_data_free(all);
  size_t best = 0;
  for (size_t i = 1; i < CANDIDATES; i++) {
    best = runs[i * draws].chooses < runs[best * draws].chooses ? i : best;
  }
  for (size_t e = 0; e < EPSILONS; e++) {
    double sum = 0;
    for (size_t run = 0; run < draws; run++) {
      sum += (double)runs[(CANDIDATES + e) * draws + run].judges / HELD;
    }
    found[e][METHOD_NONE] = (double)runs[best * draws].judges / HELD;
    found[e][METHOD_DEFAULT] = sum / (double)draws;
  }
  free(runs);
}

static void print_line(const char *loss, size_t method, size_t e, size_t n, const double *values,
                       size_t count) {
  double mean = 0, squares = 0;
  for (size_t i = 0; i < count; i++) {
    mean += values[i] / (double)count;
  }
  for (size_t i = 0; i < count; i++) {
    squares += (values[i] - mean) * (values[i] - mean);
  }
  printf("%s,%s,%g,%zu,%.6f,%.6f\n", loss, method_names[method], epsilons[e], n, mean,
         sqrt(squares / (double)(count - 1) / (double)count));
}

int main(int argc, char **argv) {
  size_t permutations = argc == 6 ? strtoul(argv[4], NULL, 10) : 0;
  size_t draws = argc == 6 ? strtoul(argv[5], NULL, 10) : 0;
  if (permutations < 2 || draws == 0 || draws > MOST_DRAWS) {
    fprintf(stderr, "usage: learning_curves DATA.csv SCHEMA.json LOSS PERMUTATIONS DRAWS\n");
    return 2;
  }
  dperm_error err;
  dperm_schema *schema = NULL;
  dperm_data *data = NULL;
  check(dperm_schema_read(argv[2], &schema, &err), &err);
  const dperm_source source = {.path = argv[1], .format = DPERM_FORMAT_CSV, .schema = schema};
  check(dperm_data_read(&source, NULL, &data, &err), &err);
  size_t rows = dperm_data_rows(data);
  if (rows < CANDIDATES * sizes[SIZES - 1] + 2 * HELD) {
    fprintf(stderr, "learning_curves: %zu rows are too few\n", rows);
    return 1;
  }
  size_t *order = allocate(rows, sizeof *order);
  double(*found)[SIZES][EPSILONS][METHODS] = allocate(permutations, sizeof *found);
  for (size_t p = 0; p < permutations; p++) {
    permute(order, rows, p + 1);
    dperm_data *held = part(data, order, 2 * HELD);
    for (size_t s = 0; s < SIZES; s++) {
      const bench b = {argv[3], data, held, order + 2 * HELD, draws, 100 * (p * SIZES + s) + 1};
      untuned(&b, sizes[s], found[p][s]);
      for (size_t e = 0; e < EPSILONS; e++) {
        tuned(&b, sizes[s], e, found[p][s][e]);
      }
    }
    dperm_data_free(held);
  }
  printf("loss,method,epsilon,rows,error_mean,error_se\n");
  double *values = allocate(permutations, sizeof *values);
  for (size_t m = 0; m < METHODS; m++) {
    for (size_t e = 0; e < EPSILONS; e++) {
      for (size_t s = 0; s < SIZES; s++) {
        for (size_t p = 0; p < permutations; p++) {
          values[p] = found[p][s][e][m];
        }
        print_line(argv[3], m, e, sizes[s], values, permutations);
      }
    }
  }
  free(values);
  free(found);
  free(order);
  dperm_data_free(data);
  dperm_schema_free(schema);
  return 0;
}
