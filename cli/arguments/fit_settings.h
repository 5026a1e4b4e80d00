/* The arguments that say how to fit, shared by the commands that fit, tune, sweep or plan. Where
 * tune and sweep take a list ("1e-3,1e-2"), the others take one value. */
#pragma once

#include <dperm.h>

#include "arguments/arguments.h"

/* ---- shares of epsilon after the fit (--calibrate): a table of all that commands say of them */

enum { SHARE_ARGUMENTS = 3 };

typedef struct share_words {
  const char *name;
  size_t option_at; /* where dperm_options has it */
  const char *help;
  const char *many_help;         /* where several are fitted, auto or none; NULL: none has it */
  const char *figure;            /* its epsilon in reports (docs/formats.md), */
  const char *value;             /* and the number or text that it bought */
  const char *says;              /* what is said of a model, with that after it */
  const char *plan_label, *plan; /* the line of a plan */
  void (*warn)(const dperm_options *options, size_t rows); /* of too few rows; or NULL */
} share_words;
extern const share_words share_arguments[SHARE_ARGUMENTS];

/* ---- all of them */

/* One model; the best of several; or many, and only figures leave. */
typedef enum fit_kind { FIT_ONE, FIT_CHOICE, FIT_SWEEP } fit_kind;

typedef struct fit_settings {
  dperm_options options;                            /* all that has one value */
  double quantile;                                  /* NaN if not given */
  const char *loss, *h, *lambda, *gamma, *features; /* lists */
  const char *class_weights, *refine;               /* as given, or NULL, */
  const char *shares[SHARE_ARGUMENTS];              /* and so are these */
  int features_kind;                                /* -1 if not given */
  fit_kind kind;
} fit_settings;

enum { FIT_ARGUMENTS = 23 + SHARE_ARGUMENTS };

/* Defaults, and FIT_ARGUMENTS lines of the argument table from table[0] on. Shares of epsilon are
 * for one model: where there are several, --refine takes "none", or "ask" in a choice. */
void fit_settings_init(fit_settings *settings, fit_kind kind, argument *table);

/* Settings into options, one for each combination of the lists, in an array that the caller frees
 * in any case. Fails for what is wrong, such as a list with the same value twice. */
dperm_status fit_settings_grid(const fit_settings *settings, dperm_options **options, size_t *count,
                               dperm_error *err);
/* The same where each list must have one element. */
dperm_status fit_settings_one(const fit_settings *settings, dperm_options *options,
                              dperm_error *err);

/* Fails unless there is a schema, or nothing to refine. */
dperm_status refine_has_schema(const fit_settings *settings, bool schema, dperm_error *err);
/* Fails unless a number of rows is estimated exactly where it is private. */
dperm_status neighbours_agree(dperm_neighbours neighbours, size_t rows_about, dperm_error *err);

/* Warns of a delta above 1/rows, which may publish a whole record, and of few rows for a share. */
void fit_warn(const dperm_options *options, size_t rows);
