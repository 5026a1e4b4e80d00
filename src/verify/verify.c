/* A model file's privacy claim, derived again from its public fields. This folder shares no formula
 * with the code that made the model (it includes base/ only): numbers are intervals of 256 bits,
 * rounded outwards, and the bounds of the losses are derived in another way. So a mistake in one of
 * the two shows as a line that does not hold. */
#include "verify/verify.h"

#include <sodium.h>
#include <string.h>

#include "base/owned.h"
#include "verify/checks.h"

/* ---- the file: its format and digest, and what kind of claim it makes */

static void check_format(verifier *v) {
  const char *format = NULL;
  if (field_text(v, "format", "format", &format)) {
    finding(v, strcmp(format, "dperm-model/1") == 0, "format", "%.60s", format);
  }
}

/* BLAKE2b-256 of the object without its digest, keys sorted, blanks left out, reals with 17 digits
 * (docs/formats.md). Not shared with src/model: that the format's definition holds is checked. */
static void check_digest(verifier *v) {
  unsigned char hash[32];
  char text[2 * sizeof hash + 1];
  json_auto_t *rest = json_copy((json_t *)v->root);
  (void)json_object_del(rest, "digest");
  OWNED_MEMORY char *content =
      rest ? json_dumps(rest, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17)) : NULL;
  bool fits = content && /* else the file is damaged or was changed */
              crypto_generichash(hash, sizeof hash, (const unsigned char *)content, strlen(content),
                                 NULL, 0) == 0 &&
              field_is(v->root, "digest", sodium_bin2hex(text, sizeof text, hash, sizeof hash));
  fits ? finding(v, true, "digest", "fits the content")
       : fails(v, "digest", "does not fit the content: the file was changed, or is damaged");
}

static void check_whole(verifier *v, const char *doubt) {
  if (!doubt) {
    finding(v, true, "file", "is a whole model");
  } else if (v->holds) { /* else a line above says more */
    fails(v, "file", "%.400s", doubt);
  }
}

static void check_private(verifier *v) {
  const char *reason = json_string_value(json_object_get(v->root, "reason"));
  bool silent = field_is_null(v, "reason") || !field_at(v->root, "reason");
  bool claimed = json_is_true(json_object_get(v->root, "private"));
  finding_line(v, silent && claimed ? DPERM_FINDING_HOLDS : DPERM_FINDING_FAILS, "private", ": ",
               "the model %s to be private%s%.200s", claimed ? "claims" : "does not claim",
               silent    ? ""
               : claimed ? ", and says why it is not: "
                         : ": ",
               reason   ? reason
               : silent ? ""
                        : "no text");
}

/* One line for a field that must be one of a few words. */
static void check_word(verifier *v, const char *name, const char *path, const char *before,
                       const char *const *words) {
  const char *word = NULL;
  if (field_text(v, name, path, &word)) {
    finding(v, field_among(v->root, path, words), name, "%s%.60s", before, word);
  }
}

static void check_mechanism(verifier *v) {
  static const char *const analyses[] = {"tight", "paper", NULL};
  const char *mechanism = NULL;
  if (!field_text(v, "mechanism", "privacy.mechanism", &mechanism)) {
    return;
  }
  if (strcmp(mechanism, "objective") == 0) {
    check_word(v, "mechanism", "privacy.analysis", "objective perturbation, analysis ", analyses);
  } else if (strcmp(mechanism, "descent") == 0) {
    check_descent(v);
  } else {
    finding(v, strcmp(mechanism, "output") == 0, "mechanism", "%.60s perturbation", mechanism);
  }
}

static void check_claim(verifier *v) {
  static const char *const definitions[] = {"epsilon-differential privacy",
                                            "(epsilon, delta)-differential privacy", NULL};
  static const char *const neighbours[] = {"replace-one", "add-remove", NULL};
  check_private(v);
  check_word(v, "definition", "privacy.definition", "", definitions);
  check_word(v, "neighbours", "privacy.neighbours", "", neighbours);
  check_mechanism(v);
}

/* ---- all of it */

/* In the order of the report. */
static void (*const checks[])(verifier *) = {
    check_format,         check_digest,        check_claim,
    check_noise_kind,     check_norm,          check_shape,
    check_missing_values, check_rows,          check_selection,
    check_classes,        check_class_weights, check_loss,
    check_budget,         check_unit,          check_refined,
    check_spent_shares,   check_evaluation,    check_evaluation_figures,
    check_beta,           check_lattice,       check_weights,
    check_delta};

dperm_status verify_document(const json_document *doc, const char *doubt, const charged_entry *paid,
                             dperm_verify_line *line, void *context, bool *holds,
                             dperm_error *err) {
  static const char prefix[] = "dperm-model/";
  const char *format = json_string_value(json_object_get(doc->root, "format"));
  FAIL_IF(!format || strncmp(format, prefix, sizeof prefix - 1) != 0, err, DPERM_INVALID_MODEL,
          "%s: not a dperm model; name a file that dperm train wrote", doc->name);
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
