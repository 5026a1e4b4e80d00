/* See threads.h. The environment and the processors are looked at once, when they are first needed:
 * a program may change its environment while other threads are in the library. */
#define _GNU_SOURCE
#include "base/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"

enum { MOST_THREADS = 4096 };

static _Thread_local int requested; /* 0 for none */
static int usual;                   /* what a thread without a request has */

static int processors(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    return CPU_COUNT(&set);
  }
  long online = sysconf(_SC_NPROCESSORS_ONLN); /* more than a cpu_set_t holds */
  return online < 1 ? 1 : online > MOST_THREADS ? MOST_THREADS : (int)online;
}

static void find_usual(void) {
  const char *text = getenv("DPERM_THREADS");
  size_t threads = 0;
  bool given = text && parse_size(slice_of(text), MOST_THREADS, &threads) && threads > 0;
  usual = given ? (int)threads : processors();
}

int threads_allowed(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  (void)pthread_once(&once, find_usual);
  return requested ? requested : usual;
}

thread_scope threads_enter(int threads) {
  thread_scope scope = {requested};
  requested = threads > 0 ? threads : requested;
  return scope;
}

void threads_leave(thread_scope scope) {
  requested = scope.before;
}
