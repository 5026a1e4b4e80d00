/* Rows among the processes of a job (here: threads, support/thread_ranks.h): every operation gives
 * the bits of one process, whatever their number; so do fits and choices; and when one fails, all
 * end with its message, none waits. */
#include "matrix/matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/thread_pool.h"
#include "data/dataset.h"
#include "dperm/tune.h"
#include "kernel/features.h"
#include "model/model.h"
#include "reference.h"
#include "thread_ranks.h"

/* ---- the fixed cut of the rows */

TEST(stripes_cover_the_rows_once) {
  for (size_t rows = 0; rows < 40000; rows = rows * 9 / 8 + 1) {
    for (size_t work = 1; work < (size_t)1 << 26; work *= 64) {
      size_t count = stripe_count(rows, work);
      assert_in_range(count, 1, 16);
      assert_true(count == 1 || rows / count >= 512);
      assert_int_equal(stripe_start(rows, count, 0), 0);
      assert_int_equal(stripe_start(rows, count, count), rows);
      for (size_t s = 0; s < count; s++) {
        assert_true(stripe_start(rows, count, s) <= stripe_start(rows, count, s + 1));
      }
    }
  }
}

/* ---- operations */

/* What a matrix says: the rows' part of z, and sums that must be the same everywhere. */
typedef struct answers {
  double *z, *z_rest; /* rows */
  double *g, *d, *h, *dd;
  dperm_status status;
} answers;

static answers answers_new(size_t rows, size_t cols) {
  answers a = {.z = calloc(rows, sizeof(double)),
               .z_rest = calloc(rows, sizeof(double)),
               .g = calloc(cols, sizeof(double)),
               .d = calloc(cols, sizeof(double)),
               .h = calloc(cols * cols, sizeof(double)),
               .dd = calloc(2 * cols, sizeof(double))};
  assert_true(a.z && a.z_rest && a.g && a.d && a.h && a.dd);
  return a;
}

static void answers_free(answers *a) {
  free(a->z);
  free(a->z_rest);
  free(a->g);
  free(a->d);
  free(a->h);
  free(a->dd);
}

static void take_weights(void *context, size_t from, size_t count, double *z) {
  memcpy(z, *(const double **)context + from, count * sizeof *z);
}

/* `at` is the first row that is here. */
static void ask(const matrix *x, const double *f, const double *w, size_t at, answers *a) {
  a->status = matrix_apply(x, f, 1, a->z + at, NULL);
  const double *here = w + at;
  a->status |= x->kind->apply_both(x, f, 1, take_weights, &here, a->g, NULL);
  a->status |= x->kind->gram_diagonal(x, w + at, 1, a->d, NULL);
  a->status |= x->kind->gram(x, w + at, a->h, NULL);
  a->status |= matrix_apply_dd(x, f, f, a->z + at, a->z_rest + at, NULL);
  a->status |= matrix_apply_transposed_dd(x, w + at, a->dd, NULL);
}

typedef struct operation_job {
  const test_rows *t;
  const feature_map *map; /* or NULL */
  const double *f, *w;
  size_t cols; /* of the answers */
  answers *of_rank;
  size_t depth[32];
} operation_job;

/* The rows from, …, from + count − 1 of a sparse matrix, copied. */
static matrix *part_of(const matrix *x, size_t from, size_t count) {
  OWNED_MEMORY size_t *rows = calloc(count + 1, sizeof *rows);
  matrix *part = NULL;
  for (size_t i = 0; rows && i < count; i++) {
    rows[i] = from + i;
  }
  if (!rows || x->kind->select(x, rows, count, &part, NULL) != DPERM_OK) {
    abort();
  }
  return part;
}

static void operate(ranks *r, void *context) {
  operation_job *job = context;
  size_t first = 0, rows = 0;
  stripes_of_rank(job->t->rows, r, &first, &rows);
  OWNED(matrix_free_at) matrix *x = part_of(job->t->sparse, first, rows), *view = NULL;
  answers *a = &job->of_rank[r->rank];
  a->status = matrix_sparse_spread(x, r, job->t->rows, NULL);
  if (a->status == DPERM_OK && job->map) {
    a->status = features_new(job->map, x, &view, NULL);
  }
  if (a->status == DPERM_OK) {
    ask(view ? view : x, job->f, job->w, first, a);
  }
  job->depth[r->rank] = (view ? view : x)->sum_depth;
}

static void compare_answers(operation_job *job, const answers *whole, size_t count,
                            size_t whole_depth) {
  for (size_t p = 0; p < count; p++) {
    const answers *a = &job->of_rank[p];
    const ranks r = {.count = count, .rank = p};
    size_t first = 0, rows = 0, cols = job->cols;
    stripes_of_rank(job->t->rows, &r, &first, &rows);
    assert_int_equal(a->status, DPERM_OK);
    assert_int_equal(job->depth[p], whole_depth);
    assert_memory_equal(a->z + first, whole->z + first, rows * sizeof(double));
    assert_memory_equal(a->z_rest + first, whole->z_rest + first, rows * sizeof(double));
    assert_memory_equal(a->g, whole->g, cols * sizeof(double));
    assert_memory_equal(a->d, whole->d, cols * sizeof(double));
    assert_memory_equal(a->dd, whole->dd, 2 * cols * sizeof(double));
    for (size_t i = 0; i < cols; i++) { /* the upper triangle */
      assert_memory_equal(a->h + i * cols + i, whole->h + i * cols + i,
                          (cols - i) * sizeof(double));
    }
  }
}

static void try_operations(const test_rows *t, const feature_map *map) {
  static const size_t counts[] = {1, 2, 3, 4, 7, 16, 19};
  size_t cols = map ? map->kernel.features : t->cols;
  random_source r = seeded(t->rows);
  OWNED_MEMORY double *f = calloc(cols, sizeof *f), *w = calloc(t->rows + 1, sizeof *w);
  assert_true(f && w);
  for (size_t j = 0; j < cols; j++) {
    f[j] = random_normal(&r);
  }
  for (size_t i = 0; i < t->rows; i++) {
    w[i] = random_unit(&r);
  }
  OWNED(matrix_free_at) matrix *view = NULL;
  if (map) {
    assert_ok(features_new(map, t->sparse, &view, err));
  }
  answers whole = answers_new(t->rows, cols);
  ask(view ? view : t->sparse, f, w, 0, &whole);
  assert_int_equal(whole.status, DPERM_OK);
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    operation_job job = {.t = t, .map = map, .f = f, .w = w, .cols = cols};
    job.of_rank = calloc(counts[c], sizeof *job.of_rank);
    assert_non_null(job.of_rank);
    for (size_t p = 0; p < counts[c]; p++) {
      job.of_rank[p] = answers_new(t->rows, cols);
    }
    thread_ranks_run(counts[c], operate, &job);
    compare_answers(&job, &whole, counts[c], (view ? view : t->sparse)->sum_depth);
    for (size_t p = 0; p < counts[c]; p++) {
      answers_free(&job.of_rank[p]);
    }
    free(job.of_rank);
  }
  answers_free(&whole);
}

TEST(operations_have_the_bits_of_one_process) {
  static const size_t rows[] = {1, 511, 513, 1024, 1025, 5000, 8192, 20001};
  thread_scope scope = threads_enter(2);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    OWNED(test_rows_free_at) test_rows *t = test_rows_random(i + 1, rows[i], 37, 0.2);
    try_operations(t, NULL);
  }
  threads_leave(&scope);
}

TEST(features_of_spread_rows_have_the_bits_of_one_process) {
  thread_scope scope = threads_enter(1);
  const dperm_kernel kernel = {DPERM_KERNEL_GAUSSIAN, 0.5, 30, 0, 3};
  OWNED(feature_map_free_at) feature_map *map = NULL;
  assert_ok(feature_map_new(&kernel, 12, NULL, &map, err));
  for (size_t rows = 700; rows < 10000; rows = rows * 3 + 11) {
    OWNED(test_rows_free_at) test_rows *t = test_rows_random(rows, rows, 12, 0.4);
    try_operations(t, map);
  }
  threads_leave(&scope);
}

/* ---- rows that change places */

enum { CHOSEN = 4321 };

typedef struct selection_job {
  const test_rows *t;
  size_t chosen[CHOSEN];
  double *labels; /* CHOSEN */
  double *rows;   /* CHOSEN × cols */
  dperm_status status[8];
} selection_job;

static void choose_rows(ranks *r, void *context) {
  selection_job *job = context;
  size_t first = 0, rows = 0, to = 0, count = 0;
  stripes_of_rank(job->t->rows, r, &first, &rows);
  stripes_of_rank(CHOSEN, r, &to, &count);
  OWNED(matrix_free_at) matrix *x = part_of(job->t->sparse, first, rows), *picked = NULL;
  dperm_status *status = &job->status[r->rank];
  *status = matrix_sparse_spread(x, r, job->t->rows, NULL);
  *status |= tall_select(x, job->t->labels + first, job->chosen, CHOSEN, job->labels + to, NULL);
  *status |= x->kind->select(x, job->chosen, CHOSEN, &picked, NULL);
  for (size_t i = 0; *status == DPERM_OK && i < count; i++) {
    picked->kind->row(picked, i, job->rows + (to + i) * job->t->cols);
  }
}

TEST(selected_rows_find_their_new_places) {
  auto_rows *t = test_rows_random(3, 9000, 11, 0.3);
  selection_job *job = calloc(1, sizeof *job);
  random_source r = seeded(9);
  assert_non_null(job);
  job->t = t;
  job->labels = calloc(CHOSEN, sizeof(double));
  job->rows = calloc((size_t)CHOSEN * t->cols, sizeof(double));
  for (size_t i = 0; i < CHOSEN; i++) {
    job->chosen[i] = (size_t)(random_bits(&r) % t->rows);
  }
  for (size_t count = 1; count <= 8; count++) {
    memset(job->labels, 0, CHOSEN * sizeof(double));
    memset(job->rows, 0, (size_t)CHOSEN * t->cols * sizeof(double));
    thread_ranks_run(count, choose_rows, job);
    for (size_t p = 0; p < count; p++) {
      assert_int_equal(job->status[p], DPERM_OK);
    }
    for (size_t i = 0; i < CHOSEN; i++) {
      assert_true(job->labels[i] == t->labels[job->chosen[i]]);
      assert_memory_equal(job->rows + i * t->cols, t->x + job->chosen[i] * t->cols,
                          t->cols * sizeof(double));
    }
  }
  free(job->labels);
  free(job->rows);
  free(job);
}

/* ---- whole runs */

typedef struct run_job {
  dperm_source source;
  dperm_options options;
  bool tune;
  dperm_model *model[8];
  dperm_status status[8];
  dperm_error error[8];
  /* a failure to plant: on this rank, at its so many-th question whether to go on */
  size_t failing_rank;
  int failing_tick;
} run_job;

typedef struct ticker {
  int left;
} ticker;

static bool count_down(void *context, const char *stage, uint64_t done, uint64_t total) {
  ticker *t = context;
  return t->left > 0 && --t->left == 0;
}

static dperm_status run_once(const run_job *job, ranks *r, const dperm_progress *progress,
                             dperm_model **model, dperm_error *err) {
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  dperm_options options[2] = {job->options, job->options};
  dperm_tune_options how = USUAL(dperm_tune_options);
  dperm_status status = dperm_data_read_spread(&job->source, r, progress, &data, err);
  if (status == DPERM_OK) {
    auto_random *random = NULL;
    status = dperm_random_seeded(11, &random, err);
    options[0].random = options[1].random = random;
    options[0].progress = options[1].progress = *progress;
    options[1].lambda = 0.1;
    if (status == DPERM_OK) {
      status = job->tune ? dperm_tune(data, options, 2, &how, model, err)
                         : dperm_train(data, options, model, err);
    }
  }
  return status;
}

static void run_rank(ranks *r, void *context) {
  run_job *job = context;
  ticker t = {r->rank == job->failing_rank ? job->failing_tick : 0};
  const dperm_progress progress = {count_down, &t};
  job->status[r->rank] = run_once(job, r, &progress, &job->model[r->rank], &job->error[r->rank]);
  job->status[r->rank] = ranks_agree(r, job->status[r->rank], &job->error[r->rank]);
}

static char *records(size_t rows) {
  OWNED_MEMORY char *text = malloc(rows * 40);
  assert_non_null(text);
  size_t used = 0;
  for (size_t i = 0; i < rows; i++) {
    used += (size_t)sprintf(text + used, "%d 1:.%zu %zu:.%zu 9:.%zu\n", i * i % 7 < 3 ? 1 : -1,
                            i % 10, 2 + i % 5, 1 + i % 8, i / 7 % 10);
  }
  char *path = file_with(text, used);
  return path;
}

TEST(runs_give_the_same_model) {
  static const dperm_class_weight weights[] = {{"+1", 7}};
  auto_file *svm = records(6000), *path = file_with_text("");
  const dperm_source source = {.path = svm, .format = DPERM_FORMAT_SVMLIGHT, .dims = 9};
  assert_ok(dperm_encode_file(&source, path, NULL, NULL, err));
  for (int variant = 0; variant < 8; variant++) {
    run_job job = {.source = source, .tune = variant & 2, .failing_rank = SIZE_MAX};
    if (variant & 1) {
      job.source = (dperm_source){.path = path};
    }
    dperm_options_init(&job.options);
    job.options.epsilon = 1;
    job.options.threads = 2;
    if (variant & 1) { /* and from a sample's weights, as there are rows enough for one */
      job.options.class_weights = weights;
      job.options.class_weight_count = 1;
    }
    if (variant & 4) {
      job.options.kernel = (dperm_kernel){DPERM_KERNEL_GAUSSIAN, 0.5, 20, 0, 0};
    }
    OWNED(dperm_model_free_at) dperm_model *alone = NULL;
    const dperm_progress none = {NULL, NULL};
    assert_ok(run_once(&job, NULL, &none, &alone, err));
    for (size_t count = 1; count <= 5; count++) {
      memset(job.model, 0, sizeof job.model);
      thread_ranks_run(count, run_rank, &job);
      for (size_t p = 0; p < count; p++) {
        if (job.status[p] != DPERM_OK) {
          fail_msg("rank %zu of %zu: %s", p, count, job.error[p].message);
        }
        assert_true((job.model[p] != NULL) == (p == 0));
      }
      assert_int_equal(job.model[0]->rows, 6000);
      assert_memory_equal(job.model[0]->weights, alone->weights,
                          alone->dims * sizeof *alone->weights);
      dperm_model_free(job.model[0]);
    }
  }
}

/* Whoever stops, and whenever: all stop, with the same words. */
TEST(a_failure_of_one_is_a_failure_of_all) {
  auto_file *svm = records(6000), *path = file_with_text("");
  const dperm_source source = {.path = svm, .format = DPERM_FORMAT_SVMLIGHT, .dims = 9};
  assert_ok(dperm_encode_file(&source, path, NULL, NULL, err));
  for (size_t failing = 0; failing < 3; failing++) {
    for (int tick = 1; tick <= 2; tick++) {
      run_job job = {.source = {.path = path, .format = DPERM_FORMAT_AUTO},
                     .tune = tick % 2,
                     .failing_rank = failing,
                     .failing_tick = tick};
      dperm_options_init(&job.options);
      job.options.epsilon = 1;
      job.options.threads = 1;
      thread_ranks_run(3, run_rank, &job);
      for (size_t p = 0; p < 3; p++) {
        assert_int_equal(job.status[p], DPERM_CANCELLED);
        assert_null(job.model[p]);
        assert_string_equal(job.error[p].message, job.error[0].message);
      }
    }
  }
}

/* One process sees a damaged file, or another one. */
static void split_sources(ranks *r, void *context) {
  run_job *jobs = context; /* the second for rank 1 */
  const run_job *own = &jobs[r->rank == 1];
  const dperm_progress none = {NULL, NULL};
  jobs->status[r->rank] = run_once(own, r, &none, &jobs->model[r->rank], &jobs->error[r->rank]);
}

TEST(processes_must_see_the_same_whole_file) {
  auto_file *svm = records(6000), *path = file_with_text(""), *other = file_with_text("");
  const dperm_source source = {.path = svm, .format = DPERM_FORMAT_SVMLIGHT, .dims = 9};
  auto_file *more = records(6001);
  const dperm_source longer = {.path = more, .format = DPERM_FORMAT_SVMLIGHT, .dims = 9};
  assert_ok(dperm_encode_file(&source, path, NULL, NULL, err));
  static const char *const words[] = {"different files", "cannot open", "is wrong",
                                      "different files"};
  char *texts[] = {file_with_text("1 1:.5\n-1 2:.5\n"), file_with_text("1 1:.5\n-1 2:.4\n")};
  for (int variant = 0; variant < 4; variant++) {
    run_job jobs[2] = {
        {.source = {.path = path, .format = DPERM_FORMAT_AUTO}, .failing_rank = SIZE_MAX},
        {.source = {.path = other, .format = DPERM_FORMAT_ENCODED}}};
    dperm_options_init(&jobs[0].options);
    jobs[0].options.epsilon = 1;
    jobs[1].options = jobs[0].options;
    if (variant == 0) {
      assert_ok(dperm_encode_file(&longer, other, NULL, NULL, err));
    } else if (variant == 1) {
      jobs[1].source.path = "/nowhere/to/be/found";
    } else if (variant == 3) { /* texts of as many rows */
      for (size_t j = 0; j < 2; j++) {
        jobs[j].source =
            (dperm_source){.path = texts[j], .format = DPERM_FORMAT_SVMLIGHT, .dims = 9};
      }
    } else { /* a byte in the middle of its values */
      assert_ok(dperm_encode_file(&source, other, NULL, NULL, err));
      FILE *file = fopen(other, "r+b");
      assert_true(file && fseek(file, -(100 << 10), SEEK_END) == 0);
      int byte = fgetc(file);
      assert_true(fseek(file, -1, SEEK_CUR) == 0 && fputc(byte ^ 1, file) != EOF);
      fclose(file);
    }
    thread_ranks_run(3, split_sources, jobs);
    for (size_t p = 0; p < 3; p++) {
      assert_int_not_equal(jobs->status[p], DPERM_OK);
      assert_null(jobs->model[p]);
      if (!strstr(jobs->error[p].message, words[variant])) {
        fail_msg("rank %zu says \"%s\"", p, jobs->error[p].message);
      }
    }
  }
  file_remove(texts[0]);
  file_remove(texts[1]);
}
