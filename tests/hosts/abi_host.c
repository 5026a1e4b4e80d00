/* A program that was built against other headers than the library that it runs with: older ones,
 * with shorter structs, or newer ones, with longer structs. embedding.bats runs both.
 * abi_host train|tune|plan */
#include <dperm.h>
#include <dperm/plan.h>
#include <dperm/tune.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 200, DIMS = 3, GUARD = 64, CANDIDATES = 3 };

static int complain(const char *what) {
  (void)fprintf(stderr, "abi_host: %s\n", what);
  return EXIT_FAILURE;
}

/* A result, and bytes behind it that are not the library's. */
#define GUARDED(type)                                                                              \
  struct {                                                                                         \
    type result;                                                                                   \
    unsigned char guard[GUARD];                                                                    \
  }

static int touched(const unsigned char *guard) {
  for (int i = 0; i < GUARD; i++) {
    if (guard[i] != 0x7e) {
      return 1;
    }
  }
  return 0;
}

static dperm_options wanted(void) {
  dperm_options options;
  dperm_options_init(&options);
  options.epsilon = 1;
  options.threads = 1;
  return options;
}

static int tell_guarantee(const dperm_model *model) {
  GUARDED(dperm_guarantee) said;
  memset(&said, 0x7e, sizeof said);
  dperm_model_guarantee(model, &said.result);
  if (touched(said.guard)) {
    return complain("written beyond a dperm_guarantee");
  }
  (void)printf("%s, epsilon %g\n", said.result.is_private ? "private" : said.result.reason,
               said.result.epsilon);
  return EXIT_SUCCESS;
}

static int plan_a_fit(void) {
  GUARDED(dperm_plan) plan;
  dperm_error err = {DPERM_OK, ""};
  const dperm_options options = wanted();
  memset(&plan, 0x7e, sizeof plan);
  if (dperm_plan_make(ROWS, DIMS, 1, &options, &plan.result, &err) != DPERM_OK) {
    return complain(err.message);
  }
  if (touched(plan.guard)) {
    return complain("written beyond a dperm_plan");
  }
  (void)printf("%zu rows, epsilon %g\n", plan.result.rows, plan.result.epsilon);
  return EXIT_SUCCESS;
}

static int make_model(int tune) {
  static double values[ROWS * DIMS], labels[ROWS];
  dperm_error err = {DPERM_OK, ""};
  dperm_data *data = NULL;
  dperm_model *model = NULL;
  dperm_options options[CANDIDATES];
  dperm_tune_options how;
  for (size_t i = 0; i < ROWS; i++) {
    for (size_t j = 0; j < DIMS; j++) {
      values[i * DIMS + j] = (double)((i * 7 + j * 13 + i * j) % 11) / 40;
    }
    labels[i] = i % 3 ? 1 : -1;
  }
  for (int i = 0; i < CANDIDATES; i++) {
    options[i] = wanted();
    options[i].lambda = 0.1 * (i + 1);
  }
  dperm_tune_options_init(&how);
  if (dperm_data_from_dense(ROWS, DIMS, values, labels, 1, &data, &err) != DPERM_OK) {
    return complain(err.message);
  }
  dperm_status status = tune ? dperm_tune(data, options, CANDIDATES, &how, &model, &err)
                             : dperm_train(data, options, &model, &err);
  int result = status == DPERM_OK ? tell_guarantee(model) : complain(err.message);
  dperm_model_free(model);
  dperm_data_free(data);
  return result;
}

int main(int count, char **arguments) {
  if (count != 2) {
    return complain("usage: abi_host train|tune|plan");
  }
  return strcmp(arguments[1], "plan") == 0 ? plan_a_fit()
                                           : make_model(strcmp(arguments[1], "tune") == 0);
}
