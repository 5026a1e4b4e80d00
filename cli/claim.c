/* See claim.h. The pair comes from the model itself, so that no command can say another. */
#include "claim.h"

#include <stdio.h>

claim_words claim_of(const dperm_model *model) {
  claim_words out;
  char whom[64] = "record";
  dperm_guarantee g;
  dperm_model_guarantee(model, &g);
  if (!g.is_private) {
    (void)snprintf(out.text, sizeof out.text, "not private: %s", g.reason);
    return out;
  }
  if (g.rows_per_person > 1) {
    (void)snprintf(whom, sizeof whom, "person with at most %zu rows", g.rows_per_person);
  }
  (void)snprintf(out.text, sizeof out.text, "(epsilon, delta) = (%g, %.2g) for every %s", g.epsilon,
                 g.delta, whom);
  return out;
}
