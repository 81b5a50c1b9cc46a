// The second-order cone  { x : x₀ ≥ |(x₁, x₂)| }  as interior methods want it.
//
// Two points x and z inside of it have a scaling W, symmetric, with  W z = W⁻¹ x = λ  [Nesterov and Todd 1997]. With x̄ = x/√(xᵀ J x), z̄ the same,
// J = diag(1, −1, −1), and
//
//   w = (x̄ + J z̄)/√(2 + 2 x̄ᵀz̄),   η² = √(xᵀ J x / zᵀ J z),   W² = η² (2 w wᵀ − J)
//
// the axes of W are (1, c)/√2, (1, −c)/√2 and (0, c⊥), c along w's tangents, and what it does along them η e, η/e and η, e = w₀ + |(w₁, w₂)|.
#ifndef MB_CONTACT_SECOND_ORDER_H
#define MB_CONTACT_SECOND_ORDER_H

#include <math.h>

typedef struct MbConeScaling {
  double c[2];
  double by[3]; // along each of the axes
} MbConeScaling;

static inline double mb_cone_dot(const double x[3], const double y[3]) {
  return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

// xᵀ J x, of x near the cone's side too
static inline double mb_cone_depth(const double x[3]) {
  const double t = sqrt(x[1] * x[1] + x[2] * x[2]);
  return (x[0] - t) * (x[0] + t);
}

static inline MbConeScaling mb_cone_scaling(const double x[3], const double z[3]) {
  const double a = sqrt(mb_cone_depth(x)), b = sqrt(mb_cone_depth(z));
  const double half = sqrt(2 + 2 * mb_cone_dot(x, z) / (a * b)), eta = sqrt(a / b);
  const double w[2] = {(x[1] / a - z[1] / b) / half, (x[2] / a - z[2] / b) / half};
  const double t = sqrt(w[0] * w[0] + w[1] * w[1]), e = (x[0] / a + z[0] / b) / half + t;
  MbConeScaling scaling = {{1, 0}, {eta * e, eta / e, eta}};
  if (t > 0) scaling.c[0] = w[0] / t, scaling.c[1] = w[1] / t;
  return scaling;
}

// out ← the matrix with W's axes and other numbers along them, times x
static inline void mb_cone_along(const MbConeScaling *s, const double by[3], const double x[3],
                                 double out[3]) {
  const double *c = s->c, along = c[0] * x[1] + c[1] * x[2], across = c[0] * x[2] - c[1] * x[1];
  const double p = by[0] * (x[0] + along) / 2, q = by[1] * (x[0] - along) / 2, r = by[2] * across;
  out[0] = p + q;
  out[1] = (p - q) * c[0] - r * c[1], out[2] = (p - q) * c[1] + r * c[0];
}

// out ← a∘b
static inline void mb_cone_product(const double a[3], const double b[3], double out[3]) {
  const double first = mb_cone_dot(a, b), second = a[0] * b[1] + b[0] * a[1],
               third = a[0] * b[2] + b[0] * a[2];
  out[0] = first, out[1] = second, out[2] = third;
}

// out ← the y with a∘y = b
static inline void mb_cone_divide(const double a[3], const double b[3], double out[3]) {
  const double first = (a[0] * b[0] - a[1] * b[1] - a[2] * b[2]) / mb_cone_depth(a);
  out[0] = first, out[1] = (b[1] - a[1] * first) / a[0], out[2] = (b[2] - a[2] * first) / a[0];
}

// How many times d may be added to x, inside, until the cone's side is reached; INFINITY: any number.
static inline double mb_cone_reach(const double x[3], const double d[3]) {
  const double a = sqrt(mb_cone_depth(x)), u[3] = {x[0] / a, x[1] / a, x[2] / a};
  const double first = (u[0] * d[0] - u[1] * d[1] - u[2] * d[2]) / a, k = (first + d[0] / a) / (u[0] + 1);
  const double y = d[1] / a - k * u[1], z = d[2] / a - k * u[2], most = sqrt(y * y + z * z) - first;
  return most > 0 ? 1 / most : INFINITY;
}

#endif
