/* See right_models.h. */
#include "right_models.h"

#include <math.h>
#include <stdbool.h>

#include "support.h"

static const char *const loss_names[] = {"logistic", "huber", "smooth-hinge", "mine"};
static const double h = 0.3, lambda = 0.01, delta_reg = 0.002, epsilon = 0.5, mean_rounds = 6;

static bool by_stopping(model_kind k) {
  return k.choice == LOGARITHMIC || k.choice == GEOMETRIC;
}

/* ---- right numbers */

static double fit_epsilon_of(model_kind k) {
  return k.choice == LOGARITHMIC ? epsilon / 2 : k.choice == GEOMETRIC ? 0.166 : epsilon;
}

static long rows_of(model_kind k) {
  return k.choice == SPLIT ? 3333 : by_stopping(k) ? 9000 : 10000;
}

static double norm_of(model_kind k) {
  return k.rows == KERNEL ? 1.0 + 0x1p-48 : k.rows == SCHEMA ? 1.0 : 1.5;
}

enum { DIMS = 5, FEATURES = 8 };

/* The best t for the schema below beside a block of weight 1, (1/4)^(1/4), in eight bits; the
 * reader takes no other. */
static const double noise_weight = 181.0 / 256;

/* The schema below has two columns with r_g = min(1, 2) and 1. For mixed noise the first is one
 * encoded column, and the second a block of four. */
static long double noise_norm_of(model_kind k) {
  if (k.noise == NOISE_MIXED) {
    return sqrtl(1 + (long double)noise_weight * (long double)noise_weight);
  }
  if (k.noise == NOISE_L2) {
    return (long double)norm_of(k);
  }
  if (k.noise != NOISE_L1) {
    return 1;
  }
  int d = k.rows == KERNEL ? FEATURES : k.rows == SCHEMA ? 2 : DIMS;
  return (long double)norm_of(k) * sqrtl(d);
}

static double lipschitz_of(model_kind k) {
  return k.loss == CUSTOM ? 2.0 : 1.0;
}

double right_smoothness(model_kind k) {
  const double c[] = {0.25, 1 / (2 * h), 3 / (4 * h), 0.7};
  return c[k.loss];
}

long double right_cost(model_kind k, long double kappa, long double a) {
  long double l = (long double)lipschitz_of(k), c = (long double)right_smoothness(k);
  if (k.loss == HUBER || k.loss == CUSTOM) {
    return 2 * a * l + log1pl(kappa * c);
  }
  long double best = 0, at = 0, low = 0, high = 1;
  for (int round = 0; round < 9; round++) {
    long double width = (high - low) / 20;
    for (int i = 0; i <= 20; i++) {
      long double x = low + width * i, value = 0;
      if (k.loss == LOGISTIC) {
        value = a * x + log1pl(kappa * x * (1 - x));
      } else {
        value = a * (2 + 3 * x - x * x * x) / 4 + log1pl(kappa * c * (1 - x * x));
      }
      if (value > best) {
        best = value;
        at = x;
      }
    }
    low = fmaxl(0, at - width);
    high = fminl(1, at + width);
  }
  return a + best;
}

static double beta_of(model_kind k, double budget) {
  long double n = (long double)rows_of(k), r = (long double)norm_of(k), e = (long double)budget;
  long double l = (long double)lipschitz_of(k), margin = 1 - 1e-9L, rk = noise_norm_of(k);
  if (k.claim == OUTPUT) {
    return (double)(margin * n * (long double)lambda * e / (2 * l * r));
  }
  long double kappa = r * r / (n * ((long double)lambda + (long double)delta_reg));
  if (k.claim == PAPER) {
    long double left = e - 2 * log1pl(kappa * (long double)right_smoothness(k));
    return (double)(margin * left / (2 * l * rk));
  }
  long double low = 0, high = e;
  for (int i = 0; i < 60; i++) {
    long double a = (low + high) / 2;
    *(right_cost(k, kappa, a) <= e ? &low : &high) = a;
  }
  return (double)(margin * low / rk);
}

/* A thousandth, rounded down to 20 bits. */
static double epsilon_num_of(double budget) {
  int exponent = 0;
  double fraction = frexp(budget / 1000, &exponent);
  return ldexp(floor(ldexp(fraction, 20)), exponent - 20);
}

/* ---- right models */

static const char *const noise_names[] = {"l2", "l1", "group", "linf", "mixed"};
static const double step = 0x1p-33, tau = 1e-7;

static json_t *numerics_of(model_kind k) {
  int d = k.rows == KERNEL ? FEATURES : DIMS;
  double e = fit_epsilon_of(k), num = epsilon_num_of(e), core = nextafter(e - 2 * num, 0);
  double fits = by_stopping(k) ? mean_rounds : 1;
  return json_pack("{s:f, s:f, s:f, s:I, s:f, s:f}", "epsilon_core", core, "epsilon_num", num,
                   "lattice_step", step, "lattice_sensitivity",
                   (json_int_t)floorl(d + sqrtl(d) * (long double)tau / (long double)step),
                   "solution_error", tau, "delta",
                   fits * (1 + exp(epsilon)) * exp(-100) * (1 + 1e-9));
}

static json_t *privacy_of(model_kind k) {
  json_t *numerics = numerics_of(k);
  double core = json_real_value(json_object_get(numerics, "epsilon_core"));
  bool objective = k.claim != OUTPUT;
  json_t *weight = k.noise == NOISE_MIXED ? json_real(noise_weight) : json_null();
  json_t *weights = k.noise == NOISE_MIXED ? json_pack("[f]", 1.0) : NULL;
  return json_pack("{s:s, s:f, s:f, s:s, s:s, s:s?, s:s, s:o, s:o*, s:f, s:f, s:f, s:o}",
                   "definition", "(epsilon, delta)-differential privacy", "epsilon", epsilon,
                   "delta", json_real_value(json_object_get(numerics, "delta")), "neighbours",
                   "replace-one", "mechanism", objective ? "objective" : "output", "analysis",
                   objective ? (k.claim == TIGHT ? "tight" : "paper") : NULL, "noise",
                   noise_names[k.noise], "noise_weight", weight, "noise_weights", weights, "beta",
                   beta_of(k, core), "delta_reg", objective ? delta_reg : 0.0, "lambda", lambda,
                   "numerics", numerics);
}

static json_t *loss_of(model_kind k) {
  bool has_h = k.loss == HUBER || k.loss == SMOOTH_HINGE;
  return json_pack("{s:s, s:o, s:f, s:f}", "name", loss_names[k.loss], "h",
                   has_h ? json_real(h) : json_null(), "lipschitz", lipschitz_of(k), "smoothness",
                   right_smoothness(k));
}

static json_t *candidates_of(model_kind k) {
  bool has_h = k.loss == HUBER || k.loss == SMOOTH_HINGE, kernel = k.rows == KERNEL;
  json_t *list = json_array();
  for (int i = 0; i < 2; i++) {
    json_t *value = i == 1 ? json_real(lambda) : json_string("auto");
    json_t *one = json_pack("{s:s, s:s, s:n, s:s, s:o, s:o, s:o, s:o}", "mechanism",
                            k.claim == OUTPUT ? "output" : "objective", "noise",
                            i == 1 ? noise_names[k.noise] : "auto", "multiclass", "loss",
                            loss_names[k.loss], "h", has_h ? json_real(h) : json_null(), "lambda",
                            value, "gamma", kernel ? json_real(0.5) : json_null(), "features",
                            kernel ? json_integer(FEATURES) : json_null());
    assert_int_equal(json_array_append_new(list, one), 0);
  }
  return list;
}

static json_t *selection_of(model_kind k) {
  switch (k.choice) {
  case SPLIT:
    return json_pack("{s:s, s:s, s:o, s:i, s:i}", "method", "split", "selector", "permute-and-flip",
                     "candidates", candidates_of(k), "chosen", 1, "portion", 3333);
  case LOGARITHMIC:
  case GEOMETRIC:
    return json_pack("{s:s, s:s, s:f, s:f, s:o, s:i, s:i}", "method", "stopping", "rounds",
                     k.choice == GEOMETRIC ? "geometric" : "logarithmic", "rounds_mean",
                     mean_rounds, "epsilon_round", fit_epsilon_of(k), "candidates",
                     candidates_of(k), "chosen", 1, "holdout_rows", 1000);
  case PUBLIC:
    return json_pack("{s:s, s:o, s:i, s:i}", "method", "public", "candidates", candidates_of(k),
                     "chosen", 1, "public_rows", 50);
  default:
    return json_null();
  }
}

static json_t *weights_of(model_kind k) {
  json_t *list = json_array();
  for (int j = 0; j < (k.rows == KERNEL ? FEATURES : DIMS); j++) {
    assert_int_equal(json_array_append_new(list, json_real(step * (1000003 * j - 2000001))), 0);
  }
  return list;
}

/* Five encoded columns: a number and its missing category, two of three categories and theirs. For
 * mixed noise, where one must stand alone, a number and four categories. */
static json_t *schema_of(model_kind k) {
  if (k.noise == NOISE_MIXED) {
    return json_pack(
        "{s:{s:s, s:[s], s:[s]}, s:[{s:s, s:s, s:i, s:i, s:f}, {s:s, s:s, s:[s, s, s, s]}]}",
        "label", "column", "rich", "positive", "yes", "negative", "no", "columns", "name", "age",
        "type", "numeric", "min", 0, "max", 9, "weight", 2.0, "name", "job", "type", "categorical",
        "values", "a", "b", "c", "d");
  }
  return json_pack("{s:{s:s, s:[s], s:[s]}, s:[{s:s, s:s, s:i, s:i, s:f}, {s:s, s:s, s:[s, s, s], "
                   "s:s}, {s:s, s:s}], "
                   "s:s}",
                   "label", "column", "rich", "positive", "yes", "negative", "no", "columns",
                   "name", "age", "type", "numeric", "min", 0, "max", 9, "weight", 2.0, "name",
                   "job", "type", "categorical", "values", "a", "b", "c", "reference", "b", "name",
                   "note", "type", "ignore", "on_missing", "category");
}

json_t *right_model(model_kind k) {
  json_t *kernel = k.rows == KERNEL
                       ? json_pack("{s:s, s:f, s:i, s:s, s:i}", "name", "gaussian", "gamma", 0.5,
                                   "features", (int)FEATURES, "kind", "orthogonal", "seed", 7)
                       : json_null();
  json_t *schema = k.rows == SCHEMA ? schema_of(k) : json_null();
  json_t *model = json_pack(
      "{s:s, s:b, s:n, s:o, s:o, s:i, s:i, s:o, s:n, s:[s, s], s:{s:s, s:i, s:f}, s:o, s:o, s:o, "
      "s:s}",
      "format", "dperm-model/1", "private", 1, "reason", "privacy", privacy_of(k), "loss",
      loss_of(k), "rows", 10000, "rows_fitted", (int)rows_of(k), "selection", selection_of(k),
      "ledger", "classes", "no", "yes", "encoding", "source",
      k.rows == SCHEMA ? "schema" : "memory", "dims", (int)DIMS, "norm",
      k.rows == SCHEMA ? 1.0 : 1.5, "schema", schema, "kernel", kernel, "weights", weights_of(k),
      "dperm_version", "0.2.0");
  assert_non_null(model);
  return model;
}
