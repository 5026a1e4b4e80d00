/* Whether a ledger's entry paid for what the model's file shows: epsilon and delta, for the
 * neighbours of the budget, and in a data set that counts by a Renyi order a price that covers the
 * divergence of the file's own noise (docs/proofs/composition.md), or of its epsilon. A schema that
 * was refined from records may have an entry of its own; then both must have paid their part. */
#include <string.h>

#include "verify/checks.h"

/* ---- epsilon and delta */

/* A file's double may be half a unit above its decimal; fits stay a unit below (docs/ledger.md). */
static interval nearly_all(interval a) {
  return interval_mul(a, interval_of(1 - 0x1p-52));
}

/* What the entry had to pay. For a model: the fit's part of epsilon, all rows of a unit, those of
 * other shares, and the schema's, unless that has an entry of its own; for a schema its part, which
 * is pure. Twice that where a claim about added and removed records is charged to a budget for
 * replaced ones, and (1 + e^epsilon) delta (neighbours.md 5). */
static void check_amounts(verifier *v, const charged_entry *paid, bool released) {
  double stated = 0, apart = 0;
  epsilon_parts p;
  if (!read_parts(v, "charge", &p) || !field_number(v, "charge", "privacy.delta", &stated) ||
      !evaluation_epsilon(v, "charge", &apart)) {
    return;
  }
  const interval fit = interval_add(p.fits, p.after_fit), schema = interval_of(p.refined);
  interval epsilon = !released ? schema : paid->schema ? fit : interval_add(fit, schema);
  if (released) { /* a record is in the one part or the other */
    epsilon = interval_max(epsilon, interval_of(apart));
  }
  interval delta = interval_of(released ? stated : 0);
  bool twice = by_adding(v) && !paid->adding;
  if (twice) {
    delta = interval_mul(interval_add(interval_of(1), interval_exp(epsilon)), delta);
    epsilon = interval_add(epsilon, epsilon);
  }
  bool covered = interval_at_most(nearly_all(epsilon), interval_of_text(paid->epsilon)) &&
                 interval_at_most(nearly_all(delta), interval_of_text(paid->delta));
  finding(v, covered, "charge", "entry %llu paid epsilon %.40s and delta %s, which covers %s%s",
          paid->entry, paid->epsilon, shown(interval_upper(interval_of_text(paid->delta))).text,
          !released      ? "its schema's refinement"
          : paid->schema ? "the model's, but for its schema's part"
                         : "the model's",
          twice ? ", twice over where records are replaced" : "");
}

/* ---- the price by an order */

typedef struct price {
  interval divergence, delta;
} price;

static bool price_covers(const charged_entry *paid, const price *due) {
  return interval_at_most(due->divergence, interval_of_text(paid->cost)) &&
         interval_at_most(nearly_all(due->delta), interval_of_text(paid->cost_delta));
}

/* Of what is (epsilon, delta)-private, whatever it is (C3). */
static price price_of_claim(const charged_entry *paid) {
  const interval epsilon = interval_of_text(paid->epsilon);
  return (price){interval_min(divergence_of_pure(interval_of(paid->order), epsilon), epsilon),
                 interval_of_text(paid->delta)};
}

/* Of the file's own fits (C4 to C6): what the entry paid beside them counts as pure, and failures
 * of the numerics 1000·e^epsilon times (C7). */
static bool price_of_fits(verifier *v, const charged_entry *paid, price *out,
                          noise_profile *noise) {
  double num = 0, failure = 0, share = 0, apart = 0;
  epsilon_parts parts;
  const interval order = interval_of(paid->order), one = interval_of(1);
  if (!read_parts(v, "price", &parts) || !evaluation_epsilon(v, "price", &apart) ||
      unit_is_person(v) || by_adding(v) != paid->adding || !noise_profile_of(v, noise) ||
      field_is_object(v, "selection") ||
      !field_positive(v, "price", "privacy.numerics.epsilon_num", &num) ||
      !field_positive(v, "price", "privacy.numerics.delta", &failure) ||
      !field_positive(v, "price", class_epsilon(v), &share)) {
    return false;
  }
  const interval fits = interval_of(classes_joint(v) ? 1 : (double)class_fits_of(v));
  const interval whole = interval_of_text(paid->epsilon);
  const interval rest = interval_sub(whole, interval_mul(fits, nearly_all(interval_of(share))));
  const interval pure =
      interval_add(interval_max(rest, interval_of(0)), interval_of(parts.composed));
  const interval sides = interval_sub(interval_add(order, order), one);
  interval lattice = interval_div(interval_mul(sides, interval_of(num)), interval_sub(order, one));
  interval cost = interval_mul(fits, interval_add(divergence_of_noise(order, noise), lattice));
  out->divergence = interval_max(interval_add(cost, divergence_of_pure(order, pure)),
                                 divergence_of_pure(order, interval_of(apart)));
  interval counts = interval_exp(interval_of_text(paid->total_epsilon));
  out->delta = interval_mul(interval_mul(interval_of(1000), counts), interval_of(failure));
  return true;
}

/* `released`: the file's fits are what was paid for; else only the entry's claim is known. */
static void check_price(verifier *v, const charged_entry *paid, bool released) {
  const price plain = price_of_claim(paid);
  price fits;
  noise_profile noise;
  bool known = released && price_of_fits(v, paid, &fits, &noise);
  bool covered = price_covers(paid, &plain) || (known && price_covers(paid, &fits));
  double due =
      interval_upper(known ? interval_min(plain.divergence, fits.divergence) : plain.divergence);
  finding(v, covered, "price",
          "entry %llu costs %.40s by Renyi order %s, and what follows from the %s is %s",
          paid->entry, paid->cost, shown(paid->order).text, known ? "file" : "claim",
          shown(due).text);
}

/* An entry for the model, or for its schema alone. */
static void check_entry(verifier *v, const charged_entry *paid, bool released) {
  if (paid->trouble) {
    fails(v, "charge", "%.400s", paid->trouble);
    return;
  }
  check_amounts(v, paid, released);
  if (paid->order > 0) {
    check_price(v, paid, released);
  }
  if (paid->schema) {
    check_entry(v, paid->schema, false);
  }
}

void check_charge(verifier *v, const charged_entry *paid) {
  v->charge_checked = true;
  check_entry(v, paid, true);
}
