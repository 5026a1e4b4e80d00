/* See signals.h. */
#include "output/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t caught;
static dperm_charge charge;
static dperm_output *volatile output;

int signals_caught(void) {
  return caught;
}

dperm_charge *run_charge(void) {
  return &charge;
}

void run_keep_output(dperm_output *kept) {
  output = kept;
}

const char *run_spent(const char *message, char buffer[96]) {
  buffer[0] = '\0';
  if (charge.entry != 0 && !strstr(message, "stays spent")) {
    (void)snprintf(buffer, 96, "; the charge (entry %llu of the ledger) stays spent",
                   (unsigned long long)charge.entry);
  }
  return buffer;
}

static void on_signal(int number) {
  caught = number;
}

static void say(const char *text) {
  (void)!write(STDERR_FILENO, text, strlen(text));
}

/* A mapped file that cannot be read on: the disk failed, or somebody cut the file. There is no way
 * back into the work; nothing was written, and a charge stays spent. */
static void on_lost_page(int number) {
  static atomic_flag said = ATOMIC_FLAG_INIT;
  while (
      atomic_flag_test_and_set(&said)) { /* another thread has met it too, and ends the program */
    (void)pause();
  }
  say("dperm: a mapped file can no longer be read: the disk failed, or it was cut meanwhile; "
      "nothing was released");
  say(charge.entry != 0 ? "; the charge stays spent\n" : "\n");
  const char *temporary = dperm_output_temporary(output);
  if (temporary) {
    (void)unlink(temporary);
  }
  _exit(EXIT_FAILURE);
}

/* A descriptor that the caller has closed would be the next file's: words for the screen would go
 * into it. So it is taken, and in the wrong direction, for use to fail. */
void signals_keep_streams(void) {
  for (int fd = 0; fd <= 2; fd++) {
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
      (void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY); /* the lowest one that is free */
    }
  }
}

void signals_handle(int number, void (*handler)(int), int flags) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
  sigemptyset(&action.sa_mask);
  (void)sigaction(number, &action, NULL);
}

void signals_catch(void) {
  /* Those that people, shells and batch systems send to end a program. */
  static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGUSR1, SIGUSR2};
  signals_handle(SIGBUS, on_lost_page, 0);
  signals_handle(SIGXFSZ, SIG_IGN,
                 0); /* a file that may not grow is an error, and leaves nothing */
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    /* a second Ctrl-C ends the program at once */
    signals_handle(ends[i], on_signal, (int)SA_RESETHAND);
  }
}
