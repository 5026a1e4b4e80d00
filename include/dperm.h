/* dperm: differentially private empirical risk minimization.
 *
 * The whole public C API. The way through it is the way of the data: a schema says in public what
 * a record may look like; a reader turns records into bounded rows; training turns rows into a
 * model; a model predicts.
 *
 *     dperm_schema_read -> dperm_data_read -> dperm_train -> dperm_model_write / dperm_predict_file
 *
 * Conventions, everywhere:
 *   - A function that can fail returns a status and writes one sentence into the caller's
 *     dperm_error (which may be NULL). Outputs are written only on success.
 *   - Handles are opaque, made by the library and given back with X_free; X_free(NULL) is fine.
 *     What a handle gives (names, weights, labels) is its own and lives as long as it does; what a
 *     call is given stays the caller's and need live no longer than the call, unless it says so.
 *   - Pointers are not NULL unless it says so; arrays and buffers are as long as their counts say.
 *   - The library never prints and never exits. Different threads may use different handles at
 *     once, and one model, schema or data set may be used by many: training, predicting and scoring
 *     only read it. dperm_random, dperm_ranks and dperm_output are one thread's at a time. Only the
 *     library's threads are process-wide: they sleep between calls, a child after fork(2) starts
 *     its own, and dlclose leaves the library in memory.
 *   - Structs that may grow (CONTRIBUTING.md says which) come with the size that the program knows:
 *     in a first member that X_init sets, or beside the result, where X is an inline call of the
 *     library's X_sized. Programs write X. What is larger than the library's is refused.
 *   - A dperm_data gives its owner's rows back. Apart from that, whatever depends on the records
 *     and is not a released model or its score on public data carries "unsafe" in its name.
 */
#ifndef DPERM_H
#define DPERM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define DPERM_API __attribute__((visibility("default")))
#define DPERM_CHECKED __attribute__((warn_unused_result))
#else
#define DPERM_API
#define DPERM_CHECKED
#endif
#define DPERM_INLINE static inline DPERM_CHECKED

#define DPERM_VERSION_MAJOR 0
#define DPERM_VERSION_MINOR 2
#define DPERM_VERSION_PATCH 0

/* "0.2.0": the version of the library that runs, which may differ from the header's. */
DPERM_API const char *dperm_version(void);

/* ---------------------------------------------------------------- statuses and errors */

/* One list feeds the enum and the texts. Numbers are fixed for good; a retired one stays unused. */
#define DPERM_STATUS_LIST(X)                                                                       \
  X(DPERM_OK, 0, "success")                                                                        \
  X(DPERM_INVALID_ARGUMENT, 1, "invalid argument")                                                 \
  X(DPERM_INVALID_DATA, 2, "invalid data")                                                         \
  X(DPERM_INVALID_SCHEMA, 3, "invalid schema")                                                     \
  X(DPERM_INVALID_MODEL, 4, "invalid model")                                                       \
  X(DPERM_IO_ERROR, 5, "input or output failed")                                                   \
  X(DPERM_OUT_OF_MEMORY, 6, "out of memory")                                                       \
  X(DPERM_NUMERIC_ERROR, 7, "numeric failure")                                                     \
  X(DPERM_UNSUPPORTED, 8, "not supported")                                                         \
  X(DPERM_CANCELLED, 9, "cancelled")                                                               \
  X(DPERM_OVER_BUDGET, 10, "refused by the privacy budget")                                        \
  X(DPERM_INVALID_LEDGER, 11, "invalid ledger")

typedef enum dperm_status {
#define DPERM_STATUS_ENUM(name, number, text) name = (number),
  DPERM_STATUS_LIST(DPERM_STATUS_ENUM)
#undef DPERM_STATUS_ENUM
} dperm_status;

/* A short text for a status ("invalid data"); "unknown status" for a number that is none. */
DPERM_API const char *dperm_status_text(dperm_status status);
/* `text` as messages quote it, cut to `size` bytes: control characters, marks that turn the
 * direction of writing and bytes that are not UTF-8 become \x1b, \u202e and the like. */
DPERM_API void dperm_text_visible(const char *text, char *out, size_t size);

/* Filled by the function that failed: one sentence, "FILE:LINE:COL: what is wrong; what to do"
 * where there is a file. It never quotes the content of a record (dperm_schema_draft, whose records
 * are public, does). */
typedef struct dperm_error {
  dperm_status status;
  char message[1024];
} dperm_error;

/* Called now and then during long work, from the thread that called the library. `done` of
 * `total` counts public work only (bytes of a file); total = 0 where there is nothing public to
 * count, and when and how often such calls come may depend on the records. Return nonzero to stop:
 * the call then fails with DPERM_CANCELLED and leaves nothing. */
typedef struct dperm_progress {
  int (*tick)(void *context, const char *stage, uint64_t done, uint64_t total);
  void *context;
} dperm_progress;

/* ---------------------------------------------------------------- schema: what is public */

/* Column types, ranges, categories and labels, known without looking at the records. The JSON
 * format is in docs/formats.md. */
typedef struct dperm_schema dperm_schema;

DPERM_API DPERM_CHECKED dperm_status dperm_schema_read(const char *path, dperm_schema **out,
                                                       dperm_error *err);
/* `name` stands for the file in messages. */
DPERM_API DPERM_CHECKED dperm_status dperm_schema_parse(const char *json, size_t length,
                                                        const char *name, dperm_schema **out,
                                                        dperm_error *err);
DPERM_API void dperm_schema_free(dperm_schema *schema);

/* Columns of the encoded matrix, the intercept (last) included. */
DPERM_API size_t dperm_schema_dims(const dperm_schema *schema);
/* Every encoded row has ‖x‖₂ ≤ this, for the doubles as stored. */
DPERM_API double dperm_schema_norm_bound(const dperm_schema *schema);
/* And ‖x‖₁ ≤ this. */
DPERM_API double dperm_schema_norm1_bound(const dperm_schema *schema);
/* 1 if rows with missing values are dropped: the number of rows then depends on the records. */
DPERM_API int dperm_schema_drops_rows(const dperm_schema *schema);
DPERM_API size_t dperm_schema_classes(const dperm_schema *schema);
/* Of two classes, 0 is the negative one and 1 the positive one. NULL past the end. */
DPERM_API const char *dperm_schema_class_name(const dperm_schema *schema, size_t index);
/* What encoded column `index` means, as "age" or "workclass=Private", into `name` (always
 * terminated, cut if it does not fit). Returns the length of the whole name. */
DPERM_API size_t dperm_schema_feature_name(const dperm_schema *schema, size_t index, char *name,
                                           size_t capacity);
/* The columns of the file that the schema lists, the label's included. */
DPERM_API size_t dperm_schema_columns(const dperm_schema *schema);
DPERM_API const char *dperm_schema_column_name(const dperm_schema *schema, size_t column);
/* "numeric", "categorical", "ignore" or "label". */
DPERM_API const char *dperm_schema_column_type(const dperm_schema *schema, size_t column);
/* Encoded columns that this column of the file becomes. */
DPERM_API size_t dperm_schema_column_width(const dperm_schema *schema, size_t column);
/* At most one of these is not zero in a row, and none is longer than this; 0 where there is none.
 */
DPERM_API double dperm_schema_column_bound(const dperm_schema *schema, size_t column);
/* The category of a categorical column that has no encoded column and encodes as zeros, or NULL. */
DPERM_API const char *dperm_schema_column_reference(const dperm_schema *schema, size_t column);
/* As JSON; "-" is standard output. A file appears whole or not at all. */
DPERM_API DPERM_CHECKED dperm_status dperm_schema_write(const dperm_schema *schema,
                                                        const char *path, dperm_error *err);

typedef struct dperm_draft_options {
  size_t size;       /* set by dperm_draft_options_init */
  int header;        /* 1: the first record names the columns, 0: it does not, -1: guess */
  char separator;    /* '\0': a comma, or what the first line has instead */
  const char *label; /* its column; NULL for the last one */
  const char *const *positive; /* labels of the positive class; NULL if there are two: chooses */
  size_t positive_count;
  const char *const *missing; /* texts that mean "no value"; NULL for the usual ones */
  size_t missing_count;
} dperm_draft_options;

/* Guesses all. */
DPERM_API void dperm_draft_options_init_sized(dperm_draft_options *options, size_t size);
static inline void dperm_draft_options_init(dperm_draft_options *options) {
  dperm_draft_options_init_sized(options, sizeof *options);
}

/* Something for a person to check, one line of text, valid during the call only. */
typedef void dperm_remark(void *context, const char *line);

/* A first schema for CSV records that are public, from one pass over them; the rules are in
 * docs/guide.md. The schema depends on the records, and remarks and errors quote them: a schema for
 * private records must come from what is known about the population. `remark` (may be NULL) is
 * called on success only. */
DPERM_API DPERM_CHECKED dperm_status dperm_schema_draft(const char *path,
                                                        const dperm_draft_options *options,
                                                        const dperm_progress *progress,
                                                        dperm_remark *remark, void *context,
                                                        dperm_schema **out, dperm_error *err);

/* ---------------------------------------------------------------- data: bounded rows */

typedef enum dperm_format {
  DPERM_FORMAT_AUTO = 0, /* encoded if it begins so; else by its name: .svm, .svmlight, .libsvm;
                            else CSV with a schema */
  DPERM_FORMAT_CSV = 1,
  DPERM_FORMAT_SVMLIGHT = 2,
  DPERM_FORMAT_ENCODED = 3 /* from dperm_encode_file: it holds its schema and is mapped, not read */
} dperm_format;

/* A file of records. Plain or gzip, told apart by content; "-" is standard input. */
typedef struct dperm_source {
  const char *path;
  dperm_format format;
  const dperm_schema
      *schema; /* CSV; svmlight has none; an encoded file's must be equal, if given */
  size_t dims; /* svmlight: the largest index allowed */
  /* Nonzero leaves out the digest of the bytes, by which a ledger knows the file: quicker, where
   * nothing will be charged. A file's rows without it are refused by a ledger. An encoded file has
   * it inside; processes that must compare their files make it anyway. */
  int no_identity;
  const void *reserved[4]; /* zeros: space for members to come */
} dperm_source;

/* Encoded rows with their labels, in memory or mapped, every row within a known norm. */
typedef struct dperm_data dperm_data;

/* `progress` may be NULL. */
DPERM_API DPERM_CHECKED dperm_status dperm_data_read(const dperm_source *source,
                                                     const dperm_progress *progress,
                                                     dperm_data **out, dperm_error *err);

/* Records to an encoded file, which is private data like them: its owner's alone, and whole or not
 * there. One pass; memory does not grow with the file. Training from it gives the same model to the
 * bit. `rows` (may be NULL) is their number. */
DPERM_API DPERM_CHECKED dperm_status dperm_encode_file(const dperm_source *source,
                                                       const char *out_path,
                                                       const dperm_progress *progress, size_t *rows,
                                                       dperm_error *err);

/* The processes of a job that mpirun started, each with its share of the rows (rank 0 leads). Made
 * from one thread, which alone may use it and what is made with it. A program that uses MPI itself
 * begins it before (MPI_THREAD_FUNNELED or more) and ends it after: the library then talks over a
 * duplicate of MPI_COMM_WORLD and leaves the program's communicators and error handlers alone. If
 * it has to begin MPI, dperm_ranks_free ends it, for good. */
typedef struct dperm_ranks dperm_ranks;

/* Every process of the job calls it. `*out` is NULL where this process was not started as one of a
 * job; counts as one of one. Fails in a job of several where the library is built without MPI. */
DPERM_API DPERM_CHECKED dperm_status dperm_ranks_join(dperm_ranks **out, dperm_error *err);
DPERM_API size_t dperm_ranks_count(const dperm_ranks *ranks);
DPERM_API size_t dperm_ranks_rank(const dperm_ranks *ranks);
/* The same answer in every process: success if all come with one, else the failure, and the
 * message, of the first that has any. Whoever fails outside of a call that all make, and leaves,
 * must say so here: the others learn it at their next step. */
DPERM_API DPERM_CHECKED dperm_status dperm_ranks_agree(dperm_ranks *ranks, dperm_status status,
                                                       dperm_error *err);
/* After all data that were read with it; every process does so. */
DPERM_API void dperm_ranks_free(dperm_ranks *ranks);

/* The same as dperm_data_read in every process of a job at once, each of which gets its share of
 * the rows. Whatever is then done with the data, all processes call with the same arguments, and
 * all succeed or all fail; only the leader draws noise, is charged, and gets a model (the others
 * NULL), and the model is bit for bit that of one process. `ranks` may be NULL. */
DPERM_API DPERM_CHECKED dperm_status dperm_data_read_spread(const dperm_source *source,
                                                            dperm_ranks *ranks,
                                                            const dperm_progress *progress,
                                                            dperm_data **out, dperm_error *err);

/* Rows from memory, copied; labels are −1 or +1, or NULL for rows to predict or to label later. A
 * row longer than `norm` is scaled down to it: `norm` must be known in public. Values must be
 * finite. */
DPERM_API DPERM_CHECKED dperm_status dperm_data_from_dense(size_t rows, size_t dims,
                                                           const double *row_major,
                                                           const double *labels, double norm,
                                                           dperm_data **out, dperm_error *err);
/* Compressed sparse rows: entries row_starts[i] … row_starts[i+1]−1 belong to row i, their
 * columns ascending and below dims. */
DPERM_API DPERM_CHECKED dperm_status dperm_data_from_csr(
    size_t rows, size_t dims, const size_t *row_starts, const uint32_t *columns,
    const double *values, const double *labels, double norm, dperm_data **out, dperm_error *err);
/* A column of a table, its values `stride` apart (0 for 1): numbers, or codes of texts. NaN and
 * code −1 are missing. */
typedef struct dperm_column {
  const double *numbers;
  const int32_t *codes;
  const char *const *texts;
  size_t text_count, stride;
} dperm_column;
/* Rows as CSV records of the same values would give: a column for each of the schema's (what it
 * ignores is not looked at), `labels` of texts, or NULL for rows to predict. */
DPERM_API DPERM_CHECKED dperm_status dperm_data_from_table(const dperm_schema *schema, size_t rows,
                                                           const dperm_column *columns,
                                                           const dperm_column *labels,
                                                           dperm_data **out, dperm_error *err);
/* A constant last column for rows from memory; it counts in their norm and is regularized. */
DPERM_API DPERM_CHECKED dperm_status dperm_data_add_intercept(dperm_data *data, double value,
                                                              dperm_error *err);
/* Labels, or other labels, for rows from memory: each below `classes`, which have these names (NULL
 * for "-1" and
 * "+1", or "0", "1", … if there are more than two). */
DPERM_API DPERM_CHECKED dperm_status dperm_data_label(dperm_data *data, const uint32_t *labels,
                                                      size_t classes, const char *const *names,
                                                      dperm_error *err);
/* What a caller took from the records although the guarantee needs it to be known in public; flags
 * to be added up. */
typedef enum dperm_taken {
  DPERM_TAKEN_CLASSES = 1,    /* the set of labels */
  DPERM_TAKEN_NORM = 2,       /* the bound on the norm of rows */
  DPERM_TAKEN_RANGES = 4,     /* lowest and highest values of columns */
  DPERM_TAKEN_CATEGORIES = 8, /* the categories of a column */
  DPERM_TAKEN_COLUMNS = 16,   /* which columns there are, or their order */
  DPERM_TAKEN_SCALES = 32,    /* scales, means, a choice of columns: values that depend on others */
  DPERM_TAKEN_WEIGHTS = 64    /* weights of classes: "balanced" ones count them */
} dperm_taken;
/* Models and scores made of such rows say that they are not private, and why; a ledger refuses
 * them. It cannot be taken back, and copies keep it. */
DPERM_API DPERM_CHECKED dperm_status dperm_data_taken(dperm_data *data, unsigned taken,
                                                      dperm_error *err);
/* A copy of some rows, in the order given: folds of a cross-validation, a holdout. Rows that are
 * named twice make whatever is made of the copy not private: one record is then several. */
DPERM_API DPERM_CHECKED dperm_status dperm_data_select(const dperm_data *data,
                                                       const size_t *row_indices, size_t count,
                                                       dperm_data **out, dperm_error *err);
DPERM_API void dperm_data_free(dperm_data *data);

DPERM_API size_t dperm_data_rows(const dperm_data *data);
DPERM_API size_t dperm_data_dims(const dperm_data *data);
/* How many classes its labels may be of; 0 for rows without labels. */
DPERM_API size_t dperm_data_classes(const dperm_data *data);
DPERM_API double dperm_data_norm_bound(const dperm_data *data);
/* Memory that the encoded matrix takes: it depends on the records, as rows and labels do. */
DPERM_API size_t dperm_data_matrix_bytes(const dperm_data *data);
/* −1 or +1 for each row, or the index of its class if there are more than two; owned by `data`. */
DPERM_API const double *dperm_data_labels(const dperm_data *data);
/* Row `row` as `dims` doubles. */
DPERM_API DPERM_CHECKED dperm_status dperm_data_row(const dperm_data *data, size_t row,
                                                    double *values, dperm_error *err);

/* How often a column of the schema held something the encoding changed, in a CSV file or a table.
 * Depends on the records: for the custodian's eyes only. */
typedef struct dperm_unsafe_column_counts {
  size_t missing; /* encoded as zeros, as its own category, or the row was dropped */
  size_t unknown; /* a category that the schema does not list: encoded as zeros */
  size_t clamped; /* a number outside [min, max]: moved to the nearer bound */
} dperm_unsafe_column_counts;
DPERM_API DPERM_CHECKED dperm_status dperm_unsafe_data_counts(const dperm_data *data, size_t column,
                                                              dperm_unsafe_column_counts *out,
                                                              dperm_error *err);

/* ---------------------------------------------------------------- loss and regularizer */

/* A convex loss ℓ(z) of the margin z = y·fᵀx, with |ℓ′| ≤ lipschitz and 0 ≤ ℓ″ ≤ smoothness
 * everywhere. Privacy rests on the two constants: declare them right. */
typedef struct dperm_loss dperm_loss;
struct dperm_loss {
  const char *name;  /* static printable ASCII, written into the model */
  double parameter;  /* h; NaN for a loss without one */
  double lipschitz;  /* L */
  double smoothness; /* c */
  /* Fills value, slope (ℓ′) and curvature (ℓ″) for `count` margins; each may be NULL. Called from
   * several threads at once. */
  void (*eval)(const dperm_loss *loss, size_t count, const double *z, double *value, double *slope,
               double *curvature);
  void *context; /* for eval; not touched by the library */
  /* |slope as eval computes it − ℓ′(z)| ≤ this for every double z: the claim is about computed
   * numbers. 0: not known, and then no model made with this loss calls itself private. */
  double slope_error;
};

/* log(1 + e^−z); L = 1, c = 1/4. */
DPERM_API dperm_loss dperm_loss_logistic(void);
/* Hinge with a quadratic piece on |1−z| ≤ h; L = 1, c = 1/(2h). */
DPERM_API DPERM_CHECKED dperm_status dperm_loss_huber(double h, dperm_loss *out, dperm_error *err);
/* Hinge with a twice differentiable piece on |1−z| ≤ h; L = 1, c = 3/(4h). */
DPERM_API DPERM_CHECKED dperm_status dperm_loss_smooth_hinge(double h, dperm_loss *out,
                                                             dperm_error *err);
/* The names of the losses: "logistic" for 0, "huber", "smooth-hinge"; NULL after the last. */
DPERM_API const char *dperm_loss_name(size_t index);
/* By one of these names; `h` is used where the loss has one. */
DPERM_API DPERM_CHECKED dperm_status dperm_loss_by_name(const char *name, double h, dperm_loss *out,
                                                        dperm_error *err);
/* Tries to refute a loss on many points: convexity, that slope and curvature are derivatives of
 * value, and both constants. DPERM_OK means "not refuted", never "proved". */
DPERM_API DPERM_CHECKED dperm_status dperm_loss_check(const dperm_loss *loss, dperm_error *err);

/* N(f) = Σ N_j(f_j), each N_j differentiable with N_j″ ≥ 1. All zeros is ridge, ½‖f‖². */
typedef struct dperm_regularizer {
  const double *weights; /* dims numbers ≥ 1, or NULL for ones: ½ Σ w_j (f_j − p_j)² */
  const double *prior;   /* dims numbers p_j known in public, or NULL for zeros */
  /* Custom: fills N_j, N_j′, N_j″ at f; then weights and prior must be NULL. */
  void (*eval)(void *context, size_t j, double f, double *value, double *slope, double *curvature);
  void *context;
  /* Custom: N_j″ ≤ most_curvature, and |slope as computed − N_j′(f)| ≤ slope_error·|N_j′(f)|.
   * Without both, above zero, no model made with it calls itself private. slope_error ≤ 0.25. */
  double most_curvature, slope_error;
} dperm_regularizer;

/* ---------------------------------------------------------------- randomness */

/* Where noise comes from. Secure: the operating system's source, through libsodium; fails where
 * there is none. Seeded: the same noise every time, for tests and experiments; a model made with it
 * says that it is not private. Not to be shared between threads. */
typedef struct dperm_random dperm_random;
DPERM_API DPERM_CHECKED dperm_status dperm_random_secure(dperm_random **out, dperm_error *err);
DPERM_API DPERM_CHECKED dperm_status dperm_random_seeded(uint64_t seed, dperm_random **out,
                                                         dperm_error *err);
DPERM_API void dperm_random_free(dperm_random *random);

/* ---------------------------------------------------------------- ledger: what was spent */

/* A file (SQLite) that knows the total budget of each data set and every charge to it
 * (docs/ledger.md). A charge is reserved, durably, before there is anything to release, and
 * committed with the digest of what was released; a reservation without a commit stays spent.
 * Before every charge the records are read and added up again; a ledger that does not fit is
 * refused. Any number of threads may use one handle: they take turns. It stays in the process that
 * opened it, and a visitor cannot use the ledger that it is shown. */
typedef struct dperm_ledger dperm_ledger;

/* Space for an exact decimal ("0.1") and for a digest in hexadecimal. */
enum { DPERM_AMOUNT_SIZE = 124, DPERM_DIGEST_SIZE = 65 };

/* Gives a data set its budget, once and for good, in a new ledger or in one that is there. Totals
 * are decimals and taken exactly; `delta` may be NULL for 1e-30, which covers rounding (privacy.md
 * 8.5). Every charge to it is per person with at most `rows_per_person` rows. */
DPERM_API DPERM_CHECKED dperm_status dperm_ledger_init(const char *path, const char *dataset,
                                                       const char *epsilon, const char *delta,
                                                       size_t rows_per_person, dperm_error *err);
DPERM_API DPERM_CHECKED dperm_status dperm_ledger_open(const char *path, dperm_ledger **out,
                                                       dperm_error *err);
DPERM_API void dperm_ledger_free(dperm_ledger *ledger);

/* What a run costs its data set, and what that leaves. */
typedef struct dperm_charge {
  char epsilon[DPERM_AMOUNT_SIZE], delta[DPERM_AMOUNT_SIZE];
  char epsilon_left[DPERM_AMOUNT_SIZE], delta_left[DPERM_AMOUNT_SIZE]; /* empty without a ledger */
  uint64_t entry; /* number and digest of the reservation; 0 and empty if there is none */
  char digest[DPERM_DIGEST_SIZE];
} dperm_charge;

/* Where a run is charged; all zeros for nowhere. A run that is not private, or tells unsafe
 * diagnostics, is refused if a data set is named, or if the ledger knows the data. */
typedef struct dperm_account {
  dperm_ledger *ledger;
  const char *dataset;
  int dry_run;          /* stop before the charge: success, and no result (NULL, or all zeros) */
  dperm_charge *charge; /* filled if not NULL */
} dperm_account;

typedef struct dperm_ledger_dataset {
  const char *name;
  const char *epsilon_total, *epsilon_spent, *epsilon_left;
  const char *delta_total, *delta_spent, *delta_left;
  size_t rows_per_person;
  const char *data; /* digest of the data, keyed by this ledger; empty before the first charge */
} dperm_ledger_dataset;
typedef struct dperm_ledger_entry {
  uint64_t entry;
  const char *dataset, *time, *command, *mechanism, *epsilon, *delta, *digest; /* as reserved */
  uint64_t commit;      /* the record that commits it; 0: reserved, and spent all the same */
  const char *artifact; /* the digest of the model or score that was released */
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

/* ---------------------------------------------------------------- training */

typedef enum dperm_mechanism {
  DPERM_MECHANISM_OBJECTIVE = 0,
  DPERM_MECHANISM_OUTPUT = 1,
  DPERM_MECHANISM_NONE = 2 /* no privacy at all; the model says so */
} dperm_mechanism;

/* How ε is turned into noise by objective perturbation (docs/guide.md). */
typedef enum dperm_analysis {
  DPERM_ANALYSIS_TIGHT = 0, /* less noise for the same ε */
  DPERM_ANALYSIS_PAPER = 1  /* Chaudhuri, Monteleoni & Sarwate's own formulas, for comparison */
} dperm_analysis;

/* The noise's density is ∝ exp(−β‖b‖) in one of these norms (docs/privacy.md 5). Output
 * perturbation has l2 noise only. */
typedef enum dperm_noise {
  DPERM_NOISE_AUTO =
      0,              /* the least noise in rms, from public numbers; l2 for the paper's analysis */
  DPERM_NOISE_L2 = 1, /* a ball: dense rows */
  DPERM_NOISE_L1 = 2, /* independent coordinates: sparse rows */
  DPERM_NOISE_GROUP = 3, /* a body made of the schema's columns: rows of one-hot blocks */
  DPERM_NOISE_LINF = 4,  /* a box: rows with a bound on each entry */
  DPERM_NOISE_MIXED = 5  /* l1 in one-hot blocks, l2 in the other columns: rows with both */
} dperm_noise;

/* "auto", "l2", …; NULL from the first number on that is no kind. */
DPERM_API const char *dperm_noise_name(dperm_noise noise);

/* Random features (Rahimi & Recht): a linear model in cos and sin of random directions is a kernel
 * machine. k(x, x′) = exp(−γ‖x−x′‖₂²), exp(−γ‖x−x′‖₁), or Π_j 1/(1 + γ²(x_j−x′_j)²). */
typedef enum dperm_kernel_name {
  DPERM_KERNEL_NONE = 0, /* linear */
  DPERM_KERNEL_GAUSSIAN = 1,
  DPERM_KERNEL_LAPLACIAN = 2,
  DPERM_KERNEL_CAUCHY = 3
} dperm_kernel_name;

typedef struct dperm_kernel {
  dperm_kernel_name name;
  double gamma;    /* γ > 0 */
  size_t features; /* D, even: D/2 directions, a cos and a sin each */
  int independent; /* gaussian: 1 for independent directions, as the paper; 0 for orthogonal ones */
  uint64_t seed;   /* public, below 2^53, kept in the model; 0 has the library draw one */
} dperm_kernel;

/* What the records of a class count, known in public: weights are divided by the largest. */
typedef struct dperm_class_weight {
  const char *name;
  double weight; /* from 1e-6 to 1e6 */
} dperm_class_weight;

/* What training saw. Depends on the records: never part of a model. */
typedef struct dperm_unsafe_diagnostics {
  size_t iterations;
  double objective;
  double gradient_norm;
  double training_error;
  double solve_seconds;
} dperm_unsafe_diagnostics;

typedef struct dperm_options {
  size_t size; /* set by dperm_options_init */
  dperm_mechanism mechanism;
  double epsilon; /* has no default; not used by DPERM_MECHANISM_NONE */
  dperm_analysis analysis;
  dperm_noise noise;
  double delta_reg;  /* Δ ≥ 0, extra ridge of objective perturbation; NaN chooses the best */
  double norm_guess; /* a public guess of the solution's norm for the choice of Δ and Λ; NaN for
                        none */
  dperm_random *random; /* NULL for a secure source of its own */
  dperm_loss loss;
  dperm_regularizer regularizer;
  dperm_kernel kernel;    /* all zeros: a linear model */
  double lambda;          /* Λ > 0; NaN chooses from public numbers */
  size_t rows_per_person; /* epsilon is per person with at most so many rows; 1: per row */
  size_t classes;         /* 0, or what the data must have; a plan without a schema takes 0 for 2.
                             More than two take a fit each, of epsilon/classes (privacy.md 8.2) */
  const dperm_class_weight *class_weights; /* or NULL and 0; a class not named has 1 */
  size_t class_weight_count;
  dperm_account account; /* where it is charged */
  double gradient_tolerance; /* without a mechanism: stop at this ‖∇J‖₂, or at the limit of double
                                precision. A private fit is as accurate as its claim needs */
  int threads;               /* 0 for OpenMP's own choice; results do not depend on it */
  dperm_progress progress;
  dperm_unsafe_diagnostics *unsafe_diagnostics; /* filled if not NULL */
} dperm_options;

/* Logistic loss, ridge, objective perturbation, Λ and the kind of noise automatic, tolerance 1e-10.
 */
DPERM_API void dperm_options_init_sized(dperm_options *options, size_t size);
static inline void dperm_options_init(dperm_options *options) {
  dperm_options_init_sized(options, sizeof *options);
}

typedef struct dperm_model dperm_model;

/* Minimizes (1/n) Σ w_i ℓ(y_i fᵀx_i) + Λ N(f), w_i the weight of the record's class. The model is
 * the only thing that leaves, and the guarantee is about all of it. */
DPERM_API DPERM_CHECKED dperm_status dperm_train(const dperm_data *data,
                                                 const dperm_options *options, dperm_model **out,
                                                 dperm_error *err);

/* ---------------------------------------------------------------- tuning */

typedef enum dperm_tune_method {
  DPERM_TUNE_SPLIT = 0,    /* a disjoint portion of rows for each candidate and one to choose by */
  DPERM_TUNE_STOPPING = 1, /* random candidates for a random, secret number of rounds */
  DPERM_TUNE_PUBLIC = 2    /* choose on data that are public, then fit once */
} dperm_tune_method;

typedef enum dperm_selector {
  DPERM_SELECTOR_PERMUTE_AND_FLIP = 0,
  DPERM_SELECTOR_EXPONENTIAL = 1 /* the paper's */
} dperm_selector;

typedef enum dperm_rounds {
  DPERM_ROUNDS_LOGARITHMIC = 0, /* a round runs at half of epsilon */
  DPERM_ROUNDS_GEOMETRIC = 1    /* a round runs at a third of epsilon */
} dperm_rounds;

typedef struct dperm_tune_options {
  size_t size; /* set by dperm_tune_options_init */
  dperm_tune_method method;
  dperm_selector selector;       /* split */
  dperm_rounds rounds;           /* stopping */
  double rounds_mean;            /* stopping: mean number of rounds, > 1; NaN for 3 per candidate */
  double holdout;                /* stopping, public: share of rows to choose by, in (0, 1) */
  const dperm_data *public_data; /* public: encoded as the private data are, and other records */
} dperm_tune_options;

/* Split, permute-and-flip, logarithmic rounds, a holdout of 0.1. */
DPERM_API void dperm_tune_options_init_sized(dperm_tune_options *options, size_t size);
static inline void dperm_tune_options_init(dperm_tune_options *options) {
  dperm_tune_options_init_sized(options, sizeof *options);
}

/* Chooses among candidates and releases one model. The epsilon of the candidates, the same for all,
 * is the total: it covers the choice too. With random stopping, show nobody how often progress is
 * called: the number of rounds must stay secret. Random, threads and progress are those of the
 * first candidate. */
DPERM_API DPERM_CHECKED dperm_status dperm_tune(const dperm_data *data,
                                                const dperm_options *candidates, size_t count,
                                                const dperm_tune_options *how, dperm_model **out,
                                                dperm_error *err);

/* ---------------------------------------------------------------- planning */

/* What a fit will do, from public numbers alone: costs no privacy. */
typedef struct dperm_plan {
  size_t rows, dims;
  double norm;  /* bound on ‖x‖₂ */
  double norm1; /* bound on ‖x‖₁ */
  dperm_mechanism mechanism;
  dperm_analysis analysis;
  size_t rows_per_person;
  double epsilon, epsilon_row; /* for a person, and what is left of it for one row */
  size_t classes;              /* more than two take a fit each, and what follows is about one: */
  double epsilon_class;        /* what is left of epsilon_row for it */
  double delta;                /* for noise that is too long; about 1e-43 (privacy.md 6) */
  double lambda, delta_reg;
  /* The kind of noise, or NULL without noise; then all that follows is NaN. Norms are ‖b‖₂ for
   * every kind: to compare another kind, plan again with options.noise, lambda and delta_reg set.
   * The rms is exact; mean and quantiles are within about a percent for kinds other than l2. */
  const char *noise;
  double beta; /* density of the noise ∝ exp(−β‖b‖) in the kind's norm */
  double expected_noise_norm, rms_noise_norm;
  double noise_norm_q50, noise_norm_q95;
  double shift_rms;            /* how far the noise moves the solution, at most, in rms */
  double epsilon_core;         /* what the noise has of epsilon; the rest pays for the release */
  double solution_error;       /* how far rounding may move the solution, always */
  double lattice_noise_rms;    /* rms norm of what the release adds to hide that */
  double solution_norm_bound;  /* the solution without noise is at most this long */
  double excess_objective_q50; /* the noise costs at most this much of the objective, with */
  double excess_objective_q95; /* probability 0.5 and 0.95; infinite where nothing is known, as
                                  for output perturbation with a custom regularizer */
  /* What to expect. The typical length of a solution is options.norm_guess, or 10/norm. */
  double
      noise_to_signal; /* what the noise offers a model of that length, rms‖b‖·length/n, relative
                          to the most that data can, ℓ(0); for output perturbation, the noise's
                          rms norm relative to the length of the weights. Above 1: mostly noise */
  double coin_loss;    /* ℓ(0): the loss of a model that knows nothing */
  double excess_loss_q95; /* with probability 0.95 the mean loss on the records is at most this much
                             above that of any model of the typical length */
  /* The smallest epsilon, all else equal, at which excess_loss_q95 is below coin_loss. Below it
   * nothing better than a coin is promised whatever the records are; above it the model is better
   * than a coin in 95 percent of all runs if the records allow a small enough loss. NaN where no
   * epsilon does. And the smallest number of rows that do so at the plan's epsilon; 0 for none. */
  double epsilon_better_than_coin;
  size_t rows_better_than_coin;
  size_t rows_to_halve_noise; /* so many rows would halve noise_to_signal, all else equal; 0 where
                                 none do, as an automatic Λ for output perturbation spends them on
                                 a smaller Λ */
} dperm_plan;

/* `norm` bounds ‖x‖₂ of every row, and nothing else is known of it; with a kernel, `dims` and
 * `norm` are those of its features, whatever is given. Of the options, progress, threads, random
 * and tolerance are not used. */
DPERM_API DPERM_CHECKED dperm_status dperm_plan_make_sized(size_t rows, size_t dims, double norm,
                                                           const dperm_options *options,
                                                           dperm_plan *out, size_t size,
                                                           dperm_error *err);
DPERM_INLINE dperm_status dperm_plan_make(size_t rows, size_t dims, double norm,
                                          const dperm_options *options, dperm_plan *out,
                                          dperm_error *err) {
  return dperm_plan_make_sized(rows, dims, norm, options, out, sizeof *out, err);
}

/* For rows of which ‖x‖₁ ≤ norm1 is known too. */
DPERM_API DPERM_CHECKED dperm_status dperm_plan_for_norms_sized(size_t rows, size_t dims,
                                                                double norm, double norm1,
                                                                const dperm_options *options,
                                                                dperm_plan *out, size_t size,
                                                                dperm_error *err);
DPERM_INLINE dperm_status dperm_plan_for_norms(size_t rows, size_t dims, double norm, double norm1,
                                               const dperm_options *options, dperm_plan *out,
                                               dperm_error *err) {
  return dperm_plan_for_norms_sized(rows, dims, norm, norm1, options, out, sizeof *out, err);
}
/* For rows as this schema encodes them: what dperm_train will do. */
DPERM_API DPERM_CHECKED dperm_status dperm_plan_for_schema_sized(size_t rows,
                                                                 const dperm_schema *schema,
                                                                 const dperm_options *options,
                                                                 dperm_plan *out, size_t size,
                                                                 dperm_error *err);
DPERM_INLINE dperm_status dperm_plan_for_schema(size_t rows, const dperm_schema *schema,
                                                const dperm_options *options, dperm_plan *out,
                                                dperm_error *err) {
  return dperm_plan_for_schema_sized(rows, schema, options, out, sizeof *out, err);
}

/* ---------------------------------------------------------------- model */

/* "-" is standard output. A file appears whole or not at all. No file that the library writes
 * replaces a ledger or what belongs to one (DPERM_INVALID_ARGUMENT). */
DPERM_API DPERM_CHECKED dperm_status dperm_model_write(const dperm_model *model, const char *path,
                                                       dperm_error *err);

/* The same in two steps, for what is charged: a place that is taken before the charge is one that
 * will be there after it. open makes a temporary file beside `path`; reserve takes space for the
 * file of a model of these data and any of these options (NULL and 0: for a page); write_output
 * puts the model in its place; free leaves nothing else behind. */
typedef struct dperm_output dperm_output;
DPERM_API DPERM_CHECKED dperm_status dperm_output_open(const char *path, dperm_output **out,
                                                       dperm_error *err);
DPERM_API DPERM_CHECKED dperm_status dperm_output_reserve(dperm_output *output,
                                                          const dperm_data *data,
                                                          const dperm_options *candidates,
                                                          size_t count, dperm_error *err);
DPERM_API DPERM_CHECKED dperm_status dperm_model_write_output(const dperm_model *model,
                                                              dperm_output *output,
                                                              dperm_error *err);
DPERM_API void dperm_output_free(dperm_output *output);
/* What a program that ends in a signal handler must unlink(2); NULL if there is none. */
DPERM_API const char *dperm_output_temporary(const dperm_output *output);
/* Fails if `path` is a ledger or belongs to one, or a symbolic link that leads nowhere: for
 * programs that write other files. */
DPERM_API DPERM_CHECKED dperm_status dperm_output_check(const char *path, dperm_error *err);

DPERM_API DPERM_CHECKED dperm_status dperm_model_read(const char *path, dperm_model **out,
                                                      dperm_error *err);
/* The bytes of its file, in memory: text to be given back with dperm_text_free, a zero behind its
 * `length`; and a model from such bytes. `name` stands for the file in messages. */
DPERM_API DPERM_CHECKED dperm_status dperm_model_to_text(const dperm_model *model, char **text,
                                                         size_t *length, dperm_error *err);
DPERM_API DPERM_CHECKED dperm_status dperm_model_parse(const char *text, size_t length,
                                                       const char *name, dperm_model **out,
                                                       dperm_error *err);
DPERM_API void dperm_text_free(char *text);
DPERM_API void dperm_model_free(dperm_model *model);

DPERM_API size_t dperm_model_dims(const dperm_model *model);
/* `dims` doubles in encoded order, intercept last; so many for each class one after the other if
 * there are more than two. Owned by the model. */
DPERM_API const double *dperm_model_weights(const dperm_model *model);
/* What a model guarantees: (epsilon, delta)-differential privacy for one record, or for a person
 * with at most rows_per_person of them, replaced by any other. */
typedef struct dperm_guarantee {
  int is_private;        /* 0: nothing is guaranteed, and */
  const char *reason;    /* this is why, owned by the model; NULL if it is private */
  double epsilon, delta; /* NaN without a mechanism */
  size_t rows_per_person;
} dperm_guarantee;
DPERM_API void dperm_model_guarantee_sized(const dperm_model *model, dperm_guarantee *out,
                                           size_t size);
static inline void dperm_model_guarantee(const dperm_model *model, dperm_guarantee *out) {
  dperm_model_guarantee_sized(model, out, sizeof *out);
}
/* Its is_private alone. */
DPERM_API int dperm_model_is_private(const dperm_model *model);
/* The schema the model was trained with, owned by the model; NULL for svmlight and memory. */
DPERM_API const dperm_schema *dperm_model_schema(const dperm_model *model);
DPERM_API size_t dperm_model_classes(const dperm_model *model);
/* Of two classes, 0 is the negative one and 1 the positive one. NULL past the end. */
DPERM_API const char *dperm_model_class_name(const dperm_model *model, size_t index);

/* fᵀx for each row of `data`; positive means class 1. Of more than two classes each row has one
 * score for each, side by side, and the largest wins. `data` must be encoded as the model's was. */
DPERM_API DPERM_CHECKED dperm_status dperm_model_scores(const dperm_model *model,
                                                        const dperm_data *data, double *scores,
                                                        dperm_error *err);

/* Streams a file of records, labelled or not, to CSV lines "prediction,score,probability".
 * Only `path` and `format` of the source are used; the model knows the rest. `out_path` NULL or
 * "-" is standard output. */
DPERM_API DPERM_CHECKED dperm_status dperm_predict_file(const dperm_model *model,
                                                        const dperm_source *source,
                                                        const char *out_path,
                                                        const dperm_progress *progress,
                                                        dperm_error *err);

/* What verification says about one thing: it fails, it holds, or it is not for a file to show. */
typedef enum dperm_finding {
  DPERM_FINDING_FAILS = 0,
  DPERM_FINDING_HOLDS = 1,
  DPERM_FINDING_REMARK = 2
} dperm_finding;
/* `line` is printable ASCII, "name: what", valid during the call only. */
typedef void dperm_verify_line(void *context, dperm_finding finding, const char *line);

/* Derives a model file's privacy claim again from its public fields, with arithmetic of its own
 * (docs/guide.md), and gives each step to `line` (may be NULL). `*holds` is 1 if every step holds.
 * Fails only where the file cannot be read as a JSON model; damaged or missing fields are steps
 * that do not hold. */
DPERM_API DPERM_CHECKED dperm_status dperm_model_verify(const char *path, dperm_verify_line *line,
                                                        void *context, int *holds,
                                                        dperm_error *err);

/* Reads the ledger from end to end: each record's digest, their order and number, every sum; what
 * was changed, taken away or moved is named. `head` is a digest noted before, or NULL. */
DPERM_API DPERM_CHECKED dperm_status dperm_ledger_verify(dperm_ledger *ledger, const char *head,
                                                         dperm_verify_line *line, void *context,
                                                         int *holds, dperm_error *err);
/* The entry that a model was charged as; fails where there is none or it does not fit. */
DPERM_API DPERM_CHECKED dperm_status dperm_ledger_find_model(dperm_ledger *ledger,
                                                             const dperm_model *model,
                                                             dperm_entry_visitor *visit,
                                                             void *context, dperm_error *err);

/* Exact counts, so a release of them is not private: for data that are public. */
typedef struct dperm_metrics {
  size_t rows, errors;
  size_t classes;
  size_t false_positives, false_negatives; /* of two classes; else 0 */
  double error_rate;
  double auc;      /* area under the ROC curve, ties count half; NaN but for two classes */
  double log_loss; /* mean −log p(label) in nats; NaN unless the loss is logistic */
} dperm_metrics;
DPERM_API DPERM_CHECKED dperm_status dperm_model_score_sized(const dperm_model *model,
                                                             const dperm_data *data,
                                                             dperm_metrics *out, size_t size,
                                                             dperm_error *err);
DPERM_INLINE dperm_status dperm_model_score(const dperm_model *model, const dperm_data *data,
                                            dperm_metrics *out, dperm_error *err) {
  return dperm_model_score_sized(model, data, out, sizeof *out, err);
}
DPERM_API DPERM_CHECKED dperm_status dperm_score_file_sized(const dperm_model *model,
                                                            const dperm_source *source,
                                                            const dperm_progress *progress,
                                                            dperm_metrics *out, size_t size,
                                                            dperm_error *err);
DPERM_INLINE dperm_status dperm_score_file(const dperm_model *model, const dperm_source *source,
                                           const dperm_progress *progress, dperm_metrics *out,
                                           dperm_error *err) {
  return dperm_score_file_sized(model, source, progress, out, sizeof *out, err);
}

/* The same in private: an error count with discrete Laplace noise, charged to a ledger if named. */
typedef struct dperm_score_options {
  size_t size; /* set by dperm_score_options_init */
  double epsilon;
  size_t rows_per_person;
  int counts;           /* the four confusion counts too, at half the precision */
  int public_model;     /* the model was made without these records. Else the score of a model that
                           is not private is not private either: it may move with a record */
  dperm_random *random; /* NULL for a secure source of its own */
  dperm_account account;
  dperm_progress progress;
} dperm_score_options;
typedef struct dperm_private_score {
  int is_private; /* 0 if the noise came from a seed */
  size_t rows;    /* public */
  int64_t errors; /* with noise: may lie outside [0, rows] */
  double error_rate;
  double low, high;                       /* hold the rows' own error rate in 95 of 100 runs */
  double population_low, population_high; /* that of those they are a random sample of, too */
  int64_t true_positives, false_positives, false_negatives, true_negatives; /* with `counts` */
} dperm_private_score;
DPERM_API void dperm_score_options_init_sized(dperm_score_options *options, size_t size);
static inline void dperm_score_options_init(dperm_score_options *options) {
  dperm_score_options_init_sized(options, sizeof *options);
}
DPERM_API DPERM_CHECKED dperm_status dperm_model_score_private_sized(
    const dperm_model *model, const dperm_data *data, const dperm_score_options *options,
    dperm_private_score *out, size_t size, dperm_error *err);
DPERM_INLINE dperm_status dperm_model_score_private(const dperm_model *model,
                                                    const dperm_data *data,
                                                    const dperm_score_options *options,
                                                    dperm_private_score *out, dperm_error *err) {
  return dperm_model_score_private_sized(model, data, options, out, sizeof *out, err);
}
DPERM_API DPERM_CHECKED dperm_status dperm_score_file_private_sized(
    const dperm_model *model, const dperm_source *source, const dperm_score_options *options,
    dperm_private_score *out, size_t size, dperm_error *err);
DPERM_INLINE dperm_status dperm_score_file_private(const dperm_model *model,
                                                   const dperm_source *source,
                                                   const dperm_score_options *options,
                                                   dperm_private_score *out, dperm_error *err) {
  return dperm_score_file_private_sized(model, source, options, out, sizeof *out, err);
}

/* A page for the person who must defend a release: what a model file guarantees to whom, what was
 * spent and is left (with a ledger), what is assumed, how to check it. Markdown or HTML; `out_path`
 * NULL or "-" is standard output. */
DPERM_API DPERM_CHECKED dperm_status dperm_statement_write(const char *model_path,
                                                           dperm_ledger *ledger, int html,
                                                           const char *out_path, dperm_error *err);

/* ---------------------------------------------------------------- audit */

/* Attacks this very build (docs/audit.md): its own fits, on the worst pairs of neighbouring data
 * sets that are known, give a lower bound on the epsilon that it really has. Looks at no records of
 * anybody's. */
typedef struct dperm_audit_options {
  size_t size;           /* set by dperm_audit_options_init */
  const char *mechanism; /* one of those that dperm_audit_case names */
  const char *variant;   /* the loss, for fits; NULL for the first there is */
  double epsilon;        /* the claim to attack */
  size_t draws;          /* for each of the two data sets; 0 for as many as it usually takes */
  int threads;           /* 0 for OpenMP's own choice; results do not depend on it */
  const uint64_t *seed;  /* NULL for the system's secure source, which is what fits use */
  dperm_progress progress;
  double *outcome[2]; /* space for `outcomes` outcomes of each data set, for a picture; or NULL */
  size_t outcomes;
} dperm_audit_options;

typedef struct dperm_audit_result {
  const char *mechanism, *variant;
  double epsilon_claimed;
  double epsilon_lower_bound; /* the true epsilon is at least this; NaN for a test of a law */
  double confidence;          /* with which that, or the law's limit, holds */
  size_t draws;               /* for each data set */
  double distance, limit;     /* a test of a law: draws further from it than this are no chance */
  int holds;                  /* 0 if the claim is refuted */
} dperm_audit_result;

/* Objective perturbation, epsilon 1. */
DPERM_API void dperm_audit_options_init_sized(dperm_audit_options *options, size_t size);
static inline void dperm_audit_options_init(dperm_audit_options *options) {
  dperm_audit_options_init_sized(options, sizeof *options);
}
/* The audits there are, by number from 0; returns 0 past the last. */
DPERM_API int dperm_audit_case(size_t index, const char **mechanism, const char **variant);
DPERM_API DPERM_CHECKED dperm_status dperm_audit_run(const dperm_audit_options *options,
                                                     dperm_audit_result *out, dperm_error *err);
/* The same bound for anybody's mechanism: `count` outcomes of `dims` numbers for each of two
 * neighbouring data sets, drawn independently. A tenth of them choose what to look at. The claim is
 * (epsilon, delta). */
DPERM_API DPERM_CHECKED dperm_status dperm_audit_outcomes(const double *first, const double *second,
                                                          size_t count, size_t dims, double epsilon,
                                                          double delta, dperm_audit_result *out,
                                                          dperm_error *err);

/* ---------------------------------------------------------------- sweep: experiments */

/* For public data: how often models of many settings err on rows that they have not seen, over the
 * folds of a cross-validation and repeated draws of the noise. Every model is planned, perturbed,
 * solved, certified and released as dperm_train would; those that share rows are solved together.
 */
typedef struct dperm_sweep_options {
  size_t size;   /* set by dperm_sweep_options_init */
  size_t folds;  /* parts of the rows, each held out once; ≥ 2. Not with test_data */
  size_t draws;  /* of the noise in each fold, where there is any */
  uint64_t seed; /* of the folds, the noise and a kernel's directions */
  const dperm_data *test_data; /* NULL for folds; else fits see all rows, and errors are on these */
  size_t test_parts; /* count errors in so many equal parts of them; 0 or 1 for all at once */
  /* A file for what is done, or NULL: the same call finds it there after an interruption and goes
   * on. It stays when the sweep is done; whoever has kept the results removes it. */
  const char *journal;
  int threads;             /* 0 for OpenMP's own choice; results do not depend on it */
  dperm_progress progress; /* counts models */
} dperm_sweep_options;

typedef struct dperm_sweep_cell {
  size_t index;           /* of its options */
  const char *impossible; /* why there is no such fit, and then no runs; NULL if there is */
  size_t runs;            /* models */
  double error_mean;      /* share of wrong predictions; NaN without runs */
  double error_se;   /* its standard error, from the spread between folds, or between draws with
                        test_data; NaN for less than two of them */
  double lambda;     /* Λ and the kind of noise as they were used, in the first fold; NULL */
  const char *noise; /* without noise */
  const uint64_t *errors; /* wrong predictions of each run, fold by fold, in each of the test_parts;
                             NULL without runs */
} dperm_sweep_cell;
typedef void dperm_sweep_visitor(void *context, const dperm_sweep_cell *cell);

/* Ten folds, ten draws, seed 1. */
DPERM_API void dperm_sweep_options_init_sized(dperm_sweep_options *options, size_t size);
static inline void dperm_sweep_options_init(dperm_sweep_options *options) {
  dperm_sweep_options_init_sized(options, sizeof *options);
}
/* `visit` gets every cell in the order of its options, when all are done; what it gets is valid
 * during the call only. Of the processes of a job, rank 0 alone has its visitor called. Of the
 * options, kernels must be the same in all cells; random, account, threads, progress and
 * diagnostics are not used. */
DPERM_API DPERM_CHECKED dperm_status dperm_sweep(const dperm_data *data, const dperm_options *cells,
                                                 size_t count, const dperm_sweep_options *how,
                                                 dperm_sweep_visitor *visit, void *context,
                                                 dperm_error *err);

/* ---------------------------------------------------------------- synthetic records */

/* Census-like records that are nobody's: 12 columns of mixed types and an income label, made from
 * a seed by a documented law (docs/synthetic.md). For demos and tests. */
DPERM_API const char *dperm_synthetic_census_schema(void);
DPERM_API DPERM_CHECKED dperm_status dperm_synthetic_census_write(const char *path, size_t rows,
                                                                  uint64_t seed, dperm_error *err);
/* The same, and asks `progress` on the way whether to go on; stopped, it leaves no file. */
DPERM_API DPERM_CHECKED dperm_status dperm_synthetic_census_make(const char *path, size_t rows,
                                                                 uint64_t seed,
                                                                 const dperm_progress *progress,
                                                                 dperm_error *err);

#ifdef __cplusplus
}
#endif
#endif
