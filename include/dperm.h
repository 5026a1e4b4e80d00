/* dperm: differentially private empirical risk minimization.
 *
 * What every program needs. The API follows the data: a schema says in public what a record may
 * look like; a reader turns records into bounded rows; training turns rows into a model; a model
 * predicts. The rest: dperm/arrow.h, ledger.h, plan.h, refine.h, tune.h, score.h,
 * verify.h, audit.h, sweep.h, draft.h, ranks.h, output.h, random.h, synthetic.h,
 * unsafe.h.
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
 *     library's threads are process-wide: they sleep between calls until dperm_threads_end, a child
 *     after fork(2) starts its own, and dlclose leaves the library in memory. A call may use as
 *     many as its options say; without a number, as many as DPERM_THREADS in the environment says
 *     (1 to 4096, read once; anything else is ignored), or one for each processor that the process
 *     may run on. Results do not depend on it.
 *   - Structs that may grow (CONTRIBUTING.md says which) come with the size that the program knows:
 *     in a first member that X_init sets, or beside the result, where X is an inline call of the
 *     library's X_sized. Programs write X. What is larger than the library's is refused.
 *   - A dperm_data gives its owner's rows back. Apart from that, whatever depends on the records
 *     and is not a released model or its score on public data carries "unsafe" in its name. */
#ifndef DPERM_H
#define DPERM_H

#include <stdbool.h>
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

/* Structs of options that a program fills: it sets their size, and all else to the defaults, by
 * dperm_options_init and its like, which are calls of this. */
typedef enum dperm_options_kind {
  DPERM_OPTIONS_TRAIN,
  DPERM_OPTIONS_AUDIT,
  DPERM_OPTIONS_BUDGET,
  DPERM_OPTIONS_DRAFT,
  DPERM_OPTIONS_IMPORT,
  DPERM_OPTIONS_REFINE,
  DPERM_OPTIONS_SCORE,
  DPERM_OPTIONS_SWEEP,
  DPERM_OPTIONS_TUNE
} dperm_options_kind;
DPERM_API void dperm_init(dperm_options_kind kind, void *options, size_t size);
#define DPERM_OPTIONS_INIT(type, kind)                                                             \
  static inline void type##_init(type *options) { /* NOLINT(bugprone-macro-parentheses): a type */ \
    dperm_init((kind), options, sizeof *options);                                                  \
  }

/* "0.2.0": the version of the library that runs, which may differ from the header's. */
DPERM_API const char *dperm_version(void);

/* Ends the library's threads and returns when they are gone, for programs that are checked for
 * leaks at their end. A later call that needs threads starts new ones. Does nothing if there are
 * none; not for use while another call into the library runs: its threads may stay. */
DPERM_API void dperm_threads_end(void);

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

/* The words for the values of the library's enums, as options, files and messages have them. */
typedef enum dperm_words {
  DPERM_WORDS_ANALYSIS,
  DPERM_WORDS_BINS,
  DPERM_WORDS_DICTIONARY,
  DPERM_WORDS_KERNEL,
  DPERM_WORDS_MECHANISM,
  DPERM_WORDS_MULTICLASS,
  DPERM_WORDS_NEIGHBOURS,
  DPERM_WORDS_ROUNDS,
  DPERM_WORDS_SELECTOR,
  DPERM_WORDS_TAKEN, /* by the number of the flag's bit */
  DPERM_WORDS_TUNE_METHOD
} dperm_words;
/* "objective" for DPERM_MECHANISM_OBJECTIVE among the words of mechanisms; NULL for a number that
 * is no value. dperm_mechanism_name and its like are calls of it. */
DPERM_API const char *dperm_word(dperm_words list, unsigned value);
#define DPERM_NAMES(name, type, list)                                                              \
  static inline const char *dperm_##name##_name(type value) {                                      \
    return dperm_word(list, (unsigned)value);                                                      \
  }

/* Filled by the function that failed: one sentence, "FILE:LINE:COL: what is wrong; what to do"
 * where there is a file. It never quotes a record (dperm_schema_draft does: its are public). */
typedef struct dperm_error {
  dperm_status status;
  char message[1024];
} dperm_error;

/* Called now and then during long work, from the thread that called the library. `done` of
 * `total` counts public work only (bytes of a file); total = 0 where there is nothing public to
 * count, and when and how often such calls come may depend on the records. Return true to stop:
 * the call then fails with DPERM_CANCELLED and leaves nothing. */
typedef struct dperm_progress {
  bool (*tick)(void *context, const char *stage, uint64_t done, uint64_t total);
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
/* Of two classes, 0 is the negative one and 1 the positive one. NULL past the end. */
DPERM_API const char *dperm_schema_class_name(const dperm_schema *schema, size_t index);
/* What encoded column `index` means, as "age", "workclass=Private", "age[20,40)" for a bin or
 * "age[20,40)*sex=F" for a pair, into `name` (always
 * terminated, cut if it does not fit). Returns the length of the whole name. */
DPERM_API size_t dperm_schema_feature_name(const dperm_schema *schema, size_t index, char *name,
                                           size_t capacity);
/* What the schema says, as JSON (docs/formats.md): classes, columns with their encoded columns,
 * bins and bounds, crosses, norms, and what a refinement cost. To be given back with
 * dperm_text_free. */
DPERM_API DPERM_CHECKED dperm_status dperm_schema_describe(const dperm_schema *schema, char **json,
                                                           dperm_error *err);
/* The schema itself: text to be given back with dperm_text_free, a zero behind its `length`. */
DPERM_API DPERM_CHECKED dperm_status dperm_schema_to_text(const dperm_schema *schema, char **text,
                                                          size_t *length, dperm_error *err);
/* As JSON; "-" is standard output. A file appears whole or not at all. */
DPERM_API DPERM_CHECKED dperm_status dperm_schema_write(const dperm_schema *schema,
                                                        const char *path, dperm_error *err);

/* ---------------------------------------------------------------- data: bounded rows */

typedef enum dperm_format {
  DPERM_FORMAT_AUTO = 0, /* encoded if it begins so; else by its name: .svm, .svmlight, .libsvm;
                            else CSV with a schema */
  DPERM_FORMAT_CSV = 1,
  DPERM_FORMAT_SVMLIGHT = 2,
  DPERM_FORMAT_ENCODED = 3 /* from dperm_encode_file: it holds a schema and is mapped, not read */
} dperm_format;
/* The name of a value ("csv"); NULL for a number that is none. So for the other enums. */
DPERM_API const char *dperm_format_name(dperm_format format);

typedef struct dperm_arrow dperm_arrow;

/* A file of records, plain or gzip, told apart by content; "-" is standard input. Or, without a
 * path, a stream in memory. */
typedef struct dperm_source {
  const char *path;
  dperm_format format;
  const dperm_schema
      *schema; /* CSV; svmlight has none; an encoded file has its own, unless one is given */
  size_t dims; /* svmlight: the largest index allowed */
  /* Leaves out the digest of the bytes, by which a ledger knows the file: quicker, where
   * nothing will be charged. A file's rows without it are refused by a ledger. An encoded file has
   * it inside; processes that must compare their files make it anyway. */
  bool no_identity;
  bool may_be_empty;        /* no records at all are data too (neighbours add-remove) */
  const dperm_arrow *arrow; /* instead of a path: records of an Arrow stream (dperm/arrow.h) */
  const void *reserved[3];  /* zeros: space for members to come */
} dperm_source;

/* Records with their labels: a table of cells, in memory or mapped, of which a schema makes rows,
 * or rows that are numbers already. Every row is within a known norm. */
typedef struct dperm_data dperm_data;

/* `progress` may be NULL. */
DPERM_API DPERM_CHECKED dperm_status dperm_data_read(const dperm_source *source,
                                                     const dperm_progress *progress,
                                                     dperm_data **out, dperm_error *err);

/* Records to an encoded file, which is private data like them: its owner's alone, and whole or not
 * there. It holds their cells, so any schema with the same columns, ranges and values can be used
 * with it, whatever its bins. One pass; memory does not grow with the file. Training from it gives
 * the same model to the bit. `rows` (may be NULL) is their number. */
DPERM_API DPERM_CHECKED dperm_status dperm_encode_file(const dperm_source *source,
                                                       const char *out_path,
                                                       const dperm_progress *progress, size_t *rows,
                                                       dperm_error *err);

/* Rows from memory, copied; labels are −1 or +1, or NULL for rows to predict or to label later. A
 * row longer than `norm`, which must be public, is scaled down to it. Values must be finite. */
DPERM_API DPERM_CHECKED dperm_status dperm_data_from_dense(size_t rows, size_t dims,
                                                           const double *row_major,
                                                           const double *labels, double norm,
                                                           dperm_data **out, dperm_error *err);
/* Compressed sparse rows: entries row_starts[i] … row_starts[i+1]−1 belong to row i, their
 * columns ascending and below dims. */
DPERM_API DPERM_CHECKED dperm_status dperm_data_from_csr(
    size_t rows, size_t dims, const size_t *row_starts, const uint32_t *columns,
    const double *values, const double *labels, double norm, dperm_data **out, dperm_error *err);
/* A column of a table, values `stride` apart (0 for 1): numbers, or codes of texts; NaN or −1 if
 * missing. */
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
/* Or numbers, for a regression: clamped to a range that is known in public. */
DPERM_API DPERM_CHECKED dperm_status dperm_data_target(dperm_data *data, const double *labels,
                                                       double min, double max, dperm_error *err);
/* What a caller took from the records though the guarantee needs it to be public; flags to add up.
 */
typedef enum dperm_taken {
  DPERM_TAKEN_CLASSES = 1,    /* the set of labels */
  DPERM_TAKEN_NORM = 2,       /* the bound on the norm of rows */
  DPERM_TAKEN_RANGES = 4,     /* lowest and highest values of columns */
  DPERM_TAKEN_CATEGORIES = 8, /* the categories of a column */
  DPERM_TAKEN_COLUMNS = 16,   /* which columns there are, or their order */
  DPERM_TAKEN_SCALES = 32,    /* scales, means, a choice of columns: values that depend on others */
  DPERM_TAKEN_WEIGHTS = 64    /* weights of classes: "balanced" ones count them */
} dperm_taken;
/* "classes" for flag 1 << 0, "norm" for 1 << 1 and so on; NULL after the last. */
DPERM_NAMES(taken, unsigned, DPERM_WORDS_TAKEN)
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

/* Persons, where the schema tells them apart: their number is public where one is replaced by
 * another, that of their records is not. Else records. */
DPERM_API size_t dperm_data_units(const dperm_data *data);
DPERM_API size_t dperm_data_rows(const dperm_data *data);
DPERM_API size_t dperm_data_dims(const dperm_data *data);
/* −1 or +1 for each row, or the index of its class if there are more than two; of numbers how far
 * they are from the middle of their range, in halves of it; owned by `data`. */
DPERM_API const double *dperm_data_labels(const dperm_data *data);
/* Row `row` as `dims` doubles. */
DPERM_API DPERM_CHECKED dperm_status dperm_data_row(const dperm_data *data, size_t row,
                                                    double *values, dperm_error *err);

/* ---------------------------------------------------------------- loss and regularizer */

/* A convex loss ℓ(z) of the margin z = y·fᵀx, with |ℓ′| ≤ lipschitz and 0 ≤ ℓ″ ≤ smoothness
 * everywhere. Privacy rests on the two constants: declare them right. */
typedef struct dperm_loss dperm_loss;
struct dperm_loss {
  const char *name;  /* static printable ASCII, written into the model */
  double parameter;  /* h; NaN for a loss without one */
  double lipschitz;  /* L */
  double smoothness; /* c */
  /* Value, slope (ℓ′) and curvature (ℓ″) of `count` margins; each may be NULL. In many threads. */
  void (*eval)(const dperm_loss *loss, size_t count, const double *z, double *value, double *slope,
               double *curvature);
  void *context; /* for eval; not touched by the library */
  /* |slope as eval computes it − ℓ′(z)| ≤ this for every double z: the claim is about computed
   * numbers. 0: not known, and then no model made with this loss calls itself private. */
  double slope_error;
};

/* The names of the losses: "logistic" for 0, "huber", "smooth-hinge", and those of numeric labels,
 * "log-cosh", "huber-regression", "quantile" and "poisson"; NULL after the last. */
DPERM_API const char *dperm_loss_name(size_t index);
/* By one of these names; `h` is used where the loss has one, NaN for the usual one. logistic: log(1
 * + e^−z), L = 1, c = 1/4. huber: a hinge with a quadratic piece on |1−z| ≤ h, L = 1, c = 1/(2h).
 * smooth-hinge: one with a twice differentiable piece there, L = 1, c = 3/(4h).
 *
 * The others are of the residual r = z − y of a numeric label, and h is in the unit of half the
 * label's range. log-cosh: h·log cosh(r/h), L = 1, c = 1/h. huber-regression: r²/(2h) on |r| ≤ h, L
 * = 1, c = 1/h. quantile: the smoothed pinball loss of the median, L = 1/2, c = 1/(4h). poisson, of
 * counts, whose range begins at 0: with y' = (1 + y)/2 and u = z − 2, e^u − y'u up to u = 0 and 1 +
 * u − y'u beyond, L = 1, c = 1. */
DPERM_API DPERM_CHECKED dperm_status dperm_loss_by_name(const char *name, double h, dperm_loss *out,
                                                        dperm_error *err);
static inline dperm_loss dperm_loss_logistic(void) {
  dperm_loss loss;
  dperm_status made = dperm_loss_by_name("logistic", 0, &loss, NULL);
  (void)made; /* it always is */
  return loss;
}
DPERM_INLINE dperm_status dperm_loss_huber(double h, dperm_loss *out, dperm_error *err) {
  return dperm_loss_by_name("huber", h, out, err);
}
DPERM_INLINE dperm_status dperm_loss_smooth_hinge(double h, dperm_loss *out, dperm_error *err) {
  return dperm_loss_by_name("smooth-hinge", h, out, err);
}
/* That of another quantile, from 0.001 to 0.999 in whole thousandths; L is the larger of it and of
 * what is left to 1. */
DPERM_API DPERM_CHECKED dperm_status dperm_loss_quantile(double quantile, double h, dperm_loss *out,
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

/* ---------------------------------------------------------------- training */

typedef enum dperm_mechanism {
  DPERM_MECHANISM_OBJECTIVE = 0,
  DPERM_MECHANISM_OUTPUT = 1,
  DPERM_MECHANISM_NONE = 2, /* no privacy at all; the model says so */
  /* Noisy descent, for classes that are learned jointly with a delta: what _OBJECTIVE comes to
   * there, unless the noise is to be pure (docs/proofs/descent.md). */
  DPERM_MECHANISM_DESCENT = 3
} dperm_mechanism;
DPERM_NAMES(mechanism, dperm_mechanism, DPERM_WORDS_MECHANISM)

/* How ε is turned into noise by objective perturbation (docs/guide.md). */
typedef enum dperm_analysis {
  DPERM_ANALYSIS_TIGHT = 0, /* less noise for the same ε */
  DPERM_ANALYSIS_PAPER = 1  /* Chaudhuri, Monteleoni & Sarwate's own formulas, for comparison */
} dperm_analysis;
DPERM_NAMES(analysis, dperm_analysis, DPERM_WORDS_ANALYSIS)

/* The noise's density is ∝ exp(−β‖b‖) in one of these norms (docs/privacy.md 5). Output
 * perturbation has l2 noise only. */
typedef enum dperm_noise {
  DPERM_NOISE_AUTO = 0,    /* the least in rms, from public numbers; l2 for the paper's analysis */
  DPERM_NOISE_L2 = 1,      /* a ball: dense rows */
  DPERM_NOISE_L1 = 2,      /* independent coordinates: sparse rows */
  DPERM_NOISE_GROUP = 3,   /* a body made of the schema's columns: rows of one-hot blocks */
  DPERM_NOISE_LINF = 4,    /* a box: rows with a bound on each entry */
  DPERM_NOISE_MIXED = 5,   /* l1 in one-hot blocks, l2 in the other columns */
  DPERM_NOISE_GAUSSIAN = 6 /* normal coordinates: needs a delta above 0 (docs/proofs/gaussian.md) */
} dperm_noise;

/* Which data sets are neighbours, whose models nobody shall tell apart. Either way every record is
 * protected; an epsilon of the second kind is worth up to twice as much of the first, since
 * replacing a record is removing one and adding another (docs/proofs/neighbours.md). */
typedef enum dperm_neighbours {
  DPERM_NEIGHBOURS_REPLACE = 0,   /* one record replaced by any other; their number is public */
  DPERM_NEIGHBOURS_ADD_REMOVE = 1 /* one record more or less; nothing tells how many there are */
} dperm_neighbours;

/* "replace", "add-remove"; NULL from the first number on that is neither. */
DPERM_NAMES(neighbours, dperm_neighbours, DPERM_WORDS_NEIGHBOURS)

/* How more than two classes are learned. */
typedef enum dperm_multiclass {
  DPERM_MULTICLASS_AUTO = 0,       /* jointly with the logistic loss, else one against the rest */
  DPERM_MULTICLASS_JOINT = 1,      /* one fit of all classes, softmax (docs/proofs/softmax.md) */
  DPERM_MULTICLASS_ONE_VS_REST = 2 /* a fit for each class, of epsilon/classes (privacy.md 8.2) */
} dperm_multiclass;
DPERM_NAMES(multiclass, dperm_multiclass, DPERM_WORDS_MULTICLASS)

/* "auto", "l2", …; NULL from the first number on that is no kind. */
DPERM_API const char *dperm_noise_name(dperm_noise noise);

/* Random features (Rahimi & Recht): a linear model in cos and sin of random directions is a kernel
 * machine. k(x, x′) = exp(−γ‖x−x′‖₂²), exp(−γ‖x−x′‖₁), or Π_j 1/(1 + γ²(x_j−x′_j)²). */
typedef enum dperm_kernel_kind {
  DPERM_KERNEL_NONE = 0, /* linear */
  DPERM_KERNEL_GAUSSIAN = 1,
  DPERM_KERNEL_LAPLACIAN = 2,
  DPERM_KERNEL_CAUCHY = 3
} dperm_kernel_kind;
DPERM_NAMES(kernel, dperm_kernel_kind, DPERM_WORDS_KERNEL)

typedef struct dperm_kernel {
  dperm_kernel_kind kind;
  double gamma;     /* γ > 0 */
  size_t features;  /* D, even: D/2 directions, a cos and a sin each */
  bool independent; /* gaussian: independent directions, as the paper, not orthogonal ones */
  uint64_t seed;    /* public, below 2^53, kept in the model; 0 has the library draw one */
} dperm_kernel;

/* What the records of a class count, known in public: weights are divided by the largest. */
typedef struct dperm_class_weight {
  const char *name;
  double weight; /* from 1e-6 to 1e6 */
} dperm_class_weight;

/* Declared in headers of their own: dperm/random.h, dperm/ledger.h, dperm/unsafe.h. */
typedef struct dperm_random dperm_random;
typedef struct dperm_ledger dperm_ledger;
typedef struct dperm_charge dperm_charge;
typedef struct dperm_output dperm_output;
typedef struct dperm_unsafe_diagnostics dperm_unsafe_diagnostics;

/* Where a run is charged; all zeros for nowhere. A run that is not private, or tells unsafe
 * diagnostics, is refused if a data set is named, or if the ledger knows the data. */
typedef struct dperm_account {
  dperm_ledger *ledger;
  const char *dataset;
  bool dry_run;         /* stop before the charge: success, and no result (NULL, or all zeros) */
  dperm_charge *charge; /* filled if not NULL */
  dperm_output *output; /* where the result will go, or NULL: its space is taken before the charge
                           (dperm/output.h) */
} dperm_account;

/* What numeric columns become that the schema gives no "bins". */
typedef enum dperm_bins {
  DPERM_BINS_ASK = 0,  /* dperm_train asks the records, for a small share of epsilon, whether bins
                          serve them (docs/proofs/bins.md); straight lines where that would not pay,
                          with a kernel, without a mechanism, and in tune and sweep */
  DPERM_BINS_NONE = 1, /* straight lines */
  DPERM_BINS_AUTO = 2  /* bins, as many as the rows can pay for, from public numbers */
} dperm_bins;
DPERM_NAMES(bins, dperm_bins, DPERM_WORDS_BINS)

typedef struct dperm_options {
  size_t size; /* set by dperm_options_init */
  dperm_mechanism mechanism;
  double epsilon; /* has no default; not used by DPERM_MECHANISM_NONE */
  dperm_analysis analysis;
  dperm_noise noise;
  double delta_reg;  /* Δ ≥ 0, extra ridge of objective perturbation; NaN chooses the best */
  double norm_guess; /* a public guess of the solution's norm, to choose Δ and Λ; NaN for none */
  dperm_random *random; /* NULL for a secure source of its own */
  dperm_loss loss;      /* of zeros: the usual one, logistic, or log-cosh of a numeric label */
  dperm_regularizer regularizer;
  dperm_kernel kernel;    /* all zeros: a linear model */
  double lambda;          /* Λ > 0; NaN chooses from public numbers */
  size_t rows_per_person; /* epsilon is per person with at most so many rows; 1: per row */
  size_t classes;         /* 0, or what the data must have; a plan without a schema takes 0 for 2 */
  const dperm_class_weight *class_weights; /* or NULL and 0; a class not named has 1 */
  size_t class_weight_count;
  dperm_account account; /* where it is charged */
  double gradient_tolerance; /* without a mechanism: stop at this ‖∇J‖₂, or at the limit of double
                                precision. A private fit is as accurate as its claim needs */
  int threads;               /* 0: DPERM_THREADS, or one a processor (above) */
  dperm_progress progress;
  dperm_unsafe_diagnostics *unsafe_diagnostics; /* filled if not NULL */
  dperm_neighbours neighbours;
  dperm_multiclass multiclass; /* of two classes there is one fit in any case */
  size_t rows_about; /* with DPERM_NEIGHBOURS_ADD_REMOVE: a public figure near the number of rows,
                        which stands for it in every formula; else 0 */
  double delta;     /* 0: pure noise, and a delta for rounding alone. Above 0, far below 1/rows: all
                       that may be spent, for gaussian noise; pure noise spends none of it */
  double calibrate; /* 0, or dperm_train's share of epsilon for calibrated probabilities; NaN for
                       the usual share, which is none where it would not pay */
  double refine;    /* 0, or dperm_train's share of epsilon for bins and groups of categories from
                       noisy counts of the records; NaN for the usual share, which is none where it
                       would not pay (dperm/refine.h) */
  dperm_bins bins;
  int reserved;  /* 0 */
  char **report; /* filled if not NULL: what the run decided, as JSON (docs/formats.md), to be given
                    back with dperm_text_free; NULL where no model is made */
  double pairs;  /* 0, or dperm_train's share of epsilon for what two columns say only together
                    (docs/proofs/pairs.md); NaN for the usual share, none where it would not pay */
  /* 0, or the share of the records that dperm_train and dperm_tune hold out: secret coins choose
   * them, only an evaluation sees them, at epsilon, and the model states it. The run's guarantee
   * stays epsilon, as a record is in one part (docs/proofs/holdout.md). Whoever has the ledger can
   * score the same part again (dperm_score_options.held_out); without one the coins are forgotten.
   */
  double evaluate;
  /* 0, or dperm_train's share of epsilon for confidence intervals of the slopes, which
   * dperm_model_explain then gives (docs/proofs/intervals.md); NaN for the usual share. Of logistic
   * models of two classes and log-cosh regressions, under a schema; its rows are then divided
   * alike, with an intercept and without bins, and of each category's column the first value is
   * left out.
   */
  double intervals;
} dperm_options;

/* Logistic loss, ridge, objective perturbation; Λ, noise and bins automatic; tolerance 1e-10. */
DPERM_OPTIONS_INIT(dperm_options, DPERM_OPTIONS_TRAIN)

typedef struct dperm_model dperm_model;

/* Trains on records from any source: what dperm train does, with the same defaults and, given the
 * same seed, the same model to the byte. Columns become rows as options.bins and refine say; the
 * model holds the schema that was used. Minimizes (1/n) Σ w_i ℓ(y_i fᵀx_i) + Λ N(f), w_i the weight
 * of the record's class, n the number of rows or rows_about. The model is the only thing that
 * leaves, and the guarantee is about all of it. */
DPERM_API DPERM_CHECKED dperm_status dperm_train(const dperm_data *data,
                                                 const dperm_options *options, dperm_model **out,
                                                 dperm_error *err);

/* ---------------------------------------------------------------- model */

/* "-" is standard output. A file appears whole or not at all. No file that the library writes
 * replaces a ledger or what belongs to one (DPERM_INVALID_ARGUMENT). */
DPERM_API DPERM_CHECKED dperm_status dperm_model_write(const dperm_model *model, const char *path,
                                                       dperm_error *err);

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
 * with at most rows_per_person of them (0: any number, of a schema with "person"), replaced by any
 * other, or added and removed. */
typedef struct dperm_guarantee {
  bool is_private;       /* else nothing is guaranteed, and */
  const char *reason;    /* this is why, owned by the model; NULL if it is private */
  double epsilon, delta; /* NaN without a mechanism */
  size_t rows_per_person;
  dperm_neighbours neighbours;
} dperm_guarantee;
DPERM_API void dperm_model_guarantee_sized(const dperm_model *model, dperm_guarantee *out,
                                           size_t size);
static inline void dperm_model_guarantee(const dperm_model *model, dperm_guarantee *out) {
  dperm_model_guarantee_sized(model, out, sizeof *out);
}
/* Its is_private alone. */
static inline bool dperm_model_is_private(const dperm_model *model) {
  dperm_guarantee g;
  dperm_model_guarantee(model, &g);
  return g.is_private;
}
/* What else a model's file says, as JSON (docs/formats.md): loss function, lambda, mechanism,
 * noise, rows, how several classes were learned, how probabilities are scaled. To be given back
 * with dperm_text_free. */
DPERM_API DPERM_CHECKED dperm_status dperm_model_describe(const dperm_model *model, char **json,
                                                          dperm_error *err);
/* The schema the model was trained with, owned by the model; NULL for svmlight and memory. */
DPERM_API const dperm_schema *dperm_model_schema(const dperm_model *model);
DPERM_API size_t dperm_model_classes(const dperm_model *model);
/* Of two classes, 0 is the negative one and 1 the positive one. NULL past the end. */
DPERM_API const char *dperm_model_class_name(const dperm_model *model, size_t index);

/* fᵀx for each row of `data`; positive means class 1. Of more than two classes each row has one
 * score for each, side by side, and the largest wins. Records are of the model's schema, or of one
 * with the same columns, ranges and values; rows without a schema have the model's norm. */
DPERM_API DPERM_CHECKED dperm_status dperm_model_scores(const dperm_model *model,
                                                        const dperm_data *data, double *scores,
                                                        dperm_error *err);
/* The values that a regression predicts, within the range of its label. */
DPERM_API DPERM_CHECKED dperm_status dperm_model_values(const dperm_model *model,
                                                        const dperm_data *data, double *values,
                                                        dperm_error *err);
/* The probability of each class, so many numbers for each row; of logistic loss only. */
DPERM_API DPERM_CHECKED dperm_status dperm_model_probabilities(const dperm_model *model,
                                                               const dperm_data *data,
                                                               double *probabilities,
                                                               dperm_error *err);

/* Streams a file of records, labelled or not, to CSV lines "prediction,score,probability".
 * Only `path` and `format` of the source are used; the model knows the rest. `out_path` NULL or
 * "-" is standard output. */
DPERM_API DPERM_CHECKED dperm_status dperm_predict_file(const dperm_model *model,
                                                        const dperm_source *source,
                                                        const char *out_path,
                                                        const dperm_progress *progress,
                                                        dperm_error *err);

#ifdef __cplusplus
}
#endif
#endif
