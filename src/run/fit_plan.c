/* What must hold before any work: the number of rows is public, the options make sense for these
 * columns, and noise for this epsilon exists. All of it from public numbers, or refused. */
#include "run/fit.h"

#include "data/class_weights.h"
#include "kernel/features.h"
#include "loss/link.h"
#include "loss/loss.h"
#include "run/claim.h"
#include "run/options.h"

/* The number of rows must not depend on what the records say. */
dperm_status check_rows_public(const dperm_schema *schema, unsigned doubts, dperm_error *err) {
  static const char *const reasons[DOUBT_KINDS] = {
      "comment lines stand where records can, so the number of rows depends on what records begin "
      "with and no private fit is possible; take them out (in a CSV file they may stand above a "
      "header)",
      "blank lines stand where a record can be one, so the number of rows depends on the records "
      "and no private fit is possible; take them out (in a CSV file, put quotes around empty "
      "fields)",
      "a quoted field holds a line end and then what could be a record, so the number of rows "
      "depends on where a quote is closed and no private fit is possible; close the quote, or take "
      "line ends out of fields",
      ("the file's one column may end with an empty record, which nothing shows, so the number of "
       "rows depends on it and no private fit is possible; end the last line")};
  if (schema && (schema->on_missing == MISSING_DROP)) {
    FAIL(err, DPERM_INVALID_SCHEMA,
         "the schema drops rows with missing values, so the number of rows depends on the records "
         "and no private fit is possible; set \"on_missing\" to \"zero\" or \"category\"");
  }
  for (unsigned kind = 0; kind < DOUBT_KINDS; kind++) {
    if (doubts >> kind & 1) {
      FAIL(err, DPERM_INVALID_DATA, "%s", reasons[kind]);
    }
  }
  return DPERM_OK;
}

/* Where the number of rows is private it may be any up to a public limit far above the figure. */
static dperm_status check_row_count(const dperm_data *data, const dperm_options *options,
                                    dperm_error *err) {
  bool counted = options->neighbours == DPERM_NEIGHBOURS_REPLACE;
  if (counted) {
    return data_check_any(data, err);
  }
  if (rows_in_all(data->x) > add_remove_rows_most(options->rows_about)) {
    FAIL(err, DPERM_INVALID_DATA,
         "with rows about %zu the guarantee is for at most %zu records, and there are more; give a "
         "figure nearer to their number",
         options->rows_about, add_remove_rows_most(options->rows_about));
  }
  return DPERM_OK;
}

_Static_assert((int)CURVE_FITS_MOST == (int)CLASSES_MOST, "a curve has a fit for each class");

/* A curve with what its release adds: q fits of more than two classes are one after the other. */
static privacy_curve curve_of(const public_numbers *given, const privacy_plan *plan,
                              const guarantee *claim, size_t classes) {
  privacy_curve curve = plan_curve(given, plan);
  curve.fits *= classes > 2 && link_scores(given->loss) == 1 ? classes : 1;
  curve.epsilon_num = ratio_value(epsilon_divide(claim->epsilon_class).num);
  curve.failure = claim->delta_numerics;
  return curve;
}

dperm_status fit_plan_make(const dperm_options *options, const guarantee *claim, size_t classes,
                           size_t rows, size_t inputs, const row_bounds *encoded, fit_plan *plan,
                           dperm_error *err) {
  size_t dims = kernel_dims(&options->kernel, inputs);
  TRY(kernel_validate(&options->kernel, inputs, err));
  TRY(kernel_validate_angles(&options->kernel, encoded, err));
  TRY(regularizer_validate(&options->regularizer, dims, err));
  const row_bounds bounds = kernel_bounds(&options->kernel, encoded);
  const dperm_loss loss = options_loss(options, classes);
  const public_numbers given = fit_numbers(options, &loss, claim, rows, dims, &bounds);
  TRY(privacy_plan_make(&given, &plan->privacy, err));
  TRY(guarantee_check(claim, err));
  plan->claim = guarantee_spending(*claim, plan_spends_delta(&plan->privacy));
  plan->curve = (privacy_curve){.fits = 0};
  if (options->mechanism == DPERM_MECHANISM_NONE) {
    return DPERM_OK;
  }
  plan->curve = curve_of(&given, &plan->privacy, &plan->claim, classes);
  return release_plan_make(&given, &plan->privacy, &plan->release, err);
}

dperm_status fit_plan_check(const dperm_data *data, size_t rows, const dperm_options *options,
                            const guarantee *claim, fit_plan *plan, dperm_error *err) {
  TRY(check_row_count(data, options, err));
  if (options->mechanism != DPERM_MECHANISM_NONE) {
    TRY(check_rows_public(data->schema, data->doubts, err));
  }
  return fit_plan_check_public(data, rows, options, claim, plan, err);
}

dperm_status fit_plan_check_public(const dperm_data *data, size_t rows,
                                   const dperm_options *options, const guarantee *claim,
                                   fit_plan *plan, dperm_error *err) {
  TRY(data_check_labels(data, options->classes, err));
  TRY(class_weights_of_data(data, options->class_weights, options->class_weight_count, NULL, err));
  const guarantee own = fit_claim(options, data);
  return fit_plan_make(options, claim ? claim : &own, data_class_count(data), rows, data->x->cols,
                       &data->bounds, plan, err);
}
