/* Clock, medians, records. */
#include "stopwatch.h"
#include "dperm/synthetic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double median(double *values, size_t count) {
  qsort(values, count, sizeof *values, ascending);
  return values[count / 2];
}

void expect_ok(dperm_status status, const dperm_error *err) {
  if (status != DPERM_OK) {
    fprintf(stderr, "bench: %s\n", err->message);
    exit(1);
  }
}

records records_open(const char *data, const char *schema) {
  dperm_error err;
  records r = {.path = "/tmp/dperm-bench-XXXXXX", .made_up = data == NULL};
  if (data) {
    (void)snprintf(r.path, sizeof r.path, "%s", data);
    expect_ok(dperm_schema_read(schema, &r.schema, &err), &err);
    return r;
  }
  const char *text = dperm_synthetic_census_schema();
  int fd = mkstemp(r.path);
  if (fd < 0 || close(fd) != 0) {
    perror("bench: temporary file");
    exit(1);
  }
  expect_ok(dperm_synthetic_census_write(r.path, 45222, 1, &err), &err);
  expect_ok(dperm_schema_parse(text, strlen(text), "synthetic", &r.schema, &err), &err);
  return r;
}

dperm_data *records_read(const records *r) {
  dperm_error err;
  dperm_data *data = NULL;
  const dperm_source source = {
      .path = r->path, .format = DPERM_FORMAT_CSV, .schema = r->schema, .no_identity = true};
  expect_ok(dperm_data_read(&source, NULL, &data, &err), &err);
  return data;
}

void records_close(records *r) {
  dperm_schema_free(r->schema);
  if (r->made_up) {
    (void)unlink(r->path);
  }
}
