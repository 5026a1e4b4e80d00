/* Whether a process knows that it is one of several, from what mpirun, srun and others put into its
 * environment; and that a script of sbatch or a shell of salloc is one process. */
#include <stdio.h>
#include <stdlib.h>

#include "base/ranks.h"
#include "support.h"

typedef struct setting {
  const char *name, *value;
} setting;

extern char **environ;

/* Whatever started this test. */
static void forget_starters(void) {
  static const char *const starters[] = {"OMPI_", "PMI",   "MV2_",  "MPI_",
                                         "JSM_",  "PALS_", "FLUX_", "SLURM_"};
  for (size_t s = 0; s < sizeof starters / sizeof *starters; s++) {
    for (char **each = environ; *each;) {
      char name[128];
      (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(*each, "="), *each);
      bool theirs = strncmp(name, starters[s], strlen(starters[s])) == 0;
      each = theirs && unsetenv(name) == 0 ? environ : each + 1;
    }
  }
}

static launch with(const setting *settings, size_t count) {
  forget_starters();
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(setenv(settings[i].name, settings[i].value, 1), 0);
  }
  return launch_read();
}
#define WITH(...)                                                                                  \
  with((const setting[]){__VA_ARGS__}, sizeof((const setting[]){__VA_ARGS__}) / sizeof(setting))

static void assert_alone(launch l) {
  assert_true(l.exact && l.count == 1);
}

static void assert_many(launch l, size_t count, bool exact, bool wired) {
  assert_true(l.count == count && l.exact == exact && l.wired == wired && l.by);
}

TEST(a_process_alone_is_alone) {
  assert_alone(with(NULL, 0));
  assert_alone(WITH({"OMPI_COMM_WORLD_SIZE", "1"}, {"PMIX_NAMESPACE", "7"}));
  assert_alone(WITH({"PMI_SIZE", ""}, {"SLURM_STEP_NUM_TASKS", "many"}));
}

TEST(scripts_and_shells_of_slurm_are_alone) {
  assert_alone(WITH({"SLURM_NTASKS", "8"}, {"SLURM_PROCID", "0"})); /* sbatch */
  assert_alone(WITH({"SLURM_NTASKS", "8"}));                        /* salloc */
  assert_alone(WITH({"SLURM_NTASKS", "8"}, {"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"},
                    {"SLURM_PROCID", "0"}, {"PMIX_NAMESPACE", "slurm.pmix.1.0"},
                    {"PMIX_RANK", "0"})); /* srun -n 1 */
}

TEST(a_step_of_slurm_is_counted) {
  assert_many(WITH({"SLURM_NTASKS", "4"}, {"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "4"},
                   {"SLURM_PROCID", "0"}),
              4, true, false);
  assert_many(WITH({"SLURM_STEPID", "2"}, {"SLURM_STEP_NUM_TASKS", "4"}, {"PMIX_RANK", "0"},
                   {"PMIX_NAMESPACE", "slurm.pmix.1.2"}),
              4, true, true);
}

TEST(mpirun_knows_better_than_the_step_of_its_helpers) {
  assert_many(WITH({"OMPI_COMM_WORLD_SIZE", "6"}, {"SLURM_STEP_ID", "0"},
                   {"SLURM_STEP_NUM_TASKS", "2"}, {"PMIX_RANK", "3"}),
              6, true, true);
}

TEST(other_starters_are_known) {
  assert_many(WITH({"PMI_SIZE", "3"}, {"PMI_RANK", "0"}), 3, true, true);
  assert_many(WITH({"MV2_COMM_WORLD_SIZE", "3"}), 3, true, true);
  assert_many(WITH({"FLUX_JOB_SIZE", "5"}), 5, true, false);
  assert_many(WITH({"JSM_NAMESPACE_SIZE", "2"}, {"PMIX_NAMESPACE", "1"}), 2, true, true);
  assert_many(WITH({"PALS_RANKID", "2"}), 3, false, true);
  assert_many(WITH({"MPI_LOCALNRANKS", "2"}), 2, false, false);
}

TEST(a_rank_without_a_size_tells_of_others) {
  assert_many(WITH({"PMIX_RANK", "2"}, {"PMIX_NAMESPACE", "x"}), 3, false, true);
  launch l = WITH({"PMIX_RANK", "0"}, {"PMIX_NAMESPACE", "x"});
  assert_many(l, 0, false, true);
  assert_string_equal(l.by, "PMIX_NAMESPACE"); /* what a message may say to unset is there */
  assert_string_equal(WITH({"PMI_FD", "3"}).by, "PMI_FD");
}
