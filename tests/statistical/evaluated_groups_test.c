/* Intervals of an evaluation's curves and of its rates by group: they hold those of the population
 * as often as they say. evaluation_test.c has the figures of all records. Seeds are fixed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "evaluate/evaluation.h"
#include "evaluate/evaluation_figures.h"
#include "score_population.h"
#include "support.h"

/* Apart from scores and classes: most of the records, a fifth and a twentieth of them. */
enum { ROWS = 5000, GROUPS = 3 };
static const double group_upto[GROUPS] = {0.75, 0.95, 1};

/* ---- a model of one weight whose scores are those of the column times it */

static const double weight = 16;

static dperm_data *sample_of(const population *p, const dperm_schema *schema,
                             random_source *source) {
  static double scores[ROWS];
  static int32_t groups[ROWS], labels[ROWS];
  const char *names[GROUPS] = {"most", "some", "few"}, *classes[] = {"0", "1"};
  const dperm_column columns[] = {{.numbers = scores},
                                  {.codes = groups, .texts = names, .text_count = GROUPS}};
  const dperm_column label = {.codes = labels, .texts = classes, .text_count = 2};
  dperm_data *data = NULL;
  for (size_t i = 0; i < ROWS; i++) {
    bool second = false;
    scores[i] = population_draw(p, source, &second) / weight;
    labels[i] = second;
    groups[i] = (int32_t)place_of(group_upto, GROUPS, uniform(source));
  }
  assert_ok(dperm_data_from_table(schema, ROWS, columns, &label, &data, err));
  return data;
}

/* ---- how often intervals hold */

enum { RATES = 4, CALIBRATION = GROUPS * RATES, ROC, FIGURES };
static const char *const rate_names[RATES] = {"error_rate", "positive_rate", "false_positive_rate",
                                              "false_negative_rate"};

typedef struct tally {
  size_t tried[FIGURES], held[FIGURES];
  bool end[FIGURES]; /* so near to an end of what can be that only one side can miss it */
} tally;

static void note(tally *t, size_t f, double low, double truth, double high) {
  t->tried[f]++;
  t->held[f] += low <= truth && truth <= high;
  t->end[f] = f < CALIBRATION && (truth < 0.01 || truth > 0.99);
}

static double number_in(const json_t *list, const char *key, size_t i) {
  return json_number_value(json_array_get(json_object_get(list, key), i));
}

static void note_groups(const json_t *stated, const population *p, tally *t) {
  const json_t *groups = json_object_get(json_object_get(stated, "groups"), "rates");
  double below[2], above[2];
  population_shares(p, -INFINITY, 0, below);
  population_shares(p, 0, INFINITY, above);
  const double truth[RATES] = {below[1] + above[0], below[1] + above[1],
                               above[0] / (below[0] + above[0]), below[1] / (below[1] + above[1])};
  assert_int_equal(json_array_size(groups), GROUPS);
  for (size_t g = 0; g < GROUPS; g++) {
    for (size_t r = 0; r < RATES; r++) {
      const json_t *rate = json_object_get(json_array_get(groups, g), rate_names[r]);
      note(t, g * RATES + r, json_number_value(json_object_get(rate, "low")), truth[r],
           json_number_value(json_object_get(rate, "high")));
    }
  }
}

/* Bins and thresholds are chosen by the evaluation; what is true of them is the population's. */
static void note_curves(const model_evaluation *e, const json_t *stated, const population *p,
                        tally *t) {
  const json_t *bins = json_object_get(stated, "calibration"),
               *roc = json_object_get(stated, "roc");
  const size_t cells = e->table.cells;
  double in[2], above[2], all[2];
  population_shares(p, -INFINITY, INFINITY, all);
  for (size_t from = 0, to = 0, i = 0; from < cells; from = to, i++) {
    to = calibration_end(e, from);
    population_shares(p, from > 0 ? e->edges[from - 1] : -INFINITY,
                      to < cells ? e->edges[to - 1] : INFINITY, in);
    if (in[0] + in[1] > 0) {
      note(t, CALIBRATION, number_in(bins, "low", i), in[1] / (in[0] + in[1]),
           number_in(bins, "high", i));
    }
  }
  for (size_t c = 1; c < cells; c++) {
    population_shares(p, e->edges[c - 1], INFINITY, above);
    if (above[1] > 0 && above[1] < all[1]) {
      note(t, ROC, number_in(roc, "low", c - 1), above[1] / all[1], number_in(roc, "high", c - 1));
    }
  }
}

static dperm_model *model_under(const dperm_schema *schema, const population *p) {
  random_source source = seeded(1);
  auto_data *data = sample_of(p, schema, &source);
  dperm_model *model = NULL;
  dperm_options options = USUAL(dperm_options);
  options.mechanism = DPERM_MECHANISM_NONE;
  options.lambda = 1;
  assert_ok(dperm_train(data, &options, &model, err));
  assert_int_equal(dperm_model_dims(model), 1);
  model->weights[0] = weight;
  return model;
}

static void evaluate_often(const population *p, double epsilon, dperm_neighbours neighbours,
                           size_t times, uint64_t seed, tally *t) {
  const evaluation_terms terms = {epsilon, 1, neighbours};
  auto_schema *schema = schema_quoted(
      "{'version': 1, 'label': {'column': 'y', 'positive': ['1'], 'negative': ['0']}, 'group': "
      "'g', 'columns': [{'name': 'x', 'type': 'numeric', 'min': -1, 'max': 1}, {'name': 'g', "
      "'type': 'group', 'values': ['most', 'some']}]}");
  auto_model *model = model_under(schema, p);
  random_source source = seeded(seed);
  for (size_t i = 0; i < times; i++) {
    auto_data *data = sample_of(p, schema, &source);
    OWNED(evaluation_free_at) model_evaluation *e = NULL;
    json_auto_t *stated = NULL;
    assert_ok(evaluation_private(model, data, &terms, &source, &e, err));
    assert_ok(evaluation_json(e, &stated, err));
    note_groups(stated, p, t);
    note_curves(e, stated, p, t);
  }
}

static void assert_coverage(const char *kind, size_t f, const tally *t) {
  const double held = (double)t->held[f] / (double)t->tried[f];
  const double slack = t->tried[CALIBRATION] < 10000 ? 0.2 : 0; /* of so few */
  char name[64];
  (void)snprintf(name, sizeof name, "%s of group %zu", rate_names[f % RATES], f / RATES);
  const char *of = f == ROC ? "roc" : f == CALIBRATION ? "calibration" : name;
  print_message("# %s %s: %.4f of %zu\n", kind, of, held, t->tried[f]);
  if (held < 0.93 - slack || (held > 0.97 && !t->end[f] && slack == 0)) {
    fail_msg("%s, %s: %.4f of %zu intervals hold", kind, of, held, t->tried[f]);
  }
}

TEST(intervals_by_group_and_of_curves_hold_as_often_as_they_say) {
  static const double epsilons[] = {0.1, 0.3, 1, 3};
  static population p;
  const size_t times = repetitions(8, 500);
  for (size_t k = 0; k < KINDS; k++) {
    for (size_t whom = 0; whom < 2; whom++) {
      tally t = {.tried = {0}};
      population_make(&kinds[k], &p);
      for (size_t i = 0; i < 4; i++) {
        evaluate_often(&p, epsilons[i], (dperm_neighbours)whom, times, 17 * k + 5 * whom + i, &t);
      }
      for (size_t f = 0; f < FIGURES; f++) {
        assert_coverage(kinds[k].name, f, &t);
      }
    }
  }
}
