/* See help.h. */
#include "arguments/help.h"

#include <dperm.h>
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

/* The words of `text` from column `at` on, on lines whose later ones begin at `indent`, and the end
 * of the line. Texts are ASCII, so bytes are columns. */
static void wrap(const char *text, size_t length, size_t at, size_t indent) {
  const char *end = text + length;
  for (const char *word = text; word < end;) {
    size_t width = strcspn(word, " \n");
    width = width < (size_t)(end - word) ? width : (size_t)(end - word);
    at = put_word(word, width, at, indent, word == text);
    word += width + 1;
  }
  putchar('\n');
}

/* "--name VALUE" */
static const char *spelled(const argument *a, char out[128]) {
  bool positional = argument_is_positional(a), value = a->kind != ARGUMENT_FLAG;
  (void)snprintf(out, 128, "%s%s%s", positional ? "" : a->name, value && !positional ? " " : "",
                 argument_value(a));
  return out;
}

static void put_option(const char *left, const char *text) {
  size_t at = 2 + strlen(left);
  printf("  %s", left);
  if (at + 2 > TEXT_COLUMN) {
    putchar('\n');
    at = 0;
  }
  printf("%*s", (int)(TEXT_COLUMN - at), "");
  wrap(text, strlen(text), TEXT_COLUMN, TEXT_COLUMN);
}

/* Closing paragraphs; those of a list have their text in a column of its own. */
static void put_rest(const char *rest) {
  enum { TERM = 10 };
  bool listed = true;
  for (const char *line = rest; *line;) {
    size_t length = strcspn(line, "\n"), term = strcspn(line, "\t\n");
    bool item = term < length;
    printf(line > rest && !(item && listed) ? "\n" : "");
    if (item) {
      printf("%-*.*s", TERM, (int)term, line);
      wrap(line + term + 1, length - term - 1, TERM, TERM);
    } else {
      wrap(line, length, 0, 0);
    }
    listed = item;
    line += length + (line[length] == '\n');
  }
}

void help_print(void *context, const command_page *page) {
  char text[128], word[132];
  (void)context;
  printf("dperm %s: %s\n\n", page->name, page->summary);
  size_t at = (size_t)printf("usage: dperm %s", page->name), indent = 9;
  for (size_t i = 0; i < page->count; i++) { /* an argument is one word, whatever blanks it has */
    const argument *a = &page->table[i];
    (void)snprintf(word, sizeof word, a->required ? "%s" : "[%s]", spelled(a, text));
    at = put_word(word, strlen(word), at, indent, false);
  }
  printf("\n\n");
  for (size_t i = 0; i < page->count; i++) {
    put_option(spelled(&page->table[i], text), page->table[i].help);
  }
  for (size_t i = 0; i < COMMON_ARGUMENTS; i++) {
    const common_argument *c = &common_arguments[i];
    (void)snprintf(text, sizeof text, "%s, %s", c->letter, c->name);
    put_option(text, c->help);
  }
  if (page->rest) {
    putchar('\n');
    put_rest(page->rest);
  }
}

void help_overview(const command *commands) {
  static const char more[] =
      "'dperm help COMMAND' explains one, 'dperm completion SHELL' completes them in bash, zsh or "
      "fish, 'dperm -V' tells the version; start with 'dperm demo'.";
  printf("dperm %s: classifiers that do not betray the people in the training data\n\n"
         "usage: dperm COMMAND [options]\n\n",
         dperm_version());
  for (const command *c = commands; c->name; c++) {
    printf("  %-10s %s\n", c->name, c->summary);
  }
  putchar('\n');
  wrap(more, sizeof more - 1, 0, 0);
}
