/* The main function of test programs that have none of their own: runs what TEST has added. */
#include "support.h"

#include <stdlib.h>

enum { TESTS_MOST = 256 };

static struct CMUnitTest tests[TESTS_MOST];
static size_t count;
static CMFixtureFunction group_setup, group_teardown;

void test_add(struct CMUnitTest test) {
  if (count == TESTS_MOST) {
    print_error("more than %d tests in one program\n", TESTS_MOST);
    _Exit(2);
  }
  tests[count++] = test;
}

void test_group(CMFixtureFunction setup, CMFixtureFunction teardown) {
  group_setup = setup;
  group_teardown = teardown;
}

int main(void) {
  const char *planted = getenv("DPERM_DEFECT"); /* which is found by the first test that fails */
  size_t at_once = planted && *planted ? 1 : count;
  int failed = 0;
  for (size_t i = 0; failed == 0 && i < count; i += at_once) {
    failed = _cmocka_run_group_tests("tests", tests + i, at_once, group_setup, group_teardown);
  }
  return failed;
}
