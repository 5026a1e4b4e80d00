/* The groups of lines that a claim consists of, in the order in which they are reported. Each reads
 * the fields it needs itself, so that one bad field spoils the lines that rest on it alone. */
#pragma once

#include "verify/composed_bound.h"
#include "verify/finding.h"

/* check_shares.c: for whom the claim is, and what several classes cost. */
void check_unit(verifier *v);
void check_classes(verifier *v);
/* What was released for shares of epsilon after the fit, and that the claim counts them. */
void check_spent_shares(verifier *v);
/* What epsilon is made of, where it is clear. */
typedef struct epsilon_parts {
  unsigned long long rows; /* of a unit */
  interval fits;           /* what all of them have for what was fitted */
  interval after_fit;      /* what other shares cost together, */
  double refined, whole;   /* and the schema's refinement, 0 where there is none; all of epsilon */
  double composed;         /* of the refinement, if the fit has that as well */
} epsilon_parts;
bool read_parts(verifier *v, const char *name, epsilon_parts *out);
/* The field of what the refinement cost. */
const char *refined_cost(const verifier *v);
/* That no class counts for more than the loss's constants allow. */
void check_class_weights(verifier *v);

/* The rows that one person may have: 1 where the file does not say. */
bool unit_rows(verifier *v, const char *name, unsigned long long *out);
/* Whether the claim is for persons with several rows. */
bool unit_is_person(const verifier *v);
/* The most records of a person that count, as one together; 0 where each counts by itself. */
unsigned long long person_rows(const verifier *v);
/* The vectors of weights, and of noise, that the classes take: 1 for two of them, else one each. */
size_t class_fits_of(const verifier *v);
/* Whether they are learned in one fit; files from before that was possible do not say. */
bool classes_joint(const verifier *v);
/* The field of epsilon left for one row; of that for all fits of the file; of that for one fit. */
const char *row_epsilon(const verifier *v);
const char *fit_epsilon(const verifier *v);
const char *class_epsilon(const verifier *v);
/* One line, "WHAT = sum <= FIELD = its number": whether that is so, and `also`. */
bool finding_covered(verifier *v, const char *line, bool also, interval sum, const char *within,
                     const char *format, ...) __attribute__((format(printf, 6, 7)));

/* check_intervals.c: whether what was released for intervals is that, in words. */
enum { SHARE_WORDS = 240 };
bool intervals_known(verifier *v, char words[SHARE_WORDS]);

/* check_rows.c: the bound on rows, n, and what the selection costs.
 *
 * Whether records are added and removed; then n is private, and a public figure near it stands in
 * the file and in every formula (docs/proofs/neighbours.md). */
bool by_adding(const verifier *v);
/* The field that holds n of the file, and of the fit. */
const char *rows_field(const verifier *v);
const char *fitted_field(const verifier *v);
void check_norm(verifier *v);
void check_missing_values(verifier *v);
void check_rows(verifier *v);
void check_selection(verifier *v);
/* R2, a public bound on |x|_2 for every row the fit saw. */
bool row_bound(verifier *v, const char *name, double *out);
/* Whether the selection is by this method: "public", "split", "stopping". */
bool selected_by(const verifier *v, const char *method);

/* check_evaluation.c: records that were held out, and what evaluating on them cost. */
void check_evaluation(verifier *v);
/* How many of so many rows were held out, or about so many; 0 where none were. */
unsigned long long held_out_of(const verifier *v, unsigned long long rows);
/* What the evaluation cost a record that it saw; 0 where there is none. */
bool evaluation_epsilon(verifier *v, const char *name, double *out);

/* check_figures.c: the figures and words of that evaluation; check_number_figures.c: of a
 * regression's. */
void check_evaluation_figures(verifier *v);
void check_number_figures(verifier *v, const json_t *evaluation);

/* check_refined.c: what a refinement of the schema cost, and that the claim counts it. */
void check_refined(verifier *v);
/* What is composed with the fit instead of adding to it (privacy.composed). */
typedef struct composed_steps {
  step_law law;
  double kappa[2], reach[2]; /* of fits without counts and with them, at most; 0 where none are */
  bool counted;              /* the file's own is one with counts */
} composed_steps;
bool read_composed(verifier *v, const char *name, composed_steps *out);

/* check_shape.c: the rows in the norm of the noise. */
void check_shape(verifier *v);
/* Weights that no fit has: those of crosses that were added after it, before the intercept's. */
unsigned long long added_weights(const verifier *v);
/* Whether rows of a schema end in a constant column. */
bool has_intercept(const json_t *schema);
/* A kind of noise: density ~ exp(-beta |b|_K) for a norm K. */
typedef struct noise_shape {
  const char *name;
  bool output;   /* allowed for output perturbation, where only |f - f'|_2 is known */
  bool gaussian; /* density ~ exp(-(beta |b|_K)^2/2) instead, which costs a delta */
  /* R_K, a bound on |x|_K for every row, from R2 and the file; false where it is not clear. */
  bool (*row_bound)(verifier *v, interval r2, interval *out);
  const char *line; /* about it; NULL for none, where R_K is R2 itself */
} noise_shape;
/* NULL for a name that is not known here, or NULL. */
const noise_shape *noise_shape_find(const char *name);

/* check_noise.c: noise, loss and budget of the fit. */
void check_noise_kind(verifier *v);
void check_descent(verifier *v);
void check_loss(verifier *v);
void check_budget(verifier *v);
void check_beta(verifier *v);
/* What the noise of a fit costs of delta, 0 for pure noise; false where it is not clear. */
bool noise_delta(verifier *v, interval *out);
/* What its loss of privacy is like, if it is gaussian; false for pure noise or where unclear. */
bool noise_profile_of(verifier *v, noise_profile *out);

/* check_release.c: the lattice, the weights on it, delta, and the claim in the end. */
void check_lattice(verifier *v);
void check_weights(verifier *v);
void check_delta(verifier *v);
void state_claim(verifier *v);
void state_assumptions(verifier *v);

/* check_charge.c: whether the entry that paid for the model paid enough. */
void check_charge(verifier *v, const charged_entry *paid);
