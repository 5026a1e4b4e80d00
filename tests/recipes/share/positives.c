/* A noisy count of the records of the positive class, the toy that tests/cli/recipes.bats adds by
 * the recipe of CONTRIBUTING.md: a record moves the count by one at most, so that discrete Laplace
 * noise at its epsilon makes it private (docs/privacy.md 8.8). */
#include "random/discrete_sampling.h"
#include "run/stage.h"

static dperm_status check(const dperm_options *options, const stage_numbers *n, dperm_error *err) {
  (void)options;
  if (n->classes != 2) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "positives is for two classes, not for %zu", n->classes);
  }
  return DPERM_OK;
}

static dperm_status run(const stage_work *w, json_t **released, dperm_error *err) {
  ranks *spread = w->view->spread;
  uint64_t count = 0;
  int64_t noisy = 0;
  dperm_status status = DPERM_OK;
  for (size_t i = 0; i < w->view->rows; i++) {
    count += w->labels[i] > 0;
  }
  TRY(ranks_add(spread, DPERM_OK, &count, 1, err));
  if (ranks_lead(spread)) {
    noisy = (int64_t)count + random_discrete_laplace(w->source, ratio_below(w->epsilon));
    status = random_check(w->source, err);
  }
  TRY(ranks_share(spread, status, &noisy, sizeof noisy, err));
  *released = json_pack("{s:I}", "positive_records", (json_int_t)noisy);
  return DPERM_OK;
}

const stage positives_stage = {.check = check, .run = run};
