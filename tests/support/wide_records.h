/* Records whose schema is too wide for them, for tests of refinements: most amounts are near 500 in
 * a range of a million, a third are 0, and of nine jobs three are common. */
#ifndef DPERM_TESTS_WIDE_RECORDS_H
#define DPERM_TESTS_WIDE_RECORDS_H

#include "dperm/refine.h"
#include "ledgers.h"

enum { PEOPLE = 3600, JOBS = 9 };

typedef struct people {
  double amount[PEOPLE], age[PEOPLE];
  int32_t job[PEOPLE], sex[PEOPLE], label[PEOPLE];
  dperm_column columns[4], labels;
} people;

/* With the wide schema and the records under it. */
typedef struct wide_home {
  ledger_home *home;
  people p;
  dperm_schema *wide;
  dperm_data *data;
} wide_home;

int wide_home_begin(void **state);
int wide_home_end(void **state);
#define WIDE_TEST(name) TEST_OF(name, wide_home_begin, wide_home_end, wide_home *s)

dperm_schema *schema_parsed(const char *text);
dperm_data *people_encoded(const people *p, const dperm_schema *schema);

/* Refines and trains on 9000 records of one column, of which these flags were taken. */
dperm_status wide_train_refined(const dperm_options *options, unsigned taken, dperm_model **out,
                                dperm_error *err);

/* Options with this epsilon, and what comes of them. */
dperm_refine_options refine_options_of(double epsilon);
dperm_schema *people_refined(const wide_home *s, dperm_refine_options options);

#endif
