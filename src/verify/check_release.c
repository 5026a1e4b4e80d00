/* Whether the released numbers are covered (privacy.md 6): weights on a lattice, blurred by integer
 * noise that hides how far the computed solution is from the exact one; delta for the noise that
 * leaves the range in which that distance is certified; and what no file can show. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "verify/checks.h"

/* What numerics may cost: an event that is never seen (docs/privacy.md 8). */
static const double most_delta = 1e-30;

/* A sampler with integers only takes epsilon_num as a rational of at most this many bits. */
enum { NUM_BITS = 20 };

/* ---- the lattice */

static bool expected_weights(verifier *v, const char *name, unsigned long long *out) {
  return field_count(v, name, field_is_object(v, "kernel") ? "kernel.features" : "encoding.dims",
                     out);
}

/* S ≥ floor(d + √d·τ/g): for whole S ≥ d S + 1 − d > √d·τ/g, compared in exact squares. */
static bool lattice_covers(unsigned long long s, unsigned long long d, double tau, double g) {
  interval slack = interval_mul(interval_of((double)(s + 1 - d)), interval_of(g));
  interval t = interval_of(tau), need = interval_mul(interval_of((double)d), interval_mul(t, t));
  return s >= d && interval_above_zero(interval_sub(interval_mul(slack, slack), need));
}

/* Where records are added and removed, rounding is bounded for max(2^28, 4n) of them (of persons,
 * for K times as many, whoever is neighbours), and eight
 * times the errors of their slopes is promised (docs/proofs/neighbours.md 4): 4u for losses known
 * here, (3l + 16)u for k ≤ 2^l classes at once (softmax.md); for others nothing is proved. */
static double crowd_error(const verifier *v) {
  const char *loss = json_string_value(field_at(v->root, "loss.name"));
  double about = (double)json_integer_value(
      json_object_get(v->root, person_rows(v) > 0 ? fitted_field(v) : rows_field(v)));
  about *= fmax(1, (double)person_rows(v));
  double units = classes_joint(v) ? 16 : 4;
  for (unsigned long long most = 1; classes_joint(v) && most < class_fits_of(v); most *= 2) {
    units += 3;
  }
  if (!by_adding(v) && person_rows(v) == 0) {
    return 0;
  }
  return loss && known_loss_find(loss) ? 8 * units * 0x1p-53 * fmax(0x1p28, 4 * about) : INFINITY;
}

/* Newton's method promises no gradient below 1e-6 LR/n (privacy.md 6.4): no smaller tau is ours. */
static void check_solution_error(verifier *v, double tau) {
  const char *name = "solution_error";
  double lambda = 0, ridge = 0, norm = 0, lipschitz = 1;
  unsigned long long rows = 0;
  if (field_count(v, name, fitted_field(v), &rows) &&
      field_positive(v, name, "privacy.lambda", &lambda) &&
      field_number(v, name, "privacy.delta_reg", &ridge) && row_bound(v, name, &norm) &&
      (!field_at(v->root, "loss.lipschitz") || field_is_null(v, "loss.lipschitz") ||
       field_positive(v, name, "loss.lipschitz", &lipschitz))) {
    const interval newton = interval_mul(interval_of(1e-6), interval_of(lipschitz));
    const interval factor = interval_max(newton, interval_of(crowd_error(v)));
    interval above = interval_mul(interval_of(norm), factor);
    interval below = interval_mul(interval_of((double)rows),
                                  interval_add(interval_of(lambda), interval_of(ridge)));
    interval least = interval_mul(interval_div(above, below), interval_of(1 - 1e-9));
    bool enough = interval_at_most(least, interval_of(tau));
    finding(v, enough, name, "tau = %s %s %s/(n (lambda + delta_reg)) = %s", shown(tau).text,
            enough ? ">=" : "is not >=",
            crowd_error(v) > 0 ? shown(interval_upper(above)).text : "1e-6 LR",
            shown(interval_upper(least)).text);
  }
}

void check_lattice(verifier *v) {
  double step = 0, tau = 0, num = 0;
  unsigned long long s = 0, dims = 0;
  int exponent = 0;
  if (!field_is_object(v, "privacy.numerics") ||
      !field_positive(v, "lattice_step", "privacy.numerics.lattice_step", &step) ||
      !field_positive(v, "solution_error", "privacy.numerics.solution_error", &tau) ||
      !field_count(v, "lattice_sensitivity", "privacy.numerics.lattice_sensitivity", &s) ||
      !expected_weights(v, "lattice_sensitivity", &dims) ||
      !field_positive(v, "epsilon_num", "privacy.numerics.epsilon_num", &num)) {
    return;
  }
  bool power = frexp(step, &exponent) == 0.5;
  finding(v, power, "lattice_step", "g = %s is a power of two", shown(step).text);
  check_solution_error(v, tau);
  dims -= added_weights(v);
  dims *= classes_joint(v) ? class_fits_of(v) : 1; /* released at once */
  bool covers = lattice_covers(s, dims, tau, step);
  finding(v, covers, "lattice_sensitivity",
          "S = %llu >= floor(d + sqrt(d) tau/g), d = %llu, tau = %s", s, dims, shown(tau).text);
  bool fits = fmod(ldexp(frexp(num, &exponent), NUM_BITS), 1) == 0;
  finding(v, fits, "epsilon_num",
          "%s has at most %d bits: discrete Laplace noise of scale S/epsilon_num is drawn with "
          "integers only",
          shown(num).text, NUM_BITS);
}

/* ---- the weights */

/* The weights of one fit: finite numbers, and multiples of g if there is one; fmod is exact. Those
 * after it are multiples of 2^-10, at most 2. */
static bool sound_weights(const verifier *v, const json_t *weights, unsigned long long wanted,
                          double g) {
  const unsigned long long added = added_weights(v),
                           fitted = wanted - added - has_intercept(field_at(v->root, "schema"));
  bool sound = json_array_size(weights) == wanted;
  for (size_t j = 0; sound && j < wanted; j++) {
    const json_t *weight = json_array_get(weights, j);
    const bool after = j >= fitted && j - fitted < added;
    double value = json_number_value(weight), step = after ? 0x1p-10 : g;
    sound = json_is_number(weight) && isfinite(value) && !(step > 0 && fmod(value, step) != 0) &&
            !(after && fabs(value) > 2);
  }
  return sound;
}

void check_weights(verifier *v) {
  const json_t *weights = json_object_get(v->root, "weights");
  size_t fits = class_fits_of(v);
  unsigned long long wanted = 0;
  double g = 0;
  if (!expected_weights(v, "weights", &wanted) ||
      (field_at(v->root, "privacy.numerics.lattice_step") &&
       !field_positive(v, "weights", "privacy.numerics.lattice_step", &g))) {
    return;
  }
  bool sound = fits == 1 || json_array_size(weights) == fits;
  for (size_t m = 0; sound && m < fits; m++) {
    sound = sound_weights(v, fits == 1 ? weights : json_array_get(weights, m), wanted, g);
  }
  finding(v, sound, "weights", "%zu times %llu, all whole multiples of g%s", fits, wanted,
          added_weights(v) > 0 ? ", those of the pair of 2^-10" : "");
}

/* ---- delta */

/* (e^(K epsilon) - 1)/(e^epsilon - 1). */
static interval group_factor(double rows, double epsilon) {
  interval one = interval_of(1), row = interval_of(epsilon);
  interval all = interval_exp(interval_mul(interval_of(rows), row));
  return interval_div(interval_sub(all, one), interval_sub(interval_exp(row), one));
}

/* What numerics cost, and the noise itself; 0 for pure noise. */
typedef struct delta_parts {
  interval numerics, noise;
} delta_parts;

/* The noise leaves the range for which the distance to the exact solution is certified with
 * probability at most e^-100 in each fit. Two neighbours' outcomes then differ from certified ones
 * by e^-100 each, which makes delta = (1 + e^epsilon) e^-100. Of the fits of a split a record
 * touches one; random stopping makes rounds_mean fits on average, all on the same record, so there
 * the probability is that many times as large; and as many times again as there are classes, if
 * they are more than two. (dperm 0.1 stated rounds_mean before rounding to 20
 * bits; the tail bound behind e^-100 is larger than the tail by a factor of over 30, which covers
 * that.) All that is for one row; the K rows of a person add up to 1 + e^epsilon + ... + e^((K-1)
 * epsilon) times as much, epsilon a row's (group privacy). What gaussian noise costs of delta is
 * counted in the same way: of a split once, for each round, class and row (gaussian.md 6). */
static bool delta_needed(verifier *v, double epsilon, delta_parts *out) {
  double fits = 1;
  unsigned long long rows = 1;
  if (selected_by(v, "stopping") &&
      (!field_positive(v, "delta", "selection.rounds_mean", &fits) ||
       (fits < 1 &&
        !fails(v, "delta", "a mean of %s rounds is less than one", shown(fits).text)))) {
    return false;
  }
  if (!unit_rows(v, "delta", &rows)) {
    return false;
  }
  interval odds = interval_add(interval_of(1), interval_exp(interval_of(epsilon)));
  interval fit = interval_mul(odds, interval_exp(interval_of(-100)));
  interval all = interval_of(fits), classes = interval_of((double)class_fits_of(v));
  if (rows > 1) {
    all = interval_mul(all, group_factor((double)rows, epsilon));
  }
  out->numerics = interval_mul(fit, interval_mul(all, classes));
  if (!noise_delta(v, &out->noise)) {
    return false;
  }
  all = classes_joint(v) ? all : interval_mul(all, classes); /* their bound is of one fit */
  out->noise = interval_mul(out->noise, all);
  return true;
}

/* The delta of the headline must cover what is proved. Files of dperm 0.1 say "epsilon-differential
 * privacy" and 0 there, which no proof covers. */
static void check_headline(verifier *v, double stated, const delta_parts *parts) {
  const interval needed = interval_add(parts->numerics, parts->noise);
  bool pure = field_is(v->root, "privacy.definition", "epsilon-differential privacy");
  bool enough = !pure && stated < 1 && interval_at_most(needed, interval_of(stated));
  finding(v, enough, "headline", "%sdelta = %s covers what is proved, %s",
          pure ? "pure epsilon, " : "", shown(stated).text, shown(interval_upper(needed)).text);
}

void check_delta(verifier *v) {
  delta_parts needed;
  double delta = 0, epsilon = 0, stated = 0;
  if (field_is_object(v, "privacy.numerics") &&
      field_positive(v, "delta", "privacy.numerics.delta", &delta) &&
      field_number(v, "delta", "privacy.delta", &stated) &&
      field_positive(v, "delta", row_epsilon(v), &epsilon) && delta_needed(v, epsilon, &needed)) {
    bool enough = interval_at_most(needed.numerics, interval_of(delta));
    finding(v, enough && delta <= most_delta, "delta",
            "1e-30 >= %s >= %s%s%s(1 + e^epsilon) e^-100 = %s", shown(delta).text,
            selected_by(v, "stopping") ? "rounds_mean " : "",
            class_fits_of(v) > 1 ? "classes " : "", unit_is_person(v) ? "group factor " : "",
            shown(interval_upper(needed.numerics)).text);
    check_headline(v, stated, &needed);
  }
}

/* ---- in the end */

void state_claim(verifier *v) {
  double epsilon = json_number_value(field_at(v->root, "privacy.epsilon"));
  double stated = json_number_value(field_at(v->root, "privacy.delta"));
  json_int_t person = json_integer_value(field_at(v->root, "privacy.rows_per_person"));
  json_int_t rows = json_integer_value(json_object_get(v->root, rows_field(v)));
  const char *change = by_adding(v) ? "adding or removing" : "replacing";
  char record[64] = "record", whom[160];
  if (person_rows(v) > 0) {
    (void)snprintf(record, sizeof record, "person, with all their records,");
  } else if (person > 1) {
    (void)snprintf(record, sizeof record, "person's records, at most %lld", (long long)person);
  }
  (void)snprintf(whom, sizeof whom, "%s one %s of%s %lld", change, record,
                 by_adding(v) ? " about" : "", (long long)rows);
  finding(v, v->holds, "claim", "(epsilon, delta) = (%s, %s) for %s", shown(epsilon).text,
          shown(stated).text, whom);
}

void state_assumptions(verifier *v) {
  bool descent = field_is(v->root, "privacy.mechanism", "descent");
  finding_remark(v, "not in the file: that the program drew its noise from a secure source, and %s",
                 descent ? "cut every record's slopes, whose sums it rounded within its bound"
                         : "certified its solution to within tau");
  finding_remark(v, "not in the file: that every row was kept within the norm, and the regularizer "
                    "is 1-strongly convex");
  finding_remark(v,
                 "not in the file: that the schema%s, the options and the %s were "
                 "chosen without looking at the records",
                 field_at(v->root, "schema.refined") ? ", but for what refining it cost" : "",
                 by_adding(v) ? "figure near the number of rows" : "number of rows");
  if (field_at(v->root, "privacy.composed")) {
    finding_remark(v, "not in the file: how many counts each histogram has, and that fits under "
                      "other answers would have kept within the stated ways, too");
  }
  if (person_rows(v) > 0) {
    finding_remark(v, "not in the file: that each person has one name in that column, and no two "
                      "have the same");
  }
  if (field_is_object(v, "evaluation")) {
    finding_remark(v, "not in the file: that the records were held out by coins that look at none "
                      "of them, and that nothing but the evaluation saw them");
    finding_remark(v, "not in the file: that the evaluation's counts are those of these records, "
                      "and the noisy counts that its cells were found by");
  }
  if (unit_is_person(v)) {
    finding_remark(v, "not in the file: that no person has more rows than it says");
  }
  if (field_is_object(v, "ledger") && !v->charge_checked) {
    finding_remark(v,
                   "not in the file: that a ledger was charged, as entry %lld says; 'dperm "
                   "ledger show' finds it by the model",
                   (long long)json_integer_value(field_at(v->root, "ledger.id")));
  }
  const char *version = json_string_value(field_at(v->root, "dperm_version"));
  if (!version || strncmp(version, "0.1.", 4) == 0) {
    finding_remark(v, "written by dperm 0.1: the advisory in SECURITY.md lists which of its claims "
                      "are too strong in ways that no file can show");
  }
  const char *loss = json_string_value(field_at(v->root, "loss.name"));
  if (!loss || !known_loss_find(loss)) {
    finding_remark(v, "the loss is not dperm's own: its L and c are declared, not proved");
  }
  if (field_is_object(v, "selection") && !selected_by(v, "public")) {
    finding_remark(v,
                   "not in the file: that the candidates that were not chosen were fitted in the "
                   "same way");
  }
}
