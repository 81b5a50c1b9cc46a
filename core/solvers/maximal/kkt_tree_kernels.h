// The forest's block LDLᵀ (B96 7) for MB_LANES instances: the table MB_KKT_TABLE of a file that defines both and includes this,
// with MB_KKT_NAME what it says of itself.
//
// Body i with its rows, when its children are gone (Â, r̂ hold what they left), p its parent:
//   Â v − Jcᵀ λ + C v_p = r̂
//   Jc v + Jp v_p       = b
//   … Cᵀ v − Jpᵀ λ …    in the parent's equation
// Â = L Δ Lᵀ,  G = L⁻¹ Jcᵀ,  E = L⁻¹ C,  y = L⁻¹ r̂
// D = Jc Â⁻¹ Jcᵀ = Gᵀ Δ⁻¹ G = K Θ Kᵀ,  W = K⁻¹ (Jp − Gᵀ Δ⁻¹ E),  e = K⁻¹ (b − Gᵀ Δ⁻¹ y)
// leaves to the parent  Â_p += Wᵀ Θ⁻¹ W − Eᵀ Δ⁻¹ E,  r̂_p += Wᵀ Θ⁻¹ e − Eᵀ Δ⁻¹ y
// and on the way back   λ = K⁻ᵀ Θ⁻¹ (e − W v_p),  v = L⁻ᵀ Δ⁻¹ (y + G λ − E v_p)
// What is left to the parent is positive semidefinite but for the part with E, with which Â_p stays a Schur complement of A:
// all pivots of Δ and Θ are positive, whatever the order of bodies.
#include "core/solvers/maximal/kkt_tree.h"

#include <float.h>
#include <string.h>

#define MB_KERNEL static inline __attribute__((always_inline))
#define MB_APART  static __attribute__((noinline))
#ifdef MB_SANITIZED
#define MB_UNROLL // every access is checked: loops stay loops
#elif defined(__clang__)
#define MB_UNROLL _Pragma("clang loop unroll(full)")
#else
#define MB_UNROLL _Pragma("GCC unroll 8")
#endif
#define EACH(i, begin, end) MB_UNROLL for (size_t i = (begin); i < (end); i++)

#if MB_LANES == 1
typedef double Real;
typedef bool Mask;
MB_KERNEL bool all_of(Mask a) { return a; }
#else
typedef double Real __attribute__((vector_size(8 * MB_LANES)));
typedef int64_t Mask __attribute__((vector_size(8 * MB_LANES)));
MB_KERNEL bool all_of(Mask a) {
  int64_t every = -1;
  for (size_t k = 0; k < MB_LANES; k++) every &= a[k];
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

// Parts of what a body leaves behind.
enum { AT_L = 0, AT_DELTA = 15, AT_G = 21 };
MB_KERNEL size_t at_K(size_t m) { return AT_G + 6 * m; }
MB_KERNEL size_t at_theta(size_t m) { return at_K(m) + m * (m - 1) / 2; }
MB_KERNEL size_t at_W(size_t m) { return at_theta(m) + m; }

// a (n x n, lower) = L D Lᵀ in place; the diagonal becomes D⁻¹. Pivots must be above `least` of the diagonal as it was.
MB_KERNEL Mask factor_small(Real *a, const size_t n, const double least) {
  Mask good = (Real){0} == (Real){0};
  Real floor[6];
  EACH(k, 0, n) floor[k] = least * a[lower(k, k)];
  EACH(k, 0, n) {
    const Real d = a[lower(k, k)], inverse = 1.0 / d;
    good &= (d > floor[k]) & (d <= DBL_MAX);
    a[lower(k, k)] = inverse;
    EACH(i, k + 1, n) {
      const Real l = a[lower(i, k)] * inverse;
      // column k below row i is still unscaled, above it is not: take the product the other way round
      EACH(j, i, n) a[lower(j, i)] -= l * a[lower(j, k)];
      a[lower(i, k)] = l;
    }
  }
  return good;
}

// ---- factorisation ----------------------------------------------------------------------------------------

typedef struct Inputs {
  const double *A, *Jc, *Jp, *C; // of the body
  bool diagonal;
} Inputs;

MB_KERNEL void load_block(Real *a, const Inputs *in, const double *slot) {
  if (in->diagonal) {
    EACH(k, 0, 21) a[k] = slot ? load(slot, k) : (Real){0};
    EACH(i, 0, 6) a[lower(i, i)] += load(in->A, i);
    return;
  }
  EACH(i, 0, 6) EACH(j, 0, i + 1) a[lower(i, j)] = load(in->A, 6 * i + j);
  if (slot) EACH(k, 0, 21) a[k] += load(slot, k);
}

MB_KERNEL bool factor_body(const Inputs *in, const double *slot, double *up, const bool opens,
                           double *restrict f, double *restrict coupling, const size_t m,
                           const bool coupled) {
  // Â = L Δ Lᵀ
  Real a[21];
  load_block(a, in, slot);
  Mask good = factor_small(a, 6, 0);
  EACH(i, 1, 6) EACH(j, 0, i) store(f, AT_L + below(i, j), a[lower(i, j)]);
  EACH(i, 0, 6) store(f, AT_DELTA + i, a[lower(i, i)]);

  // G, D
  Real D[21];
  EACH(r, 0, m) {
    Real g[6];
    EACH(i, 0, 6) g[i] = load(in->Jc, 6 * r + i);
    EACH(j, 0, 6) EACH(i, j + 1, 6) g[i] -= a[lower(i, j)] * g[j];
    EACH(i, 0, 6) store(f, AT_G + 6 * r + i, g[i]);
    EACH(i, 0, 6) g[i] *= a[lower(i, i)];
    EACH(s, 0, r + 1) {
      Real sum = g[0] * load(f, AT_G + 6 * s);
      EACH(i, 1, 6) sum += g[i] * load(f, AT_G + 6 * s + i);
      D[lower(r, s)] = sum;
    }
  }
  good &= factor_small(D, m, MB_KKT_DEPENDENT);
  EACH(i, 1, m) EACH(j, 0, i) store(f, at_K(m) + below(i, j), D[lower(i, j)]);
  EACH(i, 0, m) store(f, at_theta(m) + i, D[lower(i, i)]);
  if (!up) return all_of(good);

  // E, W, and what they leave to the parent
  Real S[21], E[36];
  EACH(k, 0, 21) S[k] = opens ? (Real){0} : load(up, k);
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
  EACH(r, 0, m) {
    Real w[6];
    EACH(c, 0, 6) w[c] = load(in->Jp, 6 * r + c);
    if (coupled) EACH(i, 0, 6) {
        const Real g = load(f, AT_G + 6 * r + i);
        EACH(c, 0, 6) w[c] -= g * E[6 * i + c];
      }
    EACH(s, 0, r) EACH(c, 0, 6) w[c] -= D[lower(r, s)] * load(f, at_W(m) + 6 * s + c);
    EACH(c, 0, 6) store(f, at_W(m) + 6 * r + c, w[c]);
    EACH(i, 0, 6) {
      const Real x = w[i] * D[lower(r, r)];
      EACH(j, 0, i + 1) S[lower(i, j)] += x * w[j];
    }
  }
  EACH(k, 0, 21) store(up, k, S[k]);
  return all_of(good);
}

#define FACTOR(m, name, coupled)                                                                             \
  MB_APART bool name##_##m(const Inputs *in, const double *slot, double *up, bool opens, double *f,          \
                           double *coupling) {                                                               \
    return factor_body(in, slot, up, opens, f, coupling, m, coupled);                                        \
  }
#define SIZES(X, ...)                                                                                        \
  X(0, __VA_ARGS__)                                                                                          \
  X(1, __VA_ARGS__) X(2, __VA_ARGS__) X(3, __VA_ARGS__) X(4, __VA_ARGS__) X(5, __VA_ARGS__)                  \
      X(6, __VA_ARGS__)

SIZES(FACTOR, alone, false)
SIZES(FACTOR, paired, true)

typedef bool (*Factor)(const Inputs *in, const double *slot, double *up, bool opens, double *f,
                       double *coupling);
static const Factor factors[2][7] = {{alone_0, alone_1, alone_2, alone_3, alone_4, alone_5, alone_6},
                                     {paired_0, paired_1, paired_2, paired_3, paired_4, paired_5, paired_6}};

// What a body will read, into the cache. Lines of 64 bytes, 8 numbers.
MB_KERNEL void fetch(const double *a, size_t count) {
  for (size_t k = 0; k < count * MB_LANES; k += 8) __builtin_prefetch(a + k);
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

// λ: b in, e out.
MB_KERNEL void forward_body(const double *restrict f, const double *coupling, const double *v, double *lambda,
                            double *restrict y, const double *slot, double *up, const bool opens,
                            const size_t m, const bool coupled) {
  Real x[6], e[6];
  EACH(i, 0, 6) x[i] = load(v, i);
  if (slot) EACH(i, 0, 6) x[i] += load(slot, i);
  EACH(j, 0, 6) EACH(i, j + 1, 6) x[i] -= load(f, AT_L + below(i, j)) * x[j];
  EACH(i, 0, 6) store(y, i, x[i]);
  EACH(i, 0, 6) x[i] *= load(f, AT_DELTA + i);
  EACH(r, 0, m) {
    e[r] = load(lambda, r);
    EACH(i, 0, 6) e[r] -= load(f, AT_G + 6 * r + i) * x[i];
  }
  EACH(s, 0, m) EACH(r, s + 1, m) e[r] -= load(f, at_K(m) + below(r, s)) * e[s];
  EACH(r, 0, m) store(lambda, r, e[r]);
  if (!up) return;
  EACH(r, 0, m) e[r] *= load(f, at_theta(m) + r);
  EACH(c, 0, 6) {
    Real sum = opens ? (Real){0} : load(up, c);
    EACH(r, 0, m) sum += load(f, at_W(m) + 6 * r + c) * e[r];
    if (coupled) EACH(i, 0, 6) sum -= load(coupling, 6 * i + c) * x[i];
    store(up, c, sum);
  }
}

// λ: e in, λ out.
MB_KERNEL void backward_body(const double *restrict f, const double *coupling, double *v, double *lambda,
                             const double *restrict y, double *slot, const double *up, const size_t m,
                             const bool coupled) {
  Real x[6], e[6], above[6];
  EACH(i, 0, 6) x[i] = load(y, i);
  EACH(r, 0, m) e[r] = load(lambda, r);
  if (up) {
    EACH(c, 0, 6) above[c] = load(up, c);
    EACH(r, 0, m) EACH(c, 0, 6) e[r] -= load(f, at_W(m) + 6 * r + c) * above[c];
    if (coupled) EACH(i, 0, 6) EACH(c, 0, 6) x[i] -= load(coupling, 6 * i + c) * above[c];
  }
  EACH(r, 0, m) e[r] *= load(f, at_theta(m) + r);
  MB_UNROLL for (size_t s = m; s-- > 0;) EACH(r, 0, s) e[r] -= load(f, at_K(m) + below(s, r)) * e[s];
  EACH(r, 0, m) {
    store(lambda, r, e[r]);
    EACH(i, 0, 6) x[i] += load(f, AT_G + 6 * r + i) * e[r];
  }
  EACH(i, 0, 6) x[i] *= load(f, AT_DELTA + i);
  MB_UNROLL for (size_t j = 6; j-- > 0;) EACH(i, 0, j) x[i] -= load(f, AT_L + below(j, i)) * x[j];
  EACH(i, 0, 6) store(v, i, x[i]);
  if (slot) EACH(i, 0, 6) store(slot, i, x[i]);
}

#define SOLVE(m, name, coupled)                                                                              \
  MB_APART void name##_forward_##m(const double *f, const double *coupling, const double *v, double *lambda, \
                                   double *y, const double *slot, double *up, bool opens) {                  \
    forward_body(f, coupling, v, lambda, y, slot, up, opens, m, coupled);                                    \
  }                                                                                                          \
  MB_APART void name##_backward_##m(const double *f, const double *coupling, double *v, double *lambda,      \
                                    const double *y, double *slot, const double *up) {                       \
    backward_body(f, coupling, v, lambda, y, slot, up, m, coupled);                                          \
  }

SIZES(SOLVE, alone, false)
SIZES(SOLVE, paired, true)

typedef void (*Forward)(const double *f, const double *coupling, const double *v, double *lambda, double *y,
                        const double *slot, double *up, bool opens);
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
        lambda + MB_LANES * b->first, tree->y + MB_LANES * 6 * k,
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
        lambda + MB_LANES * b->first, tree->y + MB_LANES * 6 * k,
        b->slot == MB_KKT_NONE ? NULL : tree->slots + MB_LANES * MB_KKT_SLOT * b->slot,
        b->up == MB_KKT_NONE ? NULL : tree->slots + MB_LANES * MB_KKT_SLOT * b->up);
  }
}

const MbKktKernels MB_KKT_TABLE = {MB_KKT_NAME, MB_LANES, factor, solve};
