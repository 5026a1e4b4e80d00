/* See about.h. */
#include "report/about.h"

#include "base/file_read.h"
#include "base/memory.h"

enum { ABOUT_LIMIT = 64 << 10 };

/* Members, as they stand on the page. */
static const char *const members[][2] = {
    {"intended_use", "intended use"}, {"not_for", "not for"}, {"records", "records"},
    {"responsible", "responsible"},   {"contact", "contact"}, {"date", "date"}};
enum { MEMBERS = sizeof members / sizeof *members };

void about_clear(about *a) {
  json_decref(a->rows);
  json_decref(a->paragraphs);
}

/* Lines of a text are one on the page. */
static json_t *one_line(const char *text, size_t length) {
  while (length > 0 && strchr(" \t\r\n", text[length - 1])) {
    length--;
  }
  OWNED_MEMORY char *line = NULL;
  if (memory_copy_text(text, length, &line, NULL) != DPERM_OK) {
    return NULL;
  }
  for (size_t i = 0; i < length; i++) {
    if (strchr("\n\r\t", line[i])) { /* none is NUL: about_read */
      line[i] = ' ';
    }
  }
  return json_stringn(line, length);
}

/* ---- JSON */

static dperm_status read_members(const json_document *doc, about *out, dperm_error *err) {
  const char *keys[MEMBERS + 1] = {NULL};
  for (size_t i = 0; i < MEMBERS; i++) {
    keys[i] = members[i][0];
  }
  TRY(json_check_keys(doc, doc->root, keys, "what is said about the model", err));
  out->rows = json_object();
  for (size_t i = 0; i < MEMBERS; i++) {
    const json_t *given = json_object_get(doc->root, members[i][0]);
    JSON_FAIL_IF(given && !json_is_string(given), doc, json_blamed(doc->root, given), err,
                 "\"%s\" must be a text in quotes", members[i][0]);
    if (given) {
      json_set(&out->rows, members[i][1],
               one_line(json_string_value(given), json_string_length(given)));
    }
  }
  FAIL_IF(!out->rows, err, DPERM_OUT_OF_MEMORY, "out of memory while reading %s", doc->name);
  return DPERM_OK;
}

static dperm_status read_json(const char *name, const char *text, size_t length, about *out,
                              dperm_error *err) {
  OWNED(json_document_free)
  json_document doc = {.name = name, .text = text, .length = length, .blame = DPERM_INVALID_DATA};
  TRY(json_document_parse(&doc, err));
  return read_members(&doc, out, err);
}

/* ---- plain text */

/* The length of the line at `from`, its end included, and whether there is nothing on it. */
static size_t line_at(const char *text, size_t length, size_t from, bool *blank) {
  size_t end = from;
  *blank = true;
  for (; end < length && text[end] != '\n'; end++) {
    *blank = *blank && strchr(" \t\r", text[end]) != NULL;
  }
  return end - from + (end < length);
}

static void add_paragraph(const char *text, size_t begin, size_t end, json_t **list) {
  if (end > begin) {
    json_append(list, one_line(text + begin, end - begin));
  }
}

/* Blank lines are between paragraphs. */
static void split_paragraphs(const char *text, size_t length, json_t **list) {
  size_t begin = 0;
  for (size_t at = 0, step = 0; at < length; at += step) {
    bool blank = true;
    step = line_at(text, length, at, &blank);
    if (blank) {
      add_paragraph(text, begin, at, list);
      begin = at + step;
    }
  }
  add_paragraph(text, begin, length, list);
}

/* Where the text begins, behind a byte-order mark and blanks; `length` if it says nothing. */
static size_t first_word(const char *text, size_t length) {
  size_t at = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  while (at < length && strchr(" \t\r\n", text[at])) {
    at++;
  }
  return at;
}

dperm_status about_read(const char *name, const char *text, size_t length, about *out,
                        dperm_error *err) {
  OWNED_MEMORY char *read = NULL;
  if (!name) {
    return DPERM_OK;
  }
  if (!text) {
    TRY(file_read_all(name, ABOUT_LIMIT, &read, &length, err));
    text = read;
    name = path_for_people(name);
  }
  json_auto_t *valid = json_stringn(text, length);
  FAIL_IF(length > ABOUT_LIMIT || !valid || memchr(text, '\0', length), err, DPERM_INVALID_DATA,
          "%.512s: what is said about a model is a short text in UTF-8, of at most %d bytes", name,
          ABOUT_LIMIT);
  const size_t first = first_word(text, length);
  FAIL_IF(first == length, err, DPERM_INVALID_DATA,
          "%.512s: nothing is said about the model; write what it is for, or leave the file out",
          name);
  if (text[first] == '{') {
    return read_json(name, text, length, out, err);
  }
  out->paragraphs = json_array();
  split_paragraphs(text + first, length - first, &out->paragraphs);
  FAIL_IF(!out->paragraphs, err, DPERM_OUT_OF_MEMORY, "out of memory while reading %.512s", name);
  return DPERM_OK;
}

/* ---- the page */

void about_write(report *p, const about *a) {
  const json_t *text;
  json_t *row;
  const char *label;
  size_t i;
  if (!a->rows && !a->paragraphs) {
    return;
  }
  report_heading(p, "What it is for, and who answers for it");
  json_array_foreach(a->paragraphs, i, text) {
    report_words(p, REPORT_TEXT, json_string_value(text));
  }
  json_object_foreach(a->rows, label, row) {
    report_row_words(p, label, json_string_value(row));
  }
  report_text(
      p, "These are the words of whoever publishes the model; the program checks none of them.");
}
