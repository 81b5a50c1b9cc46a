// The forest's block LDLᵀ (B96 7) for MB_LANES instances: the table MB_KKT_TABLE of a file that defines both and includes this,
// with MB_KKT_NAME what it says of itself.
//
// Body i with its rows, when its children are gone (Â, r̂ hold what they left), p its parent:
//   Â v − Jcᵀ λ + C v_p = r̂
//   Jc v + Jp v_p       = b
//   … Cᵀ v − Jpᵀ λ …    in the parent's equation
// Â = L Δ Lᵀ,  G = L⁻¹ Jcᵀ,  E = L⁻¹ C,  D = Jc Â⁻¹ Jcᵀ = Gᵀ Δ⁻¹ G = K Θ Kᵀ
// W = K⁻¹ (Jp − Gᵀ Δ⁻¹ E),  Z = K⁻¹ Jc Â⁻¹
// leaves to the parent   Â_p += Wᵀ Θ⁻¹ W − Eᵀ Δ⁻¹ E
// y = L⁻¹ r̂,  e = K⁻¹ b − Z r̂,  and to the parent  r̂_p += Wᵀ Θ⁻¹ e − Eᵀ Δ⁻¹ y
// and on the way back    g = Θ⁻¹ (e − W v_p),  λ = K⁻ᵀ g,  v = L⁻ᵀ Δ⁻¹ (y − E v_p) + Zᵀ g
// From body to body a solution waits for Z, W and nothing else. What is left to the parent is positive semidefinite but for the
// part with E, with which Â_p stays a Schur complement of A: all pivots of Δ and Θ are positive, whatever the order of bodies.
#include "core/base/targets.h"
#include "core/solvers/maximal/kkt_tree.h"

#include <float.h>
#include <string.h>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#define MB_KERNEL           static inline __attribute__((always_inline))
#define MB_APART            static __attribute__((noinline))
#define EACH(i, begin, end) MB_UNROLL for (size_t i = (begin); i < (end); i++)

// What is known of pivots so far: every one is above its floor, and finite.
#if MB_LANES == 1
typedef double Real;
typedef struct Check {
  double least, sum;
} Check;
static const Check fine = {DBL_MAX, 0};
MB_KERNEL void check(Check *c, Real pivot, Real floor) {
  const double above = pivot - floor;
  c->least = above < c->least ? above : c->least;
  c->sum += pivot; // shows what is not finite
}
MB_KERNEL bool good(Check c) { return c.least > 0 && c.sum <= DBL_MAX && c.sum >= -DBL_MAX; }
#else
typedef double Real __attribute__((vector_size(8 * MB_LANES)));
typedef int64_t Check __attribute__((vector_size(8 * MB_LANES)));
static const Check fine = {-1, -1, -1, -1, -1, -1, -1, -1};
MB_KERNEL void check(Check *c, Real pivot, Real floor) { *c &= (pivot > floor) & (pivot <= DBL_MAX); }
MB_KERNEL bool good(Check c) {
  int64_t every = -1;
  for (size_t k = 0; k < MB_LANES; k++) every &= c[k];
  return every != 0;
}
#endif

// A pivot of Θ below this part of D's own diagonal: the row depends on those before it.
#define MB_KKT_DEPENDENT 1e-12

MB_KERNEL Real load(const double *a, size_t i) {
  Real x;
  memcpy(&x, a + MB_LANES * i, sizeof x);
  return x;
}
MB_KERNEL void store(double *a, size_t i, Real x) { memcpy(a + MB_LANES * i, &x, sizeof x); }
MB_KERNEL size_t lower(size_t i, size_t j) { return i * (i + 1) / 2 + j; } // j ≤ i
MB_KERNEL size_t below(size_t i, size_t j) { return i * (i - 1) / 2 + j; } // j < i

// Parts of what a body leaves behind; W is kept as Θ⁻¹ W.
enum { AT_L = 0, AT_DELTA = 15, AT_K = 21 };
MB_KERNEL size_t at_theta(size_t m) { return AT_K + m * (m - 1) / 2; }
MB_KERNEL size_t at_Z(size_t m) { return at_theta(m) + m; }
MB_KERNEL size_t at_W(size_t m) { return at_Z(m) + 6 * m; }

// a (n x n, lower) = L D Lᵀ in place; the diagonal becomes D⁻¹. Pivots must be above `least` of the diagonal as it was. Products
// are taken before they are divided: only the division and one more operation are between a pivot and the next.
MB_KERNEL void factor_small(Real *a, const size_t n, const double least, Check *pivots) {
  Real floor[6];
  EACH(k, 0, n) floor[k] = least * a[lower(k, k)];
  EACH(k, 0, n) {
    const Real d = a[lower(k, k)], inverse = 1.0 / d;
    check(pivots, d, floor[k]);
    a[lower(k, k)] = inverse;
    EACH(i, k + 1, n) EACH(j, k + 1, i + 1) a[lower(i, j)] -= a[lower(i, k)] * a[lower(j, k)] * inverse;
    EACH(i, k + 1, n) a[lower(i, k)] *= inverse;
  }
}

// ---- factorisation ----------------------------------------------------------------------------------------

typedef struct Inputs {
  const double *A, *Jc, *Jp, *C; // of the body
  bool diagonal;
} Inputs;

MB_KERNEL void load_block(Real *a, const Inputs *in, const double *slot) {
  EACH(i, 0, 6) EACH(j, 0, i + 1) a[lower(i, j)] = slot ? load(slot, 8 * i + j) : (Real){0};
  if (in->diagonal)
    EACH(i, 0, 6) a[lower(i, i)] += load(in->A, i);
  else
    EACH(i, 0, 6) EACH(j, 0, i + 1) a[lower(i, j)] += load(in->A, 6 * i + j);
}

MB_KERNEL void keep_small(double *f, size_t at, size_t at_diagonal, const Real *a, const size_t n) {
  EACH(i, 1, n) EACH(j, 0, i) store(f, at + below(i, j), a[lower(i, j)]);
  EACH(i, 0, n) store(f, at_diagonal + i, a[lower(i, i)]);
}

#if MB_LANES == 1 && defined(__AVX512F__)

// One instance: rows of matrices side by side in a vector, of which 6 numbers count. What multiplies a row comes from memory,
// where every lane can take it at once.
typedef double Row __attribute__((vector_size(64)));

#define FROM_MEMORY(array, count) __asm__("" : "+m"(*(double(*)[count])(array)))

MB_KERNEL Row load6(const double *a) { return (Row)_mm512_maskz_loadu_pd(0x3f, a); }
MB_KERNEL void store6(double *a, Row x) { _mm512_mask_storeu_pd(a, 0x3f, (__m512d)x); }
MB_KERNEL void store8(double *a, Row x) { memcpy(a, &x, sizeof x); }
MB_KERNEL Row load8(const double *a) {
  Row x;
  memcpy(&x, a, sizeof x);
  return x;
}
// The first of m rows' numbers, `stride` apart.
MB_KERNEL Row column(const double *a, size_t stride, const size_t m) {
  Row x = {0};
  EACH(r, 0, m) x[r] = a[stride * r];
  return x;
}

MB_KERNEL bool factor_body(const Inputs *in, const double *slot, double *up, const bool opens,
                           double *restrict f, double *restrict coupling, const size_t m,
                           const bool coupled) {
  // Â = L Δ Lᵀ
  double a[21], D[21];
  load_block(a, in, slot);
  Check pivots = fine;
  factor_small(a, 6, 0, &pivots);
  keep_small(f, AT_L, AT_DELTA, a, 6);
  FROM_MEMORY(f, 21);
  const double *L = f + AT_L, *delta = f + AT_DELTA, *K = f + AT_K, *theta = f + at_theta(m);

  // G, scaled = Δ⁻¹ G, D: row i holds the numbers of all rows of J
  Row G[6], scaled[6];
  _Alignas(64) double each[48], all[48];
  EACH(i, 0, 6) G[i] = column(in->Jc + i, 6, m);
  EACH(j, 0, 6) EACH(i, j + 1, 6) G[i] -= L[below(i, j)] * G[j];
  EACH(i, 0, 6) scaled[i] = delta[i] * G[i];
  EACH(i, 0, 6) store8(each + 8 * i, scaled[i]);
  FROM_MEMORY(each, 48);
  EACH(r, 0, m) {
    Row sum = each[r] * G[0];
    EACH(i, 1, 6) sum += each[8 * i + r] * G[i];
    store8(all + 8 * r, sum);
  }
  FROM_MEMORY(all, 48);
  EACH(r, 0, m) EACH(s, 0, r + 1) D[lower(r, s)] = all[8 * r + s];
  factor_small(D, m, MB_KKT_DEPENDENT, &pivots);
  keep_small(f, AT_K, at_theta(m), D, m);
  FROM_MEMORY(f + AT_K, 21);

  // Z: first Â⁻¹ Jcᵀ, then row by row of J
  MB_UNROLL for (size_t j = 6; j-- > 0;) EACH(i, 0, j) scaled[i] -= L[below(j, i)] * scaled[j];
  EACH(i, 0, 6) store8(all + 8 * i, scaled[i]);
  FROM_MEMORY(all, 48);
  Row Z[6], W[6];
  EACH(r, 0, m) {
    Z[r] = column(all + r, 8, 6);
    EACH(s, 0, r) Z[r] -= K[below(r, s)] * Z[s];
    store6(f + at_Z(m) + 6 * r, Z[r]);
  }
  if (!up) return good(pivots);

  // E, W, and what they leave to the parent
  Row S[6], E[6];
  EACH(i, 0, 6) S[i] = opens ? (Row){0} : load8(up + 8 * i);
  EACH(r, 0, m) W[r] = load6(in->Jp + 6 * r);
  if (coupled) {
    EACH(i, 0, 6) E[i] = load6(in->C + 6 * i);
    EACH(j, 0, 6) EACH(i, j + 1, 6) E[i] -= L[below(i, j)] * E[j];
    EACH(r, 0, m) EACH(i, 0, 6) W[r] -= each[8 * i + r] * E[i];
    EACH(i, 0, 6) store6(coupling + 6 * i, E[i]);
    EACH(i, 0, 6) store8(all + 8 * i, delta[i] * E[i]);
    FROM_MEMORY(all, 48);
    EACH(k, 0, 6) EACH(i, 0, 6) S[i] -= all[8 * k + i] * E[k];
  }
  EACH(r, 0, m) {
    EACH(s, 0, r) W[r] -= K[below(r, s)] * W[s];
    const Row x = theta[r] * W[r];
    store8(each + 8 * r, x);
    FROM_MEMORY(each, 48);
    store6(f + at_W(m) + 6 * r, x);
    EACH(i, 0, 6) S[i] += each[8 * r + i] * W[r];
  }
  EACH(i, 0, 6) store8(up + 8 * i, S[i]);
  return good(pivots);
}

#else

MB_KERNEL bool factor_body(const Inputs *in, const double *slot, double *up, const bool opens,
                           double *restrict f, double *restrict coupling, const size_t m,
                           const bool coupled) {
  // Â = L Δ Lᵀ
  Real a[21], D[21], G[36], E[36], S[21];
  load_block(a, in, slot);
  Check pivots = fine;
  factor_small(a, 6, 0, &pivots);
  keep_small(f, AT_L, AT_DELTA, a, 6);

  // G, D, and Â⁻¹ Jcᵀ where Z will be
  EACH(r, 0, m) {
    Real *g = G + 6 * r, x[6];
    EACH(i, 0, 6) g[i] = load(in->Jc, 6 * r + i);
    EACH(j, 0, 6) EACH(i, j + 1, 6) g[i] -= a[lower(i, j)] * g[j];
    EACH(i, 0, 6) x[i] = g[i] * a[lower(i, i)];
    EACH(s, 0, r + 1) {
      Real sum = x[0] * G[6 * s];
      EACH(i, 1, 6) sum += x[i] * G[6 * s + i];
      D[lower(r, s)] = sum;
    }
    MB_UNROLL for (size_t j = 6; j-- > 0;) EACH(i, 0, j) x[i] -= a[lower(j, i)] * x[j];
    EACH(i, 0, 6) store(f, at_Z(m) + 6 * r + i, x[i]);
  }
  factor_small(D, m, MB_KKT_DEPENDENT, &pivots);
  keep_small(f, AT_K, at_theta(m), D, m);
  EACH(r, 1, m) EACH(i, 0, 6) {
    Real z = load(f, at_Z(m) + 6 * r + i);
    EACH(s, 0, r) z -= D[lower(r, s)] * load(f, at_Z(m) + 6 * s + i);
    store(f, at_Z(m) + 6 * r + i, z);
  }
  if (!up) return good(pivots);

  // E, W, and what they leave to the parent
  EACH(i, 0, 6) EACH(j, 0, i + 1) S[lower(i, j)] = opens ? (Real){0} : load(up, 8 * i + j);
  if (coupled) {
    EACH(c, 0, 6) {
      Real x[6];
      EACH(i, 0, 6) x[i] = load(in->C, 6 * i + c);
      EACH(j, 0, 6) EACH(i, j + 1, 6) x[i] -= a[lower(i, j)] * x[j];
      EACH(i, 0, 6) {
        store(coupling, 6 * i + c, x[i]);
        E[6 * i + c] = x[i] * a[lower(i, i)];
      }
    }
    EACH(k, 0, 6) EACH(i, 0, 6) EACH(j, 0, i + 1) S[lower(i, j)] -= E[6 * k + i] * load(coupling, 6 * k + j);
  }
  Real W[36];
  EACH(r, 0, m) {
    Real *w = W + 6 * r;
    EACH(c, 0, 6) w[c] = load(in->Jp, 6 * r + c);
    if (coupled) EACH(i, 0, 6) EACH(c, 0, 6) w[c] -= G[6 * r + i] * E[6 * i + c];
    EACH(s, 0, r) EACH(c, 0, 6) w[c] -= D[lower(r, s)] * W[6 * s + c];
    EACH(i, 0, 6) {
      const Real x = w[i] * D[lower(r, r)];
      store(f, at_W(m) + 6 * r + i, x);
      EACH(j, 0, i + 1) S[lower(i, j)] += x * w[j];
    }
  }
  EACH(i, 0, 6) EACH(j, 0, i + 1) store(up, 8 * i + j, S[lower(i, j)]);
  return good(pivots);
}

#endif

#define FACTOR(m, name, coupled)                                                                             \
  MB_APART bool name##_##m(const Inputs *in, const double *slot, double *up, bool opens, double *f,          \
                           double *coupling) {                                                               \
    return factor_body(in, slot, up, opens, f, coupling, m, coupled);                                        \
  }
#define SIZES(X, ...)                                                                                        \
  X(0, __VA_ARGS__)                                                                                          \
  X(1, __VA_ARGS__) X(2, __VA_ARGS__) X(3, __VA_ARGS__) X(4, __VA_ARGS__) X(5, __VA_ARGS__) X(6, __VA_ARGS__)

SIZES(FACTOR, alone, false)
SIZES(FACTOR, paired, true)

typedef bool (*Factor)(const Inputs *in, const double *slot, double *up, bool opens, double *f,
                       double *coupling);
static const Factor factors[2][7] = {{alone_0, alone_1, alone_2, alone_3, alone_4, alone_5, alone_6},
                                     {paired_0, paired_1, paired_2, paired_3, paired_4, paired_5, paired_6}};

// What a body will read, into the cache. Lines of 64 bytes, 8 numbers.
MB_KERNEL void fetch(const double *a, size_t count) {
  for (size_t k = 0; k < count * MB_LANES; k += 8) __builtin_prefetch(a + k);
  if (count) __builtin_prefetch(a + count * MB_LANES - 1);
}

static bool factor(MbKktTree *tree, const MbKktNumbers *n, size_t *blame) {
  enum { AHEAD = 6 }; // bodies
  const size_t nb = tree->nb, width = n->diagonal ? 6 : 36;
  const double *A = n->diagonal ? n->diagonal : n->A;
  tree->coupled = n->C != NULL;
  const Factor *row = factors[tree->coupled];
  for (size_t k = 0; k < nb; k++) {
    const MbKktBody *b = &tree->order[k];
    if (tree->scattered && k + AHEAD < nb) {
      const MbKktBody *next = b + AHEAD;
      fetch(A + MB_LANES * width * next->body, width);
      fetch(n->Jc + MB_LANES * 6 * next->first, 6 * (size_t)next->rows);
      fetch(n->Jp + MB_LANES * 6 * next->first, 6 * (size_t)next->rows);
    }
    const Inputs in = {.A = A + MB_LANES * width * b->body,
                       .Jc = n->Jc + MB_LANES * 6 * b->first,
                       .Jp = n->Jp + MB_LANES * 6 * b->first,
                       .C = n->C ? n->C + MB_LANES * 36 * b->body : NULL,
                       .diagonal = n->diagonal != NULL};
    const double *slot = b->slot == MB_KKT_NONE ? NULL : tree->slots + MB_LANES * MB_KKT_SLOT * b->slot;
    double *up = b->up == MB_KKT_NONE ? NULL : tree->slots + MB_LANES * MB_KKT_SLOT * b->up;
    if (!row[b->rows](&in, slot, up, b->opens, tree->factor + MB_LANES * b->factor,
                      tree->coupling + MB_LANES * 36 * k)) {
      *blame = b->body;
      return false;
    }
  }
  return true;
}

// ---- solution ---------------------------------------------------------------------------------------------

// y: Â⁻¹ r̂, with coupling L⁻¹ r̂; then Θ⁻¹ e.
MB_KERNEL void forward_body(const double *restrict f, const double *coupling, const double *v,
                            const double *lambda, double *restrict y, const double *slot, double *up,
                            const bool opens, const size_t m, const bool coupled) {
  Real x[6], e[6];
  EACH(i, 0, 6) x[i] = load(v, i);
  if (slot) EACH(i, 0, 6) x[i] += load(slot, i);
  EACH(r, 0, m) {
    e[r] = load(lambda, r);
    EACH(s, 0, r) e[r] -= load(f, AT_K + below(r, s)) * e[s];
  }
  // in two halves, which take turns
  EACH(r, 0, m) {
    const size_t at = at_Z(m) + 6 * r;
    const Real half = load(f, at + 3) * x[3] + load(f, at + 4) * x[4] + load(f, at + 5) * x[5];
    const Real z = load(f, at) * x[0] + load(f, at + 1) * x[1] + load(f, at + 2) * x[2] + half;
    store(y, 6 + r, (e[r] - z) * load(f, at_theta(m) + r));
    e[r] -= z;
  }
  if (up) EACH(c, 0, 6) {
      Real sum = opens ? (Real){0} : load(up, c), half = {0};
      EACH(r, 0, (m + 1) / 2) sum += load(f, at_W(m) + 6 * r + c) * e[r];
      EACH(r, (m + 1) / 2, m) half += load(f, at_W(m) + 6 * r + c) * e[r];
      store(up, c, sum + half);
    }
  EACH(j, 0, 6) EACH(i, j + 1, 6) x[i] -= load(f, AT_L + below(i, j)) * x[j];
  if (coupled) EACH(i, 0, 6) store(y, i, x[i]);
  EACH(i, 0, 6) x[i] *= load(f, AT_DELTA + i);
  if (coupled) {
    if (up) EACH(c, 0, 6) {
        Real sum = load(up, c);
        EACH(i, 0, 6) sum -= load(coupling, 6 * i + c) * x[i];
        store(up, c, sum);
      }
    return;
  }
  MB_UNROLL for (size_t j = 6; j-- > 0;) EACH(i, 0, j) x[i] -= load(f, AT_L + below(j, i)) * x[j];
  EACH(i, 0, 6) store(y, i, x[i]);
}

MB_KERNEL void backward_body(const double *restrict f, const double *coupling, double *v, double *lambda,
                             const double *restrict y, double *slot, const double *up, const size_t m,
                             const bool coupled) {
  Real x[6], g[6], above[6];
  EACH(i, 0, 6) x[i] = load(y, i);
  EACH(r, 0, m) g[r] = load(y, 6 + r);
  if (up) {
    EACH(c, 0, 6) above[c] = load(up, c);
    EACH(r, 0, m) {
      const size_t at = at_W(m) + 6 * r;
      const Real half = load(f, at + 3) * above[3] + load(f, at + 4) * above[4] + load(f, at + 5) * above[5];
      g[r] = g[r] - load(f, at) * above[0] - load(f, at + 1) * above[1] - load(f, at + 2) * above[2] - half;
    }
    if (coupled) EACH(i, 0, 6) EACH(c, 0, 6) x[i] -= load(coupling, 6 * i + c) * above[c];
  }
  if (coupled) {
    EACH(i, 0, 6) x[i] *= load(f, AT_DELTA + i);
    MB_UNROLL for (size_t j = 6; j-- > 0;) EACH(i, 0, j) x[i] -= load(f, AT_L + below(j, i)) * x[j];
  }
  EACH(i, 0, 6) {
    Real half = {0};
    EACH(r, 0, (m + 1) / 2) x[i] += load(f, at_Z(m) + 6 * r + i) * g[r];
    EACH(r, (m + 1) / 2, m) half += load(f, at_Z(m) + 6 * r + i) * g[r];
    x[i] += half;
    store(v, i, x[i]);
    if (slot) store(slot, i, x[i]);
  }
  MB_UNROLL for (size_t s = m; s-- > 0;) {
    store(lambda, s, g[s]);
    EACH(r, 0, s) g[r] -= load(f, AT_K + below(s, r)) * g[s];
  }
}

#define SOLVE(m, name, coupled)                                                                              \
  MB_APART void name##_forward_##m(const double *f, const double *coupling, const double *v,                 \
                                   const double *lambda, double *y, const double *slot, double *up,          \
                                   bool opens) {                                                             \
    forward_body(f, coupling, v, lambda, y, slot, up, opens, m, coupled);                                    \
  }                                                                                                          \
  MB_APART void name##_backward_##m(const double *f, const double *coupling, double *v, double *lambda,      \
                                    const double *y, double *slot, const double *up) {                       \
    backward_body(f, coupling, v, lambda, y, slot, up, m, coupled);                                          \
  }

SIZES(SOLVE, alone, false)
SIZES(SOLVE, paired, true)

typedef void (*Forward)(const double *f, const double *coupling, const double *v, const double *lambda,
                        double *y, const double *slot, double *up, bool opens);
typedef void (*Backward)(const double *f, const double *coupling, double *v, double *lambda, const double *y,
                         double *slot, const double *up);
#define NAMES(pass)                                                                                          \
  {                                                                                                          \
    {alone_##pass##_0, alone_##pass##_1, alone_##pass##_2, alone_##pass##_3,                                 \
     alone_##pass##_4, alone_##pass##_5, alone_##pass##_6},                                                  \
    {                                                                                                        \
      paired_##pass##_0, paired_##pass##_1, paired_##pass##_2, paired_##pass##_3, paired_##pass##_4,         \
          paired_##pass##_5, paired_##pass##_6                                                               \
    }                                                                                                        \
  }
static const Forward forwards[2][7] = NAMES(forward);
static const Backward backwards[2][7] = NAMES(backward);

static void solve(MbKktTree *tree, double *v, double *lambda) {
  enum { AHEAD = 8 };
  const size_t nb = tree->nb;
  for (size_t k = 0; k < nb; k++) {
    const MbKktBody *b = &tree->order[k];
    if (tree->scattered && k + AHEAD < nb) {
      fetch(v + MB_LANES * 6 * b[AHEAD].body, 6);
      fetch(lambda + MB_LANES * b[AHEAD].first, 6);
    }
    forwards[tree->coupled][b->rows](
        tree->factor + MB_LANES * b->factor, tree->coupling + MB_LANES * 36 * k, v + MB_LANES * 6 * b->body,
        lambda + MB_LANES * b->first, tree->y + MB_LANES * 12 * k,
        b->slot == MB_KKT_NONE ? NULL : tree->slots + MB_LANES * MB_KKT_SLOT * b->slot,
        b->up == MB_KKT_NONE ? NULL : tree->slots + MB_LANES * MB_KKT_SLOT * b->up, b->opens);
  }
  for (size_t k = nb; k-- > 0;) {
    const MbKktBody *b = &tree->order[k];
    if (tree->scattered && k >= AHEAD) {
      fetch(v + MB_LANES * 6 * (b - AHEAD)->body, 6);
      fetch(lambda + MB_LANES * (b - AHEAD)->first, 6);
    }
    backwards[tree->coupled][b->rows](
        tree->factor + MB_LANES * b->factor, tree->coupling + MB_LANES * 36 * k, v + MB_LANES * 6 * b->body,
        lambda + MB_LANES * b->first, tree->y + MB_LANES * 12 * k,
        b->slot == MB_KKT_NONE ? NULL : tree->slots + MB_LANES * MB_KKT_SLOT * b->slot,
        b->up == MB_KKT_NONE ? NULL : tree->slots + MB_LANES * MB_KKT_SLOT * b->up);
  }
}

const MbKktKernels MB_KKT_TABLE = {MB_KKT_NAME, MB_LANES, factor, solve};
