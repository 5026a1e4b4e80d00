/* Objective perturbation's price: ε as a function of A = β·R_K (privacy.md 4),
 *
 *   ε(A) = A·L + sup_u [ A·s(u) + log(1 + κ·a(u)) ],   κ = R₂²/λ,
 *
 * in closed form where the loss allows it; the supremum alone where records are added or removed,
 * as then one gradient moves and not two (docs/proofs/neighbours.md). With softmax slopes are added
 * up over the k scores, whose noise is independent, L is 2 there and 1 + κ·a the determinant of
 * I + κ(Diag(p) − ppᵀ) (docs/proofs/softmax.md). Everything here is public. */
#pragma once

#include "base/status.h"

/* At least ε(A), and within a relative 1e-11 of it. */
double epsilon_of(const dperm_loss *loss, dperm_neighbours neighbours, double kappa, double a);

/* A bound on a record's slopes by its scores, added up: L for one score. 2A times it is the most
 * that two gradients cost. */
double epsilon_slope_sum(const dperm_loss *loss);

/* There is an A above 0 only for κ·c below this, up to rounding. */
double epsilon_most_kappa(const dperm_loss *loss, double epsilon);

/* The largest A, rounded down, with ε(A) ≤ epsilon; 0 if there is none above 0. */
double epsilon_invert(const dperm_loss *loss, dperm_neighbours neighbours, double kappa,
                      double epsilon);

/* The same for a person of whom so many records count together as one (docs/proofs/persons.md): the
 * gradients are averages, and the determinants add up, ε = K·ε(A/K) at κ/K. */
double epsilon_of_persons(const dperm_loss *loss, dperm_neighbours neighbours, size_t records,
                          double kappa, double a);
double epsilon_most_kappa_persons(const dperm_loss *loss, size_t records, double epsilon);
double epsilon_invert_persons(const dperm_loss *loss, dperm_neighbours neighbours, size_t records,
                              double kappa, double epsilon);

/* The gradients by which the noise of two neighbours may differ: 2, or 1 of a record added. */
double neighbours_gradients(dperm_neighbours neighbours);
