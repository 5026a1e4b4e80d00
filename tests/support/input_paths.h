/* Every way by which records come in, each a line in a table: files of every format, whole, packed,
 * by threads and among processes, or encoded; rows and tables in memory; some under another schema
 * than they were read under. A `pass` takes a set of records to what came of them. A new input is
 * one line in `inputs`. */
#ifndef DPERM_TESTS_INPUT_PATHS_H
#define DPERM_TESTS_INPUT_PATHS_H

#include "hostile_records.h"
#include "schema/class_list.h"

enum { DIMS_MOST = 32, SMALL = 24, LARGE = 11000 };

/* What came of a set of records. */
typedef struct seen {
  dperm_status read, fit; /* what reading said, and then a private fit before it spends anything */
  dperm_error why;
  size_t rows, dims, work; /* rows that there is work space for */
  double norm, (*x)[DIMS_MOST], *labels;
  uint32_t *groups; /* that evaluations count each record by; 0 where none is declared */
  class_list classes;
} seen;

typedef struct input input;
struct input {
  const char *name;
  record_family family;
  void (*pass)(const input *d, const record_set *set, seen *out);
  enum {
    QUOTED = 1,
    CRLF = 2,
    UNENDED = 4,
    PACKED = 8,
    STANDARD_INPUT = 16,
    COPIED = 32,
    ENCODED = 64,
    /* looked at under another schema: */
    BINNED = 128,
    CROSSED = 256,
    CELLS = 512
  } how;
  size_t records;
  int threads; /* 0 for one */
};

extern const input inputs[];
extern const size_t input_count;

seen seen_new(size_t rows);
void seen_free(seen *s);
/* Reading or a private fit said no. */
bool refused(const seen *s);

/* Writes the records to a file; the caller removes it. */
char *write_records(const input *d, const record_set *set);

/* ---- for the files that pass records on */

/* What a set of records is read under, and what they are looked at under, NULL for the same. */
dperm_schema *schema_of(const record_set *set);
dperm_schema *other_schema(const input *d, const dperm_schema *given, size_t rows);
#endif
