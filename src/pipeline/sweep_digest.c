/* The digest that a sweep's journal is known by. */
#include <sodium.h>
#include <string.h>

#include "data/identity.h"
#include "pipeline/sweep_run.h"

typedef crypto_generichash_state digest_state;

static void add_bytes(digest_state *state, const void *bytes, size_t count) {
  (void)crypto_generichash_update(state, bytes, count);
}

static void add_number(digest_state *state, double number) {
  add_bytes(state, &number, sizeof number);
}

/* A text with its end. */
static void add_text(digest_state *state, const char *text) {
  add_bytes(state, text, strlen(text) + 1);
}

/* The rows as they are encoded, not the file that they came from: a schema changes them. */
static dperm_status add_rows(digest_state *state, const dperm_data *data, dperm_error *err) {
  unsigned char identity[IDENTITY_SIZE];
  TRY(identity_of_stripes(data, identity, err));
  add_bytes(state, identity, sizeof identity);
  return DPERM_OK;
}

/* A cell by what it will do: the plan says all that options and public numbers lead to. */
static void add_cell(digest_state *state, const sweep_cell *cell, size_t classes) {
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
  add_text(state, o->loss.name);
  add_bytes(state, numbers, sizeof numbers);
  for (size_t v = 0; v < 2 && !cell->impossible; v++) {
    const fit_plan *plan = &cell->plan[v];
    bool noisy = o->mechanism != DPERM_MECHANISM_NONE;
    add_number(state, plan->privacy.lambda);
    add_number(state, noisy ? plan->privacy.delta_reg : 0);
    add_number(state, noisy ? plan->privacy.noise.beta : 0);
    add_number(state, noisy ? plan->release.promised.gradient : 0);
    add_number(state, noisy ? (double)plan->release.step_exponent : 0);
    add_text(state, noisy ? plan->privacy.noise.kind->name : "");
  }
  if (cell->class_weights) {
    add_text(state, "class weights");
    add_bytes(state, cell->class_weights, classes * sizeof *cell->class_weights);
  }
}

dperm_status sweep_digest(const sweep *s, unsigned char out[SWEEP_DIGEST_SIZE], dperm_error *err) {
  digest_state state;
  const uint64_t sizes[] = {
      s->split.folds, s->how->draws, s->how->seed, s->count, s->how->test_data != NULL, s->parts};
  if (sodium_init() < 0) {
    FAIL(err, DPERM_UNSUPPORTED, "libsodium could not start; check the installation");
  }
  (void)crypto_generichash_init(&state, NULL, 0, SWEEP_DIGEST_SIZE);
  add_text(&state, "dperm sweep 1");
  add_text(&state, dperm_version());
  add_bytes(&state, sizes, sizeof sizes);
  TRY(add_rows(&state, s->data, err));
  if (s->how->test_data) {
    TRY(add_rows(&state, s->how->test_data, err));
  }
  for (size_t c = 0; c < s->count; c++) {
    add_cell(&state, &s->cells[c], data_class_count(s->data));
  }
  (void)crypto_generichash_final(&state, out, SWEEP_DIGEST_SIZE);
  return DPERM_OK;
}
