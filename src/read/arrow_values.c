/* See arrow_values.h. Buffers need not be aligned, so numbers are copied out of them. */
#include "read/arrow_values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/defect.h"

/* ---- types */

enum { NAME_SIZE = 64 };

static const struct {
  const char *format;
  arrow_form form;
} forms[] = {
    {"n", ARROW_NONE},   {"b", ARROW_BOOL},   {"c", ARROW_INT8},       {"C", ARROW_UINT8},
    {"s", ARROW_INT16},  {"S", ARROW_UINT16}, {"i", ARROW_INT32},      {"I", ARROW_UINT32},
    {"l", ARROW_INT64},  {"L", ARROW_UINT64}, {"e", ARROW_HALF},       {"f", ARROW_FLOAT},
    {"g", ARROW_DOUBLE}, {"u", ARROW_TEXT},   {"U", ARROW_LARGE_TEXT}, {"vu", ARROW_TEXT_VIEW}};

/* The names of types that are not taken, by how their formats begin; the longer first. */
static const char *const others[][2] = {{"vz", "binary_view"},
                                        {"z", "binary"},
                                        {"Z", "large_binary"},
                                        {"w", "fixed_size_binary"},
                                        {"d", "decimal"},
                                        {"td", "date"},
                                        {"tt", "time"},
                                        {"ts", "timestamp"},
                                        {"tD", "duration"},
                                        {"ti", "interval"},
                                        {"+l", "list"},
                                        {"+L", "large_list"},
                                        {"+vl", "list_view"},
                                        {"+vL", "large_list_view"},
                                        {"+w", "fixed_size_list"},
                                        {"+s", "struct"},
                                        {"+m", "map"},
                                        {"+u", "union"},
                                        {"+r", "run_end_encoded"}};

static dperm_status fail_type(const char *name, const char *type, dperm_error *err) {
  char shown[NAME_SIZE];
  dperm_text_visible(type, shown, sizeof shown);
  FAIL(
      err, DPERM_INVALID_DATA,
      "column \"%.64s\" is of the Arrow type %s; strings, integers, floats, booleans, dictionaries "
      "of them and nulls are taken; cast the column",
      name, shown);
}

dperm_status arrow_unsound(const char *what, const char *why, dperm_error *err) {
  FAIL(err, DPERM_INVALID_DATA, "%.80s is no sound Arrow array: %s", what, why);
}

/* A number of an extension's metadata, which stand there in the machine's own order. */
static bool take_number(const char **at, int32_t most, int32_t *out) {
  memcpy(out, *at, sizeof *out);
  *at += sizeof *out;
  return *out >= 0 && *out <= most;
}

/* Whether the type is somebody's own, whose values are not those of the type below it; and what it
 * is called. */
static bool is_extension(const char *metadata, char name[NAME_SIZE]) {
  enum { PAIRS_MOST = 1 << 16, LENGTH_MOST = 1 << 28 };
  static const char key[] = "ARROW:extension:name";
  int32_t pairs = 0, length = 0;
  (void)snprintf(name, NAME_SIZE, "with metadata that are none");
  if (!metadata) {
    return false;
  }
  if (!take_number(&metadata, PAIRS_MOST, &pairs)) {
    return true;
  }
  for (bool found = false; pairs > 0; pairs--) {
    if (!take_number(&metadata, LENGTH_MOST, &length)) {
      return true;
    }
    found = (size_t)length == sizeof key - 1 && memcmp(metadata, key, sizeof key - 1) == 0;
    metadata += length;
    if (!take_number(&metadata, LENGTH_MOST, &length)) {
      return true;
    }
    if (found) {
      (void)snprintf(name, NAME_SIZE, "%.*s", length < NAME_SIZE ? (int)length : NAME_SIZE - 1,
                     metadata);
      return true;
    }
    metadata += length;
  }
  return false;
}

static dperm_status form_of(const struct ArrowSchema *schema, const char *name, arrow_form *out,
                            dperm_error *err) {
  char own[NAME_SIZE];
  RETURN_IF(!schema->format, arrow_unsound("a column", "it has no type", err));
  RETURN_IF(is_extension(schema->metadata, own), fail_type(name, own, err));
  for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
    if (strcmp(schema->format, forms[f].format) == 0) {
      *out = forms[f].form;
      return DPERM_OK;
    }
  }
  const char *other = schema->format;
  for (size_t t = 0; t < sizeof others / sizeof *others; t++) {
    if (strncmp(schema->format, others[t][0], strlen(others[t][0])) == 0) {
      other = others[t][1];
      break;
    }
  }
  return fail_type(name, other, err);
}

dperm_status arrow_type_of(const struct ArrowSchema *schema, const char *name, arrow_type *out,
                           dperm_error *err) {
  arrow_type type = {.places = ARROW_NONE};
  TRY(form_of(schema, name, &type.values, err));
  if (schema->dictionary) {
    RETURN_IF(type.values < ARROW_INT8 || type.values > ARROW_UINT64,
              fail_type(name, "dictionary without places", err));
    RETURN_IF(schema->dictionary->dictionary, fail_type(name, "dictionary of dictionaries", err));
    type.places = type.values;
    TRY(form_of(schema->dictionary, name, &type.values, err));
  }
  *out = type;
  return DPERM_OK;
}

/* ---- arrays */

#define LOAD(type, from, at)                                                                       \
  __extension__({                                                                                  \
    type loaded_;                                                                                  \
    memcpy(&loaded_, (from) + (at) * sizeof loaded_, sizeof loaded_);                              \
    loaded_;                                                                                       \
  })

static int64_t end_at(const arrow_values *v, size_t at) {
  return v->form == ARROW_LARGE_TEXT ? LOAD(int64_t, v->data, at) : LOAD(int32_t, v->data, at);
}

dperm_status arrow_array_check(const struct ArrowArray *array, const char *what, dperm_error *err) {
  const int64_t most = INT64_MAX / 64;
  RETURN_IF(!array || array->length < 0 || array->offset < 0 || array->length > most ||
                array->offset > most ||
                (uint64_t)array->length + (uint64_t)array->offset > SIZE_MAX / 64,
            arrow_unsound(what, "its length or offset", err));
  RETURN_IF(array->null_count < -1 || array->null_count > array->length,
            arrow_unsound(what, "its number of nulls", err));
  RETURN_IF(array->n_buffers < 0 || (array->n_buffers > 0 && !array->buffers) ||
                array->n_children < 0 || (array->n_children > 0 && !array->children),
            arrow_unsound(what, "buffers or children are missing", err));
  return DPERM_OK;
}

static dperm_status values_of(arrow_form form, const struct ArrowArray *array, size_t needed,
                              const char *what, arrow_values *out, dperm_error *err) {
  TRY(arrow_array_check(array, what, err));
  *out = (arrow_values){.form = form,
                        .offset = (size_t)array->offset,
                        .count = (size_t)array->length,
                        .array = array};
  RETURN_IF(out->count < needed, arrow_unsound(what, "it is shorter than its table", err));
  RETURN_IF(array->n_children != 0, arrow_unsound(what, "it has children", err));
  if (form == ARROW_NONE) {
    return DPERM_OK;
  }
  const bool views = form == ARROW_TEXT_VIEW;
  const int64_t buffers = form >= ARROW_TEXT ? 3 : 2, parts = array->n_buffers - buffers;
  RETURN_IF(views ? parts < 0 : parts != 0, arrow_unsound(what, "its number of buffers", err));
  out->present = array->buffers[0];
  out->data = array->buffers[1];
  RETURN_IF(array->null_count > 0 && !out->present,
            arrow_unsound(what, "it has nulls and does not say where", err));
  RETURN_IF(out->count > 0 && !out->data, arrow_unsound(what, "a buffer is missing", err));
  RETURN_IF(views && parts > 0 && !array->buffers[array->n_buffers - 1],
            arrow_unsound(what, "a buffer is missing", err));
  if ((form == ARROW_TEXT || form == ARROW_LARGE_TEXT) && out->count > 0) { /* of no texts none */
    out->last_end = end_at(out, out->offset + out->count);
  }
  return DPERM_OK;
}

dperm_status arrow_column_of(const arrow_type *type, const struct ArrowArray *array, size_t needed,
                             const char *name, arrow_column *out, dperm_error *err) {
  char what[80];
  (void)snprintf(what, sizeof what, "column \"%.64s\"", name);
  *out = (arrow_column){.coded = type->places != ARROW_NONE};
  TRY(values_of(out->coded ? type->places : type->values, array, needed, what, &out->own, err));
  RETURN_IF(out->coded != (array->dictionary != NULL),
            arrow_unsound(what, "a dictionary is missing, or is too much", err));
  return out->coded ? values_of(type->values, array->dictionary, 0, what, &out->entries, err)
                    : DPERM_OK;
}

/* ---- values */

static int64_t signed_at(const arrow_values *v, size_t at) {
  switch (v->form) {
  case ARROW_INT8:
    return LOAD(int8_t, v->data, at);
  case ARROW_INT16:
    return LOAD(int16_t, v->data, at);
  case ARROW_INT32:
    return LOAD(int32_t, v->data, at);
  default:
    return LOAD(int64_t, v->data, at);
  }
}

static uint64_t unsigned_at(const arrow_values *v, size_t at) {
  switch (v->form) {
  case ARROW_UINT8:
    return v->data[at];
  case ARROW_UINT16:
    return LOAD(uint16_t, v->data, at);
  case ARROW_UINT32:
    return LOAD(uint32_t, v->data, at);
  default:
    return LOAD(uint64_t, v->data, at);
  }
}

static bool is_signed(arrow_form form) {
  return form == ARROW_INT8 || form == ARROW_INT16 || form == ARROW_INT32 || form == ARROW_INT64;
}

/* IEEE 754's binary16, exactly. */
static double half_number(uint16_t bits) {
  const int exponent = bits >> 10 & 31, digits = bits & 1023;
  const double size = exponent == 31  ? (digits ? (double)NAN : (double)INFINITY)
                      : exponent == 0 ? ldexp(digits, -24)
                                      : ldexp(1024 + digits, exponent - 25);
  return bits >> 15 ? -size : size;
}

arrow_found arrow_find(const arrow_column *column, size_t i, const arrow_values **in, size_t *at) {
  const arrow_values *v = &column->own, *entries = &column->entries;
  *in = v;
  *at = v->offset + i;
  if (v->form == ARROW_NONE || (v->present && !arrow_bit(v->present, *at))) {
    return ARROW_MISSING;
  }
  if (!column->coded || DEFECT("places-for-texts")) {
    return ARROW_FOUND;
  }
  /* a negative place is beyond all entries */
  const uint64_t place = is_signed(v->form) ? (uint64_t)signed_at(v, *at) : unsigned_at(v, *at);
  if (place >= entries->count) {
    return ARROW_UNSOUND;
  }
  *in = entries;
  *at = entries->offset + (size_t)place;
  return entries->form == ARROW_NONE || (entries->present && !arrow_bit(entries->present, *at))
             ? ARROW_MISSING
             : ARROW_FOUND;
}

double arrow_number(const arrow_values *v, size_t at) {
  switch (v->form) {
  case ARROW_BOOL:
    return arrow_bit(v->data, at);
  case ARROW_HALF:
    return half_number(LOAD(uint16_t, v->data, at));
  case ARROW_FLOAT:
    return LOAD(float, v->data, at);
  case ARROW_DOUBLE:
    return LOAD(double, v->data, at);
  default:
    return is_signed(v->form) ? (double)signed_at(v, at) : (double)unsigned_at(v, at);
  }
}

/* Up to 12 bytes stand in the view itself, longer texts in one of the parts behind it. */
static arrow_found text_of_view(const arrow_values *v, size_t at, slice *out) {
  enum { VIEW = 16, INSIDE = 12, PARTS_FROM = 2 };
  const unsigned char *view = v->data + at * VIEW;
  const int32_t length = LOAD(int32_t, view, 0), part = LOAD(int32_t, view, 2),
                from = LOAD(int32_t, view, 3);
  const int64_t parts = v->array->n_buffers - 3;
  *out = (slice){(const char *)view + 4, length > 0 ? (size_t)length : 0};
  if (length >= 0 && length <= INSIDE) {
    return ARROW_FOUND;
  }
  if (length < 0 || part < 0 || part >= parts || from < 0) {
    return ARROW_UNSOUND;
  }
  const char *bytes = v->array->buffers[PARTS_FROM + part];
  const unsigned char *sizes = v->array->buffers[v->array->n_buffers - 1];
  if (!bytes || (int64_t)from + length > LOAD(int64_t, sizes, (size_t)part)) {
    return ARROW_UNSOUND;
  }
  out->start = bytes + from;
  return ARROW_FOUND;
}

arrow_found arrow_text(const arrow_values *v, size_t at, slice *out) {
  if (v->form == ARROW_TEXT_VIEW) {
    return text_of_view(v, at, out);
  }
  const int64_t from = end_at(v, at), to = end_at(v, at + 1);
  const char *bytes = v->array->buffers[2];
  if (from < 0 || to < from || to > v->last_end || (to > from && !bytes)) {
    return ARROW_UNSOUND;
  }
  *out = to > from ? (slice){bytes + from, (size_t)(to - from)} : (slice){"", 0};
  return ARROW_FOUND;
}

static slice digits_of(uint64_t size, bool negative, char space[ARROW_DIGITS]) {
  char *end = space + ARROW_DIGITS, *at = end;
  do {
    *--at = (char)('0' + size % 10);
    size /= 10;
  } while (size > 0);
  if (negative) {
    *--at = '-';
  }
  return (slice){at, (size_t)(end - at)};
}

slice arrow_number_text(const arrow_values *v, size_t at, char space[ARROW_DIGITS], bool *lost) {
  *lost = false;
  if (v->form == ARROW_BOOL) {
    return slice_of(arrow_bit(v->data, at) ? "True" : "False");
  }
  if (v->form < ARROW_HALF) {
    const int64_t whole = is_signed(v->form) ? signed_at(v, at) : 0;
    return is_signed(v->form)
               ? digits_of(whole < 0 ? 0 - (uint64_t)whole : (uint64_t)whole, whole < 0, space)
               : digits_of(unsigned_at(v, at), false, space);
  }
  const double x = arrow_number(v, at);
  const bool whole = x == floor(x) && isfinite(x);
  *lost = whole && fabs(x) >= 0x1p53;
  return isnan(x) || *lost ? (slice){"", 0}
         : whole           ? digits_of((uint64_t)fabs(x), x < 0, space)
                           : (slice){space, format_double(x, false, space)};
}
