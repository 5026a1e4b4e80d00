/* What intervals rest on (docs/proofs/intervals.md 1): whatever two records are, their parts in the
 * sums of the first and the last stage differ by no more than its body, and in those of the
 * second each is a product of a vector that is no longer than it may be. The laws are those of fits
 * to made records, the pairs are drawn with many at the ends of their ranges. And sums are exact:
 * they are the same for any number of threads, and for records in any order. */
#include <math.h>
#include <stdlib.h>

#include "base/thread_pool.h"
#include "intervals/interval_pairs.h"
#include "intervals/interval_steps.h"
#include "model/model.h"
#include "run/interval_sums.h"
#include "support.h"

enum { RECORDS = 400, COLUMNS = 5, SUMS_MOST = 200 };

static const char classes_text[] =
    "{\"version\": 2, \"label\": {\"column\": \"y\", \"positive\": [\"1\"], \"negative\": "
    "[\"0\"]}, "
    "\"columns\": [{\"name\": \"a\", \"type\": \"numeric\", \"min\": -1, \"max\": 1}, "
    "{\"name\": \"b\", \"type\": \"categorical\", \"values\": [\"0\", \"1\", \"2\", \"3\"]}, "
    "{\"name\": \"c\", \"type\": \"numeric\", \"min\": 0, \"max\": 10, \"scale\": \"max\"}, "
    "{\"name\": \"d\", \"type\": \"categorical\", \"values\": [\"0\", \"1\"]}, "
    "{\"name\": \"e\", \"type\": \"categorical\", \"values\": [\"0\", \"1\", \"2\"]}]}";

static const char *const texts[] = {"0", "1", "2", "3"};
static const size_t values_of[COLUMNS] = {0, 4, 0, 2, 3};
static const double ends[COLUMNS][2] = {{-1, 1}, {0, 0}, {0, 10}, {0, 0}, {0, 0}};

typedef struct made_records {
  double numbers[COLUMNS][RECORDS], target[RECORDS];
  int32_t codes[COLUMNS][RECORDS], label[RECORDS];
} made_records;

static void draw_record(random_source *r, bool far, size_t i, made_records *out) {
  double score = 0;
  for (size_t c = 0; c < COLUMNS; c++) {
    const double u = random_unit(r);
    const bool end = far && random_bits(r) % 2;
    out->codes[c][i] = values_of[c] ? (int32_t)(random_bits(r) % values_of[c]) : 0;
    out->numbers[c][i] =
        ends[c][0] + (ends[c][1] - ends[c][0]) * (end ? (double)(random_bits(r) % 2) : u);
    score += values_of[c] ? 0.4 * out->codes[c][i] - 0.4 : out->numbers[c][i] / ends[c][1] - 0.2;
  }
  out->label[i] = far ? (int32_t)(random_bits(r) % 2) : random_unit(r) < 1 / (1 + exp(-score));
  out->target[i] = far ? (random_bits(r) % 2 ? 40.0 : -40.0) : 5 * score + 4 * random_normal(r);
}

static dperm_data *data_of(const dperm_schema *schema, bool numbers, size_t rows,
                           const made_records *from) {
  dperm_column columns[COLUMNS];
  dperm_data *data = NULL;
  for (size_t c = 0; c < COLUMNS; c++) {
    columns[c] =
        values_of[c]
            ? (dperm_column){.codes = from->codes[c], .texts = texts, .text_count = values_of[c]}
            : (dperm_column){.numbers = from->numbers[c]};
  }
  const dperm_column label =
      numbers ? (dperm_column){.numbers = from->target}
              : (dperm_column){.codes = from->label, .texts = texts, .text_count = 2};
  assert_ok(dperm_data_from_table(schema, rows, columns, &label, &data, err));
  return data;
}

static dperm_schema *schema_of(bool numbers) {
  dperm_schema *schema = NULL;
  char *text = strdup(classes_text);
  if (numbers) {
    char *from = strstr(text, "\"positive\""), *to = strstr(text, "}, \"columns\"");
    memset(from, ' ', (size_t)(to - from));
    memcpy(from, "\"type\":\"numeric\",\"min\":-40,\"max\":40", 35);
  }
  assert_ok(dperm_schema_parse(text, strlen(text), "schema", &schema, err));
  free(text);
  return schema;
}

static dperm_model *model_of(const dperm_data *data, bool numbers, double epsilon, uint64_t seed) {
  dperm_options o = options_for(epsilon);
  dperm_model *model = NULL;
  o.intervals = 0.3;
  o.pairs = 0;
  if (numbers) {
    o.loss = (dperm_loss){.name = NULL};
  }
  assert_ok(dperm_random_seeded(seed, &o.random, err));
  assert_ok(dperm_train(data, &o, &model, err));
  dperm_random_free(o.random);
  return model;
}

/* The model's law before a stage. */
static void open_law(const dperm_model *model, const dperm_loss *loss, interval_stage_id which,
                     interval_design *design, interval_law *law) {
  assert_ok(interval_design_of(model->schema, loss, model->rows_fitted, 1, design, err));
  assert_ok(interval_law_new(design, law, err));
  for (interval_stage_id s = 0; s < which; s++) {
    int64_t released[SUMS_MOST];
    const json_t *list = json_object_get(model->released[SHARE_INTERVALS], interval_keys[s]);
    for (size_t i = 0; i < json_array_size(list); i++) {
      released[i] = json_integer_value(json_array_get(list, i));
    }
    assert_ok(interval_take(law, s, released, err));
  }
}

/* Under the model's schema. */
static void sums_of(dperm_model *model, const dperm_loss *loss, const interval_law *law,
                    interval_stage_id which, dperm_data *data, int64_t *sums) {
  const stage_work shape = {.model = model, .data = data, .loss = loss, .view = data->x};
  stage_work work = shape;
  work.labels = data->labels;
  work.room = calloc(interval_sums_room(model, data->x), sizeof(double));
  assert_ok(interval_sums_of(&work, law, which, sums, err));
  free(work.room);
}

/* Two records' products, of the numbers they are private for: they are vvᵀ, and |v|² is as it
 * should be. */
static double length(const gram_noise *g, const int64_t *sums) {
  double most = 0;
  for (size_t side = 0; side < 2; side++, sums += SUMS_MOST) {
    uint64_t squares = 0;
    for (size_t j = 0; j < g->size; j++) {
      const int64_t own = sums[gram_place(g->size, j, j)];
      squares += (uint64_t)own;
      for (size_t l = j; l < g->size; l++) {
        const int64_t product = sums[gram_place(g->size, j, l)];
        assert_true(product * product == own * sums[gram_place(g->size, l, l)]);
      }
    }
    assert_true(squares <= g->most);
    most = fmax(most, (double)squares / (double)g->most);
  }
  return most;
}

/* In the body's steps. */
static double distance(const integer_body *body, const int64_t *a, const int64_t *b) {
  double norm = 0;
  for (size_t k = 0; k < body->count; k++) {
    const body_block *block = &body->blocks[k];
    double sum = 0;
    for (size_t i = 0; i < block->entries; i++) {
      const double size = fabs((double)(*a++ - *b++));
      sum = block->ball ? sum + size : fmax(sum, size);
    }
    norm = fmax(norm, sum / (double)block->side);
  }
  return norm;
}

static double furthest(bool numbers, interval_stage_id which, uint64_t seed) {
  static made_records records, one;
  random_source r = seeded(100 + seed);
  dperm_schema *schema = schema_of(numbers);
  dperm_loss loss;
  double most = 0;
  for (size_t i = 0; i < RECORDS; i++) {
    draw_record(&r, false, i, &records);
  }
  dperm_data *data = data_of(schema, numbers, RECORDS, &records);
  dperm_model *model = model_of(data, numbers, seed % 2 ? 0.5 : 30, seed);
  assert_ok(model_loss(model, &loss, err));
  for (size_t j = 0; j < model->dims; j++) { /* any weights: steep scores, too */
    model->weights[j] *= seed % 3 == 0 ? 20 : 1;
  }
  OWNED(interval_design_clear) interval_design design = {0};
  OWNED(interval_law_free) interval_law law = {0};
  OWNED(integer_body_clear) integer_body body = {0};
  open_law(model, &loss, which, &design, &law);
  const gram_noise products = interval_pairs_noise(&law);
  if (which != INTERVAL_PAIRS) {
    assert_ok(interval_body(&law, which, &body, err));
    assert_int_equal(body.size, interval_released(&design, which));
  }
  for (size_t pair = 0; pair < repetitions(60, 1500); pair++) {
    int64_t sums[2][SUMS_MOST];
    for (size_t side = 0; side < 2; side++) {
      draw_record(&r, true, 0, &one);
      dperm_data *single = data_of(model->schema, numbers, 1, &one);
      sums_of(model, &loss, &law, which, single, sums[side]);
      dperm_data_free(single);
    }
    const double apart = which == INTERVAL_PAIRS ? length(&products, sums[0])
                                                 : distance(&body, sums[0], sums[1]) / BODY_STEPS;
    most = fmax(most, apart);
  }
  dperm_model_free(model);
  dperm_data_free(data);
  dperm_schema_free(schema);
  return most;
}

TEST(no_two_records_are_further_apart_than_the_body) {
  for (size_t numbers = 0; numbers < 2; numbers++) {
    for (interval_stage_id which = 0; which < INTERVAL_STAGES; which++) {
      double most = 0;
      for (uint64_t seed = 0; seed < 4; seed++) {
        most = fmax(most, furthest(numbers, which, seed));
      }
      print_message("# %s, %s: %.3f of the body\n", numbers ? "log-cosh" : "logistic",
                    interval_keys[which], most);
      assert_true(most <= 1 && most > 0.4);
    }
  }
}

TEST(sums_do_not_depend_on_threads_or_order) {
  static made_records records, turned;
  random_source r = seeded(9);
  dperm_schema *schema = schema_of(false);
  dperm_loss loss;
  for (size_t i = 0; i < RECORDS; i++) {
    draw_record(&r, false, i, &records);
  }
  for (size_t i = 0; i < RECORDS; i++) {
    const size_t k = RECORDS - 1 - i;
    turned.label[i] = records.label[k];
    for (size_t c = 0; c < COLUMNS; c++) {
      turned.numbers[c][i] = records.numbers[c][k];
      turned.codes[c][i] = records.codes[c][k];
    }
  }
  dperm_data *data = data_of(schema, false, RECORDS, &records);
  dperm_model *model = model_of(data, false, 3, 1);
  dperm_data *here = data_of(model->schema, false, RECORDS, &records),
             *there = data_of(model->schema, false, RECORDS, &turned);
  assert_ok(model_loss(model, &loss, err));
  for (interval_stage_id which = 0; which < INTERVAL_STAGES; which++) {
    OWNED(interval_design_clear) interval_design design = {0};
    OWNED(interval_law_free) interval_law law = {0};
    int64_t sums[3][SUMS_MOST];
    open_law(model, &loss, which, &design, &law);
    sums_of(model, &loss, &law, which, here, sums[0]);
    sums_of(model, &loss, &law, which, there, sums[1]);
    {
      OWNED(threads_leave) thread_scope threads = threads_enter(3);
      sums_of(model, &loss, &law, which, here, sums[2]);
    }
    const size_t size = interval_released(&design, which) * sizeof(int64_t);
    assert_memory_equal(sums[0], sums[1], size);
    assert_memory_equal(sums[0], sums[2], size);
  }
  dperm_data_free(here);
  dperm_data_free(there);
  dperm_model_free(model);
  dperm_data_free(data);
  dperm_schema_free(schema);
}

/* Where there is no noise to speak of, records are as long as they are, and a rare bit goes with a
 * number as it does among the records. */
TEST(correlations_are_those_of_the_records) {
  static made_records records;
  random_source r = seeded(12);
  dperm_schema *schema = schema_of(false);
  dperm_loss loss;
  double x[2] = {0, 0}, squares[2] = {0, 0}, product = 0;
  for (size_t i = 0; i < RECORDS; i++) {
    draw_record(&r, false, i, &records);
    records.codes[3][i] = records.numbers[0][i] > 0.85; /* d, a column behind a and b's three */
  }
  dperm_data *data = data_of(schema, false, RECORDS, &records);
  dperm_model *model = model_of(data, false, 1, 3);
  dperm_data *here = data_of(model->schema, false, RECORDS, &records);
  assert_ok(model_loss(model, &loss, err));
  for (size_t j = 0; j < model->dims; j++) { /* so that all are curved alike */
    model->weights[j] = 0;
  }
  OWNED(interval_design_clear) interval_design design = {0};
  OWNED(interval_law_free) interval_law law = {0};
  assert_ok(interval_design_of(model->schema, &loss, RECORDS, 1e6, &design, err));
  assert_ok(interval_law_new(&design, &law, err));
  for (interval_stage_id s = 0; s < INTERVAL_SPREAD; s++) {
    int64_t sums[SUMS_MOST];
    sums_of(model, &loss, &law, s, here, sums);
    assert_ok(interval_take(&law, s, sums, err));
  }
  for (size_t i = 0; i < RECORDS; i++) {
    const double a = records.numbers[0][i], b = records.codes[3][i];
    x[0] += a / RECORDS;
    x[1] += b / RECORDS;
    squares[0] += a * a / RECORDS;
    squares[1] += b * b / RECORDS;
    product += a * b / RECORDS;
  }
  const double rho =
      (product - x[0] * x[1]) / sqrt((squares[0] - x[0] * x[0]) * (squares[1] - x[1] * x[1]));
  print_message("# %.4f, and released %.4f\n", rho, law.pair[0 * law.d + 5]);
  assert_true(rho > 0.3 && fabs(law.pair[0 * law.d + 5] - rho) < 0.005);
  dperm_data_free(here);
  dperm_model_free(model);
  dperm_data_free(data);
  dperm_schema_free(schema);
}
