/* The glue between R and libdperm: what its files share.
 *
 * R leaves a C function by longjmp when it runs out of memory or is told of an error. So whatever
 * the library makes is given to an owner, an external pointer with a finalizer, which is allocated
 * before the library is called; while the library runs, no function of R's is called that could
 * jump. A call that fails gives back a "dperm_failure", the library's own sentence, which R code
 * turns into an error (R/call.R). */
#pragma once

#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>
#include <dperm.h>
#include <dperm/explain.h>
#include <dperm/ledger.h>
#include <dperm/plan.h>
#include <dperm/random.h>
#include <dperm/tune.h>
#include <dperm/verify.h>

typedef enum owned_kind {
  OWNED_SCHEMA,
  OWNED_DATA,
  OWNED_MODEL,
  OWNED_LEDGER,
  OWNED_RANDOM,
  OWNED_TEXT,
  OWNED_FIELDS
} owned_kind;

/* An owner of nothing yet. */
SEXP owner_new(owned_kind kind);
/* What it owns; an error of R's if it is no owner of this kind, or owns nothing. */
void *owned(SEXP owner, owned_kind kind);
/* The same, or NULL where R gives NULL. */
void *owned_or_null(SEXP owner, owned_kind kind);
/* Gives back what it owns, if anything. */
void owner_release(SEXP owner);

/* The owner with what the library made, or the failure. */
SEXP made_or_failure(SEXP owner, void *made, dperm_status status, const dperm_error *err);
SEXP failure(const dperm_error *err);
/* R's text of the library's, which is given back; or the failure. `owner` is of OWNED_TEXT. */
SEXP text_or_failure(SEXP owner, char *text, dperm_status status, const dperm_error *err);

/* A text of R's in UTF-8; NULL for R's NULL. It lives as long as the call from R. */
const char *utf8_of(SEXP text);

/* Texts that a callback of the library's gathers without calling R: one behind the other, each with
 * its zero. */
typedef struct fields {
  char *bytes;
  size_t used, size;
  bool failed;
} fields;
/* Those of an owner of OWNED_FIELDS, which gets them here. */
fields *fields_new(SEXP owner);
void fields_add(fields *f, const char *text);
/* As a character vector. An error of R's if there was no memory for them all. */
SEXP fields_texts(const fields *f);

/* The options of a fit from R's list of settings (R/settings.R). What they point to lives as long
 * as the call from R. */
dperm_status options_from(SEXP settings, dperm_options *out, dperm_error *err);

/* Progress that lets Ctrl-C stop the library; `asked` says whether it did. */
dperm_progress interruptible(bool *asked);
