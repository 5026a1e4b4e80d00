/* See reading.h. */
#include "ledger/reading.h"

#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/defect.h"
#include "base/functions.h"
#include "base/status.h"
#include "base/text.h"
#include "privacy/guarantee.h"

/* Records are written with costs that are rounded up by more than this, so that another machine's
 * logarithm does not refuse them (privacy/renyi.h). */
static const double agreement = 5e-10;
static const double places = 1e9; /* of divergences, which people read */
static const double least_order = 1.1, most_epsilon = 100;

static double value_of(const amount *a) {
  char text[DPERM_AMOUNT_SIZE];
  double value = 0;
  amount_text(a, text);
  return parse_double(slice_of(text), &value) == NUMBER_OK ? value : (double)NAN;
}

/* ---- the budget */

/* One half of delta is for what fails, the other, but for a thousandth, pays for the conversion. */
static bool halves(const amounts *total, amount *half) {
  *half = total->delta;
  return amount_halve(half);
}

static double converted(const amount *half) {
  return 0.999 * value_of(half);
}

static double budget_at(double order, const amounts *total, const amount *half) {
  return renyi_budget(order, value_of(&total->epsilon), converted(half));
}

dperm_status reading_fix(bool renyi, double order, const amounts *total, record_terms *out,
                         dperm_error *err) {
  amount half;
  *out = (record_terms){.renyi = renyi};
  if (!renyi) {
    FAIL_IF(order != 0, err, DPERM_INVALID_ARGUMENT,
            "an order of %g is for Renyi composition; ask for that too", order);
    return DPERM_OK;
  }
  double epsilon = value_of(&total->epsilon);
  FAIL_IF(!halves(total, &half) || !(value_of(&half) > 0 && value_of(&half) < 0.5) ||
              epsilon > most_epsilon,
          err, DPERM_INVALID_ARGUMENT,
          "Renyi composition needs a total epsilon of at most %g and a total delta above 0 and "
          "below 1, with room for its half; half of it pays for the conversion",
          most_epsilon);
  out->order = order == 0 ? renyi_order_for(epsilon, converted(&half)) : order;
  FAIL_IF(!(out->order >= least_order && out->order <= RENYI_ORDER_MOST), err,
          DPERM_INVALID_ARGUMENT, "a Renyi order of %g; give one from %g to %d", order, least_order,
          RENYI_ORDER_MOST);
  double budget = floor(budget_at(out->order, total, &half) * places) / places;
  FAIL_IF(!(budget > 0) || !amount_of_double(budget, &out->budget), err, DPERM_INVALID_ARGUMENT,
          "Renyi order %g leaves nothing of a total epsilon of %g at that delta (the best order is "
          "%g); give a larger total, or add up plainly",
          out->order, epsilon, renyi_order_for(epsilon, converted(&half)));
  return DPERM_OK;
}

bool reading_of_terms(const record_terms *terms, const amounts *total, reading *out) {
  *out = (reading){.adding = terms->adding,
                   .renyi = terms->renyi,
                   .order = terms->order,
                   .total = *total,
                   .limit = *total};
  if (!terms->renyi) {
    return true;
  }
  out->limit.epsilon = terms->budget;
  bool sound = terms->order >= least_order && terms->order <= RENYI_ORDER_MOST &&
               halves(total, &out->limit.delta) &&
               amount_compare(&terms->budget, &total->epsilon) <= 0;
  double proved = sound ? budget_at(terms->order, total, &out->limit.delta) : 0;
  return sound && value_of(&terms->budget) <= proved + agreement * value_of(&total->epsilon);
}

/* ---- costs */

bool amounts_claimed(double epsilon, double delta, bool twice, amounts *out) {
  const guarantee own = {
      .epsilon = epsilon, .delta = delta, .neighbours = DPERM_NEIGHBOURS_ADD_REMOVE};
  return amount_of_double(epsilon, &out->epsilon) &&
         amount_of_double(twice ? guarantee_replaced(&own).delta : delta, &out->delta) &&
         (!twice || amount_add(&out->epsilon, &out->epsilon, &out->epsilon));
}

typedef struct renyi_price {
  double divergence;
  double delta; /* for failures */
} renyi_price;

/* Of anything that is (epsilon, delta)-private, Lemma C3: delta counts as it is. */
static double price_of_claim(const reading *r, const amounts *claim) {
  return renyi_of_pure(DEFECT("order-mixed") ? 2 : r->order, value_of(&claim->epsilon));
}

/* Theorem C7: a failure of the numerics counts 1000·e^epsilon times, so that what it adds on the
 * other neighbour's side is below the thousandth of delta that is set apart for it. */
static renyi_price price_of_curve(const reading *r, const privacy_curve *curve) {
  if (curve->fits == 0) {
    return (renyi_price){(double)INFINITY, (double)INFINITY};
  }
  double odds = 1000 * curve->failure * math_exp(value_of(&r->total.epsilon)) * (1 + 1e-9);
  return (renyi_price){renyi_of_curve(r->order, curve), odds};
}

static bool divergence_amount(double value, amount *out) {
  return amount_of_double(ceil(value * places) / places, out);
}

bool reading_takes_curve(const reading *r, const amounts *claim, bool adding,
                         int64_t rows_per_person, const privacy_curve *curve) {
  if (curve->fits == 0 || DEFECT("curve-of-others")) {
    return true;
  }
  return adding == r->adding && rows_per_person == 1 && curve_is_sound(curve) &&
         curve_fits_claim(curve, adding, value_of(&claim->epsilon), value_of(&claim->delta));
}

bool reading_cost(const reading *r, const amounts *claim, const privacy_curve *curve,
                  amounts *cost) {
  *cost = *claim;
  if (!r->renyi) {
    return true;
  }
  double plain = price_of_claim(r, claim);
  renyi_price shaped = price_of_curve(r, curve);
  if (DEFECT("failures-uncounted")) {
    cost->delta = (amount){{0}};
  }
  /* with a total far above 50 failures alone would cost more than the claim's delta */
  if (!(shaped.divergence < plain && shaped.delta <= value_of(&claim->delta))) {
    return divergence_amount(plain, &cost->epsilon);
  }
  return divergence_amount(shaped.divergence, &cost->epsilon) &&
         amount_of_double(shaped.delta, &cost->delta);
}

bool reading_covers(const reading *r, const amounts *claim, const record_terms *terms) {
  if (!r->renyi || !terms->priced) {
    return !r->renyi && !terms->priced;
  }
  renyi_price shaped = price_of_curve(r, &terms->curve);
  double stated = value_of(&terms->cost.epsilon), failures = value_of(&terms->cost.delta);
  return (stated >= price_of_claim(r, claim) * (1 - agreement) &&
          (amount_compare(&terms->cost.delta, &claim->delta) >= 0 ||
           DEFECT("failures-uncounted"))) ||
         (stated >= shaped.divergence * (1 - agreement) &&
          failures >= shaped.delta * (1 - agreement));
}

bool reading_is_part(const reading *part, const reading *whole) {
  return part->adding == whole->adding && part->renyi == whole->renyi &&
         part->order == whole->order && amounts_cover(&whole->total, &part->total);
}

void reading_shown(const reading *r, const amounts *costs, bool charged, amounts *spent,
                   amounts *left) {
  amounts_subtract(&r->limit, costs, left);
  if (charged) {
    amounts_subtract(&r->total, left, spent);
  } else {
    *spent = (amounts){.epsilon = {{0}}, .delta = {{0}}};
  }
}

/* ---- terms as text: one table has all keys; a text is taken term by term, and counts only if the
 * table makes the same text of what was taken */

/* Keys that are there together. */
typedef enum part {
  ADDING,
  RENYI,
  REFINED,
  COUNTED,
  HELD,
  PLACES,
  PERSON,
  CURVE,
  MEAN,
  APART,
  PRICE
} part;
typedef enum value_kind { WORD, NUMBER, COUNT, AMOUNT, CORNERS } value_kind;
enum { VALUE_SIZE = CURVE_CORNERS * (2 * DOUBLE_TEXT_SIZE + 2) };

typedef struct term {
  const char *key;
  part part;
  value_kind kind;
  size_t offset;
  const char *word; /* that a truth is written as */
} term;

#define AT(member) offsetof(record_terms, member)
static const term keys[] = {
    {"neighbours", ADDING, WORD, AT(adding), "add-remove"},
    {"composition", RENYI, WORD, AT(renyi), "renyi"},
    {"order", RENYI, NUMBER, AT(order), NULL},
    {"budget", RENYI, AMOUNT, AT(budget), NULL},
    {"refined", REFINED, NUMBER, AT(refined), NULL},
    {"counted", COUNTED, NUMBER, AT(counted), NULL},
    {"held", HELD, NUMBER, AT(held), NULL},
    {"places", PLACES, NUMBER, AT(places), NULL},
    {"person", PERSON, NUMBER, AT(person), NULL},
    {"fits", CURVE, COUNT, AT(curve.fits), NULL},
    {"slack", CURVE, NUMBER, AT(curve.slack), NULL},
    {"mean", MEAN, NUMBER, AT(curve.mean), NULL},
    {"corners", CURVE, CORNERS, AT(curve), NULL},
    {"num", CURVE, NUMBER, AT(curve.epsilon_num), NULL},
    {"pure", CURVE, NUMBER, AT(curve.pure), NULL},
    {"failure", CURVE, NUMBER, AT(curve.failure), NULL},
    {"apart", APART, NUMBER, AT(curve.apart), NULL},
    {"cost", PRICE, AMOUNT, AT(cost.epsilon), NULL},
    {"cost_delta", PRICE, AMOUNT, AT(cost.delta), NULL},
};
enum { KEYS = sizeof keys / sizeof *keys };

static bool has_part(const record_terms *t, part which) {
  const bool parts[] = {
      [ADDING] = t->adding,        [RENYI] = t->renyi,
      [REFINED] = t->refined > 0,  [COUNTED] = t->counted > 0,
      [CURVE] = t->curve.fits > 0, [MEAN] = t->curve.fits > 0 && t->curve.mean > 0,
      [PRICE] = t->priced,         [APART] = t->curve.fits > 0 && t->curve.apart > 0,
      [HELD] = t->held > 0,        [PLACES] = t->places > 0,
      [PERSON] = t->person > 0};
  return parts[which];
}

/* "1:0.02,2:0.01": counts and ratios. */
static void write_corners(const privacy_curve *c, char out[VALUE_SIZE]) {
  size_t used = 0;
  *out = '\0';
  for (size_t i = 0; i < c->corner_count; i++) {
    char count[DOUBLE_TEXT_SIZE], ratio[DOUBLE_TEXT_SIZE];
    (void)format_double(c->corners[i].count, false, count);
    (void)format_double(c->corners[i].ratio, false, ratio);
    used += (size_t)snprintf(out + used, VALUE_SIZE - used, "%s%s:%s", i ? "," : "", count, ratio);
  }
}

static void write_value(const term *t, const record_terms *terms, char out[VALUE_SIZE]) {
  const void *place = (const char *)terms + t->offset;
  if (t->kind == WORD) {
    (void)snprintf(out, VALUE_SIZE, "%s", t->word);
  } else if (t->kind == AMOUNT) {
    amount_text(place, out);
  } else if (t->kind == CORNERS) {
    write_corners(place, out);
  } else {
    double number = t->kind == COUNT ? (double)*(const size_t *)place : *(const double *)place;
    (void)format_double(number, false, out);
  }
}

void terms_write(const record_terms *terms, char out[TERMS_SIZE]) {
  size_t used = 0;
  out[0] = '\0';
  for (const term *t = keys; t < keys + KEYS; t++) {
    char text[VALUE_SIZE];
    if (has_part(terms, t->part)) {
      write_value(t, terms, text);
      used +=
          (size_t)snprintf(out + used, TERMS_SIZE - used, "%s%s=%s", used ? " " : "", t->key, text);
    }
  }
}

/* What stands in *rest before `mark`, or all; *rest is what stands behind it then. */
static slice cut(slice *rest, char mark) {
  const char *end = memchr(rest->start, mark, rest->length);
  slice first = {rest->start, end ? (size_t)(end - rest->start) : rest->length};
  size_t over = first.length + (end != NULL);
  *rest = (slice){rest->start + over, rest->length - over};
  return first;
}

static bool take_number(slice text, double *out) {
  return parse_double(text, out) == NUMBER_OK;
}

static bool take_amount(slice text, amount *out) {
  char copy[DPERM_AMOUNT_SIZE];
  if (text.length >= sizeof copy) {
    return false;
  }
  memcpy(copy, text.start, text.length);
  copy[text.length] = '\0';
  return amount_parse(copy, out);
}

static bool take_corners(slice text, privacy_curve *c) {
  bool good = true;
  while (good && text.length > 0) {
    slice ratio = cut(&text, ','), count = cut(&ratio, ':');
    good = c->corner_count < CURVE_CORNERS &&
           take_number(count, &c->corners[c->corner_count].count) &&
           take_number(ratio, &c->corners[c->corner_count].ratio);
    c->corner_count += good;
  }
  return good;
}

static bool take_value(const term *t, slice text, record_terms *out) {
  void *place = (char *)out + t->offset;
  switch (t->kind) {
  case WORD:
    *(bool *)place = slice_is(text, t->word);
    return *(bool *)place;
  case NUMBER:
    return take_number(text, place);
  case COUNT:
    return parse_size(text, CURVE_FITS_MOST, place);
  case AMOUNT:
    return take_amount(text, place);
  case CORNERS:
    return take_corners(text, place);
  }
  return false;
}

double terms_digest(const void *bytes, size_t size, const unsigned char *key, size_t key_size) {
  enum { DIGEST_BYTES = 6 };
  unsigned char hash[crypto_generichash_BYTES_MIN];
  double out = 0;
  (void)crypto_generichash(hash, sizeof hash, bytes, size, key, key_size);
  for (size_t i = 0; i < DIGEST_BYTES; i++) {
    out = out * 256 + hash[i];
  }
  return out > 0 ? out : 1;
}

bool terms_parse(const char *text, record_terms *out) {
  char again[TERMS_SIZE];
  slice rest = slice_of(text);
  *out = (record_terms){.renyi = false};
  while (rest.length > 0) {
    slice value = cut(&rest, ' '), key = cut(&value, '=');
    const term *t = keys;
    while (t < keys + KEYS && !slice_is(key, t->key)) {
      t++;
    }
    if (t == keys + KEYS || !take_value(t, value, out)) {
      return false;
    }
    out->priced |= t->part == PRICE;
  }
  if (out->curve.fits > 0 && !curve_is_sound(&out->curve)) {
    return false;
  }
  terms_write(out, again);
  return strcmp(text, again) == 0;
}
