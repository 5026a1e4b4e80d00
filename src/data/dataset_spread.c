/* Data among the processes of a job. Of an encoded file each process maps, checks and keeps its own
 * rows. Records are text, and only reading tells where a record begins: each process reads the file
 * and keeps its share. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/dataset.h"
#include "data/matrix_spread.h"
#include "data/reader.h"

static dperm_status read_share(const dperm_source *source, ranks *r, const dperm_progress *progress,
                               size_t *total, dperm_data **out, dperm_error *err) {
  encoded_file *file = NULL;
  size_t first = 0, rows = 0;
  TRY(encoded_open_for(source, &file, err));
  *total = (size_t)file->trailer.rows;
  stripes_of_rank(*total, r, &first, &rows);
  return data_from_encoded(file, first, rows, progress, out, err);
}

/* All processes must have the same file before them: the same rows of the same bytes. */
static dperm_status check_same(ranks *r, dperm_status status, const dperm_data *data, size_t total,
                               dperm_error *err) {
  struct {
    uint64_t total, dims;
    unsigned char digest[FILE_DIGEST_SIZE];
  } here = {total, 0, {0}}, leader;
  if (status == DPERM_OK) {
    here.dims = data->x->cols;
    memcpy(here.digest, data->file_digest, FILE_DIGEST_SIZE);
  }
  leader = here;
  TRY(ranks_share(r, status, &leader, sizeof leader, err));
  if (memcmp(&here, &leader, sizeof here) != 0) {
    status = error_set(err, DPERM_INVALID_DATA,
                       "the processes of this job see different files under one name; copy the "
                       "same file to every machine");
  }
  return ranks_agree(r, status, err);
}

/* Only the rows of this process's share, from all. */
static dperm_status keep_share(const dperm_data *all, ranks *r, dperm_data **out,
                               dperm_error *err) {
  dperm_status status = DPERM_OK;
  size_t first = 0, count = 0;
  growing_rows kept = {0};
  stripes_of_rank(all->x->rows, r, &first, &count);
  TRY_OR_DONE(rows_reserve(&kept, 0, err)); /* also where no row comes */
  for (size_t i = first; i < first + count; i++) {
    const uint32_t *columns = NULL;
    const double *values = NULL;
    size_t entries = all->x->kind->entries(all->x, i, &columns, &values);
    TRY_OR_DONE(rows_reserve(&kept, entries, err));
    for (size_t e = 0; e < entries; e++) {
      rows_push(&kept, columns[e], values[e]);
    }
    rows_end(&kept, all->labels[i]);
  }
  TRY_OR_DONE(data_from_rows(&kept, all->x->cols, all->origin, all->schema, out, err));
  (*out)->comments_among = all->comments_among;
  (*out)->from_file = all->from_file;
  memcpy((*out)->file_digest, all->file_digest, FILE_DIGEST_SIZE);
done:
  rows_clear(&kept);
  return status;
}

static dperm_status read_all(const dperm_source *source, ranks *r, const dperm_progress *progress,
                             size_t *total, dperm_data **out, dperm_error *err) {
  dperm_data *all = NULL;
  TRY(dperm_data_read(source, progress, &all, err));
  *total = all->x->rows;
  dperm_status status = keep_share(all, r, out, err);
  dperm_data_free(all);
  return status;
}

dperm_status dperm_data_read_spread(const dperm_source *source, dperm_ranks *r,
                                    const dperm_progress *progress, dperm_data **out,
                                    dperm_error *err) {
  dperm_data *data = NULL;
  dperm_format format = DPERM_FORMAT_AUTO;
  size_t total = 0;
  if (!r) {
    return dperm_data_read(source, progress, out, err);
  }
  dperm_status status = source_format(source, &format, err);
  if (status == DPERM_OK) {
    status = format == DPERM_FORMAT_ENCODED ? read_share(source, r, progress, &total, &data, err)
                                            : read_all(source, r, progress, &total, &data, err);
  }
  status = check_same(r, status, data, total, err);
  if (status == DPERM_OK) {
    status = matrix_sparse_spread(data->x, r, total, err);
  }
  if (status == DPERM_OK) {
    *out = data;
  } else {
    dperm_data_free(data);
  }
  return status;
}
