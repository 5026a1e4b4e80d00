/* exp, log and their kin, the same bits on every machine: made of + − × ÷ √ and of what is exact
 * (rint, floor, ldexp, frexp, fmod), in an order that the source fixes; libraries of mathematics
 * differ in last bits. tests/lint/symbols.sh refuses theirs. Errors are proved in
 * docs/proofs/functions.md, in ulps of the exact result where it is a normal double; beyond the
 * range of doubles the results are 0, ±INFINITY, or NaN where there is none. */
#pragma once

#include <stddef.h>

double math_exp(double x);   /* 0.6 ulp */
double math_expm1(double x); /* 0.75 ulp */
double math_log(double x);   /* 0.6 ulp */
double math_log1p(double x); /* 0.6 ulp */
double math_log10(double x); /* 0.6 ulp: the exponent for a power of 10 */
/* x ≥ 0; within 0.6 + |y·log x|/10 ulp. */
double math_pow(double x, double y);
double math_sinh(double x); /* 4 ulp; infinite from 709.8 on */
double math_tanh(double x); /* 4 ulp */
double math_erfc(double x); /* 13 ulp */
/* e^{x²}·erfc(x) for 0 ≤ x < 2^500: 12 ulp. */
double math_erfc_scaled(double x);
/* log Γ(x) for x > 0: from 10 on, or where 2x is whole, within 0.7 ulp + 2^−50. */
double math_log_gamma(double x);

/* Both within 2 ulp for |x| ≤ π/4; see math_sincos_scaled. */
void math_sincos(double x, double *sine, double *cosine);
/* scale·cos and scale·sin of `count` angles. Before the scale each is within 2^−52 of the true
 * value for angles up to 10^5, beyond that of an angle within 2^−53 of itself; a pair's squares sum
 * to 1 within 2^−50 always. The bits depend on the angle alone, not on its neighbours. */
void math_sincos_scaled(const double *angles, size_t count, double scale, double *cosines,
                        double *sines);

/* 1/2!, 1/3!, …: of all Taylor series. */
static const double inverse_factorials[] = {1.0 / 2,
                                            1.0 / 6,
                                            1.0 / 24,
                                            1.0 / 120,
                                            1.0 / 720,
                                            1.0 / 5040,
                                            1.0 / 40320,
                                            1.0 / 362880,
                                            1.0 / 3628800,
                                            1.0 / 39916800,
                                            1.0 / 479001600,
                                            1.0 / 6227020800,
                                            1.0 / 87178291200,
                                            1.0 / 1307674368000,
                                            1.0 / 20922789888000,
                                            1.0 / 355687428096000};
