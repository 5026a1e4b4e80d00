/* How long reading, encoding and solving take, and how much memory: medians over repeated runs in
 * one process, peak memory in a child of its own.
 *
 *   fit_speed DATA.csv SCHEMA.json      one's own data
 *   fit_speed                           45,222 synthetic census records, the size of Adult
 */
#define _DEFAULT_SOURCE /* wait4 */
#include <dperm.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { REPEATS = 15 };

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values) {
  qsort(values, REPEATS, sizeof *values, ascending);
  return values[REPEATS / 2];
}

static void check(dperm_status status, const dperm_error *err) {
  if (status != DPERM_OK) {
    fprintf(stderr, "fit_speed: %s\n", err->message);
    exit(1);
  }
}

static dperm_data *read_data(const char *path, const dperm_schema *schema) {
  dperm_error err;
  dperm_data *data = NULL;
  const dperm_source source = {.path = path, .format = DPERM_FORMAT_CSV, .schema = schema};
  check(dperm_data_read(&source, NULL, &data, &err), &err);
  return data;
}

/* Logistic, Λ = 10^−2.5, gradient ≤ 1e-8: milliseconds of the fit alone, noise and all. */
static double fit_ms(const dperm_data *data, int threads, dperm_mechanism mechanism) {
  dperm_error err;
  dperm_model *model = NULL;
  dperm_options options;
  dperm_unsafe_diagnostics diagnostics;
  dperm_options_init(&options);
  options.mechanism = mechanism;
  options.epsilon = 0.1;
  options.lambda = pow(10, -2.5);
  options.gradient_tolerance = 1e-8;
  options.threads = threads;
  options.unsafe_diagnostics = &diagnostics;
  check(dperm_train(data, &options, &model, &err), &err);
  dperm_model_free(model);
  return 1e3 * diagnostics.solve_seconds;
}

static double median_fit_ms(const dperm_data *data, int threads, dperm_mechanism mechanism) {
  double times[REPEATS];
  for (int i = 0; i < REPEATS; i++) {
    times[i] = fit_ms(data, threads, mechanism);
  }
  return median(times);
}

/* Peak resident bytes of a child process that reads and, if asked, fits. */
static double child_peak_bytes(const char *path, const dperm_schema *schema, int work) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    if (work) {
      fit_ms(read_data(path, schema), 0, DPERM_MECHANISM_NONE);
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
  dperm_error err;
  dperm_schema *schema = NULL;
  char made[] = "/tmp/dperm-fit-speed-XXXXXX";
  const char *path = argc == 3 ? argv[1] : made;
  if (argc == 3) {
    check(dperm_schema_read(argv[2], &schema, &err), &err);
  } else if (argc == 1) {
    const char *text = dperm_synthetic_census_schema();
    int fd = mkstemp(made);
    if (fd < 0 || close(fd) != 0) {
      perror("fit_speed: temporary file");
      return 1;
    }
    check(dperm_synthetic_census_write(made, 45222, 1, &err), &err);
    check(dperm_schema_parse(text, strlen(text), "synthetic", &schema, &err), &err);
  } else {
    fprintf(stderr, "usage: fit_speed [DATA.csv SCHEMA.json]\n");
    return 2;
  }

  double base = child_peak_bytes(path, schema, 0); /* before OpenMP has threads to lose in a fork */
  double peak = child_peak_bytes(path, schema, 1);
  double reading[REPEATS];
  dperm_data *data = NULL;
  for (int i = 0; i < REPEATS; i++) {
    dperm_data_free(data);
    double from = now_ms();
    data = read_data(path, schema);
    reading[i] = now_ms() - from;
  }
  struct stat about;
  double megabytes = stat(path, &about) == 0 ? (double)about.st_size / 1e6 : (double)NAN;
  double matrix = (double)dperm_data_matrix_bytes(data), read = median(reading);
  double all = median_fit_ms(data, 0, DPERM_MECHANISM_NONE);
  double one = median_fit_ms(data, 1, DPERM_MECHANISM_NONE);
  printf("rows x columns            %zu x %zu, matrix %.2f MB\n", dperm_data_rows(data),
         dperm_data_dims(data), matrix / 1e6);
  printf("read and encode           %8.1f ms   (%.0f MB/s)\n", read, megabytes / read * 1e3);
  printf("solve, all cores          %8.1f ms   (logistic, lambda 10^-2.5, gradient 1e-8)\n", all);
  printf("solve, one core           %8.1f ms   (%.2f x)\n", one, one / all);
  if (dperm_schema_drops_rows(schema)) {
    printf("private fits              left out: the schema drops rows\n");
  } else {
    double objective = median_fit_ms(data, 0, DPERM_MECHANISM_OBJECTIVE);
    double output = median_fit_ms(data, 0, DPERM_MECHANISM_OUTPUT);
    printf("private, objective        %8.1f ms   (epsilon 0.1; %.2f x the plain fit)\n", objective,
           objective / all);
    printf("private, output           %8.1f ms   (epsilon 0.1; %.2f x the plain fit)\n", output,
           output / all);
  }
  printf("peak memory / matrix      %8.2f      (%.1f MB; %.1f MB above an idle process, %.2f x)\n",
         peak / matrix, peak / 1e6, (peak - base) / 1e6, (peak - base) / matrix);
  dperm_data_free(data);
  dperm_schema_free(schema);
  if (argc == 1) {
    unlink(made);
  }
  return 0;
}
