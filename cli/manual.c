/* See manual.h. Pages have no date, so that a build can be repeated to the byte. */
#include "manual.h"

#include <ctype.h>
#include <dperm.h>
#include <stdio.h>
#include <string.h>

#include "command_visit.h"

/* ---- roff */

/* Characters that roff would take for its own, or turn into typographic ones. `length` bytes. */
static void put_bytes(const char *text, size_t length) {
  static const char *const forms[] = {"\\\\e", "-\\-", "'\\(aq", "^\\(ha", "~\\(ti", "`\\(ga"};
  for (size_t i = 0; i < length; i++) {
    const char *as = NULL;
    for (size_t f = 0; f < sizeof forms / sizeof *forms && !as; f++) {
      as = forms[f][0] == text[i] ? forms[f] + 1 : NULL;
    }
    if (as) {
      printf("%s", as);
    } else {
      putchar(text[i]);
    }
  }
}

static void put(const char *text) {
  put_bytes(text, strlen(text));
}

/* A line of text; \& keeps a dot or a quote at its beginning from being a request. */
static void put_line(const char *text, size_t length) {
  printf("\\&");
  put_bytes(text, length);
  putchar('\n');
}

static void put_upper(const char *text) {
  for (; *text; text++) {
    char c = (char)toupper((unsigned char)*text);
    put_bytes(&c, 1);
  }
}

static void begin(const char *name, const char *summary) {
  printf(".TH \"DPERM");
  if (*name) {
    printf("\\-");
    put_upper(name);
  }
  printf("\" 1 \"\" \"dperm %s\" \"dperm\"\n.SH NAME\ndperm", dperm_version());
  if (*name) {
    printf("\\-");
    put(name);
  }
  printf(" \\- ");
  put(summary);
  printf("\n");
}

/* ---- a command */

typedef struct manual {
  const command *command;
  bool begun;
} manual;

/* The page of an action stands under a heading of its own. */
static void put_heading(const manual *m, const char *upper, const char *lower) {
  printf(m->begun ? ".SS %s\n" : ".SH %s\n", m->begun ? lower : upper);
}

static void put_synopsis(const command_page *page) {
  printf(".nh\n.ad l\n\\fBdperm %s\\fR", page->name);
  for (size_t i = 0; i < page->count; i++) {
    const argument *a = &page->table[i];
    bool positional = argument_is_positional(a);
    printf("\n%s", a->required ? "" : "[");
    if (!positional) {
      printf("\\fB");
      put(a->name);
      printf("\\fR%s", *argument_value(a) ? "\\ " : "");
    }
    printf("\\fI");
    put(argument_value(a));
    printf("\\fR%s", a->required ? "" : "]");
  }
  printf("\n.ad b\n.hy\n");
}

/* Paragraphs, and lists of "TERM\tTEXT". */
static void put_rest(const char *rest) {
  for (const char *line = rest; *line;) {
    size_t length = strcspn(line, "\n"), term = strcspn(line, "\t\n");
    if (term < length) {
      printf(".TP\n\\fB");
      put_bytes(line, term);
      printf("\\fR\n");
      put_line(line + term + 1, length - term - 1);
    } else {
      printf(".PP\n");
      put_line(line, length);
    }
    line += length + (line[length] == '\n');
  }
}

static void put_options(const command_page *page) {
  for (size_t i = 0; i < page->count; i++) {
    const argument *a = &page->table[i];
    printf(".TP\n");
    if (!argument_is_positional(a)) {
      printf("\\fB");
      put(a->name);
      printf("\\fR%s", *argument_value(a) ? "\\ " : "");
    }
    printf("\\fI");
    put(argument_value(a));
    printf("\\fR\n");
    put_line(a->help, strlen(a->help));
  }
  for (size_t i = 0; i < COMMON_ARGUMENTS; i++) {
    printf(".TP\n\\fB");
    put(common_arguments[i].letter);
    printf("\\fR, \\fB");
    put(common_arguments[i].name);
    printf("\\fR\n");
    put_line(common_arguments[i].help, strlen(common_arguments[i].help));
  }
}

/* A page_reader; a second page of the same command is its action's. */
static void put_page(void *context, const command_page *page) {
  manual *m = context;
  if (!m->begun) {
    begin(page->name, page->summary);
  } else {
    printf(".SH ");
    put_upper(m->command->action);
    printf("\n");
  }
  put_heading(m, "SYNOPSIS", "Synopsis");
  put_synopsis(page);
  if (page->rest) {
    put_heading(m, "DESCRIPTION", "Description");
    put_rest(page->rest);
  }
  put_heading(m, "OPTIONS", "Options");
  put_options(page);
  m->begun = true;
}

/* ---- what all have */

static void put_ending(const command *commands, size_t count, const char *but) {
  printf(".SH EXIT STATUS\n"
         ".TP\n\\fB0\\fR\nsuccess\n"
         ".TP\n\\fB1\\fR\nthe work failed: bad data, a budget that is spent, a claim that does not "
         "hold\n"
         ".TP\n\\fB2\\fR\nwrong usage\n"
         ".TP\n\\fB128+N\\fR\nstopped by signal N: 130 after Ctrl\\-C, 143 after SIGTERM\n"
         ".SH ENVIRONMENT\n"
         ".TP\n\\fBDPERM_LEDGER\\fR, \\fBDPERM_DATASET\\fR\n"
         "stand in for \\fB\\-\\-ledger\\fR and \\fB\\-\\-dataset\\fR where they are not given\n"
         ".TP\n\\fBDPERM_THREADS\\fR\n"
         "the number of threads where \\fB\\-\\-threads\\fR is not given; without it, one for each "
         "processor that the process may run on. Results do not depend on it\n"
         ".SH SEE ALSO\n");
  printf(*but ? "\\fBdperm\\fR(1)" : "");
  const char *between = *but ? ",\n" : "";
  for (size_t i = 0; i < count; i++) {
    if (strcmp(commands[i].name, but) != 0) {
      printf("%s\\fBdperm\\-%s\\fR(1)", between, commands[i].name);
      between = ",\n";
    }
  }
  printf("\n");
}

void manual_of(const command *c, const command *commands, size_t count) {
  manual m = {c, false};
  command_visit(c, put_page, &m);
  put_ending(commands, count, c->name);
}

void manual_overview(const command *commands, size_t count) {
  begin("", "classifiers that do not betray the people in the training data");
  printf(
      ".SH SYNOPSIS\n\\fBdperm\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n.br\n"
      "\\fBdperm help\\fR [\\fICOMMAND\\fR]\n.br\n"
      "\\fBdperm completion bash\\fR|\\fBzsh\\fR|\\fBfish\\fR\n.br\n"
      "\\fBdperm \\-\\-version\\fR\n"
      ".SH DESCRIPTION\n"
      "Trains linear classifiers, and kernel machines by random features, whose weights hide\n"
      "every single record: differentially private empirical risk minimization. Results go to\n"
      "standard output, everything else to standard error. With \\fB\\-\\-json\\fR, results are\n"
      "for programs. Start with \\fBdperm demo\\fR.\n"
      ".SH COMMANDS\n");
  for (size_t i = 0; i < count; i++) {
    printf(".TP\n\\fBdperm\\-%s\\fR(1)\n", commands[i].name);
    put_line(commands[i].summary, strlen(commands[i].summary));
  }
  printf(".SH OPTIONS\n.TP\n\\fB\\-V\\fR, \\fB\\-\\-version\\fR\nthe version\n"
         ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nthe commands, in a line each\n");
  put_ending(commands, count, "");
}
