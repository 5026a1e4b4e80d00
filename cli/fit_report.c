/* See fit_report.h. Public words only: nothing here depends on a record but through the model. */
#include "fit_report.h"

#include <stdio.h>
#include <string.h>

#include "json_print.h"
#include "session.h"

static void print_json(const fit_report *r, const dperm_model *model, const dperm_data *data,
                       const ledger_settings *ledger) {
  dperm_guarantee g;
  dperm_model_guarantee(model, &g);
  bool noisy = strcmp(r->mechanism, "none") != 0;
  printf("{\n");
  print_json_text("model", r->out, ",");
  print_json_count("rows", dperm_data_rows(data), ",");
  print_json_count("weights", dperm_model_dims(model), ",");
  print_json_count("classes", dperm_model_classes(model), ",");
  print_json_flag("private", g.is_private, ",");
  print_json_text("reason", g.is_private ? NULL : g.reason, ",");
  print_json_text("mechanism", r->mechanism, ",");
  if (noisy) {
    print_json_number("epsilon", g.epsilon, ",");
    print_json_number("delta", g.delta, ",");
    print_json_count("rows_per_person", g.rows_per_person, ",");
  } else {
    printf("  \"epsilon\": null,\n  \"delta\": null,\n  \"rows_per_person\": null,\n");
  }
  if (r->method) {
    print_json_text("method", r->method, ",");
    print_json_count("candidates", r->candidates, ",");
  }
  ledger_settings_json(ledger, "");
  printf("}\n");
}

/* "(epsilon, delta) = (0.1, 7.8e-44) for every record", or "not private: why": the model's own
 * words, so that no command can say another pair. */
static const char *claim_of(const dperm_model *model, char out[1024]) {
  dperm_guarantee g;
  dperm_model_guarantee(model, &g);
  if (g.is_private) {
    (void)snprintf(out, 1024, "(epsilon, delta) = (%g, %.2g) for every %s", g.epsilon, g.delta,
                   unit_of(g.rows_per_person, "record").text);
  } else {
    (void)snprintf(out, 1024, "not private: %s", g.reason);
  }
  return out;
}

static void print_line(const fit_report *r, const dperm_model *model, const dperm_data *data) {
  const char *name = strcmp(r->out, "-") == 0 ? "model" : r->out;
  bool is_private = dperm_model_is_private(model);
  char several[64] = "", claim[1024];
  if (r->method) {
    note("%s: chosen among %zu candidates by %s; %s%s", name, r->candidates, r->method,
         claim_of(model, claim), is_private ? ", the choice included" : "");
    return;
  }
  if (dperm_model_classes(model) > 2) {
    (void)snprintf(several, sizeof several, "for each of %zu classes ", dperm_model_classes(model));
  }
  char how[64] = "";
  if (is_private) {
    (void)snprintf(how, sizeof how, " (%.40s perturbation)", r->mechanism);
  }
  note("%s: %zu weights %sfrom %zu rows; %s%s", name, dperm_model_dims(model), several,
       dperm_data_rows(data), claim_of(model, claim), how);
}

dperm_status fit_report_print(const fit_report *r, const dperm_model *model, const dperm_data *data,
                              const ledger_settings *ledger, dperm_error *err) {
  if (r->json) {
    print_json(r, model, data, ledger);
    dperm_status status = session_flush_stdout(err);
    size_t used = strlen(err->message);
    if (status != DPERM_OK) {
      (void)snprintf(err->message + used, sizeof err->message - used, "; %.512s is written",
                     r->out);
    }
    return status;
  }
  print_line(r, model, data);
  if (dperm_model_is_private(model)) {
    ledger_settings_say(ledger);
  }
  return DPERM_OK;
}
