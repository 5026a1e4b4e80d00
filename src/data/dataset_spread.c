/* Records that the processes of a job hold in memory, each its own rows, as one data set. */
#include <sodium.h>
#include <stdlib.h>

#include "base/memory.h"
#include "data/identity.h"

/* What all processes must have alike. */
typedef struct likeness {
  unsigned char schema[IDENTITY_SIZE];
  uint64_t unlabelled;
} likeness;

static dperm_status likeness_of(const dperm_data *data, likeness *out, dperm_error *err) {
  char *text = NULL;
  size_t length = 0;
  FAIL_IF(!data->table || !data->prints || data->x->spread, err, DPERM_INVALID_ARGUMENT,
          "only records from dperm_data_from_table can be joined among processes, and once");
  FAIL_IF(data->schema->person != NO_PERSON, err, DPERM_UNSUPPORTED,
          "the schema tells persons apart, and a person's records in memory may be in several "
          "processes; encode them into one file, and train from that");
  FAIL_IF(data->schema->on_missing == MISSING_DROP, err, DPERM_UNSUPPORTED,
          "the schema drops records that miss a value, so where the others belong would depend on "
          "it; set \"on_missing\" to \"zero\" or \"category\"");
  FAIL_IF(sodium_init() < 0, err, DPERM_UNSUPPORTED,
          "libsodium could not start; check the installation");
  TRY(dperm_schema_to_text(data->schema, &text, &length, err));
  (void)crypto_generichash(out->schema, sizeof out->schema, (const unsigned char *)text, length,
                           NULL, 0);
  dperm_text_free(text);
  out->unlabelled = data->unlabelled;
  return DPERM_OK;
}

static dperm_status check_alike(ranks *r, const dperm_data *data, dperm_error *err) {
  likeness here = {.unlabelled = 0};
  dperm_status status = likeness_of(data, &here, err);
  likeness leader = here;
  TRY(ranks_share(r, status, &leader, sizeof leader, err));
  if (memcmp(&here, &leader, sizeof here) != 0) {
    status = error_set(err, DPERM_INVALID_ARGUMENT,
                       "the processes of this job have records under different schemas, or some "
                       "without labels; give all the same");
  }
  return ranks_agree(r, status, err);
}

/* What one process says against the rows holds for all of them. */
static dperm_status share_marks(ranks *r, dperm_data *data, dperm_error *err) {
  enum { BITS = 8 * sizeof data->taken };
  uint64_t marks[BITS + 2] = {0};
  for (unsigned bit = 0; bit < BITS; bit++) {
    marks[bit] = data->taken >> bit & 1;
  }
  marks[BITS] = data->repeated;
  marks[BITS + 1] = data->x->rows;
  TRY(ranks_add(r, DPERM_OK, marks, BITS + 2, err));
  for (unsigned bit = 0; bit < BITS; bit++) {
    data->taken |= (unsigned)(marks[bit] > 0) << bit;
  }
  data->repeated = marks[BITS] > 0;
  return matrix_sparse_spread(data->x, r, (size_t)marks[BITS + 1], err);
}

dperm_status dperm_data_spread(dperm_data *data, dperm_ranks *r, dperm_error *err) {
  if (!r) {
    return DPERM_OK;
  }
  TRY(check_alike(r, data, err));
  TRY(share_marks(r, data, err));
  TRY(ranks_agree(r, memory_new(1, sizeof *data->identity, &data->identity, err), err));
  TRY(identity_of_spread(data, data->identity, err));
  free(data->prints); /* of the rows here alone */
  free(data->counts); /* as well */
  data->prints = NULL;
  data->counts = NULL;
  return DPERM_OK;
}
