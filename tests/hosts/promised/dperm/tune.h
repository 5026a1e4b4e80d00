/* dperm: tuning, a private choice among candidates. */
#ifndef DPERM_TUNE_H
#define DPERM_TUNE_H

#include "dperm.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dperm_tune_method {
  DPERM_TUNE_SPLIT = 0,    /* a disjoint portion of rows for each candidate and one to choose by */
  DPERM_TUNE_STOPPING = 1, /* random candidates for a random, secret number of rounds */
  DPERM_TUNE_PUBLIC = 2    /* choose on data that are public, then fit once */
} dperm_tune_method;
DPERM_NAMES(tune_method, dperm_tune_method, DPERM_WORDS_TUNE_METHOD)

typedef enum dperm_selector {
  DPERM_SELECTOR_PERMUTE_AND_FLIP = 0,
  DPERM_SELECTOR_EXPONENTIAL = 1 /* the paper's */
} dperm_selector;
DPERM_NAMES(selector, dperm_selector, DPERM_WORDS_SELECTOR)

typedef enum dperm_rounds {
  DPERM_ROUNDS_LOGARITHMIC = 0, /* a round runs at half of epsilon */
  DPERM_ROUNDS_GEOMETRIC = 1    /* a round runs at a third of epsilon */
} dperm_rounds;
DPERM_NAMES(rounds, dperm_rounds, DPERM_WORDS_ROUNDS)

typedef struct dperm_tune_options {
  size_t size; /* set by dperm_tune_options_init */
  dperm_tune_method method;
  dperm_selector selector;       /* split */
  dperm_rounds rounds;           /* stopping */
  double rounds_mean;            /* stopping: mean number of rounds, > 1; NaN for 3 per candidate */
  double holdout;                /* stopping, public: share of rows to choose by, in (0, 1) */
  const dperm_data *public_data; /* public: encoded as the private data are, and other records: the
                                    same ones, or mostly, end the run behind the charge */
} dperm_tune_options;

/* Split, permute-and-flip, logarithmic rounds, a holdout of 0.1. */
DPERM_OPTIONS_INIT(dperm_tune_options, DPERM_OPTIONS_TUNE)

/* Chooses among candidates and releases one model. The epsilon of the candidates, the same for all,
 * is the total: it covers the choice too. With random stopping, show nobody how often progress is
 * called: the number of rounds must stay secret. Random, threads and progress are those of the
 * first candidate. */
DPERM_API DPERM_CHECKED dperm_status dperm_tune(const dperm_data *data,
                                                const dperm_options *candidates, size_t count,
                                                const dperm_tune_options *how, dperm_model **out,
                                                dperm_error *err);

#ifdef __cplusplus
}
#endif
#endif
