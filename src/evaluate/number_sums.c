/* See number_sums.h. Sums are whole numbers of 2^−20: a record adds from 0 to 2^20 to each, so
 * replaced, added or removed it moves one by at most that. Of epsilon, in parts of 32, two find the
 * constant, two each cap, two count; the sums have the others. */
#include "evaluate/number_sums.h"

#include <math.h>

#include "base/defect.h"
#include "base/functions.h"
#include "base/memory.h"
#include "mechanism/selection.h"

enum { PARTS = 32, PARTS_ASKED = 2, PARTS_COUNTS = 2, BITS = 20, CAPS = 28 };
enum { PLACES = CROSSINGS_MOST + 1 };
static const uint64_t parts_of[SUMS] = {3, 3, 5, 2, 3, 2, 2, 3, 1};

typedef struct asked {
  const dperm_data *data;
  const double *values;
  number_sums *out;
  double part; /* of epsilon */
  dperm_neighbours neighbours;
  random_source *source;
} asked;

/* ---- questions: where rising counts of records cross a share */

/* Counts of all processes; the answer of the one that leads, on all. */
static dperm_status cross(const asked *a, uint64_t *counts, size_t count, share_of_all share,
                          size_t *answer, dperm_error *err) {
  ranks *spread = a->data->x->spread;
  TRY(ranks_add(spread, DPERM_OK, counts, count, err));
  for (size_t i = 1; i < count; i++) {
    counts[i] += counts[i - 1];
  }
  if (ranks_lead(spread)) {
    *answer = select_crossing(a->source, counts, count, rows_in_all(a->data->x), share,
                              a->neighbours, PARTS_ASKED * a->part);
  }
  return ranks_share(spread, DPERM_OK, answer, sizeof *answer, err);
}

/* Records times epsilon, as it seems. */
static double work_of(const asked *a) {
  return number_records(a->out) * PARTS * a->part;
}

/* Of so few an answer would be noise, and figures made with it sure of nothing: then the constant
 * is the middle, and no distance is clamped. */
static bool can_ask(const asked *a) {
  return work_of(a) >= 500;
}

/* The place of PLACES of equal length that the quantile is in. */
static dperm_status find_center(const asked *a, dperm_error *err) {
  OWNED_MEMORY uint64_t *counts = NULL;
  if (!can_ask(a)) {
    a->out->center = 0;
    return DPERM_OK;
  }
  const double thousandths = rint(1000 * a->out->quantile);
  size_t place = 0;
  TRY(memory_new(PLACES, sizeof *counts, &counts, err));
  for (size_t i = 0; i < a->data->x->rows; i++) {
    const size_t own = (size_t)((a->data->labels[i] + 1) * ((double)PLACES / 2));
    counts[own < PLACES ? own : PLACES - 1]++;
  }
  TRY(cross(a, counts, PLACES - 1, (share_of_all){(unsigned)thousandths, 1000}, &place, err));
  a->out->center = ((double)place + 0.5) / ((double)PLACES / 2) - 1;
  return DPERM_OK;
}

static double cap_of(int halves) {
  const double most = 2; /* from one end of the range to the other */
  return most * ldexp(halves % 2 == 0 ? 1 : sqrt(0.5), -(halves / 2));
}

/* Some times where a share of the records is beyond: further the more there are, as then the noise
 * of a longer cap matters less than a tail that is cut off. */
static dperm_status find_cap(const asked *a, const double *distances, double *out,
                             dperm_error *err) {
  const double work = work_of(a);
  const bool many = work >= 4000;
  const unsigned parts = many ? 20 : 10;
  const int longer = many ? 2 + (ilogb(work / 4000) + 1) / 2 : 3;
  uint64_t counts[CAPS] = {0};
  size_t found = 0;
  if (!can_ask(a)) {
    *out = cap_of(0);
    return DPERM_OK;
  }
  for (size_t i = 0; i < a->data->x->rows; i++) {
    int halves = 1;
    while (halves <= CAPS && !(fabs(distances[i]) > cap_of(halves))) {
      halves++;
    }
    if (halves <= CAPS) {
      counts[halves - 1]++;
    }
  }
  TRY(cross(a, counts, CAPS, (share_of_all){1, parts}, &found, err));
  *out = cap_of(found > (size_t)longer ? (int)found - longer : 0);
  return ranks_share(a->data->x->spread, DPERM_OK, out, sizeof *out, err); /* libm's may differ */
}

/* ---- noise */

/* Of the law P(y) ∝ exp(−rate·|y|). */
static noisy_number describe(int64_t released, double rate, double unit) {
  const double q = math_exp(-rate), rest = -math_expm1(-rate), square = rest * rest;
  return (noisy_number){(double)released * unit, 2 * q / square * unit * unit,
                        2 * q * (1 + 4 * q + q * q) / (square * square) * unit * unit * unit *
                            unit};
}

static int64_t blurred(uint64_t sum, ratio part, uint64_t parts, unsigned bits,
                       random_source *source) {
  const wide_signed far = (wide_signed)1 << 62;
  const wide_signed noisy =
      (wide_signed)sum + random_discrete_laplace_wide(source, (wide_integer)part.over * parts,
                                                      (wide_integer)part.under << bits);
  return (int64_t)(noisy > far ? far : noisy < -far ? -far : noisy);
}

/* Some of the released numbers, of which a record moves one by up to 2^bits (or 2^bits in all). */
static dperm_status release(const asked *a, uint64_t *exact, const uint64_t *parts, size_t count,
                            unsigned bits, int64_t *whole, noisy_number *out, dperm_error *err) {
  ranks *spread = a->data->x->spread;
  const ratio part = ratio_below(a->part);
  TRY(ranks_add(spread, DPERM_OK, exact, count, err));
  for (size_t i = 0; i < count && ranks_lead(spread); i++) {
    whole[i] = blurred(exact[i], part, DEFECT("sums-whole") ? PARTS : parts[i], bits, a->source);
  }
  TRY(ranks_share(spread, DPERM_OK, whole, count * sizeof *whole, err));
  for (size_t i = 0; i < count; i++) {
    out[i] = describe(whole[i], ldexp(ratio_value(part) * (double)parts[i], -(int)bits),
                      ldexp(1, -(int)bits));
  }
  return DPERM_OK;
}

/* A record is in one of both counts: replaced it moves both. */
static dperm_status release_counts(const asked *a, dperm_error *err) {
  const uint64_t own =
      a->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE ? PARTS_COUNTS : PARTS_COUNTS / 2;
  const uint64_t parts[2] = {own, own};
  uint64_t exact[2] = {0, 0};
  for (size_t i = 0; i < a->data->x->rows; i++) {
    exact[a->data->labels[i] > a->values[i]]++;
  }
  return release(a, exact, parts, 2, 0, a->out->whole, a->out->counts, err);
}

/* ---- sums */

/* From [0, 1]. */
static uint64_t fixed(double x) {
  return (uint64_t)rint(ldexp(fmin(fmax(x, 0), 1), BITS));
}

static void add_distance(double d, double cap, uint64_t *over, uint64_t *square) {
  const double size = fmin(fabs(d) / cap, 1);
  over[d > 0 ? 0 : 1] += fixed(size);
  *square += fixed(size * size);
}

static dperm_status release_distances(const asked *a, const double *constant, dperm_error *err) {
  const double cap = a->out->caps[0];
  uint64_t exact[SUM_GAIN] = {0};
  for (size_t i = 0; i < a->data->x->rows; i++) {
    const double d = a->values[i] - a->data->labels[i], size = fmin(fabs(d) / cap, 1),
                 square = size * size;
    add_distance(d, cap, &exact[SUM_OVER], &exact[SUM_SQUARE]);
    exact[SUM_OVER_SQUARE] += d > 0 ? fixed(square) : 0;
    exact[SUM_FOURTH] += fixed(square * square);
    add_distance(constant[i], a->out->caps[1], &exact[BASE_OVER], &exact[BASE_SQUARE]);
  }
  return release(a, exact, parts_of, SUM_GAIN, BITS, a->out->whole + 2, a->out->sums, err);
}

/* What R² is made of has a joint variance: of d² − left·(e − mean)², once that is known. */
static dperm_status release_gain(const asked *a, const double *constant, dperm_error *err) {
  number_sums *s = a->out;
  double mean = 0;
  const double model = s->caps[0] * s->caps[0], whole = base_squares(s, &mean),
               squares = fmax(model * s->sums[SUM_SQUARE].value, 0), most = 10;
  s->left = whole > 0 ? fmin(squares / whole, most) : 1;
  const double base = s->left * s->caps[1] * s->caps[1], unit = fmax(model, base);
  uint64_t exact = 0;
  for (size_t i = 0; i < a->data->x->rows; i++) {
    const double d = a->values[i] - a->data->labels[i],
                 e = fmax(fmin(constant[i], s->caps[1]), -s->caps[1]) - mean;
    const double gain = (fmin(d * d, model) - fmin(s->left * e * e, base)) / unit;
    exact += fixed(gain * gain);
  }
  return release(a, &exact, &parts_of[SUM_GAIN], 1, BITS, s->whole + 2 + SUM_GAIN,
                 &s->sums[SUM_GAIN], err);
}

/* ---- all of it */

dperm_status number_sums_private(const dperm_data *data, const double *values, double quantile,
                                 const guarantee *claim, random_source *source, number_sums *out,
                                 dperm_error *err) {
  OWNED_MEMORY double *distances = NULL;
  const size_t rows = data->x->rows;
  const bool adding = claim->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  *out = (number_sums){.rows = adding ? 0 : rows_in_all(data->x), .quantile = quantile};
  const asked a = {data, values, out, claim->epsilon_row / PARTS, claim->neighbours, source};
  TRY(memory_new(rows, sizeof *distances, &distances, err));
  TRY(release_counts(&a, err));
  TRY(find_center(&a, err));
  for (size_t i = 0; i < rows; i++) {
    distances[i] = values[i] - data->labels[i];
  }
  TRY(find_cap(&a, distances, &out->caps[0], err));
  for (size_t i = 0; i < rows; i++) {
    distances[i] = out->center - data->labels[i];
  }
  TRY(find_cap(&a, distances, &out->caps[1], err));
  TRY(release_distances(&a, distances, err));
  return release_gain(&a, distances, err);
}
