/* In place of src/ledger: a page keeps no file, so it has no ledger, and whatever names one is told
 * so. Nothing else here is reached without one. */
#include "ledger/charge.h"

static dperm_status none(dperm_error *err) {
  return error_set(err, DPERM_UNSUPPORTED,
                   "a page in a browser has no ledger; charge one with the dperm command");
}

dperm_status dperm_ledger_create(const char *path, const char *dataset,
                                 const dperm_ledger_budget *budget, dperm_error *err) {
  return none(err);
}

dperm_status dperm_ledger_open(const char *path, dperm_ledger **out, dperm_error *err) {
  return none(err);
}

void dperm_ledger_free(dperm_ledger *ledger) {}

dperm_status dperm_ledger_datasets(dperm_ledger *ledger, dperm_dataset_visitor *visit,
                                   void *context, dperm_error *err) {
  return none(err);
}

dperm_status dperm_ledger_refuse_data(dperm_ledger *ledger, const dperm_data *data,
                                      dperm_error *err) {
  return none(err);
}

dperm_status dperm_ledger_refuse_file(dperm_ledger *ledger, const char *path, dperm_error *err) {
  return none(err);
}

dperm_status dperm_ledger_find_model(dperm_ledger *ledger, const dperm_model *model,
                                     dperm_entry_visitor *visit, void *context, dperm_error *err) {
  return none(err);
}

dperm_status charge_reserve(dperm_ledger *ledger, const charge_request *request, bool dry_run,
                            dperm_charge *out, dperm_error *err) {
  return none(err);
}

dperm_status charge_commit(dperm_ledger *ledger, uint64_t entry, const char *artifact,
                           dperm_error *err) {
  return none(err);
}

dperm_status charge_find_secret(dperm_ledger *ledger, uint64_t entry, const char *receipt,
                                const data_identity *identity,
                                unsigned char secret[LEDGER_KEY_SIZE], double *held,
                                dperm_error *err) {
  return none(err);
}

dperm_status charge_check_refined(dperm_ledger *ledger, const schema_refined *refined,
                                  dperm_entry_visitor *visit, void *context, dperm_error *err) {
  return none(err);
}

dperm_status charge_refuse_known(dperm_ledger *ledger, const data_identity *identity,
                                 const char *path, const char *advice, dperm_error *err) {
  return none(err);
}
