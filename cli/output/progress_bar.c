/* The progress bar of message.h. */
#include "output/message.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "output/signals.h"

static struct {
  double started, drawn; /* seconds; 0 before the first tick */
  bool visible;          /* something is on the line */
  bool off;              /* -q was given */
  bool counting;         /* there is work with a public count */
  bool solving;          /* the word for it is, or will be, on the line */
} bar;

static double seconds_now(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void draw(const char *stage, double share) {
  static const char full[] = "##############################";
  static const char empty[] = "..............................";
  int width = (int)sizeof full - 1, done = (int)(share * width);
  fprintf(stderr, "\r%-10s [%.*s%.*s] %3.0f%%", stage, done, full, width - done, empty,
          100 * share);
  bar.visible = true;
}

/* Solving has nothing public to count, and what is drawn must not follow the solver's steps: a word
 * is shown a second after its beginning. */
static void on_second(int number) {
  static const char line[] = "\r\033[Ksolving";
  (void)!write(STDERR_FILENO, line, sizeof line - 1); /* may be called in a signal handler */
}

static bool tick(void *context, const char *stage, uint64_t done, uint64_t total) {
  if (signals_caught()) {
    return true;
  }
  double now = seconds_now();
  if (bar.started == 0) {
    bar.started = now;
  }
  bool shows = !bar.off && isatty(STDERR_FILENO);
  if (total == 0 && !bar.counting && !bar.solving && shows) {
    bar.solving = bar.visible = true;
    signals_handle(SIGALRM, on_second, SA_RESTART);
    (void)alarm(1);
  }
  if (total > 0 && now - bar.started > 1 && now - bar.drawn > 0.1 && shows) {
    draw(stage, done < total ? (double)done / (double)total : 1.0);
    bar.drawn = now;
  }
  bar.counting = bar.counting || (total > 0 && strcmp(stage, "reading") != 0);
  return false;
}

const dperm_progress *progress_bar(void) {
  static const dperm_progress progress = {tick, NULL};
  return &progress;
}

void progress_bar_off(void) {
  bar.off = true;
}

void progress_bar_wipe(void) {
  (void)alarm(0);
  bar.solving = false;
  if (bar.visible) {
    fprintf(stderr, "\r\033[K");
    bar.visible = false;
  }
}
