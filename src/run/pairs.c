/* The stage that finds what two columns say together (mechanism/pair_table.h;
 * docs/proofs/pairs.md). What a record adds is whole numbers, computed from the released weights,
 * its own row and its own cells, so neither threads nor processes matter. Of many records a sample
 * chooses the pair (Lemma S of docs/proofs/bins.md); all fill its table. */
#include <math.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "mechanism/pair_table.h"
#include "refine/record_tally.h"
#include "run/options.h"
#include "run/stage.h"

/* ---- columns and pairs */

enum { COLUMNS_MOST = 128, PIECE_ROWS = 4 * MATRIX_BLOCK };
/* Scores of a block of rows, labels and weights of those drawn, and what is made of them. */
static const size_t block_room = (size_t)6 * MATRIX_BLOCK;

/* Columns of which a cross can tell parts apart. */
static size_t list_columns(const dperm_schema *schema, size_t columns[COLUMNS_MOST]) {
  size_t count = 0;
  for (size_t c = 0; c < schema->column_count; c++) {
    const schema_column *column = &schema->columns[c];
    bool has = column->type == COLUMN_NUMERIC || column->type == COLUMN_CATEGORICAL;
    if (has && column_parts(column) > 1) {
      if (count == COLUMNS_MOST) {
        return 0;
      }
      columns[count++] = c;
    }
  }
  return count;
}

static bool is_crossed(const dperm_schema *schema, size_t a, size_t b) {
  bool found = false;
  for (size_t i = 0; i < schema->cross_count; i++) {
    const size_t *of = schema->crosses[i].columns;
    found = found || (of[0] == a && of[1] == b) || (of[0] == b && of[1] == a);
  }
  return found;
}

/* All pairs of columns that the fit did not see together, into `out` (NULL to count them). */
static size_t list_pairs(const dperm_schema *schema, column_pair *out) {
  size_t columns[COLUMNS_MOST], count = list_columns(schema, columns), pairs = 0;
  for (size_t a = 0; a < count; a++) {
    for (size_t b = a + 1; b < count; b++) {
      if (!is_crossed(schema, columns[a], columns[b])) {
        if (out) {
          out[pairs] = (column_pair){columns[a], columns[b]};
        }
        pairs++;
      }
    }
  }
  return pairs;
}

size_t pairs_of_schema(const dperm_schema *schema) {
  const bool room =
      schema->cross_count + COLUMNS_MOST <= CROSSES_MOST; /* for those of open_parts */
  return room ? list_pairs(schema, NULL) : 0;
}

/* ---- when */

/* What a choice and a table need of records times epsilon, and where that is a small part of all,
 * the smaller the more columns the fit has to tell apart (docs/reproduction.md). */
static double usual(const dperm_options *o, const stage_numbers *n) {
  const double needs = 1800, least = 12000, each = 1500,
               most = 30; /* an epsilon above has no fit */
  const bool adding = o->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  const double work = (adding ? 2 : 1) * (double)n->rows * o->epsilon / (double)o->rows_per_person;
  const bool can = n->pairs > 0 && n->classes == 2 && options_may_ask(o) && o->calibrate == 0 &&
                   loss_kind_of(&o->loss);
  const bool pays = work >= fmax(least, each * (double)n->columns) && o->epsilon <= most;
  return can && pays ? needs / work : 0;
}

/* The noise is made for residuals that are a function of their own record to the bit, which nobody
 * promises of another's loss. */
static dperm_status check(const dperm_options *o, const stage_numbers *n, dperm_error *err) {
  FAIL_IF(n->classes != 2 || o->kernel.kind != DPERM_KERNEL_NONE || !loss_kind_of(&o->loss), err,
          DPERM_INVALID_ARGUMENT,
          "pairs of columns are looked for in linear models of two classes, with a loss of dperm's "
          "own; leave pairs out");
  FAIL_IF(n->pairs == 0, err, DPERM_INVALID_ARGUMENT,
          "pairs are of columns that a schema describes, two to %d of them, without a cross of "
          "their own; here are none to choose from, so leave pairs out",
          COLUMNS_MOST);
  return DPERM_OK;
}

/* ---- sums over records */

typedef struct pair_sums {
  const stage_work *work;
  const row_maker *parts; /* of the records' columns; */
  const column_pair *of;  /* of these two each pair is */
  size_t pairs;
  const size_t *drawn; /* `count` records of those here, numbered among all; NULL for all of them */
  size_t count;
  int64_t
      *sums; /* of each worker: slopes of all pairs, cell by cell, then curvatures of the last */
  size_t size;
} pair_sums;

/* Of those here. */
static size_t row_of(const pair_sums *p, size_t at) {
  const matrix *x = p->work->view;
  return p->drawn ? p->drawn[at] - (x->spread ? x->first : 0) : at;
}

static void add_record(const pair_sums *p, const uint8_t *parts, int32_t slope, int32_t curvature,
                       int64_t *sums) {
  size_t cell = PAIR_CELLS;
  for (size_t i = 0; i < p->pairs; i++, sums += PAIR_CELLS) {
    cell = (size_t)parts[p->of[i].a] * PAIR_PARTS + parts[p->of[i].b];
    if (cell < PAIR_CELLS) { /* not with PART_NONE */
      sums[cell] += slope;
    }
  }
  if (cell < PAIR_CELLS) {
    sums[cell] += curvature;
  }
}

/* Space of a worker, in doubles: of the matrix, scores and what is made of them, parts. */
static size_t worker_room(const dperm_model *model, const matrix *view) {
  return view->work_size + block_room + model->schema->column_count / sizeof(double) + 1;
}

static size_t room_of(const dperm_model *model, const matrix *view) {
  return pool_workers() * worker_room(model, view);
}

/* Rows of the matrix that are drawn, with their labels and weights, as a block. */
static void gather(const pair_sums *p, size_t at, size_t count, double *scores, double *work,
                   const double **labels, const double **row_weights) {
  const stage_work *w = p->work;
  const matrix *x = w->view;
  double *own = scores + MATRIX_BLOCK, *weighed = own + MATRIX_BLOCK;
  for (size_t i = 0; i < count; i++) {
    const size_t row = row_of(p, at + i);
    x->kind->apply_rows(x, row, 1, w->model->weights, 1, scores + i, work);
    own[i] = w->labels[row];
    weighed[i] = w->row_weights ? w->row_weights[row] : 1;
  }
  *labels = own;
  *row_weights = w->row_weights ? weighed : NULL;
}

static void add_piece(void *context, size_t piece, size_t worker) {
  const pair_sums *p = context;
  const stage_work *w = p->work;
  const matrix *x = w->view;
  const size_t begin = piece * PIECE_ROWS, left = p->count - begin,
               end = begin + (left < PIECE_ROWS ? left : PIECE_ROWS);
  double *work = w->room + worker * worker_room(w->model, x), *scores = work + x->work_size,
         *rest = scores + (size_t)3 * MATRIX_BLOCK;
  uint8_t *parts = (uint8_t *)(scores + block_room);
  int32_t slopes[MATRIX_BLOCK], curvatures[MATRIX_BLOCK];
  for (size_t at = begin; at < end; at += MATRIX_BLOCK) {
    const size_t count = end - at < MATRIX_BLOCK ? end - at : MATRIX_BLOCK;
    const double *labels = w->labels + at,
                 *row_weights = w->row_weights ? w->row_weights + at : NULL;
    if (p->drawn) {
      gather(p, at, count, scores, work, &labels, &row_weights);
    } else {
      x->kind->apply_rows(x, at, count, w->model->weights, 1, scores, work);
    }
    pair_residuals(w->loss, count, scores, labels, row_weights, rest, slopes, curvatures);
    for (size_t i = 0; i < count; i++) {
      parts_of_record(p->parts, row_of(p, at + i), parts);
      add_record(p, parts, slopes[i], curvatures[i], p->sums + worker * p->size);
    }
  }
}

/* Into the first worker's sums, over all processes. */
static dperm_status add_all(pair_sums *p, dperm_error *err) {
  const size_t workers = pool_workers();
  memset(p->sums, 0, workers * p->size * sizeof *p->sums);
  pool_run((p->count + PIECE_ROWS - 1) / PIECE_ROWS, add_piece, p);
  for (size_t w = 1; w < workers; w++) {
    for (size_t j = 0; j < p->size; j++) {
      p->sums[j] += p->sums[w * p->size + j];
    }
  }
  return ranks_add(p->work->view->spread, cancel_check(err), (uint64_t *)p->sums, p->size, err);
}

/* ---- what leaves */

/* Its epsilon in two: for the choice, of a sample, and for the table. */
typedef struct pair_shares {
  record_sample sample;
  double choice, table;
} pair_shares;

static pair_shares shares_of(double epsilon, size_t rows) {
  const double choice = pair_choice_share(epsilon);
  const record_sample sample = record_sample_for(rows, choice);
  return (pair_shares){sample, sample_epsilon(&sample, choice), epsilon_rest(epsilon, choice)};
}

static dperm_status choose(pair_sums *p, const pair_shares *shares, size_t *chosen,
                           dperm_error *err) {
  const stage_work *w = p->work;
  OWNED_MEMORY size_t *drawn = NULL, *order = NULL;
  OWNED_MEMORY uint64_t *costs = NULL;
  size_t count = 0;
  TRY(memory_new(p->pairs, sizeof *costs, &costs, err));
  TRY(memory_new(p->pairs, sizeof *order, &order, err));
  TRY(record_sample_of(&shares->sample, w->view, w->source, &drawn, &count, err));
  p->drawn = drawn;
  p->count = drawn ? record_sample_here(w->view, &p->drawn, count) : w->view->rows;
  TRY(add_all(p, err));
  if (ranks_lead(w->view->spread)) {
    *chosen =
        pair_choose(w->source, p->sums, p->pairs, w->neighbours, shares->choice, costs, order);
  }
  p->drawn = NULL;
  p->count = w->view->rows;
  return ranks_share(w->view->spread, DPERM_OK, chosen, sizeof *chosen, err);
}

/* What the cells of the one pair add to scores. */
static dperm_status fill(pair_sums *p, const pair_shares *shares, double offsets[PAIR_CELLS],
                         dperm_error *err) {
  const stage_work *w = p->work;
  const schema_column *columns = w->model->schema->columns;
  const size_t parts[2] = {column_parts(&columns[p->of->a]), column_parts(&columns[p->of->b])};
  cell_sums sums;
  dperm_status status = DPERM_OK;
  TRY(add_all(p, err));
  memcpy(sums.slope, p->sums, sizeof sums.slope);
  memcpy(sums.curvature, p->sums + PAIR_CELLS, sizeof sums.curvature);
  if (ranks_lead(w->view->spread)) {
    pair_blur(w->source, &sums, w->neighbours, shares->table);
    status = random_check(w->source, err); /* after the last draw, before anything leaves */
    pair_offsets(&sums, parts, w->loss, w->neighbours, shares->table, offsets);
  }
  return ranks_share(w->view->spread, status, offsets, PAIR_CELLS * sizeof *offsets, err);
}

/* A view of the columns of some pairs, by a schema that crosses them. */
static dperm_status open_parts(const stage_work *w, const column_pair *pairs, size_t count,
                               row_maker **out, dperm_error *err) {
  OWNED(dperm_schema_free_at) dperm_schema *crossed = NULL;
  TRY(schema_with_pairs(w->model->schema, pairs, count, &crossed, err));
  return parts_of_table(w->data->table, crossed, out, err);
}

static void close_parts(row_maker **parts) {
  if (*parts) {
    (*parts)->free(*parts);
  }
}

/* Which pair; crosses of neighbours are enough to have the parts of all columns. */
static dperm_status find_pair(pair_sums *p, const pair_shares *shares, size_t *chosen,
                              dperm_error *err) {
  OWNED(close_parts) row_maker *parts = NULL;
  size_t columns[COLUMNS_MOST], count = list_columns(p->work->model->schema, columns);
  column_pair pairs[COLUMNS_MOST];
  for (size_t i = 0; i + 1 < count; i++) {
    pairs[i] = (column_pair){columns[i], columns[i + 1]};
  }
  TRY(open_parts(p->work, pairs, count - 1, &parts, err));
  p->parts = parts;
  return choose(p, shares, chosen, err);
}

static dperm_status run_pairs(const stage_work *w, pair_sums *p, dperm_schema **made,
                              double offsets[PAIR_CELLS], dperm_error *err) {
  OWNED(close_parts) row_maker *parts = NULL;
  const pair_shares shares = shares_of(w->epsilon, w->model->rows);
  size_t chosen = 0;
  TRY(find_pair(p, &shares, &chosen, err));
  p->of += chosen;
  p->pairs = 1;
  p->size = (size_t)2 * PAIR_CELLS;
  TRY(open_parts(w, p->of, 1, &parts, err));
  p->parts = parts;
  TRY(fill(p, &shares, offsets, err));
  return schema_with_pairs(w->model->schema, p->of, 1, made, err);
}

static dperm_status run(const stage_work *w, json_t **released, dperm_error *err) {
  OWNED(dperm_schema_free_at) dperm_schema *made = NULL;
  OWNED_MEMORY column_pair *of = NULL;
  OWNED_MEMORY int64_t *sums = NULL;
  double offsets[PAIR_CELLS];
  pair_sums p = {.work = w, .pairs = list_pairs(w->model->schema, NULL)};
  if (p.pairs == 0) { /* what the records made of the schema left none */
    *released = json_pack("{s:n}", "pair");
    return DPERM_OK;
  }
  p.size = (p.pairs + 1) * PAIR_CELLS;
  TRY(memory_new(p.pairs, sizeof *of, &of, err));
  TRY(memory_new(pool_workers() * p.size, sizeof *sums, &sums, err));
  p.of = of;
  p.sums = sums;
  (void)list_pairs(w->model->schema, of);
  TRY(run_pairs(w, &p, &made, offsets, err));
  bool any = false;
  for (size_t c = 0; c < PAIR_CELLS; c++) {
    any = any || offsets[c] != 0;
  }
  if (!any) { /* but noise: the model stays as it is */
    *released = json_pack("{s:n}", "pair");
    return DPERM_OK;
  }
  return model_add_pair(w->model, made, offsets, released, err);
}

const stage pairs_stage = {.usual = usual, .check = check, .room = room_of, .run = run};
