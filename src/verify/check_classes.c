/* Weights of classes: a record's loss counts w times, so its slope and curvature are w times as
 * large, and L and c bound them for w at most 1 and for no other (docs/proofs/weights.md).
 *
 * Several classes: a fit for each against all others, and every record is in each of them, so their
 * epsilons add up (privacy.md 8.2), and so do the odds that the noise of one is too long. */
#include "verify/checks.h"
#include "verify/exact.h"

enum { CLASSES_MOST = 1000 };

bool class_epsilon(verifier *v, const char *name, double *out) {
  return class_fits_of(v) > 1 ? field_positive(v, name, "privacy.epsilon_class", out)
                              : fit_epsilon(v, name, out);
}

const char *class_epsilon_name(const verifier *v) {
  return class_fits_of(v) > 1 ? "epsilon_class" : fit_epsilon_name(v);
}

/* As many as the schema's label has, where there is a schema that says. */
static bool names_fit(verifier *v) {
  size_t count = json_array_size(json_object_get(v->root, "classes"));
  const json_t *label = field_at(v->root, "schema.label");
  const json_t *listed = json_object_get(label, "classes");
  size_t known = json_is_array(listed)                ? json_array_size(listed)
                 : json_is_object(listed)             ? json_object_size(listed)
                 : json_object_get(label, "positive") ? 2
                                                      : count;
  return (count >= 2 && count == known) ||
         finding_report(v, false, "classes", "%zu names, where %zu are expected", count,
                        known >= 2 ? known : 2);
}

void check_class_weights(verifier *v) {
  const json_t *weights = json_object_get(v->root, "class_weights");
  size_t count = json_array_size(json_object_get(v->root, "classes"));
  double most = 0, least = 1;
  bool numbers = json_is_array(weights) && json_array_size(weights) == count;
  if (!weights) { /* all classes count alike */
    return;
  }
  for (size_t i = 0; numbers && i < count; i++) {
    const json_t *weight = json_array_get(weights, i);
    double value = json_number_value(weight);
    numbers = json_is_number(weight) && value > 0; /* a NaN is not */
    most = value > most ? value : most;
    least = value < least ? value : least;
  }
  if (!numbers) {
    (void)finding_report(v, false, "class_weights",
                         "must be a number above zero for each of %zu classes", count);
    return;
  }
  (void)finding_report(v, most <= 1, "class_weights",
                       most <= 1 ? "from %s to %s, so L and c hold for every record"
                                 : "from %s to %s: above 1, where L and c do not hold",
                       shown(least).text, shown(most).text);
}

void check_classes(verifier *v) {
  size_t fits = class_fits_of(v);
  double share = 0, epsilon = 0;
  if (!names_fit(v)) {
    return;
  }
  if (fits == 1) { /* a model of one fit has nothing to divide */
    return;
  }
  if (!class_epsilon(v, "classes", &share) || !fit_epsilon(v, "classes", &epsilon)) {
    return;
  }
  bool covered = fits <= CLASSES_MOST && exact_sum_at_most(0, (unsigned long)fits, share, epsilon);
  (void)finding_report(v, covered, "classes",
                       "one against the rest for each of %zu: %zu epsilon_class = %s %s %s = %s",
                       fits, fits, shown(exact_sum_upper(0, (unsigned long)fits, share)).text,
                       covered ? "<=" : ">", fit_epsilon_name(v), shown(epsilon).text);
}
