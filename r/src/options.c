/* Settings of R's as the library's options, and interrupts. */
#include "glue.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

typedef enum setting_kind { REAL_NUMBER, COUNT, WORD } setting_kind;

static const struct {
  const char *name;
  setting_kind kind;
  size_t at;
} known[] = {
    {"mechanism", WORD, offsetof(dperm_options, mechanism)},
    {"epsilon", REAL_NUMBER, offsetof(dperm_options, epsilon)},
    {"analysis", WORD, offsetof(dperm_options, analysis)},
    {"noise", WORD, offsetof(dperm_options, noise)},
    {"delta_reg", REAL_NUMBER, offsetof(dperm_options, delta_reg)},
    {"norm_guess", REAL_NUMBER, offsetof(dperm_options, norm_guess)},
    {"kernel", WORD, offsetof(dperm_options, kernel.kind)},
    {"gamma", REAL_NUMBER, offsetof(dperm_options, kernel.gamma)},
    {"features", COUNT, offsetof(dperm_options, kernel.features)},
    {"lambda", REAL_NUMBER, offsetof(dperm_options, lambda)},
    {"rows_per_person", COUNT, offsetof(dperm_options, rows_per_person)},
    {"threads", WORD, offsetof(dperm_options, threads)},
    {"neighbours", WORD, offsetof(dperm_options, neighbours)},
    {"multiclass", WORD, offsetof(dperm_options, multiclass)},
    {"rows_about", COUNT, offsetof(dperm_options, rows_about)},
    {"delta", REAL_NUMBER, offsetof(dperm_options, delta)},
    {"calibrate", REAL_NUMBER, offsetof(dperm_options, calibrate)},
    {"refine", REAL_NUMBER, offsetof(dperm_options, refine)},
    {"bins", WORD, offsetof(dperm_options, bins)},
    {"pairs", REAL_NUMBER, offsetof(dperm_options, pairs)},
    {"evaluate", REAL_NUMBER, offsetof(dperm_options, evaluate)},
    {"intervals", REAL_NUMBER, offsetof(dperm_options, intervals)},
};

/* Enums are as wide as an int. */
static void set(dperm_options *o, setting_kind kind, size_t at, double value) {
  char *member = (char *)o + at;
  const size_t count = (size_t)value;
  const int word = (int)value;
  switch (kind) {
  case REAL_NUMBER:
    memcpy(member, &value, sizeof value);
    break;
  case COUNT:
    memcpy(member, &count, sizeof count);
    break;
  case WORD:
    memcpy(member, &word, sizeof word);
    break;
  }
}

/* A named vector of numbers. */
static void set_class_weights(SEXP weights, dperm_options *o) {
  const size_t count = (size_t)XLENGTH(weights);
  SEXP names = PROTECT(Rf_getAttrib(weights, R_NamesSymbol));
  dperm_class_weight *made = (dperm_class_weight *)(void *)R_alloc(count, sizeof *made);
  for (size_t i = 0; i < count; i++) {
    made[i] = (dperm_class_weight){.name = Rf_translateCharUTF8(STRING_ELT(names, (R_xlen_t)i)),
                                   .weight = REAL(weights)[i]};
  }
  o->class_weights = made;
  o->class_weight_count = count;
  UNPROTECT(1);
}

/* list(name, h, quantile): NULL for the usual loss of the label, NaN for what is usual. */
static dperm_status set_loss(SEXP loss, dperm_options *o, dperm_error *err) {
  const char *name = utf8_of(VECTOR_ELT(loss, 0));
  const double h = Rf_asReal(VECTOR_ELT(loss, 1)), quantile = Rf_asReal(VECTOR_ELT(loss, 2));
  if (!name) {
    o->loss = (dperm_loss){.parameter = h};
    return DPERM_OK;
  }
  return isnan(quantile) ? dperm_loss_by_name(name, h, &o->loss, err)
                         : dperm_loss_quantile(quantile, h, &o->loss, err);
}

dperm_status options_from(SEXP settings, dperm_options *out, dperm_error *err) {
  SEXP names = PROTECT(Rf_getAttrib(settings, R_NamesSymbol));
  dperm_status status = DPERM_OK;
  dperm_options_init(out);
  for (R_xlen_t i = 0; i < XLENGTH(settings); i++) {
    const char *name = CHAR(STRING_ELT(names, i));
    SEXP value = VECTOR_ELT(settings, i);
    size_t at = 0;
    while (at < sizeof known / sizeof *known && strcmp(known[at].name, name) != 0) {
      at++;
    }
    if (at < sizeof known / sizeof *known) {
      set(out, known[at].kind, known[at].at, Rf_asReal(value));
    } else if (strcmp(name, "class_weights") == 0) {
      set_class_weights(value, out);
    } else if (strcmp(name, "loss") == 0 && status == DPERM_OK) {
      status = set_loss(value, out, err);
    }
  }
  UNPROTECT(1);
  return status;
}

/* ---- interrupts */

static void ask(void *unused) {
  (void)unused;
  R_CheckUserInterrupt();
}

/* R's question would jump out of the library; here it jumps to R_ToplevelExec and no farther. */
static bool tick(void *context, const char *stage, uint64_t done, uint64_t total) {
  bool *asked = context;
  (void)stage;
  (void)done;
  (void)total;
  *asked = *asked || !R_ToplevelExec(ask, NULL);
  return *asked;
}

dperm_progress interruptible(bool *asked) {
  *asked = false;
  return (dperm_progress){.tick = tick, .context = asked};
}
