/* Objective perturbation's price: ε as a function of A = β·R_K (privacy.md 4),
 *
 *   ε(A) = A·L + sup_u [ A·s(u) + log(1 + κ·a(u)) ],   κ = R₂²/λ,
 *
 * in closed form where the loss allows it. Everything here is public. */
#pragma once

#include "base/status.h"

/* At least ε(A), and within a relative 1e-11 of it. */
double epsilon_of(const dperm_loss *loss, double kappa, double a);

/* The largest A, rounded down, with ε(A) ≤ epsilon; 0 if there is none above 0. */
double epsilon_invert(const dperm_loss *loss, double kappa, double epsilon);
