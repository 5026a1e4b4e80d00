/* A model's errors in private. Replacing a record changes the number of errors by at most one, and
 * at most two of the four confusion counts by one each; discrete Laplace noise of rate epsilon, or
 * epsilon/2 on each count, makes that epsilon-private (privacy.md 8.8), drawn with integers only.
 * All else that is released is computed from the noisy counts.
 *
 * A record that is added or removed changes one count by one, of what is wrong and what is right,
 * or of the four: noise of rate epsilon on each (docs/proofs/neighbours.md 8). How many records
 * there are is in none of what is released but through these. */
#include <sodium.h>
#include <stdio.h>

#include "base/defect.h"
#include "base/options_defaults.h"
#include "dperm/score.h"
#include "run/account.h"
#include "run/fit.h"
#include "run/options.h"
#include "score/error_interval.h"
#include "score/score_request.h"

/* What must not leave. */
typedef struct confusion {
  size_t classes, rows;
  int64_t counts[4]; /* true positives, false positives, false negatives, true negatives; of more
                        than two classes what is right and wrong stands in the first two */
} confusion;

static const sized_struct score_struct = SIZED_STRUCT(dperm_private_score, true_negatives);

static void count_rows(confusion *c, const double *scores, const double *labels) {
  for (size_t i = 0; i < c->rows; i++) {
    size_t winner = model_winner(c->classes, scores + i * class_fits(c->classes));
    bool wrong = class_label(c->classes, winner) != labels[i];
    c->counts[c->classes > 2 || winner == 1 ? wrong : 3 - wrong]++;
  }
}

/* ---- noise */

static guarantee claim_of(const dperm_score_options *o) {
  return guarantee_of_counts(o->epsilon, o->rows_per_person, o->counts != 0, o->neighbours);
}

static bool adding(const dperm_score_options *o) {
  return o->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
}

static ratio noise_rate(const dperm_score_options *o) {
  return ratio_below(claim_of(o).epsilon_class);
}

/* Before anything is charged: what is asked for, and that the caller's struct holds the answer. */
static dperm_status take_options(const dperm_model *model, const dperm_score_options *given,
                                 size_t size, dperm_score_options *out, dperm_error *err) {
  TRY(sized_check(&score_struct, 0, size, err));
  TRY(options_take(DPERM_OPTIONS_SCORE, given, out, err));
  FAIL_IF(label_range_known(model->range), err, DPERM_UNSUPPORTED,
          "a count of errors is of classes, and the model predicts numbers; ask for all of an "
          "evaluation");
  FAIL_IF(
      out->counts && model->classes.count > 2, err, DPERM_INVALID_ARGUMENT,
      "the four confusion counts are for two classes, the model has %zu; ask for the error alone",
      model->classes.count);
  TRY(score_check(model, out, err));
  FAIL_IF(!(out->epsilon > 0 && out->epsilon < 1e6) || ratio_value(noise_rate(out)) < 1e-12, err,
          DPERM_INVALID_ARGUMENT,
          "epsilon = %g; it must be positive, below 1e6, and leave at least 1e-12 for each count",
          out->epsilon);
  return DPERM_OK;
}

/* Of the class that seems rarer, whose records are the errors of always naming the other one. */
static void add_baseline(const int64_t noisy[4], const noisy_counts *found,
                         dperm_private_score *out) {
  const int64_t positives = noisy[0] + noisy[2], negatives = noisy[1] + noisy[3];
  const bool often = positives > negatives;
  noisy_counts rarer = *found;
  rarer.errors = often ? negatives : positives;
  rarer.correct = often ? positives : negatives;
  const error_interval sample = sample_interval(&rarer);
  out->baseline_class = often;
  const double rate = noisy_rate(&rarer);
  out->baseline = rate > 0.5 ? 0.5 : rate; /* of the rarer one, or NaN */
  out->baseline_low = fmin(sample.low, 0.5);
  out->baseline_high = fmin(sample.high, 0.5);
}

/* For replaced records the number of rows is public: no count needs noise but that of errors. */
static dperm_private_score add_noise(const confusion *c, const dperm_score_options *o,
                                     const guarantee *claim, random_source *source) {
  ratio rate = noise_rate(o);
  int64_t noisy[4] = {0}, errors = 0, correct = 0;
  for (int i = 0; o->counts && i < 4; i++) {
    noisy[i] = c->counts[i] + random_discrete_laplace(source, rate);
  }
  if (o->counts) {
    errors = noisy[1] + noisy[2];
    correct = noisy[0] + noisy[3];
  } else {
    errors = c->counts[1] + c->counts[2] + random_discrete_laplace(source, rate);
    correct = !adding(o) || DEFECT("score-rows")
                  ? (int64_t)c->rows - errors
                  : c->counts[0] + c->counts[3] + random_discrete_laplace(source, rate);
  }
  const noisy_counts found = {errors, correct, adding(o) ? 0 : c->rows, ratio_value(rate),
                              o->counts ? 2 : 1};
  const error_interval sample = sample_interval(&found), all = population_interval(&found);
  dperm_private_score out = {.is_private = guarantee_is_private(claim),
                             .errors = errors,
                             .correct = correct,
                             .true_positives = noisy[0],
                             .false_positives = noisy[1],
                             .false_negatives = noisy[2],
                             .true_negatives = noisy[3],
                             .rows = found.rows,
                             .error_rate = noisy_rate(&found),
                             .low = sample.low,
                             .high = sample.high,
                             .population_low = all.low,
                             .population_high = all.high,
                             .baseline = (double)NAN,
                             .baseline_low = (double)NAN,
                             .baseline_high = (double)NAN};
  if (o->counts) {
    add_baseline(noisy, &found, &out);
  }
  return out;
}

/* ---- the release */

/* What the commit notes: the released integers, one a line (docs/formats.md). */
static void score_digest(const dperm_private_score *s, const dperm_score_options *o,
                         char out[DPERM_DIGEST_SIZE]) {
  char text[256];
  unsigned char hash[32];
  int used = adding(o) ? snprintf(text, sizeof text, "dperm-score/2\n%lld\n%lld\n",
                                  (long long)s->correct, (long long)s->errors)
                       : snprintf(text, sizeof text, "dperm-score/1\n%zu\n%lld\n", s->rows,
                                  (long long)s->errors);
  if (o->counts) {
    used += snprintf(text + used, sizeof text - (size_t)used, "%lld\n%lld\n%lld\n%lld\n",
                     (long long)s->true_positives, (long long)s->false_positives,
                     (long long)s->false_negatives, (long long)s->true_negatives);
  }
  (void)crypto_generichash(hash, sizeof hash, (const unsigned char *)text, (unsigned long long)used,
                           NULL, 0);
  (void)sodium_bin2hex(out, DPERM_DIGEST_SIZE, hash, sizeof hash);
}

/* Pay, draw, commit. After a failure `out` must not leave. */
static dperm_status pay_and_draw(const account_run *run, dperm_charge *charge, const confusion *c,
                                 const dperm_score_options *o, random_source *source,
                                 dperm_private_score *out, dperm_error *err) {
  char digest[DPERM_DIGEST_SIZE];
  *out = (dperm_private_score){0};
  TRY(account_reserve(run, charge, err));
  if (o->account.dry_run) {
    return DPERM_OK;
  }
  *out = add_noise(c, o, &run->claim, source);
  TRY(random_check(source, err));
  score_digest(out, o, digest);
  return account_commit(run, charge, digest, err);
}

/* The release of these counts, into the caller's struct of this size. */
static dperm_status release_counts(const confusion *c, const dperm_model *model,
                                   const dperm_data *data, unsigned reasons,
                                   const dperm_score_options *o, dperm_private_score *out,
                                   size_t size, dperm_error *err) {
  OWNED(random_wipe) random_source own = {0};
  random_source *source = NULL;
  dperm_charge charge = {.entry = 0};
  dperm_private_score made;
  TRY(random_given(o->random, &own, &source, err));
  reasons |= score_reasons(model, o, source);
  account_run run = {.account = &o->account,
                     .command = "score",
                     .mechanism = o->counts ? "discrete laplace, counts" : "discrete laplace",
                     .data = data,
                     .claim = guarantee_with(claim_of(o), reasons)};
  run.claim.person_rows = data->persons != NULL; /* of whom one record counts */
  TRY(account_failed(&charge, pay_and_draw(&run, &charge, c, o, source, &made, err), err));
  sized_give(&score_struct, &made, out, size);
  return DPERM_OK;
}

/* ---- from memory and from files */

static dperm_status score_data(const dperm_model *model, const dperm_data *data, unsigned reasons,
                               const dperm_score_options *o, dperm_private_score *out, size_t size,
                               dperm_error *err) {
  OWNED(dperm_data_free_at) dperm_data *part = NULL, *once = NULL;
  OWNED_MEMORY double *scores = NULL;
  const dperm_data *scored = NULL;
  confusion c = {.classes = model->classes.count};
  TRY(adding(o) ? DPERM_OK : data_check_any(data, err));
  TRY(model_check_classes(model, err));
  TRY(data_check_labels(data, c.classes, err));
  TRY(check_rows_public(data, err));
  TRY(score_records(model, data, o, &part, &scored, err));
  TRY(data_once(scored, &once, &scored, err)); /* a person counts once */
  c.rows = scored->x->rows;
  TRY(memory_new(c.rows * class_fits(c.classes), sizeof *scores, &scores, err));
  TRY(dperm_model_scores(model, scored, scores, err));
  count_rows(&c, scores, scored->labels);
  TRY(data_unchanged(data, err));
  return release_counts(&c, model, data, reasons, o, out, size, err);
}

dperm_status dperm_model_score_private_sized(const dperm_model *model, const dperm_data *data,
                                             const dperm_score_options *given,
                                             dperm_private_score *out, size_t size,
                                             dperm_error *err) {
  dperm_score_options options;
  TRY(take_options(model, given, size, &options, err));
  return score_data(model, data, data_reasons(data), &options, out, size, err);
}

dperm_status dperm_score_file_private_sized(const dperm_model *model, const dperm_source *source,
                                            const dperm_score_options *given,
                                            dperm_private_score *out, size_t size,
                                            dperm_error *err) {
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  dperm_score_options options;
  dperm_source filled;
  TRY(take_options(model, given, size, &options, err));
  TRY(model_source(model, source, &filled, err));
  filled.may_be_empty |= adding(&options); /* that there are none is private too */
  TRY(dperm_data_read(&filled, &options.progress, &data, err));
  return score_data(model, data, 0, &options, out, size, err);
}
