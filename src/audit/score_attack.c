/* Private scores. A record that the model gets wrong is in the first data set; in the second it is
 * replaced by one that it gets right, or there is none at all (neighbours add-remove). A noisy
 * count that is 1 in the one and 0 in the other is at least 1 e^rate times as often in the first,
 * and any other value as much less often. Replaced: the number of errors moves alone, at a rate of
 * ε, or two of the four counts at ε/2 each. Added: one count of two or four, at ε. All of it
 * exactly tight. The score counts them; with add-remove it also looks at how many records there
 * seem to be, which may tell no more (docs/proofs/neighbours.md 8). What runs is the library's own
 * score, from the model's margins to the noise. */
#include "audit/attack.h"
#include "audit/audit_cases.h"
#include "data/dataset.h"
#include "dperm/score.h"
#include "random/random_source.h"

typedef struct score_target {
  dperm_model *model;
  dperm_data *data[2];
  dperm_score_options how;
} score_target;

static void free_target(score_target *t) {
  dperm_model_free(t->model);
  dperm_data_free(t->data[0]);
  dperm_data_free(t->data[1]);
}

/* A model whose weight is positive: it takes x = 1 for the positive class. */
static dperm_status sign_model(dperm_model **out, dperm_error *err) {
  const double x = 1, label = 1;
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  dperm_options options;
  dperm_options_init(&options);
  options.mechanism = DPERM_MECHANISM_NONE;
  options.lambda = 1;
  options.threads = 1;
  TRY(dperm_data_from_dense(1, 1, &x, &label, 1, &data, err));
  return dperm_train(data, &options, out, err);
}

static double score_replaced(const dperm_private_score *p, bool counts) {
  return counts ? (p->false_positives >= 1) - (p->true_positives >= 1) : p->errors >= 1;
}

static double score_added(const dperm_private_score *p, bool counts) {
  int64_t moved = counts ? p->false_positives : p->errors;
  return 2 * (moved >= 1) + (p->errors + p->correct >= 1 || p->rows >= 1);
}

static dperm_status draw_score(const attack *a, int side, random_source *source, double *score,
                               double *outcome, dperm_error *err) {
  const score_target *t = a->context;
  dperm_random random = {*source};
  dperm_score_options how = t->how;
  dperm_private_score found;
  how.random = &random;
  dperm_status status = dperm_model_score_private(t->model, t->data[side], &how, &found, err);
  *source = random.source;
  TRY(status);
  *score = how.neighbours == DPERM_NEIGHBOURS_ADD_REMOVE ? score_added(&found, how.counts)
                                                         : score_replaced(&found, how.counts);
  *outcome = (double)found.errors;
  return DPERM_OK;
}

dperm_status audit_score(const dperm_audit_options *options, int detail, dperm_audit_result *out,
                         dperm_error *err) {
  bool adding = (detail & SCORE_ADDED) != 0;
  const double x = 1, wrong = -1, right = 1;
  OWNED(free_target) score_target t = {.model = NULL};
  TRY(sign_model(&t.model, err));
  TRY(dperm_data_from_dense(1, 1, &x, &wrong, 1, &t.data[0], err));
  TRY(dperm_data_from_dense(adding ? 0 : 1, 1, &x, &right, 1, &t.data[1], err));
  dperm_score_options_init(&t.how);
  t.how.epsilon = options->epsilon;
  t.how.public_model = true;
  t.how.counts = (detail & SCORE_COUNTS) != 0;
  t.how.neighbours = adding ? DPERM_NEIGHBOURS_ADD_REMOVE : DPERM_NEIGHBOURS_REPLACE;
  const attack a = {.context = &t, .usual_draws = 200000, .block = 1024, .draw = draw_score};
  return attack_run(&a, options, out, err);
}
