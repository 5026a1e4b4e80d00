/* Work in pieces: every piece once, by workers that do not share a place, from several callers at
 * once, inside of a piece, after a fork, and with the caller's rounding mode. */
#define _GNU_SOURCE
#include "base/thread_pool.h"

#include <dirent.h>
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

#ifdef __SANITIZE_THREAD__
enum { SANITIZERS_THREADS = 1 };
#else
enum { SANITIZERS_THREADS = 0 };
#endif
enum { PIECES = 5000, MOST = 8 };

typedef struct counts {
  atomic_int taken[PIECES];
  atomic_int busy[MOST];
  atomic_int trouble;
} counts;

static void count_piece(void *context, size_t piece, size_t worker) {
  counts *c = context;
  if (worker >= MOST || atomic_fetch_add(&c->busy[worker], 1) != 0) {
    atomic_fetch_add(&c->trouble, 1);
    return;
  }
  atomic_fetch_add(&c->taken[piece], 1);
  atomic_fetch_sub(&c->busy[worker], 1);
}

static int wrong_after(size_t pieces) {
  counts *c = calloc(1, sizeof *c);
  if (!c) {
    return 1;
  }
  pool_run(pieces, count_piece, c);
  int wrong = atomic_load(&c->trouble);
  for (size_t i = 0; i < PIECES; i++) {
    wrong += atomic_load(&c->taken[i]) != (i < pieces);
  }
  free(c);
  return wrong;
}

/* ---- how many: the first test, as DPERM_THREADS is read once */

/* In a child. */
static size_t workers_with(const char *variable, int asked) {
  pid_t child = fork();
  if (child == 0) {
    (void)(variable ? setenv("DPERM_THREADS", variable, 1) : unsetenv("DPERM_THREADS"));
    (void)threads_enter(asked);
    _exit((int)pool_workers());
  }
  int status = 0;
  assert_true(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
  return (size_t)WEXITSTATUS(status);
}

TEST(the_call_the_variable_and_the_processors_say_how_many) {
  cpu_set_t before, one;
  assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
  size_t processors = (size_t)CPU_COUNT(&before);
  assert_int_equal(workers_with(NULL, 0), processors);
  assert_int_equal(workers_with("3", 0), 3);
  assert_int_equal(workers_with("3", 5), 5);
  assert_int_equal(workers_with(NULL, 5), 5);
  static const char *const ignored[] = {"", "0", "-2", "+2", " 2", "2 ", "2.5", "two", "4097"};
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) {
    assert_int_equal(workers_with(ignored[i], 0), processors);
  }
  size_t first = 0;
  while (!CPU_ISSET(first, &before)) {
    first++;
  }
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
  assert_int_equal(workers_with(NULL, 0), 1);
  assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

TEST(every_piece_is_done_once) {
  for (int threads = 1; threads <= 5; threads++) {
    OWNED(threads_leave) thread_scope scope = threads_enter(threads);
    assert_int_equal(pool_workers(), threads);
    for (size_t pieces = 0; pieces <= PIECES; pieces = 2 * pieces + 1) {
      assert_int_equal(wrong_after(pieces), 0);
    }
  }
}

static void *run_many(void *context) {
  atomic_int *wrong = context;
  (void)threads_enter(3);
  for (int i = 0; i < 200; i++) {
    atomic_fetch_add(wrong, wrong_after(64));
  }
  return NULL;
}

TEST(callers_do_not_disturb_each_other) {
  pthread_t threads[4];
  atomic_int wrong = 0;
  for (int i = 0; i < 4; i++) {
    assert_int_equal(pthread_create(&threads[i], NULL, run_many, &wrong), 0);
  }
  for (int i = 0; i < 4; i++) {
    assert_int_equal(pthread_join(threads[i], NULL), 0);
  }
  assert_int_equal(atomic_load(&wrong), 0);
}

static void run_nested(void *context, size_t piece, size_t worker) {
  OWNED(threads_leave) thread_scope scope = threads_enter(3);
  atomic_fetch_add((atomic_int *)context, wrong_after(100) + (pool_workers() != 1));
}

TEST(inside_of_a_piece_a_job_is_its_callers) {
  OWNED(threads_leave) thread_scope scope = threads_enter(3);
  atomic_int wrong = 0;
  pool_run(30, run_nested, &wrong);
  assert_int_equal(atomic_load(&wrong), 0);
  assert_int_equal(pool_workers(), 3);
}

TEST(a_child_starts_threads_of_its_own) {
#ifdef __SANITIZE_THREAD__
  skip(); /* it forbids threads in the child; all other builds run this */
#endif
  OWNED(threads_leave) thread_scope scope = threads_enter(3);
  assert_int_equal(wrong_after(1000), 0);
  pid_t child = fork();
  if (child == 0) {
    _exit(wrong_after(1000) == 0 && wrong_after(1000) == 0 ? 0 : 1);
  }
  int status = 1;
  assert_true(child > 0 && waitpid(child, &status, 0) == child);
  assert_int_equal(status, 0);
  assert_int_equal(wrong_after(1000), 0);
}

/* ---- the end */

static size_t threads_of_process(void) {
  size_t count = 0;
  DIR *tasks = opendir("/proc/self/task");
  assert_non_null(tasks);
  for (const struct dirent *task; (task = readdir(tasks));) {
    count += task->d_name[0] != '.';
  }
  assert_int_equal(closedir(tasks), 0);
  return count;
}

static void end_threads(void *context, size_t piece, size_t worker) {
  dperm_threads_end();
}

TEST(threads_end_and_others_start) {
  OWNED(threads_leave) thread_scope scope = threads_enter(4);
  dperm_threads_end();
  dperm_threads_end(); /* of none */
  for (int turn = 0; turn < 20; turn++) {
    assert_int_equal(wrong_after(100), 0);
    assert_true(threads_of_process() >= 4);
    pool_run(30, end_threads, NULL); /* not those that are at work */
    assert_int_equal(wrong_after(100), 0);
    dperm_threads_end();
    while (threads_of_process() > 1 + SANITIZERS_THREADS) { /* the system's list comes a bit late */
      (void)sched_yield();
    }
  }
}

/* ---- the arithmetic */

typedef struct modes {
  atomic_int seen[4]; /* how often 1 + 2^−53 rounded up, and did not, by worker 0 and by others */
  int set;            /* to be set by pieces on other threads; −1 for none */
} modes;

static void see_mode(void *context, size_t piece, size_t worker) {
  modes *m = context;
  volatile double one = 1, little = 0x1p-60;
  for (int i = 0; i < 20000; i++) { /* long enough for all threads to come */
    one = 1;
  }
  atomic_fetch_add(&m->seen[2 * (worker > 0) + (one + little > 1)], 1);
  if (worker > 0 && m->set >= 0) {
    (void)fesetround(m->set);
  }
}

TEST(threads_round_as_their_caller) {
  OWNED(threads_leave) thread_scope scope = threads_enter(3);
  for (int round = 0; round < 20; round++) {
    modes m = {.set = -1};
    bool up = round % 2;
    assert_int_equal(fesetround(up ? FE_UPWARD : FE_TONEAREST), 0);
    pool_run(200, see_mode, &m);
    assert_int_equal(fesetround(FE_TONEAREST), 0);
    assert_int_equal(atomic_load(&m.seen[!up]) + atomic_load(&m.seen[2 + !up]), 0);
  }
}

/* Whatever a piece did to the rounding mode, the caller can see. */
TEST(a_spoilt_mode_comes_back_to_the_caller) {
  OWNED(threads_leave) thread_scope scope = threads_enter(3);
  for (int round = 0; round < 20; round++) {
    modes m = {.set = FE_DOWNWARD};
    pool_run(400, see_mode, &m);
    bool others = atomic_load(&m.seen[2]) + atomic_load(&m.seen[3]) > 0;
    assert_int_equal(fegetround(), others ? FE_DOWNWARD : FE_TONEAREST);
    assert_int_equal(fesetround(FE_TONEAREST), 0);
  }
}
