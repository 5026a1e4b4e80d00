/* A data set, in memory or mapped: matrix, labels, and what is known of both in public. */
#pragma once

#include "base/file_read.h"
#include "base/owned.h"
#include "base/text.h"
#include "data/persons.h"
#include "dperm/unsafe.h"
#include "matrix/matrix.h"
#include "random/row_bounds.h"
#include "read/encoded_file.h"
#include "schema/schema.h"
#include "table/row_fingerprint.h"
#include "table/rows.h"

/* ---- data sets */

/* How the rows were made, so that a model's predictions encode records the same way. */
typedef enum data_origin { ORIGIN_SCHEMA, ORIGIN_SVMLIGHT, ORIGIN_MEMORY } data_origin;

struct dperm_data {
  record_table *table; /* the records' cells, a share; NULL for rows that are numbers already */
  matrix *x;           /* their rows under `schema`: a view of the table, or the numbers */
  double *labels; /* −1 or +1 of two classes, the class's index of more, a number in [−1, 1] of a
                     regression (label_scaled); 0 where there is none */
  bool unlabelled;      /* rows from memory that have none */
  person_list *persons; /* NULL where each record is a person's own */
  double intercept;     /* the value of a constant last column of rows from memory; 0 for none */
  class_list classes;   /* as dperm_data_label gave them; empty: the schema's, or "-1" and "+1" */
  label_range range;    /* as dperm_data_target gave it; empty: the schema's, or there is none */
  row_bounds bounds;    /* of every stored row; the body's runs are the schema's */
  data_origin origin;
  unsigned taken;       /* of dperm_taken: what is known of the rows from the records alone */
  bool repeated;        /* a record stands for several rows: a selection named it twice */
  unsigned doubts;      /* why n may depend on what records say (row_doubt); 0 for nothing */
  char *doubted;        /* the file that has them, or NULL */
  dperm_schema *schema; /* a share, or NULL */
  bool from_file;       /* a whole file's rows; then the digest of its bytes: */
  unsigned char file_digest[FILE_DIGEST_SIZE];
  row_fingerprint *prints; /* else one a row (of all processes' rows, on each), by which a ledger
                            * knows them; NULL where nothing does, or where all is known already: */
  struct data_identity *identity;     /* of rows from memory among processes; or NULL */
  encoded_file *encoded;              /* that they are mapped from, a share; or NULL */
  dperm_unsafe_column_counts *counts; /* one per column of the schema; or NULL */
};
OWNED_HANDLE(dperm_data, dperm_data_free)

/* The range of a numeric label; empty where labels are classes. */
label_range data_label_range(const dperm_data *data);
/* The number of its classes, 0 of a regression, and a copy of their names. */
size_t data_class_count(const dperm_data *data);
dperm_status data_class_names(const dperm_data *data, class_list *out, dperm_error *err);
/* Fails where there is no row: most uses of data need one. */
dperm_status data_check_any(const dperm_data *data, dperm_error *err);
/* Fails for rows without labels. */
dperm_status data_check_labelled(const dperm_data *data, dperm_error *err);
/* And for classes that are not as many as these, or numbers where it is not 0. */
dperm_status data_check_labels(const dperm_data *data, size_t classes, dperm_error *err);

/* Rows that are made already into a data set; `rows` is left empty. With a schema they are as that
 * encodes records, but there is no table of these. */
dperm_status data_of_rows(growing_rows *rows, size_t dims, const dperm_schema *schema,
                          dperm_data **out, dperm_error *err);
/* The records of a table, which becomes a share of the data set's, under this schema. */
dperm_status data_of_table(record_table *t, const dperm_schema *schema, dperm_data **out,
                           dperm_error *err);

/* Records from, …, from + rows − 1 of an encoded file where they stand in it; without a schema
 * those of svmlight. */
dperm_status data_of_encoded(encoded_file *file, const dperm_schema *schema, size_t from,
                             size_t rows, const dperm_progress *progress, dperm_data **out,
                             dperm_error *err);

/* The same data under another schema of the table, as a value: what it does not have of its own
 * are the data's, which outlive it. On every process of a job. */
dperm_status data_view_open(const dperm_data *data, const dperm_schema *schema, dperm_data *out,
                            dperm_error *err);
void data_view_close(dperm_data *view);

/* Fails if the rows are those of a file that has changed since they were checked: to be asked
 * before anything that was made of them leaves. */
dperm_status data_unchanged(const dperm_data *data, dperm_error *err);

/* ---- persons (person_rows.c) */

/* Finds the persons of records that were read or chosen with labels; nothing where the schema has
 * none. On all processes of a job at once. */
dperm_status data_find_persons(dperm_data *data, dperm_error *err);
/* Those of records that were chosen: of `rows` of `from`. */
dperm_status data_select_persons(const dperm_data *from, const size_t *rows, size_t count,
                                 dperm_data *part, dperm_error *err);

/* How many there are whose data protect: persons, or records. */
size_t data_units(const dperm_data *data);
/* One record of each person, the first, as data of its own in *made, or the data as they are where
 * each record is a person's own. What must see a person once, sees these. On all processes. */
dperm_status data_once(const dperm_data *data, dperm_data **made, const dperm_data **out,
                       dperm_error *err);
/* Some of the units, with all records of theirs that count, in the order of the file, or with one
 * record each; without persons just these records, in the order given. */
dperm_status data_select_units(const dperm_data *data, const size_t *units, size_t count, bool once,
                               dperm_data **out, dperm_error *err);

/* ---- public weights of classes (class_weights.c): the loss of a record counts w times, w its
 * class's weight divided by the largest. So no record counts more than once, and the loss's
 * constants L and c, and all noise that follows from them, hold for every choice of weights
 * (docs/proofs/weights.md). */

/* What does not need the classes: numbers in range, names that are there and differ. */
dperm_status class_weights_validate(const dperm_class_weight *given, size_t count,
                                    dperm_error *err);

/* For each class its weight over the largest, for free(); a class that is not named weighs 1 before
 * that. A name that is no class's is an error. `out` is NULL to check the names alone. */
dperm_status class_weights_new(const class_list *classes, const dperm_class_weight *given,
                               size_t count, double **out, dperm_error *err);
/* The same for the classes of `data`; without weights `*out` stays as it is. */
dperm_status class_weights_of_data(const dperm_data *data, const dperm_class_weight *given,
                                   size_t count, double **out, dperm_error *err);

/* The weight of each row's class. */
void class_weights_of_rows(const double *weights, size_t classes, const double *labels, size_t rows,
                           double *out);
