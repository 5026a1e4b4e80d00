/* What a charge costs: fits with and without a ledger, in a folder in memory, where flushing is
 * free, and in one on a disk; then how long a ledger with very many entries takes to show and to
 * verify.
 *
 *   ledger_speed [ENTRIES [MEMORY-FOLDER [DISK-FOLDER]]]      100000 /dev/shm .
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "dperm/ledger.h"
#include "dperm/score.h"
#include "dperm/verify.h"
#include "stopwatch.h"

enum { REPEATS = 101, ROWS = 2000, COLS = 20 };

static dperm_data *make_rows(size_t rows) {
  static double x[ROWS * COLS], labels[ROWS];
  dperm_error err;
  dperm_data *data = NULL;
  for (size_t i = 0; i < rows * COLS; i++) {
    x[i] = sin((double)(i * i % 9973)) / 8;
  }
  for (size_t i = 0; i < rows; i++) {
    labels[i] = x[i * COLS] > 0 ? 1 : -1;
  }
  expect_ok(dperm_data_from_dense(rows, COLS, x, labels, 1, &data, &err), &err);
  return data;
}

static dperm_ledger *make_ledger(const char *folder, char path[512]) {
  dperm_error err;
  dperm_ledger *ledger = NULL;
  (void)snprintf(path, 512, "%s/dperm-ledger-speed-%ld", folder, (long)getpid());
  (void)unlink(path);
  dperm_ledger_budget budget;
  dperm_ledger_budget_init(&budget);
  budget.epsilon = "1e9";
  expect_ok(dperm_ledger_create(path, "rows", &budget, &err), &err);
  expect_ok(dperm_ledger_open(path, &ledger, &err), &err);
  return ledger;
}

/* Milliseconds of a fit, charged if there is a ledger. */
static double fit_ms(const dperm_data *data, dperm_ledger *ledger) {
  dperm_error err;
  dperm_options options;
  dperm_model *model = NULL;
  dperm_options_init(&options);
  options.epsilon = 0.1;
  options.threads = 1;
  options.account = (dperm_account){.ledger = ledger, .dataset = ledger ? "rows" : NULL};
  double start = now_ms();
  expect_ok(dperm_train(data, &options, &model, &err), &err);
  double took = now_ms() - start;
  dperm_model_free(model);
  return took;
}

/* With and without, in turn, so that both see the same machine. */
static void compare(const dperm_data *data, const char *folder) {
  char path[512];
  double plain[REPEATS], charged[REPEATS];
  dperm_ledger *ledger = make_ledger(folder, path);
  for (int i = 0; i < REPEATS; i++) {
    plain[i] = fit_ms(data, NULL);
    charged[i] = fit_ms(data, ledger);
  }
  double alone = median(plain, REPEATS), paid = median(charged, REPEATS);
  printf("%-12s a fit %8.3f ms, charged %8.3f ms: a charge adds %.3f ms (medians of %d)\n", folder,
         alone, paid, paid - alone, REPEATS);
  dperm_ledger_free(ledger);
  (void)unlink(path);
}

static void count_entry(void *context, const dperm_ledger_entry *entry) {
  *(size_t *)context += entry->commit != 0;
}

static void fill_and_read(const char *folder, size_t entries) {
  char path[512];
  dperm_error err;
  dperm_options none;
  dperm_model *model = NULL;
  dperm_score_options options;
  dperm_private_score score;
  size_t shown = 0;
  bool holds = false;
  dperm_data *data = make_rows(10);
  dperm_ledger *ledger = make_ledger(folder, path);
  dperm_options_init(&none);
  none.mechanism = DPERM_MECHANISM_NONE;
  expect_ok(dperm_train(data, &none, &model, &err), &err);
  dperm_score_options_init(&options);
  options.epsilon = 0.1;
  options.account = (dperm_account){.ledger = ledger, .dataset = "rows"};
  double start = now_ms();
  for (size_t i = 0; i < entries; i++) {
    expect_ok(dperm_model_score_private(model, data, &options, &score, &err), &err);
  }
  printf("%zu charges: %.3f ms each\n", entries, (now_ms() - start) / (double)entries);
  start = now_ms();
  expect_ok(dperm_ledger_entries(ledger, NULL, count_entry, &shown, &err), &err);
  printf("%zu entries read in %.0f ms\n", shown, now_ms() - start);
  start = now_ms();
  expect_ok(dperm_ledger_verify(ledger, NULL, NULL, NULL, &holds, &err), &err);
  printf("verified in %.0f ms: %s\n", now_ms() - start, holds ? "holds" : "does not hold");
  dperm_ledger_free(ledger);
  dperm_model_free(model);
  dperm_data_free(data);
  (void)unlink(path);
}

int main(int argc, char **argv) {
  size_t entries = argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : 100000;
  const char *memory = argc > 2 ? argv[2] : "/dev/shm", *disk = argc > 3 ? argv[3] : ".";
  dperm_data *data = make_rows(ROWS);
  (void)setvbuf(stdout, NULL, _IOLBF, 0);
  compare(data, memory);
  compare(data, disk);
  dperm_data_free(data);
  fill_and_read(memory, entries);
  return 0;
}
