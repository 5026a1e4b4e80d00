/* The functions of base/functions.h against MPFR, at many random points and at the edges: within
 * the errors that the header states and docs/proofs/functions.md proves, on which privacy rests
 * (privacy.md 8.7, 3). Arguments: the number of points per function, 10^7 unless told; `make test`
 * takes fewer. Points depend on their number alone, not on the threads. */
#include <math.h>
#include <mpfr.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/functions.h"
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

/* Both signs, as far as results are doubles. */
static double any_exponent(random_source *r) {
  return 1453 * unit(r) - 744;
}
/* Near 1, where logarithms are small. */
static double near_one(random_source *r) {
  return 1 + (random_bits(r) >> 63 ? 1 : -1) * below_half(r, 53);
}
static double any_positive(random_source *r) {
  return ldexp(1 + unit(r), (int)(random_bits(r) % 2097) - 1074);
}
static double any_argument(random_source *r) {
  return 20 * unit(r);
}
static double tail_quantile(random_source *r) {
  return ldexp(below_half(r, 12), 12);
}
static double whole_or_half(random_source *r) {
  return (double)(1 + (random_bits(r) >> (random_bits(r) % 44 + 20))) / 2;
}
static double any_from_ten(random_source *r) {
  return 10 / below_half(r, 60);
}

/* ---- functions */

static double sine(double x) {
  double s = 0, c = 0;
  math_sincos(x, &s, &c);
  return s;
}
static double cosine(double x) {
  double s = 0, c = 0;
  math_sincos(x, &s, &c);
  return c;
}
static double power(double x) {
  return math_pow(x, 0.4);
}
static int exact_power(mpfr_t out, mpfr_srcptr x, mpfr_rnd_t round) {
  mpfr_t exponent;
  mpfr_init2(exponent, 53);
  mpfr_set_d(exponent, 0.4, round);
  int inexact = mpfr_pow(out, x, exponent, round);
  mpfr_clear(exponent);
  return inexact;
}
static int exact_erfc_scaled(mpfr_t out, mpfr_srcptr x, mpfr_rnd_t round) {
  mpfr_t square;
  mpfr_init2(square, 120);
  mpfr_sqr(square, x, round);
  mpfr_exp(square, square, round);
  mpfr_erfc(out, x, round);
  mpfr_mul(out, out, square, round);
  mpfr_clear(square);
  return 1;
}
static int exact_log_gamma(mpfr_t out, mpfr_srcptr x, mpfr_rnd_t round) {
  return mpfr_lngamma(out, x, round);
}

typedef struct function_case {
  const char *name;
  double (*function)(double);
  int (*exact)(mpfr_t, mpfr_srcptr, mpfr_rnd_t);
  double (*point)(random_source *);
  double most; /* ulps */
  double more; /* absolute */
} function_case;

static const function_case cases[] = {
    {"exp on [-745, 0]", math_exp, mpfr_exp, wide_exponent, 0.6, 0x1p-1074},
    {"exp on [-40, 0]", math_exp, mpfr_exp, usual_exponent, 0.6, 0},
    {"exp on (-1, 0), all binades", math_exp, mpfr_exp, small_exponent, 0.6, 0},
    {"exp on [-744, 709]", math_exp, mpfr_exp, any_exponent, 0.6, 0x1p-1074},
    {"exp of either sign", math_exp, mpfr_exp, any_epsilon, 0.6, 0},
    {"expm1 of either sign", math_expm1, mpfr_expm1, any_epsilon, 0.75, 0},
    {"log on (0, 1/2), all binades", math_log, mpfr_log, any_probability, 0.6, 0},
    {"log on [2^-64, 1/2)", math_log, mpfr_log, usual_probability, 0.6, 0},
    {"log near 1", math_log, mpfr_log, near_one, 0.6, 0},
    {"log of everything", math_log, mpfr_log, any_positive, 0.6, 0},
    {"log10 of everything", math_log10, mpfr_log10, any_positive, 0.6, 0},
    {"log1p on (-1/2, 0), all binades", math_log1p, mpfr_log1p, negative_probability, 0.6, 0},
    {"log1p on (-1/2, -2^-64]", math_log1p, mpfr_log1p, usual_negative, 0.6, 0},
    {"log1p of ratios", math_log1p, mpfr_log1p, any_ratio, 0.6, 0},
    {"x^0.4", power, exact_power, any_ratio, 2.3, 0},
    {"sinh of either sign", math_sinh, mpfr_sinh, any_epsilon, 4, 0},
    {"tanh of either sign", math_tanh, mpfr_tanh, any_epsilon, 4, 0},
    {"erfc", math_erfc, mpfr_erfc, any_quantile, 13, 0x1p-1074},
    {"scaled erfc", math_erfc_scaled, exact_erfc_scaled, any_argument, 12, 0},
    {"scaled erfc, all binades", math_erfc_scaled, exact_erfc_scaled, tail_quantile, 12, 0},
    {"log gamma of halves", math_log_gamma, exact_log_gamma, whole_or_half, 0.7, 0x1p-50},
    {"log gamma from 10 on", math_log_gamma, exact_log_gamma, any_from_ten, 0.7, 0x1p-50},
    {"sin on (0, pi/4]", sine, mpfr_sin, any_angle, 2, 0},
    {"sin on (0, 1/2), all binades", sine, mpfr_sin, small_angle, 2, 0},
    {"cos on (0, pi/4]", cosine, mpfr_cos, any_angle, 2, 0},
    {"cos on (0, 1/2), all binades", cosine, mpfr_cos, small_angle, 2, 0},
};
enum { CASES = sizeof cases / sizeof *cases };

/* At and beyond the ends of their ranges. */
static bool ends_are_right(void) {
  const double inf = (double)INFINITY, nan = (double)NAN;
  const double same[][2] = {{math_exp(inf), inf},
                            {math_exp(710), inf},
                            {math_exp(-inf), 0},
                            {math_exp(-746), 0},
                            {math_exp(0), 1},
                            {math_expm1(-inf), -1},
                            {math_expm1(inf), inf},
                            {math_expm1(0), 0},
                            {math_log(0), -inf},
                            {math_log(inf), inf},
                            {math_log(1), 0},
                            {math_log1p(-1), -inf},
                            {math_log1p(inf), inf},
                            {math_log1p(0), 0},
                            {math_log10(1e22), 22},
                            {math_log10(1e-5), -5},
                            {math_log10(0), -inf},
                            {math_pow(0, 0.4), 0},
                            {math_pow(0, -1), inf},
                            {math_pow(0, 0), 1},
                            {math_pow(10, 3), 1000},
                            {math_pow(inf, 0.5), inf},
                            {math_pow(2, 2000), inf},
                            {math_pow(2, -2000), 0},
                            {math_pow(1, 1e300), 1},
                            {math_sinh(-inf), -inf},
                            {math_sinh(0), 0},
                            {math_tanh(inf), 1},
                            {math_tanh(-inf), -1},
                            {math_tanh(0), 0},
                            {math_erfc(0), 1},
                            {math_erfc(inf), 0},
                            {math_erfc(-inf), 2},
                            {math_erfc(28), 0},
                            {math_erfc_scaled(0), 1},
                            {cosine(0), 1},
                            {sine(0), 0},
                            {math_exp(5e-324), 1},
                            {math_expm1(5e-324), 5e-324},
                            {math_log1p(5e-324), 5e-324}};
  bool right = isnan(math_exp(nan)) && isnan(math_expm1(nan)) && isnan(math_log(nan)) &&
               isnan(math_log(-1)) && isnan(math_log1p(-2)) && isnan(math_log1p(nan)) &&
               isnan(math_pow(-1, 0.5)) && isnan(math_erfc(nan)) && isnan(math_tanh(nan)) &&
               isnan(math_sinh(nan)) && isnan(sine(inf)) && isnan(cosine(nan));
  for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
    if (!(same[i][0] >= same[i][1] && same[i][0] <= same[i][1])) {
      (void)printf("# end %zu is %.17g, not %.17g\n", i, same[i][0], same[i][1]);
      right = false;
    }
  }
  return right;
}

/* ---- errors */

typedef struct worst {
  double ulps; /* of the double nearest to the exact value, less what is allowed besides */
  double at;
} worst;

static void compare(const function_case *c, double x, mpfr_t argument, mpfr_t exact, worst *most) {
  double value = c->function(x);
  mpfr_set_d(argument, x, MPFR_RNDN);
  (void)c->exact(exact, argument, MPFR_RNDN);
  long exponent = mpfr_zero_p(exact) ? -1073 : mpfr_get_exp(exact); /* |exact| is in [½, 1)·2^it */
  long ulp = exponent - 53 > -1074 ? exponent - 53 : -1074;
  mpfr_sub_d(argument, exact, value, MPFR_RNDN);
  mpfr_abs(argument, argument, MPFR_RNDN);
  mpfr_sub_d(argument, argument, c->more, MPFR_RNDN);
  mpfr_mul_2si(argument, argument, -ulp, MPFR_RNDN);
  double ulps = mpfr_get_d(argument, MPFR_RNDN);
  ulps = isnan(ulps) ? (double)INFINITY : ulps;
  if (ulps > most->ulps) {
    most->ulps = ulps;
    most->at = x;
  }
}

static worst compare_block(const function_case *c, uint64_t block, size_t count) {
  worst most = {0, 0};
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
  (void)printf("1..%d\n", (int)CASES + 1);
  failed += !ends_are_right();
  (void)printf("%s 1 - values at the ends\n", failed ? "not ok" : "ok");
  for (int i = 0; i < CASES; i++) {
    bool slow = cases[i].exact == exact_log_gamma || cases[i].exact == mpfr_erfc ||
                cases[i].exact == exact_erfc_scaled; /* in MPFR */
    size_t points = slow ? (count + 19) / 20 : count;
    worst most = compare_all(&cases[i], points);
    bool good = most.ulps <= cases[i].most;
    (void)printf("# %s: %.4f ulp at %a, %zu points\n", cases[i].name, most.ulps, most.at, points);
    (void)printf("%s %d - %s is within %g ulp\n", good ? "ok" : "not ok", i + 2, cases[i].name,
                 cases[i].most);
    (void)fflush(stdout);
    failed += !good;
  }
  return failed > 0;
}
