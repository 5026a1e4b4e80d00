/* What public numbers refuse costs nothing. Options are drawn from everything that can be combined
 * (ways to a schema, kernels, kinds of noise, deltas, mechanisms, neighbours, classes, ways to
 * choose, settings that cannot be served): the records are fine, so whatever fails fails for a
 * reason that options, schema and their number tell, and must fail before the charge. Whatever
 * succeeds states the delta that its noise spends, is charged as much, and verifies. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "dperm/tune.h"
#include "dperm/verify.h"
#include "ledgers.h"
#include "model/model.h"
#include "wide_records.h"

enum { ROWS = 400 };

static const char *const schemas[] = {
    /* numbers and categories; numbers alone, of which a refinement may leave straight lines; three
     * classes; bins that wait for numbers, which a refinement may not leave either (not drawn) */
    "{\"label\": {\"column\": \"y\", \"classes\": [\"0\", \"1\"]}, \"columns\": ["
    "{\"name\": \"x\", \"type\": \"numeric\", \"min\": 0, \"max\": 100}, "
    "{\"name\": \"job\", \"type\": \"categorical\", \"values\": "
    "[\"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\", \"i\"]}]}",
    "{\"label\": {\"column\": \"y\", \"classes\": [\"0\", \"1\"]}, \"columns\": ["
    "{\"name\": \"x\", \"type\": \"numeric\", \"min\": 0, \"max\": 100}, "
    "{\"name\": \"z\", \"type\": \"numeric\", \"min\": 0, \"max\": 8}]}",
    "{\"label\": {\"column\": \"y\", \"classes\": [\"0\", \"1\", \"2\"]}, \"columns\": ["
    "{\"name\": \"x\", \"type\": \"numeric\", \"min\": 0, \"max\": 100}, "
    "{\"name\": \"job\", \"type\": \"categorical\", \"values\": "
    "[\"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\", \"i\"]}]}",
    "{\"label\": {\"column\": \"y\", \"classes\": [\"0\", \"1\"]}, \"columns\": ["
    "{\"name\": \"x\", \"type\": \"numeric\", \"min\": 0, \"max\": 100, \"bins\": \"auto\"}, "
    "{\"name\": \"z\", \"type\": \"numeric\", \"min\": 0, \"max\": 8, \"bins\": \"auto\"}]}"};

typedef struct table {
  double x[ROWS], z[ROWS];
  int32_t job[ROWS], label[ROWS];
  dperm_column columns[2], labels;
} table;

typedef enum records_kind { SPREAD, CONSTANT, MISSING, RECORD_KINDS } records_kind;

static void fill(table *t, size_t schema, records_kind kind, int shift) {
  static const char *const jobs[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
  static const char *const names[] = {"0", "1", "2"};
  for (int32_t i = 0; i < ROWS; i++) {
    t->x[i] = kind == SPREAD ? (i * 37 + shift) % 101 : kind == CONSTANT ? 5 : (double)NAN;
    t->z[i] = kind == SPREAD ? i % 9 : t->x[i];
    t->job[i] = i % 9;
    t->label[i] = (i * 37 + shift) % 101 > 50;
  }
  t->columns[0] = (dperm_column){.numbers = t->x};
  t->columns[1] = schema % 2 ? (dperm_column){.numbers = t->z}
                             : (dperm_column){.codes = t->job, .texts = jobs, .text_count = 9};
  t->labels = (dperm_column){.codes = t->label, .texts = names, .text_count = schema == 2 ? 3 : 2};
}

/* ---- what is asked for */

typedef enum way { PLAIN, BINS, ASK, COUNT, COUNT_SHARE, SPLIT, STOPPING, PUBLIC, WAYS } way;

typedef struct asked {
  way way;
  size_t schema;
  records_kind records;
  dperm_options options;
  double holdout;
  char words[300];
} asked;

static const double weights_of_columns[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

/* Settings that some combinations cannot serve. */
static const char *twist(dperm_options *o, unsigned which) {
  static const dperm_class_weight heavier[] = {{"1", 5}}, unknown[] = {{"7", 5}};
  switch (which) {
  case 0:
    o->analysis = DPERM_ANALYSIS_PAPER;
    return "analysis paper";
  case 1:
    o->lambda = 1e-6;
    o->delta_reg = 0;
    return "delta-reg 0";
  case 2:
    o->rows_per_person = 3;
    return "persons";
  case 3:
    o->class_weights = heavier;
    o->class_weight_count = 1;
    return "class weights";
  case 4:
    o->class_weights = unknown;
    o->class_weight_count = 1;
    return "weights of no class";
  case 5:
    o->regularizer.weights = weights_of_columns;
    return "weights of columns";
  case 6:
    o->lambda = 1e-199;
    return "lambda 1e-199";
  case 7:
    o->lambda = 1e190;
    return "lambda 1e190";
  case 8:
    o->multiclass = DPERM_MULTICLASS_JOINT;
    return "joint";
  case 9:
    o->multiclass = DPERM_MULTICLASS_ONE_VS_REST;
    return "one-vs-rest";
  case 10:
    assert_ok(dperm_loss_huber(0.5, &o->loss, err));
    return "huber";
  case 11:
    o->kernel.features = o->kernel.kind == DPERM_KERNEL_NONE ? 0 : 7;
    return "odd features";
  case 12:
    o->epsilon = 40;
    return "epsilon 40";
  case 13:
    o->calibrate = 0.2;
    return "calibrate 0.2";
  case 14:
    o->calibrate = 1e-14;
    return "calibrate 1e-14";
  case 15:
    o->calibrate = 1 - 1e-13;
    return "calibrate nearly all";
  case 16:
    o->calibrate = 0.2;
    o->multiclass = DPERM_MULTICLASS_ONE_VS_REST;
    return "calibrate, one-vs-rest";
  default:
    return "";
  }
}

enum { KINDS = 7 };
static const dperm_noise kinds[KINDS] = {DPERM_NOISE_AUTO,    DPERM_NOISE_L2,    DPERM_NOISE_L1,
                                         DPERM_NOISE_LINF,    DPERM_NOISE_GROUP, DPERM_NOISE_MIXED,
                                         DPERM_NOISE_GAUSSIAN};

static asked draw_request(random_source *r) {
  static const double deltas[] = {0, 1e-6, 2e-30, 0.5};
  asked a = {.way = (way)random_below(r, WAYS), .schema = (size_t)random_below(r, 3)};
  dperm_options *o = &a.options;
  dperm_options_init(o);
  o->epsilon = 12;
  o->threads = 1;
  o->noise = kinds[random_below(r, KINDS)];
  o->delta = deltas[random_below(r, 4)];
  o->mechanism = random_below(r, 3) ? DPERM_MECHANISM_OBJECTIVE : DPERM_MECHANISM_OUTPUT;
  if (random_below(r, 3) == 0) {
    o->kernel = (dperm_kernel){DPERM_KERNEL_GAUSSIAN, 1, 8, 3, 0};
  }
  if (random_below(r, 3) == 0) {
    o->neighbours = DPERM_NEIGHBOURS_ADD_REMOVE;
    o->rows_about = random_below(r, 2) ? ROWS : 20;
  }
  a.holdout = random_below(r, 4) ? 0.2 : 0.95;
  const char *more = twist(o, (unsigned)random_below(r, 25));
  static const char *const names[WAYS] = {"train",     "bins",  "ask",      "count",
                                          "count 0.1", "split", "stopping", "public"};
  (void)snprintf(a.words, sizeof a.words,
                 "%s, schema %zu, %s, noise %d, delta %g, kernel %d, %s about %zu, holdout %g, %s",
                 names[a.way], a.schema, dperm_mechanism_name(o->mechanism), (int)o->noise,
                 o->delta, (int)o->kernel.kind, dperm_neighbours_name(o->neighbours), o->rows_about,
                 a.holdout, more);
  return a;
}

/* ---- running */

typedef struct outcome {
  dperm_status status;
  dperm_model *model;
  dperm_charge charge;
  dperm_error error;
} outcome;

static dperm_status tune(const asked *a, const dperm_options *o, const dperm_data *data,
                         const dperm_data *others, outcome *out) {
  dperm_options candidates[2] = {*o, *o};
  dperm_tune_options how = USUAL(dperm_tune_options);
  candidates[1].lambda = isnan(o->lambda) ? 0.01 : o->lambda;
  how.method = a->way == SPLIT      ? DPERM_TUNE_SPLIT
               : a->way == STOPPING ? DPERM_TUNE_STOPPING
                                    : DPERM_TUNE_PUBLIC;
  how.public_data = a->way == PUBLIC ? others : NULL;
  how.holdout = a->holdout;
  return dperm_tune(data, candidates, 2, &how, &out->model, &out->error);
}

static outcome run(const asked *a, dperm_ledger *ledger) {
  static table mine, theirs;
  outcome out = {.status = DPERM_OK};
  dperm_options o = a->options;
  o.account =
      (dperm_account){.ledger = ledger, .dataset = ledger ? "many" : NULL, .charge = &out.charge};
  auto_schema *schema = schema_parsed(schemas[a->schema]);
  fill(&mine, a->schema, a->records, 0);
  fill(&theirs, a->schema, a->records, 1);
  o.bins = a->way == PLAIN ? DPERM_BINS_NONE : a->way == BINS ? DPERM_BINS_AUTO : DPERM_BINS_ASK;
  o.refine = a->way == COUNT ? (double)NAN : a->way == COUNT_SHARE ? 0.1 : 0;
  auto_data *data = NULL, *others = NULL;
  assert_ok(dperm_data_from_table(schema, ROWS, mine.columns, &mine.labels, &data, err));
  assert_ok(dperm_data_from_table(schema, ROWS, theirs.columns, &theirs.labels, &others, err));
  out.status = a->way < SPLIT ? dperm_train(data, &o, &out.model, &out.error)
                              : tune(a, &o, data, others, &out);
  return out;
}

/* ---- what must hold */

typedef struct seen_entries {
  size_t count;
} seen_entries;

static void see_entry(void *context, const dperm_ledger_entry *e) {
  seen_entries *s = context;
  s->count++;
}

static size_t entries_of(dperm_ledger *ledger) {
  seen_entries s = {0};
  assert_ok(dperm_ledger_entries(ledger, "many", see_entry, &s, err));
  return s.count;
}

static void see_line(void *context, dperm_finding finding, const char *line) {
  if (finding == DPERM_FINDING_FAILS) {
    print_message("# %s\n", line);
  }
}

/* Pure noise that was named spends nothing beside rounding, gaussian noise all that was given;
 * `auto` may have to pay for what another schema, or candidate, would have taken. */
static void check_claim(const asked *a, const outcome *out, const char *folder) {
  const guarantee *claim = &out->model->claim;
  bool gaussian = out->model->plan.noise.kind->needs_delta;
  bool named = a->options.noise != DPERM_NOISE_AUTO;
  bool numerics = claim->delta == claim->delta_numerics, given = claim->delta == a->options.delta;
  char path[1100];
  bool holds = false;
  if (gaussian ? !given : named || a->options.delta == 0 ? !numerics : !numerics && !given) {
    fail_msg("%s: delta = %g, of numerics %g", a->words, claim->delta, claim->delta_numerics);
  }
  if (strtod(out->charge.delta, NULL) != claim->delta ||
      strtod(out->charge.epsilon, NULL) != a->options.epsilon ||
      claim->epsilon != a->options.epsilon) {
    fail_msg("%s: charged %s, %s for %g", a->words, out->charge.epsilon, out->charge.delta,
             claim->delta);
  }
  (void)snprintf(path, sizeof path, "%s/model.json", folder);
  assert_ok(dperm_model_write(out->model, path, err));
  assert_ok(dperm_model_verify(path, NULL, 0, NULL, see_line, NULL, &holds, err));
  (void)unlink(path);
  if (!holds) {
    fail_msg("%s: does not verify", a->words);
  }
}

/* The first run tells whether it can be, without the time that a ledger takes. */
static bool check_request(const asked *a, const ledger_home *home, dperm_ledger *ledger) {
  outcome out = run(a, NULL);
  if (out.status == DPERM_OK) {
    check_claim(a, &out, home->folder);
    dperm_model_free(out.model);
    return true;
  }
  size_t before = entries_of(ledger);
  outcome charged = run(a, ledger);
  if (charged.status == DPERM_OK || charged.model || strstr(charged.error.message, "stays spent") ||
      entries_of(ledger) != before) {
    fail_msg("%s: \"%s\", with a ledger \"%s\"", a->words, out.error.message,
             charged.error.message);
  }
  return false;
}

static dperm_ledger *ledger_with_much(const ledger_home *home) {
  assert_ok(ledger_create(home->path, "many", "10000", "0.9", 1, err));
  return opened(home);
}

LEDGER_TEST(what_public_numbers_refuse_is_not_charged) {
  auto_ledger *ledger = ledger_with_much(home);
  size_t made = 0, tries = repetitions(250, 5000);
  random_source r = seeded(22);
  for (size_t i = 0; i < tries; i++) {
    asked a = draw_request(&r);
    made += check_request(&a, home, ledger);
  }
  print_message("# %zu of %zu are fine\n", made, tries);
  assert_true(made > tries / 10 && made < tries - tries / 10);
}

/* The fit of a kernel has the columns of the kernel, whatever the records say; noise for groups has
 * nothing to hold on to where lines may come. */
LEDGER_TEST(answers_are_priced_for_the_fit_that_follows) {
  auto_ledger *ledger = ledger_with_much(home);
  asked a = {.schema = 1, .words = "asked for"};
  size_t before = entries_of(ledger);
  dperm_options_init(&a.options);
  a.options.epsilon = 12;
  a.options.threads = 1;
  a.options.noise = DPERM_NOISE_GAUSSIAN;
  a.options.delta = 1e-6;
  for (int i = 0; i < 6; i++) {
    a.options.mechanism = i % 2 ? DPERM_MECHANISM_OUTPUT : DPERM_MECHANISM_OBJECTIVE;
    a.way = i < 4 ? COUNT : ASK; /* with a kernel nothing is asked */
    a.options.kernel = (dperm_kernel){DPERM_KERNEL_GAUSSIAN, 1, i < 2 ? 8 : 300, 3, 0};
    if (a.way == ASK) {
      a.options.kernel = (dperm_kernel){0};
    }
    outcome out = run(&a, ledger);
    assert_int_equal(out.status, DPERM_OK);
    assert_true(out.model->schema->refined.epsilon > 0);
    check_claim(&a, &out, home->folder);
    dperm_model_free(out.model);
    assert_int_equal(entries_of(ledger), before + (size_t)i + 1);
  }
  a.options.mechanism = DPERM_MECHANISM_OBJECTIVE;
  a.options.kernel = (dperm_kernel){0};
  a.options.noise = DPERM_NOISE_MIXED;
  for (int i = 0; i < 2; i++) {
    a.way = i ? COUNT : ASK;
    outcome refused = run(&a, ledger);
    assert_int_equal(refused.status, DPERM_INVALID_ARGUMENT);
    assert_non_null(strstr(refused.error.message, "nothing is known of the rows"));
    assert_int_equal(entries_of(ledger), before + 6);
  }
}

/* All records may fall into one cell, or into none: then counts leave straight lines, also where
 * the wide schema has bins to come. Every kind of noise either can have those, or is refused before
 * the charge. */
LEDGER_TEST(counts_that_leave_no_bins_are_reckoned_with) {
  auto_ledger *ledger = ledger_with_much(home);
  size_t made = 0, tried = 0;
  for (size_t i = 0; i < KINDS * 2 * RECORD_KINDS * 2; i++) {
    asked a = {.way = i % 2 ? COUNT : COUNT_SHARE,
               .schema = 3,
               .records = (records_kind)(i / 2 % RECORD_KINDS)};
    bool adding = i / 2 / RECORD_KINDS % 2;
    dperm_options *o = &a.options;
    dperm_options_init(o);
    o->epsilon = 12;
    o->threads = 1;
    o->noise = kinds[i / 4 / RECORD_KINDS];
    o->delta = 1e-6;
    o->neighbours = adding ? DPERM_NEIGHBOURS_ADD_REMOVE : DPERM_NEIGHBOURS_REPLACE;
    o->rows_about = adding ? ROWS : 0;
    (void)snprintf(a.words, sizeof a.words, "bins to come, noise %d, records %d, adding %d",
                   (int)o->noise, (int)a.records, adding);
    bool fine = check_request(&a, home, ledger);
    assert_int_equal(fine, o->noise != DPERM_NOISE_MIXED);
    made += fine;
    tried++;
  }
  assert_int_equal(made, tried - tried / KINDS);
}

/* A cross with more pairs than there can be, if its numbers keep all their cells. */
LEDGER_TEST(crosses_that_cells_would_burst_are_refused_before_the_charge) {
  enum { CATEGORIES = 5000 };
  auto_ledger *ledger = ledger_with_much(home);
  static char text[CATEGORIES * 10 + 1000];
  static table mine;
  size_t used = (size_t)snprintf(
      text, sizeof text,
      "{\"label\": {\"column\": \"y\", \"classes\": [\"0\", \"1\"]}, \"columns\": ["
      "{\"name\": \"x\", \"type\": \"numeric\", \"min\": 0, \"max\": 100, \"bins\": \"auto\"}, "
      "{\"name\": \"job\", \"type\": \"categorical\", \"values\": [\"a\"");
  for (int i = 1; i < CATEGORIES; i++) {
    used += (size_t)snprintf(text + used, sizeof text - used, ", \"v%d\"", i);
  }
  (void)snprintf(text + used, sizeof text - used, "]}], \"crosses\": [[\"x\", \"job\"]]}");
  auto_schema *schema = schema_parsed(text);
  dperm_model *model = NULL;
  dperm_error refused;
  dperm_options o = options_for(12);
  o.threads = 1;
  o.refine = 0.999;
  o.account = (dperm_account){.ledger = ledger, .dataset = "many"};
  fill(&mine, 0, SPREAD, 0);
  for (int32_t i = 0; i < ROWS; i++) {
    mine.job[i] = 0;
  }
  dperm_data *data = NULL;
  assert_ok(dperm_data_from_table(schema, ROWS, mine.columns, &mine.labels, &data, err));
  assert_int_equal(dperm_train(data, &o, &model, &refused), DPERM_INVALID_SCHEMA);
  dperm_data_free(data);
  assert_non_null(strstr(refused.message, "counts may leave very many bins, and then"));
  assert_int_equal(entries_of(ledger), 0);
}
