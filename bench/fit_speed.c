/* How long reading, encoding and solving take, and how much memory: medians over repeated runs in
 * one process, peak memory in a child of its own.
 *
 *   fit_speed DATA.csv SCHEMA.json      one's own data
 *   fit_speed                           45,222 synthetic census records, the size of Adult
 */
#define _DEFAULT_SOURCE /* wait4 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dperm/unsafe.h"
#include "stopwatch.h"

enum { REPEATS = 15 };

/* Logistic, Λ = 10^−2.5, gradient ≤ 1e-8: milliseconds of the fit alone, noise and all. */
static double fit_ms(const dperm_data *data, int threads, dperm_mechanism mechanism) {
  dperm_error err;
  dperm_model *model = NULL;
  dperm_options options;
  dperm_unsafe_diagnostics diagnostics;
  dperm_options_init(&options);
  options.bins = DPERM_BINS_NONE;
  options.mechanism = mechanism;
  options.epsilon = 0.1;
  options.lambda = pow(10, -2.5);
  options.gradient_tolerance = 1e-8;
  options.threads = threads;
  options.unsafe_diagnostics = &diagnostics;
  expect_ok(dperm_train(data, &options, &model, &err), &err);
  dperm_model_free(model);
  return 1e3 * diagnostics.solve_seconds;
}

static double median_fit_ms(const dperm_data *data, int threads, dperm_mechanism mechanism) {
  double times[REPEATS];
  for (int i = 0; i < REPEATS; i++) {
    times[i] = fit_ms(data, threads, mechanism);
  }
  return median(times, REPEATS);
}

/* Peak resident bytes of a child process that reads and, if asked, fits. */
static double child_peak_bytes(const records *from, int work) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    if (work) {
      fit_ms(records_read(from), 0, DPERM_MECHANISM_NONE);
    }
    _exit(0);
  }
  int status = 0;
  struct rusage usage;
  if (child < 0 || wait4(child, &status, 0, &usage) < 0 || status != 0) {
    fprintf(stderr, "fit_speed: the child for measuring memory failed\n");
    exit(1);
  }
  return 1024.0 * (double)usage.ru_maxrss;
}

int main(int argc, char **argv) {
  if (argc != 1 && argc != 3) {
    fprintf(stderr, "usage: fit_speed [DATA.csv SCHEMA.json]\n");
    return 2;
  }
  records from = records_open(argc == 3 ? argv[1] : NULL, argc == 3 ? argv[2] : NULL);
  double base = child_peak_bytes(&from, 0);
  double peak = child_peak_bytes(&from, 1);
  double reading[REPEATS];
  dperm_data *data = NULL;
  for (int i = 0; i < REPEATS; i++) {
    dperm_data_free(data);
    double start = now_ms();
    data = records_read(&from);
    reading[i] = now_ms() - start;
  }
  struct stat about;
  double megabytes = stat(from.path, &about) == 0 ? (double)about.st_size / 1e6 : (double)NAN;
  double read = median(reading, REPEATS);
  double all = median_fit_ms(data, 0, DPERM_MECHANISM_NONE);
  double one = median_fit_ms(data, 1, DPERM_MECHANISM_NONE);
  printf("rows x columns            %zu x %zu\n", dperm_data_rows(data), dperm_data_dims(data));
  printf("read and encode           %8.1f ms   (%.0f MB/s)\n", read, megabytes / read * 1e3);
  printf("solve, all cores          %8.1f ms   (logistic, lambda 10^-2.5, gradient 1e-8)\n", all);
  printf("solve, one core           %8.1f ms   (%.2f x)\n", one, one / all);
  char *described = NULL;
  bool drops = from.schema && dperm_schema_describe(from.schema, &described, NULL) == DPERM_OK &&
               strstr(described, "\"drops_rows\": true");
  dperm_text_free(described);
  if (drops) {
    printf("private fits              left out: the schema drops rows\n");
  } else {
    double objective = median_fit_ms(data, 0, DPERM_MECHANISM_OBJECTIVE);
    double output = median_fit_ms(data, 0, DPERM_MECHANISM_OUTPUT);
    printf("private, objective        %8.1f ms   (epsilon 0.1; %.2f x the plain fit)\n", objective,
           objective / all);
    printf("private, output           %8.1f ms   (epsilon 0.1; %.2f x the plain fit)\n", output,
           output / all);
  }
  printf("peak memory               %8.1f MB   (%.1f MB above an idle process)\n", peak / 1e6,
         (peak - base) / 1e6);
  dperm_data_free(data);
  records_close(&from);
  return 0;
}
