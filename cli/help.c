/* See help.h. */
#include "help.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 80, TEXT_COLUMN = 28 };

/* Prints one word; a line that it does not fit on ends before it. Returns the new column. */
static size_t put_word(const char *word, size_t length, size_t at, size_t indent, bool first) {
  if (!first && at + 1 + length > WIDTH) {
    printf("\n%*s", (int)indent, "");
    at = indent;
  } else if (!first) {
    putchar(' ');
    at++;
  }
  printf("%.*s", (int)length, word);
  return at + length;
}

/* Texts are ASCII, so bytes are columns. */
static void wrap_until(const char *text, const char *end, size_t at, size_t indent) {
  bool first = true;
  while (text < end) {
    size_t length = strcspn(text, " \n");
    length = length < (size_t)(end - text) ? length : (size_t)(end - text);
    at = put_word(text, length, at, indent, first);
    first = false;
    text += length;
    text += text < end;
  }
  putchar('\n');
}

void help_wrap(const char *text, size_t at, size_t indent) {
  wrap_until(text, text + strlen(text), at, indent);
}

/* An argument in a usage line is one word, however many blanks it has. */
static size_t put_usage(const argument *a, size_t at, size_t indent) {
  char word[128];
  bool flag = a->kind == ARGUMENT_FLAG, positional = argument_is_positional(a);
  (void)snprintf(word, sizeof word, "%s%s%s%s%s", a->required ? "" : "[", positional ? "" : a->name,
                 flag || positional ? "" : " ", argument_value(a), a->required ? "" : "]");
  return put_word(word, strlen(word), at, indent, false);
}

static void put_option(const char *left, const char *text) {
  printf("  %s", left);
  size_t at = 2 + strlen(left);
  if (at + 2 > TEXT_COLUMN) {
    putchar('\n');
    at = 0;
  }
  printf("%*s", (int)(TEXT_COLUMN - at), "");
  help_wrap(text, TEXT_COLUMN, TEXT_COLUMN);
}

/* Closing paragraphs; those of a list have their text in a column of its own. */
static void put_rest(const char *rest) {
  enum { TERM = 10 };
  bool listed = false;
  for (const char *line = rest; *line;) {
    size_t length = strcspn(line, "\n"), term = strcspn(line, "\t\n");
    bool item = term < length;
    printf(line > rest && !(item && listed) ? "\n" : "");
    if (item) {
      printf("%-*.*s", TERM, (int)term, line);
      wrap_until(line + term + 1, line + length, TERM, TERM);
    } else {
      wrap_until(line, line + length, 0, 0);
    }
    listed = item;
    line += length + (line[length] == '\n');
  }
}

void help_print(void *context, const command_page *page) {
  char left[160];
  (void)context;
  printf("dperm %s: %s\n\n", page->name, page->summary);
  size_t at = (size_t)printf("usage: dperm %s", page->name), indent = 9;
  for (size_t i = 0; i < page->count; i++) {
    at = put_usage(&page->table[i], at, indent);
  }
  printf("\n\n");
  for (size_t i = 0; i < page->count; i++) {
    const argument *a = &page->table[i];
    bool positional = argument_is_positional(a), flag = a->kind == ARGUMENT_FLAG;
    (void)snprintf(left, sizeof left, "%s%s%s", positional ? "" : a->name,
                   flag || positional ? "" : " ", argument_value(a));
    put_option(left, a->help);
  }
  for (size_t i = 0; i < COMMON_ARGUMENTS; i++) {
    (void)snprintf(left, sizeof left, "%s, %s", common_arguments[i].letter,
                   common_arguments[i].name);
    put_option(left, common_arguments[i].help);
  }
  if (page->rest) {
    putchar('\n');
    put_rest(page->rest);
  }
}
