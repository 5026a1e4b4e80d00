/* What a model guarantees, in a line for people. */
#pragma once

#include <dperm.h>

/* "(epsilon, delta) = (0.1, 7.8e-44) for every record", or "not private: why". */
typedef struct claim_words {
  char text[1024];
} claim_words;
claim_words claim_of(const dperm_model *model);
