/* Records of an Arrow stream, by the Arrow C data interface: what polars, pyarrow, DuckDB and ADBC
 * hand out. No library of Arrow's is needed; its structs are declared here as its specification has
 * them. The stream goes into the table batch by batch, so no more of it is in memory at once. */
#ifndef DPERM_ARROW_H
#define DPERM_ARROW_H

#include "dperm.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char *format;
  const char *name;
  const char *metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema **children;
  struct ArrowSchema *dictionary;
  void (*release)(struct ArrowSchema *);
  void *private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void **buffers;
  struct ArrowArray **children;
  struct ArrowArray *dictionary;
  void (*release)(struct ArrowArray *);
  void *private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
  int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
  const char *(*get_last_error)(struct ArrowArrayStream *);
  void (*release)(struct ArrowArrayStream *);
  void *private_data;
};

#endif

/* As dperm_source.arrow, for dperm_data_read, dperm_encode_file and dperm_predict_file; begin with
 * all zeros. The source's schema finds the columns by their names; what it does not list is not
 * looked at. Columns are numbers, booleans, texts, nulls, or dictionaries of them; other types, and
 * types of somebody's own, are refused by name. A record has the row that it has by any other way:
 * null and NaN are a value that is missing, true is 1 in a numeric column and "True" elsewhere, a
 * whole number is its digits, whatever its type. */
struct dperm_arrow {
  struct ArrowArrayStream *stream; /* of struct arrays. The call that reads it releases it, also
                                      when it fails; one that fails before leaves it as it is */
  /* `label_count` labels that come beside the stream, of texts, or numbers for a numeric label; or
   * NULL: they are a column of it. */
  const dperm_column *labels;
  size_t label_count;
  bool unlabelled;         /* records to predict, for dperm_data_read: nobody looks for labels */
  const void *reserved[4]; /* zeros: space for members to come */
};

#ifdef __cplusplus
}
#endif
#endif
