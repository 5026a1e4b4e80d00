/* What a model guarantees, in a line for people. */
#pragma once

#include <dperm.h>

/* "(epsilon, delta) = (0.1, 7.8e-44) for every record", or "not private: why". */
typedef struct claim_words {
  char text[1024];
} claim_words;
claim_words claim_of(const dperm_model *model);

/* Whom a budget is for: `one` ("record"), or "person with at most K rows". */
typedef struct unit_words {
  char text[64];
} unit_words;
unit_words unit_of(size_t rows_per_person, const char *one);
