/* The part of the records that a run holds out for its evaluation. Coins decide, which are drawn
 * apart from all that records say: so a record that is replaced, added or removed is in one part
 * whatever it says, and the fit or the evaluation sees it, never both (docs/proofs/holdout.md).
 * The coins are the custodian's secret, and leave with nothing: they follow from a few random bytes
 * that a ledger may keep (ledger/charge.h), so that the same part can be found again. */
#pragma once

#include "data/dataset.h"
#include "random/random_source.h"

enum { COINS_SIZE = 32 };

typedef struct held_out {
  double share;
  bool counted; /* the number of records is public, and so are the sizes of both parts */
  unsigned char coins[COINS_SIZE];
} held_out;

/* Draws on the leader; all processes of a job have the same. The caller wipes them. */
dperm_status held_out_draw(random_source *source, ranks *spread, held_out *how, dperm_error *err);
void held_out_wipe(held_out *how);

/* Of so many records, or about so many: as many are held out where that is public. */
size_t held_out_rows(size_t rows, double share);

/* Both parts, each in the order of the records, for the caller to free, also after a failure. On
 * every process of a job. `fit` may be NULL. */
dperm_status held_out_split(const dperm_data *data, const held_out *how, dperm_data **fit,
                            dperm_data **held, dperm_error *err);
