/* Some of the rows of a matrix, as a matrix: copies, or rows that are made by the same maker. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "matrix/matrix.h"

typedef struct chosen_rows {
  row_maker maker;
  const row_maker *all;
  size_t *index;
} chosen_rows;

static void make_chosen(const row_maker *maker, size_t from, size_t count, size_t *starts,
                        uint32_t *columns, double *values) {
  const chosen_rows *c = (const chosen_rows *)maker;
  starts[0] = 0;
  for (size_t i = 0; i < count; i++) {
    size_t one[2];
    c->all->make(c->all, c->index[from + i], 1, one, columns + starts[i], values + starts[i]);
    starts[i + 1] = starts[i] + one[1];
  }
}

static void free_chosen(row_maker *maker) {
  free(((chosen_rows *)maker)->index);
  free(maker);
}

dperm_status matrix_part_new(const matrix *x, const size_t *rows, size_t count, matrix **out,
                             dperm_error *err) {
  OWNED_MEMORY chosen_rows *c = NULL;
  OWNED_MEMORY size_t *index = NULL;
  const row_maker *all = matrix_maker(x);
  if (!all || x->spread) {
    return x->kind->select(x, rows, count, out, err);
  }
  TRY(memory_new(1, sizeof *c, &c, err));
  TRY(memory_new(count, sizeof *index, &index, err));
  memcpy(index, rows, count * sizeof *index);
  *c = (chosen_rows){.maker = {.most_entries = all->most_entries,
                               .entries = count * (x->rows ? all->entries / x->rows : 0),
                               .make = make_chosen,
                               .free = free_chosen},
                     .all = all,
                     .index = index};
  TRY(matrix_made_new(&c->maker, count, x->cols, out, err));
  c = NULL;
  index = NULL;
  return DPERM_OK;
}
