/* The seam of an audit: two neighbouring data sets, a mechanism, and for each outcome a score, high
 * where the first data set is more likely, low where the second is. What is done with the
 * scores is the same for all (attack.c): an attacker that guesses from them which data set it was,
 * or abstains, is right at most e^ε times as often as wrong. */
#pragma once

#include "dperm/audit.h"
#include "random/random_source.h"

enum { ATTACK_BLOCK = 4096 };

typedef struct attack attack;
struct attack {
  const void *context;
  double delta;       /* of the claim */
  size_t usual_draws; /* on each side, at an epsilon of 1 or more */
  size_t block;       /* draws that share a random source, at most ATTACK_BLOCK */
  /* One outcome for data set `side`, 0 or 1: its score, and a number to draw a picture of. */
  dperm_status (*draw)(const attack *a, int side, random_source *source, double *score,
                       double *outcome, dperm_error *err);
  /* Or NULL: as many at once, where they share work. */
  dperm_status (*draw_many)(const attack *a, int side, random_source *source, size_t count,
                            double *scores, double *outcomes, dperm_error *err);
};

/* Guess the first data set for scores ≥ `first`, the second for scores ≤ `second`. */
typedef struct guess_rule {
  double first, second;
} guess_rule;

/* The rule with the best lower bound to be expected at `draws` more on each side, for a claim with
 * this delta; sorts both samples of scores. */
guess_rule guess_rule_choose(double *first, double *second, size_t count, size_t draws,
                             double delta);

/* How often the rule was right and wrong, and among how many draws each. */
typedef struct guesses {
  size_t right, wrong, draws;
} guesses;
void guess(const guess_rule *rule, int side, double score, guesses *counts);

/* Fills bound, confidence and draws: ε is at least the bound, or something happened whose
 * probability is at most 1 − confidence. */
void guesses_judge(const guesses *counts, double delta, size_t draws, dperm_audit_result *out);

/* As many draws as the options ask for; if they leave it open `usual`, or up to ten times as many
 * at a small epsilon, where the difference to see is small. */
size_t attack_draws(const dperm_audit_options *options, size_t usual);
/* Chooses a rule by a first sample, then fills bound, confidence and draws of `out`. */
dperm_status attack_run(const attack *a, const dperm_audit_options *options,
                        dperm_audit_result *out, dperm_error *err);
