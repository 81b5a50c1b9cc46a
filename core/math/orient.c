// Signs of determinants, exact where rounding leaves them open (Shewchuk, Adaptive precision floating-point arithmetic, 1997).
//
// A sum of doubles of which none overlaps another, the smallest first, is a number without rounding. Differences of coordinates are two such
// doubles; products and sums of them are built one double at a time.
#include "core/math/orient.h"

#include <math.h>

enum { ROOM = 200 }; // of six products of three differences: 6 · 2 · 4 · 4 doubles, and one more

typedef struct Exact {
  int n;
  double x[ROOM];
} Exact;

// a + b = high + low
static double two_sum(double a, double b, double *low) {
  const double sum = a + b, part = sum - a;
  *low = (a - (sum - part)) + (b - part);
  return sum;
}

// a b = high + low
static double two_product(double a, double b, double *low) {
  const double product = a * b;
  *low = fma(a, b, -product);
  return product;
}

static void add_double(Exact *sum, double b) {
  int n = 0;
  for (int i = 0; i < sum->n; i++) {
    double low;
    b = two_sum(b, sum->x[i], &low);
    if (low != 0) sum->x[n++] = low;
  }
  if (b != 0) sum->x[n++] = b;
  sum->n = n;
}

static void add_scaled(Exact *sum, const Exact *a, double b) {
  for (int i = 0; i < a->n; i++) {
    double low;
    const double high = two_product(a->x[i], b, &low);
    add_double(sum, low);
    add_double(sum, high);
  }
}

static void difference(double out[2], double a, double b) { out[1] = two_sum(a, -b, &out[0]); }

// sum += sign u v w
static void add_product(Exact *sum, double sign, const double u[2], const double v[2], const double w[2]) {
  Exact uv = {0}, first = {.n = 2, .x = {u[0], u[1]}};
  add_scaled(&uv, &first, v[0]);
  add_scaled(&uv, &first, v[1]);
  add_scaled(sum, &uv, sign * w[0]);
  add_scaled(sum, &uv, sign * w[1]);
}

static double exactly(const double a[3], const double b[3], const double c[3], const double d[3]) {
  double u[3][2], v[3][2], w[3][2];
  for (int k = 0; k < 3; k++) {
    difference(u[k], b[k], a[k]);
    difference(v[k], c[k], a[k]);
    difference(w[k], d[k], a[k]);
  }
  Exact sum = {0};
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    add_product(&sum, 1, u[i], v[j], w[k]);
    add_product(&sum, -1, u[j], v[i], w[k]);
  }
  return sum.n ? sum.x[sum.n - 1] : 0;
}

double mb_orient3d(const double a[3], const double b[3], const double c[3], const double d[3]) {
  double u[3], v[3], w[3], det = 0, all = 0;
  for (int k = 0; k < 3; k++) u[k] = b[k] - a[k], v[k] = c[k] - a[k], w[k] = d[k] - a[k];
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    det += w[k] * (u[i] * v[j] - u[j] * v[i]);
    all += fabs(w[k]) * (fabs(u[i] * v[j]) + fabs(u[j] * v[i]));
  }
  // what rounding may have done to it is less than this share of all that was summed
  if (fabs(det) > 1e-15 * all) return det;
  return all > 0 ? exactly(a, b, c, d) : 0;
}
