// What is kept of λ: see contact_points.h.
#include "core/contact/contact_points.h"
#include "core/base/targets.h"

#include <stdbool.h>
#include <string.h>

static size_t count_of(const MbContactPoints *p, size_t i) { return p->first[i + 1] - p->first[i]; }

// S of two points, along each axis.
static void between(const MbContactPoints *p, uint32_t a, uint32_t b, double S[3]) {
  if (p->branch) {
    const bool known = a == b && p->self;
    S[0] = S[1] = S[2] = known ? p->self[a] : mb_branch_dot(&p->branch[a], &p->branch[b]);
    return;
  }
  const double *from = p->S + p->width * (p->npoints * a + b);
  for (size_t axis = 0; axis < 3; axis++) S[axis] = from[p->width == 1 ? 0 : axis];
}

#define INLINE static inline __attribute__((always_inline))

// What pushes f at some points do to all: v ← v + S f. Four columns of S at a time.
INLINE void add_columns(const MbContactPoints *p, size_t count, const uint32_t *point, double (*f)[3],
                        double *v) {
  const size_t n = p->npoints;
  for (size_t from = 0; from < count; from += 4) {
    const double *S[4];
    double g[4][3] = {{0}};
    for (size_t k = 0; k < 4; k++) {
      const bool is = from + k < count;
      S[k] = p->S + p->width * n * point[is ? from + k : from];
      for (size_t axis = 0; axis < 3 && is; axis++) g[k][axis] = f[from + k][axis];
    }
    if (p->width == 1) {
      const double *restrict s0 = S[0], *restrict s1 = S[1], *restrict s2 = S[2], *restrict s3 = S[3];
      double *restrict x = v, *restrict y = v + n, *restrict z = v + 2 * n;
      MB_SIMD
      for (size_t i = 0; i < n; i++) {
        x[i] += (s0[i] * g[0][0] + s1[i] * g[1][0]) + (s2[i] * g[2][0] + s3[i] * g[3][0]);
        y[i] += (s0[i] * g[0][1] + s1[i] * g[1][1]) + (s2[i] * g[2][1] + s3[i] * g[3][1]);
        z[i] += (s0[i] * g[0][2] + s1[i] * g[1][2]) + (s2[i] * g[2][2] + s3[i] * g[3][2]);
      }
      continue;
    }
    for (size_t axis = 0; axis < 3; axis++)
      for (size_t i = 0; i < n; i++) {
        const size_t at = 3 * i + axis;
        v[axis * n + i] +=
            (S[0][at] * g[0][axis] + S[1][at] * g[1][axis]) + (S[2][at] * g[2][axis] + S[3][at] * g[3][axis]);
      }
  }
}

static double dot(const double *a, const double *b, size_t n) {
  double sum = 0;
  for (size_t k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

// What of W two rows have through their bodies.
INLINE double through_bodies(const MbContactPoints *p, size_t i, size_t j) {
  double sum = 0;
  for (size_t e = 0; e < 4 && p->nslots; e++) {
    const size_t a = 2 * i + e / 2, b = 2 * j + e % 2;
    if (p->slot[a] == UINT32_MAX || p->slot[a] != p->slot[b]) continue;
    sum += dot(p->F + 6 * a, p->F + 6 * b, 6);
  }
  return sum;
}

// And through their bodies and the few numbers.
static double apart(const MbContactPoints *p, size_t i, size_t j) {
  return dot(p->V + p->weights * i, p->NV + p->weights * j, p->weights) + through_bodies(p, i, j);
}

// Four rows' products with the few numbers V of one: each is a chain of sums, and four of them go side by side.
INLINE void weigh_four(const double *V, const double *NV, size_t m, double *out) {
  double a = 0, b = 0, c = 0, d = 0;
  for (size_t k = 0; k < m; k++)
    a += V[k] * NV[k], b += V[k] * NV[m + k], c += V[k] * NV[2 * m + k], d += V[k] * NV[3 * m + k];
  out[0] = a, out[1] = b, out[2] = c, out[3] = d;
}

// out ← what row i has with all others through the few numbers and bodies.
INLINE void column_apart(const MbContactPoints *p, size_t n, size_t i, double *out) {
  const size_t m = p->weights;
  const double *V = p->V + m * i;
  size_t j = 0;
  for (; j + 4 <= n && m; j += 4) weigh_four(V, p->NV + m * j, m, out + j);
  for (; j < n; j++) out[j] = dot(V, p->NV + m * j, m);
  for (j = 0; j < n && p->nslots; j++) out[j] += through_bodies(p, i, j);
}

static bool same_points(const MbContactPoints *p, size_t i, size_t j) {
  return count_of(p, i) == count_of(p, j) &&
         !memcmp(p->point + p->first[i], p->point + p->first[j], count_of(p, i) * sizeof *p->point);
}

// S of the points of rows i and j, and what of W these two have by it.
typedef struct Between {
  double S[MB_POINT_ENDS][MB_POINT_ENDS][3];
} Between;

static void look_between(const MbContactPoints *p, size_t i, size_t j, Between *of) {
  for (size_t a = p->first[i]; a < p->first[i + 1]; a++)
    for (size_t b = p->first[j]; b < p->first[j + 1]; b++)
      between(p, p->point[a], p->point[b], of->S[a - p->first[i]][b - p->first[j]]);
}

static double through_points(const MbContactPoints *p, size_t i, size_t j, const Between *of) {
  double sum = 0;
  for (size_t a = p->first[i]; a < p->first[i + 1]; a++)
    for (size_t b = p->first[j]; b < p->first[j + 1]; b++) {
      const double *S = of->S[a - p->first[i]][b - p->first[j]];
      for (size_t axis = 0; axis < 3; axis++) sum += p->H[3 * a + axis] * S[axis] * p->H[3 * b + axis];
    }
  return sum;
}

// Of branches: rows of a contact, which follow one another, have the same points.
static void add_by_branches(const MbContactPoints *p, size_t n, size_t i, double *out) {
  Between of;
  for (size_t j = 0; j < n; j++) {
    if (!j || !same_points(p, j - 1, j)) look_between(p, i, j, &of);
    out[j] += through_points(p, i, j, &of);
  }
}

MB_CLONES static void add_by_columns(const MbContactPoints *p, size_t n, size_t i, double *out) {
  const size_t m = p->npoints;
  double *v = p->scratch;
  double f[MB_POINT_ENDS][3];
  memcpy(f, p->H + 3 * p->first[i], 3 * count_of(p, i) * sizeof(double));
  memset(v, 0, 3 * m * sizeof *v);
  add_columns(p, count_of(p, i), p->point + p->first[i], f, v);
  for (size_t j = 0; j < n; j++) {
    double sum = 0;
    for (size_t e = p->first[j]; e < p->first[j + 1]; e++) {
      const double *H = p->H + 3 * e, *at = v + p->point[e];
      sum += (H[0] * at[0] + H[1] * at[m]) + H[2] * at[2 * m];
    }
    out[j] += sum;
  }
}

static void fill_table(const MbContactPoints *p) {
  const size_t n = p->npoints;
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b <= a; b++) {
      double S[3];
      between(p, (uint32_t)a, (uint32_t)b, S);
      p->table[n * a + b] = p->table[n * b + a] = S[0];
    }
  *p->tabled = true;
}

static void add_by_table(const MbContactPoints *p, size_t n, size_t i, double *out) {
  MbContactPoints of = *p;
  if (!*p->tabled) fill_table(p);
  of.S = p->table, of.width = 1, of.branch = NULL;
  add_by_columns(&of, n, i, out);
}

MB_CLONES void mb_points_column(const MbContactPoints *p, size_t n, size_t i, double *out) {
  column_apart(p, n, i, out);
  if (!p->branch)
    add_by_columns(p, n, i, out);
  else if (p->table)
    add_by_table(p, n, i, out);
  else
    add_by_branches(p, n, i, out);
}

void mb_points_own(const MbContactPoints *p, size_t row, size_t rows, double *D) {
  Between of;
  look_between(p, row, row, &of);
  for (size_t r = 0; r < rows; r++)
    for (size_t c = 0; c <= r; c++)
      D[rows * r + c] = D[rows * c + r] =
          apart(p, row + r, row + c) + through_points(p, row + r, row + c, &of);
}

// What moves at an end of rows, by the state.
static void at_end(const MbContactPoints *p, const MbPointsState *s, size_t end, double v[3]) {
  const size_t n = p->npoints, point = p->point[end];
  if (p->lone)
    v[0] = mb_branch_rate_alone(&p->branch[point], s->v), v[1] = v[2] = 0;
  else if (p->branch)
    mb_branch_rate(&p->branch[point], p->rows, s->v, v);
  else
    for (size_t axis = 0; axis < 3; axis++) v[axis] = s->v[axis * n + point];
}

static double rate_apart(const MbContactPoints *p, const MbPointsState *s, size_t i) {
  double sum = dot(p->V + p->weights * i, s->z, p->weights);
  for (size_t e = 0; e < 2 && p->nslots; e++)
    if (p->slot[2 * i + e] != UINT32_MAX)
      sum += dot(p->F + 12 * i + 6 * e, s->y + 6 * (size_t)p->slot[2 * i + e], 6);
  return sum;
}

void mb_points_rates(const MbContactPoints *p, const MbPointsState *s, size_t row, size_t rows, double *u) {
  const size_t count = count_of(p, row);
  for (size_t r = 0; r < rows; r++) u[r] = rate_apart(p, s, row + r);
  for (size_t e = 0; e < count; e++) {
    double v[3];
    at_end(p, s, p->first[row] + e, v);
    for (size_t r = 0; r < rows; r++) {
      const double *H = p->H + 3 * (p->first[row + r] + e);
      u[r] += (H[0] * v[0] + H[1] * v[1]) + H[2] * v[2];
    }
  }
}

// The part of one row that is not about points.
static void push_apart(const MbContactPoints *p, MbPointsState *s, size_t i, double d) {
  for (size_t e = 0; e < 2 && p->nslots; e++) {
    if (p->slot[2 * i + e] == UINT32_MAX) continue;
    double *y = s->y + 6 * (size_t)p->slot[2 * i + e];
    for (size_t k = 0; k < 6; k++) y[k] += d * p->F[12 * i + 6 * e + k];
  }
  for (size_t k = 0; k < p->weights; k++) s->z[k] += d * p->NV[p->weights * i + k];
}

MB_CLONES static void push_points(const MbContactPoints *p, size_t count, const uint32_t *point,
                                  double (*f)[3], double *v) {
  if (p->lone)
    for (size_t e = 0; e < count; e++) mb_branch_add_alone(&p->branch[point[e]], f[e][0], v);
  else if (p->branch)
    for (size_t e = 0; e < count; e++) mb_branch_add(&p->branch[point[e]], f[e], p->rows, v);
  else
    add_columns(p, count, point, f, v);
}

void mb_points_push(const MbContactPoints *p, MbPointsState *s, size_t row, size_t rows, const double *d) {
  const size_t count = count_of(p, row);
  double f[MB_POINT_ENDS][3] = {{0}};
  for (size_t r = 0; r < rows; r++) {
    const double *H = p->H + 3 * p->first[row + r];
    for (size_t e = 0; e < count; e++)
      for (size_t axis = 0; axis < 3; axis++) f[e][axis] += d[r] * H[3 * e + axis];
    push_apart(p, s, row + r, d[r]);
  }
  push_points(p, count, p->point + p->first[row], f, s->v);
}

void mb_points_begin(const MbContactPoints *p, size_t n, const double *lambda, MbPointsState *s) {
  memset(s->push, 0, 3 * p->npoints * sizeof *s->push);
  memset(s->v, 0, mb_points_numbers(p) * sizeof *s->v);
  memset(s->y, 0, 6 * p->nslots * sizeof *s->y);
  memset(s->z, 0, p->weights * sizeof *s->z);
  for (size_t i = 0; i < n; i++) {
    if (lambda[i] == 0) continue;
    for (size_t e = p->first[i]; e < p->first[i + 1]; e++)
      for (size_t axis = 0; axis < 3; axis++)
        s->push[3 * (size_t)p->point[e] + axis] += lambda[i] * p->H[3 * e + axis];
    push_apart(p, s, i, lambda[i]);
  }
  // those that anything pushes, four at a time
  uint32_t point[4];
  double f[4][3];
  size_t count = 0;
  for (size_t a = 0; a < p->npoints; a++) {
    const double *own = s->push + 3 * a;
    if (own[0] == 0 && own[1] == 0 && own[2] == 0) continue;
    point[count] = (uint32_t)a;
    memcpy(f[count++], own, sizeof f[0]);
    if (count == 4) push_points(p, count, point, f, s->v), count = 0;
  }
  push_points(p, count, point, f, s->v);
}
