/* Checks of what a caller asks for. */
#include "pipeline/options.h"

#include <math.h>

#include "base/defect.h"
#include "base/norm_upper.h"
#include "data/class_weights.h"
#include "dperm/multiclass.h"
#include "loss/link.h"
#include "loss/regularizer.h"
#include "loss/softmax.h"
#include "release/numerics.h"
#include "schema/class_list.h"
#include "solve/certify.h"

dperm_status check_threads(int threads, dperm_error *err) {
  if (threads < 0 || threads > 4096) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "%d threads; give 1 to 4096, or 0 for all cores", threads);
  }
  return DPERM_OK;
}

dperm_status check_rows_per_person(size_t rows, dperm_error *err) {
  enum { MOST = 1000000 };
  if (rows < 1 || rows > MOST) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "%zu rows per person; give from 1 to %d", rows, MOST);
  }
  return DPERM_OK;
}

dperm_status check_rows_about(dperm_neighbours neighbours, size_t about, dperm_error *err) {
  if (!dperm_neighbours_name(neighbours)) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "neighbours number %d is none of the two", (int)neighbours);
  }
  if (neighbours == DPERM_NEIGHBOURS_REPLACE && about != 0) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "rows about %zu: where records are replaced their number is public and counted; leave "
         "it out, or choose neighbours add-remove",
         about);
  }
  if (neighbours == DPERM_NEIGHBOURS_ADD_REMOVE &&
      (about < 1 || about > (size_t)1 << ROWS_ABOUT_BITS)) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "rows about %zu: with neighbours add-remove the number of rows is private; give a public "
         "figure near it, from 1 to 2^38",
         about);
  }
  return DPERM_OK;
}

static dperm_status check_neighbours(const dperm_options *o, dperm_error *err) {
  TRY(check_rows_about(o->neighbours, o->rows_about, err));
  if (o->neighbours == DPERM_NEIGHBOURS_REPLACE) {
    return DPERM_OK;
  }
  if (o->mechanism == DPERM_MECHANISM_NONE) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "neighbours add-remove is for private fits; the mechanism none protects nobody");
  }
  if (!loss_kind_of(&o->loss)) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "neighbours add-remove is for the library's own losses: the precision of a custom one "
         "cannot be bounded for every number of records");
  }
  return DPERM_OK;
}

/* Below the least nothing is left beside rounding. */
static dperm_status check_delta(const dperm_options *o, dperm_error *err) {
  const double least = 1e-30;
  bool spends = o->noise == DPERM_NOISE_GAUSSIAN && o->mechanism != DPERM_MECHANISM_NONE;
  if (o->delta != 0 && !(o->delta >= least && o->delta < 1)) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "delta = %g; give 0, or from %g up to far below 1/rows (never 1 or more)", o->delta,
         least);
  }
  if (spends && o->delta == 0) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "gaussian noise has no pure epsilon; give a delta far below 1/rows, or another noise");
  }
  if (spends && o->analysis == DPERM_ANALYSIS_PAPER && o->mechanism == DPERM_MECHANISM_OBJECTIVE) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "the paper has no gaussian noise; leave the analysis tight, or choose l2");
  }
  return DPERM_OK;
}

/* ---- several classes */

const char *dperm_multiclass_name(dperm_multiclass multiclass) {
  static const char *const names[] = {"auto", "joint", "one-vs-rest"};
  return (size_t)multiclass < sizeof names / sizeof *names ? names[multiclass] : NULL;
}

static bool has_softmax(const dperm_loss *loss) {
  const loss_kind *kind = loss_kind_of(loss);
  return kind && kind->joint;
}

/* The paper knows one score a record. */
static bool by_paper(const dperm_options *o) {
  return o->mechanism == DPERM_MECHANISM_OBJECTIVE && o->analysis == DPERM_ANALYSIS_PAPER;
}

static dperm_status check_joint(const dperm_options *o, dperm_error *err) {
  if (o->multiclass == DPERM_MULTICLASS_JOINT && !has_softmax(&o->loss)) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "only logistic loss learns classes jointly; with %s choose one-vs-rest, or leave "
         "multiclass out",
         o->loss.name ? o->loss.name : "this loss");
  }
  if (o->multiclass == DPERM_MULTICLASS_JOINT && by_paper(o)) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "the paper's analysis does not cover classes that are learned jointly; choose the tight "
         "one, or one-vs-rest");
  }
  return DPERM_OK;
}

size_t public_rows(dperm_neighbours neighbours, size_t about, const dperm_data *data) {
  bool counted = neighbours == DPERM_NEIGHBOURS_REPLACE || DEFECT("rows-counted");
  return counted ? rows_in_all(data->x) : about;
}

size_t options_rows(const dperm_options *o, const dperm_data *data) {
  return public_rows(o->neighbours, o->rows_about, data);
}

bool options_joint(const dperm_options *o, size_t classes) {
  bool usual = has_softmax(&o->loss) && !by_paper(o);
  return classes > 2 && (o->multiclass == DPERM_MULTICLASS_JOINT ||
                         (o->multiclass == DPERM_MULTICLASS_AUTO && usual));
}

dperm_loss options_loss(const dperm_options *o, size_t classes) {
  return options_joint(o, classes) ? softmax_loss(classes) : o->loss;
}

/* ---- calibrated probabilities */

double options_calibrated(const dperm_options *o) {
  return o->calibrate > 0 ? o->calibrate * o->epsilon : 0;
}

static dperm_status check_calibrate(const dperm_options *o, dperm_error *err) {
  if (o->calibrate == 0) {
    return DPERM_OK;
  }
  if (!(o->calibrate > 0 && o->calibrate < 1)) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "calibrate = %g; give the share of epsilon that it may have, above 0 and below 1, or 0 "
         "for none",
         o->calibrate);
  }
  if (o->mechanism == DPERM_MECHANISM_NONE) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "calibrate takes a share of epsilon, and the mechanism none has none; leave it out");
  }
  if (!has_softmax(&o->loss)) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "calibrate is for probabilities, which only logistic loss has; with %s leave it out",
         o->loss.name ? o->loss.name : "this loss");
  }
  return DPERM_OK;
}

dperm_status check_calibrate_classes(const dperm_options *o, size_t classes, dperm_error *err) {
  const double least = 1e-12;
  if (o->calibrate > 0 && classes > 2 && !options_joint(o, classes)) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "calibrate is for two classes, or classes that are learned jointly; with one-vs-rest "
         "leave it out");
  }
  if (o->calibrate > 0 && !(options_calibrated(o) / (double)o->rows_per_person >= least &&
                            options_calibrated(o) < 1e6)) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "calibrate has an epsilon of %g; it must be below 1e6 and at least %g for each row: give "
         "it a larger share",
         options_calibrated(o), least);
  }
  return DPERM_OK;
}

dperm_status check_calibrate_none(const dperm_options *o, const char *command, dperm_error *err) {
  if (o->calibrate != 0) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "%s does not calibrate probabilities; leave calibrate out, and train what it finds",
         command);
  }
  return DPERM_OK;
}

/* ---- all of them */

dperm_status options_validate(const dperm_options *o, dperm_error *err) {
  if (!dperm_mechanism_name(o->mechanism)) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "mechanism number %d is none of the three",
         (int)o->mechanism);
  }
  if (!dperm_analysis_name(o->analysis)) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "analysis number %d is none of the two", (int)o->analysis);
  }
  if (!dperm_multiclass_name(o->multiclass)) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "multiclass number %d is none of the three",
         (int)o->multiclass);
  }
  TRY(check_joint(o, err));
  if (o->noise != DPERM_NOISE_AUTO && !noise_kind_of(o->noise)) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "noise number %d is none of the kinds", (int)o->noise);
  }
  TRY(check_delta(o, err));
  if (!isnan(o->lambda) && !(o->lambda > 0 && isfinite(o->lambda))) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "lambda = %g; it must be positive and finite", o->lambda);
  }
  if (!(o->gradient_tolerance > 0 && isfinite(o->gradient_tolerance))) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "gradient tolerance %g; it must be positive and finite",
         o->gradient_tolerance);
  }
  TRY(check_threads(o->threads, err));
  TRY(check_rows_per_person(o->rows_per_person, err));
  TRY(check_neighbours(o, err));
  if (o->classes == 1 || o->classes > CLASSES_MOST) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "%zu classes; give from 2 to %d, or 0 for the data's",
         o->classes, CLASSES_MOST);
  }
  TRY(class_weights_validate(o->class_weights, o->class_weight_count, err));
  TRY(loss_validate(&o->loss, err));
  TRY(check_calibrate(o, err));
  if (!loss_kind_of(&o->loss) && o->mechanism != DPERM_MECHANISM_NONE) {
    TRY(dperm_loss_check(&o->loss, err));
  }
  return loss_check_name(&o->loss, err);
}

dperm_options options_per_row(const dperm_options *o) {
  const private_run run = {.epsilon = o->epsilon,
                           .delta = o->delta,
                           .rows_per_person = o->rows_per_person,
                           .classes = 2};
  dperm_options row = options_sharing(o, epsilon_share(o->epsilon, o->rows_per_person),
                                      guarantee_of_run(&run).delta_row);
  row.rows_per_person = 1;
  row.calibrate = 0; /* of the run; what is left of epsilon is the fit's */
  row.account = (dperm_account){0};
  return row;
}

dperm_options options_sharing(const dperm_options *o, double epsilon, double delta) {
  dperm_options share = *o;
  share.epsilon = epsilon;
  share.delta = delta;
  return share;
}

static guarantee claim_of(const private_run *run, const dperm_options *o, const dperm_data *data) {
  bool noisy = o->mechanism != DPERM_MECHANISM_NONE;
  return guarantee_with(noisy ? guarantee_of_run(run) : guarantee_of_nothing(),
                        options_reasons(o, data));
}

guarantee options_claim(const dperm_options *o, const dperm_data *data) {
  const private_run run = {.epsilon = o->epsilon,
                           .neighbours = o->neighbours,
                           .delta = o->delta,
                           .rows_per_person = o->rows_per_person,
                           .classes = data_class_count(data),
                           .joint = options_joint(o, data_class_count(data)),
                           .calibrated = options_calibrated(o)};
  return claim_of(&run, o, data);
}

private_run options_run(const dperm_options *o, const dperm_data *data) {
  return (private_run){
      .epsilon = o->epsilon,
      .neighbours = o->neighbours,
      .delta = o->delta,
      .rows_per_person = o->rows_per_person,
      .classes = data_class_count(data),
      .joint = options_joint(o, data_class_count(data)),
      .refined = data->schema && !DEFECT("refinement-free") ? data->schema->refined.epsilon : 0,
      .refined_before = true,
      .calibrated = options_calibrated(o)};
}

guarantee options_run_claim(const dperm_options *o, const dperm_data *data) {
  const private_run run = options_run(o, data);
  return claim_of(&run, o, data);
}

dperm_status check_refined_unit(const dperm_options *o, const dperm_schema *schema,
                                dperm_error *err) {
  const schema_refined *refined = schema ? &schema->refined : NULL;
  if (o->mechanism != DPERM_MECHANISM_NONE && refined && refined->epsilon > 0 &&
      refined->rows_per_person != o->rows_per_person) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "the schema was refined for persons with at most %zu rows, and this run is for %zu: their "
         "epsilons cannot be added; give both the same rows per person",
         refined->rows_per_person, o->rows_per_person);
  }
  if (o->mechanism != DPERM_MECHANISM_NONE && refined && refined->epsilon > 0 &&
      refined->neighbours != o->neighbours) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "the schema was refined for neighbours %s, and this run is for %s: their epsilons cannot "
         "be added; use the schema as it was before",
         dperm_neighbours_name(refined->neighbours), dperm_neighbours_name(o->neighbours));
  }
  return DPERM_OK;
}

unsigned options_reasons(const dperm_options *o, const dperm_data *data) {
  if (o->mechanism == DPERM_MECHANISM_NONE) {
    return data_reasons(data) | REASON_NO_MECHANISM;
  }
  bool declared = evaluation_declared(&o->loss, &o->regularizer);
  return data_reasons(data) | (declared ? 0 : (unsigned)REASON_UNDECLARED);
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

const char *dperm_taken_name(unsigned bit) {
  static const char *const names[] = {"classes", "norm",   "ranges", "categories",
                                      "columns", "scales", "weights"};
  return bit < sizeof names / sizeof *names ? names[bit] : NULL;
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

/* The lattice counts delta e^epsilon_num times (docs/proofs/gaussian.md 6). */
static double delta_of_core(const epsilon_split *split, double delta) {
  return delta * exp(-ratio_value(split->num)) * (1 - 1e-9);
}

public_numbers options_public(const dperm_options *o, const dperm_loss *loss,
                              const guarantee *claim, size_t rows, size_t dims,
                              const row_bounds *bounds) {
  const epsilon_split split = epsilon_divide(claim->epsilon_class);
  public_numbers out = {.rows = rows,
                        .neighbours = o->neighbours,
                        .rows_most = add_remove_rows_most(o->rows_about),
                        .dims = dims,
                        .bounds = *bounds,
                        .loss = loss,
                        .shared = o->class_weight_count > 0,
                        .epsilon = claim->epsilon_class,
                        .epsilon_core = split.core,
                        .delta_core = delta_of_core(&split, claim->delta_class),
                        .mechanism = o->mechanism,
                        .analysis = o->analysis,
                        .noise = o->noise,
                        .lambda = o->lambda,
                        .delta_reg = o->delta_reg,
                        .norm_guess = o->norm_guess};
  describe_regularizer(&o->regularizer, dims, &out);
  return out;
}
