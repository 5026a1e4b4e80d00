/* A text file that grows while the processes of a job read their shares of it: rows and digest are
 * those of one state of the file, so that a ledger charges the people whose rows were read. */
#include <stdio.h>
#include <stdlib.h>

#include "data/dataset.h"
#include "support.h"
#include "thread_ranks.h"

enum { PROCESSES = 3, ROWS = 3000 };

static const char schema_text[] =
    "{\"label\": {\"column\": \"y\", \"positive\": [\"p\"], \"negative\": [\"n\"]}, \"columns\": ["
    "{\"name\": \"a\", \"type\": \"numeric\", \"min\": 0, \"max\": 9}]}";

static char *some_records(void) {
  char *text = malloc((size_t)ROWS * 8 + 8);
  assert_non_null(text);
  size_t used = (size_t)sprintf(text, "a,y\n");
  for (size_t i = 0; i < ROWS; i++) {
    used += (size_t)sprintf(text + used, "%zu,%s\n", i % 10, i % 3 ? "p" : "n");
  }
  char *path = file_with(text, used);
  free(text);
  return path;
}

typedef struct growing_job {
  dperm_source source;
  bool grown;
  size_t rows[PROCESSES];
  unsigned char digest[PROCESSES][FILE_DIGEST_SIZE];
  dperm_status status[PROCESSES];
} growing_job;

/* A line more, once, when the last process begins to read its share, which ends before it. */
static bool append_line(void *context, const char *what, uint64_t done, uint64_t of) {
  growing_job *job = context;
  (void)what;
  (void)done;
  (void)of;
  if (!job->grown) {
    FILE *file = fopen(job->source.path, "a");
    job->grown = file && fputs("1,p\n", file) != EOF && fclose(file) == 0;
  }
  return false;
}

static void read_growing(ranks *r, void *context) {
  growing_job *job = context;
  dperm_data *data = NULL;
  const dperm_progress progress = {.tick = append_line, .context = job};
  job->status[r->rank] = dperm_data_read_spread(
      &job->source, r, r->rank + 1 == PROCESSES ? &progress : NULL, &data, NULL);
  if (data) {
    job->rows[r->rank] = dperm_data_rows(data);
    memcpy(job->digest[r->rank], data->file_digest, FILE_DIGEST_SIZE);
  }
  dperm_data_free(data);
}

static void rows_and_digest_are_of_one_state_of_the_file(void **state) {
  (void)state;
  char *path = some_records();
  dperm_schema *schema = NULL;
  dperm_data *whole = NULL;
  assert_ok(dperm_schema_parse(schema_text, sizeof schema_text - 1, "s", &schema, err));
  growing_job job = {.source = {.path = path, .format = DPERM_FORMAT_CSV, .schema = schema}};
  thread_ranks_run(PROCESSES, read_growing, &job);
  assert_true(job.grown);
  assert_ok(dperm_data_read(&job.source, NULL, &whole, err));
  for (size_t p = 0; p < PROCESSES; p++) {
    assert_int_equal(job.status[p], DPERM_OK);
    assert_int_equal(job.rows[p], ROWS + 1);
    assert_memory_equal(job.digest[p], whole->file_digest, FILE_DIGEST_SIZE);
  }
  dperm_data_free(whole);
  dperm_schema_free(schema);
  file_remove(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_and_digest_are_of_one_state_of_the_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
