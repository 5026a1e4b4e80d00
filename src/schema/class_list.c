/* See class_list.h. */
#include "schema/class_list.h"

#include <stdio.h>

#include "base/memory.h"

dperm_status class_list_new(size_t count, class_list *out, dperm_error *err) {
  FAIL_IF(count < 2 || count > CLASSES_MOST, err, DPERM_INVALID_ARGUMENT,
          "%zu classes; give from 2 to %d", count, CLASSES_MOST);
  *out = (class_list){.count = count};
  return memory_new(count, sizeof *out->names, &out->names, err);
}

dperm_status class_list_of(const char *const *names, size_t count, class_list *out,
                           dperm_error *err) {
  OWNED(class_list_clear) class_list made = {0};
  TRY(class_list_new(count, &made, err));
  for (size_t i = 0; i < count; i++) {
    char number[24];
    (void)snprintf(number, sizeof number, "%zu", i);
    const char *own = count > 2 ? number : i ? "+1" : "-1";
    const char *name = names ? names[i] : own;
    TRY(memory_copy_text(name, strlen(name), &made.names[i], err));
  }
  *out = made;
  made = (class_list){0};
  return DPERM_OK;
}

dperm_status class_list_copy(const class_list *from, class_list *out, dperm_error *err) {
  return class_list_of((const char *const *)from->names, from->count, out, err);
}

void class_list_clear(class_list *list) {
  for (size_t i = 0; list->names && i < list->count; i++) {
    free(list->names[i]);
  }
  free(list->names);
  *list = (class_list){0};
}

bool class_list_equal(const class_list *a, const class_list *b) {
  size_t i = 0;
  while (i < a->count && i < b->count && strcmp(a->names[i], b->names[i]) == 0) {
    i++;
  }
  return i == a->count && i == b->count;
}

size_t class_list_repeated(const class_list *list) {
  for (size_t i = 1; i < list->count; i++) {
    for (size_t before = 0; before < i; before++) {
      if (strcmp(list->names[i], list->names[before]) == 0) {
        return i;
      }
    }
  }
  return list->count;
}
