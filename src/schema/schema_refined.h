/* What a schema says of the records that it was refined from: the "refined" object, which
 * dperm_refine writes and every later model counts in its claim (privacy.md 8.9). */
#pragma once

#include "base/json_text.h"
#include "dperm/ledger.h"

/* All zeros: the schema was made without records. */
typedef struct schema_refined {
  double epsilon;         /* what it cost, for one record, or for a person with */
  size_t rows_per_person; /* at most so many */
  dperm_neighbours neighbours;
  bool is_private;                 /* false: its noise came from a seed, or the like */
  uint64_t entry;                  /* number of its reservation in a ledger, 0 for none, */
  char receipt[DPERM_DIGEST_SIZE]; /* and the receipt, empty without one */
} schema_refined;

/* The schema's member "refined", if there is one. An object that was edited does not fit its own
 * digest, and is refused: who must change it has to make it again. (The digest has no key. It keeps
 * out mistakes, not people who mean to lie about a schema.) */
dperm_status schema_refined_parse(const json_document *doc, schema_refined *out, dperm_error *err);

/* The object; NULL for want of memory. */
json_t *schema_refined_json(const schema_refined *refined);
