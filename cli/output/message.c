/* See message.h. */
#include "output/message.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>

#include "output/handles.h"
#include "output/signals.h"

enum { LINE = 4096 };

static bool quiet;

static void print_line(const char *before, const char *words) {
  char line[LINE];
  dperm_text_visible(words, line, sizeof line);
  fprintf(stderr, "%s%s\n", before, line);
}

dperm_status fail(dperm_error *err, dperm_status status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  err->status = status;
  (void)vsnprintf(err->message, sizeof err->message, format, args);
  va_end(args);
  return status;
}

dperm_status out_of_memory(dperm_error *err) {
  return fail(err, DPERM_OUT_OF_MEMORY, "out of memory; close other programs");
}

void note(const char *format, ...) {
  char words[LINE];
  va_list args;
  va_start(args, format);
  (void)vsnprintf(words, sizeof words, format, args);
  va_end(args);
  if (!quiet) {
    print_line("", words);
  }
}

void warning(const char *format, ...) {
  char words[LINE];
  va_list args;
  va_start(args, format);
  (void)vsnprintf(words, sizeof words, format, args);
  va_end(args);
  print_line("warning: ", words);
}

void notes_off(void) {
  quiet = true;
  progress_bar_off();
}

/* ---- how a command ends */

int report_error(const dperm_error *err) {
  progress_bar_wipe();
  char words[LINE], buffer[96];
  if (!*err->message) {
    return EXIT_WORK_FAILED;
  }
  (void)snprintf(words, sizeof words, "%s%s", err->message, run_spent(err->message, buffer));
  print_line("dperm: ", words);
  if (err->status == DPERM_CANCELLED) {
    return 128 + (signals_caught() ? signals_caught() : SIGINT);
  }
  return err->status == DPERM_INVALID_ARGUMENT ? EXIT_WRONG_USAGE : EXIT_WORK_FAILED;
}

dperm_status flush_stdout(dperm_error *err) {
  if (fflush(stdout) == 0 && !ferror(stdout)) {
    return DPERM_OK;
  }
  return fail(err, DPERM_IO_ERROR, "standard output: cannot write (%s); check free space",
              strerror(errno));
}

dperm_status write_text(const char *path, const char *text, size_t length, dperm_error *err) {
  OWNED(dperm_output_free_at) dperm_output *place = NULL;
  TRY(dperm_output_open(path ? path : "-", &place, err));
  return dperm_output_write(place, text, length, err);
}

bool file_is_plain(const char *path) {
  struct stat about;
  return strcmp(path, "-") != 0 && (stat(path, &about) != 0 || S_ISREG(about.st_mode));
}

/* ---- wrong usage */

static const char *command_name = "";

void usage_of(const char *name) {
  command_name = name;
}

dperm_status wrong_usage(dperm_error *err, const char *format, ...) {
  char sentence[512];
  va_list args;
  va_start(args, format);
  (void)vsnprintf(sentence, sizeof sentence, format, args);
  va_end(args);
  return fail(err, DPERM_INVALID_ARGUMENT, "%s%s%s; see 'dperm help%s%s'", command_name,
              *command_name ? ": " : "", sentence, *command_name ? " " : "", command_name);
}

dperm_status usage_rules_hold(const usage_rule *rules, size_t count, dperm_error *err) {
  for (size_t i = 0; i < count; i++) {
    RETURN_IF(rules[i].broken, wrong_usage(err, "%s", rules[i].words));
  }
  return DPERM_OK;
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
