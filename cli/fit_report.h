/* What train and tune say when a model is written: a line for people on stderr, or JSON on stdout.
 */
#pragma once

#include <dperm.h>

#include "ledger_settings.h"

typedef struct fit_report {
  const char *out; /* where the model went */
  const char *mechanism;
  const char *method; /* of a choice among candidates; NULL without one */
  size_t candidates;
  bool json;
} fit_report;

/* A failure says that the model is there all the same. */
dperm_status fit_report_print(const fit_report *report, const dperm_model *model,
                              const dperm_data *data, const ledger_settings *ledger,
                              dperm_error *err);
