/* dperm ledger: give a data set its budget, show what was spent, check that nobody has changed it.
 */
#include <stdio.h>
#include <string.h>

#include "arguments.h"
#include "finding_lines.h"
#include "handles.h"
#include "json_print.h"
#include "ledger_settings.h"
#include "session.h"

static const char closing[] =
    "init\tgives the data set NAME its budget, once and for good (--dataset, --epsilon TOTAL, "
    "--delta, --rows-per-person), in a new ledger or one that is there\n"
    "show\tdata sets and entries; with --model the one entry that paid for a model\n"
    "verify\treads the whole ledger and names what was changed, taken away or moved\n"
    "Runs are charged with --ledger FILE --dataset NAME (train, tune, score --epsilon), or by "
    "DPERM_LEDGER and DPERM_DATASET in the environment. docs/ledger.md explains.";

typedef struct ledger_command {
  const char *action, *path, *dataset, *epsilon, *delta, *model, *head;
  size_t rows_per_person;
  bool json;
} ledger_command;

/* ---- show */

/* What is shown is gathered first: a reader who pages through it must not hold up those who charge.
 */
typedef struct showing {
  FILE *out;
  bool json;
  const char *only; /* a data set's name, or NULL */
  size_t shown, reserved;
} showing;

static void print_dataset_json(FILE *out, const dperm_ledger_dataset *d, bool first) {
  fprintf(out, "%s\n    {\"name\": ", first ? "" : ",");
  json_quote(out, d->name);
  fprintf(out,
          ", \"epsilon_total\": \"%s\", \"epsilon_spent\": \"%s\", \"epsilon_left\": \"%s\",\n"
          "     \"delta_total\": \"%s\", \"delta_spent\": \"%s\", \"delta_left\": \"%s\",\n"
          "     \"rows_per_person\": %zu, \"data\": ",
          d->epsilon_total, d->epsilon_spent, d->epsilon_left, d->delta_total, d->delta_spent,
          d->delta_left, d->rows_per_person);
  fprintf(out, *d->data ? "\"%s\"}" : "null}", d->data);
}

static void show_dataset(void *context, const dperm_ledger_dataset *d) {
  showing *s = context;
  if (s->only && strcmp(s->only, d->name) != 0) {
    return;
  }
  if (s->json) {
    print_dataset_json(s->out, d, s->shown == 0);
  } else {
    fprintf(s->out, "data set \"%s\", per %s%s\n", visible(d->name).text,
            unit_of(d->rows_per_person, "row").text,
            *d->data ? "" : "; not bound to data before its first charge");
    fprintf(s->out, "  epsilon  %s left of %s (%s spent)\n", d->epsilon_left, d->epsilon_total,
            d->epsilon_spent);
    fprintf(s->out, "  delta    %s left of %s (%s spent)\n", brief(d->delta_left).text,
            brief(d->delta_total).text, brief(d->delta_spent).text);
  }
  s->shown++;
}

static void print_entry_json(FILE *out, const dperm_ledger_entry *e, bool first) {
  const char *const texts[][2] = {{"dataset", e->dataset},
                                  {"time", e->time},
                                  {"command", e->command},
                                  {"mechanism", e->mechanism}};
  fprintf(out, "%s\n    {\"entry\": %llu", first ? "" : ",", (unsigned long long)e->entry);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    fprintf(out, ", \"%s\": ", texts[i][0]);
    json_quote(out, texts[i][1]);
  }
  fprintf(
      out,
      ",\n     \"epsilon\": \"%s\", \"delta\": \"%s\", \"status\": \"%s\", \"digest\": \"%s\",\n"
      "     \"artifact\": ",
      e->epsilon, e->delta, e->commit ? "committed" : "reserved", e->digest);
  fprintf(out, e->commit ? "\"%s\"}" : "null}", e->artifact);
}

static void show_entry(void *context, const dperm_ledger_entry *e) {
  showing *s = context;
  if (s->json) {
    print_entry_json(s->out, e, s->shown == 0);
  } else {
    if (s->shown == 0) {
      fprintf(s->out, "\n%7s  %-20s  %-16s %-8s %-24s %10s %10s  %s\n", "entry", "time", "data set",
              "command", "mechanism", "epsilon", "delta", "status");
    }
    fprintf(s->out, "%7llu  %-20s  %-16s %-8s %-24s %10s %10s  ", (unsigned long long)e->entry,
            visible(e->time).text, visible(e->dataset).text, visible(e->command).text,
            visible(e->mechanism).text, brief(e->epsilon).text, brief(e->delta).text);
    fprintf(s->out,
            e->commit ? "committed for %.12s\n" : "reserved, never committed: stays spent\n",
            e->artifact);
  }
  s->shown++;
  s->reserved += e->commit == 0;
}

static dperm_status show_model(const ledger_command *c, dperm_ledger *ledger, showing *s,
                               dperm_error *err) {
  OWNED(dperm_model_free_at) dperm_model *model = NULL;
  TRY(dperm_model_read(c->model, &model, err));
  fprintf(s->out, c->json ? "{\n  \"entries\": [" : "");
  TRY(dperm_ledger_find_model(ledger, model, show_entry, s, err));
  fprintf(s->out, c->json ? "\n  ]\n}\n" : "");
  return DPERM_OK;
}

static dperm_status show_all(const ledger_command *c, dperm_ledger *ledger, showing *s,
                             dperm_error *err) {
  uint64_t records = 0;
  char head[DPERM_DIGEST_SIZE];
  TRY(dperm_ledger_head(ledger, &records, head, err));
  fprintf(s->out, c->json ? "{\n  \"datasets\": [" : "");
  TRY(dperm_ledger_datasets(ledger, show_dataset, s, err));
  if (c->dataset && s->shown == 0) {
    return fail(err, DPERM_OVER_BUDGET, "%s: the ledger has no data set \"%.100s\"", c->path,
                c->dataset);
  }
  s->shown = 0;
  fprintf(s->out, c->json ? "\n  ],\n  \"entries\": [" : "");
  TRY(dperm_ledger_entries(ledger, c->dataset, show_entry, s, err));
  if (c->json) {
    fprintf(s->out, "\n  ],\n  \"records\": %llu,\n  \"head\": \"%s\"\n}\n",
            (unsigned long long)records, head);
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
  showing s = {.out = open_memstream(&text, &length), .json = c->json, .only = c->dataset};
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
  (void)fwrite(text, 1, length, stdout);
  return 0;
}

/* ---- init: with --json, what show says of the new data set */

static int init(const ledger_command *c) {
  dperm_error err;
  if (dperm_ledger_init(c->path, c->dataset, c->epsilon, c->delta, c->rows_per_person, &err) !=
      DPERM_OK) {
    return report_error(&err);
  }
  if (c->json) {
    return show(c);
  }
  note("%s: data set \"%s\" has a budget of epsilon %s per %s", c->path, c->dataset, c->epsilon,
       unit_of(c->rows_per_person, "row").text);
  return 0;
}

/* ---- verify */

static int verify(const ledger_command *c) {
  static const char *const verdicts[] = {"does not hold", "holds"};
  dperm_error err;
  OWNED(dperm_ledger_free_at) dperm_ledger *ledger = NULL;
  OWNED(findings_clear) findings all = {0};
  int holds = 0;
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
  const usage_rule rules[] = {
      {is_init && !c->dataset, "--dataset is missing: name what the budget is for"},
      {is_init && !c->epsilon, "--epsilon is missing: the total budget has no default"},
      {!is_init && (c->epsilon || c->delta || argument_given(&c->rows_per_person)),
       "--epsilon, --delta and --rows-per-person are for init"},
      {!is_show && c->model, "--model is for show"},
      {c->dataset && (is_verify || c->model), "--dataset is for init and show, without --model"},
      {c->head && !is_verify, "--head is for verify"},
      {c->head && !digest,
       "--head must be a digest as 'dperm ledger show' prints it: 64 hexadecimal digits"},
  };
  return usage_rules_hold(rules, sizeof rules / sizeof *rules);
}

int run_ledger(int argc, char **argv) {
  ledger_command c = {.rows_per_person = 1};
  argument table[] = {
      {"action", ARGUMENT_TEXT, &c.action, true, "init|show|verify", "what to do"},
      {"ledger", ARGUMENT_INPUT, &c.path, true, "FILE", "the ledger"},
      {"--dataset", ARGUMENT_TEXT, &c.dataset, false, "NAME", "the data set"},
      {"--epsilon", ARGUMENT_TEXT, &c.epsilon, false, "TOTAL",
       "init: its budget, for all runs together"},
      {"--delta", ARGUMENT_TEXT, &c.delta, false, "D",
       "init: the total of their deltas (1e-30, which covers rounding)"},
      {"--rows-per-person", ARGUMENT_COUNT, &c.rows_per_person, false, "K",
       "init: the budget is for a person with at most K rows (1)"},
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
