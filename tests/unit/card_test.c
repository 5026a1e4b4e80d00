/* Parts of the model card that a whole page shows in one form only: figures of the three criteria
 * against the mechanism that spends all of (ε, δ), evaluations as files have them, and what a
 * publisher says in any form. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/card.h"
#include "support.h"

static char *closed(report *p) {
  char *page = NULL;
  assert_ok(report_close(p, &page, err));
  return page;
}

static report opened(bool html) {
  report p;
  assert_ok(report_open(&p, html, "page", err));
  return p;
}

static void assert_has(const char *page, const char *words) {
  if (!strstr(page, words)) {
    fail_msg("\"%s\" is not in\n%s", words, page);
  }
}

/* ---- singling out, linking, inferring */

static char *criteria(double epsilon, double delta, double numerics, bool adding, bool person) {
  dperm_model model = {
      .claim = {.epsilon = epsilon,
                .delta = delta,
                .delta_numerics = numerics,
                .rows_per_person = person ? 3 : 1,
                .neighbours = adding ? DPERM_NEIGHBOURS_ADD_REMOVE : DPERM_NEIGHBOURS_REPLACE}};
  const statement s = {.model = &model, .whom = "record", .adding = adding, .person = person};
  report p = opened(false);
  card_write_criteria(&p, &s);
  return closed(&p);
}

static double figure_after(const char *page, const char *words) {
  const char *at = strstr(page, words);
  if (!at) {
    fail_msg("\"%s\" is not in\n%s", words, page);
  }
  return strtod(at + strlen(words), NULL);
}

/* Of the mechanism with four outcomes that has just this (ε, δ): which of two data sets it was, in
 * a bit that is told with probability δ and otherwise by a coin of odds e^ε. The best test with so
 * many false alarms takes outcomes by falling ratio, the last of them in part. */
static double best_test(double epsilon, double delta, double alarms) {
  const double low = (1 - delta) / (1 + exp(epsilon)), high = low * exp(epsilon);
  const double first = fmin(alarms, low), second = fmin(alarms - first, high);
  return delta + first * exp(epsilon) + second * exp(-epsilon);
}

TEST(no_figure_is_below_what_the_worst_mechanism_allows) {
  static const double epsilons[] = {0.01, 0.5, 1, 3, 8}, deltas[] = {1e-40, 1e-6, 0.01, 0.3};
  for (size_t e = 0; e < 5; e++) {
    for (size_t d = 0; d < 4; d++) {
      const double epsilon = epsilons[e], delta = deltas[d];
      const bool spends = d > 0;
      char *page = criteria(epsilon, delta, spends ? 0 : delta, false, false);
      const double found = figure_after(page, "rightly in at most ");
      const double truth = 100 * best_test(epsilon, delta, 0.01);
      assert_true(found >= truth - 1e-9 && found <= truth + 0.011);
      /* the coin's odds, whatever is told with probability δ */
      const double odds = exp(epsilon) * 0.01 / 0.99;
      const double linked = figure_after(page, "in these data too thinks it at most ");
      assert_true(linked >= 100 * odds / (1 + odds) - 1e-9);
      assert_true(spends || linked <= 100 * odds / (1 + odds) + 0.011);
      assert_true(figure_after(page, "50 in 100 likely, at most ") >=
                  100 * exp(epsilon) / (1 + exp(epsilon)) - 1e-9);
      free(page);
    }
  }
}

TEST(what_a_record_says_is_two_steps_of_adding) {
  char *one = criteria(2, 1e-40, 1e-40, false, false),
       *two = criteria(1, 1e-41, 1e-41, true, false);
  const char *words = "certain thing thinks it at most ";
  assert_true(figure_after(one, words) == figure_after(two, words));
  assert_true(figure_after(one, "in these data too thinks it at most ") >
              figure_after(two, "in these data too thinks it at most "));
  free(one);
  free(two);
}

TEST(where_delta_is_too_large_nothing_is_said_to_be_bounded) {
  char *page = criteria(1, 0.6, 0, false, true);
  assert_has(page, "nothing is promised against comparing");
  assert_has(page, "nothing is promised: δ is too large");
  assert_null(strstr(page, "Likelihoods are apart"));
  free(page);
  page = criteria(3, 0.1, 0, true, true);
  assert_has(page, "nothing is promised: δ is too large"); /* of (1 + e^3) times that */
  free(page);
}

/* ---- quality */

static char *quality(const char *text) {
  json_auto_t *evaluation = text ? json_loads(text, 0, NULL) : NULL;
  assert_true(!text || evaluation);
  report p = opened(true);
  card_write_quality(&p, evaluation);
  return closed(&p);
}

TEST(an_evaluation_is_shown_with_intervals_baseline_and_groups) {
  char *page = quality(
      "{\"finding\": \"the model errs less than always saying \\\"no\\\"\", \"epsilon\": 0.5,"
      " \"confidence\": 0.95, \"rows\": 3000, \"error_rate\": {\"value\": 0.165, \"low\": 0.15,"
      " \"high\": 0.18}, \"baseline\": {\"class\": \"<no>\", \"error_rate\": 0.24, \"low\": 0.23,"
      " \"high\": 0.25}, \"auc\": {\"value\": 0.875, \"low\": 0.86, \"high\": 0.89}, \"log_loss\":"
      " null, \"groups\": {\"column\": \"sex\", \"rates\": [{\"name\": \"female\", \"records\": 1,"
      " \"error_rate\": {\"value\": 0.1, \"low\": 0.08, \"high\": 0.12}, \"false_negative_rate\":"
      " {\"value\": 0.5, \"low\": null, \"high\": null}}, {\"name\": 7}]}}");
  assert_has(page, "the model errs less than always saying &quot;no&quot;");
  assert_has(page, "Measured on 3000 records that the model was not made from. What was counted "
                   "has noise for ε = 0.5.");
  char *kept = quality("{\"share\": 0.2, \"epsilon\": 1, \"rows\": null}");
  assert_has(kept, "Measured on records that the model was not made from. They are a share of 0.2, "
                   "drawn at random apart from what records say");
  assert_has(kept, "noise for ε = 1, of these records alone: the budget above covers both parts");
  free(kept);
  assert_has(page, "<tr><th>wrong</th><td>16.5 percent (15 to 18)</td></tr>");
  assert_has(page, "24 percent (23 to 25) wrong by naming &quot;&lt;no&gt;&quot; every time");
  assert_has(page, "<td>0.875 (0.86 to 0.89)</td>");
  assert_has(page, "By &quot;sex&quot;:");
  assert_has(page, "<tr><th>female</th><td>wrong: 10 percent (8 to 12); missed among positives: 50 "
                   "percent</td></tr>");
  assert_null(strstr(page, "log loss"));
  free(page);
}

TEST(an_evaluation_of_another_form_is_left_out) {
  static const char *const odd[] = {
      "{}",
      "{\"finding\": 7, \"rows\": \"x\", \"error_rate\": 0.1, \"baseline\": [], \"groups\": 1}",
      "{\"groups\": {\"column\": \"a\", \"rates\": [1, []]}, \"baseline\": {\"class\": \"a\"}}"};
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    char *page = quality(odd[i]);
    assert_null(strstr(page, "<tr>"));
    free(page);
  }
  char *page = quality(NULL);
  assert_has(page, "The file does not say how well the model predicts");
  free(page);
}

/* ---- what is said about the model */

static char *about_page(const char *text, size_t length, bool html) {
  OWNED(about_clear) about said = {NULL, NULL};
  assert_ok(about_read("about", text, length, &said, err));
  report p = opened(html);
  about_write(&p, &said);
  return closed(&p);
}

static char *about_text(const char *text, bool html) {
  return about_page(text, strlen(text), html);
}

TEST(plain_text_is_paragraphs_and_json_rows) {
  char *page = about_text("\xef\xbb\xbf\n One\nline. \r\n\r\n \n<b>Two</b> & \x1b[31m", true);
  assert_has(page, "<p>One line.</p>\n<p>&lt;b&gt;Two&lt;/b&gt; &amp; \\x1b[31m</p>\n");
  free(page);
  page = about_text("  {\"responsible\": \"A | B\", \"intended_use\": \"plans\\n\\nonly\"}", false);
  assert_has(page, "| intended use | plans  only |\n| responsible | A \\| B |\n");
  assert_has(page, "the program checks none of them");
  free(page);
}

TEST(a_long_text_is_whole) {
  static char text[60001];
  memset(text, 'w', 60000);
  char *page = about_text(text, true);
  assert_has(page, text);
  free(page);
}

TEST(what_says_nothing_or_is_no_text_is_refused) {
  static const struct {
    const char *text;
    size_t length;
    const char *words;
  } cases[] = {
      {"", 0, "nothing is said"},
      {" \n\t", 3, "nothing is said"},
      {"\xef\xbb\xbf", 3, "nothing is said"},
      {"a\0b", 3, "a short text in UTF-8"},
      {"\xff", 1, "a short text in UTF-8"},
      {"{\"use\": \"x\"}", 12, "about:1:9: what is said about the model has an unknown key"},
      {"{\"date\": 7}", 11, "\"date\" must be a text"},
      {"{", 1, "about:1:"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    OWNED(about_clear) about said = {NULL, NULL};
    dperm_error error;
    assert_int_equal(about_read("about", cases[i].text, cases[i].length, &said, &error),
                     DPERM_INVALID_DATA);
    if (!strstr(error.message, cases[i].words)) {
      fail_msg("\"%s\" is not in \"%s\"", cases[i].words, error.message);
    }
  }
}
