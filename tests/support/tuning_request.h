/* A request to dperm_tune, for tests: three candidates, one watcher of progress, and checks on what
 * the model states. */
#ifndef DPERM_TESTS_TUNING_REQUEST_H
#define DPERM_TESTS_TUNING_REQUEST_H

#include "dperm/tune.h"
#include "model/model.h"
#include "reference.h"

enum { ROWS = 1003, COLS = 4, MOST = 8 };

/* What progress has shown. */
typedef struct watcher {
  size_t calls, stop_at; /* stops at that call; 0 for never */
  size_t seen;
  uint64_t done[64], total[64]; /* of the calls with a total */
} watcher;

typedef struct request {
  test_rows *rows;
  dperm_data *data, *others; /* of the same population */
  dperm_options candidates[MOST];
  size_t count;
  dperm_tune_options how;
  watcher seen;
} request;

int tuning_begin(void **state);
int tuning_end(void **state);
#define TUNING_TEST(name) TEST_OF(name, tuning_begin, tuning_end, request *q)

dperm_data *data_of(const test_rows *t, double norm);
dperm_model *tuned(request *q, uint64_t seed);

/* Refused with this status and text, nothing made, and no work begun. */
void refuses(request *q, dperm_status expected, const char *text);

/* What the model's selection states under this key. */
json_int_t stated(const dperm_model *model, const char *key);
double stated_real(const dperm_model *model, const char *key);
const char *stated_text(const dperm_model *model, const char *key);

/* The keys in their order, each with a blank behind it. */
void assert_keys(const json_t *object, const char *expected);

/* The plan of a model against the plan for these public numbers. */
void assert_planned(const dperm_model *model, dperm_options options, size_t rows, double epsilon);

#endif
