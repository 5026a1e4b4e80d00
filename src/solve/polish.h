/* The solver's last resort: descent with gradients in twice the precision, for problems whose
 * gradient in doubles cannot be certified to be as small as the release promises. Slow, never
 * stuck. */
#pragma once

#include "solve/problem.h"
#include "solve/solver_options.h"

/* Moves f + rest (wide) from where it stands to a place where the
 * gradient is certified to be at most `target`. It ends for every set of records if target is at
 * least eight times the evaluation's error there (privacy.md 6 has the proof); with a custom loss
 * or regularizer that lies about itself it may not, so the caller's progress can stop it. Fails
 * only where something is not a number. */
dperm_status polish(const problem *p, double target, const solver_options *options, double *f,
                    double *rest, solver_report *report, dperm_error *err);
