/* dperm_statement: one page for a lawyer and a data-protection officer, from a model file, what its
 * publisher says about it, and, if there is one, the ledger that paid for it. It says nothing that
 * the file does not say, and derives the claim again before repeating it. */
#include <stdio.h>

#include "base/file_read.h"
#include "dperm/verify.h"
#include "model/model_file.h"
#include "report/card.h"

static void see_line(void *context, dperm_finding finding, const char *line) {
  evidence *e = context;
  e->steps += finding != DPERM_FINDING_REMARK;
  if (finding == DPERM_FINDING_FAILS && e->failed++ == 0) {
    (void)snprintf(e->first_failure, sizeof e->first_failure, "%s", line);
  }
}

/* The words that all parts use for whom the claim protects. */
static void find_words(statement *s) {
  const guarantee *claim = &s->model->claim;
  s->person = guarantee_unit(claim) != 1;
  s->adding = claim->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  const dperm_schema *schema = s->model->schema;
  s->person_column = claim->person_rows > 0 ? schema->columns[schema->person].name : NULL;
  s->units = s->person_column ? "persons" : "records";
  (void)format_double(claim->epsilon, false, s->epsilon);
  (void)snprintf(s->whom, sizeof s->whom, "record");
  (void)snprintf(s->unit, sizeof s->unit, "one record");
  if (s->person_column) {
    (void)snprintf(s->whom, sizeof s->whom, "person");
    (void)snprintf(s->unit, sizeof s->unit, "all records of one person");
  } else if (s->person) {
    (void)snprintf(s->whom, sizeof s->whom, "person with at most %zu records",
                   claim->rows_per_person);
    (void)snprintf(s->unit, sizeof s->unit, "the at most %zu records of one person",
                   claim->rows_per_person);
  }
  s->event = s->adding   ? s->person ? "whether that person is there at all"
                                     : "whether that record is there at all"
             : s->person ? "what the records of that person say"
                         : "what that record says";
}

static void write_page(report *p, const statement *s) {
  const bool is_private = dperm_model_is_private(s->model);
  card_write_summary(p, s);
  about_write(p, s->said);
  card_write_release(p, s);
  card_write_columns(p, s);
  card_write_quality(p, json_object_get(s->file, "evaluation"));
  if (!is_private) {
    return;
  }
  card_write_guarantee(p, s);
  if (s->seen->holds) { /* figures of a claim that does not follow would be read as true */
    card_write_criteria(p, s);
  }
  card_write_mathematics(p, s);
  card_write_spending(p, s);
  card_write_limits(p, s);
  card_write_checks(p, s);
}

dperm_status dperm_statement_about(const char *name, const char *text, size_t length,
                                   const char *about_name, const char *about_text,
                                   size_t about_length, dperm_ledger *ledger, bool html,
                                   char **page, dperm_error *err) {
  OWNED(dperm_model_free_at) dperm_model *model = NULL;
  OWNED(report_discard) report p = {.out = NULL};
  OWNED(about_clear) about said = {NULL, NULL};
  OWNED_MEMORY char *read = NULL; /* once, so that all see the same */
  evidence seen = {0};
  if (!text) {
    TRY(file_read_all(name, MODEL_LIMIT, &read, &length, err));
    text = read;
    name = path_for_people(name);
  }
  TRY(dperm_model_parse(text, length, name, &model, err));
  TRY(dperm_model_verify(name, text, length, NULL, see_line, &seen, &seen.holds, err));
  TRY(about_read(about_name, about_text, about_length, &said, err));
  if (ledger) {
    TRY(payment_of_model(ledger, model, &seen.paid, err));
    TRY(payment_of_schema(ledger, model, &seen.paid_for_schema, err));
  }
  OWNED(json_document_free)
  json_document file = {.name = name, .text = text, .length = length, .blame = DPERM_INVALID_MODEL};
  TRY(json_document_parse(&file, err));
  statement s = {.path = name, .model = model, .file = file.root, .seen = &seen, .said = &said};
  find_words(&s);
  TRY(report_open(&p, html, dperm_model_is_private(model) ? "Privacy statement" : "No privacy",
                  err));
  write_page(&p, &s);
  return report_close(&p, page, err);
}

dperm_status dperm_statement(const char *name, const char *text, size_t length,
                             dperm_ledger *ledger, bool html, char **page, dperm_error *err) {
  return dperm_statement_about(name, text, length, NULL, NULL, 0, ledger, html, page, err);
}
