/* Files read by the processes of a job (here: threads, support/thread_ranks.h): rows, labels,
 * digest and errors are those of one process, whatever the form of the records; the leader alone
 * pays. */
#include <stdio.h>
#include <stdlib.h>

#include "data/dataset.h"
#include "ledgers.h"
#include "model/model.h"
#include "support.h"
#include "thread_ranks.h"

typedef struct read_job {
  dperm_source source;
  double *rows, *labels; /* of all */
  size_t total[8];
  unsigned doubts[8];
  unsigned char digest[8][FILE_DIGEST_SIZE];
  dperm_status status[8];
  dperm_error error[8];
} read_job;

static void read_rank(ranks *r, void *context) {
  read_job *job = context;
  dperm_data *data = NULL;
  job->status[r->rank] = dperm_data_read_spread(&job->source, r, NULL, &data, &job->error[r->rank]);
  if (data) {
    job->total[r->rank] = dperm_data_rows(data);
    job->doubts[r->rank] = data->doubts;
    memcpy(job->digest[r->rank], data->file_digest, FILE_DIGEST_SIZE);
    for (size_t i = 0; i < data->x->rows; i++) {
      size_t row = data->x->first + i;
      data->x->kind->row(data->x, i, job->rows + row * data->x->cols);
      job->labels[row] = data->labels[i];
    }
  }
  dperm_data_free(data);
}

static void compare_reading(const dperm_source *source) {
  dperm_data *whole = NULL;
  dperm_error error = {DPERM_OK, ""};
  dperm_status status = dperm_data_read(source, NULL, &whole, &error);
  for (size_t count = 1; count <= 8; count += count < 4 ? 1 : 2) {
    read_job *job = calloc(1, sizeof *job);
    assert_non_null(job);
    size_t rows = whole ? whole->x->rows : 1, cols = whole ? whole->x->cols : 1;
    job->source = *source;
    job->rows = calloc(rows * cols, sizeof(double));
    job->labels = calloc(rows, sizeof(double));
    thread_ranks_run(count, read_rank, job);
    for (size_t p = 0; p < count; p++) {
      assert_int_equal(job->status[p], status);
      if (status != DPERM_OK) {
        assert_string_equal(job->error[p].message, error.message);
        continue;
      }
      assert_int_equal(job->total[p], rows);
      assert_int_equal(job->doubts[p], whole->doubts);
      assert_memory_equal(job->digest[p], whole->file_digest, FILE_DIGEST_SIZE);
    }
    for (size_t i = 0; whole && i < rows; i++) {
      double row[64];
      assert_true(cols <= 64);
      whole->x->kind->row(whole->x, i, row);
      assert_memory_equal(job->rows + i * cols, row, cols * sizeof(double));
      assert_true(job->labels[i] == whole->labels[i]);
    }
    free(job->rows);
    free(job->labels);
    free(job);
  }
  dperm_data_free(whole);
}

#define LABEL "\"label\":{\"column\":\"y\",\"positive\":[\"p\"],\"negative\":[\"n\"]}"
#define COLUMNS                                                                                    \
  "\"columns\":[{\"name\":\"a\",\"type\":\"numeric\",\"min\":0,\"max\":9},"                        \
  "{\"name\":\"b\",\"type\":\"categorical\",\"values\":[\"u\",\"v\"]},"                            \
  "{\"name\":\"y\",\"type\":\"label\"}]"

/* Lines of many forms, `rows` of them, under this header; every `odd`-th line is `special`. */
static char *csv_file(const char *header, size_t rows, size_t odd, const char *special,
                      const char *end) {
  char *text = malloc(rows * 32 + 64);
  assert_non_null(text);
  size_t used = (size_t)sprintf(text, "%s", header);
  for (size_t i = 0; i < rows; i++) {
    if (odd && i % odd == odd - 1) {
      used += (size_t)sprintf(text + used, "%s%s", special, end);
    }
    used += (size_t)sprintf(text + used, "%zu.%zu,%s,%s%s", i % 10, i % 7, i % 3 ? "u" : "v",
                            i % 5 < 2 ? "p" : "n", i + 1 < rows || i % 2 ? end : "");
  }
  char *path = file_with(text, used);
  free(text);
  return path;
}

static void records_are_shared_whatever_their_form(void **state) {
  (void)state;
  static const struct {
    const char *schema, *header, *special, *end;
    size_t rows, odd;
  } forms[] = {
      {"{" LABEL "," COLUMNS "}", "a,b,y\n", "", "\n", 5000, 0},
      {"{" LABEL "," COLUMNS "}",
       "\xef\xbb\xbf"
       "b,y,a,c\n",
       "v,p,1,2", "\n", 3, 1},
      {"{" LABEL "," COLUMNS "}", "a,b,y\r\n", "", "\r\n", 5001, 0},
      {"{\"header\":false," LABEL "," COLUMNS "}", "", "", "\n", 5000, 0},
      {"{\"header\":false," LABEL "," COLUMNS "}", "", "", "\n", 1, 0},
      {"{" LABEL "," COLUMNS "}", "a,b,y\n", "\n  \n", "\n", 3000, 7},
      {"{\"comment\":\"#\"," LABEL "," COLUMNS "}", "# before\na,b,y\n", "", "\n", 3000, 0},
      {"{\"comment\":\"#\"," LABEL "," COLUMNS "}", "a,b,y\n", "# among", "\n", 3000, 2500},
      {"{" LABEL "," COLUMNS "}", "a,b,y\n", "\"1\",\"u\",\"p\"", "\n", 3000, 10},
      {"{" LABEL "," COLUMNS "}", "a,b,y\n", "1,\"u\n\n\",p", "\n", 3000, 900},
      {"{" LABEL "," COLUMNS "}", "a,b,y\n", "1,u\"v,p", "\n", 3000, 900},
      {"{" LABEL "," COLUMNS "}", "\"a\",\"b\",\"y\"\n", "", "\n", 3000, 0},
      {"{" LABEL "," COLUMNS "}", "a,b,y\n", "1,u", "\n", 3000, 2900},
      {"{" LABEL "," COLUMNS "}", "a,b,y\n", "1,u,what", "\n", 3000, 900},
      {"{\"on_missing\":\"drop\"," LABEL "," COLUMNS "}", "a,b,y\n", ",u,p", "\n", 3000, 3},
      {"{" LABEL "," COLUMNS "}", "a,b,y\n", "", "\n", 0, 0},
  };
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    dperm_schema *schema = NULL;
    assert_ok(dperm_schema_parse(forms[i].schema, strlen(forms[i].schema), "s", &schema, err));
    char *path =
        csv_file(forms[i].header, forms[i].rows, forms[i].odd, forms[i].special, forms[i].end);
    const dperm_source source = {.path = path, .format = DPERM_FORMAT_CSV, .schema = schema};
    compare_reading(&source);
    dperm_schema_free(schema);
    file_remove(path);
  }
}

static void labels_of_two_kinds_are_refused_though_no_process_sees_both(void **state) {
  (void)state;
  char text[4000];
  size_t used = 0;
  for (size_t i = 0; i < 200; i++) {
    used += (size_t)sprintf(text + used, "%d 1:.5\n", i % 2 ? 1 : i < 100 ? 0 : -1);
  }
  char *path = file_with(text, used);
  const dperm_source source = {.path = path, .format = DPERM_FORMAT_SVMLIGHT, .dims = 1};
  compare_reading(&source);
  file_remove(path);
}

/* ---- who pays */

typedef struct charged_job {
  dperm_source source;
  dperm_ledger *ledger; /* the leader's; the others name the data set only */
  dperm_model *model[3];
  dperm_status status[3];
  dperm_error error[3];
} charged_job;

static void charge_rank(ranks *r, void *context) {
  charged_job *job = context;
  dperm_error *told = &job->error[r->rank];
  dperm_data *data = NULL;
  dperm_options options;
  dperm_options_init(&options);
  options.epsilon = 0.5;
  options.account.ledger = r->rank == 0 ? job->ledger : NULL;
  options.account.dataset = "people";
  dperm_status status = dperm_data_read_spread(&job->source, r, NULL, &data, told);
  job->status[r->rank] =
      status == DPERM_OK ? dperm_train(data, &options, &job->model[r->rank], told) : status;
  dperm_data_free(data);
}

static void the_leader_alone_needs_a_ledger(void **state) {
  ledger_home *home = *state;
  char text[600 * 16];
  size_t used = 0;
  for (size_t i = 0; i < 600; i++) {
    used += (size_t)sprintf(text + used, "%d 1:.%zu 2:.%zu\n", i % 3 ? 1 : -1, i % 10, i / 7 % 10);
  }
  char *svm = file_with(text, used);
  charged_job job = {.source = {.path = svm, .format = DPERM_FORMAT_SVMLIGHT, .dims = 2},
                     .ledger = opened(home)};
  thread_ranks_run(3, charge_rank, &job);
  for (size_t p = 0; p < 3; p++) {
    assert_string_equal(job.error[p].message, "");
    assert_int_equal(job.status[p], DPERM_OK);
  }
  assert_true(job.model[0]->ledger_entry == 2);
  dperm_model_free(job.model[0]);
  dperm_ledger_free(job.ledger);
  job.ledger = NULL; /* now nobody has one */
  thread_ranks_run(3, charge_rank, &job);
  for (size_t p = 0; p < 3; p++) {
    assert_int_equal(job.status[p], DPERM_INVALID_ARGUMENT);
    assert_non_null(strstr(job.error[p].message, "a data set is named, but no ledger"));
  }
  file_remove(svm);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(records_are_shared_whatever_their_form),
      cmocka_unit_test(labels_of_two_kinds_are_refused_though_no_process_sees_both),
      cmocka_unit_test_setup_teardown(the_leader_alone_needs_a_ledger, ledger_home_begin,
                                      ledger_home_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
