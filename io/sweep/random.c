#include "io/sweep/random.h"

#include <math.h>

uint64_t mb_random_mix(uint64_t x) {
  x += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

uint64_t mb_random_word(uint64_t seed, uint64_t stream, uint64_t index) {
  return mb_random_mix(mb_random_mix(mb_random_mix(seed) ^ stream) ^ index);
}

double mb_random_unit(uint64_t word) { return ((double)(word >> 12) + 0.5) * 0x1p-52; }

static const double LN2_HIGH = 0x1.62e42fefa38p-1, LN2_LOW = 0x1.ef35793c7673p-45;

// x = k ln 2 + r with |r| <= ln 2 / 2, and the series of exp r
double mb_random_exp(double x) {
  enum { TERMS = 15 };
  const double k = floor(x / (LN2_HIGH + LN2_LOW) + 0.5), r = (x - k * LN2_HIGH) - k * LN2_LOW;
  double sum = 1;
  for (int i = TERMS; i > 0; i--) sum = 1 + sum * r / i;
  return ldexp(sum, (int)k);
}

// x = 2^k m with m about 1, and ln m = 2 (s + s³/3 + s⁵/5 + ...) with s = (m - 1)/(m + 1)
double mb_random_log(double x) {
  enum { LAST = 25 };
  int k = 0;
  double m = frexp(x, &k);
  if (m < 0.70710678118654752440) {
    m *= 2;
    k--;
  }
  const double s = (m - 1) / (m + 1), square = s * s;
  double sum = 0;
  for (int i = LAST; i > 0; i -= 2) sum = sum * square + 1.0 / i;
  return k * LN2_HIGH + (2 * s * sum + k * LN2_LOW);
}

static double ratio(const double a[8], const double b[8], double r) {
  double over = a[7], under = b[7];
  for (int i = 6; i >= 0; i--) {
    over = over * r + a[i];
    under = under * r + b[i];
  }
  return over / under;
}

// M. J. Wichura, Algorithm AS 241: The percentage points of the normal distribution, Applied Statistics 37 (1988)
double mb_random_normal(double u) {
  static const double a[8] = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                              1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                              3.3430575583588128105e+4, 2.5090809287301226727e+3};
  static const double b[8] = {1,
                              4.2313330701600911252e+1,
                              6.8718700749205790830e+2,
                              5.3941960214247511077e+3,
                              2.1213794301586595867e+4,
                              3.9307895800092710610e+4,
                              2.8729085735721942674e+4,
                              5.2264952788528545610e+3};
  static const double c[8] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                              3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                              2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static const double d[8] = {1,
                              2.05319162663775882187e0,
                              1.67638483018380384940e0,
                              6.89767334985100004550e-1,
                              1.48103976427480074590e-1,
                              1.51986665636164571966e-2,
                              5.47593808499534494600e-4,
                              1.05075007164441684324e-9};
  static const double e[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                              2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                              2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static const double f[8] = {1,
                              5.99832206555887937690e-1,
                              1.36929880922735805310e-1,
                              1.48753612908506148525e-2,
                              7.86869131145613259100e-4,
                              1.84631831751005468180e-5,
                              1.42151175831644588870e-7,
                              2.04426310338993978564e-15};
  const double q = u - 0.5;
  if (fabs(q) <= 0.425) return q * ratio(a, b, 0.180625 - q * q);
  const double r = sqrt(-mb_random_log(q < 0 ? u : 1 - u));
  const double x = r <= 5 ? ratio(c, d, r - 1.6) : ratio(e, f, r - 5);
  return q < 0 ? -x : x;
}
