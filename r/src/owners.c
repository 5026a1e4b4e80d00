/* Owners of what the library makes, failures and texts on their way to R. */
#include "glue.h"
#include "routines.h"

#include <stdlib.h>
#include <string.h>

static void free_fields(fields *f) {
  free(f->bytes);
  free(f);
}

static SEXP tag_of(owned_kind kind) {
  static const char *const names[] = {"dperm_schema", "dperm_data", "dperm_model", "dperm_ledger",
                                      "dperm_random", "dperm_text", "dperm_fields"};
  return Rf_install(names[kind]);
}

void owner_release(SEXP owner) {
  void *it = R_ExternalPtrAddr(owner);
  R_ClearExternalPtr(owner);
  if (!it) {
    return;
  }
  switch ((owned_kind)Rf_asInteger(R_ExternalPtrProtected(owner))) {
  case OWNED_SCHEMA:
    dperm_schema_free(it);
    break;
  case OWNED_DATA:
    dperm_data_free(it);
    break;
  case OWNED_MODEL:
    dperm_model_free(it);
    break;
  case OWNED_LEDGER:
    dperm_ledger_free(it);
    break;
  case OWNED_RANDOM:
    dperm_random_free(it);
    break;
  case OWNED_TEXT:
    dperm_text_free(it);
    break;
  case OWNED_FIELDS:
    free_fields(it);
    break;
  }
}

SEXP owner_new(owned_kind kind) {
  SEXP number = PROTECT(Rf_ScalarInteger((int)kind));
  SEXP owner = PROTECT(R_MakeExternalPtr(NULL, tag_of(kind), number));
  R_RegisterCFinalizerEx(owner, owner_release, TRUE);
  UNPROTECT(2);
  return owner;
}

void *owned(SEXP owner, owned_kind kind) {
  if (TYPEOF(owner) != EXTPTRSXP || R_ExternalPtrTag(owner) != tag_of(kind) ||
      !R_ExternalPtrAddr(owner)) {
    Rf_error("an open %s is wanted here", CHAR(PRINTNAME(tag_of(kind))));
  }
  return R_ExternalPtrAddr(owner);
}

void *owned_or_null(SEXP owner, owned_kind kind) {
  return Rf_isNull(owner) ? NULL : owned(owner, kind);
}

/* Whether there is still something behind an external pointer: not in another session. */
SEXP r_is_open(SEXP owner) {
  return Rf_ScalarLogical(TYPEOF(owner) == EXTPTRSXP && R_ExternalPtrAddr(owner) != NULL);
}

/* ---- what goes back to R */

SEXP failure(const dperm_error *err) {
  SEXP found = PROTECT(Rf_ScalarString(Rf_mkCharCE(err->message, CE_UTF8)));
  SEXP status = PROTECT(Rf_mkString(dperm_status_text(err->status)));
  SEXP class = PROTECT(Rf_mkString("dperm_failure"));
  Rf_setAttrib(found, Rf_install("status"), status);
  Rf_setAttrib(found, R_ClassSymbol, class);
  UNPROTECT(3);
  return found;
}

SEXP made_or_failure(SEXP owner, void *made, dperm_status status, const dperm_error *err) {
  R_SetExternalPtrAddr(owner, made);
  return status == DPERM_OK ? owner : failure(err);
}

SEXP text_or_failure(SEXP owner, char *text, dperm_status status, const dperm_error *err) {
  R_SetExternalPtrAddr(owner, text);
  if (status != DPERM_OK) {
    return failure(err);
  }
  SEXP found = PROTECT(Rf_ScalarString(Rf_mkCharCE(text, CE_UTF8)));
  owner_release(owner);
  UNPROTECT(1);
  return found;
}

const char *utf8_of(SEXP text) {
  if (Rf_isNull(text)) {
    return NULL;
  }
  if (!Rf_isString(text) || XLENGTH(text) != 1 || STRING_ELT(text, 0) == NA_STRING) {
    Rf_error("a text is wanted here");
  }
  return Rf_translateCharUTF8(STRING_ELT(text, 0));
}

/* ---- fields */

fields *fields_new(SEXP owner) {
  fields *f = calloc(1, sizeof *f);
  R_SetExternalPtrAddr(owner, f);
  if (!f) {
    Rf_error("out of memory");
  }
  return f;
}

void fields_add(fields *f, const char *text) {
  const size_t length = strlen(text) + 1;
  if (f->size - f->used < length) {
    const size_t size = 2 * f->size + length;
    char *grown = realloc(f->bytes, size);
    f->failed = f->failed || !grown;
    if (!grown) {
      return;
    }
    f->bytes = grown;
    f->size = size;
  }
  memcpy(f->bytes + f->used, text, length);
  f->used += length;
}

SEXP fields_texts(const fields *f) {
  if (f->failed) {
    Rf_error("out of memory");
  }
  R_xlen_t count = 0;
  for (size_t i = 0; i < f->used; i++) {
    count += f->bytes[i] == '\0';
  }
  SEXP found = PROTECT(Rf_allocVector(STRSXP, count));
  const char *at = f->bytes;
  for (R_xlen_t i = 0; i < count; i++) {
    SET_STRING_ELT(found, i, Rf_mkCharCE(at, CE_UTF8));
    at += strlen(at) + 1;
  }
  UNPROTECT(1);
  return found;
}
