/* Data sets whose schema tells persons apart: whose record each is, and the records of some. */

#include "base/memory.h"
#include "data/dataset.h"

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
  FAIL_IF(data->schema && data->schema->person != NO_PERSON && !data->persons, err,
          DPERM_INVALID_DATA,
          "the schema knows persons, and nobody said whose these records are; give that column");
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
