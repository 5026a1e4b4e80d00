/* An integer, and of two classes. */
static bool take_positives(const json_t *stated, dperm_model *model) {
  return json_is_integer(json_object_get(stated, "positive_records")) && model->classes.count == 2;
}
