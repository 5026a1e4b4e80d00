/* See draft_scan.h. */
#include "draft/draft_scan.h"

#include <stdio.h>

#include "base/memory.h"

enum {
  VALUES_IN_ALL = 1 << 20, /* values counted at once, over all columns */
  VALUES_MOST = 1 << 12,
  VALUES_LEAST = 1 << 6
};

/* ---- setting out */

static dperm_status add_markers(draft_scan *s, const dperm_draft_options *options,
                                dperm_error *err) {
  static const char *const usual[] = {"", "?", "NA", "N/A", "n/a", "null", "NULL", "NaN", "nan"};
  s->markers = options->missing ? options->missing : usual;
  s->marker_count = options->missing ? options->missing_count : sizeof usual / sizeof *usual;
  for (size_t i = 0; i < s->marker_count; i++) {
    bool added = false;
    json_auto_t *valid = json_string(s->markers[i]);
    TRY(lookup_add(&s->missing, slice_of(s->markers[i]), (int32_t)i, &added, err));
    FAIL_IF(!added || !valid, err, DPERM_INVALID_ARGUMENT,
            "\"%.64s\" is among the missing texts twice, or is not UTF-8; give each once",
            s->markers[i]);
  }
  return memory_new(s->marker_count, sizeof *s->marker_counts, &s->marker_counts, err);
}

/* A first line without a comma, but with another usual separator, was written with that one. Blank
 * lines above it with tabs in them would be records if that is the tab. */
static dperm_status guess_separator(draft_scan *s, dperm_error *err) {
  static const char usual[] = ";\t|";
  const char *above = s->csv.window.bytes;
  bool found = true, tabs = memchr(above, '\t', (size_t)(s->csv.record - above)) != NULL;
  for (const char *c = usual; s->csv.field_count == 1 && *c; c++) {
    if (memchr(s->csv.record, *c, s->csv.record_length) && !(tabs && *c == '\t')) {
      csv_take_back(&s->csv, *c);
      TRY(csv_next(&s->csv, &found, err));
      s->separator_guessed = s->csv.field_count > 1;
    }
  }
  return DPERM_OK;
}

static dperm_status open_columns(draft_scan *s, dperm_error *err) {
  size_t count = s->csv.field_count;
  CSV_FAIL_IF(count == 1, &s->csv, 0, err,
              "one column only, and a label needs others beside it; mend the file, or "
              "name its separator");
  TRY(memory_new(count, sizeof *s->columns, &s->columns, err));
  TRY(memory_new(count, sizeof *s->names, &s->names, err));
  s->column_count = count;
  size_t limit = VALUES_IN_ALL / count;
  limit = limit > VALUES_MOST ? VALUES_MOST : limit < VALUES_LEAST ? VALUES_LEAST : limit;
  for (size_t i = 0; i < count; i++) {
    draft_column_init(&s->columns[i], limit);
  }
  return DPERM_OK;
}

/* ---- the first line */

/* Names are no numbers and do not mean "missing"; an empty one may be, as of row numbers. */
static bool looks_like_header(const draft_scan *s) {
  for (size_t i = 0; i < s->csv.field_count; i++) {
    const slice text = s->csv.fields[i].text;
    double x = 0;
    number_result result = parse_double(text, &x);
    if (result == NUMBER_OK || result == NUMBER_OVERFLOW ||
        (text.length > 0 && lookup_find(&s->missing, text) != LOOKUP_NONE)) {
      return false;
    }
  }
  return true;
}

/* Names of columns, from the first line or column1, …; the label's among them makes it a header. */
static dperm_status name_columns(draft_scan *s, dperm_error *err) {
  const csv_field *fields = s->csv.fields;
  const char *label = s->options->label;
  OWNED(lookup_clear) lookup names = {0};
  bool named = false;
  for (size_t i = 0; label && i < s->column_count; i++) {
    named = named || slice_is(fields[i].text, label);
  }
  s->header_guessed = s->options->header < 0 && !named;
  s->header = s->options->header < 0 ? named || looks_like_header(s) : s->options->header > 0;
  s->label = label ? s->column_count : s->column_count - 1;
  for (size_t i = 0; i < s->column_count; i++) {
    char number[32];
    bool added = false;
    (void)snprintf(number, sizeof number, "column%zu", i + 1);
    slice name = s->header ? fields[i].text : slice_of(number);
    TRY(memory_copy_text(name.start, name.length, &s->names[i], err));
    TRY(lookup_add(&names, name, (int32_t)i, &added, err));
    CSV_FAIL_IF(!added, &s->csv, fields[i].offset, err,
                "columns %d and %zu are both called \"%.64s\", and a schema knows columns by name; "
                "rename one, or say that there is no header if this is a record",
                lookup_find(&names, name) + 1, i + 1, s->names[i]);
    if (label && slice_is(name, label)) {
      s->label = i;
    }
  }
  if (s->label < s->column_count && s->columns[s->label].limit <= CLASSES_MOST) {
    s->columns[s->label].limit = CLASSES_MOST + 1;
  }
  return s->label < s->column_count
             ? DPERM_OK
             : csv_fail_at(&s->csv, 0, err,
                           "no column is called \"%.64s\"; name one of this line, or column1 to "
                           "column%zu if it is no header",
                           label, s->column_count);
}

/* ---- records */

static bool is_utf8(const char *text, size_t length) {
  json_auto_t *valid = json_stringn(text ? text : "", length);
  return valid != NULL;
}

/* A schema is UTF-8, and names and values come into it. */
static dperm_status next_record(draft_scan *s, bool *found, dperm_error *err) {
  TRY(csv_next(&s->csv, found, err));
  size_t length = *found ? s->csv.record_length : 0, good = 0;
  if (is_utf8(s->csv.record, length)) {
    return DPERM_OK;
  }
  for (size_t i = 0; i < s->csv.field_count; i++) { /* to the field that it is in */
    good = is_utf8(s->csv.record, s->csv.fields[i].offset) ? s->csv.fields[i].offset : good;
  }
  return csv_fail_at(&s->csv, good, err,
                     "this is not UTF-8, as a schema is; convert the file (iconv -f latin1 -t "
                     "utf-8)");
}

/* The label first, since the other columns are counted beside it. */
static dperm_status count_record(draft_scan *s, dperm_error *err) {
  const csv_field *fields = s->csv.fields, *own = &fields[s->label];
  size_t label = 0, code = 0;
  CSV_FAIL_IF(s->csv.field_count != s->column_count, &s->csv, 0, err,
              "%zu fields where %zu are expected; mend the line", s->csv.field_count,
              s->column_count);
  CSV_FAIL_IF(lookup_find(&s->missing, own->text) != LOOKUP_NONE, &s->csv, own->offset, err,
              "the label is missing; leave such records out, or list which texts mean that");
  TRY(draft_column_add(&s->columns[s->label], own->text, SIZE_MAX, &label, err));
  for (size_t i = 0; i < s->column_count; i++) {
    int32_t marker = lookup_find(&s->missing, fields[i].text);
    if (marker != LOOKUP_NONE) {
      s->marker_counts[marker]++;
      draft_column_add_missing(&s->columns[i], label);
    } else if (i != s->label) {
      TRY(draft_column_add(&s->columns[i], fields[i].text, label, &code, err));
    }
  }
  s->rows++;
  return DPERM_OK;
}

static dperm_status scan_records(draft_scan *s, dperm_error *err) {
  bool found = false;
  TRY(next_record(s, &found, err));
  if (found && !s->options->separator) {
    TRY(guess_separator(s, err));
  }
  if (found) {
    TRY(open_columns(s, err));
    TRY(name_columns(s, err));
    if (!s->header) {
      csv_take_back(&s->csv, s->csv.separator);
    }
    TRY(next_record(s, &found, err));
  }
  while (found) {
    TRY(count_record(s, err));
    TRY(next_record(s, &found, err));
  }
  return s->rows > 0 ? DPERM_OK : fail_no_rows(s->path, err);
}

dperm_status draft_scan_records(const char *name, const char *text, size_t length,
                                const dperm_draft_options *options, const dperm_progress *progress,
                                draft_scan *out, dperm_error *err) {
  *out = (draft_scan){.path = name, .options = options};
  TRY(add_markers(out, options, err));
  /* NOLINTNEXTLINE(bugprone-narrowing-conversions) */
  const char separator = options->separator ? options->separator : ',';
  TRY(csv_open(name, text ? &(slice){text, length} : NULL, separator, NULL, progress, false,
               &out->csv, err));
  return scan_records(out, err);
}

void draft_scan_clear(draft_scan *s) {
  csv_close(&s->csv);
  for (size_t i = 0; i < s->column_count; i++) {
    draft_column_clear(&s->columns[i]);
    free(s->names[i]);
  }
  free(s->columns);
  free(s->names);
  free(s->marker_counts);
  lookup_clear(&s->missing);
}
