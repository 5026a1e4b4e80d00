/* Columns that are called like identifiers of people or of records. As numbers they say nothing,
 * and where they repeat a person has several rows, which the guarantee must be told of. */
#pragma once

#include <stdbool.h>

/* "patient_id", "PersonNr", "MRN"; not "paid". By the name alone, which is public. */
bool name_is_identifier(const char *name);
