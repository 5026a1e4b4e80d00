/* Jobs whose processes talk by hooks of the program's own (here: threads over sockets), with
 * records that each has in memory: the same model to the byte as one process, whatever their
 * number and whether or not the leader has rows; the same identity for the ledger; and where a hook
 * fails, whichever and whenever, there is no model, and one charge at most. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "data/identity.h"
#include "dperm/ranks.h"
#include "dperm/tune.h"
#include "ledgers.h"

enum { MOST = 19 };

/* ---- records: two numbers, a category, a label */

typedef struct people {
  size_t rows;
  double *age, *income;
  int32_t *job, *label;
} people;

static const char *const jobs[] = {"nurse", "judge", "baker", "?"};
static const char *const kinds[] = {"a", "b", "c"};

static people people_new(size_t rows) {
  people p = {rows, calloc(rows, sizeof(double)), calloc(rows, sizeof(double)),
              calloc(rows, sizeof(int32_t)), calloc(rows, sizeof(int32_t))};
  random_source r = seeded(rows);
  assert_true(p.age && p.income && p.job && p.label);
  for (size_t i = 0; i < rows; i++) {
    p.age[i] = (double)(random_bits(&r) % 100);
    p.income[i] = 1000 * random_unit(&r);
    p.job[i] = (int32_t)(random_bits(&r) % 4);
    p.label[i] = (int32_t)((p.age[i] > 50) + (p.job[i] == 1 && random_unit(&r) < 0.7));
  }
  return p;
}

static void people_free(people *p) {
  free(p->age);
  free(p->income);
  free(p->job);
  free(p->label);
}

#define COLUMNS                                                                                    \
  "'columns': [{'name': 'age', 'type': 'numeric', 'min': 0, 'max': 100}, {'name': 'income', "      \
  "'type': 'numeric', 'min': 0, 'max': 1000}, {'name': 'job', 'type': 'categorical', 'values': "   \
  "['nurse', 'judge', 'baker']}]}"
static const char of_two[] =
    "{'label': {'column': 'y', 'positive': ['b', 'c'], 'negative': ['a']}, " COLUMNS;
static const char of_three[] = "{'label': {'column': 'y', 'classes': ['a', 'b', 'c']}, " COLUMNS;
static const char of_numbers[] =
    "{'label': {'column': 'y', 'type': 'numeric', 'min': 0, 'max': 50}, " COLUMNS;

/* Records first, …, first + count − 1. */
static dperm_status data_of_people(const people *p, const dperm_schema *schema, bool numeric,
                                   size_t first, size_t count, dperm_data **out, dperm_error *err) {
  const dperm_column columns[] = {
      {.numbers = p->age + first},
      {.numbers = p->income + first},
      {.codes = p->job + first, .texts = jobs, .text_count = 4},
  };
  const dperm_column label = {.codes = p->label + first, .texts = kinds, .text_count = 3};
  return dperm_data_from_table(schema, count, columns, numeric ? &columns[0] : &label, out, err);
}

/* ---- a job of threads that have a socket for each other */

typedef struct job {
  const people *records;
  dperm_schema *schema;
  bool numeric, tune;
  dperm_options options; /* the ledger is the leader's */
  const char *dataset;
  uint64_t seed; /* 0: secure noise */
  size_t count, rows_from;
  size_t failing, fails_at; /* this process's so many-th message fails; 0 for none */
  size_t messages[MOST];    /* how many there were */
  int sockets[MOST][MOST];  /* [a][b]: a's end of what it has with b */
  char *model[MOST];        /* as its file */
  unsigned char id[MOST][IDENTITY_SIZE];
  dperm_status status[MOST];
  dperm_error error[MOST];
} job;

typedef struct member {
  job *job;
  size_t rank;
  pthread_t thread;
} member;

static bool fails(const member *m) {
  return ++m->job->messages[m->rank] == m->job->fails_at && m->rank == m->job->failing;
}

static bool send_whole(void *context, size_t to, const void *bytes, size_t size) {
  const member *m = context;
  const char *at = bytes;
  bool fine = !fails(m);
  while (fine && size > 0) {
    ssize_t sent = send(m->job->sockets[m->rank][to], at, size, MSG_NOSIGNAL);
    fine = sent > 0;
    at += fine ? sent : 0;
    size -= fine ? (size_t)sent : 0;
  }
  return fine;
}

static bool receive_whole(void *context, size_t from, void *bytes, size_t size) {
  const member *m = context;
  return !fails(m) &&
         recv(m->job->sockets[m->rank][from], bytes, size, MSG_WAITALL) == (ssize_t)size;
}

/* Whoever ends closes its sockets, so that nobody waits for it. */
static void leave(void *context, bool lost) {
  const member *m = context;
  for (size_t p = 0; p < m->job->count; p++) {
    if (p != m->rank) {
      (void)shutdown(m->job->sockets[m->rank][p], SHUT_RDWR);
    }
  }
}

static dperm_status train(job *j, const dperm_data *data, size_t rank, dperm_error *err) {
  auto_random *random = NULL;
  auto_model *model = NULL;
  dperm_options options[2] = {j->options, j->options};
  dperm_tune_options how = USUAL(dperm_tune_options);
  size_t length = 0;
  if (j->seed) {
    assert_int_equal(dperm_random_seeded(j->seed, &random, NULL), DPERM_OK);
  }
  options[0].random = options[1].random = random;
  options[0].account.dataset = j->dataset;
  options[0].account.ledger = rank == 0 ? options[0].account.ledger : NULL;
  options[1].lambda = 0.1;
  dperm_status status = j->tune ? dperm_tune(data, options, 2, &how, &model, err)
                                : dperm_train(data, options, &model, err);
  if (status == DPERM_OK && model) {
    status = dperm_model_to_text(model, &j->model[rank], &length, err);
  }
  return status;
}

static void *run_member(void *context) {
  const member *m = context;
  job *j = m->job;
  const size_t rank = m->rank, rows = j->records->rows, parts = j->count - j->rows_from;
  const size_t part = rank - j->rows_from;
  const bool has = rank >= j->rows_from;
  const size_t first = has ? dperm_ranks_first_row(parts, part, rows) : 0;
  const size_t count = has ? dperm_ranks_first_row(parts, part + 1, rows) - first : 0;
  const dperm_collective how = {.count = j->count,
                                .rank = rank,
                                .rows_from = j->rows_from,
                                .context = context,
                                .send = send_whole,
                                .receive = receive_whole,
                                .end = leave};
  dperm_error *err = &j->error[rank];
  dperm_ranks *r = NULL;
  auto_data *data = NULL;
  data_identity id = {.ordered = false};
  dperm_status status = dperm_ranks_of(&how, &r, err);
  status = status == DPERM_OK
               ? data_of_people(j->records, j->schema, j->numeric, first, count, &data, err)
               : status;
  status = status == DPERM_OK ? dperm_data_spread(data, r, err) : status;
  status = status == DPERM_OK ? identity_of_data(data, &id, err) : status;
  memcpy(j->id[rank], id.order, IDENTITY_SIZE);
  j->status[rank] = status == DPERM_OK ? train(j, data, rank, err) : status;
  dperm_data_free(data);
  data = NULL;
  dperm_ranks_free(r);
  return NULL;
}

static void run_job(job *j) {
  member members[MOST];
  memset(j->messages, 0, sizeof j->messages);
  memset(j->model, 0, sizeof j->model);
  memset(j->error, 0, sizeof j->error);
  for (size_t a = 0; a < j->count; a++) {
    for (size_t b = 0; b < a; b++) {
      int ends[2];
      assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
      j->sockets[a][b] = ends[0];
      j->sockets[b][a] = ends[1];
    }
  }
  for (size_t p = 0; p < j->count; p++) {
    members[p] = (member){.job = j, .rank = p};
    assert_int_equal(pthread_create(&members[p].thread, NULL, run_member, &members[p]), 0);
  }
  for (size_t p = 0; p < j->count; p++) {
    pthread_join(members[p].thread, NULL);
  }
  for (size_t a = 0; a < j->count; a++) {
    for (size_t b = 0; b < j->count; b++) {
      if (a != b) {
        (void)close(j->sockets[a][b]);
      }
    }
  }
}

/* ---- the same */

static void compare_jobs(job *j) {
  static const struct {
    size_t count, rows_from;
  } jobs_of[] = {{1, 0}, {2, 0}, {3, 0}, {2, 1}, {3, 1}, {5, 1}, {MOST, 1}};
  auto_data *data = NULL;
  data_identity id;
  assert_ok(data_of_people(j->records, j->schema, j->numeric, 0, j->records->rows, &data, err));
  assert_ok(identity_of_data(data, &id, err));
  j->options.threads = 1;
  assert_ok(train(j, data, 0, err));
  char *alone = j->model[0];
  for (size_t i = 0; i < sizeof jobs_of / sizeof *jobs_of; i++) {
    j->count = jobs_of[i].count;
    j->rows_from = jobs_of[i].rows_from;
    run_job(j);
    for (size_t p = 0; p < j->count; p++) {
      if (j->status[p] != DPERM_OK) {
        fail_msg("process %zu of %zu: %s", p, j->count, j->error[p].message);
      }
      assert_true((j->model[p] != NULL) == (p == 0));
      assert_memory_equal(j->id[p], id.order, IDENTITY_SIZE);
    }
    assert_string_equal(j->model[0], alone);
    dperm_text_free(j->model[0]);
  }
  dperm_text_free(alone);
}

TEST(models_and_identities_are_those_of_one_process) {
  people few = people_new(700), some = people_new(9001);
  auto_schema *two = schema_quoted(of_two), *three = schema_quoted(of_three),
              *numbers = schema_quoted(of_numbers);
  for (int variant = 0; variant < 8; variant++) {
    job j = {.records = variant % 2 ? &few : &some,
             .schema = variant == 2   ? three
                       : variant == 3 ? numbers
                                      : two,
             .numeric = variant == 3,
             .tune = variant == 4,
             .options = options_for(1),
             .seed = 7};
    if (variant == 3) {
      assert_ok(dperm_loss_by_name("log-cosh", 0.5, &j.options.loss, err));
    } else if (variant == 5) {
      j.options.kernel = (dperm_kernel){DPERM_KERNEL_GAUSSIAN, 0.5, 20, 0, 3};
    } else if (variant == 6) {
      j.options.evaluate = 0.2;
      j.options.refine = 0.2;
    } else if (variant == 7) {
      j.options.mechanism = DPERM_MECHANISM_OUTPUT;
    }
    compare_jobs(&j);
  }
  people_free(&few);
  people_free(&some);
}

/* ---- failures */

typedef struct paid {
  size_t entries, committed;
} paid;

static void see_entry(void *context, const dperm_ledger_entry *entry) {
  paid *p = context;
  p->entries++;
  p->committed += entry->commit != 0;
}

static paid paid_in(const ledger_home *home) {
  paid p = {0};
  auto_ledger *ledger = opened(home);
  assert_ok(dperm_ledger_entries(ledger, "people", see_entry, &p, err));
  return p;
}

/* Every message of this process in turn, until a run has fewer. */
static void fail_everywhere(const ledger_home *home, job *j, size_t failing) {
  paid before = paid_in(home);
  for (j->failing = failing, j->fails_at = 1;; j->fails_at++) {
    auto_ledger *ledger = opened(home);
    j->options.account.ledger = ledger;
    run_job(j);
    const paid now = paid_in(home);
    if (j->messages[failing] < j->fails_at) {
      assert_non_null(j->model[0]);
      assert_int_equal(now.committed, before.committed + 1);
      dperm_text_free(j->model[0]);
      break;
    }
    assert_null(j->model[0]);
    assert_int_not_equal(j->status[0], DPERM_OK);
    assert_int_not_equal(j->status[failing], DPERM_OK);
    if (!strstr(j->error[0].message, "the processes of this job can no longer talk")) {
      fail_msg("message %zu of %zu: %s", j->fails_at, failing, j->error[0].message);
    }
    assert_true(now.entries <= before.entries + 1);
    assert_true((strstr(j->error[0].message, "stays spent") != NULL) ==
                (now.entries > before.entries));
    before = now;
  }
  assert_true(j->fails_at > 20);
}

LEDGER_TEST(a_hook_that_fails_ends_the_run_without_a_model) {
  people records = people_new(1100);
  auto_schema *schema = schema_quoted(of_two);
  job j = {.records = &records,
           .schema = schema,
           .options = options_for(0.0001),
           .dataset = "people",
           .count = 3,
           .rows_from = 1};
  j.options.threads = 1;
  j.options.lambda = 0.1;
  for (size_t failing = 0; failing < j.count; failing++) {
    fail_everywhere(home, &j, failing);
  }
  j.rows_from = 0;
  fail_everywhere(home, &j, 0);
  assert_string_equal(verdict_of(home->path, NULL).first, "");
  people_free(&records);
}

/* ---- what is refused */

static void assert_refused(job *j, const char *words) {
  run_job(j);
  for (size_t p = 0; p < j->count; p++) {
    assert_null(j->model[p]);
    assert_int_not_equal(j->status[p], DPERM_OK);
    if (!strstr(j->error[p].message, words)) {
      fail_msg("\"%s\" is not in \"%s\"", words, j->error[p].message);
    }
  }
}

TEST(what_cannot_be_spread_is_refused_by_all) {
  people records = people_new(1100);
  auto_schema *persons = schema_quoted(
      "{'label': {'column': 'y', 'classes': ['a', 'b', 'c']}, 'person': 'age', 'columns': "
      "[{'name': 'age', 'type': 'ignore'}, {'name': 'income', 'type': 'numeric', 'min': 0, 'max': "
      "1}, {'name': 'job', 'type': 'categorical', 'values': ['nurse']}]}");
  auto_schema *drops = schema_quoted(
      "{'label': {'column': 'y', 'classes': ['a', 'b', 'c']}, 'on_missing': 'drop', " COLUMNS);
  job j = {.records = &records, .schema = persons, .options = options_for(1), .count = 3};
  assert_refused(&j, "the schema tells persons apart");
  j.schema = drops;
  assert_refused(&j, "the schema drops records");
  people_free(&records);
}

TEST(hooks_that_make_no_job_are_refused) {
  dperm_ranks *r = NULL;
  dperm_collective how = {.count = 2, .rank = 1, .send = send_whole, .receive = receive_whole};
  assert_ok(dperm_ranks_of(&how, &r, err));
  assert_int_equal(dperm_ranks_count(r), 2);
  assert_int_equal(dperm_ranks_rank(r), 1);
  dperm_ranks_free(r);
  how.rank = 2;
  assert_fails(dperm_ranks_of(&how, &r, err), DPERM_INVALID_ARGUMENT, "process 2 of 2");
  how =
      (dperm_collective){.count = 1, .rows_from = 1, .send = send_whole, .receive = receive_whole};
  assert_fails(dperm_ranks_of(&how, &r, err), DPERM_INVALID_ARGUMENT, "rows at least");
  how = (dperm_collective){.count = 1, .send = send_whole};
  assert_fails(dperm_ranks_of(&how, &r, err), DPERM_INVALID_ARGUMENT, "hooks");
}
