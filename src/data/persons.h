/* Whose record each is, where a schema has a column that tells persons apart. A person's records
 * count together as one (docs/proofs/persons.md): each of the first K of them, in their own order,
 * has a share of 1/m, m their number, and the rest has none. So which records of a person count,
 * and how much, follows from that person's records alone. Who the persons are is not kept. */
#pragma once

#include "base/status.h"

typedef struct person_list {
  size_t count;     /* of persons, in public where one is replaced by another */
  size_t rows;      /* records of all processes, in private */
  uint32_t *of_row; /* the person of each, by the order of first records, */
  size_t *first;    /* a person's first record, */
  double *shares;   /* and what each record here counts, in units of 2^−20 */
} person_list;

/* `persons[i]` is any number for the person of record i, of all records; the shares are of those
 * from `here` on, `count` of them. */
dperm_status person_list_new(const double *persons, size_t rows, size_t most, size_t here,
                             size_t count, person_list **out, dperm_error *err);
void person_list_free(person_list *list);

/* What a record of a person with m counts: m of them are never more than 1. */
double person_share(size_t m);
