/* Public weights of classes. */

#include <math.h>

#include "base/defect.h"
#include "base/memory.h"
#include "data/dataset.h"

/* Beyond these a class is next to nothing beside the other: a slip of the pen. */
static const double largest = 1e6, smallest = 1e-6;

dperm_status class_weights_validate(const dperm_class_weight *given, size_t count,
                                    dperm_error *err) {
  FAIL_IF(count > CLASSES_MOST || (count > 0 && !given), err, DPERM_INVALID_ARGUMENT,
          "%zu class weights; give one for a class, at most %d", count, CLASSES_MOST);
  for (size_t i = 0; i < count; i++) {
    FAIL_IF(!given[i].name, err, DPERM_INVALID_ARGUMENT, "a class weight has no class; name it");
    FAIL_IF(!(given[i].weight >= smallest && given[i].weight <= largest), err,
            DPERM_INVALID_ARGUMENT,
            "class \"%.64s\" has a weight of %g; give a number between %g and %g", given[i].name,
            given[i].weight, smallest, largest);
    for (size_t j = 0; j < i; j++) {
      FAIL_IF(strcmp(given[i].name, given[j].name) == 0, err, DPERM_INVALID_ARGUMENT,
              "class \"%.64s\" has two weights; give one", given[i].name);
    }
  }
  return DPERM_OK;
}

static size_t find_class(const class_list *classes, const char *name) {
  size_t i = 0;
  while (i < classes->count && strcmp(classes->names[i], name) != 0) {
    i++;
  }
  return i;
}

dperm_status class_weights_new(const class_list *classes, const dperm_class_weight *given,
                               size_t count, double **out, dperm_error *err) {
  OWNED_MEMORY double *weights = NULL;
  double most = 0;
  TRY(class_weights_validate(given, count, err));
  TRY(memory_new(classes->count, sizeof *weights, &weights, err));
  for (size_t i = 0; i < classes->count; i++) {
    weights[i] = 1;
  }
  for (size_t i = 0; i < count; i++) {
    size_t at = find_class(classes, given[i].name);
    FAIL_IF(at == classes->count, err, DPERM_INVALID_ARGUMENT,
            "\"%.64s\" has a weight and is no class; the first two of %zu are \"%.64s\" and "
            "\"%.64s\"",
            given[i].name, classes->count, classes->names[0], classes->names[1]);
    weights[at] = given[i].weight;
  }
  for (size_t i = 0; i < classes->count; i++) {
    most = fmax(most, weights[i]);
  }
  for (size_t i = 0; i < classes->count && !DEFECT("weights-unscaled"); i++) {
    weights[i] /= most; /* at most 1: a quotient of a smaller by a larger never rounds above it */
  }
  if (out) {
    *out = TAKE(weights);
  }
  return DPERM_OK;
}

dperm_status class_weights_of_data(const dperm_data *data, const dperm_class_weight *given,
                                   size_t count, double **out, dperm_error *err) {
  OWNED(class_list_clear) class_list classes = {0};
  if (count == 0) {
    return DPERM_OK;
  }
  TRY(data_class_names(data, &classes, err));
  return class_weights_new(&classes, given, count, out, err);
}

void class_weights_of_rows(const double *weights, size_t classes, const double *labels, size_t rows,
                           double *out) {
  for (size_t i = 0; i < rows; i++) {
    out[i] = weights[classes > 2 ? (size_t)labels[i] : labels[i] > 0];
  }
}
