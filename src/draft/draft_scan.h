/* One pass over public records for a schema draft: what the first line is, and every column
 * counted. */
#pragma once

#include "dperm/draft.h"
#include "draft/draft_column.h"

typedef struct draft_scan {
  const char *path; /* for messages */
  char separator;
  bool separator_guessed;
  bool header, header_guessed;
  size_t rows;

  draft_column *columns;
  char **names; /* of the header, or column1, … */
  size_t column_count;
  size_t label; /* which column */

  const char *const *markers; /* texts that mean "missing": the options', or the usual ones */
  size_t marker_count;
  uint64_t *marker_counts; /* how often each was found */
  lookup missing;          /* a marker's place among them */
} draft_scan;

/* Reads all records, from `text` or else the file called `name`. The scan is to be cleared whether
 * or not that succeeds. */
dperm_status draft_scan_records(const char *name, const char *text, size_t length,
                                const dperm_draft_options *options, const dperm_progress *progress,
                                draft_scan *out, dperm_error *err);
void draft_scan_clear(draft_scan *scan);
