/* A model file's privacy claim, derived again from its public fields. This folder shares no formula
 * with the code that made the model (it includes base/ only): numbers are intervals of 256 bits,
 * rounded outwards, and the bounds of the losses are derived in another way. So a mistake in one of
 * the two shows as a line that does not hold. */
#include "verify/verify.h"

#include <string.h>

#include "verify/checks.h"

/* In the order of the report. */
static void (*const checks[])(verifier *) = {
    check_format,        check_digest,         check_claim,   check_noise_kind, check_norm,
    check_shape,         check_missing_values, check_rows,    check_selection,  check_classes,
    check_class_weights, check_loss,           check_budget,  check_unit,       check_refined,
    check_spent_shares,  check_beta,           check_lattice, check_weights,    check_delta};

dperm_status verify_document(const json_document *doc, const char *doubt, const charged_entry *paid,
                             dperm_verify_line *line, void *context, bool *holds,
                             dperm_error *err) {
  static const char prefix[] = "dperm-model/";
  const char *format = json_string_value(json_object_get(doc->root, "format"));
  if (!format || strncmp(format, prefix, sizeof prefix - 1) != 0) {
    FAIL(err, DPERM_INVALID_MODEL, "%s: not a dperm model; name a file that dperm train wrote",
         doc->name);
  }
  verifier v = {.root = doc->root, .line = line, .context = context, .holds = true};
  for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
    checks[i](&v);
  }
  check_whole(&v, doubt);
  state_claim(&v);
  if (paid) {
    check_charge(&v, paid);
  }
  state_assumptions(&v);
  mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); /* of this thread: the library keeps nothing */
  *holds = v.holds;
  return DPERM_OK;
}
