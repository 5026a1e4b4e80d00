/* See record_terms.h. */
#include "ledger/record_terms.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* ---- writing */

typedef struct writer {
  char *out;
  size_t used;
} writer;

static void put(writer *w, const char *key, const char *value) {
  w->used += (size_t)snprintf(w->out + w->used, TERMS_SIZE - w->used, "%s%s=%s", w->used ? " " : "",
                              key, value);
}

static void put_double(writer *w, const char *key, double value) {
  char text[DOUBLE_TEXT_SIZE];
  (void)format_double(value, false, text);
  put(w, key, text);
}

static void put_amount(writer *w, const char *key, const amount *value) {
  char text[DPERM_AMOUNT_SIZE];
  amount_text(value, text);
  put(w, key, text);
}

/* "1:0.02,2:0.01": counts and ratios. */
static void put_corners(writer *w, const privacy_curve *c) {
  char text[CURVE_CORNERS * (2 * DOUBLE_TEXT_SIZE + 2)] = "";
  size_t used = 0;
  for (size_t i = 0; i < c->corner_count; i++) {
    char count[DOUBLE_TEXT_SIZE], ratio[DOUBLE_TEXT_SIZE];
    (void)format_double(c->corners[i].count, false, count);
    (void)format_double(c->corners[i].ratio, false, ratio);
    used +=
        (size_t)snprintf(text + used, sizeof text - used, "%s%s:%s", i ? "," : "", count, ratio);
  }
  put(w, "corners", text);
}

static void put_curve(writer *w, const privacy_curve *c) {
  put_double(w, "fits", (double)c->fits);
  put_double(w, "slack", c->slack);
  if (c->mean > 0) {
    put_double(w, "mean", c->mean);
  }
  put_corners(w, c);
  put_double(w, "num", c->epsilon_num);
  put_double(w, "pure", c->pure);
  put_double(w, "failure", c->failure);
}

void terms_write(const record_terms *terms, char out[TERMS_SIZE]) {
  writer w = {out, 0};
  out[0] = '\0';
  if (terms->adding) {
    put(&w, "neighbours", "add-remove");
  }
  if (terms->renyi) {
    put(&w, "composition", "renyi");
    put_double(&w, "order", terms->order);
    put_amount(&w, "budget", &terms->budget);
  }
  if (terms->refined > 0) {
    put_double(&w, "refined", terms->refined);
  }
  if (terms->curve.fits > 0) {
    put_curve(&w, &terms->curve);
  }
  if (terms->priced) {
    put_amount(&w, "cost", &terms->cost.epsilon);
    put_amount(&w, "cost_delta", &terms->cost.delta);
  }
}

/* ---- reading: each key in its place, or not at all */

/* The value of `key` if that comes next; *at moves behind it. */
static bool take(const char **at, const char *key, slice *value) {
  size_t length = strlen(key);
  if (strncmp(*at, key, length) != 0 || (*at)[length] != '=') {
    return false;
  }
  value->start = *at + length + 1;
  value->length = strcspn(value->start, " ");
  *at = value->start + value->length;
  *at += **at == ' ';
  return true;
}

static bool take_double(const char **at, const char *key, double *out) {
  slice value;
  return take(at, key, &value) && parse_double(value, out) == NUMBER_OK;
}

static bool take_amount(const char **at, const char *key, amount *out) {
  slice value;
  char text[DPERM_AMOUNT_SIZE];
  if (!take(at, key, &value) || value.length >= sizeof text) {
    return false;
  }
  memcpy(text, value.start, value.length);
  text[value.length] = '\0';
  return amount_parse(text, out);
}

static bool take_corner(slice text, gaussian_corner *out) {
  const char *colon = memchr(text.start, ':', text.length);
  if (!colon) {
    return false;
  }
  size_t before = (size_t)(colon - text.start);
  return parse_double((slice){text.start, before}, &out->count) == NUMBER_OK &&
         parse_double((slice){colon + 1, text.length - before - 1}, &out->ratio) == NUMBER_OK;
}

static bool take_corners(const char **at, privacy_curve *c) {
  slice rest;
  bool good = take(at, "corners", &rest);
  while (good && rest.length > 0) {
    const char *comma = memchr(rest.start, ',', rest.length);
    size_t length = comma ? (size_t)(comma - rest.start) : rest.length;
    good = c->corner_count < CURVE_CORNERS &&
           take_corner((slice){rest.start, length}, &c->corners[c->corner_count++]);
    size_t over = length + (comma != NULL);
    rest = (slice){rest.start + over, rest.length - over};
  }
  return good;
}

static bool next_is(const char *at, const char *key) {
  return take(&at, key, &(slice){NULL, 0});
}

static bool take_curve(const char **at, privacy_curve *c) {
  slice fits;
  return take(at, "fits", &fits) && parse_size(fits, CURVE_FITS_MOST, &c->fits) &&
         take_double(at, "slack", &c->slack) &&
         (!next_is(*at, "mean") || take_double(at, "mean", &c->mean)) && take_corners(at, c) &&
         take_double(at, "num", &c->epsilon_num) && take_double(at, "pure", &c->pure) &&
         take_double(at, "failure", &c->failure) && c->fits > 0 && curve_is_sound(c);
}

bool terms_parse(const char *text, record_terms *out) {
  char again[TERMS_SIZE];
  const char *at = text;
  bool good = true;
  *out = (record_terms){.renyi = false};
  if (next_is(at, "neighbours")) {
    slice word;
    out->adding = good = take(&at, "neighbours", &word) && slice_is(word, "add-remove");
  }
  if (good && next_is(at, "composition")) {
    slice name;
    out->renyi = good = take(&at, "composition", &name) && slice_is(name, "renyi") &&
                        take_double(&at, "order", &out->order) &&
                        take_amount(&at, "budget", &out->budget);
  }
  if (good && next_is(at, "refined")) {
    good = take_double(&at, "refined", &out->refined) && out->refined > 0;
  }
  if (good && next_is(at, "fits")) {
    good = take_curve(&at, &out->curve);
  }
  if (good && next_is(at, "cost")) {
    out->priced = good = take_amount(&at, "cost", &out->cost.epsilon) &&
                         take_amount(&at, "cost_delta", &out->cost.delta);
  }
  if (!good || *at) {
    return false;
  }
  terms_write(out, again);
  return strcmp(text, again) == 0;
}
