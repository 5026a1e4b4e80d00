/* What verification says of the entries that paid for a model (src/verify/check_charge.c), for
 * files and entries that no run makes: one that states less than it was, a schema's entry that paid
 * too little or is not there. Lines about the rest of such a file do not count here. */
#include <string.h>

#include "support.h"
#include "verify/verify.h"

static const char refined_model[] =
    "{\"format\": \"dperm-model/1\","
    " \"privacy\": {\"epsilon\": 0.8, \"epsilon_row\": 0.5, \"delta\": 1e-43,"
    "  \"epsilon_refined\": 0.3, \"epsilon_charged\": 0.5, \"neighbours\": \"%s\"},"
    " \"schema\": {\"refined\": {\"epsilon\": 0.3}}}";

typedef struct verdicts {
  size_t charges, failed;
  char first[200];
} verdicts;

static void see_line(void *context, dperm_finding finding, const char *line) {
  verdicts *v = context;
  if (strncmp(line, "charge: ", 8) == 0 || strncmp(line, "price: ", 7) == 0) {
    if (v->charges == 0) {
      (void)snprintf(v->first, sizeof v->first, "%s", line);
    }
    v->charges++;
    v->failed += finding == DPERM_FINDING_FAILS;
  }
}

static verdicts verdicts_for(const charged_entry *paid, const char *neighbours) {
  char text[sizeof refined_model + 20];
  verdicts v = {.charges = 0};
  bool holds = false;
  (void)snprintf(text, sizeof text, refined_model, neighbours);
  json_document doc = {.name = "m", .text = text, .length = strlen(text)};
  assert_ok(json_document_parse(&doc, err));
  assert_ok(verify_document(&doc, NULL, paid, see_line, &v, &holds, err));
  json_decref(doc.root);
  return v;
}

static charged_entry entry(unsigned long long number, const char *epsilon,
                           const charged_entry *schema) {
  charged_entry e = {.entry = number,
                     .delta = "1e-40",
                     .cost_delta = "1e-40",
                     .total_epsilon = "2",
                     .schema = schema};
  (void)snprintf(e.epsilon, sizeof e.epsilon, "%s", epsilon);
  (void)snprintf(e.cost, sizeof e.cost, "%s", epsilon);
  return e;
}

TEST(an_entry_for_both_paid_all_of_epsilon) {
  const charged_entry less = entry(2, "0.5", NULL), whole = entry(2, "0.8", NULL);
  const verdicts short_of_it = verdicts_for(&less, "replace");
  assert_true(short_of_it.charges == 1 && short_of_it.failed == 1);
  assert_non_null(strstr(short_of_it.first, "does not hold: "));
  const verdicts covers = verdicts_for(&whole, "replace");
  assert_true(covers.charges == 1 && covers.failed == 0);
}

TEST(of_two_entries_each_paid_its_part) {
  const charged_entry schema = entry(2, "0.3", NULL), cheap = entry(2, "0.2", NULL);
  const charged_entry fit = entry(4, "0.5", &schema), fit_of_cheap = entry(4, "0.5", &cheap),
                      cheap_fit = entry(4, "0.4", &schema);
  const verdicts both = verdicts_for(&fit, "replace");
  assert_true(both.charges == 2 && both.failed == 0);
  assert_non_null(strstr(both.first, "which covers the model's, but for its schema's part"));
  assert_int_equal(verdicts_for(&fit_of_cheap, "replace").failed, 1);
  assert_int_equal(verdicts_for(&cheap_fit, "replace").failed, 1);
}

TEST(a_schema_that_was_not_charged_does_not_hold) {
  charged_entry schema = entry(0, "", NULL);
  schema.trouble = "entry 2 is not the one that the schema's refinement was charged as";
  const charged_entry fit = entry(4, "0.5", &schema);
  assert_int_equal(verdicts_for(&fit, "replace").failed, 1);
}

TEST(what_counts_twice_counts_twice_for_the_schema_too) {
  charged_entry schema = entry(2, "0.3", NULL), twice = entry(2, "0.6", NULL);
  const charged_entry fit = entry(4, "1.0", &schema), paid = entry(4, "1.0", &twice);
  assert_int_equal(verdicts_for(&fit, "add-remove").failed, 1);
  assert_int_equal(verdicts_for(&paid, "add-remove").failed, 0);
  schema.adding = true; /* a budget of its own for these neighbours */
  assert_int_equal(verdicts_for(&fit, "add-remove").failed, 0);
}

/* By a Renyi order the schema's entry has the price of its claim, nothing less. */
TEST(the_schemas_price_is_that_of_its_claim) {
  charged_entry schema = entry(2, "0.3", NULL);
  const charged_entry fit = entry(4, "0.5", &schema);
  schema.order = 13;
  assert_int_equal(verdicts_for(&fit, "replace").failed, 0);
  (void)snprintf(schema.cost, sizeof schema.cost, "0.01");
  assert_int_equal(verdicts_for(&fit, "replace").failed, 1);
}
