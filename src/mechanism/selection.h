/* Private selection: choosing among candidates by their error counts, each of which one record
 * changes by at most one. All choices are made with integers (random/discrete_sampling.h). */
#pragma once

#include "privacy/guarantee.h"
#include "random/discrete_sampling.h"

/* Index i with probability ∝ exp(−ε z_i/(2·sensitivity)): ε-differentially private where one record
 * changes each cost by at most `sensitivity` (below 2^36). */
size_t select_exponential(random_source *source, const uint64_t *costs, size_t count, ratio epsilon,
                          uint64_t sensitivity);

/* Permute-and-flip (McKenna & Sheldon 2020): candidates in random order, the first that is
 * accepted, i with probability exp(−ε(z_i − z_min)/(2·sensitivity)), where one record changes each
 * cost by at most `sensitivity` (below 2^36). ε-differentially private, never worse in expectation.
 * `order` has `count` places. */
size_t select_permute_and_flip(random_source *source, const uint64_t *costs, size_t count,
                               ratio epsilon, uint64_t sensitivity, size_t *order);

/* Where `count` ≤ CROSSINGS_MOST rising numbers of records cross a share of all: i, from 0 to
 * count, for counts[i − 1] at most that and counts[i] at least. By permute-and-flip, where i costs
 * the records that it misses by, times `under`. One record may move each number by one
 * (docs/proofs/bins.md, Lemma W). */
enum { CROSSINGS_MOST = 1023 };
typedef struct share_of_all {
  unsigned over, under;
} share_of_all;
size_t select_crossing(random_source *source, const uint64_t *counts, size_t count, size_t rows,
                       share_of_all share, dperm_neighbours neighbours, double epsilon);

/* With probability 1 − δ the chosen candidate has at most (2/ε)·ln((m−1)/δ) errors more than the
 * best (privacy.md 7); 0 for one candidate. */
double selection_bound(size_t candidates, double epsilon, double delta);

/* ---- random stopping: how many rounds */

/* Geometric: P(K = k) = γ(1−γ)^(k−1), γ = 1/mean. Total cost 3 times a round's. */
uint64_t rounds_geometric(random_source *source, ratio mean);
/* Logarithmic: P(K = k) ∝ (1−γ)^k/k. Total cost twice a round's. */
uint64_t rounds_logarithmic(random_source *source, ratio one_minus_gamma);
/* The 1−γ at which the logarithmic law has this mean (> 1). */
double logarithmic_parameter(double mean);

/* The law that is drawn from: integers cannot hold every mean, and delta counts the rounds that are
 * played, not those that were asked for. */
typedef struct rounds_law {
  rounds_kind kind;
  ratio parameter; /* the mean of a geometric law, 1 − γ of a logarithmic one */
  double mean;     /* with that parameter, rounded up */
} rounds_law;
rounds_law rounds_law_near(rounds_kind kind, double mean);
uint64_t rounds_draw(random_source *source, const rounds_law *law);
