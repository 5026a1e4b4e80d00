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
  /* The score of one outcome for data set `side`, 0 or 1; */
  dperm_status (*draw)(const attack *a, int side, random_source *source, double *score,
                       dperm_error *err);
  /* or NULL: as many at once, where they share work. */
  dperm_status (*draw_many)(const attack *a, int side, random_source *source, size_t count,
                            double *scores, dperm_error *err);
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
/* A source for this purpose: secure, or the seed's. */
dperm_status attack_source(const dperm_audit_options *options, const char *purpose,
                           random_source *out, dperm_error *err);

/* ---- what frequencies say about probabilities */

/* I_x(a, b), the distribution function of Beta(a, b), for a, b > 0. */
double beta_cdf(double x, double a, double b);

/* The probability behind `hits` of `draws` is below, above this with probability at most `rate`.
 * Also if the draws are independent but not alike and their mean probability is meant: sums of such
 * are no more spread than binomial ones (Hoeffding 1956). */
double probability_below(size_t hits, size_t draws, double rate);
double probability_above(size_t hits, size_t draws, double rate);

/* ---- what the table of audits in audit.c is made of */

/* `detail` is the case's own. Fills bound or distance and limit, confidence, draws of `out`. */
typedef dperm_status audit_function(const dperm_audit_options *options, int detail,
                                    dperm_audit_result *out, dperm_error *err);

/* Fits (fit_attack.c): of two classes, by a pair_kind and what comes with it; of three jointly, by
 * a joint_kind likewise; with gaussian noise of which columns have different shares. */
extern const char *const audit_usual_loss;
audit_function audit_fit, audit_joint, audit_ellipse;

/* A person with several records that are all alike (person_attack.c), by a dperm_neighbours. */
audit_function audit_persons;

/* Choices (choice_attack.c): selectors, by a dperm_selector; lines or bins; a temperature, by a
 * dperm_neighbours; tuning as a whole, by SPLIT or a dperm_rounds. */
enum { SPLIT = -1 };
audit_function audit_selector, audit_bins, audit_ranges, audit_columns, audit_scale, audit_width,
    audit_temperature, audit_pairs, audit_tuning;

/* A run that holds records out (held_out_attack.c), by a dperm_neighbours. */
audit_function audit_held_out;

/* Noisy counts (count_attack.c): of a refinement, by a dperm_neighbours; scores, by these flags. */
enum { SCORE_COUNTS = 1, SCORE_ADDED = 2 };
audit_function audit_refine, audit_score, audit_evaluation, audit_sums, audit_body, audit_products;

/* Checks of laws and bounds that no lower bound on ε would show at a bearable number of draws: the
 * noise and the lattice's noise against their laws, rows against their bound (law_check.c). */
audit_function audit_noise, audit_lattice, audit_rows;
