/* Checks of what a caller asks for. */
#include "run/options.h"

#include <math.h>

#include "data/dataset.h"
#include "loss/loss.h"
#include "loss/softmax.h"
#include "privacy/guarantee.h"
#include "random/noise.h"
#include "schema/class_list.h"

dperm_status check_choice(bool known, const char *what, unsigned number, const char *of,
                          dperm_error *err) {
  if (!known) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "%s number %d is none of the %s", what, (int)number, of);
  }
  return DPERM_OK;
}

static dperm_status check_positive(const char *what, double value, dperm_error *err) {
  if (!(value > 0 && isfinite(value))) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "%s = %g; it must be positive and finite", what, value);
  }
  return DPERM_OK;
}

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
  TRY(check_choice(dperm_neighbours_name(neighbours), "neighbours", neighbours, "two", err));
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

dperm_status check_epsilon(double epsilon, dperm_error *err) {
  return check_positive("epsilon", epsilon, err);
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

bool options_have_softmax(const dperm_options *o) {
  const loss_kind *kind = loss_kind_of(&o->loss);
  return kind && kind->joint;
}

/* The paper knows one score a record. */
static bool by_paper(const dperm_options *o) {
  return o->mechanism == DPERM_MECHANISM_OBJECTIVE && o->analysis == DPERM_ANALYSIS_PAPER;
}

static dperm_status check_joint(const dperm_options *o, dperm_error *err) {
  if (o->multiclass == DPERM_MULTICLASS_JOINT && !options_have_softmax(o)) {
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

bool options_joint(const dperm_options *o, size_t classes) {
  bool usual = options_have_softmax(o) && !by_paper(o);
  return classes > 2 && (o->multiclass == DPERM_MULTICLASS_JOINT ||
                         (o->multiclass == DPERM_MULTICLASS_AUTO && usual));
}

dperm_loss options_loss(const dperm_options *o, size_t classes) {
  return options_joint(o, classes) ? softmax_loss(classes) : o->loss;
}

/* ---- shares of epsilon, and bins, which one of them makes */

static dperm_status check_share(const dperm_options *o, const char *name, double share,
                                dperm_error *err) {
  if (!(share >= 0 && share < 1)) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "%s = %g; give the share of epsilon that it may have, above 0 and below 1, or 0 for none",
         name, share);
  }
  if (share != 0 && o->mechanism == DPERM_MECHANISM_NONE) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "%s takes a share of epsilon, and the mechanism none has none; leave it out", name);
  }
  return DPERM_OK;
}

static dperm_status check_shares(const dperm_options *o, dperm_error *err) {
  for (share_id s = SHARE_AFTER_FIT; s < SHARE_COUNT; s++) {
    TRY(check_share(o, share_kinds[s].option, share_given(o, s), err));
  }
  /* NaN is the usual share, of which none is out of range */
  return check_share(o, "refine", isnan(o->refine) ? 0.5 : o->refine, err);
}

static dperm_status check_bins(const dperm_options *o, dperm_error *err) {
  TRY(check_choice((unsigned)o->bins <= DPERM_BINS_AUTO, "bins", o->bins, "three", err));
  if (o->refine != 0 && o->bins == DPERM_BINS_NONE) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "bins are to be none, and refine makes some; leave one of the two out");
  }
  if (o->refine != 0 && (o->regularizer.weights || o->regularizer.prior)) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "weights and priors of the regularizer have a number for each encoded column, which a "
         "refinement is to decide; refine first, then train");
  }
  return DPERM_OK;
}

dperm_status check_shares_none(const dperm_options *o, const char *command, dperm_error *err) {
  for (share_id s = SHARE_AFTER_FIT; s < SHARE_COUNT; s++) {
    if (share_given(o, s) != 0) {
      FAIL(err, DPERM_INVALID_ARGUMENT, "%s does not %s; leave %s out, and train what it finds",
           command, share_kinds[s].does, share_kinds[s].option);
    }
  }
  if (o->refine != 0) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "%s does not refine a schema; leave refine out, or give a schema that was refined before: "
         "its epsilon is counted",
         command);
  }
  return DPERM_OK;
}

/* ---- all of them */

dperm_status options_validate(const dperm_options *o, dperm_error *err) {
  bool noise_known = o->noise == DPERM_NOISE_AUTO || noise_kind_of(o->noise);
  TRY(check_choice(dperm_mechanism_name(o->mechanism), "mechanism", o->mechanism, "three", err));
  TRY(check_choice(dperm_analysis_name(o->analysis), "analysis", o->analysis, "two", err));
  TRY(check_choice(dperm_multiclass_name(o->multiclass), "multiclass", o->multiclass, "three",
                   err));
  TRY(check_joint(o, err));
  TRY(check_choice(noise_known, "noise", o->noise, "kinds", err));
  TRY(check_delta(o, err));
  TRY(isnan(o->lambda) ? DPERM_OK : check_positive("lambda", o->lambda, err));
  TRY(check_positive("gradient tolerance", o->gradient_tolerance, err));
  TRY(check_threads(o->threads, err));
  TRY(check_rows_per_person(o->rows_per_person, err));
  TRY(check_neighbours(o, err));
  if (o->classes == 1 || o->classes > CLASSES_MOST) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "%zu classes; give from 2 to %d, or 0 for the data's",
         o->classes, CLASSES_MOST);
  }
  TRY(class_weights_validate(o->class_weights, o->class_weight_count, err));
  TRY(loss_validate(&o->loss, err));
  TRY(check_shares(o, err));
  TRY(check_bins(o, err));
  if (!loss_kind_of(&o->loss) && o->mechanism != DPERM_MECHANISM_NONE) {
    TRY(dperm_loss_check(&o->loss, err));
  }
  return loss_check_name(&o->loss, err);
}
