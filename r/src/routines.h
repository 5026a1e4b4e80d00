/* What R calls: one list, each with the number of its arguments, feeds the declarations and
 * their registration (routines.c). */
#pragma once

#include "glue.h"

#define ROUTINES(X)                                                                                \
  X(r_data_encoded, 1, (SEXP))                                                                     \
  X(r_data_from_table, 4, (SEXP, SEXP, SEXP, SEXP))                                                \
  X(r_data_read, 3, (SEXP, SEXP, SEXP))                                                            \
  X(r_data_units, 1, (SEXP))                                                                       \
  X(r_fit, 7, (SEXP, SEXP, SEXP, SEXP, SEXP, SEXP, SEXP))                                          \
  X(r_is_open, 1, (SEXP))                                                                          \
  X(r_ledger_close, 1, (SEXP))                                                                     \
  X(r_ledger_create, 6, (SEXP, SEXP, SEXP, SEXP, SEXP, SEXP))                                      \
  X(r_ledger_datasets, 1, (SEXP))                                                                  \
  X(r_ledger_entries, 3, (SEXP, SEXP, SEXP))                                                       \
  X(r_ledger_head, 1, (SEXP))                                                                      \
  X(r_ledger_open, 1, (SEXP))                                                                      \
  X(r_ledger_verify, 2, (SEXP, SEXP))                                                              \
  X(r_loss_h, 1, (SEXP))                                                                           \
  X(r_model_explain, 1, (SEXP))                                                                    \
  X(r_model_parse, 1, (SEXP))                                                                      \
  X(r_model_predict, 3, (SEXP, SEXP, SEXP))                                                        \
  X(r_model_read, 1, (SEXP))                                                                       \
  X(r_model_schema, 1, (SEXP))                                                                     \
  X(r_model_text, 1, (SEXP))                                                                       \
  X(r_model_verify, 3, (SEXP, SEXP, SEXP))                                                         \
  X(r_model_weights, 1, (SEXP))                                                                    \
  X(r_model_write, 2, (SEXP, SEXP))                                                                \
  X(r_plan, 3, (SEXP, SEXP, SEXP))                                                                 \
  X(r_schema_describe, 1, (SEXP))                                                                  \
  X(r_schema_features, 1, (SEXP))                                                                  \
  X(r_schema_parse, 1, (SEXP))                                                                     \
  X(r_schema_read, 1, (SEXP))                                                                      \
  X(r_schema_text, 1, (SEXP))                                                                      \
  X(r_words, 1, (SEXP))

#define DECLARE(name, count, arguments) SEXP name arguments;
ROUTINES(DECLARE)
#undef DECLARE
