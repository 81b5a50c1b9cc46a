// Damping in proportion to stiffness, of elements between nodes that are bodies: with β, and S, C, E of deformables/viscous.h
//   f_a = −V P g_a,  P = β F C : Ė,  Ė = ½ (FᵀḞ + ḞᵀF),  Ḟ = Σ v_a g_aᵀ
//   D_ab = ∂f_a/∂v_b = −β V g_a (F C : ½ (Fᵀ∂F + ∂FᵀF)) g_b
// which is symmetric and has no positive eigenvalues. Where every derivative counts K has what changes of f with F as well, at constant Ḟ:
//   K_ab = −β V g_a (∂F C : Ė + F C : ½ (∂FᵀḞ + Ḟᵀ∂F)) g_b
// All of that is in W. A node that a body carries has its velocity in its own axes: v = R v_C turns with it, by −R [v_C] for each unit.
#include "core/deformables/viscous.h"
#include "core/forces/element_corners.h"

// B_ab = −V Σ g_a[j] H_ijkl g_b[l]
static void of_corners(const MbElementForce *e, size_t k, const double H[81], size_t a, size_t b,
                       double B[9]) {
  const size_t rank = e->rank, width = 3 * rank;
  const double *g = mb_corner_slopes(e, k);
  for (size_t i = 0; i < 3; i++)
    for (size_t c = 0; c < 3; c++) {
      double sum = 0;
      for (size_t j = 0; j < rank; j++)
        for (size_t l = 0; l < rank; l++)
          sum -= g[rank * a + j] * H[width * (rank * i + j) + rank * c + l] * g[rank * b + l];
      B[3 * i + c] = e->size[k] * sum;
    }
}

// Couples of corners (1, 0), (2, 0), (2, 1) ...
static size_t couple_of(const MbElementForce *e, size_t k, size_t a, size_t b) {
  const size_t high = a > b ? a : b, low = a > b ? b : a;
  return a == b ? 0 : mb_corner_edges(e, k)[high * (high - 1) / 2 + low];
}

// D, and of a body that turns what D v changes with its turning, into K
static void add_damping(const MbModel *model, const MbElementForce *e, size_t k, size_t a, size_t b,
                        double D[9], MbMaximal *x) {
  const size_t A = mb_corner_body(e, k, a), B = mb_corner_body(e, k, b), couple = couple_of(e, k, a, b);
  mb_corner_to_own_axes(model, x, A, B, D);
  mb_corner_add(mb_corner_block(model, e, x->D, A, B, couple), D, false, 3);
  if (!x->K || !x->exact || !mb_corner_turns(model, B)) return;
  double X[9], DX[9];
  mb_mat3_cross(X, x->phi + 6 * B + 3);
  mb_mat3_mul(DX, D, X);
  for (int c = 0; c < 9; c++) DX[c] = -DX[c];
  mb_corner_add(mb_corner_block(model, e, x->K, A, B, couple), DX, false, 0);
}

static void add_slopes(const MbModel *model, const MbElementForce *e, const MbElastic *elastic, size_t k,
                       const double F[9], const double Fdot[9], const double E[9], MbMaximal *x) {
  const int rank = (int)e->rank;
  const double beta = e->of->damping;
  const bool exact = x->exact && x->K;
  double H[81], G[81] = {0}, B[9];
  mb_viscous_tangent(elastic, rank, F, H);
  if (exact) {
    mb_viscous_turning(elastic, rank, E, false, G);
    mb_viscous_rate_slope(elastic, rank, F, Fdot, G);
  }
  for (int c = 0; c < 81; c++) H[c] *= beta, G[c] *= beta;
  for (size_t a = 0; a < e->corners; a++)
    for (size_t b = 0; b < e->corners; b++) {
      of_corners(e, k, H, a, b, B);
      add_damping(model, e, k, a, b, B, x);
      if (!exact) continue;
      const size_t first = mb_corner_body(e, k, a), second = mb_corner_body(e, k, b);
      of_corners(e, k, G, a, b, B);
      mb_corner_to_own_axes(model, x, first, second, B);
      mb_corner_add(mb_corner_block(model, e, x->K, first, second, couple_of(e, k, a, b)), B, false, 3);
    }
}

void mb_element_damp(const MbModel *model, const MbForce *force, const MbElastic *elastic, size_t k,
                     const double F[9], MbMaximal *x) {
  const MbElementForce *e = force->elements;
  const size_t rank = e->rank;
  const double *g = mb_corner_slopes(e, k), *at[MB_MOST_CORNERS] = {0};
  double v[MB_MOST_CORNERS][3], Fdot[9], E[9], P[9];
  for (size_t a = 0; a < e->corners; a++) {
    const size_t b = mb_corner_body(e, k, a);
    mb_quat_rotate(v[a], x->E[b].q, x->phi + 6 * b + 3);
    at[a] = v[a];
  }
  mb_corner_gradient(e, at, k, Fdot);
  mb_viscous_rate(elastic, (int)rank, F, Fdot, E);
  mb_viscous_stress(elastic, (int)rank, F, E, P);
  for (size_t a = 0; a < e->corners; a++) {
    double f[3] = {0};
    for (size_t i = 0; i < 3; i++)
      for (size_t j = 0; j < rank; j++)
        f[i] -= e->of->damping * e->size[k] * P[rank * i + j] * g[rank * a + j];
    mb_corner_push(model, force, x, mb_corner_body(e, k, a), f);
  }
  if (mb_force_counts(force, x)) add_slopes(model, e, elastic, k, F, Fdot, E, x);
}
