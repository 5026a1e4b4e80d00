/* See plan_schema.h. */
#include "plan/plan_schema.h"

#include "run/options.h"

void planned_schema_clear(planned_schema *planned) {
  dperm_schema_free(planned->schema);
  planned->schema = NULL;
}

dperm_status plan_schema(const dperm_options *o, const dperm_schema *schema, size_t rows,
                         planned_schema *out, dperm_error *err) {
  *out = (planned_schema){.schema = NULL};
  TRY(options_validate(o, err));
  TRY(check_refined_unit(o, schema, err));
  TRY(representation_choose(o, schema, rows, &out->how, err));
  const private_run shares = run_shares(o, schema->classes.count, schema, out->how.epsilon);
  out->claim = run_claim(o, &shares, 0);
  return representation_given(o, schema, rows, &out->claim, &out->schema, err);
}
