/* dperm verify: a model's privacy claim, derived again from the file alone. The lines are the
 * library's; here they are collected, since the verdict comes first in JSON, and printed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"

typedef struct found_line {
  dperm_finding finding;
  char *text;
} found_line;

typedef struct findings {
  found_line *lines;
  size_t count, capacity;
  bool out_of_memory;
} findings;

static void collect(void *context, dperm_finding finding, const char *line) {
  findings *all = context;
  if (all->count == all->capacity) {
    size_t capacity = all->capacity ? 2 * all->capacity : 32;
    found_line *grown = realloc(all->lines, capacity * sizeof *grown);
    if (!grown) {
      all->out_of_memory = true;
      return;
    }
    all->lines = grown;
    all->capacity = capacity;
  }
  char *text = strdup(line);
  if (!text) {
    all->out_of_memory = true;
    return;
  }
  all->lines[all->count++] = (found_line){finding, text};
}

static void findings_clear(findings *all) {
  for (size_t i = 0; i < all->count; i++) {
    free(all->lines[i].text);
  }
  free(all->lines);
}

static void print_text(const findings *all) {
  static const char *const marks[] = {[DPERM_FINDING_FAILS] = "FAILS",
                                      [DPERM_FINDING_HOLDS] = "ok",
                                      [DPERM_FINDING_REMARK] = "note"};
  for (size_t i = 0; i < all->count; i++) {
    printf("%-6s %s\n", marks[all->lines[i].finding], all->lines[i].text);
  }
}

/* The lines are printable ASCII: quotes and backslashes are all there is to escape. */
static void print_quoted(const char *text) {
  putchar('"');
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') {
      putchar('\\');
    }
    putchar(*text);
  }
  putchar('"');
}

static void print_json(const findings *all, int holds) {
  const char *between = "";
  printf("{\n  \"verdict\": \"%s\",\n  \"lines\": [", holds ? "follows" : "does not follow");
  for (size_t i = 0; i < all->count; i++) {
    if (all->lines[i].finding != DPERM_FINDING_REMARK) {
      printf("%s\n    {\"holds\": %s, \"text\": ", between,
             all->lines[i].finding == DPERM_FINDING_HOLDS ? "true" : "false");
      print_quoted(all->lines[i].text);
      putchar('}');
      between = ",";
    }
  }
  printf("\n  ],\n  \"remarks\": [");
  between = "";
  for (size_t i = 0; i < all->count; i++) {
    if (all->lines[i].finding == DPERM_FINDING_REMARK) {
      printf("%s\n    ", between);
      print_quoted(all->lines[i].text);
      between = ",";
    }
  }
  printf("\n  ]\n}\n");
}

/* The first line that fails, on stderr. */
static int report_failure(const char *path, const findings *all) {
  size_t i = 0;
  while (i < all->count && all->lines[i].finding != DPERM_FINDING_FAILS) {
    i++;
  }
  (void)fflush(stdout);
  fprintf(stderr, "dperm: %s: the privacy claim does not follow; %s\n",
          strcmp(path, "-") == 0 ? "standard input" : path,
          i < all->count ? all->lines[i].text : "");
  return EXIT_WORK_FAILED;
}

int run_verify(int argc, char **argv) {
  const char *model_path = NULL;
  bool json = false;
  argument table[] = {
      {"--model", ARGUMENT_TEXT, &model_path, true, "FILE", "a model that dperm wrote", NULL,
       false},
      {"--json", ARGUMENT_FLAG, &json, false, NULL, "for programs", NULL, false},
  };
  int exit_status = 0;
  if (!arguments_parse(
          "verify", table, sizeof table / sizeof *table, argc, argv,
          "Derives the claim again from the file's public fields, with arithmetic that shares\n"
          "nothing with training (256 bits, rounded outwards, or exact). A line for each step:\n"
          "\"ok\" holds, \"FAILS\" does not, \"note\" is what no file can show. Exit status 0 if\n"
          "every step holds, 1 if not. docs/guide.md explains.",
          &exit_status)) {
    return exit_status;
  }
  dperm_error err;
  findings all = {0};
  int holds = 0;
  dperm_status status = dperm_model_verify(model_path, collect, &all, &holds, &err);
  if (status == DPERM_OK && all.out_of_memory) {
    fprintf(stderr, "dperm: out of memory; close other programs\n");
    exit_status = EXIT_WORK_FAILED;
  } else if (status != DPERM_OK) {
    exit_status = report_error(&err);
  } else {
    if (json) {
      print_json(&all, holds);
    } else {
      print_text(&all);
    }
    exit_status = holds ? 0 : report_failure(model_path, &all);
  }
  findings_clear(&all);
  return exit_status;
}
