/* See options.h. */
#include "run/options.h"

#include <math.h>

#include "base/defect.h"
#include "base/functions.h"
#include "base/norm_upper.h"
#include "data/dataset.h"
#include "evaluate/evaluation.h"
#include "loss/link.h"
#include "loss/loss.h"
#include "privacy/guarantee.h"
#include "random/noise.h"
#include "release/numerics.h"
#include "schema/class_list.h"
#include "solve/certify.h"

dperm_status check_choice(bool known, const char *what, unsigned number, dperm_error *err) {
  FAIL_IF(!known, err, DPERM_INVALID_ARGUMENT, "there is no %s number %d", what, (int)number);
  return DPERM_OK;
}

static dperm_status check_positive(const char *what, double value, dperm_error *err) {
  FAIL_IF(!(value > 0 && isfinite(value)), err, DPERM_INVALID_ARGUMENT,
          "%s = %g; it must be positive and finite", what, value);
  return DPERM_OK;
}

dperm_status check_threads(int threads, dperm_error *err) {
  FAIL_IF(threads < 0 || threads > 4096, err, DPERM_INVALID_ARGUMENT,
          "%d threads; give 1 to 4096, or 0 for all cores", threads);
  return DPERM_OK;
}

dperm_status check_rows_per_person(size_t rows, dperm_error *err) {
  enum { MOST = 1000000 };
  FAIL_IF(rows < 1 || rows > MOST, err, DPERM_INVALID_ARGUMENT,
          "%zu rows per person; give from 1 to %d", rows, MOST);
  return DPERM_OK;
}

dperm_status check_rows_about(dperm_neighbours neighbours, size_t about, dperm_error *err) {
  TRY(check_choice(dperm_neighbours_name(neighbours), "neighbours", neighbours, err));
  bool adds = neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  FAIL_IF(adds ? about < 1 || (uint64_t)about > UINT64_C(1) << ROWS_ABOUT_BITS : about != 0, err,
          DPERM_INVALID_ARGUMENT,
          "rows about %zu: with neighbours add-remove the number of rows is private, so give a "
          "public figure near it, from 1 to 2^38; else it is counted, so leave this out",
          about);
  return DPERM_OK;
}

dperm_status check_epsilon(double epsilon, dperm_error *err) {
  return check_positive("epsilon", epsilon, err);
}

/* ---- several classes */

bool options_have_softmax(const dperm_options *o) {
  const loss_kind *kind = loss_kind_of(&o->loss);
  return kind && kind->joint;
}

/* The paper knows one score a record. */
static bool by_paper(const dperm_options *o) {
  return o->mechanism == DPERM_MECHANISM_OBJECTIVE && o->analysis == DPERM_ANALYSIS_PAPER;
}

bool options_joint(const dperm_options *o, size_t classes) {
  bool usual = options_have_softmax(o) && !by_paper(o);
  return classes > 2 && (o->multiclass == DPERM_MULTICLASS_JOINT ||
                         (o->multiclass == DPERM_MULTICLASS_AUTO && usual));
}

dperm_loss options_loss(const dperm_options *o, size_t classes) {
  return options_joint(o, classes) ? softmax_loss(classes) : o->loss;
}

/* No penalty but ridge at Λ: what stopping a descent takes the place of. */
static bool ridge_alone(const dperm_options *o) {
  const dperm_regularizer *r = &o->regularizer;
  return !r->eval && !r->weights && !r->prior && isnan(o->delta_reg);
}

dperm_mechanism options_mechanism(const dperm_options *o, size_t scores) {
  bool gaussian = o->noise == DPERM_NOISE_AUTO || o->noise == DPERM_NOISE_GAUSSIAN;
  bool descent = o->mechanism == DPERM_MECHANISM_OBJECTIVE && scores > 1 && o->delta > 0;
  return descent && ridge_alone(o) && gaussian ? DPERM_MECHANISM_DESCENT : o->mechanism;
}

bool options_may_ask(const dperm_options *o) {
  return o->bins == DPERM_BINS_ASK && o->mechanism != DPERM_MECHANISM_NONE &&
         o->kernel.kind == DPERM_KERNEL_NONE && !o->regularizer.weights && !o->regularizer.prior;
}

/* ---- shares of epsilon */

static dperm_status check_share(const dperm_options *o, const char *name, double share,
                                dperm_error *err) {
  FAIL_IF(!(isnan(share) || (share >= 0 && share < 1)), err,
          /* NaN is the usual share */ DPERM_INVALID_ARGUMENT,
          "%s = %g; give the share of epsilon that it may have, above 0 and below 1, or 0 for none",
          name, share);
  FAIL_IF(share != 0 && o->mechanism == DPERM_MECHANISM_NONE, err, DPERM_INVALID_ARGUMENT,
          "%s takes a share of epsilon, and the mechanism none has none; leave it out", name);
  return DPERM_OK;
}

static dperm_status check_shares(const dperm_options *o, dperm_error *err) {
  for (share_id s = SHARE_AFTER_FIT; s < SHARE_COUNT; s++) {
    const double share = share_given(o, s);
    TRY(share_kinds[s].usual && isnan(share) ? DPERM_OK
                                             : check_share(o, share_kinds[s].option, share, err));
  }
  return check_share(o, "refine", o->refine, err);
}

dperm_status check_shares_none(const dperm_options *o, const char *command, dperm_error *err) {
  for (share_id s = SHARE_AFTER_FIT; s < SHARE_COUNT; s++) {
    const double share = share_given(o, s);
    FAIL_IF(share != 0 && !(share_kinds[s].usual && isnan(share)), err, DPERM_INVALID_ARGUMENT,
            "%s does not %s by a share of its own; leave %s out, and train what it finds", command,
            share_kinds[s].does, share_kinds[s].option);
  }
  FAIL_IF(o->refine != 0, err, DPERM_INVALID_ARGUMENT,
          "%s does not refine a schema; leave refine out, or give a schema that was refined "
          "before: its epsilon is counted",
          command);
  return DPERM_OK;
}

/* ---- what is held out */

static dperm_status check_evaluate(const dperm_options *o, dperm_error *err) {
  guarantee claim;
  const evaluation_terms terms = {o->epsilon, o->rows_per_person, o->neighbours};
  FAIL_IF(!(o->evaluate >= 0 && o->evaluate < 1), err, DPERM_INVALID_ARGUMENT,
          "evaluate = %g; give the share of the records to hold out, above 0 and below 1, or 0 for "
          "none",
          o->evaluate);
  FAIL_IF(o->evaluate > 0 && o->mechanism == DPERM_MECHANISM_NONE, err, DPERM_INVALID_ARGUMENT,
          "evaluate spends epsilon on records that are held out, and the mechanism none has none; "
          "leave it out, and score the model on records that it was not shown");
  return o->evaluate > 0 ? evaluation_claim(&terms, &claim, err) : DPERM_OK;
}

/* ---- all of them */

static dperm_status check_choices(const dperm_options *o, dperm_error *err) {
  bool noise = o->noise == DPERM_NOISE_AUTO || noise_kind_of(o->noise);
  TRY(check_choice(dperm_mechanism_name(o->mechanism), "mechanism", o->mechanism, err));
  TRY(check_choice(dperm_analysis_name(o->analysis), "analysis", o->analysis, err));
  TRY(check_choice(dperm_multiclass_name(o->multiclass), "multiclass", o->multiclass, err));
  TRY(check_choice((unsigned)o->bins <= DPERM_BINS_AUTO, "bins", o->bins, err));
  return check_choice(noise, "noise", o->noise, err);
}

/* What does not go together. */
static dperm_status check_together(const dperm_options *o, dperm_error *err) {
  bool none = o->mechanism == DPERM_MECHANISM_NONE, own = loss_kind_of(&o->loss);
  bool adds = o->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE, refines = o->refine != 0;
  bool joint = o->multiclass == DPERM_MULTICLASS_JOINT;
  bool gaussian = o->noise == DPERM_NOISE_GAUSSIAN && !none;
  bool descent = o->mechanism == DPERM_MECHANISM_DESCENT;
  FAIL_IF(joint && !options_have_softmax(o), err, DPERM_INVALID_ARGUMENT,
          "only logistic loss learns classes jointly; choose one-vs-rest, or leave multiclass out");
  FAIL_IF(joint && by_paper(o), err, DPERM_INVALID_ARGUMENT,
          "the paper's analysis does not cover classes that are learned jointly; choose the tight "
          "one, or one-vs-rest");
  FAIL_IF(descent && (o->delta == 0 || !(gaussian || o->noise == DPERM_NOISE_AUTO)), err,
          DPERM_INVALID_ARGUMENT,
          "descent has gaussian noise, and needs a delta far below 1/rows; or choose objective");
  FAIL_IF(descent && !ridge_alone(o), err, DPERM_INVALID_ARGUMENT,
          "descent has no delta-reg and no regularizer of its own; leave them out, or choose "
          "objective");
  FAIL_IF(gaussian && o->delta == 0, err, DPERM_INVALID_ARGUMENT,
          "gaussian noise has no pure epsilon; give a delta far below 1/rows, or another noise");
  FAIL_IF(gaussian && by_paper(o), err, DPERM_INVALID_ARGUMENT,
          "the paper has no gaussian noise; leave the analysis tight, or choose l2");
  FAIL_IF(adds && none, err, DPERM_INVALID_ARGUMENT,
          "neighbours add-remove is for private fits; the mechanism none protects nobody");
  FAIL_IF(adds && !own, err, DPERM_INVALID_ARGUMENT,
          "neighbours add-remove is for the library's own losses: the precision of a custom one "
          "cannot be bounded for every number of records");
  FAIL_IF(refines && o->bins == DPERM_BINS_NONE, err, DPERM_INVALID_ARGUMENT,
          "bins are to be none, and refine makes some; leave one of the two out");
  FAIL_IF(refines && (o->regularizer.weights || o->regularizer.prior), err, DPERM_INVALID_ARGUMENT,
          "weights and priors of the regularizer have a number for each encoded column, which a "
          "refinement is to decide; refine first, then train");
  return DPERM_OK;
}

/* Its h as given, or the usual one. */
static dperm_status settle_loss(dperm_options *o, size_t classes, dperm_error *err) {
  dperm_loss *loss = &o->loss;
  const double h = loss->parameter > 0 ? loss->parameter : (double)NAN;
  FAIL_IF(!loss->name && !loss->eval && classes > 0 && !isnan(h), err, DPERM_INVALID_ARGUMENT,
          "h does not go with the logistic loss, which has no smooth piece; name another loss");
  return loss->name || loss->eval
             ? DPERM_OK
             : dperm_loss_by_name(classes == 0 ? "log-cosh" : "logistic", h, loss, err);
}

/* What is for classes alone, or for numbers. */
static dperm_status check_label_kind(const dperm_options *o, size_t classes, label_range range,
                                     dperm_error *err) {
  const bool numbers = classes == 0;
  FAIL_IF(numbers && !loss_of_numbers(&o->loss), err, DPERM_INVALID_ARGUMENT,
          "the label is a number, and the loss %s is for classes; choose log-cosh, "
          "huber-regression, quantile or poisson",
          o->loss.name);
  FAIL_IF(!numbers && loss_of_numbers(&o->loss), err, DPERM_INVALID_ARGUMENT,
          "the labels are classes, and the loss %s is for numbers; choose logistic, huber or "
          "smooth-hinge, or give the label a \"min\" and a \"max\" in the schema",
          o->loss.name);
  FAIL_IF(
      loss_is_count(&o->loss) && range.min != 0, err, DPERM_INVALID_ARGUMENT,
      "the loss poisson is for counts, and this label begins at %g; give it a \"min\" of 0 in the "
      "schema, or choose another loss",
      range.min);
  FAIL_IF(numbers && o->class_weight_count > 0, err, DPERM_INVALID_ARGUMENT,
          "the label is a number, and class weights are for classes; leave them out");
  return DPERM_OK;
}

/* What intervals assume of the representation is set here, and by interval_schema. */
static dperm_status settle_intervals(dperm_options *o, size_t classes, dperm_error *err) {
  if (o->intervals == 0) {
    return DPERM_OK;
  }
  FAIL_IF(o->refine != 0 || o->bins == DPERM_BINS_AUTO || o->pairs > 0, err, DPERM_INVALID_ARGUMENT,
          "intervals are of columns as they are, and refine, bins and pairs make others; leave one "
          "of the two out");
  FAIL_IF(o->calibrate != 0, err, DPERM_INVALID_ARGUMENT,
          "intervals are of the fit's own slopes, which calibrate stretches; leave one of the two "
          "out");
  o->pairs = 0;
  o->bins = classes > 0 ? DPERM_BINS_NONE : o->bins; /* of a number only h is asked for */
  return DPERM_OK;
}

dperm_status options_validate(dperm_options *o, size_t classes, label_range range,
                              dperm_error *err) {
  const double least = 1e-30; /* delta: below nothing is left beside rounding */
  TRY(settle_loss(o, classes, err));
  TRY(check_choices(o, err));
  FAIL_IF(o->delta != 0 && !(o->delta >= least && o->delta < 1), err, DPERM_INVALID_ARGUMENT,
          "delta = %g; give 0, or from %g up to far below 1/rows (never 1 or more)", o->delta,
          least);
  TRY(isnan(o->lambda) ? DPERM_OK : check_positive("lambda", o->lambda, err));
  TRY(check_positive("gradient tolerance", o->gradient_tolerance, err));
  TRY(check_threads(o->threads, err));
  TRY(check_rows_per_person(o->rows_per_person, err));
  TRY(check_rows_about(o->neighbours, o->rows_about, err));
  FAIL_IF(o->classes == 1 || o->classes > CLASSES_MOST, err, DPERM_INVALID_ARGUMENT,
          "%zu classes; give from 2 to %d", o->classes, CLASSES_MOST);
  TRY(class_weights_validate(o->class_weights, o->class_weight_count, err));
  TRY(loss_validate(&o->loss, err));
  TRY(check_label_kind(o, classes, range, err));
  TRY(check_shares(o, err));
  TRY(check_evaluate(o, err));
  TRY(settle_intervals(o, classes, err));
  TRY(check_together(o, err));
  if (!loss_kind_of(&o->loss) && o->mechanism != DPERM_MECHANISM_NONE) {
    TRY(dperm_loss_check(&o->loss, err));
  }
  return loss_check_name(&o->loss, err);
}

dperm_status check_persons(const dperm_options *o, const dperm_schema *schema, dperm_error *err) {
  if (!schema || schema->person == NO_PERSON || o->mechanism == DPERM_MECHANISM_NONE) {
    return DPERM_OK;
  }
  FAIL_IF(o->rows_per_person != 1, err, DPERM_INVALID_ARGUMENT,
          "the schema says whose record each is, so persons have any number of rows; leave rows "
          "per person out, and choose in the schema how many count");
  FAIL_IF(o->delta > 0, err, DPERM_INVALID_ARGUMENT,
          "nothing is proved of gaussian noise for persons whose records count together; leave "
          "delta out");
  FAIL_IF(by_paper(o), err, DPERM_INVALID_ARGUMENT,
          "the paper's analysis is about records; where the schema has persons choose the analysis "
          "tight");
  FAIL_IF(!loss_kind_of(&o->loss), err, DPERM_INVALID_ARGUMENT,
          "persons are for the library's own losses: the precision of a custom one cannot be "
          "bounded for every number of records");
  return DPERM_OK;
}

/* ---- rows */

size_t public_rows(dperm_neighbours neighbours, size_t about, const dperm_data *data) {
  bool counted = neighbours == DPERM_NEIGHBOURS_REPLACE || DEFECT("rows-counted");
  return counted ? data_units(data) : about;
}

/* ---- shares */

private_run run_shares(const dperm_options *o, size_t classes, const dperm_schema *schema,
                       double schema_epsilon) {
  private_run run = {.epsilon = o->epsilon,
                     .neighbours = o->neighbours,
                     .delta = o->delta,
                     .rows_per_person = o->rows_per_person,
                     .person_rows = schema ? schema->person_rows : 0,
                     .classes = classes,
                     .joint = options_joint(o, classes),
                     .rounds_mean = 1,
                     .schema_before = !(schema_epsilon > 0),
                     .evaluated = o->evaluate > 0 ? o->epsilon : 0};
  run.shares[SHARE_SCHEMA] = schema_epsilon > 0 ? schema_epsilon
                             : schema && !DEFECT("refinement-free")
                                 ? fmax(schema->refined.epsilon, schema->refined.later)
                                 : 0;
  for (share_id s = SHARE_AFTER_FIT; s < SHARE_COUNT; s++) {
    run.shares[s] = share_given(o, s) > 0 ? share_given(o, s) * o->epsilon : 0;
  }
  return run;
}

guarantee run_claim(const dperm_options *o, const private_run *shares, unsigned reasons) {
  bool noisy = o->mechanism != DPERM_MECHANISM_NONE;
  return guarantee_with(noisy ? guarantee_of_run(shares) : guarantee_of_nothing(), reasons);
}

/* ---- who is protected, and why not */

unsigned options_reasons(const dperm_options *o, const dperm_data *data) {
  unsigned own = o->mechanism == DPERM_MECHANISM_NONE              ? REASON_NO_MECHANISM
                 : !evaluation_declared(&o->loss, &o->regularizer) ? REASON_UNDECLARED
                                                                   : 0;
  return data_reasons(data) | own;
}

unsigned data_reasons(const dperm_data *data) {
  if (!data) {
    return 0;
  }
  const schema_refined *refined = data->schema ? &data->schema->refined : NULL;
  bool leaky = refined && refined->epsilon > 0 && !refined->is_private;
  return data->taken << REASONS_TAKEN_SHIFT | (data->repeated ? (unsigned)REASON_REPEATED : 0) |
         (leaky ? (unsigned)REASON_REFINED : 0);
}

unsigned source_reasons(const random_source *source) {
  return source->seeded ? REASON_SEEDED : 0;
}

/* What the plan must know of the regularizer: its slope at zero, its largest curvature. Of plain
 * ridge both are 0, and plans for very many columns must not count them. */
static void describe_regularizer(const dperm_regularizer *r, size_t dims, public_numbers *out) {
  double vectors = (double)link_scores(out->loss); /* each with the same N */
  bool plain = !r->eval && !r->weights && !r->prior;
  norm_sum pull = {0};
  for (size_t j = 0; !plain && j < dims; j++) {
    double value = 0, slope = 0, curvature = 1;
    (void)regularizer_eval(r, j, 0.0, &value, &slope, &curvature, NULL); /* a fit refuses */
    norm_add(&pull, slope);
    out->stiffness = fmax(out->stiffness, curvature - 1);
  }
  out->pull = vectors > 1 ? norm_upper(&pull) * sqrt(vectors) * (1 + 0x1p-50) : norm_upper(&pull);
  if (r->eval) {
    bool declared = r->most_curvature >= 1 && r->slope_error > 0;
    out->custom_penalty = true;
    out->stiffness = declared ? r->most_curvature - 1 : (double)INFINITY;
    out->penalty_error = r->slope_error;
  }
}

uint64_t options_rows_most(const dperm_options *o, size_t rows, size_t person_rows) {
  const bool adds = o->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  return person_rows > 0 ? person_rows_most(adds ? o->rows_about : rows, person_rows)
                         : add_remove_rows_most(o->rows_about);
}

public_numbers fit_numbers(const dperm_options *o, const dperm_loss *loss, const guarantee *claim,
                           size_t rows, size_t dims, const row_bounds *bounds) {
  const epsilon_split split = epsilon_divide(claim->epsilon_class);
  /* The lattice counts delta e^epsilon_num times (docs/proofs/gaussian.md 6). */
  const double delta_core = claim->delta_class * math_exp(-ratio_value(split.num)) * (1 - 1e-9);
  public_numbers out = {.rows = rows,
                        .neighbours = o->neighbours,
                        .rows_most = options_rows_most(o, rows, claim->person_rows),
                        .person_rows = claim->person_rows,
                        .dims = dims,
                        .bounds = *bounds,
                        .loss = loss,
                        .shared = o->class_weight_count > 0 || claim->person_rows > 0,
                        .epsilon = claim->epsilon_class,
                        .epsilon_core = split.core,
                        .delta_core = delta_core,
                        .way = claim->composed.ways[claim->counted],
                        .mechanism = options_mechanism(o, link_scores(loss)),
                        .analysis = o->analysis,
                        .noise = o->noise,
                        .lambda = o->lambda,
                        .delta_reg = o->delta_reg,
                        .intervals = o->intervals > 0,
                        .norm_guess = o->norm_guess};
  describe_regularizer(&o->regularizer, dims, &out);
  return out;
}
