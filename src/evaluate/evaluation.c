/* From scores to noisy tables (docs/proofs/evaluation.md 1 and 2). A record is in one cell of each
 * table: replaced, it moves two counts by one, each of which has half of that table's epsilon;
 * added or removed it moves one, which has all of it. Of epsilon an eighth finds the cells of the
 * score, two are for rates by group where one is declared, and the rest is for the table.
 * Everything else is computed from noisy counts. */
#include "evaluate/evaluation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/defect.h"
#include "base/functions.h"
#include "base/memory.h"
#include "evaluate/evaluation_figures.h"
#include "evaluate/regression.h"
#include "evaluate/score_cells.h"
#include "random/discrete_sampling.h"
#include "table/group_column.h"

/* Of epsilon, in parts of PARTS. */
enum { PARTS = 16, PARTS_UNITS = 1, PARTS_STEPS = 1, PARTS_GROUPS = 4 };
/* Exact evaluations have so many cells of two classes' scores, at most and but for 0. */
enum { EXACT_CELLS = 1000 };
/* Of more classes, counts tell only whether they are named right. */
enum { NAMED_MOST = 32 };

static ratio rate_of(const guarantee *claim, uint64_t parts) {
  const ratio part = ratio_below(claim->epsilon_class / PARTS); /* exactly: rates add up to it */
  return (ratio){part.over * parts, part.under};
}

dperm_status evaluation_claim(const evaluation_terms *terms, guarantee *out, dperm_error *err) {
  FAIL_IF(!dperm_neighbours_name(terms->neighbours), err, DPERM_INVALID_ARGUMENT,
          "neighbours number %d is none of the two", (int)terms->neighbours);
  const bool persons = terms->rows_per_person == 0;
  FAIL_IF(!(terms->epsilon > 0 && terms->epsilon < 1e6), err, DPERM_INVALID_ARGUMENT,
          "epsilon = %g; it must be positive and below 1e6", terms->epsilon);
  *out = guarantee_of_counts(terms->epsilon, persons ? 1 : terms->rows_per_person, true,
                             terms->neighbours);
  out->person_rows = persons; /* of whom one record counts */
  FAIL_IF(ratio_value(rate_of(out, 1)) < 1e-12, err, DPERM_INVALID_ARGUMENT,
          "epsilon = %g leaves less than 1e-12 for each count; give more", terms->epsilon);
  return DPERM_OK;
}

dperm_status evaluation_check(const dperm_model *model, const dperm_data *data, dperm_error *err) {
  return data_check_labels(data, model->classes.count, err);
}

/* ---- what must not leave */

typedef struct scored_part {
  const dperm_data *data;
  const dperm_schema *schema; /* the model's, which says of which groups */
  size_t rows, classes;       /* the rows that are here, */
  size_t total;               /* and those of all processes of a job */
  bool rows_public;
  double by;      /* scores times this are log-odds; 1 */
  double *scores; /* class_fits of each record */
} scored_part;

static void part_close(scored_part *p) {
  free(p->scores);
}

static dperm_status score_part(const dperm_model *model, const dperm_data *data, scored_part *out,
                               dperm_error *err) {
  const size_t classes = model->classes.count;
  TRY(evaluation_check(model, data, err));
  *out = (scored_part){.data = data,
                       .schema = data->table ? model->schema : NULL,
                       .rows = data->x->rows,
                       .total = rows_in_all(data->x),
                       .classes = classes,
                       .by = model->inverse_temperature};
  TRY(memory_new(out->rows * class_fits(classes), sizeof *out->scores, &out->scores, err));
  return dperm_model_scores(model, data, out->scores, err);
}

static size_t class_of(const scored_part *p, size_t record) {
  return class_of_label(p->classes, p->data->labels[record]);
}

static size_t named_of(const scored_part *p, size_t record) {
  return model_winner(p->classes, p->scores + record * class_fits(p->classes));
}

/* Which of `count` cells with these ends. */
static size_t cell_of_score(const double *ends, size_t count, double score) {
  size_t low = 0, high = count - 1;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (score > ends[middle]) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* ---- tables */

static dperm_status table_open(size_t classes, size_t cells, size_t rows, count_table *out,
                               dperm_error *err) {
  *out = (count_table){.classes = classes, .cells = cells, .rows = rows};
  return memory_new(classes * cells, sizeof *out->counts, &out->counts, err);
}

/* The cumulants of noise of this rate, P(y) ∝ e^(−rate·|y|), on every count; */
static void table_describe(count_table *t, ratio rate) {
  const double q = math_exp(-ratio_value(rate)), rest = -math_expm1(-ratio_value(rate)),
               square = rest * rest;
  t->variance = 2 * q / square;
  t->fourth = 2 * q * (1 + 4 * q + q * q) / (square * square);
}

/* and the noise itself. */
static void table_blur(count_table *t, ratio rate, random_source *source) {
  if (DEFECT("evaluation-half")) {
    rate.over *= 2;
  }
  for (size_t i = 0; i < t->classes * t->cells; i++) {
    t->counts[i] += random_discrete_laplace(source, rate);
  }
}

/* Counts of all processes of a job, with noise where there is a rate, on every process. Sums of
 * whole numbers are exact, in any order. */
static dperm_status table_gather(const scored_part *p, count_table *t, const ratio *rate,
                                 random_source *source, dperm_error *err) {
  ranks *spread = p->data->x->spread;
  const size_t count = t->classes * t->cells;
  TRY(ranks_add(spread, DPERM_OK, (uint64_t *)t->counts, count, err));
  if (rate) {
    table_describe(t, *rate);
  }
  if (rate && ranks_lead(spread)) {
    table_blur(t, *rate, source);
  }
  return ranks_share(spread, DPERM_OK, t->counts, count * sizeof *t->counts, err);
}

static void count_cells(const scored_part *p, const double *ends, count_table *t) {
  for (size_t i = 0; i < p->rows; i++) {
    const size_t class = class_of(p, i), named = named_of(p, i);
    const size_t cell = ends ? cell_of_score(ends, t->cells, p->by * p->scores[i])
                        : t->cells == p->classes ? named
                                                 : named != class;
    t->counts[class * t->cells + cell]++;
  }
}

static dperm_status count_groups(const scored_part *p, model_evaluation *e, dperm_error *err) {
  OWNED_MEMORY uint32_t *groups = NULL;
  TRY(memory_new(p->rows, sizeof *groups, &groups, err));
  TRY(groups_of_records(p->data->table, p->schema, groups, err));
  for (size_t i = 0; i < p->rows; i++) {
    const size_t class = class_of(p, i), wrong = named_of(p, i) != class;
    e->grouped.counts[(groups[i] * p->classes + class) * 2 + wrong]++;
  }
  return DPERM_OK;
}

/* ---- cells */

/* Counts of both classes in units and in steps of the score, at half of the cells' share each. */
static dperm_status count_steps(const scored_part *p, count_table *units, count_table *steps,
                                dperm_error *err) {
  TRY(table_open(2, SCORE_UNITS, 0, units, err));
  TRY(table_open(2, SCORE_STEPS, 0, steps, err));
  for (size_t i = 0; i < p->rows; i++) {
    const size_t class = class_of(p, i), step = step_of_score(p->by * p->scores[i]);
    units->counts[class * SCORE_UNITS + step / STEPS_EACH]++;
    steps->counts[class * SCORE_STEPS + step]++;
  }
  return DPERM_OK;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Without a claim: quantiles of the scores themselves, and 0. */
static dperm_status exact_ends(const scored_part *p, double *ends, size_t *count,
                               dperm_error *err) {
  OWNED_MEMORY double *sorted = NULL;
  size_t made = 0;
  TRY(memory_new(p->rows + 1, sizeof *sorted, &sorted, err));
  for (size_t i = 0; i < p->rows; i++) {
    sorted[i] = p->by * p->scores[i];
  }
  qsort(sorted, p->rows, sizeof *sorted, ascending);
  bool zero = false;
  for (size_t q = 1; q < EXACT_CELLS; q++) {
    const double end = sorted[q * p->rows / EXACT_CELLS];
    if (!zero && end >= 0) {
      ends[made++] = 0;
      zero = true;
    }
    if (made == 0 || end > ends[made - 1]) {
      ends[made++] = end;
    }
  }
  if (!zero) {
    ends[made++] = 0;
  }
  *count = made + 1;
  return DPERM_OK;
}

/* The cells of two classes' scores, from noisy counts. */
static dperm_status find_ends(const scored_part *p, const guarantee *claim, random_source *source,
                              model_evaluation *e, double *ends, size_t *count, dperm_error *err) {
  count_table *units = &e->units, *steps = &e->steps;
  double records = p->rows_public ? (double)p->total : 0;
  if (!claim) {
    return exact_ends(p, ends, count, err);
  }
  TRY(count_steps(p, units, steps, err));
  const ratio of_units = rate_of(claim, PARTS_UNITS), of_steps = rate_of(claim, PARTS_STEPS);
  const bool bare = DEFECT("evaluation-cells");
  TRY(table_gather(p, units, bare ? NULL : &of_units, source, err));
  TRY(table_gather(p, steps, bare ? NULL : &of_steps, source, err));
  for (size_t i = 0; i < units->classes * units->cells && !p->rows_public; i++) {
    records += (double)units->counts[i];
  }
  const step_counts given = {units->counts, steps->counts, sqrt(units->variance),
                             sqrt(steps->variance), records * claim->epsilon_row};
  *count = cells_choose(&given, ends);
  return DPERM_OK;
}

/* ---- all of it */

static dperm_status open_groups(const dperm_schema *schema, model_evaluation *e, dperm_error *err) {
  TRY(group_names(schema, &e->group_column, &e->groups, err));
  return e->groups.count > 0
             ? table_open(e->groups.count * e->classes.count, 2, e->table.rows, &e->grouped, err)
             : DPERM_OK;
}

/* Both tables, exactly; the first one's cells are released already. */
static dperm_status count_part(const scored_part *p, const double *ends, size_t cells,
                               model_evaluation *e, dperm_error *err) {
  TRY(table_open(p->classes, cells, p->rows_public ? p->total : 0, &e->table, err));
  if (ends) {
    TRY(memory_new(cells, sizeof *e->edges, &e->edges, err));
    memcpy(e->edges, ends, (cells - 1) * sizeof *ends);
    e->zero = 1 + cell_of_score(ends, cells, 0);
  }
  count_cells(p, e->edges, &e->table);
  TRY(open_groups(p->schema, e, err));
  return e->groups.count > 0 ? count_groups(p, e, err) : DPERM_OK;
}

static dperm_status evaluate_classes(const dperm_model *model, const dperm_data *data,
                                     const guarantee *claim, random_source *source,
                                     model_evaluation *e, dperm_error *err) {
  OWNED(part_close) scored_part part = {0};
  OWNED_MEMORY double *ends = NULL;
  dperm_loss loss;
  const size_t classes = model->classes.count;
  size_t cells = classes <= NAMED_MOST ? classes : 2;
  TRY(class_list_copy(&model->classes, &e->classes, err));
  e->log_odds = classes == 2 && model_log_loss(model, &loss) != NULL;
  TRY(score_part(model, data, &part, err));
  part.rows_public = !(claim && claim->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE);
  if (classes == 2) {
    TRY(memory_new(SCORE_STEPS, sizeof *ends, &ends, err));
    TRY(find_ends(&part, claim, source, e, ends, &cells, err));
  }
  TRY(count_part(&part, ends, cells, e, err));
  const uint64_t groups = e->groups.count > 0 ? PARTS_GROUPS : 0,
                 cells_have = ends ? PARTS_UNITS + PARTS_STEPS : 0;
  const ratio none = {0, 1}, rest = claim ? rate_of(claim, PARTS - groups - cells_have) : none,
              of_groups = claim ? rate_of(claim, groups) : none;
  TRY(table_gather(&part, &e->table, claim ? &rest : NULL, source, err));
  if (groups > 0) {
    TRY(table_gather(&part, &e->grouped, claim ? &of_groups : NULL, source, err));
  }
  return evaluation_figures(e, err);
}

/* Without a claim, exactly. */
static dperm_status evaluate(const dperm_model *model, const dperm_data *data,
                             const evaluation_terms *terms, const guarantee *claim,
                             random_source *source, model_evaluation **out, dperm_error *err) {
  OWNED(evaluation_free_at) model_evaluation *e = NULL;
  TRY(evaluation_check(model, data, err));
  TRY(memory_new(1, sizeof *e, &e, err));
  e->exact = !claim;
  e->terms = claim ? *terms : (evaluation_terms){0};
  if (label_range_known(model->range)) {
    TRY(memory_new(1, sizeof *e->numbers, &e->numbers, err));
    TRY(number_evaluate(model, data, claim, source, e->numbers, err));
  } else {
    TRY(evaluate_classes(model, data, claim, source, e, err));
  }
  *out = TAKE(e);
  return DPERM_OK;
}

dperm_status evaluation_private(const dperm_model *model, const dperm_data *part,
                                const evaluation_terms *terms, random_source *source,
                                model_evaluation **out, dperm_error *err) {
  OWNED(dperm_data_free_at) dperm_data *made = NULL;
  const dperm_data *once = NULL;
  guarantee claim;
  TRY(evaluation_claim(terms, &claim, err));
  FAIL_IF(
      (terms->rows_per_person == 0) != (part->persons != NULL), err, DPERM_INVALID_ARGUMENT,
      "an evaluation for persons needs a schema that tells them apart, and one for records none");
  TRY(data_once(part, &made, &once, err)); /* a person counts once, by their first record */
  return evaluate(model, once, terms, &claim, source, out, err);
}

dperm_status evaluation_exact(const dperm_model *model, const dperm_data *data,
                              model_evaluation **out, dperm_error *err) {
  OWNED(dperm_data_free_at) dperm_data *made = NULL;
  OWNED(evaluation_free_at) model_evaluation *e = NULL;
  const dperm_data *once = NULL;
  dperm_metrics exact;
  TRY(data_check_any(data, err));
  TRY(data_once(data, &made, &once, err)); /* what a private one would estimate */
  TRY(evaluate(model, once, NULL, NULL, NULL, &e, err));
  if (!e->numbers) { /* exactly, where steps of the score are not */
    TRY(dperm_model_score(model, once, &exact, err));
    e->auc = figure_moved(e->auc, exact.auc);
    e->log_loss = e->log_odds ? figure_moved(e->log_loss, exact.log_loss)
                              : (figure){exact.log_loss, (double)NAN, (double)NAN};
  }
  *out = TAKE(e);
  return DPERM_OK;
}

void evaluation_free(model_evaluation *e) {
  if (e) {
    class_list_clear(&e->classes);
    class_list_clear(&e->groups);
    free(e->group_column);
    free(e->table.counts);
    free(e->units.counts);
    free(e->steps.counts);
    free(e->grouped.counts);
    free(e->edges);
    free(e->numbers);
    free(e);
  }
}
