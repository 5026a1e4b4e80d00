/* One place a line, found by its hash; the newer of two takes it. */
#include "read/known_records.h"

#include <string.h>
#include <xxhash.h>

enum { TRIAL = 128, FEW = TRIAL / 8, LONGEST_REST = 64 * TRIAL };

known_record *known_records_place(known_records *k, const csv_reader *csv, const char *text,
                                  size_t length) {
  if (k->csv != csv || k->moves != csv->moves) {
    memset(k->places, 0, sizeof k->places);
    k->csv = csv;
    k->moves = csv->moves;
  }
  return &k->places[XXH3_64bits(text, length) % KNOWN_RECORDS];
}

/* How long to rest after a trial that found few, the last rest having been so long. */
static size_t rest_after(size_t last) {
  size_t next = last ? 2 * last : TRIAL;
  return next < LONGEST_REST ? next : LONGEST_REST;
}

bool known_records_holds(known_records *k, const known_record *place, const char *text,
                         size_t length) {
  bool found = place->text && place->length == length && memcmp(place->text, text, length) == 0;
  k->found += found;
  if (++k->looked == TRIAL) {
    k->rest = k->pause = k->found < FEW ? rest_after(k->pause) : 0;
    k->looked = k->found = 0;
  }
  return found;
}
