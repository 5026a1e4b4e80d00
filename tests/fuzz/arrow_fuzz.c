/* Any bytes as an Arrow stream: they say what types its columns have, how deep they nest, how long
 * arrays are and where they begin, which buffers and dictionaries are missing, and what lies in
 * the others; every batch has it anew. A buffer has what the length and the offset of its array
 * promise and not a byte more, so whatever is read beside it is found. Whatever the bytes, rows lie
 * within norm 1, an error is one line, and each struct is given back once. */
#include "memory_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dperm/arrow.h"

enum { COLUMNS = 4, TEXTS = 96, PARTS = 2, NESTED = 40 };

/* ---- the bytes */

static const uint8_t *at, *end;

static unsigned take(unsigned below) {
  return at < end ? *at++ % below : 0;
}

/* Mostly as it should be. */
static bool odd(void) {
  return take(16) == 15;
}

static int64_t some_number(int64_t sound) {
  static const int64_t others[] = {0,  1,         -1,        -7,        3,
                                   39, INT64_MAX, INT64_MIN, 1LL << 58, -(1LL << 40)};
  return odd() ? others[take(sizeof others / sizeof *others)] : sound;
}

/* ---- what a struct owns is freed with it */

typedef struct owner {
  void *pieces[512];
  size_t count;
} owner;

static size_t live;

static void *room(owner *o, size_t size) {
  void *made = calloc(1, size > 0 ? size : 1);
  MUST(made && o->count < sizeof o->pieces / sizeof *o->pieces);
  return o->pieces[o->count++] = made;
}

static owner *owner_new(void) {
  owner *o = calloc(1, sizeof *o);
  MUST(o);
  live++;
  return o;
}

static void owner_free(owner *o) {
  while (o->count > 0) {
    free(o->pieces[--o->count]);
  }
  free(o);
  live--;
}

static void release_schema(struct ArrowSchema *given) {
  MUST(given->release);
  given->release = NULL;
  owner_free(given->private_data);
}

static void release_array(struct ArrowArray *given) {
  MUST(given->release);
  given->release = NULL;
  owner_free(given->private_data);
}

static void release_stream(struct ArrowArrayStream *given) {
  MUST(given->release);
  given->release = NULL;
  live--;
}

/* ---- types: chosen once for a stream */

static const char *const formats[] = {"g", "u",  "c", "U", "vu",  "b",  "n",  "l",   "L",  "i",
                                      "e", "f",  "s", "S", "C",   "I",  "+s", "+l",  "z",  "tdD",
                                      "",  "+r", "q", "d", "+vl", "+m", "g:", "+w:", "uu", "vz"};
static const char *const names[] = {"age", "code", "ill", "more", "", "age\n", NULL};

typedef struct column_type {
  const char *format, *entries;
} column_type;

static column_type types[COLUMNS];

static const char *metadata_of(owner *o) {
  static const char extension[] = "\1\0\0\0\x14\0\0\0ARROW:extension:name\6\0\0\0period",
                    other[] = "\1\0\0\0\1\0\0\0k\1\0\0\0v", senseless[] = "\xff\xff\xff\x7f";
  static const struct {
    const char *bytes;
    size_t size;
  } some[] = {{extension, sizeof extension - 1}, {other, sizeof other - 1}, {senseless, 4}};
  if (!odd()) {
    return NULL;
  }
  const size_t which = take(3);
  return memcpy(room(o, some[which].size), some[which].bytes, some[which].size);
}

static struct ArrowSchema *type_new(owner *o, const char *format, const char *name) {
  struct ArrowSchema *made = room(o, sizeof *made);
  *made = (struct ArrowSchema){.format = format, .name = name, .metadata = metadata_of(o)};
  return made;
}

/* Lists of lists, as deep as one likes. */
static void nest(owner *o, struct ArrowSchema *in) {
  for (unsigned depth = take(NESTED); depth > 0; depth--) {
    in->n_children = some_number(1);
    in->children = room(o, sizeof *in->children);
    in = in->children[0] = type_new(o, "+l", "item");
  }
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
  owner *o = owner_new();
  *out = (struct ArrowSchema){.format = odd() ? formats[take(20)] : "+s",
                              .name = "",
                              .n_children = COLUMNS,
                              .children = odd() ? NULL : room(o, COLUMNS * sizeof *out->children),
                              .release = release_schema,
                              .private_data = o};
  for (unsigned c = 0; c < COLUMNS; c++) {
    types[c].format = odd() ? NULL : formats[take(odd() ? sizeof formats / sizeof *formats : 16)];
    types[c].entries = take(3) == 0 ? formats[take(16)] : NULL;
    if (types[c].entries && !odd()) {
      types[c].format = formats[take(2) ? 2 : 12];
    }
    struct ArrowSchema *child = type_new(o, types[c].format, odd() ? names[take(7)] : names[c]);
    if (out->children) {
      out->children[c] = odd() && odd() ? NULL : child;
    }
    if (types[c].entries) {
      child->dictionary = type_new(o, types[c].entries, NULL);
      child->dictionary->dictionary = odd() ? type_new(o, "u", NULL) : NULL;
    }
    if (c == 3) {
      nest(o, child);
    }
  }
  out->n_children = some_number(COLUMNS) == COLUMNS || !out->children ? COLUMNS : take(COLUMNS);
  return 0;
}

/* ---- buffers of exactly this size */

static void *filled(owner *o, size_t size) {
  uint8_t *made = room(o, size);
  for (size_t i = 0; i < size; i++) {
    made[i] = (uint8_t)take(256);
  }
  return made;
}

/* A producer answers for how far the last end is, and for nothing else; of no texts it need not say
 * any. */
static void *ends_of(owner *o, size_t count, bool large) {
  const size_t size = large ? 8 : 4;
  uint8_t *made = room(o, count > 0 ? (count + 1) * size : 0);
  int64_t before = 0;
  for (size_t i = 0; count > 0 && i <= count; i++) {
    int64_t ends = odd() ? (int64_t)take(256) - 128 : before + take(4);
    ends = ends > TEXTS ? TEXTS : ends;
    memcpy(made + i * size, &ends, size); /* the low bytes come first here */
    before = ends;
  }
  return made;
}

static void *texts_of(owner *o) {
  static const char known[] = "0123nurse yes no judge 7.5 -9 1e300 nan inf";
  char *made = room(o, TEXTS);
  for (size_t i = 0; i < TEXTS; i++) {
    made[i] = odd() ? (char)take(256) : known[(i + take(4)) % (sizeof known - 1)];
  }
  return made;
}

static void *views_of(owner *o, size_t count) {
  static const char *const known[] = {"0", "1", "yes", "no", "7.5"};
  uint8_t *made = room(o, count * 16);
  for (size_t i = 0; i < count; i++) {
    const char *text = known[take(5)];
    const int32_t size = (int32_t)strlen(text);
    const int32_t far[] = {13 + (int32_t)take(30), 0, (int32_t)take(PARTS + 1),
                           (int32_t)take(TEXTS)};
    const uint32_t any[] = {take(256) << 24 | take(256), 0, take(256) << 24, take(256) << 24};
    memcpy(made + 16 * i, &size, 4);
    memcpy(made + 16 * i + 4, text, (size_t)size);
    if (take(4) == 3) {
      memcpy(made + 16 * i, odd() ? (const void *)any : far, 16);
    }
  }
  return made;
}

static void *numbers_of(owner *o, size_t count, size_t size) {
  uint8_t *made = room(o, count * size);
  for (size_t i = 0; i < count * size; i++) {
    made[i] = (uint8_t)(odd() ? take(256) : i % size == 0 ? take(6) : 0);
  }
  return made;
}

/* The numbers of bytes of what is none of texts, in the order of `formats`. */
static size_t width_of(const char *format) {
  return strchr("lLg", *format) ? 8 : strchr("iIf", *format) ? 4 : strchr("sSe", *format) ? 2 : 1;
}

static void put_values(owner *o, struct ArrowArray *out, const char *format, size_t count) {
  if (strcmp(format, "vu") == 0) {
    int64_t *sizes = room(o, PARTS * sizeof *sizes);
    out->n_buffers = 3 + PARTS;
    out->buffers[1] = views_of(o, count);
    for (size_t p = 0; p < PARTS; p++) {
      out->buffers[2 + p] = texts_of(o);
      sizes[p] = odd() ? -(int64_t)take(9) : (int64_t)take(TEXTS + 1);
    }
    out->buffers[2 + PARTS] = sizes;
  } else if (*format == 'u' || *format == 'U') {
    out->n_buffers = 3;
    out->buffers[1] = ends_of(o, count, *format == 'U');
    out->buffers[2] = texts_of(o);
  } else if (*format == 'b') {
    out->buffers[1] = filled(o, (count + 7) / 8);
  } else {
    out->buffers[1] = numbers_of(o, count, *format ? width_of(format) : 1);
  }
}

/* ---- arrays */

static struct ArrowArray *array_of(owner *o, const char *format, const char *entries,
                                   size_t length) {
  struct ArrowArray *out = room(o, sizeof *out);
  out->offset = take(4) == 0 ? (int64_t)take(10) : 0;
  out->length = (int64_t)length + (odd() ? (int64_t)take(5) - 2 : 0);
  out->length = out->length < 0 ? 0 : out->length;
  const size_t count = (size_t)(out->offset + out->length);
  out->buffers = room(o, (3 + PARTS) * sizeof *out->buffers);
  out->n_buffers = format && *format == 'n' ? 0 : 2;
  out->buffers[0] = take(2) ? filled(o, (count + 7) / 8) : NULL;
  out->null_count = some_number(out->buffers[0] ? -1 : 0);
  if (format && *format != 'n') {
    put_values(o, out, format, count);
  }
  if (entries && !odd()) {
    out->dictionary = array_of(o, entries, NULL, take(12));
  }
  /* only what cannot be, or is less than there is */
  const int64_t other = some_number(0);
  if (other < 0 || other > 1LL << 50) {
    *(take(2) ? &out->length : &out->offset) = other;
  }
  if (odd() && odd()) {
    out->n_buffers = (int64_t)take(3 + PARTS) - 1;
  }
  if (odd() && odd()) {
    out->buffers[take(3 + PARTS)] = NULL;
  }
  out->n_children = odd() && odd() ? some_number(1) : 0;
  return out;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
  *out = (struct ArrowArray){.release = NULL};
  if (at == end) {
    return odd() ? 5 : 0;
  }
  owner *o = owner_new();
  const size_t length = take(12), offset = take(4) == 0 ? take(5) : 0;
  out->length = (int64_t)length;
  out->offset = (int64_t)offset;
  out->n_buffers = odd() && odd() ? some_number(2) : 1;
  out->buffers = room(o, sizeof *out->buffers);
  out->buffers[0] = odd() ? filled(o, (offset + length + 7) / 8) : NULL;
  out->null_count = odd() ? some_number(0) : 0;
  out->n_children = odd() && odd() ? some_number(COLUMNS) : COLUMNS;
  out->children = room(o, COLUMNS * sizeof *out->children);
  for (unsigned c = 0; c < COLUMNS; c++) {
    struct ArrowArray *child = array_of(o, types[c].format, types[c].entries, offset + length);
    out->children[c] = odd() && odd() ? NULL : child;
  }
  const int64_t other = some_number(0);
  if (other < 0 || other > 1LL << 50) {
    *(take(2) ? &out->length : &out->offset) = other;
  }
  out->release = release_array;
  out->private_data = o;
  return 0;
}

/* ---- a reading */

static const char text[] =
    "{\"label\":{\"column\":\"ill\",\"positive\":[\"yes\",\"1\"],\"negative\":\"*\"},"
    "\"missing\":[\"\",\"?\",\"-9\"],\"on_missing\":\"category\",\"crosses\":[[\"age\",\"code\"]],"
    "\"columns\":[{\"name\":\"age\",\"type\":\"numeric\",\"min\":0,\"max\":100,\"bins\":[1,4]},"
    "{\"name\":\"code\",\"type\":\"categorical\",\"values\":[\"0\",\"1\",\"True\",\"nurse\"]}]}";

static void check_rows(const dperm_data *data, bool labelled) {
  double row[64];
  MUST(dperm_data_dims(data) <= 64);
  for (size_t i = 0; i < dperm_data_rows(data); i++) {
    double sum = 0;
    MUST(dperm_data_row(data, i, row, NULL) == DPERM_OK);
    for (size_t j = 0; j < dperm_data_dims(data); j++) {
      sum += row[j] * row[j];
    }
    MUST(sum <= 1 + 1e-12 && (!labelled || fabs(dperm_data_labels(data)[i]) == 1));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  dperm_schema *schema = NULL;
  dperm_data *data = NULL;
  dperm_error error = {DPERM_OK, ""};
  at = bytes;
  end = bytes + length;
  live = 1;
  struct ArrowArrayStream stream = {
      .get_schema = get_schema, .get_next = get_next, .release = release_stream};
  const dperm_arrow arrow = {.stream = &stream, .unlabelled = take(4) == 0};
  MUST(dperm_schema_parse(text, strlen(text), "schema", &schema, &error) == DPERM_OK);
  const dperm_source source = {.arrow = &arrow, .schema = schema, .may_be_empty = take(2)};
  const dperm_status status = dperm_data_read(&source, NULL, &data, &error);
  MUST((status == DPERM_OK) == (data != NULL));
  MUST(status == DPERM_OK || (error.message[0] != '\0' && !strchr(error.message, '\n')));
  MUST(live == 0 && !stream.release);
  if (data) {
    check_rows(data, !arrow.unlabelled);
  }
  dperm_data_free(data);
  dperm_schema_free(schema);
  return 0;
}
