/* Schemas, and records under them. */
#include "glue.h"
#include "routines.h"

#include <string.h>

/* ---- schemas */

SEXP r_schema_read(SEXP path) {
  dperm_error err = {.status = DPERM_OK};
  dperm_schema *made = NULL;
  const char *name = utf8_of(path);
  SEXP owner = PROTECT(owner_new(OWNED_SCHEMA));
  dperm_status status = dperm_schema_read(name, &made, &err);
  SEXP found = made_or_failure(owner, made, status, &err);
  UNPROTECT(1);
  return found;
}

SEXP r_schema_parse(SEXP json) {
  dperm_error err = {.status = DPERM_OK};
  dperm_schema *made = NULL;
  const char *text = utf8_of(json);
  SEXP owner = PROTECT(owner_new(OWNED_SCHEMA));
  dperm_status status = dperm_schema_parse(text, strlen(text), "schema", &made, &err);
  SEXP found = made_or_failure(owner, made, status, &err);
  UNPROTECT(1);
  return found;
}

SEXP r_schema_text(SEXP schema) {
  dperm_error err = {.status = DPERM_OK};
  char *text = NULL;
  size_t length = 0;
  dperm_schema *of = owned(schema, OWNED_SCHEMA);
  SEXP owner = PROTECT(owner_new(OWNED_TEXT));
  dperm_status status = dperm_schema_to_text(of, &text, &length, &err);
  SEXP found = text_or_failure(owner, text, status, &err);
  UNPROTECT(1);
  return found;
}

SEXP r_schema_describe(SEXP schema) {
  dperm_error err = {.status = DPERM_OK};
  char *text = NULL;
  dperm_schema *of = owned(schema, OWNED_SCHEMA);
  SEXP owner = PROTECT(owner_new(OWNED_TEXT));
  dperm_status status = dperm_schema_describe(of, &text, &err);
  SEXP found = text_or_failure(owner, text, status, &err);
  UNPROTECT(1);
  return found;
}

SEXP r_schema_features(SEXP schema) {
  dperm_schema *of = owned(schema, OWNED_SCHEMA);
  const size_t dims = dperm_schema_dims(of);
  SEXP found = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)dims));
  for (size_t i = 0; i < dims; i++) {
    const size_t size = dperm_schema_feature_name(of, i, (char[1]){0}, 1) + 1;
    char *name = R_alloc(size, 1);
    (void)dperm_schema_feature_name(of, i, name, size);
    SET_STRING_ELT(found, (R_xlen_t)i, Rf_mkCharCE(name, CE_UTF8));
  }
  UNPROTECT(1);
  return found;
}

/* ---- records */

static void check_rows(R_xlen_t found, size_t rows) {
  if ((size_t)found != rows) {
    Rf_error("a column has %lld values, and the table %lld rows; give as many of both",
             (long long)found, (long long)rows);
  }
}

/* Doubles, or list(codes, texts); NULL where the schema does not look. */
static dperm_column column_from(SEXP given, size_t rows) {
  dperm_column column = {.stride = 1};
  if (TYPEOF(given) == REALSXP) {
    check_rows(XLENGTH(given), rows);
    column.numbers = REAL(given);
  } else if (!Rf_isNull(given)) {
    SEXP codes = VECTOR_ELT(given, 0), texts = VECTOR_ELT(given, 1);
    check_rows(XLENGTH(codes), rows);
    column.text_count = (size_t)XLENGTH(texts);
    const char **pointers = (const char **)(void *)R_alloc(column.text_count + 1, sizeof *pointers);
    for (size_t i = 0; i < column.text_count; i++) {
      pointers[i] = Rf_translateCharUTF8(STRING_ELT(texts, (R_xlen_t)i));
    }
    column.codes = INTEGER(codes);
    column.texts = pointers;
  }
  return column;
}

SEXP r_data_from_table(SEXP schema, SEXP row_count, SEXP columns, SEXP labels) {
  dperm_error err = {.status = DPERM_OK};
  dperm_data *made = NULL;
  dperm_schema *of = owned(schema, OWNED_SCHEMA);
  const size_t rows = (size_t)Rf_asReal(row_count), count = (size_t)XLENGTH(columns);
  dperm_column *given = (dperm_column *)(void *)R_alloc(count + 1, sizeof *given);
  for (size_t i = 0; i < count; i++) {
    given[i] = column_from(VECTOR_ELT(columns, (R_xlen_t)i), rows);
  }
  const dperm_column label = column_from(labels, rows);
  SEXP owner = PROTECT(owner_new(OWNED_DATA));
  dperm_status status =
      dperm_data_from_table(of, rows, given, Rf_isNull(labels) ? NULL : &label, &made, &err);
  SEXP found = made_or_failure(owner, made, status, &err);
  UNPROTECT(1);
  return found;
}

SEXP r_data_read(SEXP schema, SEXP path, SEXP may_be_empty) {
  dperm_error err = {.status = DPERM_OK};
  dperm_data *made = NULL;
  bool asked;
  const dperm_source source = {.path = utf8_of(path),
                               .schema = owned(schema, OWNED_SCHEMA),
                               .may_be_empty = Rf_asLogical(may_be_empty) == TRUE};
  const dperm_progress progress = interruptible(&asked);
  SEXP owner = PROTECT(owner_new(OWNED_DATA));
  dperm_status status = dperm_data_read(&source, &progress, &made, &err);
  SEXP found = made_or_failure(owner, made, status, &err);
  UNPROTECT(1);
  return found;
}

SEXP r_data_units(SEXP data) {
  return Rf_ScalarReal((double)dperm_data_units(owned(data, OWNED_DATA)));
}

/* list(rows, labels): the owner's own records as they are fitted, a column of the matrix each. */
SEXP r_data_encoded(SEXP data) {
  dperm_error err = {.status = DPERM_OK};
  dperm_status status = DPERM_OK;
  const dperm_data *of = owned(data, OWNED_DATA);
  const size_t rows = dperm_data_rows(of), dims = dperm_data_dims(of);
  SEXP values = PROTECT(Rf_allocMatrix(REALSXP, (int)dims, (int)rows));
  SEXP labels = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)rows));
  for (size_t i = 0; i < rows && status == DPERM_OK; i++) {
    status = dperm_data_row(of, i, REAL(values) + i * dims, &err);
    REAL(labels)[i] = dperm_data_labels(of)[i];
  }
  SEXP found = PROTECT(Rf_allocVector(VECSXP, 2));
  SET_VECTOR_ELT(found, 0, values);
  SET_VECTOR_ELT(found, 1, labels);
  UNPROTECT(3);
  return status == DPERM_OK ? found : failure(&err);
}
