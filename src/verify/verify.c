/* A model file's privacy claim, derived again from its public fields. This folder shares no formula
 * with the code that made the model (it includes base/ only): numbers are intervals of 256 bits,
 * rounded outwards, and the bounds of the losses are derived in another way. So a mistake in one of
 * the two shows as a line that does not hold. */
#include "verify/verify.h"

#include <string.h>

#include "verify/checks.h"

static dperm_status expect_model(const json_document *doc, dperm_error *err) {
  static const char prefix[] = "dperm-model/";
  const char *format = json_string_value(json_object_get(doc->root, "format"));
  if (!format || strncmp(format, prefix, sizeof prefix - 1) != 0) {
    FAIL(err, DPERM_INVALID_MODEL, "%s: not a dperm model; name a file that dperm train wrote",
         doc->name);
  }
  return DPERM_OK;
}

static void go_through(verifier *v, const char *doubt) {
  check_format(v);
  check_digest(v);
  check_claim(v);
  check_noise_kind(v);
  check_norm(v);
  check_shape(v);
  check_missing_values(v);
  check_rows(v);
  check_selection(v);
  check_classes(v);
  check_class_weights(v);
  check_loss(v);
  check_budget(v);
  check_unit(v);
  check_beta(v);
  check_lattice(v);
  check_weights(v);
  check_delta(v);
  check_whole(v, doubt);
  state_claim(v);
  state_assumptions(v);
}

dperm_status verify_document(const json_document *doc, const char *doubt, dperm_verify_line *line,
                             void *context, int *holds, dperm_error *err) {
  TRY(expect_model(doc, err));
  verifier v = {.root = doc->root, .line = line, .context = context, .holds = true};
  go_through(&v, doubt);
  mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); /* of this thread: the library keeps nothing */
  *holds = v.holds;
  return DPERM_OK;
}
