/* What a run released for intervals (docs/proofs/intervals.md): three vectors of whole numbers, as
 * long as the schema's columns say, at 13, 13 and 5 parts of 31 of their epsilon. Sums with noise
 * do not show how much they have, so a file can prove no more than that the share it states is
 * counted, by check_shares.c, and that these sums are the ones it is for. */
#include <stdio.h>
#include <string.h>

#include "verify/checks.h"

/* Columns, and numbers among them. */
typedef struct design {
  unsigned long long columns, numbers;
  bool clear;
} design;

static void add_column(const json_t *column, design *d) {
  const bool number = field_is(column, "type", "numeric");
  const unsigned long long values = json_array_size(json_object_get(column, "values")) +
                                    json_object_size(json_object_get(column, "groups"));
  if (number || field_is(column, "type", "categorical")) {
    const unsigned long long width = number ? 1 : values > 0 ? values - 1 : 0;
    d->clear = d->clear && width > 0 && !json_object_get(column, "bins") &&
               (number || json_is_string(json_object_get(column, "reference")));
    d->columns += width;
    d->numbers += number;
  }
}

static bool has_sums(const verifier *v, const char *key, unsigned long long count) {
  const json_t *list = json_object_get(field_at(v->root, "intervals"), key), *own;
  bool whole = json_array_size(list) == count;
  size_t i;
  json_array_foreach(list, i, own) {
    whole = whole && json_is_integer(own);
  }
  return whole;
}

bool intervals_known(verifier *v, char words[SHARE_WORDS]) {
  const json_t *schema = field_at(v->root, "schema"), *column;
  design d = {0, 0, true};
  size_t i;
  json_array_foreach(json_object_get(schema, "columns"), i, column) {
    add_column(column, &d);
  }
  const bool loss =
      field_is(v->root, "loss.name", "logistic") || field_is(v->root, "loss.name", "log-cosh");
  const bool fixed = field_is(schema, "rows", "fixed") && has_intercept(schema) &&
                     json_array_size(json_object_get(schema, "crosses")) == 0 &&
                     !field_is(schema, "on_missing", "category");
  const unsigned long long products = (d.columns + 1) * (d.columns + 2) / 2;
  (void)snprintf(
      words, SHARE_WORDS,
      "sums of %llu, %llu and %llu whole numbers, of %llu columns, with noise by what is stated,",
      1 + d.columns + d.numbers, products, 2 * d.columns, d.columns);
  return d.clear && d.columns > 0 && loss && fixed && class_fits_of(v) == 1 && !by_adding(v) &&
         person_rows(v) == 0 && !unit_is_person(v) && !field_is_object(v, "kernel") &&
         !field_is_object(v, "class_weights") && !field_is_object(v, "selection") &&
         has_sums(v, "scales", 1 + d.columns + d.numbers) &&
         has_sums(v, "correlations", products) && has_sums(v, "spread", 2 * d.columns) &&
         json_object_size(json_object_get(v->root, "intervals")) == 4; /* with epsilon */
}
