// With a the loads of a joint's places, each the sum of what its normals are pressed by (joint_friction.c),
//
//   a_i = Σ_k s_ik l_ik · ( w − Σ_t β_t ω_t ),   β_t = σ_t λ_r a_t / S_r,   S_r = Σ_t lever_t a_t,   m_r = c S_r
//
// over the tangents t of each row r and of the pin that place i is of; s are the sides that normals are pressed from, which stay. A change of w and λ is one of a by
//
//   (1 + K) da = N dw − B dλ,    N_i = Σ_k s_ik l_ik,   K_ij = Σ_t N_i · ω_t ∂β_t/∂a_j,   B_ir = Σ_t N_i · ω_t σ_t a_t / S_r
//
// so that with  (1 + K)ᵀ y = c lever  of the row at hand  dm = y · (N dw − B dλ). By a parameter of the joint dm is what it changes of  m + y · a  as the formulas
// above have these at the loads that there are.
#include "core/sim/rub_slopes.h"
#include "core/sim/dense_lu.h"

#include <math.h>
#include <string.h>

// N_i
static void normal_of(const MbJointFriction *own, const MbRubSlope *slope, int i, double N[6]) {
  for (int a = 0; a < 6; a++)
    N[a] = slope->side[i][0] * own->load[i][0][a] + slope->side[i][1] * own->load[i][1][a];
}

static double dot(const double a[6], const double b[6]) {
  double sum = 0;
  for (int i = 0; i < 6; i++) sum += a[i] * b[i];
  return sum;
}

// Sides from which normals are pressed, of which those that are next to nothing are about to be pressed from the other.
static void find_sides(const MbJointFriction *own, const double w[6], const double *force, const double *load,
                       MbRubSlope *slope) {
  static const double ROUNDING = 1e-9,
                      NEAR = 1e-6; // of the largest: as in joint_friction.c, and as branches are told
  double by[MB_RUB_PLACES][2], largest = 0;
  mb_joint_friction_forces(own, w, force, load, by);
  for (int i = 0; i < own->places; i++) largest = fmax(largest, fabs(by[i][0]) + fabs(by[i][1]));
  slope->near = false;
  for (int i = 0; i < own->places; i++)
    for (int k = 0; k < 2; k++) {
      const bool none = fabs(by[i][k]) <= ROUNDING * largest;
      slope->side[i][k] = none ? 0 : by[i][k] > 0 ? 1 : -1;
      slope->near |= !none && fabs(by[i][k]) <= NEAR * largest;
    }
}

// Kᵀ, which has the row of a place in a column, + 1.
static void find_matrix(const MbJointFriction *own, const MbRubSlope *slope, const double *force,
                        const double *load, const double *sum, double *A) {
  const int n = own->places, size = n / mb_joint_friction_parts(own);
  memset(A, 0, (size_t)(n * n) * sizeof *A);
  for (int i = 0; i < n; i++) {
    double N[6], *row = A + n * i;
    normal_of(own, slope, i, N);
    row[i] = 1;
    for (int t = 0; t < own->tangents; t++) {
      const MbRubTangent *at = &own->tangent[t];
      const double S = sum[at->row];
      if (at->place / size != i / size || !(S > 0)) continue;
      const double by = dot(N, at->wrench) * at->sign * force[at->row] / S;
      row[at->place] += by;
      for (int u = 0; u < own->tangents; u++)
        if (own->tangent[u].row == at->row)
          row[own->tangent[u].place] -= by * load[at->place] / S * own->tangent[u].lever;
    }
  }
}

// What y weighs, along the wrench and the rows' forces.
static void weigh(const MbJointFriction *own, const double *load, const double *sum, MbRubSlope *out) {
  const int size = own->places / mb_joint_friction_parts(own);
  memset(out->by_wrench, 0, sizeof out->by_wrench), memset(out->by_force, 0, sizeof out->by_force);
  for (int i = 0; i < own->places; i++) {
    double N[6];
    normal_of(own, out, i, N);
    for (int a = 0; a < 6; a++) out->by_wrench[a] += out->weight[i] * N[a];
    for (int t = 0; t < own->tangents; t++) {
      const MbRubTangent *at = &own->tangent[t];
      if (at->place / size == i / size && sum[at->row] > 0)
        out->by_force[at->row] -=
            out->weight[i] * dot(N, at->wrench) * at->sign * load[at->place] / sum[at->row];
    }
  }
}

bool mb_rub_slope(const MbJointFriction *own, int row, const double w[6], const double *force,
                  const double *load, MbRubSlope *out) {
  double A[MB_RUB_PLACES * MB_RUB_PLACES], sum[MB_RUB_ROWS];
  size_t pivot[MB_RUB_PLACES];
  const size_t n = (size_t)own->places;
  for (int r = 0; r < own->rows; r++) sum[r] = mb_joint_friction_levers(own, r, load);
  find_sides(own, w, force, load, out);
  find_matrix(own, out, force, load, sum, A);
  memset(out->weight, 0, sizeof out->weight);
  for (int t = 0; t < own->tangents; t++)
    if (own->tangent[t].row == row)
      out->weight[own->tangent[t].place] += own->coefficient * own->tangent[t].lever;
  if (!mb_lu_factor(A, n, pivot)) return false; // columns are rows of 1 + K: it is transposed
  mb_lu_solve(A, n, pivot, out->weight);
  weigh(own, load, sum, out);
  return true;
}

double mb_rub_value(const MbJointFriction *own, int row, const MbRubSlope *slope, const double w[6],
                    const double *force, const double *load) {
  double by[MB_RUB_PLACES][2], sum = mb_joint_friction_most(own, row, load);
  mb_joint_friction_forces(own, w, force, load, by);
  for (int i = 0; i < own->places; i++)
    sum += slope->weight[i] * (slope->side[i][0] * by[i][0] + slope->side[i][1] * by[i][1]);
  return sum;
}
