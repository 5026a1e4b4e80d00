/* See session.h. */
#include "session.h"
#include "dperm/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static void on_signal(int number) {
  interrupted = number;
}

/* ---- what is lost if the run ends now */

static dperm_charge charge;
static dperm_output *volatile output;

dperm_charge *session_charge(void) {
  return &charge;
}

void session_keep_output(dperm_output *kept) {
  output = kept;
}

static const char spent_words[] = "; the charge (entry %llu of the ledger) stays spent";

/* The clause that a failure behind a charge ends with; empty if there is none, or if `message` has
 * it already. */
static const char *spent(const char *message, char buffer[96]) {
  buffer[0] = '\0';
  if (charge.entry != 0 && !strstr(message, "stays spent")) {
    (void)snprintf(buffer, 96, spent_words, (unsigned long long)charge.entry);
  }
  return buffer;
}

/* The same in a signal handler, which may not print. */
static void write_spent(void) {
  char digits[24];
  size_t at = sizeof digits;
  const char *middle = strchr(spent_words, '%'), *rest = middle + strlen("%llu");
  for (unsigned long long left = charge.entry; left > 0 && at > 0; left /= 10) {
    digits[--at] = (char)('0' + left % 10);
  }
  if (at < sizeof digits) {
    (void)!write(STDERR_FILENO, spent_words, (size_t)(middle - spent_words));
    (void)!write(STDERR_FILENO, digits + at, sizeof digits - at);
    (void)!write(STDERR_FILENO, rest, strlen(rest));
  }
}

/* A mapped file that cannot be read on: the disk failed, or somebody cut the file. There is no way
 * back into the work; nothing was written, and a charge stays spent. */
static void on_lost_page(int number) {
  static const char line[] =
      "dperm: a mapped file can no longer be read: the disk failed, or it was "
      "cut meanwhile; nothing was released";
  static atomic_flag said = ATOMIC_FLAG_INIT;
  (void)number;
  while (
      atomic_flag_test_and_set(&said)) { /* another thread has met it too, and ends the program */
    (void)pause();
  }
  (void)!write(STDERR_FILENO, line, sizeof line - 1);
  write_spent();
  (void)!write(STDERR_FILENO, "\n", 1);
  const char *temporary = dperm_output_temporary(output);
  if (temporary) {
    (void)unlink(temporary);
  }
  _exit(EXIT_WORK_FAILED);
}

/* A descriptor that the caller has closed would be the next file's: words for the screen would go
 * into it. So it is taken, and in the wrong direction, for use to fail. */
void session_keep_streams(void) {
  for (int fd = 0; fd <= 2; fd++) {
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
      (void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY); /* the lowest one that is free */
    }
  }
}

void session_catch_signals(void) {
  struct sigaction lost = {.sa_handler = on_lost_page};
  sigemptyset(&lost.sa_mask);
  (void)sigaction(SIGBUS, &lost, NULL);
  (void)signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error, and leaves nothing */
  struct sigaction action = {.sa_handler = on_signal};
  sigemptyset(&action.sa_mask);
  action.sa_flags = (int)SA_RESETHAND; /* a second Ctrl-C ends the program at once */
  /* Those that people, shells and batch systems send to end a program. */
  static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGUSR1, SIGUSR2};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    (void)sigaction(ends[i], &action, NULL);
  }
}

/* The last one, for the other processes of a job. */
static dperm_error failure;

int report_error(const dperm_error *err) {
  session_quiet();
  failure = *err;
  char buffer[96];
  (void)complain("%s%s", err->message, spent(err->message, buffer));
  if (err->status == DPERM_CANCELLED) {
    return 128 + (interrupted ? interrupted : SIGINT);
  }
  return err->status == DPERM_INVALID_ARGUMENT ? EXIT_WRONG_USAGE : EXIT_WORK_FAILED;
}

/* ---- the bar */

static struct {
  double started, drawn; /* seconds; 0 before the first tick */
  bool visible, clock;   /* something is on the line; the clock runs */
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
  enum { WIDTH = 30 };
  int full = (int)(share * WIDTH);
  fprintf(stderr, "\r%-10s [", stage);
  for (int i = 0; i < WIDTH; i++) {
    fputc(i < full ? '#' : '.', stderr);
  }
  fprintf(stderr, "] %3.0f%%", 100 * share);
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
static volatile sig_atomic_t solving_seconds;

static void on_second(int number) {
  (void)number;
  char line[] = "\r\033[Ksolving         s";
  int seconds = solving_seconds < 9999 ? ++solving_seconds : 9999;
  for (size_t place = sizeof line - 4; seconds > 0 && place >= sizeof line - 7; place--) {
    line[place] = (char)('0' + seconds % 10);
    seconds /= 10;
  }
  (void)!write(STDERR_FILENO, line, sizeof line - 1); /* may be called in a signal handler */
}

static void start_clock(void) {
  struct sigaction action = {.sa_handler = on_second};
  const struct itimerval every_second = {{1, 0}, {1, 0}};
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  bar.clock = bar.visible = true;
  (void)sigaction(SIGALRM, &action, NULL);
  (void)setitimer(ITIMER_REAL, &every_second, NULL);
}

static int tick(void *context, const char *stage, uint64_t done, uint64_t total) {
  (void)context;
  if (interrupted) {
    return 1;
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
  bool shows = !notes_are_off() && isatty(STDERR_FILENO);
  if (total == 0 && !bar.counting && !bar.clock && shows) {
    start_clock();
  }
  if (total > 0 && now - bar.started > 1 && now - bar.drawn > 0.1 && shows) {
    draw(stage, share);
    if (strcmp(stage, "sweeping") == 0) {
      draw_time_left(share, now);
    }
    bar.drawn = now;
  }
  bar.counting = total > 0 && strcmp(stage, "reading") != 0 ? true : bar.counting;
  return 0;
}

const dperm_progress *session_progress(void) {
  static const dperm_progress progress = {tick, NULL};
  return &progress;
}

void session_quiet(void) {
  if (bar.clock) {
    const struct itimerval never = {{0, 0}, {0, 0}};
    (void)setitimer(ITIMER_REAL, &never, NULL);
    bar.clock = false;
  }
  if (bar.visible) {
    fprintf(stderr, "\r\033[K");
    bar.visible = false;
  }
}

/* ---- a job of several processes */

static dperm_ranks *job;

dperm_ranks *session_ranks(void) {
  return job;
}

static void silence(void) {
  int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0) {
    (void)dup2(nowhere, STDOUT_FILENO);
    (void)dup2(nowhere, STDERR_FILENO);
    (void)close(nowhere);
  }
}

bool session_join(bool many) {
  dperm_error err;
  if (dperm_ranks_join(&job, &err) != DPERM_OK) {
    return refuse(report_error(&err));
  }
  if (dperm_ranks_rank(job) > 0) {
    silence();
  }
  if (!many && dperm_ranks_count(job) > 1) {
    return refuse(wrong_usage("only train, tune and sweep share work among "
                              "processes; run it without mpirun"));
  }
  return true;
}

int session_leave(int exit_status) {
  dperm_status status = exit_status ? DPERM_CANCELLED : DPERM_OK;
  if (dperm_ranks_agree(job, status, &failure) != DPERM_OK && !exit_status) {
    exit_status = report_error(&failure);
  }
  dperm_ranks_free(job);
  job = NULL;
  return exit_status;
}

/* ---- the rest */

dperm_status session_flush_stdout(dperm_error *err) {
  if (fflush(stdout) == 0 && !ferror(stdout)) {
    return DPERM_OK;
  }
  err->status = DPERM_IO_ERROR;
  (void)snprintf(err->message, sizeof err->message,
                 "standard output: cannot write (%s); check free space", strerror(errno));
  return err->status;
}

int session_finish_stdout(void) {
  dperm_error err;
  return session_flush_stdout(&err) == DPERM_OK ? 0 : report_error(&err);
}
