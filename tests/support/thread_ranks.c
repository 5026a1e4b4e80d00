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
  const uint64_t **numbers; /* of each rank, to be combined */
} meeting;

typedef struct thread_rank {
  ranks base;
  meeting *place;
  void (*work)(ranks *r, void *context);
  void *context;
  pthread_t thread;
} thread_rank;

static ranks *rank_of(void *context) {
  return &((thread_rank *)context)->base;
}

static meeting *meeting_of(void *context) {
  return ((thread_rank *)context)->place;
}

static bool send_to(void *context, size_t to, const void *bytes, size_t size) {
  meeting *p = meeting_of(context);
  const void **slot = &p->mail[rank_of(context)->rank * p->count + to];
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

static bool receive_from(void *context, size_t from, void *bytes, size_t size) {
  meeting *p = meeting_of(context);
  const void **slot = &p->mail[from * p->count + rank_of(context)->rank];
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

/* Waits until all are here. The lock is held. */
static void meet(meeting *p) {
  size_t generation = p->generation;
  if (++p->waiting == p->count) {
    p->waiting = 0;
    p->generation++;
    pthread_cond_broadcast(&p->bell);
  }
  while (generation == p->generation) {
    pthread_cond_wait(&p->bell, &p->lock);
  }
}

static bool share_from(void *context, size_t from, void *bytes, size_t size) {
  meeting *p = meeting_of(context);
  pthread_mutex_lock(&p->lock);
  if (rank_of(context)->rank == from) {
    p->shared = bytes;
  }
  meet(p);
  if (rank_of(context)->rank != from) {
    memcpy(bytes, p->shared, size);
  }
  meet(p); /* the bytes may change only when all have them */
  pthread_mutex_unlock(&p->lock);
  return true;
}

static bool combine_all(void *context, bool sum, uint64_t *numbers, size_t count) {
  meeting *p = meeting_of(context);
  uint64_t *all = calloc(count + 1, sizeof *all);
  assert_non_null(all);
  pthread_mutex_lock(&p->lock);
  p->numbers[rank_of(context)->rank] = numbers;
  meet(p);
  for (size_t rank = 0; rank < p->count; rank++) {
    const uint64_t *theirs = p->numbers[rank];
    for (size_t i = 0; i < count; i++) {
      all[i] = sum ? all[i] + theirs[i] : theirs[i] > all[i] ? theirs[i] : all[i];
    }
  }
  meet(p); /* the numbers may change only when all have them */
  pthread_mutex_unlock(&p->lock);
  memcpy(numbers, all, count * sizeof *all);
  free(all);
  return true;
}

static void *run_rank(void *rank) {
  thread_rank *t = rank;
  t->work(&t->base, t->context);
  return NULL;
}

void thread_ranks_run(size_t count, void (*work)(ranks *r, void *context), void *context) {
  thread_ranks_run_from(0, count, work, context);
}

void thread_ranks_run_from(size_t rows_from, size_t count, void (*work)(ranks *r, void *context),
                           void *context) {
  meeting place = {.count = count};
  thread_rank *all = calloc(count, sizeof *all);
  place.mail = calloc(count * count, sizeof *place.mail);
  place.numbers = calloc(count, sizeof *place.numbers);
  assert_true(all && place.mail && place.numbers);
  pthread_mutex_init(&place.lock, NULL);
  pthread_cond_init(&place.bell, NULL);
  for (size_t i = 0; i < count; i++) {
    all[i] = (thread_rank){.base = {.count = count,
                                    .rank = i,
                                    .rows_from = rows_from,
                                    .how = {.context = &all[i],
                                            .send = send_to,
                                            .receive = receive_from,
                                            .share = share_from,
                                            .combine = combine_all}},
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
  free(place.numbers);
  free(all);
}
