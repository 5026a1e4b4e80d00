/* dperm ledger: give a data set its budget, show what was spent, check that nobody changed it. */

#include "commands/charged_run.h"
#include "commands/commands.h"
#include "output/verification_lines.h"

static const char closing[] =
    "Runs are charged with --ledger FILE --dataset NAME (train, tune, refine, score --epsilon), or "
    "through DPERM_LEDGER and DPERM_DATASET in the environment. docs/ledger.md explains.";

typedef struct ledger_command {
  const char *path, *dataset, *model, *head;
  dperm_ledger_budget budget;
  bool json;
} ledger_command;

/* ---- show: all is gathered first: a reader who pages through it must not hold up charges */

typedef struct showing {
  const char *only; /* a data set's name, or NULL */
  json_t *datasets, *entries;
} showing;

static void gather_dataset(void *context, const dperm_ledger_dataset *d) {
  const showing *s = context;
  if (s->only && strcmp(s->only, d->name) != 0) {
    return;
  }
  (void)json_array_append_new(
      s->datasets,
      json_pack("{s:o, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:s?, s:s, s:o, s:s, s:s, s:s, s:o}",
                "name", json_words(d->name), "epsilon_total", d->epsilon_total, "epsilon_spent",
                d->epsilon_spent, "epsilon_left", d->epsilon_left, "delta_total", d->delta_total,
                "delta_spent", d->delta_spent, "delta_left", d->delta_left, "rows_per_person",
                (json_int_t)d->rows_per_person, "data", *d->data ? d->data : NULL, "composition",
                d->composition, "order", d->order > 0 ? json_real(d->order) : json_null(),
                "epsilon_plain", d->epsilon_plain, "delta_plain", d->delta_plain, "neighbours",
                d->neighbours, "part_of", d->part_of ? json_words(d->part_of) : json_null()));
}

static void gather_entry(void *context, const dperm_ledger_entry *e) {
  const showing *s = context;
  (void)json_array_append_new(
      s->entries,
      json_pack("{s:I, s:o, s:o, s:o, s:o, s:s, s:s, s:s, s:s, s:s?, s:s, s:s, s:b, s:o}", "entry",
                (json_int_t)e->entry, "dataset", json_words(e->dataset), "time",
                json_words(e->time), "command", json_words(e->command), "mechanism",
                json_words(e->mechanism), "epsilon", e->epsilon, "delta", e->delta, "status",
                e->commit ? "committed" : "reserved", "digest", e->digest, "artifact",
                e->commit ? e->artifact : NULL, "cost_epsilon", e->cost_epsilon, "cost_delta",
                e->cost_delta, "counted_twice", (int)e->counted_twice, "terms",
                json_words(e->terms)));
}

/* With one Renyi order, what is spent includes the conversion, and plain sums stand beside it. */
static void print_dataset(const json_t *d) {
  double order = report_number(d, "order");
  const char *total = report_text(d, "epsilon_total"), *left = report_text(d, "epsilon_left");
  const char *plain = order > 0 ? "; plain sum " : "";
  const char *whole = report_text(d, "part_of");
  printf("data set \"%s\", per %s", visible(report_text(d, "name")).text,
         unit_of((size_t)report_number(d, "rows_per_person"), "row").text);
  if (whole) {
    printf(", part of \"%s\", where it counts too", visible(whole).text);
  }
  if (order > 0) {
    printf(", by Renyi order %g", order);
  }
  printf(strcmp(report_text(d, "neighbours"), "replace") != 0 ? ", records added and removed" : "");
  printf("%s\n", report_text(d, "data") ? "" : "; not bound to data before its first charge");
  printf("  epsilon  %s left of %s (%s spent%s%s)\n", brief(left).text, total,
         brief(report_text(d, "epsilon_spent")).text, plain,
         *plain ? report_text(d, "epsilon_plain") : "");
  printf("  delta    %s left of %s (%s spent%s%s)\n", brief(report_text(d, "delta_left")).text,
         brief(report_text(d, "delta_total")).text, brief(report_text(d, "delta_spent")).text,
         plain, *plain ? brief(report_text(d, "delta_plain")).text : "");
  if (order > 0 && !report_text(d, "data")) {
    printf("  the first charge takes the rest, %.9g and half of delta, for the conversion of "
           "divergences to epsilon\n",
           strtod(total, NULL) - strtod(left, NULL));
  } else if (order > 0) {
    printf("  spent is what the charges below cost, and the conversion of divergences to epsilon, "
           "once, with half of delta\n");
  }
}

static void print_entry(const json_t *e) {
  const char *artifact = report_text(e, "artifact"), *epsilon = report_text(e, "epsilon");
  const char *cost = report_text(e, "cost_epsilon");
  bool priced = strcmp(cost, epsilon) != 0; /* by an order */
  printf("%7.0f  %-20s  %-16s %-8s %-24s %10s %10s  ", report_number(e, "entry"),
         visible(report_text(e, "time")).text, visible(report_text(e, "dataset")).text,
         visible(report_text(e, "command")).text, visible(report_text(e, "mechanism")).text,
         brief(epsilon).text, brief(report_text(e, "delta")).text);
  printf(artifact ? "committed for %.12s" : "reserved, never committed: stays spent", artifact);
  printf("%s%s%s\n",
         json_is_true(json_object_get(e, "counted_twice"))
             ? "; twice, for records added and removed"
             : "",
         priced ? "; costs " : "", priced ? cost : "");
}

static void print_report(const json_t *report) {
  const json_t *d, *e, *entries = json_object_get(report, "entries");
  size_t i, reserved = 0, count = json_array_size(entries);
  json_array_foreach(json_object_get(report, "datasets"), i, d) {
    print_dataset(d);
  }
  if (count > 0) {
    printf("\n%7s  %-20s  %-16s %-8s %-24s %10s %10s  %s\n", "entry", "time", "data set", "command",
           "mechanism", "epsilon", "delta", "status");
  }
  json_array_foreach(entries, i, e) {
    print_entry(e);
    reserved += report_text(e, "artifact") == NULL;
  }
  if (report_text(report, "head")) {
    printf("\n%zu %s, %zu of them never committed; head: record %.0f, digest %s\n", count,
           count == 1 ? "entry" : "entries", reserved, report_number(report, "records"),
           report_text(report, "head"));
  }
}

static dperm_status gather(const ledger_command *c, json_t *report, dperm_error *err) {
  OWNED(dperm_ledger_free_at) dperm_ledger *ledger = NULL;
  OWNED(dperm_model_free_at) dperm_model *model = NULL;
  showing s = {c->dataset, json_array(), json_array()};
  (void)(c->model ? 0 : json_object_set_new(report, "datasets", json_incref(s.datasets)));
  (void)json_object_set_new(report, "entries", s.entries);
  json_auto_t *datasets = s.datasets;
  uint64_t records = 0;
  char head[DPERM_DIGEST_SIZE];
  TRY(dperm_ledger_open(c->path, &ledger, err));
  if (c->model) {
    TRY(dperm_model_read(c->model, &model, err));
    return dperm_ledger_find_model(ledger, model, gather_entry, &s, err);
  }
  TRY(dperm_ledger_head(ledger, &records, head, err));
  TRY(dperm_ledger_datasets(ledger, gather_dataset, &s, err));
  RETURN_IF(c->dataset && json_array_size(datasets) == 0,
            fail(err, DPERM_OVER_BUDGET, "%s: the ledger has no data set \"%.100s\"", c->path,
                 c->dataset));
  (void)json_object_set_new(report, "records", json_integer((json_int_t)records));
  (void)json_object_set_new(report, "head", json_string(head));
  return dperm_ledger_entries(ledger, c->dataset, gather_entry, &s, err);
}

/* The order may be one that nobody gave: it is what the ledger has. */
static void note_budget(const ledger_command *c, const json_t *d) {
  double order = report_number(d, "order"), rows = report_number(d, "rows_per_person");
  char by[48] = "";
  if (order > 0) {
    (void)snprintf(by, sizeof by, ", by Renyi order %g", order);
  }
  if (c->budget.part_of) {
    note("%s: what \"%s\" is charged counts for \"%s\" too, of which it is a part", c->path,
         c->dataset, c->budget.part_of);
  }
  note("%s: data set \"%s\" has a budget of epsilon %s per %s%s%s", c->path, c->dataset,
       report_text(d, "epsilon_total"), unit_of((size_t)rows, "row").text,
       strcmp(report_text(d, "neighbours"), "add-remove") == 0 ? ", added or removed" : "", by);
  if (order > 0) {
    /* of persons with several rows a ledger knows (epsilon, delta) alone (composition.md) */
    note("%s: %s of it is for charges: each costs a divergence of that order, %s; the rest goes to "
         "the conversion",
         c->path, brief(report_text(d, "epsilon_left")).text,
         rows != 1 ? "for persons with several rows that of its epsilon, whatever the noise"
                   : "for gaussian noise (--noise gaussian --delta) far less than its epsilon");
  }
}

/* What show says of the ledger; after init, of the new data set. */
static dperm_status show(const ledger_command *c, bool created, dperm_error *err) {
  json_auto_t *report = json_object();
  TRY(gather(c, report, err));
  if (c->json) {
    report_print(json_incref(report));
  } else if (created) {
    note_budget(c, json_array_get(json_object_get(report, "datasets"), 0));
  } else {
    print_report(report);
  }
  return DPERM_OK;
}

/* ---- the actions */

static const char *composition_name(int value) {
  static const char *const names[] = {"plain", "renyi"};
  return value < 2 ? names[value] : NULL;
}

static dperm_status run_ledger_init(int argc, char **argv, dperm_error *err) {
  ledger_command c = {.path = NULL};
  bool per_person = false;
  dperm_ledger_budget_init(&c.budget);
  argument table[] = {
      {"ledger", ARGUMENT_INPUT, &c.path, true, "FILE",
       "ledger file; created if it does not exist"},
      {"--dataset", ARGUMENT_TEXT, &c.dataset, true, "NAME", "name of the data set"},
      {"--epsilon", ARGUMENT_TEXT, &c.budget.epsilon, false, "TOTAL",
       "total budget for all runs (required, but for a part)"},
      {"--delta", ARGUMENT_TEXT, &c.budget.delta, false, "D",
       "total delta for all runs (default: 1e-30, which covers rounding)"},
      {"--rows-per-person", ARGUMENT_COUNT, &c.budget.rows_per_person, false, "K",
       "the budget protects a person with at most K rows (default: 1)"},
      {"--per-person", ARGUMENT_FLAG, &per_person, false, NULL,
       "the budget protects persons whom the schema tells apart (\"person\"), with all their rows"},
      {"--neighbours", ARGUMENT_CHOICE, &c.budget.neighbours, false, NULL,
       "neighbouring data sets of the budget: with replace, add-remove runs count twice; with "
       "add-remove, replace runs are refused (default: replace)",
       GROUP_USUAL, neighbours_name},
      {"--composition", ARGUMENT_CHOICE, &c.budget.composition, false, NULL,
       "how charges add up: as plain sums, or by one Renyi order, which makes many small releases "
       "with Gaussian noise cheaper; renyi needs --delta (default: plain)",
       GROUP_USUAL, composition_name},
      {"--order", ARGUMENT_POSITIVE, &c.budget.order, false, "A",
       "Renyi order, at least 1.1 (default: the one that allows the most small releases)"},
      {"--part-of", ARGUMENT_TEXT, &c.budget.part_of, false, "NAME",
       "data set that this one is a part of: what the part is charged counts there too (a held-out "
       "file of the same people; its totals are at most those of NAME, which are the default)"},
      shared_argument("--json", &c.json),
  };
  TRY(arguments_parse(table, sizeof table / sizeof *table, argc, argv, closing, err));
  bool renyi = c.budget.composition == DPERM_COMPOSITION_RENYI;
  const usage_rule rules[] = {
      {strcmp(c.path, "none") == 0,
       "none stands for no ledger where one is charged; give it another name"},
      {per_person && argument_given(&c.budget.rows_per_person),
       "--per-person is for persons with any number of rows; leave --rows-per-person out"},
      {argument_given(&c.budget.order) && !renyi, "--order is for --composition renyi"},
      {!c.budget.epsilon && !c.budget.part_of,
       "--epsilon is missing; give the total budget for all runs"},
      {c.budget.part_of &&
           (argument_given(&c.budget.composition) || argument_given(&c.budget.neighbours) ||
            argument_given(&c.budget.rows_per_person) || per_person),
       "--composition, --neighbours, --rows-per-person and --per-person do not go with --part-of: "
       "a part is as the whole"},
      {renyi && !c.budget.delta,
       "--composition renyi needs --delta: half of it pays for the conversion to epsilon"},
  };
  TRY(usage_rules_hold(rules, sizeof rules / sizeof *rules, err));
  c.budget.rows_per_person = per_person ? 0 : c.budget.rows_per_person;
  TRY(c.json ? ask_stdout(err) : DPERM_OK); /* a budget is for good */
  TRY(dperm_ledger_create(c.path, c.dataset, &c.budget, err));
  return show(&c, true, err);
}

static dperm_status find_ledger(ledger_command *c, dperm_error *err) {
  c->path = ledger_path(c->path);
  return c->path ? DPERM_OK : wrong_usage(err, "name the ledger, or set DPERM_LEDGER");
}

static dperm_status run_ledger_show(int argc, char **argv, dperm_error *err) {
  ledger_command c = {.path = NULL};
  argument table[] = {
      {"ledger", ARGUMENT_INPUT, &c.path, false, "FILE", "the ledger (default: $DPERM_LEDGER)"},
      {"--dataset", ARGUMENT_TEXT, &c.dataset, false, "NAME", "only this data set"},
      {"--model", ARGUMENT_INPUT, &c.model, false, "FILE",
       "only the entry that paid for this model"},
      shared_argument("--json", &c.json),
  };
  TRY(arguments_parse(table, sizeof table / sizeof *table, argc, argv, NULL, err));
  TRY(find_ledger(&c, err));
  return c.dataset && c.model ? wrong_usage(err, "--dataset does not go with --model")
                              : show(&c, false, err);
}

static dperm_status run_ledger_verify(int argc, char **argv, dperm_error *err) {
  ledger_command c = {.path = NULL};
  argument table[] = {
      {"ledger", ARGUMENT_INPUT, &c.path, false, "FILE", "the ledger (default: $DPERM_LEDGER)"},
      {"--head", ARGUMENT_TEXT, &c.head, false, "DIGEST",
       "digest printed by an earlier 'dperm ledger show'; it must still be in the ledger"},
      shared_argument("--json", &c.json),
  };
  TRY(arguments_parse(table, sizeof table / sizeof *table, argc, argv,
                      "Reads the whole ledger and names what was changed, removed or moved.", err));
  TRY(find_ledger(&c, err));
  RETURN_IF(
      c.head && (strlen(c.head) != DPERM_DIGEST_SIZE - 1 ||
                 strspn(c.head, "0123456789abcdef") != DPERM_DIGEST_SIZE - 1),
      wrong_usage(
          err, "--head must be a digest as 'dperm ledger show' prints it: 64 hexadecimal digits"));
  static const char *const verdicts[] = {"does not hold", "holds"};
  OWNED(dperm_ledger_free_at) dperm_ledger *ledger = NULL;
  json_auto_t *lines = json_array();
  bool holds = false;
  TRY(dperm_ledger_open(c.path, &ledger, err));
  TRY(dperm_ledger_verify(ledger, c.head, findings_collect, lines, &holds, err));
  return findings_show(lines, c.path, "the ledger", verdicts, holds, c.json, err);
}

const command ledger_actions[] = {
    {"init", "give a data set its budget (cannot be changed later)", run_ledger_init, false, NULL},
    {"show", "list data sets and what was charged to them", run_ledger_show, false, NULL},
    {"verify", "check a ledger's integrity", run_ledger_verify, false, NULL},
    {0},
};
