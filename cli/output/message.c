/* See message.h. */
#include "output/message.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/progress_bar.h"
#include "output/signals.h"

enum { LINE = 4096 };

static bool quiet;

__attribute__((format(printf, 2, 0))) static void print_line(const char *before, const char *format,
                                                             va_list args) {
  char words[LINE], line[LINE];
  (void)vsnprintf(words, sizeof words, format, args);
  dperm_text_visible(words, line, sizeof line);
  fprintf(stderr, "%s%s\n", before, line);
}

int complain(const char *format, ...) {
  va_list args;
  va_start(args, format);
  print_line("dperm: ", format, args);
  va_end(args);
  return EXIT_WORK_FAILED;
}

int complain_of_memory(void) {
  return complain("out of memory; close other programs");
}

dperm_status fail(dperm_error *err, dperm_status status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  err->status = status;
  (void)vsnprintf(err->message, sizeof err->message, format, args);
  va_end(args);
  return status;
}

void note(const char *format, ...) {
  va_list args;
  va_start(args, format);
  if (!quiet) {
    print_line("", format, args);
  }
  va_end(args);
}

void notes_off(void) {
  quiet = true;
  progress_bar_off();
}

/* ---- how a command ends */

static dperm_error reported;

int report_error(const dperm_error *err) {
  progress_bar_wipe();
  reported = *err;
  char buffer[96];
  (void)complain("%s%s", err->message, run_spent(err->message, buffer));
  if (err->status == DPERM_CANCELLED) {
    return 128 + (signals_caught() ? signals_caught() : SIGINT);
  }
  return err->status == DPERM_INVALID_ARGUMENT ? EXIT_WRONG_USAGE : EXIT_WORK_FAILED;
}

const dperm_error *reported_error(void) {
  return &reported;
}

dperm_status flush_stdout(dperm_error *err) {
  if (fflush(stdout) == 0 && !ferror(stdout)) {
    return DPERM_OK;
  }
  return fail(err, DPERM_IO_ERROR, "standard output: cannot write (%s); check free space",
              strerror(errno));
}

int finish_stdout(void) {
  dperm_error err;
  return flush_stdout(&err) == DPERM_OK ? 0 : report_error(&err);
}

/* ---- wrong usage */

static const char *command_name = "";
static int refused_with;

void usage_of(const char *name) {
  command_name = name;
}

int wrong_usage(const char *format, ...) {
  char sentence[512];
  va_list args;
  va_start(args, format);
  (void)vsnprintf(sentence, sizeof sentence, format, args);
  va_end(args);
  (void)complain("%s%s%s; see 'dperm help%s%s'", command_name, *command_name ? ": " : "", sentence,
                 *command_name ? " " : "", command_name);
  return EXIT_WRONG_USAGE;
}

bool refuse(int exit_status) {
  refused_with = exit_status;
  return false;
}

int refused(void) {
  return refused_with;
}

bool usage_rules_hold(const usage_rule *rules, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (rules[i].broken) {
      return refuse(wrong_usage("%s", rules[i].words));
    }
  }
  return true;
}

/* ---- numbers and names */

number_text shortest(double value, int digits) {
  number_text out;
  double back = 0;
  do {
    (void)snprintf(out.text, sizeof out.text, "%.*g", digits, value);
    back = strtod(out.text, NULL);
  } while ((back < value || back > value) && digits++ < 17);
  return out;
}

visible_text visible(const char *text) {
  visible_text out;
  dperm_text_visible(text, out.text, sizeof out.text);
  return out;
}
