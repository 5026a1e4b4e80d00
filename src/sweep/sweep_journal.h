/* What a sweep has done so far, on disk: a line for each finished part (a cell in a fold), so that
 * an interrupted sweep goes on where it stopped. */
#pragma once

#include "base/status.h"

enum { SWEEP_DIGEST_SIZE = 16 };

typedef struct sweep_journal sweep_journal;

/* A finished part from an earlier run: `count` numbers. Refuses what cannot be its. */
typedef dperm_status sweep_part_reader(void *context, size_t cell, size_t fold,
                                       const uint64_t *numbers, size_t count, dperm_error *err);

/* Opens the journal at `path`, or begins one, for the sweep with this digest; another sweep's
 * journal, one that is damaged and one that another process writes to are refused. What stands in
 * it goes to `read`. A line that was being written when its writer died is dropped: its part is
 * done again. */
dperm_status journal_open(const char *path, const unsigned char digest[SWEEP_DIGEST_SIZE],
                          sweep_part_reader *read, void *context, sweep_journal **out,
                          dperm_error *err);
/* One more finished part, durably. */
dperm_status journal_add(sweep_journal *journal, size_t cell, size_t fold, const uint64_t *numbers,
                         size_t count, dperm_error *err);
void journal_close(sweep_journal *journal);
