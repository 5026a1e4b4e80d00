/* Asking the caller whether to go on: each time, or twenty times a second at most. */
#include "base/progress.h"
#include "support.h"

static bool count(void *context, const char *stage, uint64_t done, uint64_t total) {
  assert_string_equal(stage, "solving");
  assert_true(done == 0 && total == 0);
  return ++*(int *)context > 1;
}

static void no_caller_is_never_in_the_way(void **state) {
  (void)state;
  const dperm_progress silent = {NULL, NULL};
  double asked = 1e-9;
  assert_ok(progress_tick(NULL, "solving", 0, 0, err));
  assert_ok(progress_tick(&silent, "solving", 0, 0, err));
  assert_ok(progress_tick_seldom(NULL, "solving", &asked, err));
}

/* Time since the last question is what counts: long ago, the caller is asked, and may stop; the
 * first call only begins to count. */
static void a_loop_asks_when_its_last_question_is_long_ago(void **state) {
  (void)state;
  int calls = 0;
  const dperm_progress progress = {count, &calls};
  double asked = 0;
  assert_ok(progress_tick_seldom(&progress, "solving", &asked, err));
  assert_true(calls == 0 && asked > 0);
  asked = 1e-9; /* when the machine started */
  assert_ok(progress_tick_seldom(&progress, "solving", &asked, err));
  assert_true(calls == 1 && asked > 1e-9);
  asked = 1e-9;
  assert_fails(progress_tick_seldom(&progress, "solving", &asked, err), DPERM_CANCELLED,
               "stopped on request while solving; nothing was written");
  assert_int_equal(calls, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_caller_is_never_in_the_way),
      cmocka_unit_test(a_loop_asks_when_its_last_question_is_long_ago),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
