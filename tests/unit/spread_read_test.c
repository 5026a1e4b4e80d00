/* Files read by the processes of a job (here: threads, support/thread_ranks.h): rows, labels,
 * digest and errors are those of one process, whatever the form of the records, under any schema,
 * whole or in part; the leader alone pays. */
#include <stdio.h>
#include <stdlib.h>

#include "data/dataset.h"
#include "ledgers.h"
#include "model/model.h"
#include "support.h"
#include "thread_ranks.h"

/* Rows of a source, or some of them, under its schema or another. */
typedef struct read_job {
  dperm_source source;
  const dperm_schema *other; /* or NULL */
  const size_t *chosen;      /* or NULL for all, */
  size_t count;              /* and how many they are */
  double *rows, *labels;     /* of all processes */
  size_t total[8], depth[8];
  unsigned doubts[8];
  unsigned char digest[8][FILE_DIGEST_SIZE];
  dperm_status status[8];
  dperm_error error[8];
} read_job;

/* With NULL ranks by one process. */
static dperm_status read_part(const read_job *job, ranks *r, dperm_data **out, dperm_error *err) {
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  if (!job->chosen) {
    return dperm_data_read_spread(&job->source, r, NULL, out, err);
  }
  TRY(dperm_data_read_spread(&job->source, r, NULL, &data, err));
  return dperm_data_select(data, job->chosen, job->count, out, err);
}

static void read_rank(ranks *r, void *context) {
  read_job *job = context;
  const size_t at = r->rank;
  dperm_data *data = NULL, view = {0};
  job->status[at] = read_part(job, r, &data, &job->error[at]);
  if (data && job->other) {
    job->status[at] = data_view_open(data, job->other, &view, &job->error[at]);
  }
  if (data && job->status[at] == DPERM_OK) {
    const dperm_data *shown = job->other ? &view : data;
    const matrix *x = shown->x;
    job->total[at] = dperm_data_rows(shown);
    job->depth[at] = x->sum_depth;
    job->doubts[at] = shown->doubts;
    memcpy(job->digest[at], shown->file_digest, FILE_DIGEST_SIZE);
    for (size_t i = 0; i < x->rows; i++) {
      x->kind->row(x, i, job->rows + (x->first + i) * x->cols);
      job->labels[x->first + i] = shown->labels[i];
    }
  }
  data_view_close(&view);
  dperm_data_free(data);
}

/* What so many processes have of it is what one has. */
static void compare_by(size_t count, read_job *job, const dperm_data *whole, dperm_status status,
                       const char *message) {
  size_t rows = whole ? whole->x->rows : 1, cols = whole ? whole->x->cols : 1;
  job->rows = calloc(rows * cols, sizeof(double));
  job->labels = calloc(rows, sizeof(double));
  thread_ranks_run(count, read_rank, job);
  for (size_t p = 0; p < count; p++) {
    assert_int_equal(job->status[p], status);
    if (!whole) {
      assert_string_equal(job->error[p].message, message);
      continue;
    }
    assert_int_equal(job->total[p], rows);
    assert_int_equal(job->depth[p], whole->x->sum_depth);
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
}

static void compare_parts(const read_job *what) {
  dperm_data *whole = NULL, view = {0};
  dperm_error error = {DPERM_OK, ""};
  dperm_status status = read_part(what, NULL, &whole, &error);
  if (whole && what->other) {
    assert_ok(data_view_open(whole, what->other, &view, err));
  }
  for (size_t count = 1; count <= 8; count += count < 4 ? 1 : 2) {
    read_job job = *what;
    compare_by(count, &job, what->other ? &view : whole, status, error.message);
  }
  data_view_close(&view);
  dperm_data_free(whole);
}

static void compare_reading(const dperm_source *source) {
  compare_parts(&(read_job){.source = *source});
}

#define LABEL "\"label\":{\"column\":\"y\",\"positive\":[\"p\"],\"negative\":[\"n\"]}"
#define COLUMNS                                                                                    \
  "\"columns\":[{\"name\":\"a\",\"type\":\"numeric\",\"min\":0,\"max\":9},"                        \
  "{\"name\":\"b\",\"type\":\"categorical\",\"values\":[\"u\",\"v\"]},"                            \
  "{\"name\":\"y\",\"type\":\"label\"}]"

/* Lines of many forms, `rows` of them, under this header; every `odd`-th line is `special`. */
static char *csv_file(const char *header, size_t rows, size_t odd, const char *special,
                      const char *end) {
  OWNED_MEMORY char *text = malloc(rows * 32 + 64);
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
  return path;
}

TEST(records_and_mistakes_are_those_of_one_process) {
  static const char plain[] = "{" LABEL "," COLUMNS "}";
  static const struct {
    const char *schema, *special;
    size_t rows, odd;
  } forms[] = {
      {plain, "", 5000, 0},
      {plain, "v,p,1,2", 3, 1},
      {plain, "", 1, 0},
      {"{\"comment\":\"#\"," LABEL "," COLUMNS "}", "# among", 3000, 2500},
      {plain, "1,\"u\n\n\",p", 3000, 900},
      {plain, "1,u,what", 3000, 900},
      {"{\"on_missing\":\"drop\"," LABEL "," COLUMNS "}", ",u,p", 3000, 3},
      {plain, "", 0, 0},
  };
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    auto_schema *schema = schema_quoted(forms[i].schema);
    auto_file *path = csv_file("a,b,y\n", forms[i].rows, forms[i].odd, forms[i].special, "\n");
    const dperm_source source = {.path = path, .format = DPERM_FORMAT_CSV, .schema = schema};
    compare_reading(&source);
  }
}

/* Files of several pages: each process maps its own records, which begin within one. Some of them,
 * in any order and some twice, go where they belong as cells or as rows. */
TEST(encoded_files_and_parts_are_those_of_one_process) {
  static const char given[] = "{" LABEL "," COLUMNS "}";
  static const char pairs[] =
      "{\"intercept\":true,\"on_missing\":\"category\"," LABEL
      ",\"columns\":[{\"name\":\"a\",\"type\":\"numeric\",\"min\":0,\"max\":9,\"bins\":[2,5]},"
      "{\"name\":\"b\",\"type\":\"categorical\",\"values\":[\"v\"]},"
      "{\"name\":\"y\",\"type\":\"label\"}],\"crosses\":[[\"a\",\"b\"]]}";
  enum { ROWS = 2 * TABLE_PAGE + 3000, CHOSEN = 3000 };
  auto_schema *schema = NULL, *other = NULL;
  static size_t chosen[CHOSEN];
  char *text = malloc((size_t)ROWS * 32), *encoded[] = {file_with_text(""), file_with_text("")};
  size_t used = 0;
  assert_non_null(text);
  for (size_t i = 0; i < CHOSEN; i++) {
    chosen[i] = (ROWS - 1 - i * 7919) % ROWS;
  }
  for (size_t i = 0; i < ROWS; i++) {
    used += (size_t)sprintf(text + used, "%s", i % 3 ? "1" : "-1");
    for (size_t j = 0; j < i % 4; j++) {
      used += (size_t)sprintf(text + used, " %zu:.%zu", 1 + 2 * j, 1 + i % 9);
    }
    text[used++] = '\n';
  }
  assert_ok(dperm_schema_parse(given, strlen(given), "s", &schema, err));
  assert_ok(dperm_schema_parse(pairs, strlen(pairs), "s", &other, err));
  char *plain[] = {csv_file("a,b,y\n", ROWS, 40, ",?,p", "\n"), file_with(text, used)};
  const dperm_source sources[] = {{.path = plain[0], .format = DPERM_FORMAT_CSV, .schema = schema},
                                  {.path = plain[1], .format = DPERM_FORMAT_SVMLIGHT, .dims = 40},
                                  {.path = encoded[0]},
                                  {.path = encoded[1]}};
  for (size_t i = 0; i < 4; i++) {
    if (i < 2) {
      assert_ok(dperm_encode_file(&sources[i], encoded[i], NULL, NULL, err));
    } else {
      compare_reading(&sources[i]);
    }
    compare_parts(&(read_job){.source = sources[i], .chosen = chosen, .count = CHOSEN});
    if (i % 2 == 0) {
      compare_parts(&(read_job){.source = sources[i], .other = other});
      compare_parts(
          &(read_job){.source = sources[i], .other = other, .chosen = chosen, .count = CHOSEN});
    }
  }
  for (size_t i = 0; i < 2; i++) {
    file_remove(plain[i]);
    file_remove(encoded[i]);
  }
  free(text);
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
  auto_data *data = NULL;
  dperm_options options = options_for(0.5);
  options.account.ledger = r->rank == 0 ? job->ledger : NULL;
  options.account.dataset = "people";
  dperm_status status = dperm_data_read_spread(&job->source, r, NULL, &data, told);
  job->status[r->rank] =
      status == DPERM_OK ? dperm_train(data, &options, &job->model[r->rank], told) : status;
}

LEDGER_TEST(the_leader_alone_needs_a_ledger) {
  char text[600 * 16];
  size_t used = 0;
  for (size_t i = 0; i < 600; i++) {
    used += (size_t)sprintf(text + used, "%d 1:.%zu 2:.%zu\n", i % 3 ? 1 : -1, i % 10, i / 7 % 10);
  }
  auto_file *svm = file_with(text, used);
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
}
