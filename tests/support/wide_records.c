/* Making the records. */
#include "wide_records.h"

#include <stdlib.h>

static const char wide_text[] =
    "{\"label\": {\"column\": \"y\", \"positive\": [\"1\"], \"negative\": [\"0\"]}, "
    "\"missing\": [\"?\"], \"intercept\": true, \"columns\": ["
    "{\"name\": \"amount\", \"type\": \"numeric\", \"min\": 0, \"max\": 1000000}, "
    "{\"name\": \"job\", \"type\": \"categorical\", \"values\": "
    "[\"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\", \"i\"]}, "
    "{\"name\": \"sex\", \"type\": \"categorical\", \"values\": [\"f\", \"m\"]}, "
    "{\"name\": \"age\", \"type\": \"numeric\", \"min\": 0, \"max\": 100, \"bins\": 4}]}";

dperm_schema *schema_parsed(const char *text) {
  dperm_schema *schema = NULL;
  assert_ok(dperm_schema_parse(text, strlen(text), "schema", &schema, err));
  return schema;
}

static void fill(people *p) {
  static const char *const jobs[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
  static const char *const sexes[] = {"f", "m"}, *const sides[] = {"0", "1"};
  for (int32_t i = 0; i < PEOPLE; i++) {
    p->amount[i] = i % 3 == 0 ? 0 : 400 + i % 200;
    p->job[i] = i % 100 < 97 ? i % 3 : 3 + i % 6;
    p->sex[i] = i / 7 % 2;
    p->age[i] = 20 + i % 50;
    p->label[i] = i % 3 == 0 || i % 11 == 0;
  }
  p->columns[0] = (dperm_column){.numbers = p->amount};
  p->columns[1] = (dperm_column){.codes = p->job, .texts = jobs, .text_count = JOBS};
  p->columns[2] = (dperm_column){.codes = p->sex, .texts = sexes, .text_count = 2};
  p->columns[3] = (dperm_column){.numbers = p->age};
  p->labels = (dperm_column){.codes = p->label, .texts = sides, .text_count = 2};
}

dperm_data *people_encoded(const people *p, const dperm_schema *schema) {
  dperm_data *data = NULL;
  assert_ok(dperm_data_from_table(schema, PEOPLE, p->columns, &p->labels, &data, err));
  return data;
}

dperm_refine_options refine_options_of(double epsilon) {
  dperm_refine_options o = USUAL(dperm_refine_options);
  o.epsilon = epsilon;
  return o;
}

/* ---- wide_home */

int wide_home_begin(void **state) {
  wide_home *s = calloc(1, sizeof *s);
  void *home = NULL;
  assert_int_equal(ledger_home_begin(&home), 0);
  s->home = home;
  fill(&s->p);
  s->wide = schema_parsed(wide_text);
  s->data = people_encoded(&s->p, s->wide);
  *state = s;
  return 0;
}

int wide_home_end(void **state) {
  wide_home *s = *state;
  void *home = s->home;
  dperm_data_free(s->data);
  dperm_schema_free(s->wide);
  free(s);
  return ledger_home_end(&home);
}

dperm_schema *people_refined(const wide_home *s, dperm_refine_options o) {
  dperm_schema *made = NULL;
  assert_ok(dperm_refine(s->data, &o, &made, err));
  return made;
}

dperm_status wide_train_refined(const dperm_options *options, unsigned taken, dperm_model **out,
                                dperm_error *err) {
  enum { MANY = 9000 };
  static double x[MANY];
  static int32_t y[MANY];
  static const char *const sides[] = {"-1", "+1"};
  for (int32_t i = 0; i < MANY; i++) {
    x[i] = i % 7;
    y[i] = i % 7 > 3;
  }
  const dperm_column column = {.numbers = x},
                     labels = {.codes = y, .texts = sides, .text_count = 2};
  dperm_schema *wide = schema_parsed(
      "{\"label\": {\"column\": \"y\", \"positive\": [\"+1\"], \"negative\": [\"-1\"]}, "
      "\"columns\": [{\"name\": \"x\", \"type\": \"numeric\", \"min\": 0, \"max\": 100}]}");
  dperm_data *data = NULL;
  dperm_options refining = *options;
  refining.refine = 0.1;
  assert_int_equal(dperm_data_from_table(wide, MANY, &column, &labels, &data, err), DPERM_OK);
  assert_int_equal(dperm_data_taken(data, taken, err), DPERM_OK);
  dperm_status status = dperm_train(data, &refining, out, err);
  dperm_data_free(data);
  dperm_schema_free(wide);
  return status;
}
