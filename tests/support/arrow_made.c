/* See arrow_made.h. What a struct owns lies in one list, freed with it. */
#include "arrow_made.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support.h"

static size_t live;

size_t arrow_live(void) {
  return live;
}

/* ---- memory of one struct */

typedef struct piece {
  struct piece *next;
} piece;

typedef struct owner {
  piece *pieces;
} owner;

static void *take(owner *o, size_t size) {
  piece *p = calloc(1, sizeof *p + size + 64);
  assert_non_null(p);
  p->next = o->pieces;
  o->pieces = p;
  return p + 1;
}

static owner *owner_new(void) {
  owner *o = calloc(1, sizeof *o);
  assert_non_null(o);
  live++;
  return o;
}

static void owner_free(owner *o) {
  while (o->pieces) {
    piece *p = o->pieces;
    o->pieces = p->next;
    free(p);
  }
  free(o);
  live--;
}

#define RELEASED(type, name)                                                                       \
  static void name(struct type *given) {                                                           \
    assert_non_null(given->release);                                                               \
    owner_free(given->private_data);                                                               \
    given->release = NULL;                                                                         \
  }
RELEASED(ArrowSchema, release_schema)
RELEASED(ArrowArray, release_array)

static void release_stream(struct ArrowArrayStream *given) {
  assert_non_null(given->release);
  free(given->private_data);
  given->release = NULL;
  live--;
}

/* ---- buffers */

static unsigned char *bits_of(owner *o, const made_column *c, size_t from, size_t pad, size_t count,
                              bool values) {
  unsigned char *bits = take(o, (pad + count) / 8 + 1);
  memset(bits, values ? 0x55 : 0xff, pad / 8 + 1); /* in front is anybody's */
  for (size_t i = 0; i < count; i++) {
    const double x = c->numbers ? c->numbers[from + i] : 0;
    const bool there = c->texts ? c->texts[from + i] != NULL : !isnan(x);
    const bool bit = values ? there && x != 0 : there;
    const unsigned place = 1U << (pad + i) % 8;
    bits[(pad + i) / 8] =
        (unsigned char)(bit ? bits[(pad + i) / 8] | place : bits[(pad + i) / 8] & ~place);
  }
  return bits;
}

static uint16_t half_of(double x) {
  for (unsigned bits = 0; bits < 0x7c00; bits++) {
    const int exponent = (int)bits >> 10, digits = (int)bits & 1023;
    if ((exponent ? ldexp(1024 + digits, exponent - 25) : ldexp(digits, -24)) == fabs(x)) {
      return (uint16_t)(bits | (signbit(x) ? 0x8000 : 0));
    }
  }
  return 0x7c00;
}

static void put_number(char format, unsigned char *to, size_t at, double x) {
#define PUT(letter, type, value)                                                                   \
  case letter: {                                                                                   \
    const type put_ = (type)(value);                                                               \
    memcpy(to + at * sizeof put_, &put_, sizeof put_);                                             \
    return;                                                                                        \
  }
  switch (format) {
    PUT('c', int8_t, x)
    PUT('C', uint8_t, x)
    PUT('s', int16_t, x)
    PUT('S', uint16_t, x)
    PUT('i', int32_t, x)
    PUT('I', uint32_t, x)
    PUT('l', int64_t, x)
    PUT('L', uint64_t, x)
    PUT('e', uint16_t, half_of(x))
    PUT('f', float, x)
    PUT('g', double, x)
  default:
    fail_msg("no numbers have the format %c", format);
  }
}

static void *numbers_of(owner *o, char format, const double *numbers, size_t pad, size_t count) {
  unsigned char *to = take(o, (pad + count) * sizeof(double));
  for (size_t i = 0; i < pad + count; i++) {
    const double x = i < pad ? 77 : numbers[i - pad];
    put_number(format, to, i, isnan(x) ? 99 : x);
  }
  return to;
}

static const char *text_at(const char *const *texts, size_t pad, size_t i) {
  const char *text = i < pad ? "\xff?" : texts[i - pad];
  return text ? text : "\xfe no UTF-8, nor anybody's";
}

static void put_texts(owner *o, const char *format, const char *const *texts, size_t pad,
                      size_t count, struct ArrowArray *out) {
  const bool large = strcmp(format, "U") == 0;
  size_t length = 0, used = 0;
  for (size_t i = 0; i < pad + count; i++) {
    length += strlen(text_at(texts, pad, i));
  }
  char *bytes = take(o, length);
  unsigned char *ends = take(o, (pad + count + 1) * sizeof(int64_t));
  for (size_t i = 0; i <= pad + count; i++) {
    put_number(large ? 'l' : 'i', ends, i, (double)used);
    if (i < pad + count) {
      memcpy(bytes + used, text_at(texts, pad, i), strlen(text_at(texts, pad, i)));
      used += strlen(text_at(texts, pad, i));
    }
  }
  out->buffers[1] = ends;
  out->buffers[2] = bytes;
}

/* Long texts lie in two parts in turn. */
static void put_views(owner *o, const char *const *texts, size_t pad, size_t count,
                      struct ArrowArray *out) {
  size_t length = 0, used[2] = {0, 0};
  for (size_t i = 0; i < pad + count; i++) {
    length += strlen(text_at(texts, pad, i));
  }
  char *parts[2] = {take(o, length), take(o, length)};
  unsigned char *views = take(o, (pad + count) * 16);
  for (size_t i = 0; i < pad + count; i++) {
    const char *text = text_at(texts, pad, i);
    const int32_t size = (int32_t)strlen(text), part = (int32_t)(i % 2), from = (int32_t)used[part];
    memcpy(views + 16 * i, &size, 4);
    memcpy(views + 16 * i + 4, text, (size_t)(size < 12 ? size : 12));
    if (size > 12) {
      memcpy(views + 16 * i + 8, &part, 4);
      memcpy(views + 16 * i + 12, &from, 4);
      memcpy(parts[part] + from, text, (size_t)size);
      used[part] += (size_t)size;
    }
  }
  int64_t *sizes = take(o, 2 * sizeof *sizes);
  sizes[0] = (int64_t)used[0];
  sizes[1] = (int64_t)used[1];
  out->buffers[1] = views;
  out->buffers[2] = parts[0];
  out->buffers[3] = parts[1];
  out->buffers[4] = sizes;
  out->n_buffers = 5;
}

/* ---- arrays */

static struct ArrowArray *array_new(owner *o, size_t length, size_t pad) {
  struct ArrowArray *out = take(o, sizeof *out);
  out->length = (int64_t)length;
  out->offset = (int64_t)pad;
  out->null_count = -1;
  out->n_buffers = 2;
  out->buffers = take(o, 8 * sizeof *out->buffers);
  return out;
}

static void put_values(owner *o, const char *format, const made_column *c, size_t from, size_t pad,
                       size_t count, struct ArrowArray *out) {
  if (strcmp(format, "vu") == 0) {
    put_views(o, c->texts + from, pad, count, out);
  } else if (*format == 'u' || *format == 'U') {
    out->n_buffers = 3;
    put_texts(o, format, c->texts + from, pad, count, out);
  } else if (*format == 'b') {
    out->buffers[1] = bits_of(o, c, from, pad, count, true);
  } else {
    out->buffers[1] = numbers_of(o, *format, c->numbers + from, pad, count);
  }
}

/* Whether two records have the same. */
static bool alike(const made_column *c, size_t a, size_t b) {
  if (c->texts) {
    return c->texts[a] && c->texts[b] ? strcmp(c->texts[a], c->texts[b]) == 0
                                      : c->texts[a] == c->texts[b];
  }
  return c->numbers[a] == c->numbers[b] || (isnan(c->numbers[a]) && isnan(c->numbers[b]));
}

/* Each entry once, as they come from the last record on: every batch has others. */
static void put_dictionary(owner *o, const made_column *c, size_t from, size_t pad, size_t rows,
                           struct ArrowArray *out) {
  double *places = take(o, (rows + 1) * sizeof *places);
  const char **texts = take(o, (rows + 1) * sizeof *texts);
  double *numbers = take(o, (rows + 1) * sizeof *numbers);
  size_t count = 0;
  for (size_t i = rows; i-- > 0;) {
    size_t same = i + 1;
    while (same < rows && !alike(c, from + i, from + same)) {
      same++;
    }
    if (same < rows) {
      places[i] = places[same];
      continue;
    }
    places[i] = (double)count;
    if (c->texts) {
      texts[count++] = c->texts[from + i];
    } else {
      numbers[count++] = c->numbers[from + i];
    }
  }
  texts[count] = "\xff nobody's"; /* no record has it */
  numbers[count] = 0x1p60;
  const made_column entries = {.texts = c->texts ? texts : NULL,
                               .numbers = c->texts ? NULL : numbers};
  out->buffers[1] = numbers_of(o, *c->format, places, pad, rows);
  out->dictionary = array_new(o, count + 1, 1);
  out->dictionary->buffers[0] = bits_of(o, &entries, 0, 1, count + 1, false);
  put_values(o, c->entries, &entries, 0, 1, count + 1, out->dictionary);
}

static struct ArrowArray *array_of(owner *o, const made_column *c, size_t from, size_t count,
                                   size_t pad) {
  struct ArrowArray *out = array_new(o, count, pad);
  if (*c->format == 'n') {
    out->n_buffers = 0;
    return out;
  }
  out->buffers[0] = bits_of(o, c, from, pad, count, false);
  if (c->entries) {
    put_dictionary(o, c, from, pad, count, out);
  } else {
    put_values(o, c->format, c, from, pad, count, out);
  }
  return out;
}

/* ---- streams */

typedef struct stream_state {
  const made_table *table;
  size_t row, number;
} stream_state;

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
  const made_table *t = ((stream_state *)stream->private_data)->table;
  owner *o = owner_new();
  *out = (struct ArrowSchema){.format = "+s",
                              .name = "",
                              .n_children = (int64_t)t->column_count,
                              .children = take(o, (t->column_count + 1) * sizeof *out->children),
                              .release = release_schema,
                              .private_data = o};
  for (size_t c = 0; c < t->column_count; c++) {
    struct ArrowSchema *child = out->children[c] = take(o, sizeof *child);
    child->format = t->columns[c].format;
    child->name = t->columns[c].name;
    child->metadata = t->columns[c].metadata;
    if (t->columns[c].entries) {
      child->dictionary = take(o, sizeof *child);
      child->dictionary->format = t->columns[c].entries;
      child->dictionary->name = "";
    }
  }
  if (t->spoil_schema) {
    t->spoil_schema(out);
  }
  return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
  stream_state *s = stream->private_data;
  const made_table *t = s->table;
  if (s->row == t->rows) {
    *out = (struct ArrowArray){.release = NULL};
    return 0;
  }
  owner *o = owner_new();
  const size_t left = t->rows - s->row, count = t->batch && t->batch < left ? t->batch : left;
  const size_t first = s->row < t->first ? s->row : t->first;
  struct ArrowArray *batch = array_new(o, count, first);
  batch->n_buffers = 1;
  batch->n_children = (int64_t)t->column_count;
  batch->children = take(o, (t->column_count + 1) * sizeof *batch->children);
  for (size_t c = 0; c < t->column_count; c++) {
    batch->children[c] = array_of(o, &t->columns[c], s->row - first, first + count, t->pad);
  }
  batch->release = release_array;
  batch->private_data = o;
  if (t->spoil) {
    t->spoil(batch, s->number);
  }
  *out = *batch;
  s->row += count;
  s->number++;
  return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
  return NULL;
}

struct ArrowArrayStream arrow_made(const made_table *table) {
  stream_state *s = calloc(1, sizeof *s);
  assert_non_null(s);
  s->table = table;
  live++;
  return (struct ArrowArrayStream){.get_schema = get_schema,
                                   .get_next = get_next,
                                   .get_last_error = get_last_error,
                                   .release = release_stream,
                                   .private_data = s};
}
