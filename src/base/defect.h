/* Defects planted on purpose, so that tests can show that the audit and the tests would find them
 * (docs/audit.md has the list). In everything we ship DEFECT is the constant false and no trace of
 * it is left; tests/lint/no_defects.sh checks that. In the build for tests it is true for the one
 * whose name the environment variable DPERM_DEFECT holds. */
#pragma once

#include <stdbool.h>

#ifdef DPERM_PLANT_DEFECTS
#include <stdlib.h>
#include <string.h>
static inline bool defect_planted(const char *name) {
  const char *planted = getenv("DPERM_DEFECT");
  return planted && strcmp(planted, name) == 0;
}
#define DEFECT(name) defect_planted(name)
#else
#define DEFECT(name) false
#endif
