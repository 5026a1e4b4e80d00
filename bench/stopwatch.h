/* What the programs that time the library share: the clock, medians, an end with a message, and the
 * records that are given on the command line or made up. */
#ifndef DPERM_BENCH_STOPWATCH_H
#define DPERM_BENCH_STOPWATCH_H

#include <dperm.h>

double now_ms(void);

/* Sorts the values. */
double median(double *values, size_t count);

/* Ends the program if the library failed. */
void expect_ok(dperm_status status, const dperm_error *err);

/* A CSV file and its schema. */
typedef struct records {
  char path[4096];
  dperm_schema *schema;
  int made_up;
} records;

/* The files named, or, without names, 45,222 synthetic census records in a temporary file: the size
 * of Adult. */
records records_open(const char *data, const char *schema);
dperm_data *records_read(const records *r);
void records_close(records *r);

#endif
