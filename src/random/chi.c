/* χ_n = √(2·Gamma(n/2)), and Gamma by the rejection of Marsaglia and Tsang (2000): with d = n/2 −
 * 1/3, c = 1/√(9d) and a normal x, d·(1 + cx)³ is one with probability min(1, exp(x²/2 + d − dv +
 * d log v)). Libraries of mathematics round log differently, so it is computed here. */
#include "random/chi.h"

#include <math.h>

/* log of a positive normal number: 2·artanh((m − 1)/(m + 1)) for the mantissa m in [√½, √2), where
 * the terms left out are below 1e-19, and the exponent times log 2. */
static double plain_log(double x) {
  int exponent = 0;
  double m = frexp(x, &exponent);
  if (m < 0.7071067811865476) {
    m *= 2;
    exponent--;
  }
  double t = (m - 1) / (m + 1), square = t * t, sum = 0;
  for (int k = 23; k >= 1; k -= 2) {
    sum = sum * square + 1.0 / k;
  }
  return 2 * t * sum + exponent * 0.6931471805599453;
}

/* Standard normal by the polar method. */
static double plain_normal(random_source *source) {
  for (;;) {
    double u = 2 * random_unit(source) - 1, v = 2 * random_unit(source) - 1, s = u * u + v * v;
    if (s > 0 && s < 1) {
      return u * sqrt(-2 * plain_log(s) / s);
    }
  }
}

double random_chi(random_source *source, size_t n) {
  double d = (double)n / 2 - 1.0 / 3, c = 1 / sqrt(9 * d);
  for (;;) {
    double x = plain_normal(source), root = 1 + c * x, v = root * root * root;
    double u = 1 - random_unit(source); /* in (0, 1] */
    if (root > 0 && plain_log(u) < 0.5 * x * x + d - d * v + d * plain_log(v)) {
      return sqrt(2 * d * v);
    }
  }
}
