/* Programs of other headers: every function that is given options looks at their size first, takes
 * what an older program knows over the defaults, and refuses the rest by name; results are filled
 * as far as the program knows them. tests/lint/symbols.sh has all such functions named here. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/options_defaults.h"
#include "dperm/audit.h"
#include "dperm/draft.h"
#include "dperm/ledger.h"
#include "dperm/output.h"
#include "dperm/plan.h"
#include "dperm/refine.h"
#include "dperm/score.h"
#include "dperm/sweep.h"
#include "dperm/synthetic.h"
#include "dperm/tune.h"
#include "model/model.h"
#include "support.h"

/* ---- the table of entries */

static dperm_schema *schema;
static char *csv;
static dperm_data *data;
static dperm_model *model;
static dperm_options one; /* sound options, for entries that take another kind as well */
static dperm_sweep_options small_how;
static dperm_tune_options tune_how;

static dperm_status to_train(const void *given, dperm_error *err) {
  auto_model *made = NULL;
  return dperm_train(data, given, &made, err);
}

static dperm_status to_refine(const void *given, dperm_error *err) {
  auto_schema *made = NULL;
  return dperm_refine(data, given, &made, err);
}

static dperm_status tuned(const dperm_options *candidates, const dperm_tune_options *how,
                          dperm_error *err) {
  auto_model *made = NULL;
  return dperm_tune(data, candidates, 1, how, &made, err);
}

static dperm_status to_tune(const void *given, dperm_error *err) {
  return tuned(given, &tune_how, err);
}

static dperm_status to_tune_how(const void *given, dperm_error *err) {
  return tuned(&one, given, err);
}

static dperm_status to_plan(const void *given, dperm_error *err) {
  dperm_plan plan;
  return dperm_plan_make(100, 5, 1, given, &plan, err);
}

static dperm_status to_plan_for_norms(const void *given, dperm_error *err) {
  dperm_plan plan;
  return dperm_plan_for_norms(100, 5, 1, 1, given, &plan, err);
}

static dperm_status to_plan_for_schema(const void *given, dperm_error *err) {
  dperm_plan plan;
  return dperm_plan_for_schema(100, schema, given, &plan, err);
}

static dperm_status to_plan_report(const void *given, dperm_error *err) {
  const dperm_plan_rows of = {.rows = 100, .schema = schema};
  char *report = NULL;
  dperm_status status = dperm_plan_report(&of, given, &report, err);
  dperm_text_free(report);
  return status;
}

static void see(void *context, const dperm_sweep_cell *cell) {}

static dperm_status to_sweep(const void *given, dperm_error *err) {
  return dperm_sweep(data, given, 1, &small_how, see, NULL, err);
}

static dperm_status to_sweep_how(const void *given, dperm_error *err) {
  dperm_options plain = one;
  plain.mechanism = DPERM_MECHANISM_NONE;
  return dperm_sweep(data, &plain, 1, given, see, NULL, err);
}

static dperm_status to_score(const void *given, dperm_error *err) {
  dperm_private_score score;
  return dperm_model_score_private(model, data, given, &score, err);
}

static dperm_status to_evaluate(const void *given, dperm_error *err) {
  char *json = NULL;
  dperm_status status = dperm_evaluate_private(model, data, given, &json, err);
  dperm_text_free(json);
  return status;
}

static dperm_status to_evaluate_file(const void *given, dperm_error *err) {
  char *json = NULL;
  const dperm_source source = {.path = csv};
  dperm_status status = dperm_evaluate_file_private(model, &source, given, &json, err);
  dperm_text_free(json);
  return status;
}

static dperm_status to_score_file(const void *given, dperm_error *err) {
  dperm_private_score score;
  const dperm_source source = {.path = csv};
  return dperm_score_file_private(model, &source, given, &score, err);
}

static dperm_status to_audit(const void *given, dperm_error *err) {
  dperm_audit_result result;
  dperm_audit_options options; /* sound ones end soon */
  memcpy(&options, given, sizeof options);
  options.mechanism = "lattice";
  options.variant = NULL;
  options.draws = 1000;
  return dperm_audit_run(&options, &result, err);
}

static dperm_status to_draft(const void *given, dperm_error *err) {
  auto_schema *made = NULL;
  return dperm_schema_draft(csv, NULL, 0, given, NULL, NULL, NULL, &made, err);
}

static dperm_status to_import(const void *given, dperm_error *err) {
  static const char text[] = "{\"fields\": [{\"name\": \"y\", \"type\": \"boolean\"}]}";
  auto_schema *made = NULL;
  return dperm_schema_import("dictionary", text, sizeof text - 1, given, NULL, NULL, &made, err);
}

/* A budget is given once: in a new ledger. */
static dperm_status to_budget(const void *given, dperm_error *err) {
  char folder[200], path[220];
  folder_new("dperm-sized", folder, sizeof folder);
  (void)snprintf(path, sizeof path, "%s/ledger", folder);
  dperm_status status = dperm_ledger_create(path, "people", given, err);
  (void)unlink(path);
  (void)rmdir(folder);
  return status;
}

/* Options that a run takes, in space for some more than `size`. */
static void *sound(dperm_options_kind kind, size_t size) {
  void *options = calloc(1, size + 64);
  assert_non_null(options);
  dperm_init(kind, options, size);
  if (kind == DPERM_OPTIONS_TRAIN) {
    ((dperm_options *)options)->epsilon = 1;
    ((dperm_options *)options)->threads = 1;
  } else if (kind == DPERM_OPTIONS_SCORE) {
    ((dperm_score_options *)options)->epsilon = 1;
  } else if (kind == DPERM_OPTIONS_REFINE) {
    ((dperm_refine_options *)options)->epsilon = 1;
  } else if (kind == DPERM_OPTIONS_IMPORT) {
    ((dperm_import_options *)options)->label = "y";
  } else if (kind == DPERM_OPTIONS_BUDGET) {
    ((dperm_ledger_budget *)options)->epsilon = "1";
  }
  return options;
}

typedef struct entry {
  const char *kind;
  size_t first, last, size; /* where the last member of the first layout, and today's, ends */
  dperm_options_kind number;
  dperm_status (*call)(const void *given, dperm_error *err);
} entry;

#define END(type, member) offsetof(type, member) + sizeof(((type *)0)->member)
#define KIND(type, first, last, number)                                                            \
#type, END(type, first), END(type, last), sizeof(type), number
#define OPTIONS KIND(dperm_options, progress, intervals, DPERM_OPTIONS_TRAIN)
static const entry entries[] = {
    {OPTIONS, to_train},
    {KIND(dperm_refine_options, account, rows_about, DPERM_OPTIONS_REFINE), to_refine},
    {OPTIONS, to_tune},
    {OPTIONS, to_plan},
    {OPTIONS, to_plan_for_norms},
    {OPTIONS, to_plan_for_schema},
    {OPTIONS, to_sweep},
    {OPTIONS, to_plan_report},
    {KIND(dperm_tune_options, public_data, public_data, DPERM_OPTIONS_TUNE), to_tune_how},
    {KIND(dperm_sweep_options, progress, progress, DPERM_OPTIONS_SWEEP), to_sweep_how},
    {KIND(dperm_score_options, progress, reserved_too, DPERM_OPTIONS_SCORE), to_score},
    {KIND(dperm_score_options, progress, reserved_too, DPERM_OPTIONS_SCORE), to_score_file},
    {KIND(dperm_score_options, progress, reserved_too, DPERM_OPTIONS_SCORE), to_evaluate},
    {KIND(dperm_score_options, progress, reserved_too, DPERM_OPTIONS_SCORE), to_evaluate_file},
    {KIND(dperm_audit_options, progress, delta, DPERM_OPTIONS_AUDIT), to_audit},
    {KIND(dperm_draft_options, missing_count, missing_count, DPERM_OPTIONS_DRAFT), to_draft},
    {KIND(dperm_import_options, reserved, reserved, DPERM_OPTIONS_IMPORT), to_import},
    {KIND(dperm_ledger_budget, order, part_of, DPERM_OPTIONS_BUDGET), to_budget},
};
enum { ENTRIES = sizeof entries / sizeof *entries };

static int begin(void **state) {
  const char *text = dperm_synthetic_census_schema();
  csv = file_with_text("");
  assert_ok(dperm_synthetic_census_write(csv, 100, 1, err));
  assert_ok(dperm_schema_parse(text, strlen(text), "census", &schema, err));
  const dperm_source source = {.path = csv, .schema = schema};
  assert_ok(dperm_data_read(&source, NULL, &data, err));
  dperm_options_init(&one);
  one.epsilon = 1;
  one.threads = 1;
  dperm_tune_options_init(&tune_how);
  dperm_sweep_options_init(&small_how);
  small_how.folds = 2;
  small_how.draws = 1;
  assert_ok(dperm_train(data, &one, &model, err));
  return 0;
}

static int end(void **state) {
  dperm_model_free(model);
  dperm_data_free(data);
  dperm_schema_free(schema);
  file_remove(csv);
  return 0;
}

/* ---- options */

/* What the entry says to its options if they claim this size. */
static void says(const entry *e, size_t claimed, const char *text) {
  OWNED_MEMORY size_t *given = sound(e->number, e->size); /* the size is the first member */
  assert_int_equal(*given, e->size);
  *given = claimed;
  assert_fails(e->call(given, err), DPERM_INVALID_ARGUMENT, text);
}

TEST(every_entry_takes_todays_options_and_the_first_promised_ones) {
  for (size_t i = 0; i < ENTRIES; i++) {
    const size_t sizes[] = {entries[i].size, entries[i].first};
    for (size_t s = 0; s < 2; s++) {
      OWNED_MEMORY void *given = sound(entries[i].number, sizes[s]);
      memset((char *)given + sizes[s], 0x7e, 64); /* not the program's: must not be looked at */
      assert_ok(entries[i].call(given, err));
    }
  }
}

TEST(every_entry_refuses_other_sizes_by_name) {
  for (size_t i = 0; i < ENTRIES; i++) {
    const entry *e = &entries[i];
    char named[80];
    (void)snprintf(named, sizeof named, "%s has ", e->kind);
    const size_t wrong[] = {0, 8, e->first - 8, e->size + 8, SIZE_MAX};
    for (size_t j = 0; j < 5; j++) {
      says(e, wrong[j], named);
      says(e, wrong[j], "built against a newer dperm or one that is too old");
    }
  }
}

/* Else a member to come could lie in bytes that older programs have, and leave as they are. */
TEST(no_options_end_in_padding) {
  for (size_t i = 0; i < ENTRIES; i++) {
    assert_int_equal(entries[i].last, entries[i].size);
  }
}

TEST(what_an_older_program_does_not_know_has_its_default) {
  const size_t older = offsetof(dperm_options, unsafe_diagnostics);
  OWNED_MEMORY dperm_options *given = sound(DPERM_OPTIONS_TRAIN, older);
  dperm_options taken;
  memset((char *)given + older, 0x7e, 64);
  assert_ok(options_take(DPERM_OPTIONS_TRAIN, given, &taken, err));
  assert_null(taken.unsafe_diagnostics);
  assert_true(taken.epsilon == 1.0);
  assert_int_equal(taken.size, sizeof taken);
}

TEST(defaults_stay_within_the_size_that_a_program_has) {
  unsigned char work[sizeof(dperm_options) + 64];
  const size_t sizes[] = {
      0, 4, 8, offsetof(dperm_options, lambda), sizeof(dperm_options), sizeof(dperm_options) + 16};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    memset(work, 0x7e, sizeof work);
    dperm_init(DPERM_OPTIONS_TRAIN, (dperm_options *)(void *)work, sizes[s]);
    for (size_t i = sizes[s] < 8 ? 0 : sizes[s]; i < sizeof work; i++) {
      assert_int_equal(work[i], 0x7e);
    }
    for (size_t i = sizeof(dperm_options); i < sizes[s]; i++) {
      assert_int_equal(work[i], 0);
    }
  }
}

/* An array of an older program's options lies in its own steps. */
TEST(arrays_go_by_the_size_of_their_first) {
  const size_t older = offsetof(dperm_options, unsafe_diagnostics);
  OWNED_MEMORY char *array = calloc(3, older);
  dperm_options *taken = NULL;
  assert_non_null(array);
  for (size_t i = 0; i < 3; i++) {
    OWNED_MEMORY dperm_options *each = sound(DPERM_OPTIONS_TRAIN, older);
    each->lambda = (double)(i + 1);
    memcpy(array + i * older, each, older);
  }
  assert_ok(options_take_all((void *)array, 3, &taken, err));
  for (size_t i = 0; i < 3; i++) {
    assert_true(taken[i].lambda == (double)(i + 1) && taken[i].threads == 1);
    assert_null(taken[i].unsafe_diagnostics);
  }
  free(taken);
  const size_t other = sizeof(dperm_options);
  memcpy(array + 2 * older, &other, sizeof other);
  assert_fails(options_take_all((void *)array, 3, &taken, err), DPERM_INVALID_ARGUMENT,
               "number 2 of an array of dperm_options");
}

/* ---- results */

typedef dperm_status fill(void *out, size_t size, dperm_error *err);

static dperm_status fill_plan(void *out, size_t size, dperm_error *err) {
  const dperm_plan_rows of = {.rows = 100, .dims = 5, .norm = 1, .norm1 = 1};
  return dperm_plan_sized(&of, &one, out, size, err);
}

static dperm_status fill_plan_schema(void *out, size_t size, dperm_error *err) {
  const dperm_plan_rows of = {.rows = 100, .schema = schema};
  return dperm_plan_sized(&of, &one, out, size, err);
}

static dperm_status fill_metrics(void *out, size_t size, dperm_error *err) {
  return dperm_model_score_sized(model, data, out, size, err);
}

static dperm_status fill_metrics_of_file(void *out, size_t size, dperm_error *err) {
  const dperm_source source = {.path = csv};
  return dperm_score_file_sized(model, &source, NULL, out, size, err);
}

static dperm_status fill_score(void *out, size_t size, dperm_error *err) {
  dperm_score_options options = USUAL(dperm_score_options);
  options.epsilon = 1;
  return dperm_model_score_private_sized(model, data, &options, out, size, err);
}

static dperm_status fill_score_of_file(void *out, size_t size, dperm_error *err) {
  const dperm_source source = {.path = csv};
  dperm_score_options options = USUAL(dperm_score_options);
  options.epsilon = 1;
  return dperm_score_file_private_sized(model, &source, &options, out, size, err);
}

TEST(results_are_filled_as_far_as_a_program_knows_them) {
  static const struct {
    fill *fill;
    const char *name;
    size_t size;
  } results[] = {
      {fill_plan, "dperm_plan has", sizeof(dperm_plan)},
      {fill_plan_schema, "dperm_plan has", sizeof(dperm_plan)},
      {fill_metrics, "dperm_metrics has", sizeof(dperm_metrics)},
      {fill_metrics_of_file, "dperm_metrics has", sizeof(dperm_metrics)},
      {fill_score, "dperm_private_score has", sizeof(dperm_private_score)},
      {fill_score_of_file, "dperm_private_score has", sizeof(dperm_private_score)},
  };
  unsigned char work[sizeof(dperm_plan) + 64];
  for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
    size_t shorter = results[i].size - 8;
    memset(work, 0x7e, sizeof work);
    assert_ok(results[i].fill(work, shorter, err));
    assert_int_not_equal(work[0], 0x7e);
    for (size_t j = shorter; j < sizeof work; j++) {
      assert_int_equal(work[j], 0x7e);
    }
    memset(work, 0x7e, sizeof work);
    assert_fails(results[i].fill(work, results[i].size + 8, err), DPERM_INVALID_ARGUMENT,
                 results[i].name);
    assert_int_equal(work[0], 0x7e);
  }
}

TEST(a_guarantee_that_is_longer_ends_in_zeros) {
  struct {
    dperm_guarantee known;
    double unknown;
  } longer = {.unknown = 7};
  dperm_model_guarantee_sized(model, &longer.known, sizeof longer);
  assert_int_equal(longer.known.is_private, 1);
  assert_true(longer.known.epsilon == 1.0 && longer.unknown == 0.0);
}

TEST(members_of_a_source_that_are_not_known_are_refused) {
  dperm_data *none = NULL;
  dperm_metrics metrics;
  dperm_source source = {.path = csv, .schema = schema};
  source.reserved[2] = csv;
  assert_fails(dperm_data_read(&source, NULL, &none, err), DPERM_INVALID_ARGUMENT,
               "built against a newer dperm");
  assert_fails(dperm_score_file(model, &source, NULL, &metrics, err), DPERM_INVALID_ARGUMENT,
               "built against a newer dperm");
}

TEST(reserved_members_are_zero) {
  dperm_options options = options_for(1);
  dperm_model *none = NULL;
  options.reserved = 3;
  assert_fails(dperm_train(data, &options, &none, err), DPERM_INVALID_ARGUMENT,
               "dperm_options has reserved = 3, which must be 0");
}

TEST_GROUP(begin, end)
