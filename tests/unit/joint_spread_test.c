/* Classes that are learned jointly, with rows among the processes of a job (here: threads,
 * support/thread_ranks.h): the weights have the bits of one process, whatever the number of
 * processes, the noise, the mechanism, the neighbours and the kind of rows. */
#include <stdio.h>
#include <stdlib.h>

#include "data/dataset.h"
#include "model/model.h"
#include "reference.h"
#include "thread_ranks.h"

enum { ROWS = 3000, CLASSES = 4, MOST_RANKS = 5 };

typedef struct joint_job {
  dperm_source source;
  dperm_options options;
  dperm_model *model[MOST_RANKS];
  dperm_status status[MOST_RANKS];
  dperm_error error[MOST_RANKS];
} joint_job;

static dperm_status train_once(const joint_job *job, ranks *r, dperm_model **model,
                               dperm_error *failure) {
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  auto_random *random = NULL;
  dperm_options options = job->options;
  dperm_status status = dperm_data_read_spread(&job->source, r, NULL, &data, failure);
  if (status == DPERM_OK) {
    status = dperm_random_seeded(5, &random, failure);
  }
  if (status == DPERM_OK) {
    options.random = random;
    status = dperm_train(data, &options, model, failure);
  }
  return status;
}

static void train_rank(ranks *r, void *context) {
  joint_job *job = context;
  dperm_status status = train_once(job, r, &job->model[r->rank], &job->error[r->rank]);
  job->status[r->rank] = ranks_agree(r, status, &job->error[r->rank]);
}

/* Two numbers and a category; rows that are dense, or mostly empty. */
static char *records(void) {
  OWNED_MEMORY char *text = malloc((size_t)ROWS * 40);
  assert_non_null(text);
  size_t used = (size_t)sprintf(text, "x,z,c,y\n");
  for (size_t i = 0; i < ROWS; i++) {
    size_t kind = i * i % 11 % CLASSES;
    double x = (kind % 2 ? 0.4 : -0.4) + ((double)(i % 41) - 20) / 80;
    double z = (kind > 1 ? 0.3 : -0.3) + ((double)(i % 53) - 26) / 90;
    used += (size_t)sprintf(text + used, "%.3f,%.3f,%c,%zu\n", x, z,
                            (char)('a' + (i * 7 + kind) % 12), kind);
  }
  char *path = file_with(text, used);
  return path;
}

static dperm_schema *schema_of(bool dense) {
  static const char head[] = "{\"label\": {\"column\": \"y\", \"classes\": [\"0\", \"1\", \"2\", "
                             "\"3\"]}, \"intercept\": true, \"columns\": [%s, %s]}";
  static const char numbers[] = "{\"name\": \"x\", \"type\": \"numeric\", \"min\": -1, \"max\": 1},"
                                "{\"name\": \"z\", \"type\": \"numeric\", \"min\": -1, \"max\": 1}";
  static const char category[] =
      "{\"name\": \"c\", \"type\": \"categorical\", \"values\": [\"a\", \"b\", \"c\", \"d\", "
      "\"e\", \"f\", \"g\", \"h\", \"i\", \"j\", \"k\", \"l\"]}";
  static const char *const unread[] = {"{\"name\": \"c\", \"type\": \"ignore\"}",
                                       "{\"name\": \"x\", \"type\": \"ignore\"},"
                                       "{\"name\": \"z\", \"type\": \"ignore\"}"};
  char text[1000];
  dperm_schema *schema = NULL;
  int length =
      snprintf(text, sizeof text, head, dense ? unread[0] : unread[1], dense ? numbers : category);
  assert_ok(dperm_schema_parse(text, (size_t)length, "schema", &schema, err));
  return schema;
}

static void check(joint_job *job) {
  OWNED(dperm_model_free_at) dperm_model *alone = NULL;
  assert_ok(train_once(job, NULL, &alone, err));
  assert_true(alone->joint);
  for (size_t count = 1; count <= MOST_RANKS; count += count < 3 ? 1 : 2) {
    memset(job->model, 0, sizeof job->model);
    thread_ranks_run(count, train_rank, job);
    for (size_t p = 0; p < count; p++) {
      if (job->status[p] != DPERM_OK) {
        fail_msg("rank %zu of %zu: %s", p, count, job->error[p].message);
      }
      assert_true((job->model[p] != NULL) == (p == 0));
    }
    assert_memory_equal(job->model[0]->weights, alone->weights,
                        CLASSES * alone->dims * sizeof *alone->weights);
    dperm_model_free(job->model[0]);
  }
}

TEST(joint_fits_have_the_bits_of_one_process) {
  static const dperm_class_weight weights[] = {{"1", 3}};
  auto_file *path = records();
  for (int variant = 0; variant < 12; variant++) {
    OWNED(dperm_schema_free_at) dperm_schema *schema = schema_of(variant % 2 == 0);
    joint_job job = {.source = {.path = path, .format = DPERM_FORMAT_CSV, .schema = schema}};
    dperm_options_init(&job.options);
    job.options.epsilon = 1;
    job.options.threads = 2;
    switch (variant / 2) {
    case 0:
      break;
    case 1:
      job.options.delta = 1e-6;
      job.options.noise = DPERM_NOISE_GAUSSIAN;
      break;
    case 2:
      job.options.mechanism = DPERM_MECHANISM_OUTPUT;
      break;
    case 3:
      job.options.neighbours = DPERM_NEIGHBOURS_ADD_REMOVE;
      job.options.rows_about = ROWS;
      break;
    case 4:
      job.options.class_weights = weights;
      job.options.class_weight_count = 1;
      break;
    default:
      job.options.mechanism = DPERM_MECHANISM_NONE;
      job.options.lambda = 1e-4;
    }
    check(&job);
  }
}
