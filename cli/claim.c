/* See claim.h. The pair comes from the model itself, so that no command can say another. */
#include "claim.h"

#include <stdio.h>

void claim_print(const dperm_model *model) {
  dperm_guarantee g;
  dperm_model_guarantee(model, &g);
  if (!g.is_private) {
    fprintf(stderr, "not private: %s", g.reason);
    return;
  }
  fprintf(stderr, "(epsilon, delta) = (%g, %.2g) for every ", g.epsilon, g.delta);
  if (g.rows_per_person == 1) {
    fprintf(stderr, "record");
  } else {
    fprintf(stderr, "person with at most %zu rows", g.rows_per_person);
  }
}
