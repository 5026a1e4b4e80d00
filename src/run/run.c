/* See run.h. */
#include "run/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "loss/loss.h"
#include "refine/refine_counts.h"
#include "run/options.h"
#include "schema/auto_bins.h"
#include "schema/resolve_bins.h"

/* What is asked (refine/number_scale.h, refine/column_shape.h), chosen as docs/reproduction.md
 * says: a question has n·ε of so much, and a least share of epsilon; where the most it may have
 * would leave it with less than `fewest`, it is not asked. */
typedef struct question {
  double work, fewest, least, most;
} question;
static const question scale_question = {40, 25, 0.005, 0.0625},
                      shape_question = {200, 200, 0.03, 0.0625},
                      composed_shape = {200, 200, 0.03, 0.1}; /* with a delta it costs less */
static const double work_each = 400;       /* for each column, below which bins do not pay */
static const double share_of_shape = 0.15; /* of epsilon at most, for the counts of a shape: the */
static const double share_of_each = 0.05;  /* noise of a count grows with the columns counted */

/* Of many columns few have a shape, and bins for the others would cost what they cannot bring. So
 * those that have one are chosen, in steps of what the first question cost, and counted: one, where
 * no other has a shape and all could be counted; or some, where all could not. */
enum { COUNTED_ALL = 10 };
static const double work_of_picks = 5000, work_each_of_picks = 150, work_each_of_many = 1100;
static const double picks_share = 0.12, share_of_pick = 0.02;

/* Where there is little for each column and most are categories, what counts cost is more than
 * their bins bring, if those of declared ranges tell nearly as much: that is asked first. */
static const question range_question = {220, 0, 0.0125, 0.05};
static const double work_each_of_ranges = 1000; /* at most, for each column that is encoded */

static double question_share(const question *q, double work) {
  return work * q->most >= q->fewest ? fmax(q->least, fmin(q->most, q->work / work)) : 0;
}

/* Of numeric labels one question, where nobody said what its answer decides. */
static void ask_labels(const run *r, representation *out) {
  const dperm_options *o = r->options;
  const bool open =
      loss_h_usual(&o->loss) && isnan(o->lambda) && isnan(o->delta_reg) && isnan(o->norm_guess);
  out->epsilon = out->scale = open ? question_share(&scale_question, r->work) * o->epsilon : 0;
  out->way = out->epsilon > 0 ? SCHEMA_ASKED : SCHEMA_GIVEN;
}

/* What the question whether ranges suffice costs, 0 where it is not asked. Gaussian noise has not
 * been composed with it. */
static double range_cost(const dperm_schema *schema, const run *r, double work) {
  const dperm_options *o = r->options;
  const size_t encoded = schema_encoded_columns(schema);
  const bool few =
      work <= work_each_of_ranges * (double)encoded && 2 * schema_asked_columns(schema) <= encoded;
  return few && !(o->delta > 0) && schema_ranges_bin(schema)
             ? question_share(&range_question, r->work) * o->epsilon
             : 0;
}

/* Sets what is asked of the records, if anything is. */
static void ask(const dperm_schema *schema, const run *r, representation *out) {
  const dperm_options *o = r->options;
  const size_t columns = r->classes == 0 ? 1 : schema_asked_columns(schema);
  if (columns == 0 || schema->refined.epsilon != 0 || schema->on_missing == MISSING_DROP) {
    return;
  }
  if (r->classes == 0) {
    ask_labels(r, out);
    return;
  }
  const double work = r->work * r->power;
  const bool wide = columns > COUNTED_ALL;
  const bool all = (double)columns * (wide ? work_each_of_many : work_each) <= work;
  const double least = fmax(work_of_picks, (double)columns * work_each_of_picks);
  const bool pays = schema->classes.count == 2 && (all || (wide && work >= least));
  const question *asks = o->delta > 0 ? &composed_shape : &shape_question;
  const double share = pays ? question_share(asks, r->work) : 0;
  double shape = share * o->epsilon;
  double scale = question_share(&scale_question, r->work) * o->epsilon;
  out->epsilon = epsilon_sum(scale, shape);
  out->way = out->epsilon > 0 ? SCHEMA_ASKED : SCHEMA_GIVEN;
  out->scale = epsilon_rest(out->epsilon, shape);
  out->many = shape > 0 && wide && all;
  out->picks = !(shape > 0 && wide) ? 0 : all ? 1 : (size_t)fmax(1, picks_share / share);
  const double counts = all ? fmin(share_of_shape, (double)columns * share_of_each)
                            : (double)out->picks * share_of_pick,
               ranges = shape > 0 && !wide ? range_cost(schema, r, work) : 0,
               steps = ranges > 0 ? ranges : (double)pick_steps(out) * shape;
  out->picked = steps > 0 ? epsilon_sum(out->epsilon, steps) : out->epsilon;
  out->ranged = ranges > 0 ? (out->picked - out->scale) * (1 + 0x1p-48) : 0;
  out->counted = shape > 0 ? epsilon_sum(out->picked, counts * o->epsilon) : 0;
}

/* The share of epsilon that counts have, or 0 where they would not pay. */
static dperm_status share_of_counts(const dperm_options *o, const dperm_schema *schema, size_t rows,
                                    double *out, dperm_error *err) {
  OWNED(dperm_schema_free_at) dperm_schema *cells = NULL;
  TRY(refine_cell_schema(schema, false, &cells, err)); /* what cannot be counted is refused now */
  const refine_numbers numbers =
      refine_numbers_of(schema, false, rows, o->epsilon / (double)o->rows_per_person);
  const double usual = refine_rule_share(&numbers);
  *out = usual > 0 && !isnan(o->refine) ? o->refine : usual;
  return DPERM_OK;
}

/* Epsilon of a row is too little for any fit. All shares are named, since asking is a default. */
static dperm_status too_little(const dperm_options *o, schema_way way, double left,
                               dperm_error *err) {
  int named = 0;
  char names[128] = "";
  for (share_id s = SHARE_SCHEMA; s < SHARE_COUNT; s++) {
    if (s == SHARE_SCHEMA || share_given(o, s) > 0) {
      size_t used = strlen(names);
      bool asks = s == SHARE_SCHEMA && way == SCHEMA_ASKED;
      (void)snprintf(names + used, sizeof names - used, "%s%s", named++ ? " and " : "",
                     asks ? "asking for bins (bins none asks nothing)" : share_kinds[s].option);
    }
  }
  FAIL(err, DPERM_INVALID_ARGUMENT,
       "the share%s of %s leave%s an epsilon of %g for the fit, which is too little; give %s",
       named > 1 ? "s" : "", names, named > 1 ? "" : "s", left,
       named > 1 ? "smaller ones" : "a smaller one");
}

static dperm_status check_rest(const dperm_options *o, const representation *r, dperm_error *err) {
  const double least = 1e-9; /* of a plan (mechanism/privacy_plan.c) */
  const private_run shares = run_shares(o, 2, NULL, fmax(r->epsilon, r->counted));
  const double rest = guarantee_of_run(&shares).epsilon_row;
  bool whole = o->epsilon / (double)o->rows_per_person >= least && isfinite(o->epsilon);
  return whole && r->epsilon > 0 && !(rest >= least) ? too_little(o, r->way, rest, err) : DPERM_OK;
}

/* For records of this schema (NULL for rows that are numbers already), about so many of them. */
static dperm_status choose(const run *r, const dperm_schema *schema, representation *out,
                           dperm_error *err) {
  const dperm_options *o = r->options;
  double share = 0;
  *out = (representation){.way = SCHEMA_GIVEN};
  FAIL_IF(o->bins == DPERM_BINS_AUTO && !schema, err, DPERM_INVALID_ARGUMENT,
          "bins are for columns that a schema describes, and these rows have none; leave them out");
  FAIL_IF(o->refine != 0 && !schema, err, DPERM_INVALID_ARGUMENT,
          "refine makes bins of columns that a schema describes, and these rows have none; leave "
          "it out");
  if (o->refine != 0) {
    TRY(share_of_counts(o, schema, r->rows, &share, err));
    out->way = share > 0 ? SCHEMA_COUNTED : SCHEMA_GIVEN;
  }
  out->epsilon = share > 0 ? share * o->epsilon : 0;
  if (share == 0 && schema && options_may_ask(o)) {
    ask(schema, r, out);
  }
  return check_rest(o, out, err);
}

/* Epsilons add up for one unit only: fails where the schema was refined for another. */
static dperm_status check_unit(const dperm_options *o, const dperm_schema *schema,
                               dperm_error *err) {
  const schema_refined *refined = &schema->refined;
  const size_t unit = schema->person_rows > 0 ? 0 : o->rows_per_person;
  bool counts = o->mechanism != DPERM_MECHANISM_NONE && refined->epsilon != 0;
  FAIL_IF(counts && (refined->rows_per_person != unit || refined->neighbours != o->neighbours), err,
          DPERM_INVALID_ARGUMENT,
          "the schema was refined for neighbours %s and persons with at most %zu rows, and this "
          "run is for %s and %zu%s: their epsilons cannot be added; give both the same, or use the "
          "schema as it was before",
          dperm_neighbours_name(refined->neighbours), refined->rows_per_person,
          dperm_neighbours_name(o->neighbours), unit,
          refined->rows_per_person == 0 || unit == 0 ? " (0: any number)" : "");
  return DPERM_OK;
}

/* The claim, if the schema costs so much in this run. */
static guarantee claim_of(const run *r, const dperm_schema *schema, double epsilon,
                          unsigned reasons) {
  private_run shares = run_shares(r->options, r->classes, schema, epsilon);
  shares.person_rows = r->person_rows;
  shares.rounds = r->rounds.kind;
  shares.rounds_mean = fmax(r->rounds.mean, 1);
  return run_claim(r->options, &shares, reasons);
}

dperm_status run_make(const dperm_options *o, const run_terms *t, run *out, dperm_error *err) {
  *out = (run){.options = o,
               .rows = t->rows,
               .asked = t->asked ? t->asked : t->rows,
               .classes = t->classes,
               .person_rows = t->schema    ? t->schema->person_rows
                              : t->columns ? t->columns->person_rows
                                           : 0,
               .rounds = t->rounds};
  TRY(check_persons(o, t->schema ? t->schema : t->columns, err));
  if (t->chooses) {
    const guarantee whole = claim_of(out, NULL, 0, 0);
    const double records = o->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE ? 2 : 1;
    out->work = records * (double)out->asked * o->epsilon / (double)o->rows_per_person;
    out->power = (double)out->rows / (double)out->asked * (whole.epsilon_fit / whole.epsilon_row);
    TRY(choose(out, t->columns, &out->how, err));
  }
  out->claim = claim_of(out, t->schema, out->how.epsilon, t->reasons);
  TRY(t->schema ? schema_check_fit(t->schema, err) : DPERM_OK);
  return t->schema ? check_unit(o, t->schema, err) : DPERM_OK;
}

guarantee run_claim_answered(const run *r, double cost) {
  guarantee claim = claim_of(r, NULL, cost, r->claim.reasons);
  claim.composed = r->claim.composed;
  claim.counted = cost == r->how.counted;
  return claim;
}

guarantee run_claim_whole(const run *r) {
  return claim_of(r, NULL, 0, r->claim.reasons);
}

/* Classes that are learned jointly share rows, not epsilon; to bins that each has a part of the
 * rows alone is much the same. NaN without a mechanism. */
static double epsilon_for_bins(const guarantee *claim, size_t classes) {
  return classes > 2 ? epsilon_share(claim->epsilon_fit, classes) : claim->epsilon_fit;
}

dperm_status check_columns_known(const dperm_options *o, const dperm_schema *schema,
                                 dperm_error *err) {
  bool numbered = o->regularizer.weights || o->regularizer.prior;
  FAIL_IF(numbered && o->kernel.kind == DPERM_KERNEL_NONE &&
              schema_unresolved(schema, o->bins == DPERM_BINS_AUTO),
          err, DPERM_INVALID_ARGUMENT,
          "weights and priors of the regularizer have a number for each encoded column, and bins "
          "are still to be chosen; write them into the schema, or leave them out (bins none)");
  return DPERM_OK;
}

dperm_status representation_given(const run *r, const dperm_schema *schema, dperm_schema **out,
                                  dperm_error *err) {
  TRY(check_columns_known(r->options, schema, err));
  const double epsilon = epsilon_for_bins(&r->claim, schema->classes.count);
  return schema_resolve(schema, r->options->bins == DPERM_BINS_AUTO, r->rows, epsilon, out, err);
}

dperm_status representation_in_ranges(const run *r, const dperm_schema *plain, dperm_schema **out,
                                      dperm_error *err) {
  const guarantee claim = run_claim_answered(r, r->how.ranged);
  const double epsilon = epsilon_for_bins(&claim, plain->classes.count);
  return r->how.ranged > 0 ? schema_resolve(plain, true, r->rows, epsilon, out, err) : DPERM_OK;
}

dperm_status representation_plan(const run *r, const dperm_schema *schema, fit_plan *out,
                                 dperm_error *err) {
  const dperm_options *o = r->options;
  dperm_status status =
      fit_plan_make(o, &r->claim, r->classes, r->rows, schema->dims, &schema->bounds, out, err);
  if (status == DPERM_INVALID_ARGUMENT) { /* where all of epsilon would do, its share is blamed */
    const guarantee claim = run_claim_whole(r);
    fit_plan plan;
    if (fit_plan_make(o, &claim, r->classes, r->rows, schema->dims, &schema->bounds, &plan, NULL) ==
        DPERM_OK) {
      return too_little(o, r->how.way, r->claim.epsilon_row, err);
    }
  }
  return status;
}
