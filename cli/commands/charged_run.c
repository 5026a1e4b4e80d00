/* See charged_run.h. */
#include "commands/charged_run.h"

#include <signal.h>

#include "commands/commands.h"
#include "output/mpi_job.h"
#include "output/signals.h"

void charged_run_init(charged_run *s, argument *table) {
  *s = (charged_run){.ledger = NULL};
  const argument lines[CHARGED_RUN_ARGUMENTS] = {
      {"--ledger", ARGUMENT_INPUT, &s->ledger, false, "FILE|none",
       "ledger to charge (default: $DPERM_LEDGER)", GROUP_PRIVACY},
      {"--dataset", ARGUMENT_TEXT, &s->dataset, false, "NAME",
       "ledger data set to charge (default: $DPERM_DATASET)", GROUP_PRIVACY},
      {"--dry-run", ARGUMENT_FLAG, &s->dry_run, false, NULL,
       "show the charge and stop; nothing is spent or written", GROUP_PRIVACY},
      {"--seed", ARGUMENT_SEED, &s->seed, false, "N",
       "reproducible noise for tests; the result is not private", GROUP_PRIVACY},
      shared_argument("--json", &s->json),
  };
  memcpy(table, lines, sizeof lines);
}

static const char *from_environment(const char *name) {
  const char *text = getenv(name);
  return text && *text ? text : NULL;
}

const char *ledger_path(const char *given) {
  const char *path = given ? given : from_environment("DPERM_LEDGER");
  return path && strcmp(path, "none") != 0 ? path : NULL;
}

/* What the arguments and the environment name; fails for what does not fit. */
static dperm_status resolve(charged_run *s, bool is_private, dperm_error *err) {
  s->path = ledger_path(s->ledger);
  if (s->path) {
    s->name = s->dataset || !is_private ? s->dataset : from_environment("DPERM_DATASET");
  }
  const bool declined = s->ledger || from_environment("DPERM_LEDGER"); /* by "none" */
  const usage_rule rules[] = {
      {s->dataset && !s->path, "--dataset needs a ledger; give --ledger"},
      {is_private && !s->path && !declined && from_environment("DPERM_DATASET"),
       "DPERM_DATASET names a data set, but no ledger is charged; set DPERM_LEDGER, or give "
       "--ledger none"},
      {is_private && s->path && !s->name,
       "--dataset is missing: it says whose budget the ledger is to charge"},
      {!is_private && s->path && (s->ledger || s->dataset),
       "a run that is not private cannot be charged: it spends more than any budget; leave "
       "--ledger and --dataset out only if the records are nobody's secret"},
  };
  return usage_rules_hold(rules, sizeof rules / sizeof *rules, err);
}

dperm_status charged_run_begin(charged_run *s, bool noisy, bool chargeable, dperm_account *account,
                               dperm_error *err) {
  bool seeded = argument_given(&s->seed);
  s->is_private = noisy && !seeded;
  TRY(resolve(s, s->is_private && chargeable, err));
  if (seeded) {
    TRY(dperm_random_seeded(s->seed, &s->random, err));
  }
  if (!job_leads()) { /* the leader of a job pays and writes */
    *account = (dperm_account){.dry_run = s->dry_run, .charge = run_charge()};
    return DPERM_OK;
  }
  if (s->path) {
    TRY(dperm_ledger_open(s->path, &s->opened, err));
    (void)signal(SIGPIPE, SIG_IGN); /* a reader who leaves must not end the run without a word */
  }
  *account = (dperm_account){
      .ledger = s->opened, .dataset = s->name, .dry_run = s->dry_run, .charge = run_charge()};
  return DPERM_OK;
}

/* A charge cannot be taken back, so what can be known beforehand is asked beforehand, and said. */
static dperm_status before_charge(const charged_run *s, dperm_status status, dperm_error *err) {
  if (status != DPERM_OK && s->opened) {
    size_t used = strlen(err->message);
    (void)snprintf(err->message + used, sizeof err->message - used, "; nothing is charged");
  }
  return status;
}

enum { PAGE = 8192 }; /* bytes of an answer, at most */

dperm_status ask_stdout(dperm_error *err) {
  OWNED(dperm_output_free_at) dperm_output *asked = NULL;
  TRY(dperm_output_open("-", &asked, err));
  return dperm_output_reserve(asked, PAGE, err);
}

dperm_status charged_run_place(const charged_run *s, const char *path, dperm_output **out,
                               dperm_error *err) {
  RETURN_IF(s->json && path && !s->dry_run && strcmp(path, "-") == 0,
            fail(err, DPERM_INVALID_ARGUMENT, "--json and --out - both go to standard output"));
  if (!job_leads()) {
    return DPERM_OK;
  }
  if (s->json || !path) {
    TRY(before_charge(s, ask_stdout(err), err));
  }
  if (!path) {
    return DPERM_OK;
  }
  TRY(before_charge(s, dperm_output_open(path, out, err), err));
  run_keep_output(*out);
  return DPERM_OK;
}

void charged_run_leave(dperm_output **output) {
  run_keep_output(NULL);
  dperm_output_free(*output);
}

dperm_status charged_run_end(charged_run *s, dperm_status status) {
  dperm_ledger_free(s->opened);
  dperm_random_free(s->random);
  s->opened = NULL;
  return status;
}

static const char why_twice[] = "it counts twice: it is for records added and removed, the budget "
                                "for replaced ones";

void charged_run_say(const charged_run *s) {
  const dperm_charge *paid = run_charge();
  if (paid->entry == 0) {
    note("no ledger: nothing counts this epsilon against a budget; see 'dperm help ledger'");
    return;
  }
  char by[2 * DPERM_AMOUNT_SIZE] = "";
  if (paid->order > 0) {
    (void)snprintf(by, sizeof by, ", which cost %s and %s by Renyi order %g", paid->cost_epsilon,
                   brief(paid->cost_delta).text, paid->order);
  }
  note("%s: charged epsilon %s and delta %s to \"%s\" (entry %llu%s%s)%s; %s and %s left", s->path,
       paid->epsilon, brief(paid->delta).text, s->name, (unsigned long long)paid->entry,
       paid->counted_twice ? "; " : "", paid->counted_twice ? why_twice : "", by,
       paid->epsilon_left, brief(paid->delta_left).text);
}

json_t *charged_run_json(const charged_run *s) {
  const dperm_charge *paid = run_charge();
  if (!s->opened || !s->name) { /* none, or one that only guards its records */
    return json_null();
  }
  return json_pack("{s:o, s:o, s:o*, s:s*, s:s, s:s, s:s, s:s, s:s, s:s, s:b}", "file",
                   json_words(s->path), "dataset", json_words(s->name), "id",
                   paid->entry ? json_integer((json_int_t)paid->entry) : NULL, "digest",
                   paid->entry ? paid->digest : NULL, "epsilon", paid->epsilon, "delta",
                   paid->delta, "epsilon_left", paid->epsilon_left, "delta_left", paid->delta_left,
                   "cost_epsilon", paid->cost_epsilon, "cost_delta", paid->cost_delta,
                   "counted_twice", (int)paid->counted_twice);
}

void charged_run_show(const charged_run *s) {
  const dperm_charge *cost = run_charge();
  bool is_private = s->is_private;
  if (s->json) {
    report_print(json_pack("{s:b, s:b, s:s?, s:s?, s:o}", "dry_run", 1, "private", (int)is_private,
                           "epsilon", is_private ? cost->epsilon : NULL, "delta",
                           is_private ? cost->delta : NULL, "ledger", charged_run_json(s)));
    return;
  }
  if (!is_private) {
    printf("this run is not private: no budget covers it\n");
    return;
  }
  if (cost->order > 0) {
    printf("this run claims epsilon %s and delta %s, and costs %s and %s by Renyi order %g",
           cost->epsilon, brief(cost->delta).text, cost->cost_epsilon, brief(cost->cost_delta).text,
           cost->order);
  } else {
    printf("this run costs epsilon %s and delta %s", cost->epsilon, brief(cost->delta).text);
  }
  printf(cost->counted_twice ? " (%s)\n" : "\n", why_twice);
  if (s->opened) {
    printf("data set \"%s\" of %s would have epsilon %s and delta %s left\n", visible(s->name).text,
           visible(s->path).text, cost->epsilon_left, brief(cost->delta_left).text);
  } else {
    printf("no ledger: it is charged to no budget\n");
  }
}

argument ledger_guard_argument(const char **ledger) {
  return (argument){"--ledger",  ARGUMENT_INPUT,
                    ledger,      false,
                    "FILE|none", "refuse records charged to this ledger (default: $DPERM_LEDGER)",
                    GROUP_DATA};
}

dperm_status ledger_guard(const char *ledger, const char *const *paths, size_t count,
                          dperm_error *err) {
  OWNED(dperm_ledger_free_at) dperm_ledger *opened = NULL;
  const char *path = ledger_path(ledger);
  if (!path || !job_leads()) {
    return DPERM_OK;
  }
  TRY(dperm_ledger_open(path, &opened, err));
  for (size_t i = 0; i < count; i++) {
    TRY(paths[i] ? dperm_ledger_refuse_file(opened, paths[i], err) : DPERM_OK);
  }
  return DPERM_OK;
}

budget_words brief(const char *amount) {
  budget_words out;
  size_t first = strspn(amount, "0.");
  if (strlen(amount) < 20 || amount[0] != '0' || strlen(amount) - first < 1) {
    (void)snprintf(out.text, sizeof out.text, "%.20s", amount);
  } else {
    size_t digits = strlen(amount) - first;
    (void)snprintf(out.text, sizeof out.text, "%c%s%.2se-%zu", amount[first], digits > 1 ? "." : "",
                   digits > 1 ? amount + first + 1 : "", first - 1);
  }
  return out;
}

budget_words unit_of(size_t rows_per_person, const char *one) {
  budget_words out;
  if (rows_per_person == 0) {
    (void)snprintf(out.text, sizeof out.text, "person");
  } else if (rows_per_person > 1) {
    (void)snprintf(out.text, sizeof out.text, "person with at most %zu rows", rows_per_person);
  } else {
    (void)snprintf(out.text, sizeof out.text, "%s", one);
  }
  return out;
}
