/* Counting and noise. Replacing a record takes one from at most one cell of a column and adds one
 * to at most another: 2 in the l1 norm for each histogram. With k' of them a count's noise has the
 * rate ε/(2k'), rounded down, and all counts together are ε-private (privacy.md 8.9). */
#include "refine/refine_counts.h"

#include "base/defect.h"
#include "base/memory.h"
#include "random/discrete_sampling.h"

static void column_clear(cell_counts *column) {
  free(column->cell);
  free(column->counts);
  free(column->edges);
  free(column->auto_cuts);
}

void refine_counts_clear(refine_counts *counts) {
  for (size_t i = 0; counts->columns && i < counts->count; i++) {
    column_clear(&counts->columns[i]);
  }
  free(counts->columns);
  *counts = (refine_counts){0};
}

void refine_counts_keep(refine_counts *counts, const bool *kept) {
  size_t used = 0;
  for (size_t i = 0; i < counts->count; i++) {
    if (kept[i]) {
      counts->columns[used++] = counts->columns[i];
    } else {
      column_clear(&counts->columns[i]);
    }
  }
  counts->count = used;
}

refine_numbers refine_numbers_of(const dperm_schema *wide, bool numbers, size_t rows,
                                 double epsilon) {
  refine_numbers out = {.rows = rows, .epsilon = epsilon, .numbers = numbers};
  for (size_t c = 0; c < wide->column_count; c++) {
    out.columns += wide->columns[c].width > 0;
    out.counted += refine_rule_counts(&wide->columns[c], numbers);
  }
  return out;
}

/* Of the cells that were encoded, those between two cuts of the grid are one. */
static dperm_status merge_cells(const schema_column *column, const refine_numbers *numbers,
                                cell_counts *out, dperm_error *err) {
  OWNED_MEMORY cell_cut *cuts = NULL;
  size_t count = 0, bins = refine_rule_auto(numbers),
         grid = numbers->grid ? numbers->grid : refine_rule_cells(numbers);
  TRY(refine_cell_cuts(column, &cuts, &count, err));
  FAIL_IF(count + 1 != out->width, err, DPERM_INVALID_SCHEMA,
          "column \"%.64s\" has other cells than it was encoded with", column->name);
  TRY(memory_new(count, sizeof *out->edges, &out->edges, err));
  TRY(memory_new(count + 1, sizeof *out->auto_cuts, &out->auto_cuts, err));
  for (size_t i = 0; i < count; i++) {
    if (cuts[i].grid <= grid) {
      out->auto_cuts[out->cells] = cuts[i].auto_bins > 0 && cuts[i].auto_bins <= bins;
      out->edges[out->cells++] = cuts[i].at;
    }
    out->cell[i + 1] = (uint32_t)out->cells;
  }
  out->cells++;
  return DPERM_OK;
}

static dperm_status open_column(const schema_column *wide, const schema_column *encoded,
                                const refine_numbers *numbers, cell_counts *out, dperm_error *err) {
  out->first = encoded->block;
  out->width = encoded->first + encoded->width - encoded->block;
  TRY(memory_new(out->width, sizeof *out->cell, &out->cell, err));
  if (wide->type == COLUMN_NUMERIC) {
    TRY(merge_cells(wide, numbers, out, err));
  }
  for (; wide->type == COLUMN_CATEGORICAL && out->cells < out->width; out->cells++) {
    out->cell[out->cells] = (uint32_t)out->cells;
  }
  return memory_new(out->cells, sizeof *out->counts, &out->counts, err);
}

dperm_status refine_counts_new(const dperm_schema *wide, const dperm_schema *cells,
                               const refine_numbers *numbers, refine_counts *out,
                               dperm_error *err) {
  TRY(memory_new(numbers->counted, sizeof *out->columns, &out->columns, err));
  for (size_t c = 0; c < wide->column_count; c++) {
    if (refine_rule_counts(&wide->columns[c], numbers->numbers)) {
      cell_counts *column = &out->columns[out->count++];
      column->column = c;
      TRY(open_column(&wide->columns[c], &cells->columns[c], numbers, column, err));
    }
  }
  return DPERM_OK;
}

void refine_counts_add(const record_tally *tally, refine_counts *counts) {
  for (size_t i = 0; i < counts->count; i++) {
    cell_counts *column = &counts->columns[i];
    for (size_t j = 0; j < column->width; j++) {
      column->counts[column->cell[j]] += (int64_t)tally_both(tally, column->first + j);
    }
  }
}

void refine_blur(refine_counts *counts, const guarantee *claim, random_source *source) {
  const ratio rate = ratio_below(claim->epsilon_class);
  for (size_t i = 0; i < counts->count; i++) {
    cell_counts *column = &counts->columns[i];
    if (DEFECT("counts-bare") || (DEFECT("counts-half") && i % 2 == 1)) {
      continue;
    }
    for (size_t c = 0; c < column->cells; c++) {
      column->counts[c] += random_discrete_laplace(source, rate);
    }
  }
}
