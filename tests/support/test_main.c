/* The main of tests that have none of their own: every test of the file, in its order. */
#include "support.h"

int main(void) {
  return tests_run(NULL, NULL);
}
