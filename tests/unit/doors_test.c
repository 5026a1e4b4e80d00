/* One seed, one default, one model: to the byte the same from a file, gzip, a pipe, an encoded
 * file, memory, a selection of all rows, any number of threads and of processes (here: threads),
 * whatever a run makes of the columns. And the report of a run holds what it decided. */
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "dperm/ranks.h"
#include "dperm/tune.h"
#include "model/model.h"
#include "support.h"
#include "thread_ranks.h"

/* ---- records */

enum { RECORDS = 17000, JOBS = 5, RANKS_MOST = 3 }; /* more than a page of a table */

static const char schema_text[] =
    "{\"label\": {\"column\": \"y\", \"positive\": [\"1\"], \"negative\": [\"0\"]}, "
    "\"missing\": [\"?\"], \"on_missing\": \"category\", \"intercept\": true, \"columns\": ["
    "{\"name\": \"amount\", \"type\": \"numeric\", \"min\": 0, \"max\": 5000}, "
    "{\"name\": \"job\", \"type\": \"categorical\", \"values\": [\"a\", \"b\", \"c\", \"d\"]}, "
    "{\"name\": \"age\", \"type\": \"numeric\", \"min\": 0, \"max\": 100}, "
    "{\"name\": \"level\", \"type\": \"numeric\", \"min\": 1, \"max\": 9, \"bins\": 3}], "
    "\"crosses\": [[\"job\", \"level\"]]}";

typedef struct people {
  double amount[RECORDS], age[RECORDS], level[RECORDS]; /* NaN if missing */
  int32_t job[RECORDS], label[RECORDS];                 /* −1 if missing */
  char *csv;                                            /* the same as text */
  size_t length;
  char *path, *pages; /* a file of it, and an encoded one */
  dperm_schema *schema;
} people;

static const char *const jobs[JOBS] = {"a", "b", "c", "d", "unheard of"};

/* `bent`: labels that a straight line does not follow, or those that it does. */
static people *people_new(bool bent) {
  people *p = calloc(1, sizeof *p);
  random_source r = seeded(bent ? 4 : 5);
  assert_non_null(p);
  p->csv = calloc(RECORDS + 1, 40);
  assert_non_null(p->csv);
  p->length = (size_t)sprintf(p->csv, "amount,job,age,level,y\n");
  for (size_t i = 0; i < RECORDS; i++) {
    const uint64_t bits = random_bits(&r);
    double u = random_unit(&r);
    p->amount[i] = bent ? floor(4000 * u * u * u * u) / 8 : floor(5200 * u);
    p->age[i] = floor(400 * random_unit(&r)) / 4;
    p->level[i] = bits % 50 == 0 ? (double)NAN : (double)(1 + bits % 9);
    p->job[i] = bits / 64 % 40 == 0 ? -1 : (int32_t)(bits / 64 % JOBS);
    const bool far = fabs(p->age[i] - 50) > 25, high = p->amount[i] + 20 * p->age[i] > 3600;
    p->label[i] = (bent ? far : high) ^ (bits / 4096 % 10 == 0);
    char level[16] = "?";
    if (!isnan(p->level[i])) {
      (void)snprintf(level, sizeof level, "%g", p->level[i]);
    }
    p->length +=
        (size_t)sprintf(p->csv + p->length, "%.10g,%s,%g,%s,%d\n", p->amount[i],
                        p->job[i] < 0 ? "?" : jobs[p->job[i]], p->age[i], level, p->label[i]);
  }
  p->path = file_with(p->csv, p->length);
  p->pages = file_with("", 0);
  assert_ok(dperm_schema_parse(schema_text, strlen(schema_text), "schema", &p->schema, err));
  const dperm_source source = {.path = p->path, .format = DPERM_FORMAT_CSV, .schema = p->schema};
  assert_ok(dperm_encode_file(&source, p->pages, NULL, NULL, err));
  return p;
}

static void people_free(people *p) {
  dperm_schema_free(p->schema);
  file_remove(p->path);
  file_remove(p->pages);
  free(p->csv);
  free(p);
}

/* ---- doors */

typedef dperm_data *door(const people *p);

static dperm_data *read_from(const char *path, dperm_format format, const dperm_schema *schema) {
  const dperm_source source = {.path = path, .format = format, .schema = schema};
  dperm_data *data = NULL;
  assert_ok(dperm_data_read(&source, NULL, &data, err));
  return data;
}

static dperm_data *from_file(const people *p) {
  return read_from(p->path, DPERM_FORMAT_AUTO, p->schema);
}

static dperm_data *from_gzip(const people *p) {
  auto_file *path = file_with("", 0);
  gzFile file = gzopen(path, "wb1");
  assert_true(file && gzwrite(file, p->csv, (unsigned)p->length) == (int)p->length);
  assert_int_equal(gzclose(file), Z_OK);
  dperm_data *data = read_from(path, DPERM_FORMAT_AUTO, p->schema);
  return data;
}

typedef struct writing {
  const people *p;
  const char *path;
} writing;

static void *write_pipe(void *context) {
  const writing *w = context;
  int fd = open(w->path, O_WRONLY);
  for (size_t at = 0; fd >= 0 && at < w->p->length;) {
    size_t some = w->p->length - at < 7919 ? w->p->length - at : 7919; /* lines are cut anywhere */
    ssize_t wrote = write(fd, w->p->csv + at, some);
    at = wrote < 0 ? w->p->length : at + (size_t)wrote;
  }
  (void)close(fd);
  return NULL;
}

static dperm_data *from_pipe(const people *p) {
  char folder[200], path[220];
  pthread_t writer;
  folder_new("dperm-doors", folder, sizeof folder);
  (void)snprintf(path, sizeof path, "%s/pipe", folder);
  assert_int_equal(mkfifo(path, 0600), 0);
  writing w = {p, path};
  assert_int_equal(pthread_create(&writer, NULL, write_pipe, &w), 0);
  dperm_data *data = read_from(path, DPERM_FORMAT_CSV, p->schema);
  assert_int_equal(pthread_join(writer, NULL), 0);
  (void)unlink(path);
  (void)rmdir(folder);
  return data;
}

static dperm_data *from_encoded(const people *p) {
  return read_from(p->pages, DPERM_FORMAT_AUTO, NULL);
}

static dperm_data *from_memory(const people *p) {
  static const char *const sides[] = {"0", "1"};
  const dperm_column columns[] = {{.numbers = p->amount},
                                  {.codes = p->job, .texts = jobs, .text_count = JOBS},
                                  {.numbers = p->age},
                                  {.numbers = p->level}};
  const dperm_column labels = {.codes = p->label, .texts = sides, .text_count = 2};
  dperm_data *data = NULL;
  assert_ok(dperm_data_from_table(p->schema, RECORDS, columns, &labels, &data, err));
  return data;
}

static dperm_data *from_selection(const people *p) {
  static size_t all[RECORDS];
  dperm_data *whole = from_memory(p), *data = NULL;
  for (size_t i = 0; i < RECORDS; i++) {
    all[i] = i;
  }
  assert_ok(dperm_data_select(whole, all, RECORDS, &data, err));
  dperm_data_free(whole);
  return data;
}

static const struct {
  const char *name;
  door *open;
  int threads;
} doors[] = {{"file", from_file, 1},          {"file, three threads", from_file, 3},
             {"gzip", from_gzip, 2},          {"pipe", from_pipe, 2},
             {"encoded", from_encoded, 2},    {"memory", from_memory, 2},
             {"selection", from_selection, 1}};

/* ---- what is trained */

typedef struct way {
  const char *name, *loss;
  dperm_bins bins;
  double refine, calibrate;
  size_t features;   /* of a kernel, or 0 */
  const char *spent; /* what of epsilon goes to the schema: "answer", "counts", or NULL */
  double pairs, evaluate;
} way;
static const way ways[] = {
    {"asked", "logistic", DPERM_BINS_ASK, 0, 0.1, 0, "answer", 0, 0},
    {"asked, huber", "huber", DPERM_BINS_ASK, 0, 0, 0, "answer", 0, 0},
    {"asked, with a pair", "logistic", DPERM_BINS_ASK, 0, 0, 0, "answer", 0.25, 0},
    {"a pair of lines", "huber", DPERM_BINS_NONE, 0, 0.0, 0, NULL, 0.25, 0},
    {"auto", "logistic", DPERM_BINS_AUTO, 0, 0, 0, NULL, 0, 0},
    {"none", "huber", DPERM_BINS_NONE, 0, 0, 0, NULL, 0, 0},
    {"asked, held out", "logistic", DPERM_BINS_ASK, 0, 0.1, 0, "answer", 0, 0.2},
    {"counted, held out", "huber", DPERM_BINS_ASK, (double)NAN, 0, 0, "counts", 0, 0.2},
    {"counted", "logistic", DPERM_BINS_ASK, (double)NAN, 0, 0, "counts", 0, 0},
    {"counted, huber", "huber", DPERM_BINS_AUTO, 0.2, 0, 0, "counts", 0, 0},
    {"kernel", "logistic", DPERM_BINS_ASK, 0, 0, 16, NULL, 0, 0},
    {"kernel of bins, huber", "huber", DPERM_BINS_AUTO, 0, 0, 16, NULL, 0, 0},
};
enum { WAYS = sizeof ways / sizeof *ways };

static dperm_options options_of(const way *w, dperm_error *err) {
  dperm_options o = options_for(0.5);
  o.bins = w->bins;
  o.refine = w->refine;
  o.calibrate = w->calibrate;
  o.pairs = w->pairs;
  o.evaluate = w->evaluate;
  if (w->features) {
    o.kernel = (dperm_kernel){
        .kind = DPERM_KERNEL_GAUSSIAN, .gamma = 1, .features = w->features}; /* draws its seed */
  }
  dperm_status status = dperm_loss_by_name(w->loss, 0.5, &o.loss, err);
  return status == DPERM_OK ? o : (dperm_options){0};
}

/* The text of a model and the report of its run. NULL on the processes that have no model. */
typedef struct made {
  char *text, *report;
  size_t length;
} made;

static dperm_status train(const dperm_data *data, const way *w, int threads, made *out,
                          dperm_error *err) {
  dperm_options o = options_of(w, err);
  auto_model *model = NULL;
  dperm_status status = dperm_random_seeded(7, &o.random, err);
  o.threads = threads;
  o.report = &out->report;
  status = status == DPERM_OK ? dperm_train(data, &o, &model, err) : status;
  if (status == DPERM_OK && model) {
    status = dperm_model_to_text(model, &out->text, &out->length, err);
  }
  dperm_random_free(o.random);
  return status;
}

static void made_clear(made *m) {
  dperm_text_free(m->text);
  dperm_text_free(m->report);
  *m = (made){0};
}

static void assert_same(const made *first, const made *other, const char *door_name,
                        const char *way_name) {
  if (!other->text || first->length != other->length ||
      memcmp(first->text, other->text, first->length) != 0 ||
      strcmp(first->report, other->report) != 0) {
    fail_msg("%s is another model by the door: %s", way_name, door_name);
  }
}

/* ---- processes */

typedef struct job {
  dperm_source source;
  made found[RANKS_MOST][WAYS];
  dperm_status status[RANKS_MOST];
  dperm_error error[RANKS_MOST];
} job;

static void train_share(ranks *r, void *context) {
  job *j = context;
  const size_t p = r->rank;
  auto_data *data = NULL;
  j->status[p] = dperm_data_read_spread(&j->source, r, NULL, &data, &j->error[p]);
  for (size_t w = 0; w < WAYS && j->status[p] == DPERM_OK; w++) {
    j->status[p] = train(data, &ways[w], 1, &j->found[p][w], &j->error[p]);
  }
}

static void check_processes(const people *p, const made *first) {
  for (size_t count = 1; count <= RANKS_MOST; count++) {
    for (int mapped = 0; mapped < 2; mapped++) {
      char name[60];
      job j = {.source = {.path = mapped ? p->pages : p->path, .schema = p->schema}};
      (void)snprintf(name, sizeof name, "%zu processes, %s", count, mapped ? "encoded" : "file");
      thread_ranks_run(count, train_share, &j);
      for (size_t r = 0; r < count; r++) {
        if (j.status[r] != DPERM_OK) {
          fail_msg("%s: %s", name, j.error[r].message);
        }
      }
      for (size_t w = 0; w < WAYS; w++) {
        assert_same(&first[w], &j.found[0][w], name, ways[w].name);
        for (size_t r = 0; r < count; r++) {
          assert_true(r == 0 || !j.found[r][w].text);
          made_clear(&j.found[r][w]);
        }
      }
    }
  }
}

/* ---- reports */

static double number(const json_t *report, const char *key) {
  const json_t *value = json_object_get(report, key);
  return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static const char *text(const json_t *report, const char *key) {
  return json_string_value(json_object_get(report, key));
}

/* The report against the model's own file; the records' answer. */
static const char *check_report(const way *w, const made *m) {
  static char answer[8];
  json_auto_t *report = json_loads(m->report, 0, NULL),
              *model = json_loadb(m->text, m->length, 0, NULL);
  assert_true(json_is_object(report) && json_is_object(model));
  const json_t *schema = json_object_get(model, "schema"), *column = NULL;
  const json_t *refined = json_object_get(schema, "refined");
  size_t bins = 0, c = 0;
  json_array_foreach(json_object_get(schema, "columns"), c, column) {
    bins += json_object_get(column, "bins") != NULL;
  }
  assert_true(number(report, "rows") == RECORDS && number(report, "classes") == 2);
  assert_true(number(report, "weights") ==
              (double)json_array_size(json_object_get(model, "weights")));
  assert_true(json_is_false(json_object_get(report, "private")));
  assert_string_equal(text(report, "reason"), text(model, "reason"));
  assert_string_equal(text(report, "mechanism"), "objective");
  assert_true(number(report, "epsilon") == 0.5);
  assert_true(number(report, "epsilon_calibrated") == w->calibrate * 0.5);
  assert_true(number(report, "epsilon_pairs") == w->pairs * 0.5);
  const json_t *evaluation = json_object_get(model, "evaluation");
  assert_true(json_equal(json_object_get(report, "evaluation"), evaluation));
  assert_true(w->evaluate > 0 ? number(evaluation, "rows") == floor(RECORDS * w->evaluate)
                              : json_is_null(evaluation));
  assert_true(number(report, "delta") > 0 && number(report, "rows_per_person") == 1);
  assert_string_equal(text(report, "neighbours"), "replace");
  assert_true((refined != NULL) == (w->spent != NULL));
  assert_true(number(report, "epsilon_refined") == (refined ? number(refined, "epsilon") : 0));
  const char *said = text(report, "answer");
  assert_true((said != NULL) == (w->spent && strcmp(w->spent, "answer") == 0));
  assert_true(!said || strcmp(said, bins > 1 ? "bins" : "lines") == 0); /* one column has its own */
  (void)snprintf(answer, sizeof answer, "%s", said ? said : "");
  return answer;
}

/* ---- */

TEST(every_door_leads_to_the_same_model) {
  for (int bent = 0; bent < 2; bent++) {
    people *p = people_new(bent);
    made first[WAYS] = {{0}};
    for (size_t d = 0; d < sizeof doors / sizeof *doors; d++) {
      auto_data *data = doors[d].open(p);
      for (size_t w = 0; w < WAYS; w++) {
        made one = {0};
        assert_ok(train(data, &ways[w], doors[d].threads, &one, err));
        if (d == 0) {
          first[w] = one;
          const char *said = check_report(&ways[w], &one);
          assert_true(!*said || strcmp(said, bent ? "bins" : "lines") == 0);
        } else {
          assert_same(&first[w], &one, doors[d].name, ways[w].name);
          made_clear(&one);
        }
      }
    }
    check_processes(p, first);
    for (size_t w = 0; w < WAYS; w++) {
      made_clear(&first[w]);
    }
    people_free(p);
  }
}

TEST(reports_of_other_runs) {
  people *p = people_new(true);
  dperm_data *data = from_memory(p);
  dperm_options both[2];
  dperm_model *model = NULL;
  char *said = NULL;
  for (int i = 0; i < 2; i++) {
    dperm_options_init(&both[i]);
    both[i].epsilon = 1;
    both[i].lambda = 0.1 * (i + 1);
    both[i].neighbours = DPERM_NEIGHBOURS_ADD_REMOVE;
    both[i].rows_about = 16000;
  }
  both[0].report = &said;
  dperm_tune_options how = USUAL(dperm_tune_options);
  assert_ok(dperm_tune(data, both, 2, &how, &model, err));
  json_t *report = json_loads(said, 0, NULL);
  assert_true(json_is_true(json_object_get(report, "private")));
  assert_true(json_is_null(json_object_get(report, "rows")));
  assert_true(number(report, "rows_about") == 16000);
  assert_string_equal(text(report, "neighbours"), "add-remove");
  assert_string_equal(text(report, "method"), "split");
  assert_true(number(report, "candidates") == 2);
  json_decref(report);
  dperm_text_free(said);
  dperm_model_free(model);
  both[0].account.dry_run = true; /* no model, no report */
  said = p->csv;
  assert_ok(dperm_train(data, &both[0], &model, err));
  assert_true(!model && !said);
  dperm_data_free(data);
  people_free(p);
}
