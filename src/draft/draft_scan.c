/* The first record waits until the end: only the others can tell whether it is a header. If it is
 * not, it is counted last, and nothing but the order of rows knows the difference. */
#include "draft/draft_scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "read/csv.h"

enum {
  COLUMN_LIMIT = 1 << 16,
  VALUES_IN_ALL = 1 << 20, /* values counted at once, over all columns */
  VALUES_MOST = 1 << 12,
  VALUES_LEAST = 1 << 6
};

typedef struct scanner {
  draft_scan *scan; /* its names are the fields of the first record until that is settled */
  const dperm_draft_options *options;
  csv_reader csv;
  slice *row;   /* fields of the record in hand */
  size_t line;  /* where the first record stands */
  bool decided; /* whether it is a header is known */
  size_t twice; /* a column where it holds a text that stands before, or 0 */
} scanner;

/* ---- setting out */

static dperm_status add_markers(draft_scan *scan, const dperm_draft_options *options,
                                dperm_error *err) {
  static const char *const usual[] = {"", "?", "NA", "N/A", "n/a", "null", "NULL", "NaN", "nan"};
  scan->markers = options->missing ? options->missing : usual;
  scan->marker_count = options->missing ? options->missing_count : sizeof usual / sizeof *usual;
  for (size_t i = 0; i < scan->marker_count; i++) {
    bool added = false;
    TRY(lookup_add(&scan->missing, slice_of(scan->markers[i]), (int32_t)i, &added, err));
    if (!added) {
      FAIL(err, DPERM_INVALID_ARGUMENT, "\"%.64s\" is among the missing texts twice; keep one",
           scan->markers[i]);
    }
  }
  return memory_new(scan->marker_count, sizeof *scan->marker_counts, &scan->marker_counts, err);
}

/* A first line without a comma, but with another usual separator, was written with that one. */
static dperm_status guess_separator(scanner *s, dperm_error *err) {
  static const char usual[] = ";\t|";
  bool found = true;
  for (const char *c = usual; s->csv.field_count == 1 && *c; c++) {
    if (memchr(s->csv.record, *c, s->csv.record_length)) {
      if (*c == '\t' && s->csv.tabs_skipped) {
        return csv_fail_at(&s->csv, 0, err,
                           "the separator seems to be a tab, and lines before this one hold "
                           "nothing else; remove them, or name the separator");
      }
      csv_take_back(&s->csv, *c);
      TRY(csv_next(&s->csv, &found, err));
      s->scan->separator_guessed = s->csv.field_count > 1;
    }
  }
  return DPERM_OK;
}

static dperm_status keep_first(scanner *s, dperm_error *err) {
  draft_scan *scan = s->scan;
  OWNED(lookup_clear) lookup names = {0};
  size_t count = s->csv.field_count;
  s->line = s->csv.line;
  if (count == 1) {
    return csv_fail_at(&s->csv, 0, err,
                       "one column only, and a label needs others beside it; mend the file, or "
                       "name its separator");
  }
  if (count > COLUMN_LIMIT) {
    return csv_fail_at(&s->csv, 0, err, "over %d columns; write the schema with a program",
                       COLUMN_LIMIT);
  }
  TRY(memory_new(count, sizeof *s->row, &s->row, err));
  TRY(memory_new(count, sizeof *scan->columns, &scan->columns, err));
  TRY(memory_new(count, sizeof *scan->names, &scan->names, err));
  scan->column_count = count;
  size_t limit = VALUES_IN_ALL / count;
  limit = limit > VALUES_MOST ? VALUES_MOST : limit < VALUES_LEAST ? VALUES_LEAST : limit;
  for (size_t i = 0; i < count; i++) {
    const slice text = s->csv.fields[i].text;
    bool added = false;
    draft_column_init(&scan->columns[i], limit);
    TRY(memory_copy_text(text.start, text.length, &scan->names[i], err));
    TRY(lookup_add(&names, slice_of(scan->names[i]), 0, &added, err));
    s->twice = added || s->twice ? s->twice : i;
  }
  return DPERM_OK;
}

/* "column7" → 6. */
static bool is_numbered(const char *name, size_t count, size_t *at) {
  static const char prefix[] = "column";
  size_t number = 0;
  if (strncmp(name, prefix, sizeof prefix - 1) != 0 ||
      !parse_size(slice_of(name + sizeof prefix - 1), count, &number) || number == 0) {
    return false;
  }
  *at = number - 1;
  return true;
}

/* Which column is the label's; its name in the first line makes that a header. */
static dperm_status find_label(scanner *s, dperm_error *err) {
  draft_scan *scan = s->scan;
  const char *label = s->options->label;
  s->decided = s->options->header >= 0;
  scan->header = s->options->header > 0;
  scan->label = scan->column_count - 1;
  if (!label) {
    return DPERM_OK;
  }
  bool may_have = !s->decided || scan->header, may_lack = !s->decided || !scan->header;
  for (size_t i = 0; may_have && i < scan->column_count; i++) {
    if (strcmp(scan->names[i], label) == 0) {
      scan->label = i;
      scan->header = s->decided = true;
      return DPERM_OK;
    }
  }
  if (may_lack && is_numbered(label, scan->column_count, &scan->label)) {
    s->decided = true;
    scan->header = false;
    return DPERM_OK;
  }
  return csv_fail_at(&s->csv, 0, err,
                     may_have ? "no column is called \"%.64s\"; name one of this line, or column1 "
                                "to column%zu if it is no header"
                              : "no column is called \"%.64s\"; without a header they are column1 "
                                "to column%zu",
                     label, scan->column_count);
}

/* ---- records */

static dperm_status fail_label(const scanner *s, bool in_order, dperm_error *err) {
  static const char sentence[] = "the label is missing; leave such records out, or list "
                                 "which texts mean that";
  if (in_order) {
    return csv_fail_at(&s->csv, s->csv.fields[s->scan->label].offset, err, "%s", sentence);
  }
  FAIL(err, DPERM_INVALID_DATA, "%s:%zu:1: %s", path_for_people(s->scan->path), s->line, sentence);
}

/* The label first, since the other columns are counted beside it. */
static dperm_status count_row(scanner *s, bool in_order, dperm_error *err) {
  draft_scan *scan = s->scan;
  size_t label = 0, code = 0;
  if (lookup_find(&scan->missing, s->row[scan->label]) != LOOKUP_NONE) {
    return fail_label(s, in_order, err);
  }
  TRY(draft_column_add(&scan->columns[scan->label], s->row[scan->label], in_order, 0, &label, err));
  for (size_t i = 0; i < scan->column_count; i++) {
    int32_t marker = lookup_find(&scan->missing, s->row[i]);
    if (marker != LOOKUP_NONE) {
      scan->marker_counts[marker]++;
      draft_column_add_missing(&scan->columns[i], draft_label_bit(label));
    } else if (i != scan->label) {
      TRY(draft_column_add(&scan->columns[i], s->row[i], in_order, draft_label_bit(label), &code,
                           err));
    }
  }
  scan->rows++;
  return DPERM_OK;
}

static dperm_status count_records(scanner *s, dperm_error *err) {
  const csv_reader *csv = &s->csv;
  for (;;) {
    bool found = false;
    TRY(csv_next(&s->csv, &found, err));
    if (!found) {
      return DPERM_OK;
    }
    if (csv->field_count != s->scan->column_count) {
      return csv_fail_at(csv, 0, err, "%zu fields where %zu are expected; mend the line",
                         csv->field_count, s->scan->column_count);
    }
    for (size_t i = 0; i < csv->field_count; i++) {
      s->row[i] = csv->fields[i].text;
    }
    TRY(count_row(s, true, err));
  }
}

/* ---- the first line */

/* Names are no numbers and do not mean "missing"; an empty one, as a column of row numbers often
 * has it, may be. A header stands above numbers, or its texts come again nowhere below. */
static bool looks_like_header(const draft_scan *scan) {
  bool numbers = false, again = false;
  for (size_t i = 0; i < scan->column_count; i++) {
    const draft_column *column = &scan->columns[i];
    const slice text = slice_of(scan->names[i]);
    double x = 0;
    number_result result = parse_double(text, &x);
    if (result == NUMBER_OK || result == NUMBER_OVERFLOW ||
        (text.length > 0 && lookup_find(&scan->missing, text) != LOOKUP_NONE)) {
      return false;
    }
    numbers = numbers || (column->filled > 0 && column->numbers.count == column->filled);
    again = again || lookup_find(&column->values, text) != LOOKUP_NONE;
  }
  return numbers || !again;
}

static dperm_status settle_first(scanner *s, dperm_error *err) {
  draft_scan *scan = s->scan;
  if (!s->decided) {
    scan->header = looks_like_header(scan);
    scan->header_guessed = true;
  }
  if (scan->header && s->twice) {
    FAIL(err, DPERM_INVALID_DATA, "%s:%zu:1: the header names column \"%.64s\" twice; rename one%s",
         path_for_people(scan->path), s->line, scan->names[s->twice],
         s->options->header < 0 ? ", or say that there is no header if this is a record" : "");
  }
  if (scan->header) {
    return DPERM_OK;
  }
  for (size_t i = 0; i < scan->column_count; i++) {
    s->row[i] = slice_of(scan->names[i]);
  }
  TRY(count_row(s, false, err));
  for (size_t i = 0; i < scan->column_count; i++) {
    char text[32], *name = NULL;
    int length = snprintf(text, sizeof text, "column%zu", i + 1);
    TRY(memory_copy_text(text, (size_t)length, &name, err));
    free(scan->names[i]);
    scan->names[i] = name;
  }
  return DPERM_OK;
}

static dperm_status scan_records(scanner *s, dperm_error *err) {
  bool found = false;
  TRY(csv_next(&s->csv, &found, err));
  if (found && !s->options->separator) {
    TRY(guess_separator(s, err));
  }
  if (found) {
    TRY(keep_first(s, err));
    TRY(find_label(s, err));
    TRY(count_records(s, err));
    TRY(settle_first(s, err));
  }
  s->scan->separator = s->csv.separator;
  if (s->scan->rows == 0) {
    return fail_no_rows(s->scan->path, err);
  }
  return DPERM_OK;
}

dperm_status draft_scan_records(const char *name, const char *text, size_t length,
                                const dperm_draft_options *options, const dperm_progress *progress,
                                draft_scan *out, dperm_error *err) {
  *out = (draft_scan){.path = name};
  scanner s = {.scan = out, .options = options};
  TRY(add_markers(out, options, err));
  /* NOLINTNEXTLINE(bugprone-narrowing-conversions) */
  const char separator = options->separator ? options->separator : ',';
  TRY(csv_open(name, text ? &(slice){text, length} : NULL, separator, NULL, progress, false, &s.csv,
               err));
  dperm_status status = scan_records(&s, err);
  free(s.row);
  csv_close(&s.csv);
  return status;
}

void draft_scan_clear(draft_scan *scan) {
  for (size_t i = 0; i < scan->column_count; i++) {
    draft_column_clear(&scan->columns[i]);
    free(scan->names[i]);
  }
  free(scan->columns);
  free(scan->names);
  free(scan->marker_counts);
  lookup_clear(&scan->missing);
}
