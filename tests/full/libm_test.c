/* The mathematical functions that privacy rests on (privacy.md 8.7, 3), against MPFR: the error
 * budgets of src/random/noise.c and of the certificate assume them within 2 ulp (relative 4u); here
 * they must be within 1 ulp at many random points of the ranges we use. Those that prices are made
 * of (delta, beta, rounds, Renyi divergences) have margins of 1e-12 at least, and 16 ulp are left
 * for each. A sample proves nothing about the points between, but a libm without such a bound shows
 * at once. Arguments: the number of points
 * per function, 10^7 unless told; `make test` takes fewer. Points depend on their number alone, not
 * on the threads. */
#define _GNU_SOURCE /* sincos, which compilers make of sin and cos of the same number */
#include <math.h>
#include <mpfr.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/thread_pool.h"
#include "random/random_source.h"

enum { PRECISION = 120, BLOCK = 4096 };

/* ---- points */

/* Uniform on (0, 1]. */
static double unit(random_source *r) {
  return (double)((random_bits(r) >> 11) + 1) * 0x1p-53;
}

/* Log-uniform on [2^−lowest, ½): each binade equally often. */
static double below_half(random_source *r, uint64_t lowest) {
  int binade = 2 + (int)(random_bits(r) % (lowest - 1));
  return ldexp(1 + unit(r) * (1 - 0x1p-52), -binade);
}

static double wide_exponent(random_source *r) {
  return -745 * unit(r);
}
static double usual_exponent(random_source *r) {
  return -40 * unit(r);
}
static double small_exponent(random_source *r) {
  return -2 * below_half(r, 70);
}
static double any_probability(random_source *r) {
  return below_half(r, 1022);
}
static double usual_probability(random_source *r) {
  return below_half(r, 64);
}
static double negative_probability(random_source *r) {
  return -below_half(r, 1022);
}
static double usual_negative(random_source *r) {
  return -below_half(r, 64);
}
static double any_angle(random_source *r) {
  return 0.785398163397448309 * unit(r);
}
static double small_angle(random_source *r) {
  return below_half(r, 1022);
}
/* Either sign, each binade from 2^−60 to 2^9 equally often. */
static double any_epsilon(random_source *r) {
  double x = ldexp(below_half(r, 70), 10);
  return random_bits(r) >> 63 ? x : -x;
}
static double any_ratio(random_source *r) {
  return ldexp(below_half(r, 120), 60);
}
static double any_quantile(random_source *r) {
  return 32 * unit(r) - 6;
}

/* ---- functions */

static double sincos_sin(double x) {
  double s = 0, c = 0;
  sincos(x, &s, &c);
  return s;
}
static double sincos_cos(double x) {
  double s = 0, c = 0;
  sincos(x, &s, &c);
  return c;
}

typedef struct function_case {
  const char *name;
  double (*function)(double);
  int (*exact)(mpfr_t, mpfr_srcptr, mpfr_rnd_t);
  double (*point)(random_source *);
  double most; /* ulps */
} function_case;

enum { PRICE = 16 };
static const function_case cases[] = {
    {"exp on [-745, 0]", exp, mpfr_exp, wide_exponent, 1},
    {"exp on [-40, 0]", exp, mpfr_exp, usual_exponent, 1},
    {"exp on (-1, 0), all binades", exp, mpfr_exp, small_exponent, 1},
    {"log on (0, 1/2), all binades", log, mpfr_log, any_probability, 1},
    {"log on [2^-64, 1/2)", log, mpfr_log, usual_probability, 1},
    {"log1p on (-1/2, 0), all binades", log1p, mpfr_log1p, negative_probability, 1},
    {"log1p on (-1/2, -2^-64]", log1p, mpfr_log1p, usual_negative, 1},
    {"sin on (0, pi/4]", sin, mpfr_sin, any_angle, 1},
    {"sin on (0, 1/2), all binades", sin, mpfr_sin, small_angle, 1},
    {"cos on (0, pi/4]", cos, mpfr_cos, any_angle, 1},
    {"cos on (0, 1/2), all binades", cos, mpfr_cos, small_angle, 1},
    {"sincos on (0, pi/4], its sine", sincos_sin, mpfr_sin, any_angle, 1},
    {"sincos on (0, 1/2), all binades, its sine", sincos_sin, mpfr_sin, small_angle, 1},
    {"sincos on (0, pi/4], its cosine", sincos_cos, mpfr_cos, any_angle, 1},
    {"exp of prices", exp, mpfr_exp, any_epsilon, PRICE},
    {"expm1 of prices", expm1, mpfr_expm1, any_epsilon, PRICE},
    {"sinh of prices", sinh, mpfr_sinh, any_epsilon, PRICE},
    {"log of prices", log, mpfr_log, any_ratio, PRICE},
    {"log1p of prices", log1p, mpfr_log1p, any_ratio, PRICE},
    {"erfc of prices", erfc, mpfr_erfc, any_quantile, PRICE},
};
enum { CASES = sizeof cases / sizeof *cases };

/* ---- errors */

typedef struct worst {
  double ulps; /* of the double nearest to the exact value, subnormal ones included */
  double at;
  double relative; /* in units of 2^−53, where the value is a normal double */
} worst;

static void compare(const function_case *c, double x, mpfr_t argument, mpfr_t exact, worst *most) {
  double value = c->function(x);
  mpfr_set_d(argument, x, MPFR_RNDN);
  (void)c->exact(exact, argument, MPFR_RNDN);
  long exponent = mpfr_get_exp(exact); /* |exact| is in [½, 1)·2^exponent */
  long ulp = exponent - 53 > -1074 ? exponent - 53 : -1074;
  mpfr_sub_d(argument, exact, value, MPFR_RNDN);
  if (exponent > -1021) {
    mpfr_div(exact, argument, exact, MPFR_RNDN);
    most->relative = fmax(most->relative, fabs(mpfr_get_d(exact, MPFR_RNDN)) * 0x1p53);
  }
  mpfr_mul_2si(argument, argument, -ulp, MPFR_RNDN);
  double ulps = fabs(mpfr_get_d(argument, MPFR_RNDN));
  ulps = isnan(ulps) ? INFINITY : ulps;
  if (ulps > most->ulps) {
    most->ulps = ulps;
    most->at = x;
  }
}

static worst compare_block(const function_case *c, uint64_t block, size_t count) {
  worst most = {0, 0, 0};
  random_source r;
  mpfr_t argument, exact;
  if (random_public(block, c->name, &r, NULL) != DPERM_OK) {
    most.ulps = INFINITY;
    return most;
  }
  mpfr_inits2(PRECISION, argument, exact, (mpfr_ptr)NULL);
  for (size_t i = 0; i < count; i++) {
    compare(c, c->point(&r), argument, exact, &most);
  }
  mpfr_clears(argument, exact, (mpfr_ptr)NULL);
  return most;
}

typedef struct comparison {
  const function_case *c;
  size_t count;
  pthread_mutex_t lock; /* of `most` */
  worst most;
} comparison;

static void compare_piece(void *context, size_t block, size_t worker) {
  comparison *all = context;
  size_t rest = all->count - block * BLOCK;
  (void)worker;
  worst found = compare_block(all->c, block, rest < BLOCK ? rest : BLOCK);
  mpfr_free_cache(); /* each thread has its own */
  pthread_mutex_lock(&all->lock);
  all->most.relative = fmax(all->most.relative, found.relative);
  if (found.ulps > all->most.ulps) {
    all->most.ulps = found.ulps;
    all->most.at = found.at;
  }
  pthread_mutex_unlock(&all->lock);
}

static worst compare_all(const function_case *c, size_t count) {
  comparison all = {.c = c, .count = count, .lock = PTHREAD_MUTEX_INITIALIZER};
  pool_run((count + BLOCK - 1) / BLOCK, compare_piece, &all);
  return all.most;
}

int main(int argc, char **argv) {
  size_t count = argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : 10000000;
  int failed = 0;
  if (count == 0 || !mpfr_buildopt_tls_p()) {
    (void)printf("Bail out! a positive count and a thread-safe MPFR are needed\n");
    return 1;
  }
  (void)printf("1..%d\n", (int)CASES);
  for (int i = 0; i < CASES; i++) {
    /* MPFR's own take long for prices */
    size_t points = cases[i].most == PRICE ? (count + 19) / 20 : count;
    worst most = compare_all(&cases[i], points);
    double bound = cases[i].most;
    bool good = most.ulps <= bound && most.relative <= 2 * bound;
    (void)printf("# %s: %.4f ulp at %a, relative error %.4f u, %zu points\n", cases[i].name,
                 most.ulps, most.at, most.relative, points);
    (void)printf("%s %d - %s is within %g ulp\n", good ? "ok" : "not ok", i + 1, cases[i].name,
                 bound);
    (void)fflush(stdout);
    failed += !good;
  }
  return failed > 0;
}
