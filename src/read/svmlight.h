/* Records of a svmlight file: "label index:value … # comment", indices ascending from 1, labels
 * −1/+1 or 0/1, rows clipped to norm 1. */
#ifndef DPERM_READ_SVMLIGHT_H
#define DPERM_READ_SVMLIGHT_H

#include "base/text.h"
#include "matrix/growing_rows.h"
#include "read/row_doubts.h"
#include "read/window.h"

typedef struct svmlight_reader {
  window window;
  const char *path;
  size_t dims, line;
  bool need_labels;
  unsigned doubts;            /* lines that were skipped: any of them can be a record */
  bool seen_zero, seen_minus; /* 0/1 and −1/+1 in one file is a mistake */
} svmlight_reader;

dperm_status svmlight_open(const char *path, size_t dims, bool need_labels, bool digest,
                           const dperm_progress *progress, svmlight_reader *out, dperm_error *err);
void svmlight_close(svmlight_reader *reader);

/* Appends the next record to `rows`, or *found = false at the end. */
dperm_status svmlight_next(svmlight_reader *reader, growing_rows *rows, bool *found,
                           dperm_error *err);

#endif
