/* Refinement. One record is in the first category of two columns in the first data set, and in the
 * second category of both in the second, or not there (neighbours add-remove). Where a count is 1
 * in the one and 0 in the other, a noisy count of at least 1 is e^rate times as likely in the
 * first, and any other as much less; with four such counts at a rate of ε/4, or two at ε/2, the
 * best outcome is e^ε times as likely: exactly tight. The score counts them. What runs is the
 * library's own: the schema of cells, encoding, counting, noise. */
#include <string.h>

#include "audit/attack.h"
#include "audit/audit_cases.h"
#include "data/dataset.h"
#include "refine/refine_counts.h"

enum { COLUMNS = 2, CATEGORIES = 8 };

static const char schema_text[] =
    "{\"label\": {\"column\": \"y\", \"positive\": [\"1\"], \"negative\": [\"0\"]}, \"columns\": ["
    "{\"name\": \"a\", \"type\": \"categorical\", \"values\": "
    "[\"0\", \"1\", \"2\", \"3\", \"4\", \"5\", \"6\", \"7\"]}, "
    "{\"name\": \"b\", \"type\": \"categorical\", \"values\": "
    "[\"0\", \"1\", \"2\", \"3\", \"4\", \"5\", \"6\", \"7\"]}]}";

typedef struct refine_target {
  guarantee claim;
  refine_counts exact[2]; /* of each data set */
} refine_target;

static void free_target(refine_target *t) {
  refine_counts_clear(&t->exact[0]);
  refine_counts_clear(&t->exact[1]);
}

/* A data set of one record, which has this category in both columns, or of none. */
static dperm_status count_side(const dperm_schema *wide, const dperm_schema *cells, int side,
                               size_t records, refine_counts *out, dperm_error *err) {
  static const char *const texts[] = {"0", "1"};
  const int32_t code = side, label = 0;
  const dperm_column column = {.codes = &code, .texts = texts, .text_count = 2};
  const dperm_column columns[COLUMNS] = {column, column};
  const dperm_column labels = {.codes = &label, .texts = texts, .text_count = 2};
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  const refine_numbers numbers = refine_numbers_of(wide, 1, 1);
  TRY(dperm_data_from_table(cells, records, columns, &labels, &data, err));
  TRY(refine_counts_new(wide, cells, &numbers, out, err));
  return refine_counts_add(data, out, err);
}

static dperm_status draw_counts(const attack *a, int side, random_source *source, double *score,
                                double *outcome, dperm_error *err) {
  const refine_target *t = a->context;
  const refine_counts *exact = &t->exact[side];
  int64_t counts[COLUMNS][CATEGORIES];
  cell_counts columns[COLUMNS];
  refine_counts noisy = {.count = COLUMNS, .columns = columns};
  (void)err;
  for (size_t c = 0; c < COLUMNS; c++) {
    memcpy(counts[c], exact->columns[c].counts, sizeof counts[c]);
    columns[c] = exact->columns[c];
    columns[c].counts = counts[c];
  }
  refine_blur(&noisy, &t->claim, source);
  *score = 0;
  for (size_t c = 0; c < COLUMNS; c++) {
    *score += counts[c][0] >= 1 ? 1 : -1;
    if (t->claim.neighbours == DPERM_NEIGHBOURS_REPLACE) {
      *score += counts[c][1] >= 1 ? -1 : 1;
    }
  }
  *outcome = (double)counts[0][0];
  return DPERM_OK;
}

dperm_status audit_refine(const dperm_audit_options *options, int neighbours,
                          dperm_audit_result *out, dperm_error *err) {
  const dperm_neighbours whom = (dperm_neighbours)neighbours;
  OWNED(dperm_schema_free_at) dperm_schema *wide = NULL, *cells = NULL;
  OWNED(free_target)
  refine_target t = {.claim = guarantee_of_histograms(options->epsilon, 1, COLUMNS, whom)};
  TRY(dperm_schema_parse(schema_text, sizeof schema_text - 1, "audit", &wide, err));
  TRY(refine_cell_schema(wide, &cells, err));
  for (int side = 0; side < 2; side++) {
    size_t records = side == 1 && whom == DPERM_NEIGHBOURS_ADD_REMOVE ? 0 : 1;
    TRY(count_side(wide, cells, side, records, &t.exact[side], err));
  }
  const attack a = {.context = &t, .usual_draws = 200000, .block = 1024, .draw = draw_counts};
  return attack_run(&a, options, out, err);
}
