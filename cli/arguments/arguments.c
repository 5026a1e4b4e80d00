/* Parsing "--name value", "--name=value", flags and positional words. */
#include "arguments/arguments.h"

#include <errno.h>
#include <math.h>

#include "output/handles.h"

static const argument common_arguments[COMMON_ARGUMENTS] = {
    {"--quiet", ARGUMENT_FLAG, .help = "suppress notes and progress on stderr", .letter = "-q"},
    {"--help", ARGUMENT_FLAG, .help = "show this help", .letter = "-h"},
};

bool argument_is_common(const char *word, int which) {
  return strcmp(word, common_arguments[which].name) == 0 ||
         strcmp(word, common_arguments[which].letter) == 0;
}

const char *argument_value(const argument *a) {
  static char words[96];
  if (a->names) {
    choices(a->names, a->first, "|", "|", words, sizeof words);
    return words;
  }
  return a->kind == ARGUMENT_FLAG ? "" : a->value;
}

bool argument_is_positional(const argument *a) {
  return a->name[0] != '-';
}

bool argument_is_file(const argument *a) {
  return a->kind == ARGUMENT_INPUT || a->kind == ARGUMENT_OUTPUT;
}

argument shared_argument(const char *name, void *target) {
  static const argument shared[] = {
      {"--data", ARGUMENT_INPUT, NULL, true, "FILE", "the records"},
      {"--schema", ARGUMENT_INPUT, NULL, false, "FILE",
       "schema: what is public about the records (JSON)", GROUP_USUAL},
      {"--model", ARGUMENT_INPUT, NULL, true, "FILE", "model file written by dperm"},
      {"--rows-per-person", ARGUMENT_COUNT, NULL, false, "K",
       "epsilon protects a person with at most K rows (default: 1)", GROUP_PRIVACY},
      {"--neighbours", ARGUMENT_CHOICE, NULL, false, NULL,
       "neighbouring data sets differ by replacing one record, or by adding or removing one "
       "(default: replace)",
       GROUP_PRIVACY, neighbours_name, 0},
      {"--rows-about", ARGUMENT_COUNT, NULL, false, "N",
       "with add-remove: public estimate of the number of rows; the exact number stays private",
       GROUP_PRIVACY},
      {"--format", ARGUMENT_CHOICE, NULL, false, NULL,
       "format of the records (default: from the file name)", GROUP_DATA, format_name,
       DPERM_FORMAT_CSV},
      {"--dims", ARGUMENT_COUNT, NULL, false, "D", "number of columns in svmlight data",
       GROUP_DATA},
      {"--threads", ARGUMENT_THREADS, NULL, false, "N",
       "number of threads; results are the same (default: $DPERM_THREADS, or one per processor)",
       GROUP_DATA},
      {"--json", ARGUMENT_FLAG, NULL, false, NULL, "print the result as JSON", GROUP_OUTPUT},
      {"--force", ARGUMENT_FLAG, NULL, false, NULL, "replace a file that is there already",
       GROUP_OUTPUT},
  };
  size_t i = 0;
  while (strcmp(shared[i].name, name) != 0) {
    i++;
  }
  argument a = shared[i];
  a.target = target;
  return a;
}

/* Who is told of the table instead of the user. */
static struct {
  char name[32]; /* "train", "ledger init" */
  const char *summary;
  page_reader *reader;
  void *context;
} told;

void command_announce(const command *parent, const command *next, page_reader *reader,
                      void *context) {
  (void)snprintf(told.name, sizeof told.name, "%s%s%s", parent ? parent->name : "",
                 parent ? " " : "", next->name);
  told.summary = next->summary;
  told.reader = reader;
  told.context = context;
  usage_of(told.name);
}

enum { ARGUMENTS_MOST = 64, THREADS_MOST = 4096 };

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

/* Fails if it was given before. */
static dperm_status note_given(const argument *a, dperm_error *err) {
  RETURN_IF(argument_given(a->target) || set.count == sizeof set.targets / sizeof *set.targets,
            wrong_usage(err, "%s is given twice", a->name));
  set.targets[set.count++] = a->target;
  return DPERM_OK;
}

/* Every page comes from the table that the command parses by: it is called with --help. */
void command_visit_action(const command *parent, const command *action, page_reader *reader,
                          void *context) {
  char help_flag[] = "--help";
  char *words[] = {help_flag, NULL};
  dperm_error ended;
  command_announce(parent, action, reader, context);
  (void)action->run(1, words, &ended);
}

void command_visit(const command *c, page_reader *reader, void *context) {
  if (!c->actions) {
    command_visit_action(NULL, c, reader, context);
  }
  for (const command *action = c->actions; action && action->name; action++) {
    command_visit_action(c, action, reader, context);
  }
}

const command *command_named(const command *commands, const char *name) {
  const command *c = commands;
  while (c->name && strcmp(c->name, name) != 0) {
    c++;
  }
  return c->name ? c : NULL;
}

const command *command_action(const command *c, const char *word, dperm_error *err) {
  char all[128] = "";
  const command *found = command_named(c->actions, word);
  for (const command *action = c->actions; !found && action->name; action++) {
    size_t used = strlen(all);
    (void)snprintf(all + used, sizeof all - used, "%s%s",
                   !used            ? ""
                   : action[1].name ? ", "
                                    : " or ",
                   action->name);
  }
  if (!found) {
    usage_of(c->name);
    (void)(*word ? wrong_usage(err, "no action is called \"%.40s\"; use %s", word, all)
                 : wrong_usage(err, "an action is missing: %s", all));
  }
  return found;
}

/* Decimal numbers: strtod alone would take "nan", "inf", hexadecimal, and make 0 of the tiniest. */
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
  errno = 0;
  if (!*text || strspn(text, "0123456789") != strlen(text)) {
    return false;
  }
  *out = strtoull(text, NULL, 10);
  return errno == 0;
}

static dperm_status store_number(const argument *a, const char *text, dperm_error *err) {
  const char *word = strchr(a->value, '|'); /* allowed instead */
  bool positive = a->kind == ARGUMENT_POSITIVE;
  double number = 0;
  if (word && strcmp(word + 1, text) == 0) {
    return DPERM_OK;
  }
  RETURN_IF(!read_number(text, &number) || (positive && !(number > 0)),
            wrong_usage(err, "%s must be a %s number%s%s, not \"%.40s\"%s", a->name,
                        positive ? "positive" : "finite", word ? " or " : "", word ? word + 1 : "",
                        text, number_trouble()));
  *(double *)a->target = number;
  return DPERM_OK;
}

static dperm_status store_whole(const argument *a, const char *text, dperm_error *err) {
  bool seed = a->kind == ARGUMENT_SEED, threads = a->kind == ARGUMENT_THREADS;
  uint64_t whole = 0, most = seed ? UINT64_MAX : threads ? THREADS_MOST : SIZE_MAX / 2;
  if (!read_whole(text, &whole) || whole < !seed || whole > most) {
    char end[32] = ""; /* where there is one that people would know, or it was passed */
    if (threads || errno == ERANGE || whole > most) {
      (void)snprintf(end, sizeof end, " to %llu", (unsigned long long)most);
    }
    return wrong_usage(err, "%s must be a whole number from %d%s, not \"%.40s\"", a->name, !seed,
                       end, text);
  }
  if (seed) {
    *(uint64_t *)a->target = whole;
  } else if (threads) {
    *(int *)a->target = (int)whole;
  } else {
    *(size_t *)a->target = (size_t)whole;
  }
  return DPERM_OK;
}

static dperm_status store_choice(const argument *a, const char *text, dperm_error *err) {
  char all[96];
  int value = choice_value(text, a->names, a->first);
  if (value < 0) {
    choices(a->names, a->first, ", ", " or ", all, sizeof all);
    return wrong_usage(err, "%s must be %s", a->name, all);
  }
  *(int *)a->target = value;
  return DPERM_OK;
}

static dperm_status store(const argument *a, const char *text, dperm_error *err) {
  TRY(note_given(a, err));
  if (argument_is_file(a) && !*text) { /* said before what is missing beside it */
    return wrong_usage(err, "%s is empty; name a file",
                       argument_is_positional(a) ? a->value : a->name);
  }
  switch (a->kind) {
  case ARGUMENT_NUMBER:
  case ARGUMENT_POSITIVE:
    return store_number(a, text, err);
  case ARGUMENT_COUNT:
  case ARGUMENT_SEED:
  case ARGUMENT_THREADS:
    return store_whole(a, text, err);
  case ARGUMENT_CHOICE:
    return store_choice(a, text, err);
  default:
    *(const char **)a->target = text;
    return DPERM_OK;
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
static dperm_status take(const argument *table, size_t count, int argc, char **argv, int *at,
                         dperm_error *err) {
  const char *word = argv[*at], *equals = strchr(word, '=');
  if (word[0] != '-' || word[1] == '\0') { /* "-" alone is a file */
    const argument *a = next_positional(table, count);
    return a ? store(a, word, err) : wrong_usage(err, "unexpected argument \"%.40s\"", word);
  }
  const argument *a = find_named(table, count, word);
  RETURN_IF(!a, wrong_usage(err, "unknown option %.60s", word));
  if (a->kind == ARGUMENT_FLAG) {
    *(bool *)a->target = true;
    return equals ? wrong_usage(err, "%s takes no value", a->name) : note_given(a, err);
  }
  RETURN_IF(!equals && *at + 1 >= argc, wrong_usage(err, "%s needs a value", a->name));
  return store(a, equals ? equals + 1 : argv[++*at], err);
}

/* ---- help */

/* Hands on the table, sorted by groups, with the common arguments. */
static dperm_status tell(const argument *table, size_t count, const char *rest, dperm_error *err) {
  enum { MANY = 10 };
  argument shown[ARGUMENTS_MOST + COMMON_ARGUMENTS];
  size_t kept = 0;
  for (argument_group group = GROUP_USUAL; group < GROUPS; group++) {
    for (size_t i = 0; i < count && kept < ARGUMENTS_MOST; i++) {
      if (table[i].group == group && table[i].help) {
        shown[kept++] = table[i];
      }
    }
  }
  bool grouped = count > MANY && shown[0].group != shown[kept - 1].group;
  for (int i = 0; i < COMMON_ARGUMENTS; i++) {
    shown[kept] = common_arguments[i];
    shown[kept++].group = GROUP_OUTPUT;
  }
  const command_page page = {.name = told.name,
                             .summary = told.summary,
                             .table = shown,
                             .count = kept,
                             .grouped = grouped,
                             .rest = rest};
  told.reader(told.context, &page);
  return fail(err, DPERM_CANCELLED, "%s", "");
}

const char *page_heading(const command_page *page, size_t i) {
  static const char *const names[GROUPS] = {"usual", "privacy", "model", "data", "output"};
  argument_group group = page->table[i].group;
  return page->grouped && (i == 0 || group != page->table[i - 1].group) ? names[group] : NULL;
}

dperm_status arguments_parse(const argument *table, size_t count, int argc, char **argv,
                             const char *rest, dperm_error *err) {
  for (int i = 0; i < argc; i++) {
    if (argument_is_common(argv[i], HELP)) {
      return tell(table, count, rest, err);
    }
  }
  for (int i = 0; i < argc; i++) {
    if (argument_is_common(argv[i], QUIET)) {
      notes_off();
    } else {
      TRY(take(table, count, argc, argv, &i, err));
    }
  }
  for (size_t i = 0; i < count; i++) {
    const argument *a = &table[i];
    RETURN_IF(
        a->required && !argument_given(a->target),
        wrong_usage(err, "%s is missing", argument_is_positional(a) ? argument_value(a) : a->name));
  }
  return files_agree(table, count, err);
}
