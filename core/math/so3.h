// Rotations by rotation vectors: exp(w + δ) = exp(w) exp(J_r(w) δ) + O(δ²),
//   J_r = 1 − b [w] + c [w]²,   b = (1 − cos θ)/θ²,  c = (θ − sin θ)/θ³
#ifndef MB_MATH_SO3_H
#define MB_MATH_SO3_H

#include "core/math/se3.h"

// J (3 x 3, row after row) = J_r(w)
MB_INLINE void mb_so3_right_jacobian(double J[9], const double w[3]) {
  const double x2 = mb_vec3_dot(w, w), s = mb_half_sinc(x2), b = 2 * s * s, c = mb_exp_c(x2);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    J[4 * i] = 1 - c * (w[j] * w[j] + w[k] * w[k]);
    J[3 * i + j] = b * w[k] + c * w[i] * w[j];
    J[3 * i + k] = -b * w[j] + c * w[i] * w[k];
  }
}

#endif
