/* dperm completion: a short script for each shell, which asks the command itself for the words that
 * may stand where the cursor is. The words to choose from are those of an argument's value in help:
 * "csv|svmlight" is two of them, what has capitals is a name for something else. */
#include "arguments/help.h"
#include "commands/commands.h"

static const char *const shells[] = {"bash", "zsh", "fish", NULL};
static const char *const scripts[] = {
    "_dperm() {\n"
    "  local words=$(dperm __complete \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2> /dev/null)\n"
    "  [[ $words != *FILE* ]] || compopt -o default 2> /dev/null\n"
    "  mapfile -t COMPREPLY < <(compgen -W \"${words/FILE/}\" -- \"${COMP_WORDS[COMP_CWORD]}\")\n"
    "}\n"
    "complete -F _dperm dperm\n",

    "#compdef dperm\n"
    "_dperm() {\n"
    "  local -a lines=(\"${(@f)$(dperm __complete \"${(@)words[2,CURRENT]}\" 2> /dev/null)}\")\n"
    "  compadd -- ${lines:#FILE}\n"
    "  (( ! $lines[(I)FILE] )) || _files\n"
    "}\n"
    "if [[ $funcstack[1] == _dperm ]]; then\n  _dperm \"$@\"\nelse\n  compdef _dperm dperm\nfi\n",

    "function __dperm_complete\n"
    "  set -l words (commandline -opc)\n"
    "  dperm __complete $words[2..-1] (commandline -ct) 2> /dev/null\n"
    "end\n"
    "complete -c dperm -f -a '(__dperm_complete | string match -v FILE)'\n"
    "complete -c dperm -n '__dperm_complete | string match -q FILE' -F\n"};

static const char *shell_name(int value) {
  return shells[value];
}

dperm_status run_completion(int argc, char **argv, dperm_error *err) {
  int shell = 0;
  argument table[] = {
      {"shell", ARGUMENT_CHOICE, &shell, true, NULL, "your shell", GROUP_USUAL, shell_name}};
  TRY(arguments_parse(table, 1, argc, argv,
                      "To use it: source <(dperm completion bash), likewise with zsh; for fish: "
                      "dperm completion fish | source.",
                      err));
  printf("%s", scripts[shell]);
  return DPERM_OK;
}

/* ---- candidates */

static void put_value(const argument *a) {
  for (const char *at = argument_value(a); *at;) {
    size_t length = strcspn(at, "|");
    if (strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789-") >= length) {
      printf("%.*s\n", (int)length, at);
    }
    at += length + (at[length] == '|');
  }
  printf(argument_is_file(a) ? "FILE\n" : "");
}

/* A page_reader; its context is the word before the cursor. */
static void put_candidates(void *context, const command_page *page) {
  for (size_t i = 0; i < page->count; i++) {
    if (page->table[i].kind != ARGUMENT_FLAG && strcmp(page->table[i].name, context) == 0) {
      put_value(&page->table[i]);
      return;
    }
  }
  for (size_t i = 0; i < page->count; i++) {
    if (argument_is_positional(&page->table[i])) {
      put_value(&page->table[i]);
    } else {
      printf("%s\n", page->table[i].name);
    }
  }
}

static void put_names(const command *commands) {
  for (const command *c = commands; c->name; c++) {
    printf("%s\n", c->name);
  }
}

dperm_status completion_candidates(const command *commands, int argc, char **argv,
                                   dperm_error *err) {
  const bool help = argc > 1 && strcmp(argv[0], "help") == 0, about_action = help && argc == 3;
  const command *found = argc > 1 ? command_named(commands, argv[about_action]) : NULL;
  const command *action = found && found->actions ? command_named(found->actions, argv[1]) : NULL;
  if (found && found->actions && (argc == 2 || about_action)) {
    put_names(found->actions);
  } else if (!help && (action || (found && !found->actions))) {
    command_visit_action(action ? found : NULL, action ? action : found, put_candidates,
                         argv[argc - 2]);
  } else if (argc < 2 || (help && argc == 2)) {
    put_names(commands);
    printf(argc < 2 ? "help\n--version\n" : "");
  }
  return flush_stdout(err);
}
