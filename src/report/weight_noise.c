/* See weight_noise.h. */
#include "report/weight_noise.h"

#include <math.h>
#include <stdlib.h>

#include "base/functions.h"
#include "base/memory.h"
#include "base/vector.h"
#include "loss/link.h"
#include "loss/loss.h"

/* The constants were chosen by experiments/explain, on made-up and public records. */
const double weight_noise_multiple = 1.9;
static const double line_left = 0.12;   /* of a line's mean square, beside the intercept */
static const double line_centred = 0.4; /* the same, of a range from −r to r */
static const double lines_beside = 0.5; /* of a row's square lines have, beside blocks */
static const double line_most = 19;     /* times λ is the most that records curve a line: they
                                           may nearly add up to a constant with others */
static const double score_left = 0.1; /* the same, in the spread of scores; all of a centred one */
static const double lower_part = 0.4; /* of sizes tells the scale of noise among signals, */
static const double normal_part = 0.52440; /* up to which a normal number's size has that part */
enum { CELLS_LEAST = 5 };

void weight_noise_free(weight_noise *noise) {
  free(noise->largest);
  free(noise->value);
  free(noise->estimate);
  free(noise->spread);
  free(noise->centre);
  free(noise->curvature);
  *noise = (weight_noise){0};
}

/* ---- weights as they are compared */

/* The centre of a part is the mean of the middle half of its weights, in their order: one that no
 * record has is nearly all noise, and must not move what the others are compared with. So many are
 * left out at either end: */
static size_t outside_middle(size_t count) {
  return (count + 1) / 4;
}

/* The noise of a weight less the centre, to its own, where all have that independently. */
static double centred_spread(size_t count, bool inside) {
  const double share = 1 / (double)(count - 2 * outside_middle(count));
  return sqrt(inside ? 1 - share : 1 + share);
}

/* Takes the centre from a part's weights, and says what that makes of their noise. */
static double compare_part(size_t count, double *value, double *spread, double *sorted) {
  const size_t from = outside_middle(count), to = count - from;
  double centre = 0;
  memcpy(sorted, value, count * sizeof *sorted);
  vector_sort(sorted, count);
  for (size_t j = from; j < to; j++) {
    centre += sorted[j] / (double)(to - from);
  }
  for (size_t j = 0; j < count; j++) {
    spread[j] = centred_spread(count, value[j] >= sorted[from] && value[j] <= sorted[to - 1]);
    value[j] -= centre;
  }
  return centre;
}

/* The intercept takes over the centres of the parts: a row has an entry in each of them, or in what
 * stands for "missing" there. */
static void compare_weights(const weight_parts *parts, const weight_noise *out, size_t fit,
                            double *room) {
  double *value = out->value + fit * out->dims, *spread = out->spread + fit * out->dims,
         *centre = out->centre + fit * parts->count, baseline = 0;
  for (size_t p = 0; p < parts->count; p++) {
    const weight_part *part = &parts->list[p];
    for (size_t j = part->first; j < part->first + part->count; j++) {
      spread[j] = 1;
    }
    if (part->compared) {
      centre[p] = compare_part(part->count, value + part->first, spread + part->first, room);
      baseline += part->entry * centre[p];
    } else if (part->kind == PART_MISSING && p > 0) {
      centre[p] = centre[p - 1];
      value[part->first] -= centre[p];
    } else if (part->kind == PART_INTERCEPT) {
      value[part->first] += baseline / part->entry;
    }
  }
}

/* Classes that are learned jointly: a weight that all have says nothing. */
static void compare_classes(size_t classes, size_t dims, double *value) {
  for (size_t j = 0; j < dims; j++) {
    double sum = 0;
    for (size_t c = 0; c < classes; c++) {
      sum += value[c * dims + j];
    }
    for (size_t c = 0; c < classes; c++) {
      value[c * dims + j] -= sum / (double)classes;
    }
  }
}

/* ---- the loss's curvature, for scores as they might be */

/* The law of a fit's scores, taken to be normal. */
typedef struct score_law {
  double mean, variance;
} score_law;

/* The mean square of a line's entries. */
static double line_square(const dperm_model *model, const weight_parts *parts,
                          const weight_part *part) {
  const double norm = model->norm_bound, constant = model->intercept,
               whole = model->schema ? 1 : fmax(0, norm * norm - constant * constant);
  return fmin((parts->blocks > 0 ? lines_beside : 1) * whole / (double)parts->lines,
              part->entry * part->entry / 3);
}

static score_law score_law_of(const dperm_model *model, const weight_parts *parts,
                              const double *value) {
  score_law out = {0, 0};
  for (size_t p = 0; p < parts->count; p++) {
    const weight_part *part = &parts->list[p];
    const double *own = value + part->first;
    if (part_is_block(part)) {
      for (size_t j = 0; j < part->count; j++) {
        out.variance += part->entry * own[j] * (part->entry * own[j]) / (double)part->count;
      }
    } else if (part->kind == PART_LINE) {
      const double left = part->centred ? 1 : score_left;
      out.variance += left * line_square(model, parts, part) * *own * *own;
    } else if (part->kind == PART_INTERCEPT) {
      out.mean = part->entry * *own;
    }
  }
  out.mean = parts->lines > 0 ? 0 : out.mean; /* it may balance the means of lines */
  return out;
}

/* E ℓ″(y·score), where three labels of four are on the score's side; of counts E φ″(score). */
static double mean_curvature(const dperm_loss *loss, score_law law) {
  enum { STEPS = 81 };
  double sum = 0, whole = 0;
  for (int i = 0; i < STEPS; i++) {
    const double z = 8.0 * i / (STEPS - 1) - 4, likely = math_exp(-z * z / 2),
                 score = law.mean + z * sqrt(law.variance), size = fabs(score);
    const bool counts = loss_is_count(loss);
    const double margins[2] = {counts ? score : size, counts ? score : -size};
    double curvatures[2] = {0, 0};
    loss->eval(loss, 2, margins, NULL, NULL, curvatures);
    sum += likely * (0.75 * curvatures[0] + 0.25 * curvatures[1]);
    whole += likely;
  }
  return sum / whole;
}

/* Of classes that are learned jointly each against all others: the mean of its score becomes its
 * log-odds at the means of all. */
static void joint_means(score_law *laws, size_t classes) {
  double top = -INFINITY, sum = 0;
  for (size_t c = 0; c < classes; c++) {
    top = fmax(top, laws[c].mean);
  }
  for (size_t c = 0; c < classes; c++) {
    sum += math_exp(laws[c].mean - top);
  }
  for (size_t c = 0; c < classes; c++) {
    const double p = math_exp(laws[c].mean - top) / sum;
    laws[c].mean = math_log(p) - math_log1p(-fmin(p, 1 - 1e-9));
  }
}

static double mean_class_weight(const dperm_model *model) {
  double sum = 0;
  for (size_t c = 0; model->class_weights && c < model->classes.count; c++) {
    sum += model->class_weights[c];
  }
  return model->class_weights ? sum / (double)model->classes.count : 1;
}

/* NaN for a loss that the library does not have: only its largest curvature is known. */
static dperm_status find_curvatures(const dperm_model *model, const weight_parts *parts,
                                    weight_noise *out, dperm_error *err) {
  OWNED_MEMORY score_law *laws = NULL;
  const loss_kind *kind = loss_kind_named(model->joint ? "logistic" : model->loss);
  dperm_loss loss = {0};
  TRY(memory_new(out->fits, sizeof *laws, &laws, err));
  TRY(!kind          ? DPERM_OK
      : model->joint ? loss_make(kind, model->loss_h, &loss, err)
                     : model_loss(model, &loss, err));
  for (size_t m = 0; m < out->fits; m++) {
    laws[m] = score_law_of(model, parts, out->value + m * out->dims);
  }
  if (model->joint) {
    joint_means(laws, out->fits);
  }
  if (loss_is_count(&loss)) {
    laws[0].mean -= link_count_offset;
  } else if (label_range_known(model->range)) { /* of the residuals, which h is made for */
    laws[0] = (score_law){0, model->loss_h * model->loss_h};
  }
  for (size_t m = 0; m < out->fits; m++) {
    out->curvature[m] = kind ? mean_curvature(&loss, laws[m]) * mean_class_weight(model) *
                                   (double)model->rows_fitted
                             : (double)NAN;
  }
  return DPERM_OK;
}

/* ---- deviations */

/* What of the largest one is left where the records curve the objective by so much more than λ. Of
 * noisy descent, whose steps take a time of 1/λ together, noise dies away at that rate. */
static double contraction(const dperm_model *model, double lambda, double curvature) {
  const double times = 2 * curvature / lambda;
  if (model->plan.mechanism == DPERM_MECHANISM_DESCENT) {
    return times > 1e-6 ? sqrt(-math_expm1(-times) / times) : 1;
  }
  return lambda / (lambda + curvature);
}

/* The part of the records that is taken to have an entry at each weight of the part. None may have
 * one at "missing". */
static double assumed_share(const weight_part *part) {
  const size_t count = part->count + (part_is_block(part) && !part->compared); /* a reference */
  const double each = part->kind == PART_MISSING ? 0 : 1 / (double)(count < 2 ? 2 : count);
  return part->kind == PART_CELLS && part->count >= CELLS_LEAST ? each : each * each;
}

static double assumed_square(const dperm_model *model, const weight_parts *parts,
                             const weight_part *part) {
  const double left = part->centred ? line_centred : line_left;
  return part->kind == PART_LINE        ? left * line_square(model, parts, part)
         : part->kind == PART_INTERCEPT ? line_left * part->entry * part->entry
                                        : assumed_share(part) * part->entry * part->entry;
}

static void estimate_part(const dperm_model *model, const weight_parts *parts,
                          const weight_part *part, const weight_noise *noise, size_t fit) {
  double *estimate = noise->estimate + fit * noise->dims;
  const bool solved = noise->lambda > 0, known = !isnan(noise->curvature[fit]);
  const double most = part_is_block(part) ? (double)INFINITY : line_most * noise->lambda,
               whole = noise->curvature[fit] * assumed_square(model, parts, part),
               curvature = solved && known ? fmin(whole, most) : 0,
               by = solved ? contraction(model, noise->lambda, curvature) : 1;
  for (size_t j = part->first; j < part->first + part->count; j++) {
    estimate[j] = part->kind == PART_AFTER_FIT ? (double)NAN : by * noise->largest[j];
  }
}

/* ---- the correction by neighbouring cells */

static bool has_neighbours(const weight_part *part) {
  return part->kind == PART_CELLS && part->count >= CELLS_LEAST;
}

/* Second differences over their noise's deviation; their number. */
static size_t cell_differences(const weight_part *part, const double *value, const double *estimate,
                               double *out) {
  const double *own = value + part->first, *deviation = estimate + part->first;
  for (size_t j = 0; j + 2 < part->count; j++) {
    const double size = fabs(own[j] - 2 * own[j + 1] + own[j + 2]) / (sqrt(6) * deviation[j]);
    out[j] = isfinite(size) ? size : 0;
  }
  return part->count - 2;
}

/* The deviation of the noise in `sizes` by their lower part, which signals hardly touch. Sorts. */
static double lower_scale(double *sizes, size_t count) {
  vector_sort(sizes, count);
  const double at = fmin(fmax(lower_part * (double)count - 0.5, 0), (double)(count - 1));
  const size_t below = (size_t)at, above = below + 1 < count ? below + 1 : below;
  return (sizes[below] + (at - (double)below) * (sizes[above] - sizes[below])) / normal_part;
}

/* By the mean, of logarithms, of what its own cells and those of all columns say; never downwards,
 * and never above the most that there can be. */
static void correct_cells(const weight_parts *parts, const weight_noise *noise, size_t fit,
                          double *room) {
  const double *value = noise->value + fit * noise->dims;
  double *estimate = noise->estimate + fit * noise->dims;
  size_t count = 0;
  for (size_t p = 0; p < parts->count; p++) {
    if (has_neighbours(&parts->list[p])) {
      count += cell_differences(&parts->list[p], value, estimate, room + count);
    }
  }
  const double together = count > 0 ? lower_scale(room, count) : 1;
  for (size_t p = 0; p < parts->count; p++) {
    const weight_part *part = &parts->list[p];
    if (has_neighbours(part)) {
      const size_t own = cell_differences(part, value, estimate, room);
      const double by = fmax(1, sqrt(together * lower_scale(room, own)));
      for (size_t j = part->first; j < part->first + part->count; j++) {
        estimate[j] = fmin(by * estimate[j], noise->largest[j]);
      }
    }
  }
}

static dperm_status estimate_noise(const dperm_model *model, const weight_parts *parts,
                                   const weight_noise *noise, dperm_error *err) {
  OWNED_MEMORY double *room = NULL;
  TRY(memory_new(noise->dims, sizeof *room, &room, err));
  for (size_t m = 0; m < noise->fits; m++) {
    for (size_t p = 0; p < parts->count; p++) {
      estimate_part(model, parts, &parts->list[p], noise, m);
    }
    if (noise->lambda > 0) {
      correct_cells(parts, noise, m, room);
    }
  }
  for (size_t j = 0; j < noise->fits * noise->dims; j++) {
    noise->estimate[j] *= noise->spread[j];
  }
  return DPERM_OK;
}

/* The noise has no number for cells that were added after the fit, before the intercept. */
static dperm_status find_largest(const dperm_model *model, weight_noise *out, dperm_error *err) {
  const privacy_plan *plan = &model->plan;
  const size_t fitted = model_fitted(model), last = out->dims - fitted;
  const double by = out->lambda > 0 ? out->lambda : 1,
               joint = model->joint ? sqrt(1 - 1 / (double)model->classes.count) : 1;
  if (plan->mechanism == DPERM_MECHANISM_NONE) {
    return DPERM_OK;
  }
  noise_coordinate_rms(&plan->noise, out->largest);
  for (size_t j = 0; j < fitted; j++) {
    out->largest[j] *= joint / by;
  }
  if (last > 0 && model->schema->intercept) {
    out->largest[out->dims - 1] = out->largest[fitted - 1];
    out->largest[fitted - 1] = 0;
  }
  out->beyond = plan->mechanism == DPERM_MECHANISM_DESCENT
                    ? (double)NAN
                    : noise_figures_of(&plan->noise).q95 / by;
  return DPERM_OK;
}

dperm_status weight_noise_of(const dperm_model *model, const weight_parts *parts, weight_noise *out,
                             dperm_error *err) {
  OWNED_MEMORY double *room = NULL;
  const privacy_plan *plan = &model->plan;
  const size_t fits = class_fits(model->classes.count), all = fits * model->dims;
  const bool solved =
      plan->mechanism == DPERM_MECHANISM_OBJECTIVE || plan->mechanism == DPERM_MECHANISM_DESCENT;
  out->mechanism = plan->mechanism;
  out->dims = model->dims;
  out->fits = fits;
  out->lambda = solved ? (double)model->rows_fitted * (plan->lambda + plan->delta_reg) : 0;
  TRY(memory_new(model->dims, sizeof *out->largest, &out->largest, err));
  TRY(memory_new(all, sizeof *out->value, &out->value, err));
  TRY(memory_new(all, sizeof *out->estimate, &out->estimate, err));
  TRY(memory_new(all, sizeof *out->spread, &out->spread, err));
  TRY(memory_new(model->dims, sizeof *room, &room, err));
  TRY(memory_new(fits * parts->count, sizeof *out->centre, &out->centre, err));
  TRY(memory_new(fits, sizeof *out->curvature, &out->curvature, err));
  TRY(find_largest(model, out, err));
  memcpy(out->value, model->weights, all * sizeof *out->value);
  if (model->joint) {
    compare_classes(fits, model->dims, out->value);
  }
  for (size_t m = 0; m < fits; m++) {
    compare_weights(parts, out, m, room);
  }
  TRY(find_curvatures(model, parts, out, err));
  return estimate_noise(model, parts, out, err);
}

/* ---- verdicts */

/* Along the path of noise b a value changes by (e_j − c)ᵀb, where c, what each weight has in the
 * centre, changes in order alone: e_j − c is longest for a weight outside the middle. */
weight_verdict weight_noise_verdict(const weight_noise *noise, const weight_part *part, size_t fit,
                                    size_t j) {
  const bool bounded = part->kind != PART_INTERCEPT && part->kind != PART_MISSING;
  const double moved = part->compared ? centred_spread(part->count, part->count < 3) : 1,
               size = fabs(noise->value[fit * noise->dims + j]),
               deviation = noise->estimate[fit * noise->dims + j];
  if (isnan(deviation)) {
    return WEIGHT_UNKNOWN;
  }
  if (!(noise->largest[j] > 0)) {
    return WEIGHT_NO_NOISE;
  }
  if (bounded && size > moved * noise->beyond) {
    return WEIGHT_BEYOND;
  }
  return size > weight_noise_multiple * deviation ? WEIGHT_STANDS : WEIGHT_GREY;
}

double weight_noise_share(const weight_noise *noise, const weight_part *part, size_t fit,
                          size_t j) {
  const double size = fabs(noise->value[fit * noise->dims + j]),
               spread = noise->spread[fit * noise->dims + j],
               most = weight_noise_multiple * spread * noise->largest[j],
               whole = noise->curvature[fit] * part->entry * part->entry;
  const bool shares = part_is_block(part) || part->kind == PART_MISSING;
  if (!shares || noise->mechanism != DPERM_MECHANISM_OBJECTIVE || isnan(whole)) {
    return (double)NAN;
  }
  const double share = noise->lambda * (most / size - 1) / whole;
  return share <= 0 ? 0 : share <= 1 ? share : (double)NAN;
}
