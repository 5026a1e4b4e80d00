/* Completion in shells: a short script for each, which asks the command itself for the words that
 * may stand where the cursor is. The words to choose from are those of an argument's value in help:
 * "csv|svmlight" is two of them, what has capitals is a name for something else. */
#include "arguments/help.h"

#include <stdio.h>
#include <string.h>

#include "output/message.h"

/* The scripts ask the dperm that the line names, or that of the PATH where it names none that they
 * can run (quotes, another user's home). bash takes "--format=csv" for three words, and knows
 * nothing of texts behind candidates. */
static const char bash_script[] =
    "# bash completion for dperm; made by 'dperm completion bash'\n"
    "_dperm() {\n"
    "  local cur=${COMP_WORDS[COMP_CWORD]} tool=${COMP_WORDS[0]/#'~/'/$HOME/} words\n"
    "  type -P -- \"$tool\" > /dev/null || tool=dperm\n"
    "  words=$(\"$tool\" __complete \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2> /dev/null | cut -f 1)\n"
    "  [[ $cur != '=' ]] || cur=\n"
    "  [[ $'\\n'$words != *$'\\nFILE'* ]] || compopt -o default 2> /dev/null\n"
    "  mapfile -t COMPREPLY < <(compgen -W \"${words/FILE/}\" -- \"$cur\")\n"
    "}\n"
    "complete -F _dperm dperm\n";

static const char zsh_script[] =
    "#compdef dperm\n"
    "# zsh completion for dperm; made by 'dperm completion zsh'\n"
    "_dperm() {\n"
    "  local tool=${${(Q)words[1]}/#\\~\\//$HOME/}\n"
    "  whence -p -- $tool > /dev/null || tool=dperm\n"
    "  local -a lines=(\"${(@f)$($tool __complete \"${(@)words[2,CURRENT]}\" 2> /dev/null)}\")\n"
    "  local -a candidates=(\"${(@)${(@)lines:#(FILE|)}/$'\\t'/:}\")\n"
    "  (( ! $#candidates )) || _describe dperm candidates\n"
    "  (( ! $lines[(I)FILE] )) || { compset -P '--*='; _files }\n"
    "}\n"
    "if [[ $funcstack[1] == _dperm ]]; then\n  _dperm \"$@\"\nelse\n  compdef _dperm dperm\nfi\n";

static const char fish_script[] =
    "# fish completion for dperm; made by 'dperm completion fish'\n"
    "function __dperm_complete\n"
    "  set -l words (commandline -opc)\n"
    "  set -l cur (commandline -ct)\n"
    "  set -l tool (string replace -r '^~/' \"$HOME/\" -- $words[1])\n"
    "  type -q -- $tool; or set tool dperm\n"
    "  type -q -- $tool; and $tool __complete $words[2..-1] \"$cur\" 2> /dev/null\n"
    "end\n"
    "complete -c dperm -f -a '(__dperm_complete | string match -v FILE)'\n"
    "complete -c dperm -n '__dperm_complete | string match -q FILE' -F\n";

dperm_status completion_script(int argc, char **argv, dperm_error *err) {
  static const char *const scripts[][2] = {
      {"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};
  if (argc != 1) {
    return argc ? wrong_usage(err, "\"%.40s\" is one word too many", argv[1])
                : wrong_usage(err, "completion: name a shell: bash, zsh or fish");
  }
  for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
    if (strcmp(scripts[i][0], argv[0]) == 0) {
      printf("%s", scripts[i][1]);
      return flush_stdout(err);
    }
  }
  return wrong_usage(err, "completion is for bash, zsh and fish, not \"%.40s\"", argv[0]);
}

/* ---- candidates */

static bool is_word(const char *text, size_t length) {
  return length > 0 && strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") >= length;
}

/* The words of a value, each behind the first `before` bytes of `option`. */
static void put_value(const argument *a, const char *option, size_t before) {
  for (const char *at = argument_value(a); *at;) {
    size_t length = strcspn(at, "|");
    if (is_word(at, length)) {
      printf("%.*s%.*s\n", (int)before, option, (int)length, at);
    }
    at += length + (at[length] == '|');
  }
  printf(argument_is_file(a) ? "FILE\n" : "");
}

typedef struct cursor {
  const char *word, *before; /* the word at the cursor, and the one before it */
} cursor;

/* A page_reader. */
static void put_candidates(void *context, const command_page *page) {
  const cursor *c = context;
  size_t name = strcspn(c->word, "=");
  for (size_t i = 0; i < page->count; i++) {
    const argument *a = &page->table[i];
    bool takes_value = a->kind != ARGUMENT_FLAG && !argument_is_positional(a);
    bool behind = strcmp(a->name, c->before) == 0;
    bool within =
        c->word[name] == '=' && strlen(a->name) == name && strncmp(a->name, c->word, name) == 0;
    if (takes_value && (behind || within)) {
      put_value(a, c->word, behind ? 0 : name + 1);
      return;
    }
  }
  bool option = c->word[0] == '-';
  for (size_t i = 0; i < page->count; i++) {
    const argument *a = &page->table[i];
    if (option && !argument_is_positional(a)) {
      printf("%s\t%s\n", a->name, a->help);
    } else if (!option && argument_is_positional(a)) {
      put_value(a, "", 0);
    }
  }
}

static void put_commands(const command *commands) {
  for (const command *c = commands; c->name; c++) {
    printf("%s\t%s\n", c->name, c->summary);
  }
}

dperm_status completion_candidates(const command *commands, int argc, char **argv,
                                   dperm_error *err) {
  int count = 0;
  for (int i = 0; i < argc; i++) { /* an "=" of bash goes; at the cursor, a value begins there */
    bool equals = strcmp(argv[i], "=") == 0;
    if (!equals || i + 1 == argc) {
      argv[count++] = equals ? argv[i] + 1 : argv[i];
    }
  }
  const command *found = count > 1 ? command_named(commands, argv[0]) : NULL;
  const command *action = found && found->actions ? command_named(found->actions, argv[1]) : NULL;
  cursor c = {argv[count > 0 ? count - 1 : 0], argv[count > 1 ? count - 2 : 0]};
  if (found && found->actions && count == 2) {
    put_commands(found->actions);
  } else if (action || (found && !found->actions)) {
    command_visit_action(action ? found : NULL, action ? action : found, put_candidates, &c);
  } else if (count < 2 && (count == 0 || argv[0][0] != '-')) {
    put_commands(commands);
    printf("help\texplain a command\ncompletion\tcomplete commands in a shell\n");
  } else if (count < 2) {
    printf("--help\tthe commands, in a line each\n--version\tthe version\n");
  } else if (count == 2 && strcmp(argv[0], "help") == 0) {
    put_commands(commands);
  } else if (count == 2 && strcmp(argv[0], "completion") == 0) {
    printf("bash\nzsh\nfish\n");
  }
  return flush_stdout(err);
}
