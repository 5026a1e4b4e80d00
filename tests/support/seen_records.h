/* What an input made of its records, for the table of inputs (input_paths.h). */
#ifndef DPERM_TESTS_SEEN_RECORDS_H
#define DPERM_TESTS_SEEN_RECORDS_H

#include "data/dataset.h"
#include "input_paths.h"

/* Asks for a private fit and stops before it is charged: nothing is drawn, nothing leaves. */
dperm_status ask_for_fit(const dperm_data *data, dperm_error *err);
/* The rows that are here, some at a time, as a fit has them: what is left of one must not get into
 * the next. */
void look_at_rows(const dperm_data *data, seen *out);
/* What is known of all. */
void look_at(const dperm_data *data, seen *out);
/* Takes over the data, none where they could not be read, and looks at them under another schema,
 * if there is one. */
void look(dperm_status status, dperm_data *data, const dperm_schema *other, seen *out);

#endif
