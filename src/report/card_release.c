/* The facts of the release: what the model is, what it was made from, its budget. */
#include <stdio.h>

#include "loss/loss.h"
#include "report/card.h"

static const char *kind_of_model(const dperm_model *model) {
  if (model->map) {
    return "a kernel machine on random features";
  }
  const loss_kind *loss = loss_kind_named(model->loss);
  return loss && loss->model ? loss->model : "a linear support-vector machine or the like";
}

static void write_classes(report *p, const statement *s) {
  const class_list *classes = &s->model->classes;
  char names[400];
  size_t used = 0;
  if (classes->count == 2) {
    report_row(p, "model", "%s: %s that tells \"%s\" from \"%s\"", s->path, kind_of_model(s->model),
               classes->names[0], classes->names[1]);
    return;
  }
  if (label_range_known(s->model->range)) {
    report_row(p, "model", "%s: %s", s->path, kind_of_model(s->model));
    return;
  }
  for (size_t i = 0; i < classes->count && used < sizeof names; i++) {
    used += (size_t)snprintf(names + used, sizeof names - used, "%s\"%.60s\"", i ? ", " : "",
                             classes->names[i]);
  }
  report_row(p, "model", "%s: %s for %s %zu classes%s (%s%s)", s->path, kind_of_model(s->model),
             s->model->joint ? "all" : "each of", classes->count,
             s->model->joint ? " at once" : " against all others", names,
             used < sizeof names ? "" : "…");
}

/* What δ is, for somebody who has to explain it. */
static void write_delta(report *p, const dperm_model *m) {
  if (!card_spends_delta(m)) {
    report_row(p, "what δ is for",
               "noise beyond the length that the program certifies, which is too rare to be seen");
    return;
  }
  const double at_most = 2 * m->claim.delta;
  char twice[80] = ""; /* of 1 or more it would say nothing */
  if (at_most < 1) {
    (void)snprintf(twice, sizeof twice, ", but twice that factor with at most %.3g", at_most);
  }
  report_row(p, "what δ is for",
             "an allowance for bad luck, fixed in advance: Gaussian noise protects at least as "
             "well as a program that reveals everything with probability δ and otherwise stays "
             "within ε. Single outcomes may exceed the factor e^ε with a probability above δ%s (of "
             "δ, %.2g is for noise beyond the length that the program certifies)",
             twice, m->claim.delta_numerics);
  report_row(p, "δ and the records",
             "in the worst case each of the %s%zu records is revealed with probability δ: %.2g of "
             "them on average, where good practice is far below one",
             m->claim.neighbours == DPERM_NEIGHBOURS_ADD_REMOVE ? "about " : "", m->rows,
             card_records_told(m));
}

/* What of the budget is not the fit's. */
static void write_shares(report *p, const dperm_model *m) {
  const double *shares = m->claim.shares;
  if (shares[SHARE_SCHEMA] > 0) {
    report_row(p, "of that", "ε = %.6g for the %s: the records decided, with noise, about %s; %s",
               shares[SHARE_SCHEMA], label_range_known(m->range) ? "loss and the schema" : "schema",
               label_range_known(m->range) ? "how far labels lie apart, or weights, bins and groups"
                                           : "weights, bins and groups",
               m->claim.composed.epsilon > 0
                   ? "with what follows it costs no more than (ε, δ) together"
                   : "the rest is for what follows");
  }
  for (share_id s = SHARE_AFTER_FIT; s < SHARE_COUNT; s++) {
    json_auto_t *value = share_kinds[s].value ? model_share_value(m, s) : NULL;
    char number[DOUBLE_TEXT_SIZE] = "";
    if (json_is_number(value)) {
      (void)snprintf(number, sizeof number, "%.4g", json_number_value(value));
    }
    if (shares[s] > 0) {
      report_row(p, "of that", "ε = %.6g %s%s", shares[s], share_kinds[s].statement,
                 json_is_string(value) ? json_string_value(value)
                 : json_is_null(value) ? "none was found"
                                       : number);
    }
  }
}

void card_write_release(report *p, const statement *s) {
  const dperm_model *m = s->model;
  static const char *const how[] = {
      [DPERM_MECHANISM_OBJECTIVE] =
          "random noise in the optimization problem (objective perturbation)",
      [DPERM_MECHANISM_OUTPUT] = "random noise added to the solution (output perturbation)",
      [DPERM_MECHANISM_NONE] = "no noise",
      [DPERM_MECHANISM_DESCENT] = "random noise in every step of the optimization (noisy descent)"};
  const char *method = json_text_at(m->selection, "method");
  report_heading(p, "The release");
  write_classes(p, s);
  report_row(p, "fingerprint", "%s", m->digest);
  if (s->adding) {
    report_row(p, "made from", "%s whose number is private; about %zu by a public estimate",
               s->units, m->rows);
  } else {
    char held[80] = "";
    if (m->rows_fitted < m->rows && m->evaluation) {
      (void)snprintf(held, sizeof held, ", of which %zu judged it", m->rows - m->rows_fitted);
    }
    report_row(p, "made from", "%zu %s%s; this number is treated as public", m->rows, s->units,
               held);
  }
  if (!dperm_model_is_private(m)) {
    return;
  }
  if (s->person_column) {
    report_row(p, "unit of privacy",
               "one person with all their records, of which the mean over at most %zu counts as "
               "one record; the column \"%.64s\" says whose a record is",
               m->claim.person_rows, s->person_column);
  } else if (s->person) {
    report_row(p, "unit of privacy", "one person, with at most %zu records",
               m->claim.rows_per_person);
  } else {
    report_row(p, "unit of privacy",
               "one record; a person with several is protected less, in proportion");
  }
  report_row(p, "privacy budget", "(ε, δ) = (%s, %.2g), for every %s", s->epsilon, m->claim.delta,
             s->whom);
  write_shares(p, m);
  write_delta(p, m);
  report_row(p, "how", "%s", how[m->plan.mechanism]);
  if (method) {
    report_row(p, "choice",
               "one of %zu candidates, chosen by the method \"%s\"; the budget covers the choice",
               json_array_size(json_object_get(m->selection, "candidates")), method);
  }
}
