/* dperm ledger: give a data set its budget, show what was spent, check that nobody has changed it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "commands/ledger_settings.h"
#include "output/verification_lines.h"

static const char closing[] =
    "Runs are charged with --ledger FILE --dataset NAME (train, tune, refine, score --epsilon), or "
    "by DPERM_LEDGER and DPERM_DATASET in the environment. docs/ledger.md explains.";

typedef struct ledger_command {
  const char *path, *dataset, *model, *head;
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
  if ((c->json && ask_stdout(&err) != DPERM_OK) || /* a budget is for good */
      dperm_ledger_create(c->path, c->dataset, &c->budget, &err) != DPERM_OK) {
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
  json_auto_t *lines = json_array();
  bool holds = false;
  if (dperm_ledger_open(c->path, &ledger, &err) != DPERM_OK ||
      dperm_ledger_verify(ledger, c->head, findings_collect, lines, &holds, &err) != DPERM_OK) {
    return report_error(&err);
  }
  return findings_show(lines, c->path, "the ledger", verdicts, holds, c->json);
}

/* ---- the actions */

static const char *composition_name(int value) {
  static const char *const names[] = {"plain", "renyi"};
  return value < 2 ? names[value] : NULL;
}

static int run_ledger_init(int argc, char **argv) {
  ledger_command c = {.path = NULL};
  dperm_ledger_budget_init(&c.budget);
  argument table[] = {
      {"ledger", ARGUMENT_INPUT, &c.path, true, "FILE",
       "the ledger, a new one or one that is there"},
      {"--dataset", ARGUMENT_TEXT, &c.dataset, true, "NAME", "name of the data set"},
      {"--epsilon", ARGUMENT_TEXT, &c.budget.epsilon, true, "TOTAL",
       "its budget, for all runs together"},
      {"--delta", ARGUMENT_TEXT, &c.budget.delta, false, "D",
       "total of the deltas of all runs (default: 1e-30, which covers rounding)"},
      {"--rows-per-person", ARGUMENT_COUNT, &c.budget.rows_per_person, false, "K",
       "the budget protects a person with at most K rows (default: 1)"},
      {"--neighbours", ARGUMENT_CHOICE, &c.budget.neighbours, false, NULL,
       "neighbouring data sets of the budget: with replace, runs with add-remove count twice; with "
       "add-remove, runs with replace are refused (default: replace)",
       GROUP_USUAL, neighbours_name},
      {"--composition", ARGUMENT_CHOICE, &c.budget.composition, false, NULL,
       "how charges add up: plain sums, or by one Renyi order, by which many small releases with "
       "gaussian noise cost less; renyi needs --delta (default: plain)",
       GROUP_USUAL, composition_name},
      {"--order", ARGUMENT_POSITIVE, &c.budget.order, false, "A",
       "that order, from 1.1 on (default: the one that allows most small releases)"},
      shared_argument("--json", &c.json),
  };
  if (!arguments_parse(table, sizeof table / sizeof *table, argc, argv, closing)) {
    return refused();
  }
  bool renyi = c.budget.composition == DPERM_COMPOSITION_RENYI;
  const usage_rule rules[] = {
      {strcmp(c.path, "none") == 0,
       "none stands for no ledger where one is charged; give it another name"},
      {argument_given(&c.budget.order) && !renyi, "--order is for --composition renyi"},
      {renyi && !c.budget.delta,
       "--composition renyi needs --delta: half of it pays for the conversion to epsilon"},
  };
  return usage_rules_hold(rules, sizeof rules / sizeof *rules) ? init(&c) : refused();
}

static int run_ledger_show(int argc, char **argv) {
  ledger_command c = {.path = NULL};
  argument table[] = {
      {"ledger", ARGUMENT_INPUT, &c.path, true, "FILE", "the ledger"},
      {"--dataset", ARGUMENT_TEXT, &c.dataset, false, "NAME", "only this data set"},
      {"--model", ARGUMENT_INPUT, &c.model, false, "FILE",
       "only the entry that paid for this model"},
      shared_argument("--json", &c.json),
  };
  if (!arguments_parse(table, sizeof table / sizeof *table, argc, argv, NULL)) {
    return refused();
  }
  return c.dataset && c.model ? wrong_usage("--dataset does not go with --model") : show(&c);
}

static int run_ledger_verify(int argc, char **argv) {
  ledger_command c = {.path = NULL};
  argument table[] = {
      {"ledger", ARGUMENT_INPUT, &c.path, true, "FILE", "the ledger"},
      {"--head", ARGUMENT_TEXT, &c.head, false, "DIGEST",
       "digest that 'dperm ledger show' printed before: it must still be there"},
      shared_argument("--json", &c.json),
  };
  if (!arguments_parse(table, sizeof table / sizeof *table, argc, argv,
                       "Reads the whole ledger and names what was changed, removed or moved.")) {
    return refused();
  }
  if (c.head && (strlen(c.head) != DPERM_DIGEST_SIZE - 1 ||
                 strspn(c.head, "0123456789abcdef") != DPERM_DIGEST_SIZE - 1)) {
    return wrong_usage(
        "--head must be a digest as 'dperm ledger show' prints it: 64 hexadecimal digits");
  }
  return verify(&c);
}

const command ledger_actions[] = {
    {"init", "give a data set its budget, once and for good", run_ledger_init, false, NULL},
    {"show", "list data sets and what was charged to them", run_ledger_show, false, NULL},
    {"verify", "find what was changed, removed or moved", run_ledger_verify, false, NULL},
    {0},
};
