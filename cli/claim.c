/* See claim.h. The pair comes from the model itself, so that no command can say another. */
#include "claim.h"

#include <stdio.h>

unit_words unit_of(size_t rows_per_person, const char *one) {
  unit_words out;
  if (rows_per_person > 1) {
    (void)snprintf(out.text, sizeof out.text, "person with at most %zu rows", rows_per_person);
  } else {
    (void)snprintf(out.text, sizeof out.text, "%s", one);
  }
  return out;
}

claim_words claim_of(const dperm_model *model) {
  claim_words out;
  dperm_guarantee g;
  dperm_model_guarantee(model, &g);
  if (!g.is_private) {
    (void)snprintf(out.text, sizeof out.text, "not private: %s", g.reason);
    return out;
  }
  (void)snprintf(out.text, sizeof out.text, "(epsilon, delta) = (%g, %.2g) for every %s", g.epsilon,
                 g.delta, unit_of(g.rows_per_person, "record").text);
  return out;
}
