/* A program that loads the library, trains with threads, unloads it, and does so again: plug-ins
 * and language runtimes do. embedding.bats runs it. reload_host LIBRARY TIMES */
#include <dlfcn.h>
#include <dperm.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 20000, DIMS = 10 };

/* POSIX has functions found as pointers to data. */
#define FIND(name)                                                                                 \
  __extension__ __typeof__(name) *p_##name = (__typeof__(name) *)dlsym(library, #name);            \
  if (!p_##name) {                                                                                 \
    return complain(dlerror());                                                                    \
  }

static int complain(const char *what) {
  (void)fprintf(stderr, "reload_host: %s\n", what);
  return EXIT_FAILURE;
}

static int train_once(const char *path) {
  static double values[ROWS * DIMS], labels[ROWS];
  dperm_error err = {DPERM_OK, ""};
  dperm_data *data = NULL;
  dperm_model *model = NULL;
  dperm_options options;
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    return complain(dlerror());
  }
  FIND(dperm_data_from_dense)
  FIND(dperm_init)
  FIND(dperm_train)
  FIND(dperm_model_free)
  FIND(dperm_data_free)
  for (size_t i = 0; i < ROWS; i++) {
    for (size_t j = 0; j < DIMS; j++) {
      values[i * DIMS + j] = (double)((i * 7 + j * 13 + i * j) % 11) / 40;
    }
    labels[i] = i % 3 ? 1 : -1;
  }
  p_dperm_init(DPERM_OPTIONS_TRAIN, &options, sizeof options);
  options.epsilon = 1;
  options.threads = 4;
  if (p_dperm_data_from_dense(ROWS, DIMS, values, labels, 1, &data, &err) != DPERM_OK ||
      p_dperm_train(data, &options, &model, &err) != DPERM_OK) {
    return complain(err.message);
  }
  p_dperm_model_free(model);
  p_dperm_data_free(data);
  return dlclose(library) == 0 ? EXIT_SUCCESS : complain(dlerror());
}

int main(int count, char **arguments) {
  if (count != 3) {
    return complain("usage: reload_host LIBRARY TIMES");
  }
  for (long turn = strtol(arguments[2], NULL, 10); turn > 0; turn--) {
    if (train_once(arguments[1]) != EXIT_SUCCESS) {
      return EXIT_FAILURE;
    }
  }
  return EXIT_SUCCESS;
}
