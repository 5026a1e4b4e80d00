/* See record_terms.h. One table has all keys; a text is taken term by term, and counts only if the
 * table makes the same text of what was taken. */
#include "ledger/record_terms.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Keys that are there together. */
typedef enum part { ADDING, RENYI, REFINED, CURVE, MEAN, PRICE } part;
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
    {"fits", CURVE, COUNT, AT(curve.fits), NULL},
    {"slack", CURVE, NUMBER, AT(curve.slack), NULL},
    {"mean", MEAN, NUMBER, AT(curve.mean), NULL},
    {"corners", CURVE, CORNERS, AT(curve), NULL},
    {"num", CURVE, NUMBER, AT(curve.epsilon_num), NULL},
    {"pure", CURVE, NUMBER, AT(curve.pure), NULL},
    {"failure", CURVE, NUMBER, AT(curve.failure), NULL},
    {"cost", PRICE, AMOUNT, AT(cost.epsilon), NULL},
    {"cost_delta", PRICE, AMOUNT, AT(cost.delta), NULL},
};
enum { KEYS = sizeof keys / sizeof *keys };

/* ---- writing */

static bool has_part(const record_terms *t, part which) {
  const bool parts[] = {[ADDING] = t->adding,
                        [RENYI] = t->renyi,
                        [REFINED] = t->refined > 0,
                        [CURVE] = t->curve.fits > 0,
                        [MEAN] = t->curve.fits > 0 && t->curve.mean > 0,
                        [PRICE] = t->priced};
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

/* ---- reading */

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
