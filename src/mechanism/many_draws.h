/* The mechanisms for many draws of the noise on the same rows: what a mechanism's run gives, again
 * and again, with the work that the draws share done once (solve/many.h). Each draw has its own
 * random source, and uses it as a run alone would. */
#ifndef DPERM_MECHANISM_MANY_DRAWS_H
#define DPERM_MECHANISM_MANY_DRAWS_H

#include "mechanism/mechanism.h"

/* `count` draws: f and rest have dims numbers for each. `start`: for objective perturbation, f has
 * solutions of the same draws under another plan, to begin with; else it need not hold anything. */
typedef struct many_solutions {
  double *f, *rest;
  bool start;
} many_solutions;

dperm_status many_output(const privacy_plan *plan, const problem *base, const solver_options *how,
                         const promise *promised, random_source *sources, size_t count,
                         many_solutions *out, dperm_error *err);
dperm_status many_objective(const privacy_plan *plan, const problem *base,
                            const solver_options *how, const promise *promised,
                            random_source *sources, size_t count, many_solutions *out,
                            dperm_error *err);

#endif
