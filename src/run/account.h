/* How runs pay: before there is anything to release, and with the digest of what was released. */
#pragma once

#include "data/held_out.h"
#include "ledger/charge.h"
#include "model/model.h"
#include "privacy/guarantee.h"

/* What a run is to the ledger. */
typedef struct account_run {
  const dperm_account *account;
  const char *command, *mechanism;
  guarantee claim;
  const privacy_curve *curves;   /* what more is known of each plan that it may follow, for one */
  size_t curve_count;            /* record; none if nothing is */
  const dperm_data *data;        /* whose identity is asked for only if there is a ledger */
  const schema_refined *refined; /* of the schema, paid for by an entry before; or NULL */
  double counted; /* what a schema may cost that the run makes itself, by what records answer */
  const held_out *held; /* how it holds some of the records out, or NULL */
  bool costs_nothing;   /* the records have no part in the result: refused where others are
                           and told what is left, but written nowhere */
  bool everywhere;      /* the model is for all processes of a job, not for the leader alone */
} account_run;

/* Reserves the charge, or states it if this is a dry run, or refuses. Without a ledger nothing
 * happens but the statement. Where rows are spread over processes, the leader pays, and all learn
 * whether it could. The charge may be reserved even where this fails: see account_failed. */
dperm_status account_reserve(const account_run *run, dperm_charge *charge, dperm_error *err);

/* Marks the reservation as used for what has this digest. */
dperm_status account_commit(const account_run *run, const dperm_charge *charge,
                            const char *artifact, dperm_error *err);

/* Makes a model that claims what the whole run is charged; `*out` is the caller's in any case. */
typedef dperm_status model_maker(void *context, const dperm_charge *charge, dperm_model **out,
                                 dperm_error *err);

/* The order of every run that makes a model: whatever can fail before the charge has not
 * (`prepared`, a status of this process), pay, make, commit. It succeeds or fails on all processes
 * of a job; the leader has the model, which names its reservation. A dry run makes none. A run that
 * fails before this is for its caller to agree on (ranks_agree). */
dperm_status account_make_model(const account_run *run, dperm_status prepared, model_maker *make,
                                void *context, dperm_model **out, dperm_error *err);

/* The end of a run: after a failure behind a reservation the message says that the charge stays. */
dperm_status account_failed(const dperm_charge *charge, dperm_status status, dperm_error *err);

/* `made`, a schema that the records made, with the statement of what it cost them: epsilon for the
 * unit of `claim`, or `later` where it is used again and that is more; whether that is private, the
 * leader's charge. On every process of a job. */
dperm_status schema_state_cost(const dperm_schema *made, double epsilon, double later,
                               const guarantee *claim, const dperm_charge *charge, ranks *spread,
                               dperm_schema **out, dperm_error *err);
