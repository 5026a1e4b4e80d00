/* Several classes: a fit for each against all others, and every record is in each of them, so their
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

void check_classes(verifier *v) {
  size_t fits = class_fits_of(v);
  double share = 0, epsilon = 0;
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
