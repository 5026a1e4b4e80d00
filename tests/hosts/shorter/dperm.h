/* Headers as an older dperm would have had them, frozen: what abi_host.c needs, with options and
 * results that have fewer members at their end. Not to be brought up to date: programs that were
 * built against them must go on running (CONTRIBUTING.md, "The ABI"). */
#ifndef DPERM_H
#define DPERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DPERM_OK 0
typedef int dperm_status;
typedef struct dperm_error {
  dperm_status status;
  char message[1024];
} dperm_error;
typedef struct dperm_progress {
  bool (*tick)(void *context, const char *stage, uint64_t done, uint64_t total);
  void *context;
} dperm_progress;
typedef struct dperm_data dperm_data;
typedef struct dperm_model dperm_model;

typedef struct dperm_loss dperm_loss;
struct dperm_loss {
  const char *name;
  double parameter, lipschitz, smoothness;
  void (*eval)(const dperm_loss *loss, size_t count, const double *z, double *value, double *slope,
               double *curvature);
  void *context;
  double slope_error;
};
typedef struct dperm_regularizer {
  const double *weights, *prior;
  void (*eval)(void *context, size_t j, double f, double *value, double *slope, double *curvature);
  void *context;
  double most_curvature, slope_error;
} dperm_regularizer;
typedef struct dperm_account {
  void *ledger;
  const char *dataset;
  bool dry_run;
  void *charge;
  void *output;
} dperm_account;
typedef struct dperm_kernel {
  int kind;
  double gamma;
  size_t features;
  bool independent;
  uint64_t seed;
} dperm_kernel;

typedef struct dperm_options { /* without unsafe_diagnostics */
  size_t size;
  int mechanism;
  double epsilon;
  int analysis;
  int noise;
  double delta_reg;
  double norm_guess;
  void *random;
  dperm_loss loss;
  dperm_regularizer regularizer;
  dperm_kernel kernel;
  double lambda;
  size_t rows_per_person;
  size_t classes;
  const void *class_weights;
  size_t class_weight_count;
  dperm_account account;
  double gradient_tolerance;
  int threads;
  dperm_progress progress;
} dperm_options;
void dperm_options_init_sized(dperm_options *options, size_t size);
static inline void dperm_options_init(dperm_options *options) {
  dperm_options_init_sized(options, sizeof *options);
}
dperm_status dperm_train(const dperm_data *data, const dperm_options *options, dperm_model **out,
                         dperm_error *err);

typedef struct dperm_guarantee { /* without rows_per_person */
  bool is_private;
  const char *reason;
  double epsilon, delta;
} dperm_guarantee;
void dperm_model_guarantee_sized(const dperm_model *model, dperm_guarantee *out, size_t size);
static inline void dperm_model_guarantee(const dperm_model *model, dperm_guarantee *out) {
  dperm_model_guarantee_sized(model, out, sizeof *out);
}

dperm_status dperm_data_from_dense(size_t rows, size_t dims, const double *row_major,
                                   const double *labels, double norm, dperm_data **out,
                                   dperm_error *err);
void dperm_data_free(dperm_data *data);
void dperm_model_free(dperm_model *model);

#endif
