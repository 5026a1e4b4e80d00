/* Parsing "--name value", "--name=value", flags and positional words. */
#include "arguments/arguments.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments/file_guard.h"

const common_argument common_arguments[COMMON_ARGUMENTS] = {
    {"-q", "--quiet", "only errors on stderr, no notes and no progress"},
    {"-h", "--help", "explain the command"},
};

bool argument_is_common(const char *word, int which) {
  return strcmp(word, common_arguments[which].name) == 0 ||
         strcmp(word, common_arguments[which].letter) == 0;
}

const char *argument_value(const argument *a) {
  return a->kind == ARGUMENT_FLAG ? "" : a->value;
}

bool argument_is_positional(const argument *a) {
  return a->name[0] != '-';
}

bool argument_is_file(const argument *a) {
  return a->kind == ARGUMENT_INPUT || a->kind == ARGUMENT_OUTPUT;
}

/* Who is told of the table instead of the user. */
static struct {
  const command *command;
  page_reader *reader;
  void *context;
} told;

void arguments_announce(const command *next, page_reader *reader, void *context) {
  told.command = next;
  told.reader = reader;
  told.context = context;
  usage_of(next->name);
}

enum { ARGUMENTS_MOST = 64 };

/* The targets that were set. */
static struct {
  const void *targets[ARGUMENTS_MOST];
  size_t count;
} set;

bool argument_given(const void *target) {
  for (size_t i = 0; i < set.count; i++) {
    if (set.targets[i] == target) {
      return true;
    }
  }
  return false;
}

/* False with a message if it was given before. */
static bool note_given(const argument *a) {
  if (argument_given(a->target) || set.count == sizeof set.targets / sizeof *set.targets) {
    return refuse(wrong_usage("%s is given twice", a->name));
  }
  set.targets[set.count++] = a->target;
  return true;
}

/* Every page comes from the table that the command parses its arguments by: it is called with
 * --help. */
void command_visit_one(const command *c, const char *action, page_reader *reader, void *context) {
  char help_flag[] = "--help", word[32];
  char *words[3] = {word, help_flag, NULL};
  (void)snprintf(word, sizeof word, "%s", action ? action : "");
  arguments_announce(c, reader, context);
  (void)c->run(action ? 2 : 1, action ? words : words + 1);
}

void command_visit(const command *c, page_reader *reader, void *context) {
  command_visit_one(c, NULL, reader, context);
  for (const char *const *action = c->actions; action && *action; action++) {
    command_visit_one(c, *action, reader, context);
  }
}

const char *command_action(const command *c, const char *name) {
  for (const char *const *action = c->actions; action && *action; action++) {
    if (strcmp(*action, name) == 0) {
      return *action;
    }
  }
  return NULL;
}

const command *command_named(const command *commands, const char *name) {
  const command *c = commands;
  while (c->name && strcmp(c->name, name) != 0) {
    c++;
  }
  return c->name ? c : NULL;
}

/* Decimal numbers only: strtod alone would take "nan", "inf" and hexadecimal; and make 0 of what is
 * too small. */
bool read_number(const char *text, double *out) {
  errno = 0;
  if (!*text || strspn(text, "0123456789+-.eE") != strlen(text)) {
    return false;
  }
  char *end = NULL;
  *out = strtod(text, &end);
  return *end == '\0' && !(errno == ERANGE && (*out == 0 || isinf(*out)));
}

const char *number_trouble(void) {
  return errno == ERANGE ? ", which is too large or too small for a double" : "";
}

bool read_whole(const char *text, uint64_t *out) {
  if (!*text || strspn(text, "0123456789") != strlen(text)) {
    return false;
  }
  errno = 0;
  *out = strtoull(text, NULL, 10);
  return errno == 0;
}

static bool is_action(const argument *a) {
  return strcmp(a->name, "action") == 0;
}

/* The actions of a command, for people: "init, show or verify". */
static const char *actions_of(const argument *a, char out[128]) {
  char words[128], *rest = NULL;
  size_t used = (size_t)snprintf(words, sizeof words, "%s", a->value);
  for (const char *const *own = told.command->actions; own && *own && used < sizeof words; own++) {
    used += (size_t)snprintf(words + used, sizeof words - used, "|%s", *own);
  }
  const char *last = strrchr(words, '|');
  used = 0;
  for (char *word = strtok_r(words, "|", &rest); word && used < 128;
       word = strtok_r(NULL, "|", &rest)) {
    const char *between = word == words ? "" : word > last ? " or " : ", ";
    used += (size_t)snprintf(out + used, 128 - used, "%s%s", between, word);
  }
  return out;
}

static bool has_action(const argument *a, const char *text, size_t length) {
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
  if (argument_is_file(a) && !*text) {
    return refuse(
        wrong_usage("%s is empty; name a file", argument_is_positional(a) ? a->value : a->name));
  }
  if (!is_action(a) || has_action(a, text, strlen(text))) {
    return true;
  }
  return refuse(
      command_action(told.command, text)
          ? wrong_usage("%s must be the first word", text)
          : wrong_usage("no action is called \"%.40s\"; use %s", text, actions_of(a, buffer)));
}

static bool store_number(const argument *a, const char *text) {
  const char *word = strchr(a->value, '|'); /* allowed instead */
  bool positive = a->kind == ARGUMENT_POSITIVE;
  double number = 0;
  if (word && strcmp(word + 1, text) == 0) {
    return true;
  }
  if (!read_number(text, &number) || (positive && !(number > 0))) {
    return refuse(wrong_usage("%s must be a %s number%s%s, not \"%.40s\"%s", a->name,
                              positive ? "positive" : "finite", word ? " or " : "",
                              word ? word + 1 : "", text, number_trouble()));
  }
  *(double *)a->target = number;
  return true;
}

static bool store_whole(const argument *a, const char *text) {
  bool count = a->kind == ARGUMENT_COUNT;
  uint64_t whole = 0;
  if (!read_whole(text, &whole) || (count && (whole == 0 || whole > SIZE_MAX / 2))) {
    return refuse(
        wrong_usage("%s must be a whole number from %d, not \"%.40s\"", a->name, count, text));
  }
  if (count) {
    *(size_t *)a->target = (size_t)whole;
  } else {
    *(uint64_t *)a->target = whole;
  }
  return true;
}

static bool store(const argument *a, const char *text) {
  if (!note_given(a) || !check_word(a, text)) {
    return false;
  }
  switch (a->kind) {
  case ARGUMENT_NUMBER:
  case ARGUMENT_POSITIVE:
    return store_number(a, text);
  case ARGUMENT_COUNT:
  case ARGUMENT_SEED:
    return store_whole(a, text);
  default:
    *(const char **)a->target = text;
    return true;
  }
}

static const argument *find_named(const argument *table, size_t count, const char *word) {
  size_t length = strcspn(word, "=");
  for (size_t i = 0; i < count; i++) {
    if (strlen(table[i].name) == length && strncmp(table[i].name, word, length) == 0) {
      return &table[i];
    }
  }
  return NULL;
}

static const argument *next_positional(const argument *table, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (argument_is_positional(&table[i]) && !argument_given(table[i].target)) {
      return &table[i];
    }
  }
  return NULL;
}

/* Takes argv[*at] and, if it needs one, the value behind it. */
static bool take(const argument *table, size_t count, int argc, char **argv, int *at) {
  const char *word = argv[*at], *equals = strchr(word, '=');
  if (word[0] != '-' || word[1] == '\0') { /* "-" alone is a file */
    const argument *a = next_positional(table, count);
    return a ? store(a, word) : refuse(wrong_usage("\"%.40s\" is one word too many", word));
  }
  const argument *a = find_named(table, count, word);
  if (!a) {
    return refuse(wrong_usage("unknown option %.60s", word));
  }
  if (a->kind == ARGUMENT_FLAG) {
    *(bool *)a->target = true;
    return equals ? refuse(wrong_usage("%s takes no value", a->name)) : note_given(a);
  }
  if (!equals && *at + 1 >= argc) {
    return refuse(wrong_usage("%s needs a value", a->name));
  }
  return store(a, equals ? equals + 1 : argv[++*at]);
}

/* ---- help */

/* What help says of an argument beside this action; NULL if it is for others, as "init, show: its
 * budget" says. */
static const char *help_beside(const argument *actions, const char *action, const argument *a) {
  bool beside = false;
  const char *word = a->help;
  for (size_t length = 0;; word += length + 2) {
    length = strcspn(word, ",:");
    if (!has_action(actions, word, length)) {
      return a->help; /* for all */
    }
    beside = beside || (strlen(action) == length && strncmp(word, action, length) == 0);
    if (word[length] == ':') {
      return beside ? word + length + 2 : NULL;
    }
  }
}

/* The lines for one action of a table that several share; 0 if `word` is none of them. */
static size_t table_of_action(const argument *table, size_t count, const char *word,
                              argument out[ARGUMENTS_MOST]) {
  size_t kept = 0;
  if (count > ARGUMENTS_MOST || !is_action(table) || !has_action(table, word, strlen(word))) {
    return 0;
  }
  for (size_t i = 0; i < count; i++) {
    const char *help = help_beside(table, word, &table[i]);
    if (help) {
      out[kept] = table[i];
      out[kept++].help = help;
    }
  }
  out->value = word;
  return kept;
}

static bool tell(const argument *table, size_t count, const char *word, const char *rest) {
  argument own[ARGUMENTS_MOST];
  size_t kept = table_of_action(table, count, word, own);
  const command_page page = {told.command->name, told.command->summary, kept ? own : table,
                             kept ? kept : count, rest};
  told.reader(told.context, &page);
  return refuse(0);
}

bool arguments_parse(const argument *table, size_t count, int argc, char **argv, const char *rest) {
  for (int i = 0; i < argc; i++) {
    if (argument_is_common(argv[i], HELP)) {
      return tell(table, count, argv[0], rest);
    }
  }
  for (int i = 0; i < argc; i++) {
    if (argument_is_common(argv[i], QUIET)) {
      notes_off();
    } else if (!take(table, count, argc, argv, &i)) {
      return false;
    }
  }
  for (size_t i = 0; i < count; i++) {
    const argument *a = &table[i];
    char buffer[128];
    if (a->required && !argument_given(a->target)) {
      return refuse(is_action(a) ? wrong_usage("an action is missing: %s", actions_of(a, buffer))
                                 : wrong_usage("%s is missing",
                                               argument_is_positional(a) ? a->value : a->name));
    }
  }
  return files_agree(table, count);
}
