/* Parsing "--name value", "--name=value", flags and positional words. */
#include "arguments.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file_guard.h"
#include "help.h"

/* Who is told of the table instead of the user. */
static struct {
  const char *summary;
  page_reader *reader;
  void *context;
} told = {"", help_print, NULL};

void arguments_announce(const char *summary, page_reader *reader, void *context) {
  told.summary = summary;
  told.reader = reader;
  told.context = context;
}

/* Decimal numbers only: strtod alone would take "nan", "inf" and hexadecimal. */
bool read_number(const char *text, double *out) {
  if (!*text || strspn(text, "0123456789+-.eE") != strlen(text)) {
    return false;
  }
  char *end = NULL;
  *out = strtod(text, &end);
  return *end == '\0' && isfinite(*out);
}

bool read_whole(const char *text, uint64_t *out) {
  if (!*text || strspn(text, "0123456789") != strlen(text)) {
    return false;
  }
  errno = 0;
  *out = strtoull(text, NULL, 10);
  return errno == 0;
}

static const char action_name[] = "action";

/* The actions of a command, for people: "init, show or verify". */
static const char *actions_of(const argument *a, char *buffer, size_t size) {
  size_t used = 0;
  (void)snprintf(buffer, size, "%s%s%s", a->value, a->word ? "|" : "", a->word ? a->word : "");
  char *last = strrchr(buffer, '|');
  char all[128];
  for (const char *c = buffer; *c && used + 8 < sizeof all; c++) {
    used += (size_t)snprintf(all + used, sizeof all - used, "%s",
                             c == last   ? " or "
                             : *c == '|' ? ", "
                                         : (const char[]){*c, '\0'});
  }
  (void)snprintf(buffer, size, "%.*s", (int)used, all);
  return buffer;
}

static bool is_action(const argument *a, const char *text) {
  size_t length = strlen(text);
  for (const char *at = a->value; *at; at += strcspn(at, "|"), at += *at == '|') {
    if (strcspn(at, "|") == length && strncmp(at, text, length) == 0) {
      return true;
    }
  }
  return false;
}

/* What is wrong with a word is said before what is missing beside it. */
static bool check_word(const argument *a, const char *text) {
  char buffer[128];
  bool file = a->kind == ARGUMENT_INPUT || a->kind == ARGUMENT_OUTPUT;
  if (file && !*text) {
    return refuse(
        wrong_usage("%s is empty; name a file", argument_is_positional(a) ? a->value : a->name));
  }
  if (strcmp(a->name, action_name) != 0 || is_action(a, text)) {
    return true;
  }
  bool late = a->word && strcmp(a->word, text) == 0;
  return refuse(late ? wrong_usage("%s must be the first word", text)
                     : wrong_usage("no action is called \"%.40s\"; use %s", text,
                                   actions_of(a, buffer, sizeof buffer)));
}

static bool store(argument *a, const char *text) {
  double number = 0;
  uint64_t whole = 0;
  if (a->given) {
    return refuse(wrong_usage("%s is given twice", a->name));
  }
  if (!check_word(a, text)) {
    return false;
  }
  a->given = true;
  if (a->word && strcmp(a->word, text) == 0) {
    return true;
  }
  switch (a->kind) {
  case ARGUMENT_TEXT:
  case ARGUMENT_INPUT:
  case ARGUMENT_OUTPUT:
    *(const char **)a->target = text;
    return true;
  case ARGUMENT_NUMBER:
  case ARGUMENT_POSITIVE:
    if (!read_number(text, &number) || (a->kind == ARGUMENT_POSITIVE && !(number > 0))) {
      return refuse(wrong_usage("%s must be a %snumber%s%s, not \"%.40s\"", a->name,
                                a->kind == ARGUMENT_POSITIVE ? "positive " : "finite ",
                                a->word ? " or " : "", a->word ? a->word : "", text));
    }
    *(double *)a->target = number;
    return true;
  case ARGUMENT_COUNT:
    if (!read_whole(text, &whole) || whole == 0 || whole > SIZE_MAX / 2) {
      return refuse(wrong_usage("%s must be a whole number from 1, not \"%.40s\"", a->name, text));
    }
    *(size_t *)a->target = (size_t)whole;
    return true;
  case ARGUMENT_SEED:
    if (!read_whole(text, &whole)) {
      return refuse(wrong_usage("%s must be a whole number from 0, not \"%.40s\"", a->name, text));
    }
    *(uint64_t *)a->target = whole;
    return true;
  case ARGUMENT_FLAG:
    break;
  }
  return false;
}

static argument *find_named(argument *table, size_t count, const char *word, size_t length) {
  for (size_t i = 0; i < count; i++) {
    if (strlen(table[i].name) == length && strncmp(table[i].name, word, length) == 0) {
      return &table[i];
    }
  }
  return NULL;
}

static argument *next_positional(argument *table, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (argument_is_positional(&table[i]) && !table[i].given) {
      return &table[i];
    }
  }
  return NULL;
}

/* Takes argv[*at] and, if it needs one, the value behind it. */
static bool take(argument *table, size_t count, int argc, char **argv, int *at) {
  const char *word = argv[*at], *equals = strchr(word, '=');
  if (word[0] == '-' && word[1] != '\0' && word[1] != '-') { /* "-" alone is a file */
    return refuse(wrong_usage("unknown option %.60s", word));
  }
  if (strncmp(word, "--", 2) != 0) {
    argument *a = next_positional(table, count);
    if (!a) {
      return refuse(wrong_usage("\"%.40s\" is one word too many", word));
    }
    return store(a, word);
  }
  argument *a = find_named(table, count, word, equals ? (size_t)(equals - word) : strlen(word));
  if (!a) {
    return refuse(wrong_usage("unknown option %.60s", word));
  }
  if (a->kind == ARGUMENT_FLAG) {
    if (equals || a->given) {
      return refuse(wrong_usage("%s %s", a->name, equals ? "takes no value" : "is given twice"));
    }
    a->given = *(bool *)a->target = true;
    return true;
  }
  if (!equals && *at + 1 >= argc) {
    return refuse(wrong_usage("%s needs a value", a->name));
  }
  return store(a, equals ? equals + 1 : argv[++*at]);
}

static bool is_common(const char *word, int which) {
  return strcmp(word, common_arguments[which].name) == 0 ||
         strcmp(word, common_arguments[which].letter) == 0;
}

bool arguments_parse(const char *command_name, argument *table, size_t count, int argc, char **argv,
                     const char *rest) {
  for (int i = 0; i < argc; i++) {
    if (is_common(argv[i], HELP)) {
      const command_page page = {command_name, told.summary, table, count, rest};
      told.reader(told.context, &page);
      return refuse(0);
    }
  }
  for (int i = 0; i < argc; i++) {
    if (is_common(argv[i], QUIET)) {
      notes_off();
    } else if (!take(table, count, argc, argv, &i)) {
      return false;
    }
  }
  for (size_t i = 0; i < count; i++) {
    if (table[i].required && !table[i].given) {
      bool positional = argument_is_positional(&table[i]);
      char buffer[128];
      return refuse(
          strcmp(table[i].name, action_name) == 0
              ? wrong_usage("an action is missing: %s",
                            actions_of(&table[i], buffer, sizeof buffer))
              : wrong_usage("%s is missing", positional ? table[i].value : table[i].name));
    }
  }
  return files_agree(table, count);
}
