/* dperm ledger: give a data set its budget, show what was spent, check that nobody has changed it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments/arguments.h"
#include "commands/commands.h"
#include "commands/ledger_settings.h"
#include "output/handles.h"
#include "output/json_report.h"
#include "output/message.h"
#include "output/verification_lines.h"

static const char closing[] =
    "init\tgives the data set NAME its budget, once and for good (--dataset, --epsilon TOTAL, "
    "--delta, --rows-per-person, --neighbours), and how charges add up to it (--composition, "
    "--order), in a new "
    "ledger or one that is there\n"
    "show\tdata sets and entries; with --model the one entry that paid for a model\n"
    "verify\treads the whole ledger and names what was changed, taken away or moved\n"
    "Runs are charged with --ledger FILE --dataset NAME (train, tune, refine, score --epsilon), or "
    "by DPERM_LEDGER and DPERM_DATASET in the environment. docs/ledger.md explains.";

typedef struct ledger_command {
  const char *action, *path, *dataset, *model, *head, *composition, *neighbours;
  dperm_ledger_budget budget;
  bool json;
} ledger_command;

/* ---- show */

/* What is shown is gathered first: a reader who pages through it must not hold up those who charge.
 */
typedef struct showing {
  FILE *out;
  bool json;
  json_t *report;   /* for programs, */
  const char *only; /* a data set's name, or NULL */
  size_t shown, reserved;
} showing;

static json_t *dataset_json(const dperm_ledger_dataset *d) {
  return json_pack("{s:o, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:s?, s:s, s:o, s:s, s:s, s:s}",
                   "name", json_words(d->name), "epsilon_total", d->epsilon_total, "epsilon_spent",
                   d->epsilon_spent, "epsilon_left", d->epsilon_left, "delta_total", d->delta_total,
                   "delta_spent", d->delta_spent, "delta_left", d->delta_left, "rows_per_person",
                   (json_int_t)d->rows_per_person, "data", *d->data ? d->data : NULL, "composition",
                   d->composition, "order", d->order > 0 ? json_real(d->order) : json_null(),
                   "epsilon_plain", d->epsilon_plain, "delta_plain", d->delta_plain, "neighbours",
                   d->neighbours);
}

/* With one Renyi order, what is spent holds the conversion, and plain sums stand beside it. */
static void print_dataset(FILE *out, const dperm_ledger_dataset *d) {
  fprintf(out, "data set \"%s\", per %s", visible(d->name).text,
          unit_of(d->rows_per_person, "row").text);
  if (d->order > 0) {
    fprintf(out, ", by Renyi order %g", d->order);
  }
  if (strcmp(d->neighbours, "replace") != 0) {
    fprintf(out, ", records added and removed");
  }
  fprintf(out, "%s\n", *d->data ? "" : "; not bound to data before its first charge");
  fprintf(out, "  epsilon  %s left of %s (%s spent%s%s)\n", brief(d->epsilon_left).text,
          d->epsilon_total, brief(d->epsilon_spent).text, d->order > 0 ? "; plain sum " : "",
          d->order > 0 ? d->epsilon_plain : "");
  fprintf(out, "  delta    %s left of %s (%s spent%s%s)\n", brief_left(d->delta_left).text,
          brief(d->delta_total).text, brief_spent(d->delta_spent).text,
          d->order > 0 ? "; plain sum " : "", d->order > 0 ? brief(d->delta_plain).text : "");
  if (d->order > 0 && !*d->data) {
    fprintf(out,
            "  the first charge takes the rest, %.9g and half of delta, for the conversion of "
            "divergences to epsilon\n",
            strtod(d->epsilon_total, NULL) - strtod(d->epsilon_left, NULL));
  } else if (d->order > 0) {
    fprintf(out, "  spent is what the charges below cost, and the conversion of divergences to "
                 "epsilon, once, with half of delta\n");
  }
}

static void show_dataset(void *context, const dperm_ledger_dataset *d) {
  showing *s = context;
  if (s->only && strcmp(s->only, d->name) != 0) {
    return;
  }
  if (s->json) {
    (void)json_array_append_new(json_object_get(s->report, "datasets"), dataset_json(d));
  } else {
    print_dataset(s->out, d);
  }
  s->shown++;
}

static json_t *entry_json(const dperm_ledger_entry *e) {
  return json_pack("{s:I, s:o, s:o, s:o, s:o, s:s, s:s, s:s, s:s, s:s?, s:s, s:s, s:b, s:o}",
                   "entry", (json_int_t)e->entry, "dataset", json_words(e->dataset), "time",
                   json_words(e->time), "command", json_words(e->command), "mechanism",
                   json_words(e->mechanism), "epsilon", e->epsilon, "delta", e->delta, "status",
                   e->commit ? "committed" : "reserved", "digest", e->digest, "artifact",
                   e->commit ? e->artifact : NULL, "cost_epsilon", e->cost_epsilon, "cost_delta",
                   e->cost_delta, "counted_twice", (int)e->counted_twice, "terms",
                   json_words(e->terms));
}

static void show_entry(void *context, const dperm_ledger_entry *e) {
  showing *s = context;
  if (s->json) {
    (void)json_array_append_new(json_object_get(s->report, "entries"), entry_json(e));
  } else {
    if (s->shown == 0) {
      fprintf(s->out, "\n%7s  %-20s  %-16s %-8s %-24s %10s %10s  %s\n", "entry", "time", "data set",
              "command", "mechanism", "epsilon", "delta", "status");
    }
    fprintf(s->out, "%7llu  %-20s  %-16s %-8s %-24s %10s %10s  ", (unsigned long long)e->entry,
            visible(e->time).text, visible(e->dataset).text, visible(e->command).text,
            visible(e->mechanism).text, brief(e->epsilon).text, brief(e->delta).text);
    fprintf(s->out, e->commit ? "committed for %.12s" : "reserved, never committed: stays spent",
            e->artifact);
    bool priced = strcmp(e->cost_epsilon, e->epsilon) != 0; /* by an order */
    fprintf(s->out, "%s%s%s\n", e->counted_twice ? "; twice, for records added and removed" : "",
            priced ? "; costs " : "", priced ? e->cost_epsilon : "");
  }
  s->shown++;
  s->reserved += e->commit == 0;
}

static dperm_status show_model(const ledger_command *c, dperm_ledger *ledger, showing *s,
                               dperm_error *err) {
  OWNED(dperm_model_free_at) dperm_model *model = NULL;
  TRY(dperm_model_read(c->model, &model, err));
  (void)json_object_set_new(s->report, "entries", json_array());
  return dperm_ledger_find_model(ledger, model, show_entry, s, err);
}

static dperm_status show_all(const ledger_command *c, dperm_ledger *ledger, showing *s,
                             dperm_error *err) {
  uint64_t records = 0;
  char head[DPERM_DIGEST_SIZE];
  TRY(dperm_ledger_head(ledger, &records, head, err));
  (void)json_object_set_new(s->report, "datasets", json_array());
  (void)json_object_set_new(s->report, "entries", json_array());
  TRY(dperm_ledger_datasets(ledger, show_dataset, s, err));
  if (c->dataset && s->shown == 0) {
    return fail(err, DPERM_OVER_BUDGET, "%s: the ledger has no data set \"%.100s\"", c->path,
                c->dataset);
  }
  s->shown = 0;
  TRY(dperm_ledger_entries(ledger, c->dataset, show_entry, s, err));
  if (c->json) {
    (void)json_object_set_new(s->report, "records", json_integer((json_int_t)records));
    (void)json_object_set_new(s->report, "head", json_string(head));
  } else {
    fprintf(s->out, "\n%zu entries, %zu of them never committed; head: record %llu, digest %s\n",
            s->shown, s->reserved, (unsigned long long)records, head);
  }
  return DPERM_OK;
}

static dperm_status gather(const ledger_command *c, showing *s, dperm_error *err) {
  OWNED(dperm_ledger_free_at) dperm_ledger *ledger = NULL;
  TRY(dperm_ledger_open(c->path, &ledger, err));
  return c->model ? show_model(c, ledger, s, err) : show_all(c, ledger, s, err);
}

static int show(const ledger_command *c) {
  dperm_error err;
  OWNED_MEMORY char *text = NULL;
  size_t length = 0;
  json_auto_t *report = json_object();
  showing s = {
      .out = open_memstream(&text, &length), .json = c->json, .report = report, .only = c->dataset};
  if (!s.out) {
    return complain_of_memory();
  }
  dperm_status status = gather(c, &s, &err);
  bool whole = fclose(s.out) == 0;
  if (status != DPERM_OK) {
    return report_error(&err);
  }
  if (!whole) {
    return complain_of_memory();
  }
  if (c->json) {
    report_print(json_incref(report));
  } else {
    (void)fwrite(text, 1, length, stdout);
  }
  return 0;
}

/* ---- init: with --json, what show says of the new data set */

/* The order may be one that nobody gave: it is what the ledger has. */
static void say_budget(void *context, const dperm_ledger_dataset *d) {
  const ledger_command *c = context;
  char by[48] = "";
  if (strcmp(d->name, c->dataset) != 0) {
    return;
  }
  if (d->order > 0) {
    (void)snprintf(by, sizeof by, ", by Renyi order %g", d->order);
  }
  bool adding = strcmp(d->neighbours, "add-remove") == 0;
  note("%s: data set \"%s\" has a budget of epsilon %s per %s%s%s", c->path, c->dataset,
       c->budget.epsilon, unit_of(d->rows_per_person, "row").text,
       adding ? ", added or removed" : "", by);
  if (d->order > 0) {
    /* of persons with several rows a ledger knows (epsilon, delta) alone (composition.md) */
    note("%s: %s of it is for charges: each costs a divergence of that order, %s; the rest goes to "
         "the conversion",
         c->path, brief(d->epsilon_left).text,
         d->rows_per_person > 1
             ? "for persons with several rows that of its epsilon, whatever the noise"
             : "for gaussian noise (--noise gaussian --delta) far less than its epsilon");
  }
}

static int note_budget(const ledger_command *c, dperm_error *err) {
  OWNED(dperm_ledger_free_at) dperm_ledger *ledger = NULL;
  ledger_command said = *c;
  if (dperm_ledger_open(c->path, &ledger, err) != DPERM_OK ||
      dperm_ledger_datasets(ledger, say_budget, &said, err) != DPERM_OK) {
    return report_error(err);
  }
  return 0;
}

static int init(const ledger_command *c) {
  dperm_error err;
  dperm_ledger_budget budget = c->budget;
  if (c->composition && strcmp(c->composition, "renyi") == 0) {
    budget.composition = DPERM_COMPOSITION_RENYI;
  }
  if (c->neighbours && strcmp(c->neighbours, "add-remove") == 0) {
    budget.neighbours = DPERM_NEIGHBOURS_ADD_REMOVE;
  }
  if ((c->json && ask_stdout(&err) != DPERM_OK) || /* a budget is for good */
      dperm_ledger_create(c->path, c->dataset, &budget, &err) != DPERM_OK) {
    return report_error(&err);
  }
  if (c->json) {
    return show(c);
  }
  return note_budget(c, &err);
}

/* ---- verify */

static int verify(const ledger_command *c) {
  static const char *const verdicts[] = {"does not hold", "holds"};
  dperm_error err;
  OWNED(dperm_ledger_free_at) dperm_ledger *ledger = NULL;
  OWNED(findings_clear) findings all = {0};
  bool holds = false;
  if (dperm_ledger_open(c->path, &ledger, &err) != DPERM_OK ||
      dperm_ledger_verify(ledger, c->head, findings_collect, &all, &holds, &err) != DPERM_OK) {
    return report_error(&err);
  }
  return findings_show(&all, c->path, "the ledger", verdicts, holds, c->json);
}

/* ---- the command */

static bool rules_hold(const ledger_command *c) {
  bool is_init = strcmp(c->action, "init") == 0, is_show = strcmp(c->action, "show") == 0;
  bool is_verify = strcmp(c->action, "verify") == 0;
  bool digest = c->head && strlen(c->head) == DPERM_DIGEST_SIZE - 1 &&
                strspn(c->head, "0123456789abcdef") == DPERM_DIGEST_SIZE - 1;
  bool renyi = c->composition && strcmp(c->composition, "renyi") == 0;
  const usage_rule rules[] = {
      {is_init && strcmp(c->path, "none") == 0,
       "none stands for no ledger where one is charged; give it another name"},
      {is_init && !c->dataset, "--dataset is missing: name what the budget is for"},
      {is_init && !c->budget.epsilon, "--epsilon is missing: the total budget has no default"},
      {!is_init && (c->budget.epsilon || c->budget.delta || c->composition || c->neighbours ||
                    argument_given(&c->budget.order) || argument_given(&c->budget.rows_per_person)),
       "--epsilon, --delta, --rows-per-person, --neighbours, --composition and --order are for "
       "init"},
      {c->neighbours && strcmp(c->neighbours, "replace") != 0 &&
           strcmp(c->neighbours, "add-remove") != 0,
       "--neighbours is replace or add-remove"},
      {c->composition && !renyi && strcmp(c->composition, "plain") != 0,
       "--composition is plain or renyi"},
      {argument_given(&c->budget.order) && !renyi, "--order is for --composition renyi"},
      {renyi && !c->budget.delta,
       "--composition renyi needs --delta: half of it pays for the conversion to epsilon"},
      {!is_show && c->model, "--model is for show"},
      {c->dataset && (is_verify || c->model), "--dataset is for init and show, without --model"},
      {c->head && !is_verify, "--head is for verify"},
      {c->head && !digest,
       "--head must be a digest as 'dperm ledger show' prints it: 64 hexadecimal digits"},
  };
  return usage_rules_hold(rules, sizeof rules / sizeof *rules);
}

int run_ledger(int argc, char **argv) {
  ledger_command c = {.action = NULL};
  dperm_ledger_budget_init(&c.budget);
  argument table[] = {
      {"action", ARGUMENT_TEXT, &c.action, true, "init|show|verify", "what to do"},
      {"ledger", ARGUMENT_INPUT, &c.path, true, "FILE", "the ledger"},
      {"--dataset", ARGUMENT_TEXT, &c.dataset, false, "NAME", "init, show: the data set"},
      {"--epsilon", ARGUMENT_TEXT, &c.budget.epsilon, false, "TOTAL",
       "init: its budget, for all runs together"},
      {"--delta", ARGUMENT_TEXT, &c.budget.delta, false, "D",
       "init: the total of their deltas (1e-30, which covers rounding)"},
      {"--rows-per-person", ARGUMENT_COUNT, &c.budget.rows_per_person, false, "K",
       "init: the budget is for a person with at most K rows (1)"},
      {"--neighbours", ARGUMENT_TEXT, &c.neighbours, false, "replace|add-remove",
       "init: whom the budget is about; what is for records added and removed counts twice for "
       "replaced ones (replace), and the other way nothing is taken"},
      {"--composition", ARGUMENT_TEXT, &c.composition, false, "plain|renyi",
       "init: how charges add up: plain sums (default), or by one Renyi order, which many small "
       "releases with Gaussian noise cost less by; needs --delta"},
      {"--order", ARGUMENT_POSITIVE, &c.budget.order, false, "A",
       "init: that order, from 1.1 on; without it the total decides, for the most small releases"},
      {"--model", ARGUMENT_INPUT, &c.model, false, "FILE",
       "show: the entry that paid for this model"},
      {"--head", ARGUMENT_TEXT, &c.head, false, "DIGEST",
       "verify: a head that was noted before must still be there"},
      {"--json", ARGUMENT_FLAG, &c.json, false, NULL, "for programs"},
  };
  if (!arguments_parse(table, sizeof table / sizeof *table, argc, argv, closing) ||
      !rules_hold(&c)) {
    return refused();
  }
  if (strcmp(c.action, "init") == 0) {
    return init(&c);
  }
  return strcmp(c.action, "show") == 0 ? show(&c) : verify(&c);
}
