// Elements that turn in a step of one solution (implicit, of first order). Linearised where they are, f(x) + K h v⁺, forces of a stiff block
// that turns by θ = h ω take its momentum: each step leaves it stretched by θ²/2, with stresses of E θ²/2, and what turns the block,
//
//   Σ x × (f + K Δ) = − Σ Δ × f      for f and K of any energy that turning does not change,   Δ = h v⁺
//
// is no rounding of these: ω falls at a rate of E h³ ω²/2 ρ L², 9 1/s for 10 GPa, 3 rad/s, 2 ms, 0.2 m. So an element is linearised where it has
// turned to, if it goes on as it turns now. With R = exp(h [ω]) its corners are at x̃ = x_c + R (x − x_c), where its strain is that
// at x, and what is left of Δ is of order h² and along the stresses:
//
//   f_a(x̃) + Σ_b K_ab(x̃) (x_b + h v_b⁺ − x̃_b),   f(x̃) = R f(x),   K(x̃) = R K(x) Rᵀ
//
// Without v⁺, and with x_b − x̃_b = R (Rᵀ − 1)(x_b − x_c), that is −V P̃ g_a with H = ∂P/∂F at x:
//
//   P̃ = R (P + H : (RᵀF − F))
//
// All of that is in W. ω is the spin that comes nearest to how the gradient changes, Ḟ = Σ v_a g_aᵀ:
//
//   |Ḟ − [ω] F|² least:   (tr(F Fᵀ) 1 − F Fᵀ) ω = Σ_j F_j × Ḟ_j,   F_j the columns of F
//
// exact where it turns alone, for tetrahedra and for triangles. An element that is nearly a line has no such spin, and is linearised where
// it is. What is deformed as fast as it turns will not go on so, in long steps least of all: of ω is taken the share
//
//   u² (3 − 2 u),   u = 1 − |Ḟ − [ω] F|²/|[ω] F|²,   or 0     (|Ḟ|² is the sum of both squares; |[ω] F|² = ω · c with c the right-hand side above)
//
// where u is 1 − θ²/4 for a stiff block, and 0 in plain shear, as in a block that is held on one side and thrown: there the share goes to 0 without a kink, so that runs have
// derivatives. The momentum along lines stays as it was, as K knows nothing of where an element is.
#include "core/forces/element_corners.h"
#include "core/math/spatial.h"

static void rate_at(const MbElementForce *e, const MbMaximal *x, size_t k, double Fdot[9]) {
  const double *at[MB_MOST_CORNERS] = {0};
  double v[MB_MOST_CORNERS][3];
  for (size_t a = 0; a < e->corners; a++) {
    const size_t b = mb_corner_body(e, k, a);
    mb_quat_rotate(v[a], x->E[b].q, x->phi + 6 * b + 3);
    at[a] = v[a];
  }
  mb_corner_gradient(e, at, k, Fdot);
}

// A ω = c for a symmetric A, by its adjugate. False where A is hardly more than flat.
static bool solve_spin(const double A[9], const double c[3], double w[3]) {
  static const double FLAT = 1e-6; // of the cube of A's trace
  const double size = A[0] + A[4] + A[8], det = mb_mat3_det(A);
  double row[3][3];
  if (!(det > FLAT * size * size * size)) return false;
  for (int i = 0; i < 3; i++) mb_vec3_cross(row[i], A + 3 * ((i + 1) % 3), A + 3 * ((i + 2) % 3));
  for (int i = 0; i < 3; i++) w[i] = (row[0][i] * c[0] + row[1][i] * c[1] + row[2][i] * c[2]) / det;
  return true;
}

bool mb_element_turn(const MbElementForce *e, const MbMaximal *x, size_t k, const double F[9],
                     MbElementTurn *t) {
  const size_t rank = e->rank;
  double *const A = t->A, *const c = t->c, *const Fdot = t->Fdot, q[4], trace = 0;
  rate_at(e, x, k, Fdot);
  t->whole = 0;
  for (size_t i = 0; i < 3; i++)
    for (size_t j = 0; j < 3; j++) {
      A[3 * i + j] = 0;
      for (size_t l = 0; l < rank; l++) A[3 * i + j] -= F[rank * i + l] * F[rank * j + l];
    }
  for (size_t i = 0; i < 3; i++) trace -= A[4 * i];
  for (size_t i = 0; i < 3; i++) A[4 * i] += trace, c[i] = 0;
  for (size_t j = 0; j < rank; j++)
    for (size_t i = 0; i < 3; i++) {
      const size_t l = (i + 1) % 3, m = (i + 2) % 3;
      c[i] += F[rank * l + j] * Fdot[rank * m + j] - F[rank * m + j] * Fdot[rank * l + j];
    }
  if (!solve_spin(A, c, t->w)) return false;
  for (size_t i = 0; i < 3 * rank; i++) t->whole += Fdot[i] * Fdot[i];
  t->turning = mb_vec3_dot(t->w, c);
  if (!(2 * t->turning > t->whole)) return false;
  const double u = 2 - t->whole / t->turning;
  mb_vec3_scale(t->turn, x->ahead * u * u * (3 - 2 * u), t->w);
  mb_quat_exp(q, t->turn);
  mb_quat_to_mat3(t->R, q);
  return true;
}

// With θ = h s ω, s = u² (3 − 2 u), u = 2 − |Ḟ|²/(ω · c), and what R is felt by as B:
//
//   θ is felt by J_r(θ) ax(B Rᵀ),   ax(M)_i = M_kj − M_jk;   ω, and A ω = c, by the transposed of the formulas above
//
// J_r being that of δ exp(θ) = [J_l δθ] exp(θ), transposed.
void mb_element_turn_back(const MbElementTurn *t, size_t rank, double ahead, const double F[9],
                          const double by_R[9], double by_F[9], double by_Fdot[9]) {
  const double turn[6] = {t->turn[0], t->turn[1], t->turn[2], 0, 0, 0}, u = 2 - t->whole / t->turning;
  double M[9], J[36], axis[3], felt[3], by_w[3], by_c[3], z[3];
  mb_mat3_mult(M, by_R, t->R);
  for (int i = 0; i < 3; i++)
    axis[i] = M[3 * ((i + 2) % 3) + (i + 1) % 3] - M[3 * ((i + 1) % 3) + (i + 2) % 3];
  mb_se3_right_jacobian(J, turn);
  for (size_t i = 0; i < 3; i++) felt[i] = ahead * mb_vec3_dot(J + 6 * i, axis);
  const double by_u = 6 * u * (1 - u) * mb_vec3_dot(felt, t->w), by_whole = -by_u / t->turning,
               by_turning = by_u * t->whole / (t->turning * t->turning);
  mb_vec3_scale(by_w, u * u * (3 - 2 * u), felt);
  mb_vec3_add_scaled(by_w, by_w, by_turning, t->c);
  if (!solve_spin(t->A, by_w, z)) return;
  mb_vec3_add_scaled(by_c, z, by_turning, t->w);
  const double trace = -2 * mb_vec3_dot(z, t->w); // of A's part, which is −z ωᵀ
  for (size_t j = 0; j < rank; j++) {
    double f[3], fdot[3], x[3], y[3];
    for (size_t i = 0; i < 3; i++) f[i] = F[rank * i + j], fdot[i] = t->Fdot[rank * i + j];
    mb_vec3_cross(x, fdot, by_c), mb_vec3_cross(y, by_c, f);
    const double along_z = mb_vec3_dot(z, f), along_w = mb_vec3_dot(t->w, f);
    for (size_t i = 0; i < 3; i++) {
      by_F[rank * i + j] += x[i] + trace * f[i] + z[i] * along_w + t->w[i] * along_z;
      by_Fdot[rank * i + j] += y[i] + 2 * by_whole * fdot[i];
    }
  }
}

void mb_element_turned_stress(size_t rank, const double R[9], const double F[9], const double P[9],
                              const double H[81], double extra[9]) {
  const size_t width = 3 * rank;
  double Z[9], S[9];
  for (size_t i = 0; i < 3; i++)
    for (size_t j = 0; j < rank; j++) {
      double sum = -F[rank * i + j];
      for (size_t l = 0; l < 3; l++) sum += R[3 * l + i] * F[rank * l + j];
      Z[rank * i + j] = sum;
    }
  for (size_t i = 0; i < width; i++) {
    S[i] = P[i];
    for (size_t j = 0; j < width; j++) S[i] += H[width * i + j] * Z[j];
  }
  for (size_t i = 0; i < 3; i++)
    for (size_t j = 0; j < rank; j++) {
      double sum = -P[rank * i + j];
      for (size_t l = 0; l < 3; l++) sum += R[3 * i + l] * S[rank * l + j];
      extra[rank * i + j] = sum;
    }
}
