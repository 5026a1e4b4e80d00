/* See persons.h. */
#include "data/persons.h"

#include <math.h>

#include "base/memory.h"

double person_share(size_t m) {
  enum { UNITS = 1 << 20 };
  return floor((double)UNITS / (double)m) / UNITS;
}

void person_list_free(person_list *list) {
  if (list) {
    free(list->of_row);
    free(list->first);
    free(list->shares);
    free(list);
  }
}

static void person_list_free_at(person_list **list) {
  person_list_free(*list);
}

/* Numbers as they come, in the order of first records. */
static dperm_status number_rows(const double *persons, person_list *list, dperm_error *err) {
  OWNED_MEMORY uint32_t *known = NULL; /* what a number has become, and 1 */
  double most = 0;
  for (size_t i = 0; i < list->rows; i++) {
    most = fmax(most, persons[i]);
  }
  TRY(memory_new(list->rows > 0 ? (size_t)most + 1 : 0, sizeof *known, &known, err));
  for (size_t i = 0; i < list->rows; i++) {
    uint32_t *now = &known[(size_t)persons[i]];
    if (*now == 0) {
      list->first[list->count] = i;
      *now = (uint32_t)++list->count;
    }
    list->of_row[i] = *now - 1;
  }
  return DPERM_OK;
}

dperm_status person_list_new(const double *persons, size_t rows, size_t most, size_t here,
                             size_t count, person_list **out, dperm_error *err) {
  OWNED(person_list_free_at) person_list *list = NULL;
  OWNED_MEMORY size_t *records = NULL, *seen = NULL;
  TRY(memory_new(1, sizeof *list, &list, err));
  list->rows = rows;
  TRY(memory_new(rows, sizeof *list->of_row, &list->of_row, err));
  TRY(memory_new(rows, sizeof *list->first, &list->first, err));
  TRY(memory_new(count, sizeof *list->shares, &list->shares, err));
  TRY(number_rows(persons, list, err));
  TRY(memory_new(list->count, sizeof *records, &records, err));
  TRY(memory_new(list->count, sizeof *seen, &seen, err));
  for (size_t i = 0; i < rows; i++) {
    records[list->of_row[i]]++;
  }
  for (size_t i = 0; i < here + count; i++) {
    const uint32_t p = list->of_row[i];
    const size_t counted = records[p] < most ? records[p] : most;
    if (i >= here) {
      list->shares[i - here] = seen[p] < counted ? person_share(counted) : 0;
    }
    seen[p]++;
  }
  *out = TAKE(list);
  return DPERM_OK;
}
