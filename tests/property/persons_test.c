/* Persons: which of their records count, and how much, follows from their own records alone; and
 * the price, K·ε(A/K) at κ/K, against densities of outcomes in one dimension, summed over nothing:
 * no ratio is above it, and for a person with K records the largest is close
 * (docs/proofs/persons.md). */
#include <math.h>
#include <stdlib.h>

#include "data/dataset.h"
#include "dperm/refine.h"
#include "loss/loss.h"
#include "mechanism/epsilon_rule.h"
#include "random/discrete_sampling.h"
#include "reference.h"
#include "support.h"

/* ---- shares */

TEST(shares_of_a_person_are_never_more_than_one) {
  for (size_t m = 1; m <= PERSON_ROWS_MOST; m++) {
    double sum = 0;
    for (size_t i = 0; i < m; i++) {
      sum += person_share(m); /* exact: whole units of 2^-20 */
    }
    assert_true(sum <= 1 && sum > 1 - (double)m * 0x1p-20);
  }
}

enum { ROWS = 200, MOST = 5 };

/* Of each record its person's number; and what must come of them. */
static void check_list(const double *persons, size_t rows, size_t here, size_t count) {
  person_list *list = NULL;
  assert_ok(person_list_new(persons, rows, MOST, here, count, &list, err));
  for (size_t i = 0; i < count; i++) {
    size_t before = 0, all = 0;
    for (size_t j = 0; j < rows; j++) {
      all += persons[j] == persons[here + i];
      before += j < here + i && persons[j] == persons[here + i];
    }
    const double share = before < MOST ? person_share(all < MOST ? all : MOST) : 0;
    assert_true(list->shares[i] == share);
  }
  for (size_t p = 0; p < list->count; p++) {
    assert_int_equal(list->of_row[list->first[p]], p);
    assert_true(p == 0 || list->first[p] > list->first[p - 1]);
  }
  person_list_free(list);
}

TEST(a_share_depends_on_the_records_of_its_person) {
  random_source draw = seeded(5);
  for (size_t t = 0; t < repetitions(50, 1000); t++) {
    double persons[ROWS];
    const size_t rows = 1 + random_below(&draw, ROWS), names = 1 + random_below(&draw, 40);
    for (size_t i = 0; i < rows; i++) {
      persons[i] = (double)random_below(&draw, names);
    }
    check_list(persons, rows, 0, rows);
    const size_t here = random_below(&draw, rows); /* of a process of a job */
    check_list(persons, rows, here, rows - here);
  }
}

/* ---- the price */

/* A person's records, in one dimension: y·x of each, or x and a label. */
typedef struct one_person {
  double w[MOST], label[MOST];
  size_t records;
} one_person;

/* The noise that leads to f, and the curvature of what leads there. */
static double noise_for(const dperm_loss *loss, const one_person *p, double lambda, double centre,
                        double f, double *curvature) {
  double b = -lambda * (f - centre);
  *curvature = lambda;
  for (size_t i = 0; i < p->records; i++) {
    const double share = person_share(p->records);
    double slope = 0, bend = 0;
    slope_at_score(loss, loss_of_numbers(loss) ? p->label[i] : 1, p->w[i] * f, &slope, &bend);
    b -= share * slope * p->w[i];
    *curvature += share * bend * p->w[i] * p->w[i];
  }
  return b;
}

static double log_ratio(const dperm_loss *loss, const one_person *p, const one_person *q,
                        double beta, double lambda, double centre, double f) {
  double here = 0, there = 0;
  const double b = noise_for(loss, p, lambda, centre, f, &here),
               c = noise_for(loss, q, lambda, centre, f, &there);
  return beta * (fabs(c) - fabs(b)) + log(here / there);
}

static one_person any_person(random_source *draw, size_t most, bool equal) {
  one_person p = {.records = equal ? most : 1 + random_below(draw, most)};
  const double side = random_below(draw, 2) ? 1 : -1,
               all = fmin(fmax(4 * random_unit(draw) - 2, -1), 1);
  for (size_t i = 0; i < p.records; i++) {
    p.w[i] = equal ? side : ldexp((double)random_below(draw, 2049) - 1024, -10);
    p.label[i] = equal ? all : 2 * random_unit(draw) - 1;
  }
  return p;
}

static void check_price(const dperm_loss *loss, dperm_neighbours neighbours, size_t most,
                        double kappa, bool tight) {
  const double epsilon = 1, a = epsilon_invert_persons(loss, neighbours, most, kappa, epsilon);
  const double lambda = 1 / kappa;
  random_source draw = seeded(11);
  double largest = 0;
  assert_true(a > 0);
  assert_true(epsilon_of_persons(loss, neighbours, most, kappa, a) <= epsilon * (1 + 1e-11));
  for (size_t t = 0; t < repetitions(300, 6000); t++) {
    const bool equal = t % 2 == 0;
    const one_person p = any_person(&draw, most, equal);
    one_person q = any_person(&draw, most, equal);
    q.records = neighbours == DPERM_NEIGHBOURS_ADD_REMOVE ? 0 : q.records;
    const double centre = 24 * random_unit(&draw) - 12;
    for (int i = -60; i <= 60; i++) {
      const double f = i / 4.0 * fabs(i / 20.0);
      const double told = log_ratio(loss, &p, &q, a, lambda, centre, f);
      largest = fmax(largest, fabs(told));
    }
  }
  print_message("# %s, K = %zu, kappa %g: %.4f of epsilon\n", loss->name, most, kappa, largest);
  assert_true(largest <= epsilon * (1 + 1e-9));
  if (tight) {
    assert_true(largest >= 0.95 * epsilon);
  }
}

TEST(no_outcome_tells_more_of_a_person_than_the_price) {
  dperm_loss huber, smooth, cosh, regression, tail, counts;
  const dperm_loss logistic = dperm_loss_logistic();
  assert_ok(dperm_loss_by_name("huber", 0.5, &huber, err));
  assert_ok(dperm_loss_by_name("smooth-hinge", 0.5, &smooth, err));
  assert_ok(dperm_loss_by_name("log-cosh", 0.1, &cosh, err));
  assert_ok(dperm_loss_by_name("huber-regression", 0.1, &regression, err));
  assert_ok(dperm_loss_quantile(0.3, 0.1, &tail, err));
  assert_ok(dperm_loss_by_name("poisson", (double)NAN, &counts, err));
  const dperm_loss *const losses[] = {&logistic,   &huber, &smooth, &cosh,
                                      &regression, &tail,  &counts};
  for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
    for (size_t most = 1; most <= MOST; most += 2) {
      for (int n = 0; n < 2; n++) {
        const dperm_neighbours neighbours =
            n ? DPERM_NEIGHBOURS_ADD_REMOVE : DPERM_NEIGHBOURS_REPLACE;
        const double bend = i < 3 ? 1 : 0.2; /* a residual's is shorter */
        /* two steep slopes apart need another column, but of hinges and residuals */
        check_price(losses[i], neighbours, most, 0.02 * bend, n == 1 || (i > 0 && i < 6));
        check_price(losses[i], neighbours, most, 0.3 * bend, false);
      }
    }
  }
}

/* Logistic regression with noise for one record protects a person with any number of them at the
 * same price: the slack is at s = 1, where nothing bends. */
TEST(many_records_cost_logistic_regression_nothing) {
  const dperm_loss logistic = dperm_loss_logistic();
  for (size_t most = 1; most <= PERSON_ROWS_MOST; most *= 10) {
    const double a = epsilon_invert_persons(&logistic, DPERM_NEIGHBOURS_REPLACE, most, 0.3, 1);
    assert_true(fabs(a - 0.5) < 1e-9);
  }
}

/* K·log(1 + κ/K) grows with K, up to κ. */
TEST(more_records_never_cost_less) {
  dperm_loss huber;
  assert_ok(dperm_loss_by_name("huber", 0.5, &huber, err));
  double before = 0;
  for (size_t most = 1; most <= PERSON_ROWS_MOST; most++) {
    const double price = epsilon_of_persons(&huber, DPERM_NEIGHBOURS_REPLACE, most, 2, 0.4);
    assert_true(price >= before * (1 - 1e-11) && price <= (0.8 + 2) * (1 + 1e-9));
    before = price;
  }
}

/* ---- records that nobody says the person of */

TEST(records_of_a_schema_with_persons_need_theirs) {
  static const char text[] =
      "{\"label\": {\"column\": \"y\", \"positive\": [\"1\"], \"negative\": [\"0\"]}, \"person\": "
      "\"id\", \"columns\": [{\"name\": \"x\", \"type\": \"numeric\", \"min\": 0, \"max\": 9}]}";
  enum { MANY = 5000 };
  static double x[MANY], id[MANY];
  dperm_schema *schema = NULL, *refined = NULL;
  dperm_data *data = NULL;
  dperm_refine_options options = USUAL(dperm_refine_options);
  options.epsilon = 1;
  assert_ok(dperm_schema_parse(text, sizeof text - 1, "schema", &schema, err));
  for (size_t i = 0; i < MANY; i++) {
    x[i] = (double)(i % 10);
    id[i] = (double)(i % 2000);
  }
  const dperm_column bare[] = {{.numbers = x}, {.numbers = NULL}};
  const dperm_column whole[] = {{.numbers = x}, {.numbers = id}};
  assert_ok(dperm_data_from_table(schema, MANY, bare, NULL, &data, err)); /* to predict */
  assert_fails(dperm_refine(data, &options, &refined, err), DPERM_INVALID_DATA,
               "nobody said whose these records are");
  dperm_data_free(data);
  assert_ok(dperm_data_from_table(schema, MANY, whole, NULL, &data, err));
  assert_int_equal(dperm_data_units(data), 2000);
  assert_ok(dperm_refine(data, &options, &refined, err));
  dperm_schema_free(refined);
  dperm_data_free(data);
  id[7] = (double)NAN;
  assert_fails(dperm_data_from_table(schema, MANY, whole, NULL, &data, err), DPERM_INVALID_DATA,
               "row 7 of column \"id\" does not say whose record it is");
  dperm_schema_free(schema);
}
