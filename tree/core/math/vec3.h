// Vectors of three doubles, as plain arrays. Outputs may be the inputs.
#ifndef MB_MATH_VEC3_H
#define MB_MATH_VEC3_H

#include <math.h>

#ifdef __CUDACC__
#define MB_INLINE static inline __host__ __device__
#else
#define MB_INLINE static inline
#endif

MB_INLINE void mb_vec3_set(double a[3], double x, double y, double z) { a[0] = x, a[1] = y, a[2] = z; }
MB_INLINE void mb_vec3_copy(double a[3], const double b[3]) { a[0] = b[0], a[1] = b[1], a[2] = b[2]; }

MB_INLINE void mb_vec3_add(double c[3], const double a[3], const double b[3]) {
  c[0] = a[0] + b[0], c[1] = a[1] + b[1], c[2] = a[2] + b[2];
}

MB_INLINE void mb_vec3_sub(double c[3], const double a[3], const double b[3]) {
  c[0] = a[0] - b[0], c[1] = a[1] - b[1], c[2] = a[2] - b[2];
}

// c = a + s b
MB_INLINE void mb_vec3_add_scaled(double c[3], const double a[3], double s, const double b[3]) {
  c[0] = a[0] + s * b[0], c[1] = a[1] + s * b[1], c[2] = a[2] + s * b[2];
}

MB_INLINE void mb_vec3_scale(double c[3], double s, const double a[3]) {
  c[0] = s * a[0], c[1] = s * a[1], c[2] = s * a[2];
}

MB_INLINE double mb_vec3_dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

MB_INLINE void mb_vec3_cross(double c[3], const double a[3], const double b[3]) {
  const double x = a[1] * b[2] - a[2] * b[1];
  const double y = a[2] * b[0] - a[0] * b[2];
  const double z = a[0] * b[1] - a[1] * b[0];
  c[0] = x, c[1] = y, c[2] = z;
}

MB_INLINE double mb_vec3_norm(const double a[3]) { return sqrt(mb_vec3_dot(a, a)); }

#endif
