/* The groups of lines that a claim consists of, in the order in which they are reported. Each reads
 * the fields it needs itself, so that one bad field spoils the lines that rest on it and no other.
 */
#pragma once

#include "verify/finding.h"

/* check_file.c: the file as it is, and what it says it claims. */
void check_format(verifier *v);
void check_digest(verifier *v);
/* `doubt`: why it cannot be used, or NULL. */
void check_whole(verifier *v, const char *doubt);
void check_claim(verifier *v);

/* check_unit.c: for whom the claim is. */
void check_unit(verifier *v);
/* The rows that one person may have: 1 where the file does not say. */
bool unit_rows(verifier *v, const char *name, uint64_t *out);
/* What is left of epsilon for one row, and its field without the object it stands in. */
bool row_epsilon(verifier *v, const char *name, double *out);
const char *row_epsilon_name(const verifier *v);
/* Whether the claim is for persons with several rows. */
bool unit_is_person(const verifier *v);

/* check_classes.c: what several classes cost. */
void check_classes(verifier *v);
/* That no class counts for more than the loss's constants allow. */
void check_class_weights(verifier *v);
/* The epsilon of one such fit, and its field without the object it stands in. */
bool class_epsilon(verifier *v, const char *name, double *out);
const char *class_epsilon_name(const verifier *v);

/* check_rows.c: the bound on rows, n, and what the selection costs. */
void check_norm(verifier *v);
void check_missing_values(verifier *v);
void check_rows(verifier *v);
void check_selection(verifier *v);

/* check_shape.c: the rows in the norm of the noise. */
void check_shape(verifier *v);
/* A kind of noise: density ~ exp(-beta |b|_K) for a norm K. */
typedef struct noise_shape {
  const char *name;
  bool output; /* allowed for output perturbation, where only |f - f'|_2 is known */
  /* R_K, a bound on |x|_K for every row, from R2 and the file; NULL where it is not clear. */
  const interval *(*row_bound)(verifier *v, const interval *r2);
  /* The line about it, with R_K or NULL. No line where this is NULL: R_K is R2 itself. */
  void (*state)(verifier *v, const char *noise, const interval *rk);
} noise_shape;
/* NULL for a name that is not known here, or NULL. */
const noise_shape *noise_shape_find(const char *name);

/* check_noise.c: noise, loss and budget of the fit. */
void check_noise_kind(verifier *v);
void check_loss(verifier *v);
void check_budget(verifier *v);
void check_beta(verifier *v);

/* check_release.c: the lattice, the weights on it, delta, and the claim in the end. */
void check_lattice(verifier *v);
void check_weights(verifier *v);
void check_delta(verifier *v);
void state_claim(verifier *v);
void state_assumptions(verifier *v);

/* ---- what several of them ask */

/* "public", "split", "stopping"; "" without a selection or where it is not clear. */
const char *selection_method(const verifier *v);
/* The epsilon of what was fitted for the file, all its classes: its share of a row's epsilon. */
bool fit_epsilon(verifier *v, const char *name, double *out);
/* Its field, without the object it stands in. */
const char *fit_epsilon_name(const verifier *v);
/* R2, a public bound on |x|_2 for every row the fit saw. */
bool row_bound(verifier *v, const char *name, double *out);
