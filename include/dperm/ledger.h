/* dperm: the ledger, what was spent. A file (SQLite) that knows the total budget of each data set
 * and every charge to it (docs/ledger.md). A charge is reserved, durably, before there is anything
 * to release, and committed with the digest of what was released; a reservation without a commit
 * stays spent. Before every charge the records are read and added up again; a ledger that does not
 * fit is refused. Any number of threads may use one handle: they take turns. It stays in the
 * process that opened it, and a visitor cannot use the ledger that it is shown. */
#ifndef DPERM_LEDGER_H
#define DPERM_LEDGER_H

#include "dperm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Space for an exact decimal ("0.1") and for a digest in hexadecimal. */
enum { DPERM_AMOUNT_SIZE = 124, DPERM_DIGEST_SIZE = 65 };

/* How charges add up, fixed with the budget (docs/proofs/composition.md): plain sums of epsilon and
 * of delta; or their Renyi divergences of one order, which many small releases with Gaussian noise
 * cost far less by. */
typedef enum dperm_composition {
  DPERM_COMPOSITION_PLAIN = 0,
  DPERM_COMPOSITION_RENYI = 1
} dperm_composition;
typedef struct dperm_ledger_budget {
  size_t size; /* set by dperm_ledger_budget_init */
  const char
      *epsilon;      /* totals, decimals that are taken exactly. A delta of NULL is 1e-30, which */
  const char *delta; /* covers rounding (privacy.md 8.5); Renyi composition needs one, of which
                        one half pays for the conversion, the other for failures */
  size_t rows_per_person; /* every charge is per person with at most so many; 1. 0: per person whom
                             the schema's "person" tells apart, with any number */
  dperm_composition composition;
  dperm_neighbours neighbours; /* replace; with add-remove releases that state n are refused */
  double order; /* above 1, for Renyi; 0: the one at which the most small releases fit */
  /* A data set of this ledger that the new one is a part of, or NULL: the people of both are its
   * people, so whatever the part is charged, it is charged too. The part takes the members above
   * from it, but may have an epsilon and a delta of its own, no larger ones. */
  const char *part_of;
} dperm_ledger_budget;
DPERM_OPTIONS_INIT(dperm_ledger_budget, DPERM_OPTIONS_BUDGET)
/* Gives a data set its budget, once and for good, in a new ledger or in one that is there. */
DPERM_API DPERM_CHECKED dperm_status dperm_ledger_create(const char *path, const char *dataset,
                                                         const dperm_ledger_budget *budget,
                                                         dperm_error *err);

DPERM_API DPERM_CHECKED dperm_status dperm_ledger_open(const char *path, dperm_ledger **out,
                                                       dperm_error *err);
DPERM_API void dperm_ledger_free(dperm_ledger *ledger);

/* What a run is charged, its claim as the data set counts it, and what it leaves there. The claim
 * is what it costs where sums are plain; else that is a divergence of the data set's Renyi order,
 * with the delta that counts beside it. */
struct dperm_charge {
  char epsilon[DPERM_AMOUNT_SIZE], delta[DPERM_AMOUNT_SIZE];
  char epsilon_left[DPERM_AMOUNT_SIZE], delta_left[DPERM_AMOUNT_SIZE]; /* empty without a ledger */
  uint64_t entry; /* number and digest of the reservation; 0 and empty if there is none */
  char digest[DPERM_DIGEST_SIZE];
  char cost_epsilon[DPERM_AMOUNT_SIZE], cost_delta[DPERM_AMOUNT_SIZE]; /* empty without a ledger */
  double order;       /* of the data set; 0 for plain sums */
  bool counted_twice; /* it is for records added and removed, in a budget for replaced ones */
};

typedef struct dperm_ledger_dataset {
  const char *name;
  const char *epsilon_total, *epsilon_spent, *epsilon_left;
  const char *delta_total, *delta_spent, *delta_left;
  size_t rows_per_person;
  const char *data; /* digest of the data, keyed by this ledger; empty before the first charge */
  const char *composition;                 /* "plain" or "renyi": what spent and left are by */
  double order;                            /* of the latter, else 0 */
  const char *epsilon_plain, *delta_plain; /* plain sums of what was charged, for comparison */
  const char *neighbours;                  /* "replace" or "add-remove" */
  const char *part_of; /* the data set that it is a part of, which its charges count for too; or
                          NULL */
} dperm_ledger_dataset;
typedef struct dperm_ledger_entry {
  uint64_t entry;
  const char *dataset, *time, *command, *mechanism, *epsilon, *delta, *digest; /* as reserved */
  uint64_t commit;      /* the record that commits it; 0: reserved, and spent all the same */
  const char *artifact; /* the digest of the model or score that was released */
  const char *cost_epsilon, *cost_delta; /* what it costs by the data set's composition */
  const char *terms;  /* the numbers that this follows from, as the record has them (formats.md) */
  bool counted_twice; /* its own claim is for records added and removed, of half this epsilon */
} dperm_ledger_entry;
typedef void dperm_dataset_visitor(void *context, const dperm_ledger_dataset *dataset);
typedef void dperm_entry_visitor(void *context, const dperm_ledger_entry *entry);

/* In order; `dataset` NULL for those of all. What is visited is valid during the call only. */
DPERM_API DPERM_CHECKED dperm_status dperm_ledger_datasets(dperm_ledger *ledger,
                                                           dperm_dataset_visitor *visit,
                                                           void *context, dperm_error *err);
DPERM_API DPERM_CHECKED dperm_status dperm_ledger_entries(dperm_ledger *ledger, const char *dataset,
                                                          dperm_entry_visitor *visit, void *context,
                                                          dperm_error *err);
/* The number of records (each charge has two) and the digest of the last: noted elsewhere, it shows
 * later that none of them was changed or taken away. */
DPERM_API DPERM_CHECKED dperm_status dperm_ledger_head(dperm_ledger *ledger, uint64_t *records,
                                                       char digest[DPERM_DIGEST_SIZE],
                                                       dperm_error *err);

/* For whatever tells exact things about records (counts of errors, sweeps, drafts of a schema):
 * fails if the ledger knows them. A file is known by its bytes, unpacked, an encoded one by its
 * source's; what can be read only once ("-") is refused. */
DPERM_API DPERM_CHECKED dperm_status dperm_ledger_refuse_data(dperm_ledger *ledger,
                                                              const dperm_data *data,
                                                              dperm_error *err);
DPERM_API DPERM_CHECKED dperm_status dperm_ledger_refuse_file(dperm_ledger *ledger,
                                                              const char *path, dperm_error *err);

/* The entry that a model was charged as; fails where there is none or it does not fit. */
DPERM_API DPERM_CHECKED dperm_status dperm_ledger_find_model(dperm_ledger *ledger,
                                                             const dperm_model *model,
                                                             dperm_entry_visitor *visit,
                                                             void *context, dperm_error *err);

#ifdef __cplusplus
}
#endif
#endif
