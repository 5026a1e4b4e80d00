/* The file's format and digest, and what kind of claim it makes. */
#include <sodium.h>
#include <string.h>

#include "base/owned.h"
#include "verify/checks.h"

void check_format(verifier *v) {
  const char *format = NULL;
  if (field_text(v, "format", "format", &format)) {
    bool known = strcmp(format, "dperm-model/1") == 0;
    finding(v, known, "format", "%.60s%s", format,
            known ? "" : " is not one that this dperm knows");
  }
}

/* BLAKE2b-256 of the object without its digest, keys sorted, blanks left out, reals with 17 digits
 * (docs/formats.md). Written out again rather than shared with src/model: what is checked here is
 * that the format's definition holds. */
static bool digest_fits(const json_t *root) {
  unsigned char hash[32];
  char text[2 * sizeof hash + 1];
  json_auto_t *rest = json_copy((json_t *)root);
  (void)json_object_del(rest, "digest");
  OWNED_MEMORY char *content =
      rest ? json_dumps(rest, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17)) : NULL;
  return content &&
         crypto_generichash(hash, sizeof hash, (const unsigned char *)content, strlen(content),
                            NULL, 0) == 0 &&
         field_is(root, "digest", sodium_bin2hex(text, sizeof text, hash, sizeof hash));
}

void check_digest(verifier *v) {
  bool fits = digest_fits(v->root);
  finding(v, fits, "digest",
          fits ? "fits the content"
               : "does not fit the content: the file is damaged or was changed");
}

void check_whole(verifier *v, const char *doubt) {
  if (!doubt) {
    finding(v, true, "file", "is a whole model");
  } else if (v->holds) { /* else a line above says more */
    finding(v, false, "file", "%.400s", doubt);
  }
}

static void check_private(verifier *v) {
  const char *reason = json_string_value(json_object_get(v->root, "reason"));
  if (json_is_true(json_object_get(v->root, "private"))) {
    bool silent = field_is_null(v, "reason") || !field_at(v->root, "reason");
    finding(v, silent, "private",
            silent ? "the model claims to be private"
                   : "the model claims to be private, and gives a reason why not");
  } else {
    finding(v, false, "private", "the model does not claim to be private (%.200s)",
            reason ? reason : "no reason given");
  }
}

/* One line for a field that must be one of a few words. */
static void check_word(verifier *v, const char *name, const char *path, const char *before,
                       const char *const *words) {
  const char *word = NULL;
  if (field_text(v, name, path, &word)) {
    bool known = field_among(v->root, path, words);
    finding(v, known, name, "%s%.60s%s", before, word, known ? "" : " is not known here");
  }
}

static void check_mechanism(verifier *v) {
  static const char *const analyses[] = {"tight", "paper", NULL};
  const char *mechanism = NULL;
  if (!field_text(v, "mechanism", "privacy.mechanism", &mechanism)) {
    return;
  }
  if (strcmp(mechanism, "output") == 0) {
    finding(v, true, "mechanism", "output perturbation");
  } else if (strcmp(mechanism, "objective") == 0) {
    check_word(v, "mechanism", "privacy.analysis", "objective perturbation, analysis ", analyses);
  } else {
    finding(v, false, "mechanism", "%.60s is not a private mechanism known here", mechanism);
  }
}

void check_claim(verifier *v) {
  static const char *const definitions[] = {"epsilon-differential privacy",
                                            "(epsilon, delta)-differential privacy", NULL};
  static const char *const neighbours[] = {"replace-one", "add-remove", NULL};
  check_private(v);
  check_word(v, "definition", "privacy.definition", "", definitions);
  check_word(v, "neighbours", "privacy.neighbours", "", neighbours);
  check_mechanism(v);
}
