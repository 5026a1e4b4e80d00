/* dperm: audits of this build. */
#ifndef DPERM_AUDIT_H
#define DPERM_AUDIT_H

#include "dperm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Attacks this very build (docs/audit.md): its own fits, on the worst pairs of neighbouring data
 * sets that are known, give a lower bound on the epsilon that it really has. Looks at no records of
 * anybody's. */
typedef struct dperm_audit_options {
  size_t size;           /* set by dperm_audit_options_init */
  const char *mechanism; /* one of those that dperm_audit_case names */
  const char *variant;   /* the loss, for fits; NULL for the first there is */
  double epsilon;        /* the claim to attack */
  size_t draws;          /* for each of the two data sets; 0 for as many as it usually takes */
  int threads;           /* 0: DPERM_THREADS, or one a processor (dperm.h) */
  const uint64_t *seed;  /* NULL for the system's secure source, which is what fits use */
  dperm_progress progress;
  double *delta_claimed; /* space for the delta of the claim, NaN for a test of a law; or NULL */
  double delta; /* of a claim of gaussian noise, below 1; 0 for the usual one, others have none */
} dperm_audit_options;

typedef struct dperm_audit_result {
  const char *mechanism, *variant;
  double epsilon_claimed;
  double epsilon_lower_bound; /* the true epsilon is at least this; NaN for a test of a law */
  double confidence;          /* with which that, or the law's limit, holds */
  size_t draws;               /* for each data set */
  double distance, limit;     /* a test of a law: draws further from it than this are no chance */
  bool holds;                 /* else the claim is refuted */
} dperm_audit_result;

/* Objective perturbation, epsilon 1. */
DPERM_OPTIONS_INIT(dperm_audit_options, DPERM_OPTIONS_AUDIT)
/* The audits there are, by number from 0; false past the last. */
DPERM_API bool dperm_audit_case(size_t index, const char **mechanism, const char **variant);
DPERM_API DPERM_CHECKED dperm_status dperm_audit_run(const dperm_audit_options *options,
                                                     dperm_audit_result *out, dperm_error *err);
/* The same bound for anybody's mechanism: `count` outcomes of `dims` numbers for each of two
 * neighbouring data sets, drawn independently. A tenth of them choose what to look at. The claim is
 * (epsilon, delta). */
DPERM_API DPERM_CHECKED dperm_status dperm_audit_outcomes(const double *first, const double *second,
                                                          size_t count, size_t dims, double epsilon,
                                                          double delta, dperm_audit_result *out,
                                                          dperm_error *err);

#ifdef __cplusplus
}
#endif
#endif
