/* See thread_ranks.h. One lock and one bell for all: every change rings, everybody looks. */
#include "thread_ranks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

typedef struct meeting {
  pthread_mutex_t lock;
  pthread_cond_t bell;
  size_t count;
  const void **mail;          /* count × count: what a rank has for another until it is taken */
  size_t waiting, generation; /* of a meeting of all */
  const void *shared;
  uint64_t most, last_most;
} meeting;

typedef struct thread_rank {
  ranks base;
  meeting *place;
  void (*work)(ranks *r, void *context);
  void *context;
  pthread_t thread;
} thread_rank;

static meeting *meeting_of(ranks *r) {
  return ((thread_rank *)r)->place;
}

static bool send_to(ranks *r, size_t to, const void *bytes, size_t size) {
  meeting *p = meeting_of(r);
  const void **slot = &p->mail[r->rank * p->count + to];
  if (size == 0) {
    return true;
  }
  pthread_mutex_lock(&p->lock);
  *slot = bytes;
  pthread_cond_broadcast(&p->bell);
  while (*slot) {
    pthread_cond_wait(&p->bell, &p->lock);
  }
  pthread_mutex_unlock(&p->lock);
  return true;
}

static bool receive_from(ranks *r, size_t from, void *bytes, size_t size) {
  meeting *p = meeting_of(r);
  const void **slot = &p->mail[from * p->count + r->rank];
  if (size == 0) {
    return true;
  }
  pthread_mutex_lock(&p->lock);
  while (!*slot) {
    pthread_cond_wait(&p->bell, &p->lock);
  }
  memcpy(bytes, *slot, size);
  *slot = NULL;
  pthread_cond_broadcast(&p->bell);
  pthread_mutex_unlock(&p->lock);
  return true;
}

/* Waits until all are here; the last one to come does what is to be done between. The lock is held.
 */
static void meet(meeting *p) {
  size_t generation = p->generation;
  if (++p->waiting == p->count) {
    p->waiting = 0;
    p->generation++;
    p->last_most = p->most;
    p->most = 0;
    pthread_cond_broadcast(&p->bell);
  }
  while (generation == p->generation) {
    pthread_cond_wait(&p->bell, &p->lock);
  }
}

static bool share_from(ranks *r, size_t from, void *bytes, size_t size) {
  meeting *p = meeting_of(r);
  pthread_mutex_lock(&p->lock);
  if (r->rank == from) {
    p->shared = bytes;
  }
  meet(p);
  if (r->rank != from) {
    memcpy(bytes, p->shared, size);
  }
  meet(p); /* the bytes may change only when all have them */
  pthread_mutex_unlock(&p->lock);
  return true;
}

static bool most_of(ranks *r, uint64_t *number) {
  meeting *p = meeting_of(r);
  pthread_mutex_lock(&p->lock);
  p->most = *number > p->most ? *number : p->most;
  meet(p);
  *number = p->last_most;
  meet(p);
  pthread_mutex_unlock(&p->lock);
  return true;
}

static void *run_rank(void *rank) {
  thread_rank *t = rank;
  t->work(&t->base, t->context);
  return NULL;
}

void thread_ranks_run(size_t count, void (*work)(ranks *r, void *context), void *context) {
  meeting place = {.count = count};
  thread_rank *all = calloc(count, sizeof *all);
  place.mail = calloc(count * count, sizeof *place.mail);
  assert_true(all && place.mail);
  pthread_mutex_init(&place.lock, NULL);
  pthread_cond_init(&place.bell, NULL);
  for (size_t i = 0; i < count; i++) {
    all[i] = (thread_rank){.base = {.count = count,
                                    .rank = i,
                                    .send = send_to,
                                    .receive = receive_from,
                                    .share = share_from,
                                    .most = most_of},
                           .place = &place,
                           .work = work,
                           .context = context};
    assert_int_equal(pthread_create(&all[i].thread, NULL, run_rank, &all[i]), 0);
  }
  for (size_t i = 0; i < count; i++) {
    pthread_join(all[i].thread, NULL);
  }
  pthread_mutex_destroy(&place.lock);
  pthread_cond_destroy(&place.bell);
  free(place.mail);
  free(all);
}
