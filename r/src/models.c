/* Plans, fits, and models with what they say. */
#include "glue.h"
#include "routines.h"

#include <string.h>

/* ---- words */

SEXP r_words(SEXP list) {
  const int which = Rf_asInteger(list); /* of dperm_words; -1: losses, -2: kinds of noise */
  const char *word = NULL;
  SEXP owner = PROTECT(owner_new(OWNED_FIELDS));
  fields *f = fields_new(owner);
  for (unsigned i = 0; (word = which == -1   ? dperm_loss_name(i)
                               : which == -2 ? dperm_noise_name((dperm_noise)i)
                                             : dperm_word((dperm_words)which, i));
       i++) {
    fields_add(f, word);
  }
  SEXP found = fields_texts(f);
  UNPROTECT(1);
  return found;
}

/* NaN for a loss that has none. */
SEXP r_loss_h(SEXP name) {
  dperm_error err = {.status = DPERM_OK};
  dperm_loss loss;
  return dperm_loss_by_name(utf8_of(name), R_NaN, &loss, &err) == DPERM_OK
             ? Rf_ScalarReal(loss.parameter)
             : failure(&err);
}

/* ---- plans and fits */

SEXP r_plan(SEXP rows, SEXP schema, SEXP settings) {
  dperm_error err = {.status = DPERM_OK};
  dperm_options options;
  char *text = NULL;
  const dperm_plan_rows of = {.rows = (size_t)Rf_asReal(rows),
                              .schema = owned(schema, OWNED_SCHEMA)};
  SEXP owner = PROTECT(owner_new(OWNED_TEXT));
  dperm_status status = options_from(settings, &options, &err);
  if (status == DPERM_OK) {
    status = dperm_plan_report(&of, &options, &text, &err);
  }
  SEXP found = text_or_failure(owner, text, status, &err);
  UNPROTECT(1);
  return found;
}

static double member(SEXP list, const char *name) {
  SEXP names = Rf_getAttrib(list, R_NamesSymbol);
  for (R_xlen_t i = 0; i < XLENGTH(list); i++) {
    if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0) {
      return Rf_asReal(VECTOR_ELT(list, i));
    }
  }
  Rf_error("the member %s is missing", name);
}

static dperm_tune_options tune_options_from(SEXP how, const dperm_data *public_data) {
  dperm_tune_options made;
  dperm_tune_options_init(&made);
  made.method = (dperm_tune_method)member(how, "method");
  made.selector = (dperm_selector)member(how, "selector");
  made.rounds = (dperm_rounds)member(how, "rounds");
  made.rounds_mean = member(how, "rounds_mean");
  made.holdout = member(how, "holdout");
  made.public_data = public_data;
  return made;
}

/* What was charged, as texts: entry, epsilon and delta, what is left of them. NULL for nothing. */
static SEXP charge_texts(const dperm_charge *charge) {
  static const char *const names[] = {"entry",        "epsilon",    "delta",
                                      "epsilon_left", "delta_left", ""};
  if (charge->entry == 0) {
    return R_NilValue;
  }
  char entry[24];
  (void)snprintf(entry, sizeof entry, "%llu", (unsigned long long)charge->entry);
  const char *const texts[] = {entry, charge->epsilon, charge->delta, charge->epsilon_left,
                               charge->delta_left};
  SEXP found = PROTECT(Rf_mkNamed(STRSXP, (const char **)names));
  for (R_xlen_t i = 0; i < XLENGTH(found); i++) {
    SET_STRING_ELT(found, i, Rf_mkChar(texts[i]));
  }
  UNPROTECT(1);
  return found;
}

static dperm_status run(const dperm_data *data, const dperm_options *candidates, size_t count,
                        const dperm_tune_options *how, dperm_model **out, dperm_error *err) {
  return how ? dperm_tune(data, candidates, count, how, out, err)
             : dperm_train(data, candidates, out, err);
}

/* Trains, or with `how` chooses among candidates; list(model, report, charge). `ledger` and `seed`
 * may be NULL. */
SEXP r_fit(SEXP data, SEXP candidates, SEXP how, SEXP public_data, SEXP ledger, SEXP dataset,
           SEXP seed) {
  static const char *const names[] = {"model", "report", "charge", ""};
  dperm_error err = {.status = DPERM_OK};
  dperm_status status = DPERM_OK;
  dperm_charge charge = {.entry = 0};
  dperm_random *random = NULL;
  dperm_model *model = NULL;
  char *report = NULL;
  bool asked;
  const size_t count = (size_t)XLENGTH(candidates);
  const dperm_data *of = owned(data, OWNED_DATA);
  const dperm_account account = {.ledger = owned_or_null(ledger, OWNED_LEDGER),
                                 .dataset = utf8_of(dataset),
                                 .charge = &charge};
  dperm_options *options = (dperm_options *)(void *)R_alloc(count, sizeof *options);
  const dperm_tune_options choice =
      Rf_isNull(how) ? (dperm_tune_options){.size = 0}
                     : tune_options_from(how, owned_or_null(public_data, OWNED_DATA));
  SEXP owner = PROTECT(owner_new(OWNED_MODEL)), text = PROTECT(owner_new(OWNED_TEXT));
  SEXP noise = PROTECT(owner_new(OWNED_RANDOM));
  if (!Rf_isNull(seed)) {
    status = dperm_random_seeded((uint64_t)Rf_asReal(seed), &random, &err);
    R_SetExternalPtrAddr(noise, random);
  }
  for (size_t i = 0; i < count && status == DPERM_OK; i++) {
    status = options_from(VECTOR_ELT(candidates, (R_xlen_t)i), &options[i], &err);
    options[i].account = account;
    options[i].random = random;
    options[i].progress = interruptible(&asked);
  }
  if (status == DPERM_OK) {
    options[0].report = &report;
    status = run(of, options, count, Rf_isNull(how) ? NULL : &choice, &model, &err);
  }
  R_SetExternalPtrAddr(owner, model);
  owner_release(noise);
  SEXP said = PROTECT(text_or_failure(text, report, status, &err));
  if (status == DPERM_OK) {
    SEXP found = PROTECT(Rf_mkNamed(VECSXP, (const char **)names));
    SET_VECTOR_ELT(found, 0, owner);
    SET_VECTOR_ELT(found, 1, said);
    SET_VECTOR_ELT(found, 2, charge_texts(&charge));
    UNPROTECT(1);
    said = found;
  }
  UNPROTECT(4);
  return said;
}

/* ---- models */

SEXP r_model_read(SEXP path) {
  dperm_error err = {.status = DPERM_OK};
  dperm_model *made = NULL;
  const char *name = utf8_of(path);
  SEXP owner = PROTECT(owner_new(OWNED_MODEL));
  dperm_status status = dperm_model_read(name, &made, &err);
  SEXP found = made_or_failure(owner, made, status, &err);
  UNPROTECT(1);
  return found;
}

SEXP r_model_parse(SEXP json) {
  dperm_error err = {.status = DPERM_OK};
  dperm_model *made = NULL;
  const char *text = utf8_of(json);
  SEXP owner = PROTECT(owner_new(OWNED_MODEL));
  dperm_status status = dperm_model_parse(text, strlen(text), "model", &made, &err);
  SEXP found = made_or_failure(owner, made, status, &err);
  UNPROTECT(1);
  return found;
}

SEXP r_model_write(SEXP model, SEXP path) {
  dperm_error err = {.status = DPERM_OK};
  dperm_status status = dperm_model_write(owned(model, OWNED_MODEL), utf8_of(path), &err);
  return status == DPERM_OK ? R_NilValue : failure(&err);
}

SEXP r_model_text(SEXP model) {
  dperm_error err = {.status = DPERM_OK};
  char *text = NULL;
  size_t length = 0;
  dperm_model *of = owned(model, OWNED_MODEL);
  SEXP owner = PROTECT(owner_new(OWNED_TEXT));
  dperm_status status = dperm_model_to_text(of, &text, &length, &err);
  SEXP found = text_or_failure(owner, text, status, &err);
  UNPROTECT(1);
  return found;
}

/* The text of the schema it was made with; NULL if there was none. */
SEXP r_model_schema(SEXP model) {
  dperm_error err = {.status = DPERM_OK};
  char *text = NULL;
  size_t length = 0;
  const dperm_schema *of = dperm_model_schema(owned(model, OWNED_MODEL));
  if (!of) {
    return R_NilValue;
  }
  SEXP owner = PROTECT(owner_new(OWNED_TEXT));
  dperm_status status = dperm_schema_to_text(of, &text, &length, &err);
  SEXP found = text_or_failure(owner, text, status, &err);
  UNPROTECT(1);
  return found;
}

SEXP r_model_explain(SEXP model) {
  dperm_error err = {.status = DPERM_OK};
  char *text = NULL;
  dperm_model *of = owned(model, OWNED_MODEL);
  SEXP owner = PROTECT(owner_new(OWNED_TEXT));
  dperm_status status = dperm_model_explain(of, &text, &err);
  SEXP found = text_or_failure(owner, text, status, &err);
  UNPROTECT(1);
  return found;
}

/* A column for each score: one of two classes or a number. */
static size_t scores_of(const dperm_model *model) {
  const size_t classes = dperm_model_classes(model);
  return classes > 2 ? classes : 1;
}

SEXP r_model_weights(SEXP model) {
  const dperm_model *of = owned(model, OWNED_MODEL);
  const size_t dims = dperm_model_dims(of), scores = scores_of(of);
  SEXP found = PROTECT(Rf_allocMatrix(REALSXP, (int)dims, (int)scores));
  memcpy(REAL(found), dperm_model_weights(of), dims * scores * sizeof(double));
  UNPROTECT(1);
  return found;
}

/* `what` is "scores", "values" or "probabilities"; a column of the matrix for each record. */
SEXP r_model_predict(SEXP model, SEXP data, SEXP what) {
  dperm_error err = {.status = DPERM_OK};
  const dperm_model *of = owned(model, OWNED_MODEL);
  const dperm_data *records = owned(data, OWNED_DATA);
  const char kind = *utf8_of(what);
  const size_t rows = dperm_data_rows(records);
  const size_t numbers = kind == 'p' ? dperm_model_classes(of) : kind == 's' ? scores_of(of) : 1;
  SEXP found = PROTECT(Rf_allocMatrix(REALSXP, (int)numbers, (int)rows));
  dperm_status status = kind == 'p'   ? dperm_model_probabilities(of, records, REAL(found), &err)
                        : kind == 's' ? dperm_model_scores(of, records, REAL(found), &err)
                                      : dperm_model_values(of, records, REAL(found), &err);
  UNPROTECT(1);
  return status == DPERM_OK ? found : failure(&err);
}
