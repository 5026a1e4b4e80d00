/* People in Arrow streams: a number, a category and a label, and what comes of reading them. */
#ifndef DPERM_TESTS_ARROW_PEOPLE_H
#define DPERM_TESTS_ARROW_PEOPLE_H

#include "arrow_made.h"
#include "support.h"

enum { PEOPLE = 6 };
extern const char people_schema[], people_csv[];
extern const double people_ages[PEOPLE], people_codes[PEOPLE];
extern const char *const people_texts[PEOPLE], *const people_labels[PEOPLE];
/* As doubles and strings. */
extern const made_column age_column, code_column, label_column;

/* What a source was read as. */
typedef struct opened {
  dperm_schema *schema;
  dperm_data *data;
  dperm_status status;
  dperm_error why;
} opened;
/* Reads a stream of the table, with labels of PEOPLE beside it or without any; whatever comes of
 * it, the stream must be given back. */
opened arrow_opened(const made_table *table, const dperm_column *beside, bool unlabelled);
opened csv_opened(const char *csv);
void opened_close(opened *o);

made_table people_table(const made_column columns[3]);
/* The cells of both are the same bits. */
void assert_same_cells(const dperm_data *a, const dperm_data *b);
/* The table is read as people_csv is. */
void assert_read_as_csv(const made_table *table);

#endif
