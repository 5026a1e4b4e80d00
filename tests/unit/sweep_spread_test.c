/* dperm_sweep over rows among the processes of a job (here: threads, support/thread_ranks.h): the
 * counts are those of one process, only the leader tells them and keeps the journal, and whoever
 * stops, all stop; any number of processes goes on from there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/owned.h"
#include "data/dataset.h"
#include "data/identity.h"
#include "dperm/sweep.h"
#include "reference.h"
#include "thread_ranks.h"

enum { MOST_RANKS = 8, CELLS = 4, DRAWS = 40, PARTS = 7, FOLDS = 3, MOST = DRAWS * PARTS };

typedef struct sweep_job {
  dperm_source source;
  const char *test; /* path of rows to test on, or NULL */
  dperm_kernel kernel;
  const char *journal;
  size_t stop_rank; /* who stops, */
  uint64_t stop_at; /* when so many models are done; 0 for nobody */
  size_t visited[MOST_RANKS];
  uint64_t errors[CELLS][MOST];
  dperm_status status[MOST_RANKS];
  dperm_error error[MOST_RANKS];
} sweep_job;

typedef struct watcher {
  sweep_job *job;
  size_t rank;
  uint64_t stop_at;
} watcher;

static bool stop_there(void *context, const char *stage, uint64_t done, uint64_t total) {
  const watcher *w = context;
  return w->stop_at > 0 && done >= w->stop_at;
}

static void keep(void *context, const dperm_sweep_cell *cell) {
  watcher *w = context;
  sweep_job *job = w->job;
  size_t counts = cell->runs * (job->test ? PARTS : 1);
  job->visited[w->rank]++;
  memcpy(job->errors[cell->index], cell->errors,
         (counts < MOST ? counts : MOST) * sizeof *cell->errors);
}

/* One without noise, two losses, both mechanisms, one with weights. */
static dperm_status sweep_cells(const sweep_job *job, dperm_options cells[CELLS]) {
  static const dperm_class_weight weights[] = {{"-1", 0.3}};
  for (size_t c = 0; c < CELLS; c++) {
    dperm_options_init(&cells[c]);
    cells[c].epsilon = 0.5;
    cells[c].lambda = 0.02;
    cells[c].kernel = job->kernel;
  }
  cells[0].mechanism = DPERM_MECHANISM_NONE;
  cells[1].mechanism = DPERM_MECHANISM_OUTPUT;
  cells[2].class_weights = weights;
  cells[2].class_weight_count = 1;
  return dperm_loss_huber(0.5, &cells[2].loss, NULL);
}

static dperm_status sweep_once(watcher *w, ranks *r, dperm_error *error) {
  const sweep_job *job = w->job;
  auto_data *data = NULL, *test = NULL;
  dperm_options cells[CELLS];
  dperm_sweep_options how = USUAL(dperm_sweep_options);
  dperm_source source = job->source;
  how.folds = FOLDS;
  how.draws = DRAWS;
  how.threads = 1;
  how.journal = job->journal;
  how.progress = (dperm_progress){stop_there, w};
  dperm_status status = sweep_cells(job, cells);
  if (status == DPERM_OK) {
    status = dperm_data_read_spread(&source, r, NULL, &data, error);
  }
  if (status == DPERM_OK && job->test) {
    source.path = job->test;
    status = dperm_data_read_spread(&source, r, NULL, &test, error);
    how.test_data = test;
    how.test_parts = PARTS;
  }
  if (status == DPERM_OK) {
    status = dperm_sweep(data, cells, CELLS, &how, keep, w, error);
  }
  return status;
}

static void sweep_rank(ranks *r, void *context) {
  sweep_job *job = context;
  watcher w = {job, r->rank, r->rank == job->stop_rank ? job->stop_at : 0};
  job->status[r->rank] = sweep_once(&w, r, &job->error[r->rank]);
}

static void sweep_alone(sweep_job *job) {
  watcher w = {.job = job};
  memset(job->errors, 0, sizeof job->errors);
  assert_ok(sweep_once(&w, NULL, err));
}

static void all_went_well(const sweep_job *job, size_t count) {
  for (size_t p = 0; p < count; p++) {
    if (job->status[p] != DPERM_OK) {
      fail_msg("rank %zu of %zu: %s", p, count, job->error[p].message);
    }
    assert_int_equal(job->visited[p], p == 0 ? CELLS : 0);
  }
}

/* Rows that no hyperplane divides. */
static char *records(size_t rows, size_t from) {
  OWNED_MEMORY char *text = malloc(rows * 40);
  assert_non_null(text);
  size_t used = 0;
  for (size_t i = from; i < from + rows; i++) {
    used += (size_t)sprintf(text + used, "%d 1:.%zu %zu:.%zu 9:.%zu\n",
                            (i * i % 7 < 3) ^ (i / 7 % 10 > 6) ? 1 : -1, i % 10, 2 + i % 5,
                            1 + i % 8, i / 7 % 10);
  }
  char *path = file_with(text, used);
  return path;
}

TEST(counts_are_those_of_one_process) {
  auto_file *svm = records(3000, 0), *more = records(1700, 5000);
  for (int variant = 0; variant < 4; variant++) {
    sweep_job job = {.source = {.path = svm, .format = DPERM_FORMAT_SVMLIGHT, .dims = 9},
                     .stop_rank = SIZE_MAX};
    OWNED_MEMORY sweep_job *alone = malloc(sizeof *alone);
    assert_non_null(alone);
    job.test = variant & 1 ? more : NULL;
    if (variant & 2) {
      job.kernel = (dperm_kernel){DPERM_KERNEL_GAUSSIAN, 0.5, 20, 0, 0};
    }
    *alone = job;
    sweep_alone(alone);
    for (size_t count = 1; count <= 5; count++) {
      memset(job.errors, 0, sizeof job.errors);
      memset(job.visited, 0, sizeof job.visited);
      thread_ranks_run(count, sweep_rank, &job);
      all_went_well(&job, count);
      assert_memory_equal(job.errors, alone->errors, sizeof job.errors);
    }
  }
}

/* Whoever stops, and whenever: all stop, nothing is told; and other numbers of processes, or one
 * alone, go on from the journal. */
TEST(all_stop_and_any_number_goes_on) {
  auto_file *svm = records(3000, 0), *journal = file_with_text("");
  sweep_job alone = {.source = {.path = svm, .format = DPERM_FORMAT_SVMLIGHT, .dims = 9},
                     .stop_rank = SIZE_MAX};
  sweep_alone(&alone);
  for (size_t stopping = 0; stopping < 3; stopping++) {
    sweep_job job = alone;
    assert_int_equal(unlink(journal), 0);
    job.journal = journal;
    job.stop_rank = stopping;
    for (uint64_t models = 1; models < 250; models += 110) { /* of 363 */
      job.stop_at = models;
      memset(job.visited, 0, sizeof job.visited);
      thread_ranks_run(3, sweep_rank, &job);
      for (size_t p = 0; p < 3; p++) {
        assert_int_equal(job.status[p], DPERM_CANCELLED);
        assert_int_equal(job.visited[p], 0);
      }
      assert_non_null(strstr(job.error[0].message, "goes on from there"));
    }
    job.stop_at = 0;
    memset(job.errors, 0, sizeof job.errors);
    if (stopping < 2) {
      thread_ranks_run(stopping + 1, sweep_rank, &job);
      all_went_well(&job, stopping + 1);
    } else {
      sweep_alone(&job);
    }
    assert_memory_equal(job.errors, alone.errors, sizeof job.errors);
  }
}

/* The leader cannot keep its journal: everybody hears why. */
TEST(a_journal_that_cannot_be_is_everybodys_failure) {
  auto_file *svm = records(3000, 0);
  sweep_job job = {.source = {.path = svm, .format = DPERM_FORMAT_SVMLIGHT, .dims = 9},
                   .stop_rank = SIZE_MAX,
                   .journal = "/nowhere/to/be/found"};
  thread_ranks_run(3, sweep_rank, &job);
  for (size_t p = 0; p < 3; p++) {
    assert_int_equal(job.status[p], DPERM_IO_ERROR);
    assert_int_equal(job.visited[p], 0);
    assert_non_null(strstr(job.error[p].message, "cannot keep the sweep's journal"));
  }
}

/* ---- how the journal knows the rows */

typedef struct identity_job {
  dperm_source source;
  unsigned char identity[MOST_RANKS][IDENTITY_SIZE];
  dperm_status status[MOST_RANKS];
} identity_job;

static void identify(ranks *r, void *context) {
  identity_job *job = context;
  auto_data *data = NULL;
  size_t rank = r ? r->rank : 0;
  job->status[rank] = dperm_data_read_spread(&job->source, r, NULL, &data, NULL);
  if (job->status[rank] == DPERM_OK) {
    job->status[rank] = identity_of_stripes(data, job->identity[rank], NULL);
  }
}

TEST(rows_are_known_wherever_they_are) {
  char *paths[2] = {records(3000, 0), records(3000, 1)};
  unsigned char first[IDENTITY_SIZE] = {0};
  for (int which = 0; which < 2; which++) {
    identity_job alone = {
        .source = {.path = paths[which], .format = DPERM_FORMAT_SVMLIGHT, .dims = 9}};
    identify(NULL, &alone);
    assert_int_equal(alone.status[0], DPERM_OK);
    for (size_t count = 1; count <= MOST_RANKS; count++) {
      identity_job job = {.source = alone.source};
      thread_ranks_run(count, identify, &job);
      for (size_t p = 0; p < count; p++) {
        assert_int_equal(job.status[p], DPERM_OK);
        assert_memory_equal(job.identity[p], alone.identity[0], IDENTITY_SIZE);
      }
    }
    assert_memory_not_equal(alone.identity[0], first, IDENTITY_SIZE);
    memcpy(first, alone.identity[0], IDENTITY_SIZE);
    file_remove(paths[which]);
  }
}
