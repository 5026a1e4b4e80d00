/* Whose record each is, where a schema has a column that tells persons apart. A person's records
 * count together as one (docs/proofs/persons.md): each of the first K of them, in their own order,
 * has a share of 1/m, m their number, and the rest has none. So which records of a person count,
 * and how much, follows from that person's records alone. Who the persons are is not kept. */
#pragma once

#include "data/dataset.h"

struct person_list {
  size_t count;     /* of persons, in public where one is replaced by another */
  size_t rows;      /* records of all processes, in private */
  uint32_t *of_row; /* the person of each, by the order of first records, */
  size_t *first;    /* a person's first record, */
  double *shares;   /* and what each record here counts, in units of 2^−20 */
};

/* `persons[i]` is any number for the person of record i, of all records; the shares are of those
 * from `here` on, `count` of them. */
dperm_status person_list_new(const double *persons, size_t rows, size_t most, size_t here,
                             size_t count, person_list **out, dperm_error *err);
void person_list_free(person_list *list);

/* What a record of a person with m counts: m of them are never more than 1. */
double person_share(size_t m);

/* Finds the persons of records that were read or chosen with labels; nothing where the schema has
 * none. On all processes of a job at once. */
dperm_status data_find_persons(dperm_data *data, dperm_error *err);
/* Those of records that were chosen: of `rows` of `from`. */
dperm_status data_select_persons(const dperm_data *from, const size_t *rows, size_t count,
                                 dperm_data *part, dperm_error *err);

/* How many there are whose data protect: persons, or records. */
size_t data_units(const dperm_data *data);
/* One record of each person, the first, as data of its own in *made, or the data as they are where
 * each record is a person's own. What must see a person once, sees these. On all processes. */
dperm_status data_once(const dperm_data *data, dperm_data **made, const dperm_data **out,
                       dperm_error *err);
/* Some of the units, with all records of theirs that count, in the order of the file, or with one
 * record each; without persons just these records, in the order given. */
dperm_status data_select_units(const dperm_data *data, const size_t *units, size_t count, bool once,
                               dperm_data **out, dperm_error *err);
