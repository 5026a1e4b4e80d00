/* The "refined" object of a schema: written, and read again. */
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "privacy/guarantee.h"
#include "schema/schema_parse.h"

/* BLAKE2b-256 of one line for each member (docs/formats.md). */
static void refined_digest(const schema_refined *r, const char *version,
                           char out[DPERM_DIGEST_SIZE]) {
  char text[512], epsilon[DOUBLE_TEXT_SIZE], later[DOUBLE_TEXT_SIZE] = "";
  unsigned char hash[32];
  (void)format_double(r->epsilon, false, epsilon);
  if (r->later > 0) {
    (void)format_double(r->later, false, later);
  }
  int used = snprintf(text, sizeof text, "dperm-refined/1\n%s%s%s\n%zu\n%s\n%d\n%llu\n%s\n%.100s\n",
                      epsilon, *later ? " " : "", later, r->rows_per_person,
                      neighbours_word(r->neighbours), r->is_private, (unsigned long long)r->entry,
                      r->receipt, version);
  crypto_generichash_state state;
  (void)crypto_generichash_init(&state, NULL, 0, sizeof hash);
  (void)crypto_generichash_update(&state, (const unsigned char *)text, (unsigned long long)used);
  if (r->person) { /* of any length */
    (void)crypto_generichash_update(&state, (const unsigned char *)r->person, strlen(r->person));
  }
  (void)crypto_generichash_final(&state, hash, sizeof hash);
  (void)sodium_bin2hex(out, DPERM_DIGEST_SIZE, hash, sizeof hash);
}

json_t *schema_refined_json(const schema_refined *r) {
  char digest[DPERM_DIGEST_SIZE];
  json_t *ledger = r->entry == 0
                       ? json_null()
                       : json_pack("{s:I, s:s}", "id", (json_int_t)r->entry, "digest", r->receipt);
  refined_digest(r, dperm_version(), digest);
  json_t *object = json_pack("{s:f, s:s, s:I, s:s, s:b, s:o, s:s, s:s}", "epsilon", r->epsilon,
                             "unit", r->rows_per_person == 1 ? "row" : "person", "rows_per_person",
                             (json_int_t)r->rows_per_person, "neighbours",
                             neighbours_word(r->neighbours), "private", r->is_private, "ledger",
                             ledger, "dperm_version", dperm_version(), "digest", digest);
  if (r->later > 0) {
    json_set(&object, "later", json_real(r->later));
  }
  if (r->person) {
    json_set(&object, "person", json_string(r->person));
  }
  return object;
}

static const char *text_at(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

/* The reservation that paid for it; null if none did. */
static bool read_ledger(const json_t *ledger, schema_refined *out) {
  json_int_t id = json_integer_value(json_object_get(ledger, "id"));
  const char *receipt = text_at(ledger, "digest");
  if (json_is_null(ledger)) {
    return true;
  }
  out->entry = id > 0 ? (uint64_t)id : 0;
  (void)snprintf(out->receipt, sizeof out->receipt, "%s", receipt);
  return json_object_size(ledger) == 2 && id > 0 && strlen(receipt) == DPERM_DIGEST_SIZE - 1;
}

dperm_status schema_parse_refined(const json_document *doc, schema_refined *out, dperm_error *err) {
  static const char *const keys[] = {
      "epsilon",       "unit",   "rows_per_person", "neighbours", "private", "ledger",
      "dperm_version", "digest", "later",           "person",     NULL};
  json_t *object = json_object_get(doc->root, "refined");
  char digest[DPERM_DIGEST_SIZE];
  if (!object) {
    return DPERM_OK;
  }
  TRY(json_check_keys(doc, object, keys, "\"refined\"", err));
  const json_t *epsilon = json_object_get(object, "epsilon"),
               *later = json_object_get(object, "later"),
               *stamp = json_object_get(object, "private");
  const json_t *unit = json_object_get(object, "rows_per_person");
  json_int_t rows = json_integer_value(unit);
  const char *whom = text_at(object, "neighbours");
  const char *person = json_string_value(json_object_get(object, "person"));
  bool adding = strcmp(whom, neighbours_word(DPERM_NEIGHBOURS_ADD_REMOVE)) == 0;
  schema_refined r = {.epsilon = json_number_value(epsilon),
                      .later = json_number_value(later),
                      .rows_per_person = rows > 0 ? (size_t)rows : 0,
                      .person = person,
                      .neighbours = adding ? DPERM_NEIGHBOURS_ADD_REMOVE : DPERM_NEIGHBOURS_REPLACE,
                      .is_private = json_is_true(stamp)};
  bool whole = json_is_number(epsilon) && r.epsilon > 0 && r.epsilon < 1e6 && /* a NaN is not */
               (!later || (r.later > r.epsilon && r.later < 1e6)) && json_is_integer(unit) &&
               rows >= 0 && rows <= 1000000 && json_is_boolean(stamp) &&
               strcmp(text_at(object, "unit"), rows == 1 ? "row" : "person") == 0 &&
               strcmp(whom, neighbours_word(r.neighbours)) == 0 &&
               read_ledger(json_object_get(object, "ledger"), &r);
  refined_digest(&r, text_at(object, "dperm_version"), digest);
  const char *own = json_string_value(json_object_get(doc->root, "person"));
  JSON_FAIL_IF(
      whole && person && (!own || strcmp(own, person) != 0), doc, json_blamed(doc->root, object),
      err,
      "the schema was refined for persons whom column \"%.64s\" tells apart, and now it says "
      "another: epsilons of different persons cannot be added; refine the wide schema again",
      person);
  whole = whole && (person != NULL) == (rows == 0);
  JSON_FAIL_IF(!whole || strcmp(digest, text_at(object, "digest")) != 0, doc,
               json_blamed(doc->root, object), err,
               "\"refined\" is not as 'dperm refine' wrote it, so what the schema cost is not "
               "known; refine the wide schema again, and do not edit this object");
  *out = r;
  return DPERM_OK;
}
