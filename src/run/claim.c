/* See claim.h. */
#include "run/claim.h"

#include <math.h>

#include "base/defect.h"
#include "base/norm_upper.h"
#include "loss/link.h"
#include "loss/loss.h"
#include "release/numerics.h"
#include "run/options.h"
#include "solve/certify.h"

/* ---- rows */

size_t options_rows(const dperm_options *o, const dperm_data *data) {
  bool counted = o->neighbours == DPERM_NEIGHBOURS_REPLACE || DEFECT("rows-counted");
  return counted ? rows_in_all(data->x) : o->rows_about;
}

/* ---- shares */

private_run run_shares(const dperm_options *o, size_t classes, const dperm_schema *schema,
                       double schema_epsilon) {
  private_run run = {.epsilon = o->epsilon,
                     .neighbours = o->neighbours,
                     .delta = o->delta,
                     .rows_per_person = o->rows_per_person,
                     .classes = classes,
                     .joint = options_joint(o, classes),
                     .rounds_mean = 1,
                     .schema_before = !(schema_epsilon > 0)};
  run.shares[SHARE_SCHEMA] = schema_epsilon > 0                     ? schema_epsilon
                             : schema && !DEFECT("refinement-free") ? schema->refined.epsilon
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

guarantee fit_claim(const dperm_options *o, const dperm_data *data) {
  const private_run shares = run_shares(o, data_class_count(data), data->schema, 0);
  return run_claim(o, &shares, options_reasons(o, data));
}

/* ---- who is protected, and why not */

dperm_status check_refined_unit(const dperm_options *o, const dperm_schema *schema,
                                dperm_error *err) {
  const schema_refined *refined = schema ? &schema->refined : NULL;
  if (o->mechanism == DPERM_MECHANISM_NONE || !refined || refined->epsilon == 0) {
    return DPERM_OK;
  }
  if (refined->rows_per_person != o->rows_per_person) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "the schema was refined for persons with at most %zu rows, and this run is for %zu: their "
         "epsilons cannot be added; give both the same rows per person",
         refined->rows_per_person, o->rows_per_person);
  }
  if (refined->neighbours != o->neighbours) {
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

public_numbers fit_numbers(const dperm_options *o, const dperm_loss *loss, const guarantee *claim,
                           size_t rows, size_t dims, const row_bounds *bounds) {
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
