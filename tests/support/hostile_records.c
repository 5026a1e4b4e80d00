/* See hostile_records.h. */
#include "hostile_records.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

static size_t below(random_source *r, size_t limit) {
  return (size_t)(random_bits(r) % limit);
}

#define ONE_OF(r, ...)                                                                             \
  ((const char *const[]){                                                                          \
      __VA_ARGS__})[below(r, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))]

/* ---- lines */

static void put(record *one, const char *bytes, size_t length) {
  one->line = realloc(one->line, one->length + length + 1);
  assert_non_null(one->line);
  memcpy(one->line + one->length, bytes, length);
  one->length += length;
  one->line[one->length] = '\0';
}

static void put_text(record *one, const char *text) {
  put(one, text, strlen(text));
}

static void put_field(record *one, const char *bytes, size_t length, bool quoted) {
  if (!quoted) {
    put(one, bytes, length);
    return;
  }
  put_text(one, "\"");
  for (size_t i = 0; i < length; i++) {
    put(one, bytes + i, 1);
    if (bytes[i] == '"') {
      put_text(one, "\"");
    }
  }
  put_text(one, "\"");
}

/* ---- records that are fine */

#define LABEL "\"label\": {\"column\": \"y\", \"positive\": [\"yes\"], \"negative\": "
#define AMOUNT "\"label\": {\"column\": \"y\", \"type\": \"numeric\", \"min\": -3, \"max\": 40}"
#define NUMBER(name) "{\"name\": \"" name "\", \"type\": \"numeric\", \"min\": -5, \"max\": 50}"
#define BINNED(name)                                                                               \
  "{\"name\": \"" name "\", \"type\": \"numeric\", \"min\": -5, \"max\": 50, \"line\": 0.5, "      \
  "\"bins\": [1, 3.25, 12]}"
#define CROSSED ", \"crosses\": [[\"a\", \"b\"]]}"
#define CATEGORY                                                                                   \
  "{\"name\": \"b\", \"type\": \"categorical\", \"values\": [\"red\", \"1\", \"6'2\\\"\"]}"
#define GROUP "{\"name\": \"g\", \"type\": \"group\", \"values\": [\"red\", \"1\"]}"
#define IGNORED(name) "{\"name\": \"" name "\", \"type\": \"ignore\"}"
#define LABEL_HERE "{\"name\": \"y\", \"type\": \"label\"}"

/* A label that is "*" on one side takes any text, also none: what is not refused must count. */
static const record_layout layouts[RECORD_LAYOUTS] = {
    {"{\"missing\": [\"?\", \"\"], \"comment\": \"#\", \"person\": \"note\", \"group\": "
     "\"b\", " LABEL "[\"no\"]}, \"columns\": [" BINNED("a") ", " CATEGORY
                                                             ", " NUMBER("c") "]" CROSSED,
     "a,b,note,c,y", "nciny", ','},
    {"{\"header\": false, \"comment\": \"#\", \"group\": \"g\", " LABEL
     "\"*\"}, \"columns\": [" LABEL_HERE
     ", " NUMBER("a") ", " IGNORED("note") ", " CATEGORY ", " GROUP "], \"intercept\": true}",
     NULL, "ynicc", ','},
    {"{\"header\": false, \"separator\": \"\\t\", \"on_missing\": \"category\", " LABEL
     "[\"no\"]}, \"columns\": [" CATEGORY ", " BINNED("a") ", " LABEL_HERE "]" CROSSED,
     NULL, "cny", '\t'},
    {"{" AMOUNT ", \"columns\": [" NUMBER("a") ", " CATEGORY "]}", "a,b,y", "ncn", ','},
    {"{" LABEL "\"*\"}, \"columns\": [" LABEL_HERE "], \"intercept\": true}", "y", "y", ','},
    {"{\"header\": false, \"comment\": \"#\", " LABEL "\"*\"}, \"columns\": [" LABEL_HERE
     "], \"intercept\": true}",
     NULL, "y", ','},
};

static const record_layout table_layout = {
    "{\"missing\": [\"?\", \"\"], \"group\": \"b\", " LABEL
    "\"*\"}, \"columns\": [" NUMBER("a") ", " CATEGORY ", " BINNED("c") "], \"crosses\": "
                                                                        "[[\"b\", \"c\"]]}",
    NULL, "ncny", ','};

static const char *field_text(random_source *r, char kind) {
  switch (kind) {
  case 'n':
    return ONE_OF(r, "0", "1", "1.0", "3.25", "-4", "12", "1e1", "49.999");
  case 'c':
    return ONE_OF(r, "red", "1", "6'2\"", "blue"); /* one that is a number, too */
  case 'y':
    return ONE_OF(r, "yes", "no");
  default:
    return ONE_OF(r, "x", "whatever", "6'2\"", "a b");
  }
}

static void draw_line(random_source *r, const record_set *set, record *out) {
  const char *fields = set->layout->fields;
  for (size_t f = 0; fields[f]; f++) {
    const char *text = field_text(r, fields[f]);
    put(out, &set->layout->separator, f > 0);
    put_field(out, text, strlen(text), set->quoted);
  }
}

static void draw_entries(random_source *r, record *out) {
  for (uint32_t j = 0; j < RECORD_DIMS; j++) {
    if (below(r, 3) == 0) {
      out->columns[out->entries] = j;
      out->values[out->entries++] = ldexp((double)below(r, 1000) - 500, -9);
    }
  }
  out->label = below(r, 2) ? 1 : -1;
}

static void draw_svmlight(random_source *r, record *out) {
  char text[64];
  draw_entries(r, out);
  put_text(out, out->label > 0 ? ONE_OF(r, "+1", "1", "1.0") : "-1");
  for (size_t e = 0; e < out->entries; e++) {
    (void)snprintf(text, sizeof text, " %u:%.9g", out->columns[e] + 1, out->values[e]);
    put_text(out, text);
  }
}

static char *copy_of(const char *text) {
  char *copy = strdup(text);
  assert_non_null(copy);
  return copy;
}

static void draw_cells(random_source *r, record *out) {
  out->number = (double)below(r, 100) / 4 - 5;
  out->cells[0] = copy_of(field_text(r, 'c'));
  out->cells[1] = copy_of(field_text(r, 'n'));
  out->cells[2] = copy_of(field_text(r, 'y'));
}

record_set records_draw(random_source *r, record_family family, size_t number, bool quoted,
                        bool wide, size_t count) {
  record_set set = {.family = family, .quoted = quoted, .count = count};
  size_t choice = wide ? RECORD_LAYOUTS - RECORD_LAYOUTS_NARROW : RECORD_LAYOUTS;
  set.layout = family == RECORDS_CSV ? &layouts[number % choice] : &table_layout;
  set.at = calloc(count, sizeof *set.at);
  assert_non_null(set.at);
  for (size_t i = 0; i < count; i++) {
    switch (family) {
    case RECORDS_CSV:
      draw_line(r, &set, &set.at[i]);
      break;
    case RECORDS_SVMLIGHT:
      draw_svmlight(r, &set.at[i]);
      break;
    case RECORDS_NUMBERS:
      draw_entries(r, &set.at[i]);
      break;
    case RECORDS_CELLS:
      draw_cells(r, &set.at[i]);
      break;
    }
  }
  return set;
}

void record_clear(record *one) {
  free(one->line);
  for (size_t c = 0; c < RECORD_CELLS; c++) {
    free(one->cells[c]);
  }
  *one = (record){0};
}

void records_free(record_set *set) {
  for (size_t i = 0; i < set->count; i++) {
    record_clear(&set->at[i]);
  }
  free(set->at);
  *set = (record_set){0};
}

/* ---- hostile texts: of a field, a cell, or a whole line of one column */

typedef struct hostile_text {
  const char *bytes;
  size_t length;
} hostile_text;
#define T(text)                                                                                    \
  { text, sizeof(text) - 1 }

static const hostile_text texts[] = {
    /* nothing, blanks, marks of nothing */
    T(""), T(" "), T("\t"), T("  \t "), T("?"), T("NA"), T("nan"), T("null"),
    /* quotes: empty, never closed, doubled, inside; line ends within */
    T("\"\""), T("\""), T("\"x"), T("x\""), T("\"\"\""), T("a\"b"), T("6'2\""), T("\"a\nb\""),
    T("\"a\r\nb\""), T("\"\n\""), T("\"\n1,red,x,2,yes\n\""), T("\"\nyes,1,x,red\""),
    /* line ends that are none */
    T("\r"), T("a\rb"), T("\r\r"), T("\v"), T("\f"), T("\x1a"), T("\xc2\x85"), T("\xe2\x80\xa8"),
    /* numbers beyond, beside, and spelled in other ways */
    T("1e999"), T("-1e999"), T("1e-999"), T("1.7976931348623157e308"), T("inf"), T("-inf"),
    T("-nan"), T("-0.0"), T("0"), T("-0"), T("1"), T("1.0"), T("01"), T("+1"), T("1e0"), T(" 1 "),
    T("1."), T("0x1p0"), T("1_0"), T("1d0"), T("12345678901234567890"), T("\xd9\xa1"),
    /* bytes that are no text */
    T("\0"), T("a\0b"), T("\xef\xbb\xbf"),
    T("\xef\xbb\xbf"
      "1"),
    T("\xff\xfe"), T("\xc3("), T("\xc0\x80"),
    /* what files begin with */
    T("\x1f\x8b\x08"), T("PK\x03\x04"), T("BZh9"), T("\x28\xb5\x2f\xfd"),
    T("\x89"
      "DPRM\r"),
    /* comments, names of columns, separators, other texts */
    T("#"), T("# note"), T("#yes"), T("y"), T("a"), T("a,b,note,c,y"), T(","), T(";"), T(",,,"),
    T("unknown"), T("yes"), T("no"), T("Yes"), T("True"), T("=1+1"), T("-1"), T("+1 1:1"), T("|")};
enum { TEXTS = sizeof texts / sizeof *texts };

/* ---- hostile lines: what is no field of a record that is fine */

enum {
  LINE_DUPLICATE,
  LINE_EXTRA,
  LINE_FEWER,
  LINE_ALL_EMPTY,
  LINE_HEADER,
  LINE_MARKED, /* with a byte-order mark */
  LINE_CR,
  LINE_BLANKS_AROUND,
  LINE_COMMENTED,
  LINE_OPENED, /* an opening quote before the last field, never closed */
  LINE_QUOTED, /* all of it in quotes */
  LINE_LONG,
  LINE_PACKED, /* a gzip member, of lines that are fine */
  LINES
};

static void put_long(record *out) {
  enum { LONG = 300000 }; /* more than a window's chunk */
  char *field = malloc(LONG);
  assert_non_null(field);
  memset(field, 'z', LONG);
  put(out, field, LONG);
  free(field);
}

/* A file in itself, of two records; none of its bytes is a line end. What stands behind it in the
 * file is no gzip, and must not be dropped. */
static void put_packed(const char *text, record *out) {
  unsigned char member[64];
  z_stream z = {.next_in = (unsigned char *)(uintptr_t)text,
                .avail_in = (unsigned)strlen(text),
                .next_out = member,
                .avail_out = sizeof member};
  assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 9, Z_FIXED), Z_OK);
  assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
  assert_null(memchr(member, '\n', z.total_out));
  put(out, (const char *)member, z.total_out);
  assert_int_equal(deflateEnd(&z), Z_OK);
}

static void put_line(const record_set *set, size_t place, size_t which, record *out) {
  const record *was = &set->at[place], *other = &set->at[(place + 1) % set->count];
  const char *last = NULL;
  size_t fields = set->family == RECORDS_CSV ? strlen(set->layout->fields) : 1;
  char separator = set->family == RECORDS_CSV ? set->layout->separator : ' ';
  switch (which) {
  case LINE_DUPLICATE:
    put(out, other->line, other->length);
    break;
  case LINE_EXTRA:
    put(out, was->line, was->length);
    put(out, &separator, 1);
    put_text(out, "1");
    break;
  case LINE_FEWER:
    last = strchr(was->line, separator);
    put(out, was->line, last ? (size_t)(last - was->line) : was->length);
    break;
  case LINE_ALL_EMPTY:
    for (size_t f = 1; f < fields; f++) {
      put(out, &separator, 1);
    }
    put_text(out, fields == 1 ? "\"\"" : "");
    break;
  case LINE_HEADER:
    put_text(out, set->layout && set->layout->header ? set->layout->header : "y");
    break;
  case LINE_MARKED:
    put_text(out, "\xef\xbb\xbf");
    put(out, was->line, was->length);
    break;
  case LINE_CR:
    put(out, was->line, was->length);
    put_text(out, "\r");
    break;
  case LINE_BLANKS_AROUND:
    put_text(out, " \t");
    put(out, was->line, was->length);
    put_text(out, "\t ");
    break;
  case LINE_COMMENTED:
    put_text(out, "#");
    put(out, was->line, was->length);
    break;
  case LINE_OPENED:
    last = strrchr(was->line, separator);
    put(out, was->line, last ? (size_t)(last - was->line) + 1 : 0);
    put_text(out, "\"");
    break;
  case LINE_QUOTED:
    put_text(out, "\"");
    put(out, was->line, was->length);
    put_text(out, "\"");
    break;
  case LINE_LONG:
    put(out, was->line, was->length);
    put_long(out);
    break;
  default:
    put_packed(set->family == RECORDS_SVMLIGHT ? "+1\n-1\n" : "yes\nno\n", out);
  }
}

static const char *line_name(size_t which) {
  static const char *const names[LINES] = {
      "another record again",   "a field more",         "fields fewer",
      "empty fields only",      "the header",           "a byte-order mark before it",
      "a CR behind it",         "blanks around it",     "a comment",
      "a quote that is opened", "quotes around it all", "a very long record",
      "a gzip member"};
  return names[which];
}

/* The text in the place of a field, as it is or, where all have them, in quotes. */
static void put_hostile_field(random_source *r, const record_set *set, const hostile_text *text,
                              record *out) {
  const char *fields = set->layout->fields;
  size_t count = strlen(fields), at = below(r, count);
  for (size_t f = 0; f < count; f++) {
    const char *fine = field_text(r, fields[f]);
    put(out, &set->layout->separator, f > 0);
    if (f == at) {
      put_field(out, text->bytes, text->length, set->quoted && below(r, 2));
    } else {
      put_field(out, fine, strlen(fine), set->quoted);
    }
  }
}

/* Whether the line is nothing but blanks: of several columns that is no record (docs/formats.md).
 */
static bool is_blank_line(const record *one, char separator) {
  for (size_t i = 0; i < one->length; i++) {
    char c = one->line[i];
    if (c == separator || c == '\0' || !strchr(" \t\r", c)) {
      return false;
    }
  }
  return true;
}

/* ---- hostile svmlight lines and numbers */

static const hostile_text svm_lines[] = {
    /* nothing, blanks, comments */
    T(""), T(" "), T("\t \t"), T("\r"), T("#"), T("# +1 1:0.5"), T(" #"), T("+1 1:0.5 # c"),
    T("+1#"),
    /* labels that are odd or alone */
    T("0 1:1"), T("2 1:1"), T("+1"), T("1.0"), T("01 01:1"), T("1e0 1:1.0"),
    /* values */
    T("-1 1:-0.0"), T("+1 1:nan"), T("+1 1:inf"), T("+1 1:1e308"), T("+1 1:1e999"),
    T("+1 1:1e-999"),
    /* indices */
    T("+1 2:1 1:1"), T("+1 1:1 1:1"), T("+1 7:1"), T("+1 0:1"), T("+1 -1:1"),
    T("+1 18446744073709551617:1"),
    /* what is no entry, no label or no text */
    T("+1 1:"), T("+1 :1"), T("+1 1"), T("+1 qid:3 1:1"), T("1:1"), T("nan 1:1"), T("+1 1:1\r"),
    T("+1\0"), T("\0"), T("+1 1:1 \xff"),
    /* what files begin with, quotes */
    T("\x1f\x8b\x08"),
    T("\x89"
      "DPRM\r"),
    T("PK\x03"), T("\"+1 1:1\""), T("\"")};
enum { SVM_LINES = sizeof svm_lines / sizeof *svm_lines };

enum { NUMBER_KINDS = 24 };

static const char *hostile_numbers(random_source *r, size_t which, const record_set *set,
                                   size_t place, record *out) {
  static const double odd[] = {
      (double)NAN, (double)INFINITY, -(double)INFINITY, -0.0, 0.0, 1e308, -1e308, 5e-324, 1e-300};
  size_t value = below(r, RECORD_DIMS);
  *out = set->at[place];
  out->entries = RECORD_DIMS;
  for (uint32_t j = 0; j < RECORD_DIMS; j++) {
    out->columns[j] = j;
    out->values[j] = ldexp((double)below(r, 100), -7);
  }
  if (which < 9) {
    out->values[value] = odd[which];
    return "an odd value";
  }
  if (which < 18) {
    for (size_t j = 0; j < RECORD_DIMS; j++) {
      out->values[j] = odd[which - 9];
    }
    return "odd values";
  }
  switch (which) {
  case 18:
    *out = set->at[(place + 1) % set->count];
    return "another record again";
  case 19:
    out->label = 0;
    return "no label";
  case 20:
    out->label = (double)NAN;
    return "a label that is no number";
  case 21:
    out->columns[1] = out->columns[0];
    return "a column twice";
  case 22:
    out->columns[RECORD_DIMS - 1] = UINT32_MAX;
    return "a column beyond the last";
  default:
    out->entries = 0;
    return "no entries";
  }
}

/* ---- cells */

enum { CELL_NUMBERS = 9 };

static const char *hostile_cells(random_source *r, size_t which, const record_set *set,
                                 size_t place, record *out) {
  static const double odd[CELL_NUMBERS - 1] = {
      (double)NAN, (double)INFINITY, -(double)INFINITY, -0.0, 1e308, -1e308, 5e-324, 50.5};
  const record *was = &set->at[which == TEXTS ? (place + 1) % set->count : place];
  *out = (record){.number = was->number};
  for (size_t c = 0; c < RECORD_CELLS; c++) {
    out->cells[c] = copy_of(was->cells[c]);
  }
  if (which > TEXTS) {
    out->number = odd[which - TEXTS - 1];
    return "an odd number";
  }
  if (which < TEXTS) { /* up to a NUL, where a text of C ends */
    char **cell = &out->cells[below(r, RECORD_CELLS)];
    free(*cell);
    *cell = below(r, 10) ? copy_of(texts[which].bytes) : NULL;
    return *cell ? *cell : "a missing cell";
  }
  return "another record again";
}

/* ---- all */

size_t hostile_count(record_family family) {
  switch (family) {
  case RECORDS_CSV:
    return TEXTS + LINES;
  case RECORDS_SVMLIGHT:
    return SVM_LINES + LINES;
  case RECORDS_NUMBERS:
    return NUMBER_KINDS;
  case RECORDS_CELLS:
    break;
  }
  return TEXTS + CELL_NUMBERS;
}

bool hostile_draw(random_source *r, const record_set *set, size_t place, size_t number, record *out,
                  const char **name, bool *by_others) {
  size_t own = set->family == RECORDS_CSV ? TEXTS : SVM_LINES;
  *out = (record){0};
  *by_others = false;
  if (set->family == RECORDS_NUMBERS) {
    *name = hostile_numbers(r, number, set, place, out);
    return true;
  }
  if (set->family == RECORDS_CELLS) {
    *name = hostile_cells(r, number, set, place, out);
    return true;
  }
  if (number >= own) {
    put_line(set, place, number - own, out);
    *name = line_name(number - own);
  } else if (set->family == RECORDS_SVMLIGHT) {
    put(out, svm_lines[number].bytes, svm_lines[number].length);
    *by_others = out->line[0] == '0'; /* among -1 and +1 a 0 is a mistake */
    *name = svm_lines[number].bytes;
  } else {
    put_hostile_field(r, set, &texts[number], out);
    *name = texts[number].bytes;
  }
  bool narrow = set->family == RECORDS_SVMLIGHT || strlen(set->layout->fields) == 1;
  return narrow || !is_blank_line(out, set->layout->separator);
}
