/* See completion.h. The words to choose from are those of an argument's value in help:
 * "csv|svmlight" is two of them, what has capitals is a name for something else. */
#include "completion.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "command_visit.h"

/* ---- values */

static bool is_word(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) {
    if (!islower((unsigned char)text[i]) && !isdigit((unsigned char)text[i]) && text[i] != '-') {
      return false;
    }
  }
  return length > 0;
}

/* The words of a value, with blanks between; false if there is none. */
static bool words_of(const char *value, char *out, size_t size) {
  size_t used = 0;
  out[0] = '\0';
  for (const char *at = value; *at;) {
    size_t length = strcspn(at, "|");
    if (is_word(at, length) && used + length + 2 < size) {
      used += (size_t)snprintf(out + used, size - used, "%s%.*s", used ? " " : "", (int)length, at);
    }
    at += length + (at[length] == '|');
  }
  return used > 0;
}

/* A text in single quotes of a shell; `special` are further characters that take a backslash. */
static void put_quoted(const char *text, const char *special, const char *quote) {
  for (; *text; text++) {
    if (*text == '\'') {
      printf("%s", quote);
    } else {
      printf(strchr(special, *text) ? "\\%c" : "%c", *text);
    }
  }
}

static bool has_action(const command_page *page) {
  return page->count > 0 && strcmp(page->table[0].name, "action") == 0;
}

/* Whether it is the page of the action that has its own, and not the command's. */
typedef struct shell_context {
  const command *command;
  bool second;
} shell_context;

/* The words for the action: of this page, and the one that has its own. */
static void action_words(const shell_context *s, const command_page *page, char *out, size_t size) {
  (void)words_of(page->table[0].value, out, size);
  if (s->command->action && !s->second) {
    size_t used = strlen(out);
    (void)snprintf(out + used, size - used, " %s", s->command->action);
  }
}

static void put_names(const command *commands, size_t count) {
  for (size_t i = 0; i < count; i++) {
    printf("%s ", commands[i].name);
  }
}

/* ---- bash */

static void bash_values(const command_page *page) {
  char words[256];
  printf("    case $prev in\n");
  for (size_t i = 0; i < page->count; i++) {
    const argument *a = &page->table[i];
    if (argument_is_positional(a) || a->kind == ARGUMENT_FLAG) {
      continue;
    }
    printf("    %s) ", a->name);
    if (argument_is_file(a)) {
      printf("_dperm_files");
    } else if (words_of(a->value, words, sizeof words)) {
      printf("_dperm_words '%s'", words);
    } else {
      printf(":");
    }
    printf("; return ;;\n");
  }
  printf("    esac\n");
}

static void bash_page(void *context, const command_page *page) {
  shell_context *s = context;
  char words[256];
  printf(s->second ? "  '%s %s')\n" : "  '%s'*)\n", page->name, s->command->action);
  bash_values(page);
  printf("    if [[ $cur == -* ]]; then\n      _dperm_words '");
  for (size_t i = 0; i < page->count; i++) {
    printf(argument_is_positional(&page->table[i]) ? "" : "%s ", page->table[i].name);
  }
  for (size_t i = 0; i < COMMON_ARGUMENTS; i++) {
    printf("%s ", common_arguments[i].name);
  }
  printf("'\n");
  if (has_action(page)) {
    action_words(s, page, words, sizeof words);
    printf("    elif [[ $COMP_CWORD -eq 2 ]]; then\n      _dperm_words '%s'\n"
           "    else\n      _dperm_files\n",
           words);
  }
  printf("    fi ;;\n");
}

/* The page of an action comes first: its pattern is the narrower one. */
static void keep_second(void *context, const command_page *page) {
  shell_context *s = context;
  if (s->second) {
    bash_page(s, page);
  }
  s->second = true;
}

static void keep_first(void *context, const command_page *page) {
  shell_context *s = context;
  if (!s->second) {
    bash_page(s, page);
  }
  s->second = true;
}

static void print_bash(const command *commands, size_t count) {
  printf("# bash completion for dperm; made by 'dperm completion bash'\n"
         "_dperm_words() {\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\")\n}\n"
         "_dperm_files() {\n  compopt -o default 2> /dev/null\n  COMPREPLY=()\n}\n"
         "_dperm() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
         "  COMPREPLY=()\n"
         "  if [[ $cur == '=' ]]; then\n    cur=\n"
         "  elif [[ $prev == '=' ]]; then\n    prev=${COMP_WORDS[COMP_CWORD - 2]}\n  fi\n"
         "  if [[ $COMP_CWORD -eq 1 ]]; then\n    _dperm_words '");
  put_names(commands, count);
  printf("help completion --help --version'\n    return\n  fi\n"
         "  case \"${COMP_WORDS[1]} ${COMP_WORDS[2]}\" in\n"
         "  'help '*)\n    _dperm_words '");
  put_names(commands, count);
  printf("' ;;\n  'completion '*)\n    _dperm_words 'bash zsh fish' ;;\n");
  for (size_t i = 0; i < count; i++) {
    shell_context first = {&commands[i], false}, again = {&commands[i], false};
    command_visit(&commands[i], keep_second, &first);
    command_visit(&commands[i], keep_first, &again);
  }
  printf("  esac\n}\ncomplete -F _dperm dperm\n");
}

/* ---- zsh */

static void zsh_value(const argument *a) {
  char words[256];
  printf(":");
  put_quoted(a->value, ":\\", "");
  if (argument_is_file(a)) {
    printf(":_files");
  } else if (words_of(a->value, words, sizeof words)) {
    printf(":(%s)", words);
  } else {
    printf(": ");
  }
}

static void zsh_page(void *context, const command_page *page) {
  shell_context *s = context;
  char words[256];
  size_t position = 0;
  if (s->command->action) {
    printf(s->second ? "    else\n" : "    if [[ $words[2] != %s ]]; then\n", s->command->action);
  }
  printf("    _arguments");
  for (size_t i = 0; i < page->count; i++) {
    const argument *a = &page->table[i];
    printf(" \\\n      '");
    if (argument_is_positional(a)) {
      printf("%zu:", ++position);
      put_quoted(a->help, ":", "'\\''");
      if (position == 1 && has_action(page)) {
        action_words(s, page, words, sizeof words);
        printf(":(%s)'", words);
      } else {
        printf(argument_is_file(a) ? ":_files'" : ": '");
      }
      continue;
    }
    printf("%s%s[", a->name, a->kind == ARGUMENT_FLAG ? "" : "=");
    put_quoted(a->help, "[]:\\", "'\\''");
    printf("]");
    if (a->kind != ARGUMENT_FLAG) {
      zsh_value(a);
    }
    printf("'");
  }
  for (size_t i = 0; i < COMMON_ARGUMENTS; i++) {
    const common_argument *c = &common_arguments[i];
    printf(" \\\n      '(%s %s)'{%s,%s}'[%s]'", c->letter, c->name, c->letter, c->name, c->help);
  }
  printf(s->command->action && s->second ? "\n    fi" : "\n");
  printf(s->command->action && s->second ? "\n" : "");
  s->second = true;
}

static void print_zsh(const command *commands, size_t count) {
  printf("#compdef dperm\n# zsh completion for dperm; made by 'dperm completion zsh'\n"
         "_dperm() {\n  local -a commands=(\n");
  for (size_t i = 0; i < count; i++) {
    printf("    '%s:", commands[i].name);
    put_quoted(commands[i].summary, ":", "'\\''");
    printf("'\n");
  }
  printf("    'help:explain a command'\n    'completion:complete commands in a shell'\n  )\n"
         "  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
         "  shift words\n  (( CURRENT-- ))\n"
         "  case $words[1] in\n  help) _describe command commands ;;\n"
         "  completion) _values shell bash zsh fish ;;\n");
  for (size_t i = 0; i < count; i++) {
    shell_context s = {&commands[i], false};
    printf("  %s)\n", commands[i].name);
    command_visit(&commands[i], zsh_page, &s);
    printf("    ;;\n");
  }
  printf("  esac\n}\n"
         "if [[ $funcstack[1] == _dperm ]]; then\n  _dperm \"$@\"\nelse\n  compdef _dperm dperm\n"
         "fi\n");
}

/* ---- fish */

static void fish_condition(const shell_context *s) {
  printf("complete -c dperm -n '__fish_seen_subcommand_from %s", s->command->name);
  if (s->command->action) {
    printf("; and %s__fish_seen_subcommand_from %s", s->second ? "" : "not ", s->command->action);
  }
}

static void fish_text(const char *text) {
  printf(" -d '");
  put_quoted(text, "\\", "\\'");
  printf("'\n");
}

static void fish_page(void *context, const command_page *page) {
  shell_context *s = context;
  char words[256];
  bool files = false;
  for (size_t i = 0; i < page->count; i++) {
    const argument *a = &page->table[i];
    if (argument_is_positional(a)) {
      files = files || argument_is_file(a);
      continue;
    }
    fish_condition(s);
    printf("' -l %s", a->name + 2);
    if (argument_is_file(a)) {
      printf(" -r -F");
    } else if (a->kind != ARGUMENT_FLAG) {
      printf(" -x");
      printf(words_of(a->value, words, sizeof words) ? " -a '%s'" : "", words);
    }
    fish_text(a->help);
  }
  for (size_t i = 0; i < COMMON_ARGUMENTS; i++) {
    fish_condition(s);
    printf("' -s %s -l %s", common_arguments[i].letter + 1, common_arguments[i].name + 2);
    fish_text(common_arguments[i].help);
  }
  if (has_action(page) && !s->second) {
    action_words(s, page, words, sizeof words);
    printf("complete -c dperm -n '__fish_seen_subcommand_from %s; and not "
           "__fish_seen_subcommand_from %s' -a '%s'\n",
           page->name, words, words);
  }
  if (files) { /* behind the action */
    (void)words_of(page->table[0].value, words, sizeof words);
    fish_condition(s);
    printf("; and __fish_seen_subcommand_from %s' -F\n", words);
  }
  s->second = true;
}

static void print_fish(const command *commands, size_t count) {
  printf("# fish completion for dperm; made by 'dperm completion fish'\ncomplete -c dperm -f\n");
  for (size_t i = 0; i < count; i++) {
    printf("complete -c dperm -n __fish_use_subcommand -a %s", commands[i].name);
    fish_text(commands[i].summary);
  }
  printf("complete -c dperm -n __fish_use_subcommand -a help -d 'explain a command'\n"
         "complete -c dperm -n __fish_use_subcommand -a completion -d 'complete commands in a "
         "shell'\n"
         "complete -c dperm -n __fish_use_subcommand -s V -l version -d 'the version'\n"
         "complete -c dperm -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'\n"
         "complete -c dperm -n '__fish_seen_subcommand_from help' -a '");
  put_names(commands, count);
  printf("'\n");
  for (size_t i = 0; i < count; i++) {
    shell_context s = {&commands[i], false};
    command_visit(&commands[i], fish_page, &s);
  }
}

bool completion_print(const char *shell, const command *commands, size_t count) {
  static const struct {
    const char *name;
    void (*print)(const command *commands, size_t count);
  } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
  for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
    if (strcmp(shells[i].name, shell) == 0) {
      shells[i].print(commands, count);
      return true;
    }
  }
  return false;
}
