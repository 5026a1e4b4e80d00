/* Sixteen processes race for the last of a budget that one of them can have: exactly one does, each
 * time, and none waits for ever. Argument: the number of rounds, 200 unless told.
 *
 * A ledger that others hold for long is an error by design, which a slow disk can cause: such a
 * racer tries again, as the message says. The alarm is there only against hanging. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dperm/ledger.h"
#include "ledger/store.h"
#include "ledgers.h"
#include "support.h"

enum { RACERS = 16, PATIENCE = 3000 /* seconds */ };

static void die(const char *what, const dperm_error *err) {
  fprintf(stderr, "# %s: %s\n", what, err->message);
  exit(1);
}

static dperm_status charge(const char *path, double epsilon, dperm_error *err) {
  auto_ledger *ledger = NULL;
  dperm_charge made;
  charge_request request = {.dataset = "people",
                            .command = "race",
                            .mechanism = "none",
                            .epsilon = epsilon,
                            .rows_per_person = 1,
                            .identity = {.given = {1}}};
  dperm_status status = dperm_ledger_open(path, &ledger, err);
  if (status == DPERM_OK) {
    status = charge_reserve(ledger, &request, false, &made, err);
  }
  return status;
}

/* 0: charged, 1: refused by the budget, 2: anything else. */
static int race(const char *path, int gate) {
  dperm_error err = {0};
  char byte = 0;
  (void)alarm(PATIENCE);
  (void)!read(gate, &byte, 1); /* all wait for the end of the pipe, and start together */
  dperm_status status = DPERM_OK;
  do {
    status = charge(path, 0.3, &err);
  } while (status == DPERM_IO_ERROR && strstr(err.message, "held the ledger for too long"));
  if (status != DPERM_OK && status != DPERM_OVER_BUDGET) {
    fprintf(stderr, "# %s\n", err.message);
  }
  return status == DPERM_OK ? 0 : status == DPERM_OVER_BUDGET ? 1 : 2;
}

static int run_round(const char *path) {
  dperm_error err = {0};
  int gate[2], counts[3] = {0, 0, 0};
  (void)unlink(path);
  if (ledger_create(path, "people", "1", NULL, 1, &err) != DPERM_OK ||
      charge(path, 0.5, &err) != DPERM_OK || pipe(gate) != 0) {
    die("before the race", &err);
  }
  for (int i = 0; i < RACERS; i++) {
    pid_t child = fork();
    if (child == 0) {
      (void)close(gate[1]);
      _exit(race(path, gate[0]));
    }
  }
  (void)close(gate[0]);
  (void)close(gate[1]);
  for (int i = 0; i < RACERS; i++) {
    int status = 0;
    (void)wait(&status);
    counts[WIFEXITED(status) && WEXITSTATUS(status) < 2 ? WEXITSTATUS(status) : 2]++;
  }
  return counts[0] == 1 && counts[1] == RACERS - 1;
}

int main(int argc, char **argv) {
  long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 200, good = 0;
  char folder[1024], path[1056];
  folder_new("dperm-race", folder, sizeof folder);
  (void)snprintf(path, sizeof path, "%s/ledger", folder);
  for (long i = 0; i < rounds; i++) {
    good += run_round(path);
  }
  (void)unlink(path);
  (void)rmdir(folder);
  printf("%s 1 - of %d processes one gets the last of a budget, in %ld of %ld rounds\n",
         good == rounds ? "ok" : "not ok", RACERS, good, rounds);
  return good == rounds ? 0 : 1;
}
