/* Every loss of the library once more, as its textbook formula in MPFR: what the conformance suite
 * of losses compares with. It shares no code with the library. */
#ifndef DPERM_TESTS_LOSS_REFERENCE_H
#define DPERM_TESTS_LOSS_REFERENCE_H

#include <mpfr.h>

enum { REFERENCE_BITS = 900 };

/* ℓ(z), in the precision of `out`, which is not z. */
typedef void reference_value(double h, const mpfr_t z, mpfr_t out);

/* Of the loss of this name (and which quantile, if not the median); NULL for one that the table
 * lacks. */
reference_value *loss_reference(const char *name);

/* ℓ and its first derivative at z + rest, and its second on either side, as quotients of
 * differences over 2^−200·scale: exact beside doubles, for |z| ≤ 2^300. */
typedef struct loss_exact {
  double value, slope, before, after; /* before, after: ℓ″ */
} loss_exact;
loss_exact loss_exact_at(reference_value *value, double h, double scale, double z, double rest);
/* |slope − ℓ′(z + rest)|, rounded up. */
double loss_slope_distance(reference_value *value, double h, double scale, double z, double rest,
                           double slope);

#endif
