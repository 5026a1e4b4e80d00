/* Names in order, known in public: of the classes that a label can be, or of a column's categories.
 * Two classes are told apart by one fit, the first negative and the second positive; more by one
 * fit each, against all the others. */
#pragma once

#include "base/narrow.h"
#include "base/status.h"

/* Each class costs a fit of its own, at 1/k of epsilon. */
enum { CLASSES_MOST = CLASSES_HELD };

/* Zeroed is empty. */
typedef struct class_list {
  size_t count;
  char **names;
} class_list;

/* Space for `count` names, each still NULL. */
dperm_status class_list_new(size_t count, class_list *out, dperm_error *err);
/* Copies of `names`; NULL for "-1" and "+1", or "0", "1", … if there are more than two. */
dperm_status class_list_of(const char *const *names, size_t count, class_list *out,
                           dperm_error *err);
dperm_status class_list_copy(const class_list *from, class_list *out, dperm_error *err);
void class_list_clear(class_list *list);

bool class_list_equal(const class_list *a, const class_list *b);
/* The first name that stands in the list before; `count` if all differ. */
size_t class_list_repeated(const class_list *list);

/* The number of fits, and of weight vectors, that the classes take. */
static inline size_t class_fits(size_t classes) {
  return classes > 2 ? classes : 1;
}

/* A class as the label of a row: −1 or +1 of two, else its index. */
static inline double class_label(size_t classes, size_t index) {
  return classes > 2 ? (double)index : index ? 1.0 : -1.0;
}
/* And back. */
static inline size_t class_of_label(size_t classes, double label) {
  return classes > 2 ? (size_t)label : label > 0;
}
