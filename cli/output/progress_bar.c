/* The progress bar of message.h. */
#include "output/message.h"

#include <math.h>
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
  bool counting;         /* there is work with a public count: no clock beside it */
  const char *stage;     /* the stage at hand, when it began and how far it was then */
  double stage_started, stage_share;
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

/* For long work: at the pace so far, since this program took it up. */
static void draw_time_left(double share, double now) {
  double done = share - bar.stage_share, spent = now - bar.stage_started;
  if (done > 0 && spent > 2) {
    double left = spent * (1 - share) / done;
    const char *const units[] = {"s", "min", "h"};
    const double sizes[] = {1, 60, 3600};
    int unit = left < 100 ? 0 : left < 6000 ? 1 : 2;
    fprintf(stderr, "  about %.*f %s left\033[K", unit == 2, ceil(left / sizes[unit] * 10) / 10,
            units[unit]);
  }
}

/* Solving has nothing public to count, so it shows the time, by a clock of its own: what is drawn
 * must not follow the solver's steps. */
static volatile sig_atomic_t solving_seconds, clock_runs;

static void on_second(int number) {
  (void)number;
  char line[] = "\r\033[Ksolving         s";
  solving_seconds += solving_seconds < 9999;
  (void)signals_digits((unsigned long long)solving_seconds, line + sizeof line - 3);
  (void)!write(STDERR_FILENO, line, sizeof line - 1); /* may be called in a signal handler */
  (void)alarm(clock_runs ? 1 : 0); /* stopped meanwhile: this second was the last */
}

static bool tick(void *context, const char *stage, uint64_t done, uint64_t total) {
  (void)context;
  if (signals_caught()) {
    return true;
  }
  double now = seconds_now();
  if (bar.started == 0) {
    bar.started = now;
  }
  double share = done < total ? (double)done / (double)total : 1.0;
  if (!bar.stage || strcmp(bar.stage, stage) != 0) {
    bar.stage = stage;
    bar.stage_started = now;
    bar.stage_share = share;
  }
  bool shows = !bar.off && isatty(STDERR_FILENO);
  if (total == 0 && !bar.counting && !clock_runs && shows) {
    clock_runs = bar.visible = true;
    signals_handle(SIGALRM, on_second, SA_RESTART);
    (void)alarm(1);
  }
  if (total > 0 && now - bar.started > 1 && now - bar.drawn > 0.1 && shows) {
    draw(stage, share);
    if (strcmp(stage, "sweeping") == 0) {
      draw_time_left(share, now);
    }
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
  if (clock_runs) {
    clock_runs = false;
    (void)alarm(0);
  }
  if (bar.visible) {
    fprintf(stderr, "\r\033[K");
    bar.visible = false;
  }
}
