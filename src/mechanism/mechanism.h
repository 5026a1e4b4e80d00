/* The contract of a mechanism: a plan, a problem and random sources in, a solution for each of them
 * out. A mechanism draws its noise, solves until the result is certified, and knows nothing of
 * lattices, files, models or budgets. */
#pragma once

#include "mechanism/privacy_plan.h"
#include "solve/solver.h"

/* `base` describes the rows, the loss and the regularizer; the mechanism sets its model. One draw
 * from each of `count` sources: what it gives does not depend on the others, up to rounding within
 * the promise, but the work that they share is done once. `out` is written on success, and so is
 * `report` for one draw. "none" uses neither the sources nor the promise, and has one solution. */
typedef dperm_status mechanism(const privacy_plan *plan, const problem *base,
                               const solver_options *how, const promise *promised,
                               random_source *sources, size_t count, solution *out,
                               solver_report *report, dperm_error *err);

mechanism *mechanism_of(dperm_mechanism kind);
/* The one with a file of its own (descent.c). */
mechanism noisy_descent;

/* Minimizes p, from zero, until its gradient is certified to be at most `gradient`: in doubles, or
 * in twice their precision where they do not suffice. It cannot fail for what records say. */
dperm_status mechanism_solve(const problem *p, const solver_options *how, double gradient,
                             solution *out, solver_report *report, dperm_error *err);
