/* Where models go: a place that is taken beforehand, space that suffices for whatever the weights
 * turn out to be, and never over a ledger, whose locks survive the asking. */
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dperm/output.h"
#include "dperm/sweep.h"
#include "dperm/synthetic.h"
#include "dperm/tune.h"
#include "dperm/verify.h"
#include "ledger/chain.h"
#include "model/model.h"
#include "wide_records.h"

static dperm_options plain(void) {
  dperm_options options = options_for(1);
  options.threads = 1;
  return options;
}

static dperm_model *fitted(const dperm_data *data, const dperm_options *options) {
  dperm_model *model = NULL;
  assert_ok(dperm_train(data, options, &model, err));
  return model;
}

static off_t size_of(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 ? about.st_size : -1;
}

/* ---- ledgers */

LEDGER_TEST(no_file_of_the_library_replaces_a_ledger) {
  static const char *const suffixes[] = {"", "-journal", "-wal", "-shm"};
  const dperm_options options = plain();
  auto_model *model = fitted(home->data, &options);
  auto_schema *schema = NULL;
  char *file = file_with("", 0), path[1100];
  assert_ok(dperm_schema_parse(dperm_synthetic_census_schema(),
                               strlen(dperm_synthetic_census_schema()), "census", &schema, err));
  assert_ok(dperm_model_write(model, file, err));
  for (int i = 0; i < 4; i++) {
    (void)snprintf(path, sizeof path, "%s%s", home->path, suffixes[i]);
    const char *what = i ? "belongs to a ledger of dperm" : "a ledger of dperm";
    assert_fails(dperm_output_check(path, err), DPERM_INVALID_ARGUMENT, what);
    assert_fails(dperm_model_write(model, path, err), DPERM_INVALID_ARGUMENT, what);
    assert_fails(dperm_schema_write(schema, path, err), DPERM_INVALID_ARGUMENT, what);
    assert_fails(dperm_synthetic_census_write(path, 10, 1, err), DPERM_INVALID_ARGUMENT, what);
    dperm_sweep_options how = USUAL(dperm_sweep_options);
    how.folds = 2;
    how.draws = 1;
    how.journal = path;
    assert_fails(dperm_sweep(home->data, &options, 1, &how, NULL, NULL, err),
                 DPERM_INVALID_ARGUMENT, what);
  }
  assert_string_equal(verdict_of(home->path, NULL).first, "");
  file_remove(file);
}

/* Whether a process other than this one finds SQLite's reserved lock on the file. */
static bool locked_for_others(const char *path) {
  pid_t child = fork();
  if (child == 0) {
    struct flock lock = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0x40000001, .l_len = 1};
    int fd = open(path, O_RDWR);
    _exit(fd >= 0 && fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK ? 1 : 0);
  }
  int status = 0;
  assert_true(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
  return WEXITSTATUS(status) == 1;
}

LEDGER_TEST(a_refused_output_keeps_the_locks_of_a_charge) {
  dperm_ledger *ledger = opened(home), *held = NULL;
  assert_ok(store_begin(ledger, true, &held, err));
  assert_true(locked_for_others(home->path));
  for (int i = 0; i < 200; i++) { /* and keeps no more than one descriptor */
    assert_fails(dperm_output_check(home->path, err), DPERM_INVALID_ARGUMENT, "a ledger of dperm");
  }
  assert_true(locked_for_others(home->path));
  chain_cancel(&held);
  assert_false(locked_for_others(home->path));
  int next = open("/dev/null", O_RDONLY);
  assert_true(next >= 0 && next < 64);
  (void)close(next);
  dperm_ledger_free(ledger);
}

/* ---- space */

/* The longest text that a double has. */
static void fill(dperm_model *model, size_t count) {
  for (size_t i = 0; i < count; i++) {
    model->weights[i] = -2.2250738585072014e-308;
  }
}

typedef dperm_status run(const dperm_data *data, const dperm_options *options, dperm_error *err);

static dperm_status train(const dperm_data *data, const dperm_options *options, dperm_error *err) {
  auto_model *model = NULL;
  return dperm_train(data, options, &model, err);
}

static dperm_status tune(const dperm_data *data, const dperm_options *options, dperm_error *err) {
  const dperm_options both[] = {*options, *options};
  auto_model *model = NULL;
  dperm_tune_options how = USUAL(dperm_tune_options);
  return dperm_tune(data, both, 2, &how, &model, err);
}

static dperm_status refine(const dperm_data *data, const dperm_options *options, dperm_error *err) {
  auto_schema *schema = NULL;
  dperm_refine_options how = USUAL(dperm_refine_options);
  how.epsilon = options->epsilon;
  how.account = options->account;
  return dperm_refine(data, &how, &schema, err);
}

/* A run with a place for its result, of which no more than these bytes can be had. */
static dperm_status run_within(run *one, const dperm_data *data, dperm_options options,
                               size_t bytes, dperm_error *err) {
  struct rlimit all;
  auto_file *path = file_with("", 0);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &all), 0);
  const struct rlimit less = {.rlim_cur = bytes, .rlim_max = all.rlim_max};
  assert_int_equal(dperm_output_open(path, &options.account.output, err), DPERM_OK);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &less), 0);
  dperm_status status = one(data, &options, err);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &all), 0);
  dperm_output_free(options.account.output);
  return status;
}

static void covers(const dperm_data *data, const dperm_options *options, size_t fits) {
  auto_file *path = file_with("", 0);
  auto_model *model = fitted(data, options);
  fill(model, fits * dperm_model_dims(model));
  assert_ok(dperm_model_write(model, path, err));
  const size_t size = (size_t)size_of(path), much = 4 * size + 20000;
  assert_true(size > 0);
  assert_fails(run_within(train, data, *options, size - 1, err), DPERM_IO_ERROR, "too large");
  /* And is no waste; nobody knows how many cells a refinement leaves. */
  assert_ok(run_within(train, data, *options, options->refine == 0 ? much : 10 * much, err));
}

/* Their names need more bytes in JSON than they have. */
static void covers_classes(void) {
  enum { ROWS = 60, COLUMNS = 50 };
  static const char *const names[] = {"\x01\x02\x03\x04", "\"\"\"\"\"\"\"\"", "\\\\\\\\"};
  const dperm_options options = plain();
  auto_data *data = NULL;
  double values[ROWS * COLUMNS];
  uint32_t labels[ROWS];
  for (size_t i = 0; i < ROWS * COLUMNS; i++) {
    values[i] = (double)(i % 7) / 100;
  }
  for (size_t i = 0; i < ROWS; i++) {
    labels[i] = (uint32_t)(i % 3);
  }
  assert_ok(dperm_data_from_dense(ROWS, COLUMNS, values, NULL, 1, &data, err));
  assert_ok(dperm_data_label(data, labels, 3, names, err));
  covers(data, &options, 3);
}

LEDGER_TEST(the_space_for_a_model_covers_every_model) {
  dperm_options options = plain();
  auto_schema *schema = NULL;
  auto_data *census = NULL;
  auto_file *path = file_with("", 0);
  const char *text = dperm_synthetic_census_schema();
  covers(home->data, &options, 1);
  covers_classes();
  assert_ok(dperm_synthetic_census_write(path, 300, 1, err));
  assert_ok(dperm_schema_parse(text, strlen(text), "census", &schema, err));
  const dperm_source source = {.path = path, .format = DPERM_FORMAT_CSV, .schema = schema};
  assert_ok(dperm_data_read(&source, NULL, &census, err));
  covers(census, &options, 1);
  options.epsilon = 10; /* enough for any schema */
  options.bins = DPERM_BINS_AUTO;
  covers(census, &options, 1);
  options.bins = DPERM_BINS_ASK;
  covers(census, &options, 1);
  options.refine = 0.1;
  covers(census, &options, 1);
  options.refine = 0;
  options.kernel = (dperm_kernel){.kind = DPERM_KERNEL_GAUSSIAN, .gamma = 1, .features = 2000};
  covers(census, &options, 1);
}

/* Where there is no space nothing is charged. */
WIDE_TEST(every_run_takes_its_space_before_the_charge) {
  static run *const runs[] = {train, tune, refine};
  auto_ledger *ledger = opened(s->home);
  for (size_t i = 0; i < 3; i++) {
    dperm_charge charge = {.entry = 7};
    dperm_options options = plain();
    options.epsilon = 0.3;
    options.account = (dperm_account){.ledger = ledger, .dataset = "people", .charge = &charge};
    assert_fails(run_within(runs[i], s->data, options, 1000, err), DPERM_IO_ERROR,
                 "; nothing is charged");
    uint64_t records = 9;
    char head[DPERM_DIGEST_SIZE];
    assert_ok(dperm_ledger_head(ledger, &records, head, err));
    assert_int_equal(records, 1 + 2 * i); /* the budget, and two for each charge */
    assert_ok(run_within(runs[i], s->data, options, 1000000, err));
    assert_string_equal(charge.epsilon, "0.3");
  }
}

/* ---- the place */

/* Files beside `path` that a killed program would have left. */
static bool has_temporary(const char *path) {
  char pattern[256];
  glob_t found;
  const char *name = strrchr(path, '/') + 1;
  (void)snprintf(pattern, sizeof pattern, "%.*s.%s.*", (int)(name - path), path, name);
  bool any = glob(pattern, 0, NULL, &found) == 0;
  globfree(&found);
  return any;
}

LEDGER_TEST(a_place_is_taken_and_left_as_it_was) {
  const dperm_options options = plain();
  auto_model *model = fitted(home->data, &options);
  dperm_output *out = NULL;
  char *one = file_with("old", 3), *two = file_with("", 0), *text = NULL;
  size_t length = 0;
  assert_ok(dperm_output_open(one, &out, err));
  assert_true(has_temporary(one) == (dperm_output_temporary(out) != NULL));
  assert_ok(dperm_output_reserve(out, 5000, err));
  dperm_output_free(out);
  assert_true(!has_temporary(one) && size_of(one) == 3);
  assert_ok(dperm_output_open(one, &out, err));
  assert_ok(dperm_output_reserve(out, 5000, err));
  assert_ok(dperm_model_to_text(model, &text, &length, err));
  assert_ok(dperm_output_write(out, text, length, err));
  assert_null(dperm_output_temporary(out));
  assert_fails(dperm_output_write(out, text, length, err), DPERM_INVALID_ARGUMENT,
               "written already");
  dperm_text_free(text);
  dperm_output_free(out);
  assert_false(has_temporary(one));
  assert_ok(dperm_model_write(model, two, err));
  assert_true(size_of(one) == size_of(two) && size_of(one) > 100);
  file_remove(one);
  file_remove(two);
}

TEST(the_last_clause_of_a_long_message_stays) {
  dperm_error long_one;
  memset(long_one.message, 'x', sizeof long_one.message);
  long_one.message[sizeof long_one.message - 1] = '\0';
  error_append(&long_one, "; entry %d", 7);
  assert_string_equal(long_one.message + strlen(long_one.message) - 10, "x; entry 7");
  assert_int_equal(strlen(long_one.message), sizeof long_one.message - 1);
  (void)snprintf(long_one.message, sizeof long_one.message, "short");
  error_append(&long_one, "; entry %d", 7);
  assert_string_equal(long_one.message, "short; entry 7");
  error_append(NULL, "nobody listens");
}
