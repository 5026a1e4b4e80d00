/* See private_schema.h. */
#include "run/private_schema.h"

#include <math.h>

#include "base/functions.h"
#include "base/memory.h"
#include "loss/loss.h"
#include "mechanism/selection.h"
#include "random/discrete_sampling.h"
#include "run/account.h"
#include "schema/auto_bins.h"

_Static_assert((int)WIDTHS == LENGTHS, "both are counted in `beyond`");

static dperm_status tally_under(const dperm_data *data, const dperm_schema *cells,
                                const size_t *drawn, size_t count, const line_lengths *lengths,
                                record_tally *out, dperm_error *err) {
  OWNED(data_view_close) dperm_data view = {0};
  TRY(data_view_open(data, cells, &view, err));
  return record_tally_of(&view, drawn, count, lengths, out, err);
}

/* ---- SCHEMA_COUNTED */

void counted_clear(counted_schema *c) {
  refine_counts_clear(&c->counts);
  dperm_schema_free(c->cells);
  *c = (counted_schema){0};
}

/* Whether the records can be counted, and their number is public. */
static dperm_status check_data(const dperm_data *data, dperm_neighbours neighbours,
                               dperm_error *err) {
  FAIL_IF(!data->table, err, DPERM_INVALID_ARGUMENT,
          "refine counts records that a schema describes, and these rows have none");
  TRY(neighbours == DPERM_NEIGHBOURS_REPLACE ? data_check_any(data, err) : DPERM_OK);
  return check_rows_public(data, err);
}

counts_request counts_of_run(const run *r, const dperm_data *data) {
  return (counts_request){.data = data,
                          .rows = r->rows,
                          .epsilon = r->how.epsilon,
                          .whole = r->options->epsilon,
                          .rows_per_person = r->options->rows_per_person,
                          .neighbours = r->options->neighbours,
                          .reasons = r->claim.reasons};
}

dperm_status counted_open(const counts_request *q, const dperm_schema *wide, counted_schema *out,
                          dperm_error *err) {
  TRY(refine_cell_schema(wide, false, &out->cells, err));
  out->data = q->data;
  out->wide = wide;
  out->numbers = refine_numbers_of(wide, false, q->rows, q->whole / (double)q->rows_per_person);
  out->claim = guarantee_with(
      guarantee_of_histograms(q->epsilon, q->rows_per_person, out->numbers.counted, q->neighbours),
      q->reasons);
  out->claim.person_rows = wide->person_rows;
  double rate = ratio_value(ratio_below(out->claim.epsilon_class));
  FAIL_IF(!(q->epsilon > 0 && q->epsilon < 1e6) || !(rate >= 1e-12), err, DPERM_INVALID_ARGUMENT,
          "refine has an epsilon of %g; it must be below 1e6 and have at least 1e-12 for each "
          "count: give it a larger share",
          q->epsilon);
  out->numbers.scale = 1 / rate;
  out->most = out->numbers.counted;
  return refine_counts_new(wide, out->cells, &out->numbers, &out->counts, err);
}

static dperm_status open_counts(const counts_request *q, counted_schema *out, dperm_error *err) {
  TRY(check_data(q->data, q->neighbours, err));
  return counted_open(q, q->data->schema, out, err);
}

dperm_status counted_prepare(const counts_request *q, counted_schema *out, dperm_error *err) {
  OWNED(record_tally_clear) record_tally tally = {0};
  TRY(ranks_agree(q->data->x->spread, open_counts(q, out, err), err));
  TRY(tally_under(q->data, out->cells, NULL, 0, NULL, &tally, err));
  refine_counts_add(&tally, &out->counts);
  return DPERM_OK;
}

/* The columns with the most cells, as many as may leave. */
static dperm_status keep_widest(const counted_schema *c, refine_counts *counts, dperm_error *err) {
  OWNED_MEMORY bool *kept = NULL;
  if (c->most >= counts->count) {
    return DPERM_OK;
  }
  TRY(memory_new(counts->count, sizeof *kept, &kept, err));
  for (size_t n = 0; n < c->most; n++) {
    size_t widest = SIZE_MAX;
    for (size_t i = 0; i < counts->count; i++) {
      bool wider = widest == SIZE_MAX || counts->columns[i].cells > counts->columns[widest].cells;
      widest = !kept[i] && wider ? i : widest;
    }
    kept[widest] = true;
  }
  refine_counts_keep(counts, kept);
  return DPERM_OK;
}

/* Bins and categories that are empty are merged, all of them; what is full is never. */
dperm_status counted_extreme(const counted_schema *c, bool finest, dperm_schema **out,
                             dperm_error *err) {
  OWNED(refine_counts_clear) refine_counts made_up = {0};
  TRY(refine_counts_new(c->wide, c->cells, &c->numbers, &made_up, err));
  TRY(keep_widest(c, &made_up, err));
  for (size_t i = 0; finest && i < made_up.count; i++) {
    for (size_t k = 0; k < made_up.columns[i].cells; k++) {
      made_up.columns[i].counts[k] = INT64_C(1) << 50;
    }
  }
  return refine_schema_make(c->wide, &made_up, &c->numbers, out, err);
}

dperm_status counted_widest(const counted_schema *c, const dperm_data *data, dperm_data *out,
                            dperm_error *err) {
  OWNED(dperm_schema_free_at) dperm_schema *finest = NULL;
  TRY(counted_extreme(c, true, &finest, err));
  return data_view_open(data, finest, out, err);
}

/* Which schema will come nobody knows. It lies between two: groups of columns stay groups or become
 * lines, and crosses have at most the pairs of all cells. Noise that both can have, all can. */
static dperm_status counted_plan(const run *r, const counted_schema *counted, bool finest,
                                 fit_plan *out, dperm_error *err) {
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  dperm_error reason = {0};
  dperm_status status = counted_extreme(counted, finest, &schema, &reason);
  status = status == DPERM_OK ? representation_plan(r, schema, out, &reason) : status;
  FAIL_IF(status != DPERM_OK, err, status, "counts may leave %s, and then %s",
          finest ? "very many bins" : "straight lines instead of bins", reason.message);
  return DPERM_OK;
}

dperm_status counted_release(counted_schema *c, random_source *source, dperm_schema **out,
                             dperm_error *err) {
  ranks *spread = c->data->x->spread;
  dperm_status status = DPERM_OK;
  if (ranks_lead(spread)) {
    refine_blur(&c->counts, &c->claim, source);
    status = random_check(source, err); /* after the last draw, before anything leaves */
  }
  for (size_t i = 0; i < c->counts.count; i++) {
    cell_counts *column = &c->counts.columns[i];
    TRY(ranks_share(spread, status, column->counts, column->cells * sizeof *column->counts, err));
  }
  TRY(status);
  return refine_schema_make(c->wide, &c->counts, &c->numbers, out, err);
}

/* ---- SCHEMA_ASKED, before the charge */

void asked_clear(asked_schema *a) {
  counted_clear(&a->counted);
  dperm_schema_free(a->plain);
  dperm_schema_free(a->in_ranges);
  free(a->scores);
  *a = (asked_schema){0};
}

/* What the sample is asked with, for one record: questions, one step between them and counts. */
typedef struct sample_shares {
  double scale, shape, pick, counts;
} sample_shares;

static sample_shares shares_of(const run *r, const record_sample *sample) {
  const size_t persons = r->options->rows_per_person;
  double scale = sample_epsilon(sample, epsilon_share(r->how.scale, persons));
  double both = sample_epsilon(sample, epsilon_share(r->how.epsilon, persons));
  double picked = sample_epsilon(sample, epsilon_share(r->how.picked, persons));
  double all = sample_epsilon(sample, epsilon_share(r->how.counted, persons));
  const size_t steps = pick_steps(&r->how);
  double picks = steps > 0 ? epsilon_rest(picked, both) : 0;
  return (sample_shares){scale, epsilon_rest(both, scale),
                         steps > 0 ? epsilon_share(picks, steps) : 0,
                         epsilon_rest(all, steps > 0 ? picked : both)};
}

/* The counts of a shape, as a refinement of the numbers of those that are asked. */
static dperm_status open_shape(const run *r, const asked_schema *a, const sample_shares *shares,
                               counted_schema *out, dperm_error *err) {
  const dperm_options *o = r->options;
  const unsigned halvings = a->sample.halvings;
  const double whole =
      ldexp(epsilon_share(o->epsilon, o->rows_per_person) * r->power, (int)halvings);
  out->data = a->data;
  out->wide = a->plain;
  out->numbers = refine_numbers_of(a->plain, true, r->asked >> halvings, whole);
  out->most = r->how.picks > 0 && !r->how.many ? r->how.picks : out->numbers.counted;
  out->claim = guarantee_of_histograms(shares->counts, 1, out->most, o->neighbours);
  out->numbers.scale = 1 / ratio_value(ratio_below(out->claim.epsilon_class));
  return refine_counts_new(a->plain, out->cells, &out->numbers, &out->counts, err);
}

/* The cells in which a shape is looked for are not so many as those that can be counted. */
static dperm_status find_shape(const run *r, asked_schema *a, const record_tally *tally,
                               dperm_error *err) {
  enum { GRID = 64 };
  OWNED(refine_counts_clear) refine_counts counts = {0};
  refine_numbers numbers = a->counted.numbers;
  numbers.grid = GRID;
  TRY(refine_counts_new(a->plain, a->counted.cells, &numbers, &counts, err));
  if (r->how.picks > 0) {
    TRY(memory_new(counts.count, sizeof *a->scores, &a->scores, err));
  }
  a->ranges.bins = a->in_ranges;
  TRY(shape_statistic(&counts, a->plain, tally, r->options->neighbours, a->scores,
                      a->in_ranges ? &a->ranges : NULL, &a->shape, err));
  refine_counts_add(tally, &a->counted.counts);
  return DPERM_OK;
}

/* Where no shape is asked for: the lines, of rows that are all divided by the same. */
static dperm_status fixed_schema(const dperm_schema *plain, dperm_schema **out, dperm_error *err) {
  json_auto_t *json = NULL;
  TRY(json_made(json_copy(plain->json), &json, err));
  TRY(json_put(json, "rows", json_string("fixed"), err));
  return schema_from_json(json, "schema", out, err);
}

dperm_status asked_open(const run *r, const dperm_schema *given, asked_schema *out,
                        dperm_error *err) {
  out->sample =
      record_sample_for(r->asked, epsilon_share(r->how.epsilon, r->options->rows_per_person));
  TRY(representation_given(r, given, &out->plain, err));
  if (r->how.counted == 0) {
    return fixed_schema(out->plain, &out->counted.cells, err);
  }
  const sample_shares shares = shares_of(r, &out->sample);
  TRY(representation_in_ranges(r, out->plain, &out->in_ranges, err));
  TRY(refine_cell_schema(out->plain, true, &out->counted.cells, err));
  return open_shape(r, out, &shares, &out->counted, err);
}

dperm_status asked_prepare(const run *r, const dperm_data *data, random_source *source,
                           asked_schema *out, dperm_error *err) {
  OWNED_MEMORY size_t *drawn = NULL;
  OWNED(record_tally_clear) record_tally tally = {0};
  size_t count = 0;
  line_lengths lengths;
  out->data = data;
  TRY(asked_open(r, data->schema, out, err));
  lengths.of = out->plain;
  scale_lengths(schema_asked_columns(out->plain), schema_encoded_columns(out->plain), r->classes,
                r->work * r->power, lengths.squares);
  for (size_t i = 0; i < LENGTHS; i++) { /* all rows are divided by the same */
    lengths.squares[i] /= math_pow(out->counted.cells->min_divisor, 2);
  }
  TRY(record_sample_of(&out->sample, data->x, source, &drawn, &count, err));
  if (r->classes == 0) {
    return label_widths_of(data, drawn, count, out->beyond, &out->rows, err);
  }
  TRY(tally_under(data, out->counted.cells, drawn, count, &lengths, &tally, err));
  out->rows = tally.rows;
  memcpy(out->beyond, tally_longer(&tally), sizeof out->beyond);
  return r->how.counted > 0 ? find_shape(r, out, &tally, err) : DPERM_OK;
}

/* ---- behind it */

dperm_status asked_options(const run *r, dperm_options *out, dperm_error *err) {
  const dperm_loss *loss = &r->options->loss;
  if (r->classes > 0 || !(r->how.scale > 0)) {
    return DPERM_OK;
  }
  const double h = loss_h_share(loss) * label_width_h(r->how.width, r->options->neighbours);
  return loss_with_h(loss, fmax(h, loss_kind_of(loss)->h_least), &out->loss, err);
}

/* The schema with 2^i as the weight of those columns that were asked and are lines. */
static dperm_status weigh(const dperm_schema *schema, const dperm_schema *plain, size_t i,
                          dperm_schema **out, dperm_error *err) {
  if (i == 0) {
    *out = schema_share(schema);
    return DPERM_OK;
  }
  json_auto_t *json = json_deep_copy(schema->json);
  json_t *list = json_object_get(json, "columns");
  for (size_t c = 0; c < schema->column_count; c++) {
    const schema_column *column = &schema->columns[c];
    const double line = column->binned ? column->line : column->weight;
    if (schema_column_asks(&plain->columns[c]) && line > 0) {
      const double weight = fmin(ldexp(line, (int)i), WEIGHT_MOST);
      TRY(json_put(json_array_get(list, c), column->binned ? "line" : "weight", json_real(weight),
                   err));
    }
  }
  return schema_from_json(json, "schema", out, err);
}

/* Of numeric labels, for the widest and the narrowest. */
static dperm_status width_plans(const run *r, const asked_schema *a, plan_visitor *visit,
                                void *context, dperm_error *err) {
  fit_plan plan;
  for (size_t width = 0; width <= WIDTHS; width += WIDTHS) {
    dperm_options options = *r->options;
    run one = *r;
    one.how.width = width;
    TRY(asked_options(&one, &options, err));
    one.options = &options;
    TRY(representation_plan(&one, a->plain, &plan, err));
    visit(context, &plan, false);
  }
  return DPERM_OK;
}

/* Counts may leave such lines, too. If there is noise for the lightest and for the heaviest, there
 * is for those between; but its kind, where that is open, may be another. */
dperm_status plans_that_may_come(const run *r, const asked_schema *a, const counted_schema *counts,
                                 plan_visitor *visit, void *context, dperm_error *err) {
  const dperm_options *o = r->options;
  const bool made = counts && counts->wide, open = o->noise == DPERM_NOISE_AUTO;
  const size_t step = !(o->delta > 0) ? SCALES - 1 : open ? 1 : (SCALES - 1) / 2;
  run counted = *r;
  fit_plan plan;
  if (a && r->classes == 0) {
    return width_plans(r, a, visit, context, err);
  }
  counted.claim = a && made ? run_claim_answered(r, r->how.counted) : r->claim;
  for (size_t i = 0; a && i < SCALES; i += step) {
    OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
    TRY(weigh(a->plain, a->plain, i, &schema, err));
    TRY(representation_plan(&counted, schema, &plan, err));
    TRY(representation_plan(r, schema, &plan, err));
    visit(context, &plan, false);
  }
  if (a && a->in_ranges) {
    counted.claim = run_claim_answered(r, r->how.ranged);
    TRY(representation_plan(&counted, a->in_ranges, &plan, err));
    visit(context, &plan, false);
    counted.claim = run_claim_answered(r, r->how.counted);
  }
  for (int finest = 0; made && finest < 2; finest++) {
    TRY(counted_plan(&counted, counts, finest, &plan, err));
    visit(context, &plan, true);
  }
  return DPERM_OK;
}

/* Chooses the columns that are counted, if not all are; the leader draws. */
static dperm_status pick_columns(asked_schema *a, const run *r, double epsilon,
                                 random_source *source, dperm_error *err) {
  OWNED_MEMORY bool *picked = NULL;
  ranks *spread = a->data->x->spread;
  const size_t columns = a->counted.counts.count, rows = r->asked >> a->sample.halvings;
  dperm_status status = memory_new(columns, sizeof *picked, &picked, err);
  if (status == DPERM_OK && ranks_lead(spread)) {
    bool all = r->how.many && shape_many(a->scores, columns, a->shape.reach, rows, epsilon, source);
    for (size_t j = 0; all && j < columns; j++) {
      picked[j] = true;
    }
    status = all ? DPERM_OK
                 : shape_pick(a->scores, columns, a->shape.reach, rows, r->how.picks, epsilon,
                              source, picked, err);
    status = status == DPERM_OK ? random_check(source, err) : status;
  }
  TRY(ranks_share(spread, status, picked, columns * sizeof *picked, err));
  refine_counts_keep(&a->counted.counts, picked);
  return DPERM_OK;
}

/* Asks, and makes the schema, without the statement of what it cost. */
static dperm_status asked_release(asked_schema *a, run *r, random_source *source, double *cost,
                                  dperm_schema **out, dperm_error *err) {
  OWNED(dperm_schema_free_at) dperm_schema *made = NULL;
  ranks *spread = a->data->x->spread;
  const sample_shares shares = shares_of(r, &a->sample);
  const size_t rows = r->asked >> a->sample.halvings;
  dperm_status status = DPERM_OK;
  size_t answers[3] = {0, 0, 0};
  if (ranks_lead(spread)) { /* for all processes */
    const share_of_all share = {1, r->classes == 0 ? LABEL_PARTS : SCALE_PARTS};
    answers[0] = r->how.scale > 0 ? select_crossing(source, a->beyond, LENGTHS, a->rows, share,
                                                    r->options->neighbours, shares.scale)
                                  : 0;
    answers[1] = r->how.counted > 0 && shape_found(&a->shape, rows, shares.shape, source);
    answers[2] = answers[1] && a->in_ranges &&
                 ranges_found(&a->ranges, a->shape.reach, rows, shares.pick, source);
    status = random_check(source, err);
  }
  TRY(ranks_share(spread, status, answers, sizeof answers, err));
  if (r->classes == 0) {
    r->how.width = answers[0];
    *out = schema_share(a->plain);
    return DPERM_OK;
  }
  if (answers[2]) { /* no line is left, so nobody hears of the weight */
    *cost = r->how.ranged;
    *out = schema_share(a->in_ranges);
    return DPERM_OK;
  }
  *cost = answers[1] ? r->how.counted : r->how.epsilon;
  if (answers[1] && a->scores) {
    TRY(pick_columns(a, r, shares.pick, source, err));
  }
  if (answers[1]) {
    TRY(counted_release(&a->counted, source, &made, err));
  } else {
    made = schema_share(a->plain);
  }
  return weigh(made, a->plain, answers[0], out, err);
}

dperm_status asked_settle(asked_schema *a, run *r, random_source *source,
                          const dperm_charge *charge, bool spends_delta, double *cost,
                          dperm_schema **out, dperm_error *err) {
  OWNED(dperm_schema_free_at) dperm_schema *made = NULL;
  *cost = r->how.epsilon;
  TRY(asked_release(a, r, source, cost, &made, err));
  if (*cost != r->how.epsilon) { /* of epsilon, and of nothing else, the fit has another part */
    const double charged = r->claim.delta;
    r->claim = guarantee_spending(run_claim_answered(r, *cost), spends_delta);
    r->claim.delta = charged;
  }
  return schema_state_cost(made, *cost, r->how.counted, &r->claim, charge, a->data->x->spread, out,
                           err);
}
