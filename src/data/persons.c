/* See persons.h. */
#include "data/persons.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* The persons of all records of a job, which each process has for those of its own. */
static dperm_status persons_everywhere(const matrix *x, double **persons, dperm_error *err) {
  OWNED_MEMORY size_t *rows = NULL;
  double *all = NULL;
  TRY(memory_new(x->total, sizeof *rows, &rows, err));
  TRY(memory_new(x->total, sizeof *all, &all, err));
  for (size_t i = 0; i < x->total; i++) {
    rows[i] = i;
  }
  dperm_status status = spread_everywhere(x, *persons, 1, rows, x->total, all, err);
  free(*persons);
  *persons = all;
  return status;
}

dperm_status data_find_persons(dperm_data *data, dperm_error *err) {
  const record_table *t = data->table;
  const matrix *x = data->x;
  OWNED_MEMORY double *persons = NULL;
  if (!t || t->layout.person == NO_PERSON) {
    return DPERM_OK;
  }
  TRY(memory_new(t->rows, sizeof *persons, &persons, err));
  for (size_t i = 0; i < t->rows; i++) {
    persons[i] = table_cell(t, i, t->layout.person);
  }
  TRY(x->spread ? persons_everywhere(x, &persons, err) : DPERM_OK);
  for (size_t i = 0; i < rows_in_all(x); i++) { /* as readers number them; a file may be damaged */
    FAIL_IF(!(persons[i] < (double)rows_in_all(x)), err, DPERM_INVALID_DATA,
            "the records number persons beyond their own number; encode them again");
  }
  return person_list_new(persons, rows_in_all(x), data->schema->person_rows,
                         x->spread ? x->first : 0, t->rows, &data->persons, err);
}

dperm_status data_select_persons(const dperm_data *from, const size_t *rows, size_t count,
                                 dperm_data *part, dperm_error *err) {
  OWNED_MEMORY double *persons = NULL;
  if (!from->persons) {
    return DPERM_OK;
  }
  TRY(memory_new(count, sizeof *persons, &persons, err));
  for (size_t i = 0; i < count; i++) {
    persons[i] = from->persons->of_row[rows[i]];
  }
  return person_list_new(persons, count, from->schema->person_rows,
                         part->x->spread ? part->x->first : 0, part->x->rows, &part->persons, err);
}

size_t data_units(const dperm_data *data) {
  return data->persons ? data->persons->count : rows_in_all(data->x);
}

dperm_status data_once(const dperm_data *data, dperm_data **made, const dperm_data **out,
                       dperm_error *err) {
  *made = NULL;
  *out = data;
  if (!data->persons) {
    return DPERM_OK;
  }
  TRY(dperm_data_select(data, data->persons->first, data->persons->count, made, err));
  *out = *made;
  return DPERM_OK;
}

/* All records of the chosen persons that count. */
static dperm_status rows_of_persons(const person_list *list, const size_t *units, size_t count,
                                    size_t most, size_t *rows, size_t *used, dperm_error *err) {
  OWNED_MEMORY size_t *left = NULL; /* of each chosen person's records that count */
  TRY(memory_new(list->count, sizeof *left, &left, err));
  for (size_t i = 0; i < count; i++) {
    left[units[i]] = most;
  }
  for (size_t i = 0; i < list->rows; i++) {
    size_t *of = &left[list->of_row[i]];
    if (*of > 0) {
      rows[(*used)++] = i;
      --*of;
    }
  }
  return DPERM_OK;
}

dperm_status data_select_units(const dperm_data *data, const size_t *units, size_t count, bool once,
                               dperm_data **out, dperm_error *err) {
  const person_list *list = data->persons;
  OWNED_MEMORY size_t *rows = NULL;
  size_t used = 0;
  if (!list) {
    return dperm_data_select(data, units, count, out, err);
  }
  TRY(memory_new(list->rows, sizeof *rows, &rows, err));
  for (size_t i = 0; once && i < count; i++) {
    rows[used++] = list->first[units[i]];
  }
  if (!once) {
    TRY(rows_of_persons(list, units, count, data->schema->person_rows, rows, &used, err));
  }
  return dperm_data_select(data, rows, used, out, err);
}
