/* A count of two classes, whatever it is: noise may make it less than none. */
static bool positives_known(verifier *v, char words[SHARE_WORDS]) {
  const json_t *count = field_at(v->root, "positives.positive_records");
  bool known = json_is_integer(count) && class_fits_of(v) == 1;
  (void)snprintf(words, SHARE_WORDS, "about %lld records%s, counted",
                 (long long)json_integer_value(count), known ? "" : ", which is no such count");
  return known;
}
