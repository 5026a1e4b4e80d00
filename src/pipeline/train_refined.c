/* dperm_train_refined: a refinement and a fit as one run, for one charge. The records are read
 * twice: in cells, before the charge, and under the refined schema, behind it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dperm/bins.h"
#include "dperm/refine.h"
#include "mechanism/given_options.h"
#include "mechanism/mechanism.h"
#include "pipeline/account.h"
#include "pipeline/fit_work.h"
#include "pipeline/options.h"
#include "pipeline/refinement.h"
#include "random/random_handle.h"

/* Where the records come from. */
typedef struct records {
  const dperm_schema *wide;
  dperm_record_reader *read;
  void *context;
} records;

typedef struct refined_run {
  const records *from;
  const dperm_options *options;
  guarantee claim; /* of refinement and fit */
  refinement first;
  random_source *source;
  dperm_charge charge; /* filled before the work begins */
} refined_run;

/* ---- before the charge */

static dperm_status check_request(const dperm_options *o, double share, dperm_error *err) {
  TRY(options_validate(o, err));
  if (o->mechanism == DPERM_MECHANISM_NONE) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "a refinement needs a private mechanism and an epsilon to share; train without it");
  }
  if (!isnan(share) && !(share > 0 && share < 1)) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "a share of %g for the refinement; give one above 0 and below 1", share);
  }
  if (o->regularizer.weights || o->regularizer.prior) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "weights and priors of the regularizer have a number for each encoded column, which a "
         "refinement is to decide; refine first, then train");
  }
  return DPERM_OK;
}

/* What could refuse the fit for public reasons refuses it now: its rows will have the same norm and
 * labels as those in cells. */
static dperm_status rehearse(const refined_run *run, const dperm_data *counted, dperm_error *err) {
  dperm_options row = options_per_row(run->options);
  fit_plan plan;
  row.epsilon = run->claim.epsilon_row;
  TRY(guarantee_check(&run->claim, err));
  return fit_check(counted, rows_in_all(counted->x), &row, &plan, err);
}

/* ---- behind it */

/* As far as it can be told: a file's bytes, a table's values, their number. */
static dperm_status check_same(const dperm_data *a, const dperm_data *b, dperm_error *err) {
  data_identity first, second;
  bool same = rows_in_all(a->x) == rows_in_all(b->x);
  bool known = a->from_file || (a->prints && b->prints);
  if (same && known && a->from_file == b->from_file) {
    TRY(identity_of_data(a, &first, err));
    TRY(identity_of_data(b, &second, err));
    same = memcmp(first.given, second.given, sizeof first.given) == 0;
  }
  if (!same || a->from_file != b->from_file) {
    FAIL(err, DPERM_INVALID_DATA,
         "the records were changed between counting and fitting; run again and leave them alone");
  }
  return DPERM_OK;
}

static dperm_status fit(const refined_run *run, const dperm_data *data, dperm_model **out,
                        dperm_error *err) {
  dperm_options row = options_per_row(run->options);
  fit_plan plan = {0};
  row.epsilon = run->claim.epsilon_row;
  OWNED(fit_work_clear)
  fit_work work = {.data = data, .options = &row, .plan = &plan, .source = run->source};
  TRY(fit_check(data, rows_in_all(data->x), &row, &plan, err));
  plan.claim = run->claim;
  TRY(fit_prepare(&work, err));
  TRY(fit_perform(&work, out, err));
  return data_unchanged(data, err);
}

/* What is paid for (model_maker). */
static dperm_status make(void *context, dperm_model **out, dperm_error *err) {
  refined_run *run = context;
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  const dperm_data *counted = run->first.data;
  TRY(refinement_release(&run->first, &run->charge, run->source, &schema, err));
  TRY(run->from->read(run->from->context, schema, &data, err));
  TRY(check_same(counted, data, err));
  TRY(fit(run, data, out, err));
  return data_unchanged(counted, err);
}

/* ---- the run */

static dperm_status train_counted(refined_run *run, const dperm_data *counted, double share,
                                  dperm_model **out, dperm_error *err) {
  const dperm_options *o = run->options;
  const private_run whole = {.epsilon = o->epsilon,
                             .rows_per_person = o->rows_per_person,
                             .classes = data_class_count(counted),
                             .refined = share * o->epsilon};
  const refinement_terms terms = {.epsilon = whole.refined,
                                  .whole = o->epsilon,
                                  .rows_per_person = o->rows_per_person,
                                  .reasons =
                                      options_reasons(o, counted) | source_reasons(run->source)};
  run->claim = guarantee_with(guarantee_of_run(&whole), terms.reasons);
  dperm_status status = rehearse(run, counted, err);
  status = status == DPERM_OK
               ? refinement_prepare(run->from->wide, counted, &terms, &run->first, err)
               : status;
  char words[64];
  dperm_account account = o->account;
  (void)snprintf(words, sizeof words, "%s, refined", mechanism_of(o->mechanism)->name);
  account.charge = &run->charge;
  bool diagnosed = o->unsafe_diagnostics && account.ledger; /* have no price */
  const account_run paid = {.account = &account,
                            .command = "train",
                            .mechanism = words,
                            .claim = guarantee_with(run->claim, diagnosed ? REASON_DIAGNOSTICS : 0),
                            .data = counted};
  status = account_make_model(&paid, status, make, run, out, err);
  if (o->account.charge) {
    *o->account.charge = run->charge;
  }
  return status;
}

/* The wide schema as a fit without a refinement takes it. */
static dperm_status resolve_wide(const records *from, const dperm_options *o,
                                 const dperm_data *counted, int all_numeric, dperm_schema **out,
                                 dperm_error *err) {
  dperm_resolve_options how;
  dperm_resolve_options_init(&how);
  how.all_numeric = all_numeric != 0;
  TRY(dperm_train_share(rows_in_all(counted->x), data_class_count(counted), o, &how.rows,
                        &how.epsilon, err));
  return dperm_schema_resolve(from->wide, &how, out, err);
}

static void clear_run(refined_run *run) {
  refinement_clear(&run->first);
}

dperm_status dperm_train_refined(const dperm_schema *wide, dperm_record_reader *read, void *context,
                                 const dperm_options *given, double share, int all_numeric,
                                 dperm_model **out, dperm_error *err) {
  OWNED(random_wipe) random_source own = {0};
  OWNED(dperm_schema_free_at) dperm_schema *cells = NULL, *resolved = NULL;
  OWNED(dperm_data_free_at) dperm_data *counted = NULL, *data = NULL;
  dperm_options options;
  const records from = {wide, read, context};
  OWNED(clear_run) refined_run run = {.from = &from, .options = &options};
  TRY(given_options(given, &options, err));
  TRY(check_request(&options, share, err));
  TRY(random_given(options.random, &own, &run.source, err));
  TRY(refine_cell_schema(wide, &cells, err));
  TRY(read(context, cells, &counted, err));
  dperm_status status = refinement_check_data(wide, counted, err);
  TRY(ranks_agree(counted->x->spread, status, err));
  const refine_numbers numbers =
      refinement_numbers(wide, counted, options.epsilon, options.rows_per_person);
  double usual = refine_rule_share(&numbers);
  if (usual > 0) {
    status = train_counted(&run, counted, isnan(share) ? usual : share, out, err);
    return status == DPERM_OK ? status : ranks_agree(counted->x->spread, status, err);
  }
  /* it would not pay: a fit of the wide schema, for all of epsilon */
  TRY(resolve_wide(&from, &options, counted, all_numeric, &resolved, err));
  dperm_data_free(counted);
  counted = NULL;
  TRY(read(context, resolved, &data, err));
  return dperm_train(data, given, out, err);
}

/* ---- tables */

typedef struct given_table {
  size_t rows;
  const dperm_column *columns, *labels;
  unsigned taken;
} given_table;

/* dperm_record_reader: a refinement leaves columns in their places. */
static dperm_status read_table(void *context, const dperm_schema *schema, dperm_data **out,
                               dperm_error *err) {
  const given_table *t = context;
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  TRY(dperm_data_from_table(schema, t->rows, t->columns, t->labels, &data, err));
  TRY(dperm_data_taken(data, t->taken, err));
  *out = data;
  data = NULL;
  return DPERM_OK;
}

dperm_status dperm_train_refined_table(const dperm_schema *wide, size_t rows,
                                       const dperm_column *columns, const dperm_column *labels,
                                       unsigned taken, const dperm_options *options, double share,
                                       int all_numeric, dperm_model **out, dperm_error *err) {
  given_table table = {rows, columns, labels, taken};
  return dperm_train_refined(wide, read_table, &table, options, share, all_numeric, out, err);
}
