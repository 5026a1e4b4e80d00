/* See help.h. */
#include "arguments/help.h"

#include "output/handles.h"

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

void print_wrapped(const char *text, size_t length, size_t at, size_t indent) {
  const char *end = text + length;
  for (const char *word = text; word < end;) {
    size_t width = strcspn(word, " \n");
    width = width < (size_t)(end - word) ? width : (size_t)(end - word);
    at = put_word(word, width, at, indent, word == text);
    word += width + 1;
  }
  putchar('\n');
}

/* "--name VALUE", or "-n, --name" */
static const char *spelled(const argument *a, char out[128]) {
  bool positional = argument_is_positional(a), value = a->kind != ARGUMENT_FLAG;
  (void)snprintf(out, 128, "%s%s%s%s%s", a->letter ? a->letter : "", a->letter ? ", " : "",
                 positional ? "" : a->name, value && !positional ? " " : "", argument_value(a));
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
  print_wrapped(text, strlen(text), TEXT_COLUMN, TEXT_COLUMN);
}

void help_print(void *context, const command_page *page) {
  char text[128], word[132];
  printf("dperm %s: %s\n\n", page->name, page->summary);
  size_t at = (size_t)printf("usage: dperm %s", page->name), indent = 9;
  /* an argument is one word, whatever blanks it has; those that all have are left out */
  for (size_t i = 0; i < page->count - COMMON_ARGUMENTS; i++) {
    const argument *a = &page->table[i];
    if (page->grouped && a->group != GROUP_USUAL) {
      (void)put_word("[options]", strlen("[options]"), at, indent, false);
      break;
    }
    (void)snprintf(word, sizeof word, a->required ? "%s" : "[%s]", spelled(a, text));
    size_t part = strlen(word);
    while (indent + part > WIDTH && part > 1) { /* choices go on after one of their bars */
      for (part--; part > 1 && word[part - 1] != '|'; part--) {
      }
    }
    at = put_word(word, part, at, indent, false);
    at = word[part] ? put_word(word + part, strlen(word + part), WIDTH, indent, false) : at;
  }
  printf(page->grouped ? "\n" : "\n\n");
  for (size_t i = 0; i < page->count; i++) {
    if (page_heading(page, i)) {
      printf("\n%s:\n", page_heading(page, i));
    }
    put_option(spelled(&page->table[i], text), page->table[i].help);
  }
  for (const char *rest = page->rest; rest && *rest;) {
    size_t length = strcspn(rest, "\n");
    putchar('\n');
    print_wrapped(rest, length, 0, 0);
    rest += length + (rest[length] == '\n');
  }
}

/* Commands or actions, a line each. */
static void print_list(const command *commands) {
  for (const command *c = commands; c->name; c++) {
    printf("  %-10s %s\n", c->name, c->summary);
  }
}

static void print_overview(const command *commands) {
  static const char more[] = "'dperm help COMMAND' explains a command, 'dperm -V' prints the "
                             "version; start with 'dperm demo'.";
  printf("dperm %s: train classifiers with differential privacy\n\n"
         "usage: dperm COMMAND [options]\n\n",
         dperm_version());
  print_list(commands);
  putchar('\n');
  print_wrapped(more, sizeof more - 1, 0, 0);
}

/* A page_reader. */
static void print_table(void *context, const command_page *page) {
  static const char *const kinds[] = {"text",  "input", "output", "number", "positive",
                                      "count", "seed",  "flag",   "choice", "count"};
  bool action = strchr(page->name, ' ') != NULL;
  for (size_t i = 0; i < page->count - COMMON_ARGUMENTS; i++) {
    const argument *a = &page->table[i];
    printf("%s%s %s %s %s %s\n", page->name, action ? "" : " -", a->name, kinds[a->kind],
           a->required ? "required" : "optional", *argument_value(a) ? argument_value(a) : "-");
  }
}

dperm_status help_of(const command *c, const char *word, dperm_error *err) {
  const command *action = word && c->actions ? command_named(c->actions, word) : NULL;
  if (word && !action) {
    usage_of(c->name);
    return wrong_usage(err, "no action is called \"%.40s\"", word);
  }
  if (action || !c->actions) {
    command_visit_action(action ? c : NULL, action ? action : c, help_print, NULL);
    return flush_stdout(err);
  }
  printf("dperm %s: %s\n\nusage: dperm %s ACTION [options]\n\n", c->name, c->summary, c->name);
  print_list(c->actions);
  printf("\n'dperm help %s ACTION' explains an action.\n", c->name);
  return flush_stdout(err);
}

dperm_status help_command(const command *commands, int argc, char **argv, dperm_error *err) {
  bool table = argc > 0 && strcmp(argv[0], "--table") == 0;
  argc -= table;
  argv += table;
  const command *c = argc > 0 ? command_named(commands, argv[0]) : NULL;
  RETURN_IF(argc > 0 && !c, wrong_usage(err, "no command is called \"%.40s\"", argv[0]));
  int most = table ? 1 : 2;
  RETURN_IF(argc > most, wrong_usage(err, "unexpected argument \"%.40s\"", argv[most]));
  if (c && !table) {
    return help_of(c, argc > 1 ? argv[1] : NULL, err);
  }
  for (const command *t = commands; table && t->name; t++) {
    if (!c || t == c) {
      command_visit(t, print_table, NULL);
    }
  }
  if (!table) {
    print_overview(commands);
  }
  return flush_stdout(err);
}
