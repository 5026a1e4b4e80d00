/* What a sweep's journal is known by: a cell, told by what it will do. */
#include <string.h>

#include "pipeline/sweep_parts.h"

static void digest_number(crypto_generichash_state *state, double number) {
  (void)crypto_generichash_update(state, (const unsigned char *)&number, sizeof number);
}

void sweep_digest_text(crypto_generichash_state *state, const char *text) {
  (void)crypto_generichash_update(state, (const unsigned char *)text, strlen(text) + 1);
}

/* A cell by what it will do: the plan says all that options and public numbers lead to. */
void sweep_digest_cell(crypto_generichash_state *state, const sweep_cell *cell, size_t classes) {
  const dperm_options *o = &cell->options;
  const double numbers[] = {(double)o->mechanism,
                            o->loss.parameter,
                            o->loss.lipschitz,
                            o->loss.smoothness,
                            o->gradient_tolerance,
                            (double)o->kernel.name,
                            o->kernel.gamma,
                            (double)o->kernel.seed,
                            (double)o->kernel.features,
                            (double)o->kernel.independent,
                            (double)cell->models};
  sweep_digest_text(state, o->loss.name);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    digest_number(state, numbers[i]);
  }
  for (size_t v = 0; v < 2 && !cell->impossible; v++) {
    const fit_plan *plan = &cell->plan[v];
    bool noisy = o->mechanism != DPERM_MECHANISM_NONE;
    digest_number(state, plan->privacy.lambda);
    digest_number(state, noisy ? plan->privacy.delta_reg : 0);
    digest_number(state, noisy ? plan->privacy.noise.beta : 0);
    digest_number(state, noisy ? plan->release.promised.gradient : 0);
    digest_number(state, noisy ? (double)plan->release.step_exponent : 0);
    sweep_digest_text(state, noisy ? plan->privacy.noise.kind->name : "");
  }
  if (cell->class_weights) {
    sweep_digest_text(state, "class weights");
  }
  for (size_t i = 0; cell->class_weights && i < classes; i++) {
    digest_number(state, cell->class_weights[i]);
  }
}
