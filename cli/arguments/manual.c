/* Manual pages in the man macros, to stdout. Pages have no date, so that a build can be repeated to
 * the byte. */
#include "arguments/manual.h"

#include <ctype.h>
#include <dperm.h>
#include <stdio.h>
#include <string.h>

/* ---- roff */

/* Characters that roff would take for its own, or turn into typographic ones. `length` bytes. */
static void put_bytes(const char *text, size_t length) {
  static const char special[] = "\\-'^~`";
  static const char *const forms[] = {"\\e", "\\-", "\\(aq", "\\(ha", "\\(ti", "\\(ga"};
  for (size_t i = 0; i < length; i++) {
    const char *found = strchr(special, text[i]);
    printf(found ? "%s" : "%.1s", found ? forms[found - special] : text + i);
  }
}

static void put(const char *text) {
  put_bytes(text, strlen(text));
}

/* A line of text; \\& keeps a dot or a quote at its beginning from being a request. */
static void put_line(const char *text, size_t length) {
  printf("\\&");
  put_bytes(text, length);
  putchar('\n');
}

/* A text in capitals. */
static void put_upper(const char *before, const char *text, const char *after) {
  printf("%s", before);
  for (; *text; text++) {
    char c = (char)toupper((unsigned char)*text);
    put_bytes(&c, 1);
  }
  printf("%s", after);
}

static void put_font(char font, const char *text) {
  printf("\\f%c", font);
  put(text);
  printf("\\fR");
}

static void begin(const char *name, const char *summary) {
  char title[64];
  (void)snprintf(title, sizeof title, "dperm%s%s", *name ? "-" : "", name);
  put_upper(".TH \"", title, "\" 1 \"\"");
  printf(" \"dperm %s\" \"dperm\"\n.SH NAME\n", dperm_version());
  put(title);
  printf(" \\- ");
  put(summary);
  printf("\n");
}

/* ---- a command */

/* An action's page stands under a heading of its own; `name` is "ledger init". */
static void put_heading(const char *name, const char *upper, const char *lower) {
  printf(strchr(name, ' ') ? ".SS %s\n" : ".SH %s\n", strchr(name, ' ') ? lower : upper);
}

static void put_argument(const argument *a) {
  if (!argument_is_positional(a)) {
    if (a->letter) {
      put_font('B', a->letter);
      printf(", ");
    }
    put_font('B', a->name);
    printf(*argument_value(a) ? "\\ " : "");
  }
  if (*argument_value(a)) {
    put_font('I', argument_value(a));
  }
}

static void put_synopsis(const command_page *page) {
  printf(".nh\n.ad l\n\\fBdperm %s\\fR", page->name);
  for (size_t i = 0; i < page->count - COMMON_ARGUMENTS; i++) {
    printf(page->table[i].required ? "\n" : "\n[");
    put_argument(&page->table[i]);
    printf(page->table[i].required ? "" : "]");
  }
  printf("\n.ad b\n.hy\n");
}

static void put_rest(const char *rest) {
  for (paragraph p; paragraph_next(&rest, &p);) {
    printf(p.term_length ? ".TP\n\\fB" : ".PP\n");
    put_bytes(p.term, p.term_length);
    printf(p.term_length ? "\\fR\n" : "");
    put_line(p.text, p.length);
  }
}

static void put_options(const command_page *page) {
  for (size_t i = 0; i < page->count; i++) {
    if (page_heading(page, i)) {
      put_upper(".SS ", page_heading(page, i), "\n");
    }
    printf(".TP\n");
    put_argument(&page->table[i]);
    printf("\n");
    put_line(page->table[i].help, strlen(page->table[i].help));
  }
}

/* A page_reader. */
static void put_page(void *context, const command_page *page) {
  const char *action = strchr(page->name, ' ');
  (void)context;
  if (action) {
    put_upper(".SH ", action + 1, "\n");
    put_line(page->summary, strlen(page->summary));
  }
  put_heading(page->name, "SYNOPSIS", "Synopsis");
  put_synopsis(page);
  if (page->rest) {
    put_heading(page->name, "DESCRIPTION", "Description");
    put_rest(page->rest);
  }
  put_heading(page->name, "OPTIONS", "Options");
  put_options(page);
}

/* ---- what all have */

static void put_ending(const command *commands, const command *but) {
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
  const char *between = but ? "\\fBdperm\\fR(1),\n" : "";
  for (const command *c = commands; c->name; c++) {
    if (c != but) {
      printf("%s\\fBdperm\\-%s\\fR(1)", between, c->name);
      between = ",\n";
    }
  }
  printf("\n");
}

static void put_overview(const command *commands) {
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
  for (const command *c = commands; c->name; c++) {
    printf(".TP\n\\fBdperm\\-%s\\fR(1)\n", c->name);
    put_line(c->summary, strlen(c->summary));
  }
  printf(".SH OPTIONS\n.TP\n\\fB\\-V\\fR, \\fB\\-\\-version\\fR\nthe version\n"
         ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nthe commands, in a line each\n");
}

void manual_print(const command *commands, const command *described) {
  if (described) {
    begin(described->name, described->summary);
    if (described->actions) {
      printf(".SH SYNOPSIS\n\\fBdperm %s\\fR \\fIACTION\\fR [\\fIoptions\\fR]\n", described->name);
    }
    command_visit(described, put_page, NULL);
  } else {
    put_overview(commands);
  }
  put_ending(commands, described);
}
