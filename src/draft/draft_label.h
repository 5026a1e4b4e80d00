/* The label of a schema draft: which of its values are positive. */
#pragma once

#include "draft/draft_remarks.h"
#include "draft/draft_scan.h"

/* Which labels, as bits of a draft_tally, are of one class or the other; the last bit may be both.
 */
typedef struct draft_sides {
  uint64_t positive, negative;
  bool several; /* more classes than two: each bit is one of its own */
} draft_sides;

/* Whether records with these labels are all of one class. */
bool draft_one_sided(uint64_t labels, const draft_sides *sides);

/* The schema's "label", a new reference, NULL where memory ran out. Refuses what are not classes:
 * one value, or very many. */
dperm_status draft_label(const draft_scan *scan, const dperm_draft_options *options,
                         json_t **remarks, draft_sides *sides, json_t **out, dperm_error *err);
